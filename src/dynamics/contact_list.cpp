#include "dynamics/contact_list.hpp"

#include <algorithm>

#include "dynamics/world_data.hpp"
#include "visviva/core/error.hpp"

namespace visviva::dynamics {

namespace {

std::uint64_t key_of(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint64_t>(std::min(a, b)) << 32 | std::max(a, b);
}

}  // namespace

ContactList::ContactList() : table_(16, Entry{0, kNone}) {}
ContactList::~ContactList() = default;
ContactList::ContactList(ContactList&&) noexcept = default;
ContactList& ContactList::operator=(ContactList&&) noexcept = default;
ContactList::ContactList(const ContactList&) = default;
ContactList& ContactList::operator=(const ContactList& other) {
  if (this == &other) return *this;
  contacts_ = other.contacts_;
  alive_ = other.alive_;
  free_ = other.free_;
  free_.reserve(contacts_.capacity());
  count_ = other.count_;
  if (table_.size() <= other.table_.size()) {
    table_ = other.table_;
    return *this;
  }
  table_.assign(table_.size(), Entry{0, kNone});
  for (const Entry& entry : other.table_)
    if (entry.number != kNone) enter(entry.key, entry.number);
  return *this;
}

ContactList::ContactList(std::vector<Contact> contacts, std::vector<std::uint8_t> alive,
                         std::vector<std::uint32_t> free)
    : contacts_(std::move(contacts)), alive_(std::move(alive)), free_(std::move(free)), table_(16, Entry{0, kNone}) {
  std::vector<std::uint8_t> taken = alive_;
  for (const std::uint32_t number : free_) {
    require(number < taken.size() && taken[number] == 0, "contacts", "free numbers", "be those not in use", number);
    taken[number] = 1;
  }
  for (std::uint32_t number = 0; number < contacts_.size(); ++number) {
    require(taken[number] == 1, "contacts", "free numbers", "be those not in use", number);
    if (alive_[number] == 0) continue;
    const Contact& contact = contacts_[number];
    require(find(contact.shape_a, contact.shape_b) == kNone, "contacts", "pair", "be there once", number);
    if (2 * (++count_) > table_.size()) grow();
    enter(key_of(contact.shape_a, contact.shape_b), number);
  }
}

std::size_t ContactList::home(std::uint64_t key) const {
  // Fibonacci hashing: the upper bits of the product depend on all of the key.
  return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15ull) >> 32) & (table_.size() - 1);
}

void ContactList::grow() {
  std::vector<Entry> old(table_.size() * 2, Entry{0, kNone});
  old.swap(table_);
  for (const Entry& entry : old)
    if (entry.number != kNone) enter(entry.key, entry.number);
}

void ContactList::enter(std::uint64_t key, std::uint32_t number) {
  std::size_t i = home(key);
  while (table_[i].number != kNone) i = (i + 1) & (table_.size() - 1);
  table_[i] = {key, number};
}

std::uint32_t ContactList::insert(std::uint32_t shape_a, std::uint32_t shape_b) {
  if (2 * (count_ + 1) > table_.size()) grow();
  std::uint32_t number = 0;
  if (free_.empty()) {
    number = static_cast<std::uint32_t>(contacts_.size());
    contacts_.emplace_back();
    alive_.push_back(1);
    free_.reserve(contacts_.capacity());
  } else {
    number = free_.back();
    free_.pop_back();
    contacts_[number] = Contact{};
    alive_[number] = 1;
  }
  ++count_;
  enter(key_of(shape_a, shape_b), number);
  contacts_[number].shape_a = shape_a;
  contacts_[number].shape_b = shape_b;
  return number;
}

void ContactList::erase(std::uint32_t number) {
  const std::size_t mask = table_.size() - 1;
  std::size_t hole = home(key_of(contacts_[number].shape_a, contacts_[number].shape_b));
  while (table_[hole].number != number) hole = (hole + 1) & mask;
  // Entries behind the hole that could not stand there otherwise move up.
  for (std::size_t i = (hole + 1) & mask; table_[i].number != kNone; i = (i + 1) & mask) {
    if (((i - home(table_[i].key)) & mask) < ((i - hole) & mask)) continue;
    table_[hole] = table_[i];
    hole = i;
  }
  table_[hole].number = kNone;
  alive_[number] = 0;
  free_.push_back(number);
  --count_;
}

std::uint32_t ContactList::find(std::uint32_t shape_a, std::uint32_t shape_b) const {
  const std::uint64_t key = key_of(shape_a, shape_b);
  for (std::size_t i = home(key); table_[i].number != kNone; i = (i + 1) & (table_.size() - 1))
    if (table_[i].key == key) return table_[i].number;
  return kNone;
}

Contact& ContactList::operator[](std::uint32_t number) { return contacts_[number]; }
const Contact& ContactList::operator[](std::uint32_t number) const { return contacts_[number]; }
std::size_t ContactList::slots() const { return contacts_.size(); }
std::size_t ContactList::memory() const {
  return contacts_.capacity() * sizeof(Contact) + table_.capacity() * sizeof(Entry) +
         free_.capacity() * sizeof(free_[0]) + alive_.capacity();
}

}  // namespace visviva::dynamics
