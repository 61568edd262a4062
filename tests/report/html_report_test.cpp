// Reports of recordings, taken apart again as a page does it.
#include "visviva/report/html_report.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>

#include "report/pack_rows.hpp"
#include "visviva/core/error.hpp"
#include "visviva/impact/path.hpp"
#include "visviva/impact/solve.hpp"
#include "visviva/io/file_error.hpp"

namespace visviva::report {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kPage = "<html>before<!--visviva-data-->after</html>";
constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();

/// A folder for one test.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("visviva_report_test_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string text_between(const std::string& text, const std::string& start, const std::string& end) {
  const std::size_t first = text.find(start);
  if (first == std::string::npos) throw std::runtime_error("no " + start);
  const std::size_t begin = first + start.size();
  return text.substr(begin, text.find(end, begin) - begin);
}

std::string from_base64(const std::string& text) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned group = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    group = group << 6 | static_cast<unsigned>(letters.find(c));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(group >> bits & 0xff);
  }
  return bytes;
}

/// A report as its page sees it.
struct Report {
  Json header;
  std::string bytes;

  explicit Report(const std::string& html) {
    header = Json::parse(text_between(html, "<script type=\"application/json\" id=\"visviva-header\">", "</script>"));
    const std::string packed =
        from_base64(text_between(html, "<script type=\"text/plain\" id=\"visviva-data\">", "</script>"));
    bytes.resize(64 << 20);
    uLongf length = bytes.size();
    const int answer = uncompress(reinterpret_cast<Bytef*>(bytes.data()), &length,
                                  reinterpret_cast<const Bytef*>(packed.data()), packed.size());
    if (answer != Z_OK) throw std::runtime_error("the data cannot be unpacked");
    bytes.resize(length);
  }

  [[nodiscard]] bool has(const std::string& name) const { return header["arrays"].contains(name); }

  template <class T>
  [[nodiscard]] std::vector<T> array(const std::string& name) const {
    const Json& a = header["arrays"].at(name);
    std::size_t count = 1;
    for (const Json& n : a["shape"]) count *= n.get<std::size_t>();
    EXPECT_EQ(a["bytes"].get<std::size_t>(), count * sizeof(T)) << name;
    EXPECT_EQ(a["offset"].get<std::size_t>() % 8, 0u) << name;
    std::vector<T> values(count);
    std::memcpy(values.data(), bytes.data() + a["offset"].get<std::size_t>(), count * sizeof(T));
    return values;
  }

  /// Rows of states: [body][component][frame].
  [[nodiscard]] std::vector<Real> states(const std::string& name, std::vector<Real>* step = nullptr) const {
    const Json& a = header["arrays"].at(name);
    PackedRows rows;
    rows.bytes_per_number = a["type"] == "i16" ? 2 : 4;
    rows.order = a["coding"]["order"];
    rows.low = a["coding"]["low"].get<std::vector<Real>>();
    rows.step = a["coding"]["step"].get<std::vector<Real>>();
    rows.bytes = bytes.substr(a["offset"], a["bytes"]);
    if (step) *step = rows.step;
    return unpack_rows(rows, a["shape"][2]);
  }
};

model::BodyDesc make_body(const std::string& name, model::BodyType type, geometry::Solid solid) {
  model::BodyDesc body;
  body.name = name;
  body.type = type;
  body.shapes = {{"", std::move(solid), 0}};
  return body;
}

/// Ground, a guided box and two thrown balls of 2 kg and radius 0.1 m.
model::Model make_model() {
  model::Model model;
  model.name = "sample";
  model.gravity = {0, 0, -10};
  model.bodies = {make_body("ground", model::BodyType::Static, geometry::Solid(geometry::Plane{})),
                  make_body("guide", model::BodyType::Kinematic, geometry::Solid(geometry::Box{Vec3(1, 1, 1)})),
                  make_body("a", model::BodyType::Dynamic, geometry::Solid(geometry::Sphere{0.1})),
                  make_body("b", model::BodyType::Dynamic, geometry::Solid(geometry::Sphere{0.1}))};
  for (const std::size_t b : {2u, 3u}) {
    model.bodies[b].mass = 2;
    model.bodies[b].inertia = 0.008 * Mat3::Identity();
  }
  return model;
}

/// Exact motion: parabolas, and a turn of 1 rad/s about z.
model::Frame make_frame(Real t) {
  const Real half = 0.5 * t;
  const Quaternion q{std::cos(half), 0, 0, std::sin(half)};
  model::Frame frame;
  frame.time = t;
  frame.bodies = {{Vec3(t, 0, 3), {}, Vec3(1, 0, 0), Vec3::Zero()},
                  {Vec3(2 * t, 0, 4 * t - 5 * t * t), q, Vec3(2, 0, 4 - 10 * t), Vec3(0, 0, 1)},
                  {Vec3(0, -t, 5 - 5 * t * t), q, Vec3(0, -1, -10 * t), Vec3(0, 0, 1)}};
  return frame;
}
model::Energies make_energies(Real t) {
  const model::Frame frame = make_frame(t);
  model::Energies e;
  e.time = t;
  for (const std::size_t b : {1u, 2u}) {
    e.kinetic_translation += frame.bodies[b].v.squaredNorm();  // half of 2 kg
    e.kinetic_rotation += 0.004;
    e.potential += 20 * frame.bodies[b].x.z();
  }
  e.impact_loss = e.rest_loss = e.guided_work = 0;
  e.penetration = 1e-6 * t;
  return e;
}
model::Event make_event(Real t) {
  model::Event event;
  event.time = t;
  event.body_a = 0;
  event.body_b = 2;
  event.normal = Vec3::UnitZ();
  event.impulse = Vec3(-0.3, 0, 6);  // that of the ball below: (-mu Iz, 0, Iz)
  event.energy_lost = t;
  event.W << 1.75, 0, 0, 0, 1.75, 0, 0, 0, 0.5;  // of a ball of 2 kg
  event.v = Vec3(1, 0, -2);
  event.friction = 0.05;
  event.restitution = 0.5;
  return event;
}

std::string write_recording(const Folder& folder, const model::Model& model, const std::vector<Real>& times) {
  const std::string path = folder.path("recording.h5");
  io::RecordingWriter writer(path, model, "");
  for (const Real t : times) {
    writer.write(make_frame(t));
    writer.write(make_energies(t));
    writer.write(make_event(t));
  }
  writer.close();
  return path;
}
std::vector<Real> make_times(std::size_t count, Real step) {
  std::vector<Real> times;
  for (std::size_t i = 0; i < count; ++i) times.push_back(static_cast<Real>(i) * step);
  return times;
}

Report report_of(const Folder& folder, const std::string& recording, const ReportSettings& settings = {},
                 const std::string& summary = "") {
  const std::string path = folder.path("report.html");
  const std::uintmax_t bytes = write_run_report(path, kPage, io::RecordingReader(recording), summary, settings);
  const std::string html = read_file(path);
  EXPECT_EQ(html.size(), bytes);
  EXPECT_TRUE(html.starts_with("<html>before<script"));
  EXPECT_TRUE(html.ends_with("</script>after</html>"));
  return Report(html);
}

TEST(RunReport, StatesAreThoseOfTheRecordingToHalfAStep) {
  const Folder folder;
  const std::vector<Real> times = make_times(101, 0.01);
  const Report report = report_of(folder, write_recording(folder, make_model(), times));
  EXPECT_EQ(report.header["frames"]["count"], 101);
  EXPECT_EQ(report.header["frames"]["all"], 101);
  EXPECT_EQ(report.header["frames"]["moving"], 3);
  EXPECT_NEAR(report.header["frames"]["rate"].get<Real>(), 100, 1e-9);
  EXPECT_EQ(report.array<Real>("frame_time"), times);
  std::vector<Real> x_step, q_step, v_step, w_step;
  const auto x = report.states("x", &x_step), q = report.states("q", &q_step), v = report.states("v", &v_step),
             w = report.states("w", &w_step);
  for (std::size_t k = 0; k < times.size(); ++k) {
    const model::Frame frame = make_frame(times[k]);
    for (std::size_t b = 0; b < 3; ++b) {
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t row = 3 * b + i;
        const auto c = static_cast<Eigen::Index>(i);
        ASSERT_NEAR(x[row * 101 + k], frame.bodies[b].x(c), 0.5001 * x_step[row]);
        ASSERT_NEAR(v[row * 101 + k], frame.bodies[b].v(c), 0.5001 * v_step[row]);
        ASSERT_NEAR(w[row * 101 + k], frame.bodies[b].w(c), 0.5001 * w_step[row]);
        ASSERT_LE(x_step[row], 5e-4 * 2);  // of the radius at most
      }
      for (std::size_t i = 0; i < 4; ++i)
        ASSERT_NEAR(q[(4 * b + i) * 101 + k], frame.bodies[b].q.coefficients()(static_cast<Eigen::Index>(i)),
                    0.5001 * q_step[4 * b + i]);
    }
  }
}

// q and −q are the same attitude; a recording may jump between them, a report does not.
TEST(RunReport, AttitudesChangeContinuously) {
  const Folder folder;
  const std::string path = folder.path("recording.h5");
  io::RecordingWriter writer(path, make_model(), "");
  for (int k = 0; k < 400; ++k) {
    model::Frame frame = make_frame(0.1 * k);
    if (k % 2 == 1) frame.bodies[1].q = -frame.bodies[1].q;
    writer.write(frame);
  }
  writer.close();
  const std::vector<Real> q = report_of(folder, path).states("q");
  for (std::size_t k = 1; k < 400; ++k) {
    Real turn = 0;  // chord of the half angle 0.05
    for (std::size_t i = 4; i < 8; ++i) turn = std::hypot(turn, q[i * 400 + k] - q[i * 400 + k - 1]);
    ASSERT_NEAR(turn, 2 * std::sin(0.025), 3e-4) << k;
  }
}

TEST(RunReport, FarTravellersKeepTheirPrecision) {
  const Folder folder;
  const Report report = report_of(folder, write_recording(folder, make_model(), make_times(1000, 1)));
  EXPECT_EQ(report.header["arrays"]["x"]["type"], "i32");  // 5000 km in steps of 0.05 mm
  const std::vector<Real> x = report.states("x");
  for (std::size_t k = 0; k < 1000; ++k) {
    const Real t = static_cast<Real>(k);
    ASSERT_NEAR(x[5 * 1000 + k], 4 * t - 5 * t * t, 0.01);
  }
}

TEST(RunReport, PlotsFollowFromTheFrames) {
  const Folder folder;
  const std::vector<Real> times = make_times(50, 0.02);
  const Report report = report_of(folder, write_recording(folder, make_model(), times));
  ASSERT_EQ(report.array<Real>("energy_time"), times);
  const auto height = report.array<Real>("height"), px = report.array<Real>("linear_x"),
             py = report.array<Real>("linear_y"), pz = report.array<Real>("linear_z"),
             Lx = report.array<Real>("angular_x"), Lz = report.array<Real>("angular_z"),
             error = report.array<Real>("energy_error"), penetration = report.array<Real>("penetration"),
             guided = report.array<Real>("ledger_guided");
  for (std::size_t k = 0; k < times.size(); ++k) {
    const Real t = times[k];
    EXPECT_NEAR(height[k], 0.5 * (4 * t - 5 * t * t + 5 - 5 * t * t), 1e-12);
    EXPECT_NEAR(px[k], 4, 1e-12);
    EXPECT_NEAR(py[k], -2, 1e-12);
    EXPECT_NEAR(pz[k], 8 - 40 * t, 1e-12);
    // Of b: m (y v_z − z v_y) = 2 (10 t² + 5 − 5 t²); of a: none, since it stays in y = 0.
    EXPECT_NEAR(Lx[k], 2 * (5 + 5 * t * t), 1e-12);
    EXPECT_NEAR(Lz[k], 2 * 0.008, 1e-12);  // both orbits pass through the axis; two spins
    EXPECT_LT(error[k], 1e-14);            // the motion is exact
    EXPECT_EQ(penetration[k], 1e-6 * t);
    EXPECT_EQ(guided[k], 0);
  }
}

// What a ledger explains is no error: 3 J were taken, and 1 J more is gone of 100 J.
TEST(RunReport, EnergyErrorIsWhatTheLedgerDoesNotExplain) {
  const Folder folder;
  const std::string path = folder.path("recording.h5");
  io::RecordingWriter writer(path, make_model(), "");
  for (int k = 0; k < 2; ++k) {
    writer.write(make_frame(k));
    model::Energies e{static_cast<Real>(k), k == 0 ? 100.0 : 96.0, 0, 0};
    e.impact_loss = 2.0 * k;
    e.rest_loss = 1.5 * k;
    e.guided_work = 0.5 * k;
    e.penetration = 0;
    writer.write(e);
  }
  writer.close();
  const Report report = report_of(folder, path);
  EXPECT_EQ(report.array<Real>("energy_error"), (std::vector<Real>{0, 0.01}));
  EXPECT_EQ(report.array<Real>("ledger_impacts"), (std::vector<Real>{0, 2}));
  EXPECT_EQ(report.array<Real>("ledger_rest"), (std::vector<Real>{0, 1.5}));
  EXPECT_EQ(report.array<Real>("ledger_guided"), (std::vector<Real>{0, -0.5}));
}

// 10 J went to friction and 2 J came from push-out: 1 J of the 93 J that are left is unexplained, of 100 J.
TEST(RunReport, LedgerOfTheRealTimeStepperHasTheEntriesThatDidSomething) {
  const Folder folder;
  const std::string path = folder.path("recording.h5");
  io::RecordingWriter writer(path, make_model(), "");
  for (int k = 0; k < 2; ++k) {
    writer.write(make_frame(k));
    model::Energies e{static_cast<Real>(k), k == 0 ? 100.0 : 93.0, 0, 0};
    e.rest_loss = e.guided_work = 0;
    e.work = {-10.0 * k, 0, 0, 2.0 * k, 0, 0, 0};
    e.contacts = 4 + k;
    e.awake = 2 - k;
    writer.write(e);
  }
  writer.close();
  const Report report = report_of(folder, path);
  EXPECT_EQ(report.array<Real>("energy_error"), (std::vector<Real>{0, 0.01}));
  EXPECT_EQ(report.array<Real>("ledger_friction"), (std::vector<Real>{0, 10}));
  EXPECT_EQ(report.array<Real>("ledger_stabilisation"), (std::vector<Real>{0, -2}));
  EXPECT_EQ(report.array<Real>("contact_count"), (std::vector<Real>{4, 5}));
  EXPECT_EQ(report.array<Real>("awake_count"), (std::vector<Real>{2, 1}));
  for (const char* name : {"ledger_impacts", "ledger_restitution", "ledger_contacts", "ledger_damping",
                           "ledger_applied", "ledger_integrator"})
    EXPECT_FALSE(report.has(name)) << name;
  EXPECT_EQ(report.header["missing"].value("ledger", ""), "");
}

// Eight points a frame, of 30: with room for 20 in three frames the six strongest of each are kept.
TEST(RunReport, LastingContactsAreTheStrongestOfEachFrame) {
  const Folder folder;
  const std::string path = folder.path("recording.h5");
  model::Model model = make_model();
  model.stepper.kind = model::StepperKind::Realtime;
  io::RecordingWriter writer(path, model, "");
  for (int k = 0; k < 3; ++k) {
    model::Frame frame = make_frame(k);
    for (int c = 0; c < 8; ++c)
      frame.contacts.push_back({0, 1, Vec3(k, c, 0), Vec3(0, 0.6, -0.8), Vec3(0, 0, 1.0 + (c * 3 + k) % 8)});
    frame.contact_points = 30;
    frame.bodies[0].asleep = k == 1;
    writer.write(frame);
  }
  writer.close();
  ReportSettings settings;
  settings.most_contacts = 20;
  const Report report = report_of(folder, path, settings);
  EXPECT_EQ(report.array<std::uint32_t>("contact_first"), (std::vector<std::uint32_t>{0, 6, 12, 18}));
  EXPECT_EQ(report.array<std::uint32_t>("contact_all"), (std::vector<std::uint32_t>{30, 30, 30}));
  const auto point = report.array<float>("contact_point"), force = report.array<float>("contact_force");
  for (std::size_t i = 0; i < 18; ++i) {
    EXPECT_EQ(point[3 * i], static_cast<float>(i / 6)) << i;  // its frame
    EXPECT_EQ(force[3 * i + 2], static_cast<float>(8 - i % 6)) << i;
  }
  const auto normal = report.array<std::uint8_t>("contact_normal");
  EXPECT_NEAR(normal[1] / 127.5 - 1, 0.6, 0.5 / 127.5);
  EXPECT_NEAR(normal[2] / 127.5 - 1, -0.8, 0.5 / 127.5);
  EXPECT_EQ(report.header["contacts"]["count"], 18);
  EXPECT_EQ(report.header["contacts"]["all"], 90);
  // The first moving body sleeps in the second frame only.
  EXPECT_EQ(report.array<std::uint32_t>("sleep_first")[1], 2U);
  EXPECT_EQ(report.array<std::uint32_t>("sleep_frame"), (std::vector<std::uint32_t>{1, 2}));
  EXPECT_FALSE(report.header["missing"].contains("contacts"));
}

/// A hinge between the guide and ball a, limited, and a rope from the world to ball b; the rope breaks in frame 2.
std::string write_jointed(const Folder& folder) {
  model::Model model = make_model();
  model.stepper.kind = model::StepperKind::Realtime;
  model::JointDesc hinge{.name = "hinge", .kind = model::JointKind::Hinge, .body_a = 1, .body_b = 2};
  hinge.axes[model::kTurnZ].limit = {-1, 2};
  hinge.X_AJ.p = {0.5, 0, 0};
  model::JointDesc rope{.name = "rope", .kind = model::JointKind::Distance, .body_b = 3};
  rope.length = {0, 2};
  rope.break_force = 40;
  model.joints = {hinge, rope};
  const std::string path = folder.path("recording.h5");
  io::RecordingWriter writer(path, model, "");
  for (int k = 0; k < 3; ++k) {
    model::Frame frame = make_frame(k);
    frame.joints.push_back({Vec3(k, 2, 3), Vec3(0, k, 5), {0.25 * k, model::kUnknown}, 1e-3, 2e-3, false});
    frame.joints.push_back({Vec3(0, 0, 10 * k), Vec3::Zero(), {model::kUnknown, model::kUnknown}, 0, 0, k == 2});
    writer.write(frame);
  }
  model::Event event = make_event(1.5);
  event.kind = model::EventKind::Break;
  event.joint = 1;
  writer.write(event);
  writer.close();
  return path;
}

TEST(RunReport, JointsHaveTheirFramesLimitsForcesAndCoordinates) {
  const Folder folder;
  const Report report = report_of(folder, write_jointed(folder));
  const Json& joints = report.header["joints"];
  ASSERT_EQ(joints.size(), 2u);
  EXPECT_EQ(joints[0]["kind"], "hinge");
  EXPECT_EQ(joints[0]["a"], 1);
  EXPECT_EQ(joints[0]["frame_a"]["position"], Json({0.5, 0, 0}));
  EXPECT_EQ(joints[0]["axes"], Json::parse(R"([{"name": "turn_z", "limit": [-1, 2]}])"));
  EXPECT_TRUE(joints[1]["a"].is_null()) << "the world";
  EXPECT_EQ(joints[1]["length"], Json({0, 2}));
  EXPECT_EQ(joints[1]["strength"][0], 40);
  EXPECT_TRUE(joints[1]["strength"][1].is_null());
  EXPECT_TRUE(joints[1]["axes"].empty());
  EXPECT_EQ(report.array<std::uint32_t>("joint_broken"), (std::vector<std::uint32_t>{0xffffffff, 2}));
  const auto force = report.array<float>("joint_force"), torque = report.array<float>("joint_torque");
  const auto coordinate = report.array<float>("joint_coordinate"), error = report.array<float>("joint_error");
  ASSERT_EQ(force.size(), 2u * 3 * 3);
  for (std::size_t k = 0; k < 3; ++k) {
    const auto value = static_cast<float>(k);
    EXPECT_EQ(force[3 * k], value);
    EXPECT_EQ(torque[3 * k + 1], value);
    EXPECT_EQ(coordinate[2 * k], 0.25f * value);
    EXPECT_TRUE(std::isnan(coordinate[2 * k + 1]));
    EXPECT_EQ(error[2 * k + 1], 2e-3f);
    EXPECT_EQ(force[3 * (3 + k) + 2], 10 * value);
  }
  EXPECT_EQ(report.array<std::uint32_t>("event_joint"), (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(report.header["events"]["kinds"][report.array<std::uint8_t>("event_kind")[0]], "break");
}

TEST(RunReport, TooManyJointsAreDrawnWithoutForces) {
  const Folder folder;
  ReportSettings settings;
  settings.most_joint_frames = 5;  // of 2 joints and 3 frames
  const Report report = report_of(folder, write_jointed(folder), settings);
  EXPECT_EQ(report.header["joints"].size(), 2u);
  EXPECT_TRUE(report.has("joint_broken"));
  EXPECT_FALSE(report.has("joint_force"));
  EXPECT_NE(report.header["missing"].value("joint_forces", "").find("too many"), std::string::npos);
}

TEST(RunReport, ContactsThatWereOnlyCountedAreMissing) {
  const Folder folder;
  const std::string path = folder.path("recording.h5");
  model::Model model = make_model();
  model.stepper.kind = model::StepperKind::Realtime;
  io::RecordingWriter writer(path, model, "");
  model::Frame frame = make_frame(0);
  frame.contact_points = 3;
  writer.write(frame);
  writer.close();
  const Report report = report_of(folder, path);
  EXPECT_FALSE(report.has("contact_point"));
  EXPECT_NE(report.header["missing"].value("contacts", "").find("told to record no"), std::string::npos);
}

TEST(RunReport, WhatARecordingDoesNotHoldIsMissingWithAReason) {
  const Folder folder;
  const std::string path = folder.path("recording.h5");
  io::RecordingWriter writer(path, make_model(), "");
  for (int k = 0; k < 3; ++k) writer.write(make_frame(k));
  writer.close();
  const Report report = report_of(folder, path);
  for (const char* key : {"energy", "contacts"}) EXPECT_NE(report.header["missing"].value(key, ""), "") << key;
  EXPECT_FALSE(report.has("kinetic_translation"));
  EXPECT_TRUE(report.has("height"));
  EXPECT_EQ(report.array<Real>("energy_time").size(), 3u);
  EXPECT_TRUE(report.header["summary"].is_null());
}

TEST(RunReport, SaysWhetherTheRecordingWasClosed) {
  const Folder folder;
  const std::string path = folder.path("recording.h5");
  io::RecordingWriter writer(path, make_model(), "");
  for (int k = 0; k < 3; ++k) writer.write(make_frame(k));
  writer.flush();
  EXPECT_EQ(report_of(folder, path).header["complete"], false);
  writer.close();
  EXPECT_EQ(report_of(folder, path).header["complete"], true);
}

TEST(RunReport, OlderRecordingHasNoLedger) {
  const Folder folder;
  const std::string path = folder.path("recording.h5");
  io::RecordingWriter writer(path, make_model(), "");
  for (int k = 0; k < 3; ++k) {
    writer.write(make_frame(k));
    writer.write(model::Energies{static_cast<Real>(k), 1, 2, 3});
  }
  writer.close();
  const Report report = report_of(folder, path);
  for (const char* key : {"ledger", "energy_error", "penetration"})
    EXPECT_NE(report.header["missing"].value(key, ""), "") << key;
  for (const char* name :
       {"ledger_impacts", "ledger_rest", "ledger_guided", "energy_error", "penetration", "contact_count"})
    EXPECT_FALSE(report.has(name)) << name;
  EXPECT_TRUE(report.has("potential"));
}

TEST(RunReport, LongRunsKeepFewerFramesAndEventsAndSaySo) {
  const Folder folder;
  ReportSettings settings;
  settings.most_body_frames = 3 * 50;
  settings.most_events = 10;
  settings.most_hodographs = 4;
  const Report report = report_of(folder, write_recording(folder, make_model(), make_times(1001, 0.001)), settings);
  EXPECT_LE(report.header["frames"]["count"].get<int>(), 50);
  EXPECT_GE(report.header["frames"]["count"].get<int>(), 40);
  EXPECT_EQ(report.header["frames"]["all"], 1001);
  EXPECT_EQ(report.array<Real>("frame_time").back(), 1.0);
  EXPECT_EQ(report.header["events"]["all"], 1001);
  // The first five, and the five that lost most: the last.
  const std::vector<Real> time = report.array<Real>("event_time");
  ASSERT_EQ(time.size(), 10u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(time[i], 0.001 * static_cast<Real>(i), 1e-12);
    EXPECT_NEAR(time[5 + i], 0.996 + 0.001 * static_cast<Real>(i), 1e-12);
  }
  EXPECT_EQ(report.header["hodographs"]["count"], 4);
  const auto hodograph = report.array<std::uint32_t>("event_hodograph");
  EXPECT_EQ(std::count(hodograph.begin(), hodograph.end(), 0xffffffffu), 6);
}

// A ball of 2 kg: W33 = 1/2, so Iz_c = 2 · 2 = 4 and, central, Iz_r = (1 + e) 4 = 6. Gross sliding:
// vx = 1 − 0.05 · 1.75 · Iz, positive to the end. Energy at c: v²/(2 W33) = 4 J.
TEST(RunReport, HodographOfABallIsTheClosedForm) {
  const Folder folder;
  const Report report = report_of(folder, write_recording(folder, make_model(), {0.0}));
  const auto first = report.array<std::uint32_t>("hodograph_first");
  const auto samples = report.array<float>("hodograph_samples"), marks = report.array<float>("hodograph_marks");
  ASSERT_EQ(first.size(), 2u);
  ASSERT_LE(first[1], 96u);
  ASSERT_GE(first[1], 4u);
  Real Iz = -1;
  for (std::size_t i = 0; i < first[1]; ++i) {
    const float* s = &samples[5 * i];
    EXPECT_NEAR(s[0], 1 - 0.0875 * s[3], 1e-6);
    EXPECT_NEAR(s[1], 0, 1e-7);
    EXPECT_NEAR(s[2], -2 + 0.5 * s[3], 1e-6);
    EXPECT_GE(s[3], Iz);
    Iz = s[3];
  }
  EXPECT_EQ(samples[3], 0);
  EXPECT_NEAR(Iz, 6, 1e-6);
  std::map<int, const float*> mark;
  for (std::size_t i = 0; i < marks.size(); i += 6) mark[static_cast<int>(marks[i + 5])] = &marks[i];
  ASSERT_TRUE(mark.contains(2) && mark.contains(3));
  EXPECT_NEAR(mark[2][3], 4, 1e-6);
  EXPECT_NEAR(mark[2][4], 4, 1e-6);
  EXPECT_NEAR(mark[3][2], 1, 1e-6);
}

// A contact that several bodies carry has an impulse which the impact of its numbers does not give.
TEST(RunReport, NoHodographOfAnImpulseThatIsNotOfOneImpact) {
  const Folder folder;
  const std::string path = folder.path("recording.h5");
  io::RecordingWriter writer(path, make_model(), "");
  writer.write(make_frame(0));
  model::Event event = make_event(0.0);
  writer.write(event);
  event.impulse *= 1.001;
  writer.write(event);
  writer.close();
  const Report report = report_of(folder, path);
  EXPECT_EQ(report.header["hodographs"]["count"], 1);
  EXPECT_EQ(report.array<std::uint32_t>("event_hodograph"), (std::vector<std::uint32_t>{0, 0xffffffffu}));
}

TEST(RunReport, EventsHaveTheirNumbers) {
  const Folder folder;
  const Report report = report_of(folder, write_recording(folder, make_model(), {0.5}));
  EXPECT_EQ(report.array<std::uint32_t>("event_a"), (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(report.array<std::uint32_t>("event_b"), (std::vector<std::uint32_t>{2}));
  EXPECT_EQ(report.array<float>("event_impulse"), (std::vector<float>{-0.3F, 0, 6}));
  EXPECT_EQ(report.array<Real>("event_energy"), (std::vector<Real>{0.5}));
  EXPECT_EQ(report.array<float>("event_mu"), (std::vector<float>{0.05F}));
  EXPECT_EQ(report.header["events"]["kinds"][report.array<std::uint8_t>("event_kind")[0]], "impact");
  EXPECT_EQ(report.header["events"]["laws"][report.array<std::uint8_t>("event_law")[0]], "stronge");
}

TEST(RunReport, ModelIsDescribed) {
  const Folder folder;
  const Report report = report_of(folder, write_recording(folder, make_model(), {0.0, 1.0}), {},
                                  R"({"scene": "sample", "hash": "00", "events": [1, 2, 3]})");
  const Json& h = report.header;
  EXPECT_EQ(h["format"], "visviva report");
  EXPECT_EQ(h["kind"], "run");
  EXPECT_EQ(h["summary"].dump(), R"({"scene":"sample","hash":"00"})");
  EXPECT_EQ(h["scene"]["gravity"].dump(), "[0.0,0.0,-10.0]");
  ASSERT_EQ(h["bodies"].size(), 4u);
  EXPECT_TRUE(h["bodies"][0]["moving"].is_null());
  EXPECT_EQ(h["bodies"][2]["moving"], 1);
  EXPECT_EQ(h["bodies"][2]["mass"], 2);
  EXPECT_TRUE(h["bodies"][1]["mass"].is_null());
  EXPECT_EQ(h["bodies"][2]["inertia"][1][1], 0.008);
  EXPECT_NEAR(h["bodies"][1]["radius"].get<Real>(), std::numbers::sqrt3, 1e-6);
  EXPECT_NEAR(h["bodies"][2]["radius"].get<Real>(), 0.1, 1e-6);
  EXPECT_EQ(h["bodies"][0]["radius"], 0);
  EXPECT_EQ(h["shapes"][0]["fidelity"], "cut");
  // The ground reaches beyond all that moves.
  const Json& ground = h["meshes"][h["shapes"][0]["mesh"].get<std::size_t>()];
  const auto vertices = report.array<float>("mesh_vertices");
  for (std::size_t i = 0; i < ground["vertices"].get<std::size_t>(); ++i) {
    const float* p = &vertices[3 * (ground["first_vertex"].get<std::size_t>() + i)];
    EXPECT_GT(std::abs(p[0]), 5);
    EXPECT_EQ(p[2], 0);
  }
}

TEST(RunReport, HostileTextsStayTexts) {
  const Folder folder;
  model::Model model = make_model();
  model.name = "</script><script>alert(1)</script>";
  model.bodies[2].name = "<img src=x onerror=alert(1)>\"'&amp;";
  model.bodies[3].name = "ill-formed \xc3\x28 and \x01 control";
  model.bodies[1].name = std::string(100'000, 'x');
  model.materials[0].name = "<!--visviva-data-->";
  const std::string path = folder.path("report.html");
  write_run_report(path, kPage, io::RecordingReader(write_recording(folder, model, {0.0, 0.5})));
  const std::string html = read_file(path);
  EXPECT_EQ(html.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(html.find("<img"), std::string::npos);
  EXPECT_EQ(html.find("<!--"), std::string::npos);
  const Report report(html);
  EXPECT_EQ(report.header["scene"]["name"], model.name);
  EXPECT_EQ(report.header["bodies"][2]["name"], model.bodies[2].name);
  EXPECT_EQ(report.header["bodies"][3]["name"], "ill-formed \ufffd( and \x01 control");
  EXPECT_EQ(report.header["materials"][0]["name"], "<!--visviva-data-->");
}

TEST(RunReport, NumbersThatAreNoneBreakNothing) {
  const Folder folder;
  const std::string path = folder.path("recording.h5");
  io::RecordingWriter writer(path, make_model(), "");
  for (int k = 0; k < 10; ++k) {
    model::Frame frame = make_frame(0.1 * k);
    if (k == 4) frame.bodies[1] = {Vec3::Constant(kNaN), {kNaN, kNaN, kNaN, kNaN}, Vec3::Constant(kNaN), Vec3::Zero()};
    if (k == 5) frame.time = kNaN;
    writer.write(frame);
    writer.write(model::Energies{frame.time, kNaN, 1, std::numeric_limits<Real>::infinity()});
    model::Event event = make_event(kNaN);
    event.W.setConstant(kNaN);
    event.energy_lost = kNaN;
    event.body_a = event.body_b = model::kNoBody;
    writer.write(event);
  }
  writer.close();
  const Report report = report_of(folder, path);
  EXPECT_EQ(report.header["frames"]["count"], 9);  // one has no time
  EXPECT_EQ(report.header["hodographs"]["count"], 0);
  const std::vector<Real> x = report.states("x");
  EXPECT_TRUE(std::isnan(x[3 * 9 + 4]));
  EXPECT_NEAR(x[3 * 9 + 3], 0.6, 1e-3);
  EXPECT_NEAR(x[3 * 9 + 5], 1.2, 1e-3);
}

TEST(RunReport, EmptyRecordingsHaveReports) {
  const Folder folder;
  const Report without_frames = report_of(folder, write_recording(folder, make_model(), {}));
  EXPECT_EQ(without_frames.header["frames"]["count"], 0);
  EXPECT_TRUE(without_frames.header["frames"]["rate"].is_null());
  const std::string path = folder.path("nothing.h5");
  io::RecordingWriter(path, model::Model{}, "").close();
  EXPECT_EQ(report_of(folder, path).header["bodies"].size(), 0u);
}

TEST(RunReport, PageMustTakeDataOnceAndSettingsMustBeSound) {
  const Folder folder;
  const io::RecordingReader recording(write_recording(folder, make_model(), {0.0}));
  const std::string path = folder.path("report.html"), twice = std::string(kPage) + kPage;
  EXPECT_THROW(write_run_report(path, "<html></html>", recording), InvalidArgument);
  EXPECT_THROW(write_run_report(path, twice, recording), InvalidArgument);
  ReportSettings settings;
  settings.frames_per_second = 0;
  EXPECT_THROW(write_run_report(path, kPage, recording, "", settings), InvalidArgument);
  settings = {};
  settings.most_body_frames = 0;
  EXPECT_THROW(write_run_report(path, kPage, recording, "", settings), InvalidArgument);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_THROW(write_run_report(folder.path("no/such/folder.html"), kPage, recording), io::FileError);
}

TEST(ImpactReport, HoldsCasesResultsAndCurves) {
  const Folder folder;
  FigureCase figure;
  figure.name = "Fig. 4(b)";
  figure.problem.W << 11.5984, -0.910367, 2.44236, -0.910367, 9.90134, 1.95747, 2.44236, 1.95747, 2.59042;
  figure.problem.v = {-0.2619763355641, 0.38632872671081003, -0.8271741};
  figure.problem.friction = 0.4;
  figure.problem.restitution = 0.95;
  FigureCase leaving = figure;
  leaving.problem.v.z() = 1;
  const std::vector<ReportCase> cases = {{figure, R"({"name": "x", "status": "solved"})"}, {leaving, "{}"}};
  const std::string path = folder.path("impact.html");
  write_impact_report(path, kPage, cases);
  const Report report(read_file(path));
  EXPECT_EQ(report.header["kind"], "impact");
  ASSERT_EQ(report.header["cases"].size(), 2u);
  EXPECT_EQ(report.header["cases"][0]["name"], "Fig. 4(b)");
  EXPECT_EQ(report.header["cases"][0]["result"]["status"], "solved");
  EXPECT_EQ(report.header["cases"][0]["problem"]["W"][0][2], 2.44236);
  EXPECT_EQ(report.header["cases"][0]["path"], 0);
  EXPECT_TRUE(report.header["cases"][1]["path"].is_null());
  // v = v⁻ + W I at every sample.
  const auto samples = report.array<float>("hodograph_samples"), impulse = report.array<float>("hodograph_impulse");
  ASSERT_EQ(samples.size() / 5, impulse.size() / 3);
  ASSERT_LE(samples.size() / 5, 96u);
  for (std::size_t i = 0; i < impulse.size() / 3; ++i) {
    const Vec3 I(impulse[3 * i], impulse[3 * i + 1], impulse[3 * i + 2]);
    const Vec3 v = figure.problem.v + figure.problem.W * I;
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(samples[5 * i + static_cast<std::size_t>(k)], v(k), 1e-5);
  }
  const impact::ImpactResult result = impact::solve(figure.problem);
  EXPECT_NEAR(impulse[impulse.size() - 1], result.impulse.z(), 1e-6);
  EXPECT_EQ(report.array<float>("hodograph_rays").size() % 4, 0u);
  EXPECT_THROW(write_impact_report(path, kPage, std::vector<ReportCase>{{figure, "no JSON"}}), InvalidArgument);
}

}  // namespace
}  // namespace visviva::report
