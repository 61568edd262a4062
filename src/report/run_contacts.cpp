#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/run_data.hpp"

namespace visviva::report {

namespace {

/// The largest number of points of a frame with which all frames together keep at most so many.
std::size_t largest_share(const std::vector<std::size_t>& counts, std::size_t most) {
  const auto kept = [&](std::size_t share) {
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0},
                           [share](std::size_t sum, std::size_t count) { return sum + std::min(share, count); });
  };
  std::size_t low = 0, high = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
  while (low < high) {
    const std::size_t middle = low + (high - low + 1) / 2;
    if (kept(middle) <= most)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

std::uint8_t to_byte(Real component) {
  return static_cast<std::uint8_t>(std::lround(127.5 * (std::clamp(component, -1.0, 1.0) + 1)));
}

}  // namespace

ContactFrames::ContactFrames(const io::RecordingReader& recording, const std::vector<std::size_t>& chosen,
                             std::size_t most)
    : recording_(recording) {
  const std::vector<std::size_t> all = recording.contact_counts(0, recording.frame_count());
  std::vector<std::size_t> counts;
  for (const std::size_t frame : chosen) counts.push_back(all[frame]);
  most_in_frame_ = largest_share(counts, most);
}

void ContactFrames::look(const model::Frame& frame) {
  const auto k = static_cast<std::uint32_t>(all_.size());
  all_.push_back(frame.contact_points);
  changes_.resize(frame.bodies.size());
  for (std::size_t b = 0; b < frame.bodies.size(); ++b) {
    const bool slept = changes_[b].size() % 2 == 1;
    if (frame.bodies[b].asleep != slept) changes_[b].push_back(k);
  }

  std::vector<const model::ContactPoint*> contacts;
  for (const model::ContactPoint& contact : frame.contacts)
    if (contact.point.allFinite() && contact.normal.allFinite() && contact.force.allFinite())
      contacts.push_back(&contact);
  std::stable_sort(contacts.begin(), contacts.end(), [](const model::ContactPoint* a, const model::ContactPoint* b) {
    return a->force.squaredNorm() > b->force.squaredNorm();
  });
  contacts.resize(std::min(contacts.size(), most_in_frame_));
  for (const model::ContactPoint* contact : contacts)
    for (int i = 0; i < 3; ++i) {
      point_.push_back(static_cast<float>(contact->point(i)));
      force_.push_back(static_cast<float>(contact->force(i)));
      normal_.push_back(to_byte(contact->normal(i)));
    }
  first_.push_back(static_cast<std::uint32_t>(point_.size() / 3));
}

void ContactFrames::write(ReportParts& parts) const {
  const char* reason = nullptr;
  if (recording_.stepper() != "realtime")
    reason = "the event-driven stepper knows impacts only; it has no lasting contacts and no sleep";
  else if (!recording_.has_contacts())
    reason = "the recording does not have it: it is of an older version or another program";
  if (reason != nullptr) {
    parts.missing["contacts"] = parts.missing["sleep"] = reason;
    return;
  }

  std::vector<std::uint32_t> sleep_first{0}, sleep_frame;
  for (const std::vector<std::uint32_t>& frames : changes_) {
    sleep_frame.insert(sleep_frame.end(), frames.begin(), frames.end());
    sleep_first.push_back(static_cast<std::uint32_t>(sleep_frame.size()));
  }
  parts.data.add("sleep_first", sleep_first, {sleep_first.size()});
  parts.data.add("sleep_frame", sleep_frame, {sleep_frame.size()});

  const std::size_t there_were = std::accumulate(all_.begin(), all_.end(), std::size_t{0}), n = point_.size() / 3;
  if (recording_.contact_count() == 0 && there_were > 0) {
    parts.missing["contacts"] = "the run was told to record no lasting contacts";
    return;
  }
  parts.data.add("contact_first", first_, {first_.size()});
  parts.data.add("contact_all", all_, {all_.size()});
  parts.data.add("contact_point", point_, {n, 3});
  parts.data.add("contact_normal", normal_, {n, 3});
  parts.data.add("contact_force", force_, {n, 3});
  parts.header["contacts"] = {{"count", n}, {"all", there_were}};
}

}  // namespace visviva::report
