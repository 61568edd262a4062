#include "visviva/io/summary.hpp"

#include <nlohmann/json.hpp>

#include "recording_samples.hpp"
#include "visviva/io/file_error.hpp"

namespace visviva::io {
namespace {

using namespace samples;
using nlohmann::json;

model::RunSummary make_summary() {
  model::RunSummary summary;
  summary.scene = "top";
  summary.stepper = "variational";
  summary.steps = 100000;
  summary.simulated_time = 0.1;
  summary.wall_seconds = 2.5;
  summary.step_seconds = 2.25;
  summary.max_contacts = 12;
  summary.asleep = 2;
  summary.bodies = 3;
  summary.collisions = 806;
  summary.energy_initial = 1.0 / 3;
  summary.energy_final = 2.0 / 3;
  summary.energy_max_relative_error = 1e-15;
  summary.energy_added_by_contacts = 0.25;
  summary.linear_momentum_error = 2e-16;
  summary.angular_momentum_error = 3e-16;
  summary.max_penetration = 4e-14;
  summary.status = model::RunStatus::Zeno;
  summary.reason = "body 'top' at 3 s";
  summary.hash = 0x0123456789abcdef;
  for (std::size_t i = 0; i < 25; ++i) summary.first_events.push_back(make_event(i));
  return summary;
}

TEST(Summary, HasTheKeysAndValues) {
  const json j = json::parse(to_json(make_summary(), make_model(1)));
  std::vector<std::string> keys;
  const auto ordered = nlohmann::ordered_json::parse(to_json(make_summary(), make_model(1)));
  for (const auto& [key, value] : ordered.items()) keys.push_back(key);
  EXPECT_EQ(keys,
            (std::vector<std::string>{"scene", "stepper", "steps", "simulated_time", "wall_seconds", "step_seconds",
                                      "speed_factor", "bodies", "collisions", "energy", "momentum", "max_penetration",
                                      "max_contacts", "asleep", "status", "reason", "hash", "events"}));
  EXPECT_EQ(j["scene"], "top");
  EXPECT_EQ(j["stepper"], "variational");
  EXPECT_EQ(j["steps"], 100000);
  EXPECT_EQ(j["simulated_time"], 0.1);
  EXPECT_EQ(j["wall_seconds"], 2.5);
  EXPECT_EQ(j["step_seconds"], 2.25);
  EXPECT_EQ(j["speed_factor"], 0.04);  // 0.1 s in 2.5 s
  EXPECT_EQ(j["bodies"], 3);
  EXPECT_EQ(j["collisions"], 806);
  EXPECT_EQ(
      j["energy"],
      json::object(
          {{"initial", 1.0 / 3}, {"final", 2.0 / 3}, {"max_relative_error", 1e-15}, {"added_by_contacts", 0.25}}));
  EXPECT_EQ(j["momentum"], json::object({{"linear_error", 2e-16}, {"angular_error", 3e-16}}));
  EXPECT_EQ(j["max_penetration"], 4e-14);
  EXPECT_EQ(j["max_contacts"], 12);
  EXPECT_EQ(j["asleep"], 2);
  EXPECT_EQ(j["status"], "zeno");
  EXPECT_EQ(j["reason"], "body 'top' at 3 s");
  EXPECT_EQ(j["hash"], "0123456789abcdef");
}

TEST(Summary, HasTheFirstTwentyEventsWithAllTheirFields) {
  const json events = json::parse(to_json(make_summary(), make_model(1)))["events"];
  ASSERT_EQ(events.size(), 20U);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const model::Event event = make_event(i);
    const json& j = events[i];
    EXPECT_EQ(j["time"], event.time);
    EXPECT_EQ(j["body_a"], i % 3 == 0 ? json(nullptr) : json("ground"));
    EXPECT_EQ(j["body_b"], "belt, moving");
    if (event.kind == model::EventKind::Break) {
      for (int r = 0; r < 3; ++r) {
        EXPECT_EQ(j["force"][static_cast<std::size_t>(r)], event.force[r]);
        EXPECT_EQ(j["torque"][static_cast<std::size_t>(r)], event.torque[r]);
      }
      continue;
    }
    EXPECT_EQ(j["energy_lost"], event.energy_lost);
    EXPECT_EQ(j["friction"], event.friction);
    EXPECT_EQ(j["restitution"], event.restitution);
    EXPECT_EQ(j["law"], (std::array{"stronge", "poisson", "newton"})[i % 3]);
    for (int r = 0; r < 3; ++r) {
      const auto k = static_cast<std::size_t>(r);
      EXPECT_EQ(j["point"][k], event.point[r]);
      EXPECT_EQ(j["normal"][k], event.normal[r]);
      EXPECT_EQ(j["impulse"][k], event.impulse[r]);
      EXPECT_EQ(j["v"][k], event.v[r]);
      for (int c = 0; c < 3; ++c) EXPECT_EQ(j["W"][k][static_cast<std::size_t>(c)], event.W(r, c));
    }
  }
}

TEST(Summary, NumbersThatAreNotFiniteAndBadNamesStayJson) {
  model::RunSummary summary = make_summary();
  summary.energy_final = std::nan("");
  summary.scene = "\xff";
  const json j = json::parse(to_json(summary, make_model(1)));
  EXPECT_TRUE(j["energy"]["final"].is_null());
}

TEST(Summary, IsWrittenWholeOrNotAtAll) {
  const std::string path = scratch("summary.json");
  write_summary(path, make_summary(), make_model(1));
  EXPECT_EQ(read_bytes(path), to_json(make_summary(), make_model(1)));
  EXPECT_FALSE(std::filesystem::exists(path + ".partial"));
  const std::string missing = scratch("not/there.json");
  try {
    write_summary(missing, make_summary(), make_model(1));
    FAIL();
  } catch (const FileError& error) {
    EXPECT_EQ(std::string(error.what()), "cannot write " + missing + ": No such file or directory");
  }
}

}  // namespace
}  // namespace visviva::io
