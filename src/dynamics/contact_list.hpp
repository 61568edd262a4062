#pragma once

#include <cstdint>
#include <vector>

namespace visviva::dynamics {

struct Contact;

/// Contacts by number and by the pair of their shapes. The same calls give the same numbers; nothing is allocated once
/// it has grown to what is needed.
class ContactList {
 public:
  ContactList();
  ~ContactList();
  ContactList(ContactList&&) noexcept;
  ContactList& operator=(ContactList&&) noexcept;
  ContactList(const ContactList&);
  /// Keeps the memory that it has, so that a world which is restored needs none to grow again.
  ContactList& operator=(const ContactList& other);

  /// By number; `alive` says which of them are there, `free` in which order (from the end) the other numbers come.
  /// Throws InvalidArgument unless these agree and no pair is there twice.
  ContactList(std::vector<Contact> contacts, std::vector<std::uint8_t> alive, std::vector<std::uint32_t> free);

  /// A new one; the pair must not be there.
  std::uint32_t insert(std::uint32_t shape_a, std::uint32_t shape_b);
  void erase(std::uint32_t number);
  /// kNone if there is none.
  [[nodiscard]] std::uint32_t find(std::uint32_t shape_a, std::uint32_t shape_b) const;

  [[nodiscard]] Contact& operator[](std::uint32_t number);
  [[nodiscard]] const Contact& operator[](std::uint32_t number) const;
  [[nodiscard]] std::size_t slots() const;
  [[nodiscard]] bool is_alive(std::uint32_t number) const { return alive_[number] != 0; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] const std::vector<std::uint32_t>& free_numbers() const { return free_; }
  [[nodiscard]] std::size_t memory() const;  ///< [bytes]

 private:
  [[nodiscard]] std::size_t home(std::uint64_t key) const;
  void grow();
  void enter(std::uint64_t key, std::uint32_t number);

  std::vector<Contact> contacts_;
  std::vector<std::uint8_t> alive_;
  std::vector<std::uint32_t> free_;
  struct Entry {
    std::uint64_t key;
    std::uint32_t number;
  };
  std::vector<Entry> table_;  ///< open addressing, a power of two, at most half full
  std::size_t count_ = 0;
};

}  // namespace visviva::dynamics
