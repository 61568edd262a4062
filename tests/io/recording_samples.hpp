#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "visviva/model/model.hpp"
#include "visviva/model/run.hpp"

// A model and a run of random numbers: a file format does not ask for physics.
namespace visviva::samples {

/// A directory of this test process.
inline std::filesystem::path scratch_directory() {
  static const std::filesystem::path directory = [] {
    const auto path = std::filesystem::temp_directory_path() / ("visviva_io_test_" + std::to_string(::getpid()));
    std::filesystem::create_directories(path);
    return path;
  }();
  return directory;
}
inline std::string scratch(const std::string& name) { return (scratch_directory() / name).string(); }

/// Removes the directory when the process ends that made it, and not when a child of it does.
class RemoveScratch : public ::testing::Environment {
 public:
  void TearDown() override {
    std::error_code ignored;
    std::filesystem::remove_all(scratch_directory(), ignored);
  }
};
inline ::testing::Environment* const kRemoveScratch = ::testing::AddGlobalTestEnvironment(new RemoveScratch);

inline std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

/// Random numbers of every size and sign.
inline Real any_number(std::mt19937_64& random) {
  const int exponent = static_cast<int>(random() % 600) - 300;
  return std::ldexp(static_cast<Real>(static_cast<std::int64_t>(random())), exponent);
}
inline Vec3 any_vector(std::mt19937_64& random) { return {any_number(random), any_number(random), any_number(random)}; }
inline Quaternion any_attitude(std::mt19937_64& random) {
  std::normal_distribution<Real> normal;
  return normalized({normal(random), normal(random), normal(random), normal(random)});
}

/// One static body with a plane, one kinematic, `dynamic` dynamic ones with odd names.
inline model::Model make_model(std::size_t dynamic, std::size_t joints = 0) {
  model::Model model;
  model.name = "samples, \"quoted\" µ";
  model.gravity = {0.5, -1, -9.25};
  model.duration = 12.5;
  model.materials = {
      {"default", 0.5, 0, {}, {}, {}},
      {"steel", 0.25, 0.875, model::RestitutionLaw::Newton, model::CombineRule::Product, model::CombineRule::Minimum}};
  model::BodyDesc ground;
  ground.name = "ground";
  ground.type = model::BodyType::Static;
  ground.shapes = {{"floor", geometry::Solid(geometry::Plane{}), 1}};
  model::BodyDesc belt;
  belt.name = "belt, moving";
  belt.type = model::BodyType::Kinematic;
  belt.shapes = {{"", geometry::Solid(geometry::Box{Vec3(1, 2, 3)}), 0}};
  model.bodies = {ground, belt};
  for (std::size_t i = 0; i < dynamic; ++i) {
    model::BodyDesc body;
    body.name = "body \"" + std::to_string(i) + "\"";
    body.X_WB = {rotation_from_quaternion({0.5, 0.5, 0.5, 0.5}), Vec3(static_cast<Real>(i), 0, 1)};
    body.mass = 2.5;
    body.center_of_mass = {0.125, 0.25, -0.5};
    body.inertia = Vec3(1, 2, 2.5).asDiagonal();
    body.velocity = {1, 2, 3};
    body.angular_velocity = {-1, 0.5, 0};
    body.shapes = {{"ball", geometry::Solid(geometry::Sphere{0.5}), 1}};
    model.bodies.push_back(body);
  }
  for (std::size_t i = 0; i < joints; ++i) {
    model::JointDesc joint{.name = "joint, " + std::to_string(i), .kind = static_cast<model::JointKind>(i % 20)};
    joint.body_a = i % 2 == 0 ? model::kWorldBody : 1;
    joint.body_b = 2;
    joint.X_AJ = {rotation_from_quaternion({0.5, -0.5, 0.5, 0.5}), Vec3(static_cast<Real>(i), 0.25, 1)};
    joint.X_BJ.p = {0, -1, 0.125};
    joint.axes[i % 6].motion = model::AxisMotion::Limited;
    joint.axes[i % 6].limit = {-0.5, 2};
    joint.length = {0.25, 4};
    joint.swing_limit = {0.5, 1};
    joint.break_force = 100 + static_cast<Real>(i);
    joint.wheels = {Vec3(1, 2, 3), Vec3(4, 5, 6)};
    joint.target = {7, 8, 9};
    for (std::size_t k = 0; k < i % 3; ++k) joint.path.emplace_back(static_cast<Real>(k), 1, 2);
    joint.closed_path = i % 2 == 1;
    model.joints.push_back(joint);
  }
  return model;
}

/// Numbers of single precision.
inline Vec3 any_floats(std::mt19937_64& random) {
  std::normal_distribution<float> normal;
  return {Real{normal(random)}, Real{normal(random)}, Real{normal(random)}};
}

/// The same for the same number of it, in every process.
inline model::Frame make_frame(std::size_t number, std::size_t bodies, std::size_t joints = 0) {
  std::mt19937_64 random(number);
  model::Frame frame;
  frame.time = static_cast<Real>(number) / 64;
  for (std::size_t b = 0; b < bodies; ++b)
    frame.bodies.push_back(
        {any_vector(random), any_attitude(random), any_vector(random), any_vector(random), random() % 2 == 0});
  for (std::size_t c = 0; c < number % 4; ++c)
    frame.contacts.push_back({static_cast<std::uint32_t>(random() % 3), static_cast<std::uint32_t>(random() % 3),
                              any_vector(random), any_floats(random), any_floats(random)});
  frame.contact_points = static_cast<std::uint32_t>(frame.contacts.size() + number % 5);
  for (std::size_t j = 0; j < joints; ++j)
    frame.joints.push_back({any_vector(random),
                            any_vector(random),
                            {any_number(random), j % 2 == 0 ? model::kUnknown : any_number(random)},
                            any_number(random),
                            any_number(random),
                            random() % 2 == 0});
  return frame;
}
inline model::Energies make_energies(std::size_t number) {
  std::mt19937_64 random(number + 1'000'000);
  model::Energies energies{static_cast<Real>(number) / 64, any_number(random), any_number(random), any_number(random)};
  energies.impact_loss = any_number(random);
  energies.rest_loss = any_number(random);
  energies.guided_work = any_number(random);
  energies.penetration = any_number(random);
  model::EnergyWork& work = energies.work;
  for (Real* entry : {&work.friction, &work.restitution, &work.contacts, &work.stabilisation, &work.damping,
                      &work.applied, &work.integrator, &work.joints, &work.motors, &work.springs, &work.breaking})
    *entry = any_number(random);
  energies.contacts = any_number(random);
  energies.awake = any_number(random);
  energies.bonds = any_number(random);
  energies.utilisation = any_number(random);
  return energies;
}
inline model::Event make_event(std::size_t number) {
  std::mt19937_64 random(number + 2'000'000);
  model::Event event;
  event.time = any_number(random);
  event.kind = static_cast<model::EventKind>(number % 7);
  event.body_a = number % 3 == 0 ? model::kNoBody : 0;
  event.body_b = 1;
  event.point = any_vector(random);
  event.normal = any_vector(random);
  event.impulse = any_vector(random);
  event.energy_lost = any_number(random);
  for (Real& w : event.W.reshaped()) w = any_number(random);
  event.v = any_vector(random);
  event.friction = any_number(random);
  event.restitution = any_number(random);
  event.law = static_cast<model::RestitutionLaw>(number % 3);
  event.joint = number % 2 == 0 ? model::kNoJoint : static_cast<std::uint32_t>(number);
  event.force = any_vector(random);
  event.torque = any_vector(random);
  return event;
}

// --- Equality bit for bit: -0 is not 0, and NaN is NaN.

inline bool same(Real a, Real b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }
template <class T>
bool same_matrix(const T& a, const T& b) {
  for (Eigen::Index i = 0; i < a.size(); ++i)
    if (!same(a(i), b(i))) return false;
  return true;
}
inline bool same(const model::Frame& a, const model::Frame& b) {
  if (!same(a.time, b.time) || a.bodies.size() != b.bodies.size()) return false;
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    const model::BodyFrame &p = a.bodies[i], &q = b.bodies[i];
    if (!same_matrix(p.x, q.x) || !same_matrix(p.v, q.v) || !same_matrix(p.w, q.w) ||
        !same_matrix(p.q.coefficients(), q.q.coefficients()) || p.asleep != q.asleep)
      return false;
  }
  if (a.contact_points != b.contact_points || a.contacts.size() != b.contacts.size()) return false;
  for (std::size_t i = 0; i < a.contacts.size(); ++i) {
    const model::ContactPoint &p = a.contacts[i], &q = b.contacts[i];
    if (p.body_a != q.body_a || p.body_b != q.body_b || !same_matrix(p.point, q.point) ||
        !same_matrix(p.normal, q.normal) || !same_matrix(p.force, q.force))
      return false;
  }
  if (a.joints.size() != b.joints.size()) return false;
  for (std::size_t i = 0; i < a.joints.size(); ++i) {
    const model::JointFrame &p = a.joints[i], &q = b.joints[i];
    if (!same_matrix(p.force, q.force) || !same_matrix(p.torque, q.torque) || p.broken != q.broken ||
        !same(p.error, q.error) || !same(p.angular_error, q.angular_error) ||
        !same(p.coordinates[0], q.coordinates[0]) || !same(p.coordinates[1], q.coordinates[1]))
      return false;
  }
  return true;
}
inline bool same(const model::EnergyWork& a, const model::EnergyWork& b) {
  return same(a.friction, b.friction) && same(a.restitution, b.restitution) && same(a.contacts, b.contacts) &&
         same(a.stabilisation, b.stabilisation) && same(a.damping, b.damping) && same(a.applied, b.applied) &&
         same(a.integrator, b.integrator) && same(a.joints, b.joints) && same(a.motors, b.motors) &&
         same(a.springs, b.springs) && same(a.breaking, b.breaking);
}
inline bool same(const model::Energies& a, const model::Energies& b) {
  return same(a.time, b.time) && same(a.kinetic_translation, b.kinetic_translation) &&
         same(a.kinetic_rotation, b.kinetic_rotation) && same(a.potential, b.potential) &&
         same(a.impact_loss, b.impact_loss) && same(a.rest_loss, b.rest_loss) && same(a.guided_work, b.guided_work) &&
         same(a.penetration, b.penetration) && same(a.work, b.work) && same(a.contacts, b.contacts) &&
         same(a.awake, b.awake) && same(a.bonds, b.bonds) && same(a.utilisation, b.utilisation);
}
inline bool same(const model::Event& a, const model::Event& b) {
  return same(a.time, b.time) && a.kind == b.kind && a.body_a == b.body_a && a.body_b == b.body_b &&
         same_matrix(a.point, b.point) && same_matrix(a.normal, b.normal) && same_matrix(a.impulse, b.impulse) &&
         same(a.energy_lost, b.energy_lost) && same_matrix(a.W.reshaped().eval(), b.W.reshaped().eval()) &&
         same_matrix(a.v, b.v) && same(a.friction, b.friction) && same(a.restitution, b.restitution) &&
         a.law == b.law && a.joint == b.joint && same_matrix(a.force, b.force) && same_matrix(a.torque, b.torque);
}

}  // namespace visviva::samples
