#include "visviva/model/rope.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <functional>

#include "visviva/core/error.hpp"

namespace visviva::model {
namespace {

const Real kNaN = std::nan("");

RopeDesc rope_of(const Vec3& to, Real length = 0) {
  RopeDesc rope;
  rope.name = "r";
  rope.path = {Vec3::Zero(), to};
  rope.length = length;
  return rope;
}

TEST(RopeDesc, BadOnesAreRefusedByName) {
  const auto expect_refused = [](const char* field, const std::function<void(RopeDesc&)>& spoil) {
    RopeDesc rope = rope_of(Vec3(2, 0, 0));
    spoil(rope);
    try {
      static_cast<void>(lay_rope(rope));
      ADD_FAILURE() << "bad " << field << " accepted";
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.object(), rope.name.empty() ? "rope ''" : "rope 'r'");
      EXPECT_EQ(error.field(), field) << error.what();
    }
  };
  expect_refused("name", [](RopeDesc& r) { r.name = ""; });
  expect_refused("path", [](RopeDesc& r) { r.path.pop_back(); });
  expect_refused("path.1", [](RopeDesc& r) { r.path[1].y() = kNaN; });
  expect_refused("path.2", [](RopeDesc& r) { r.path.push_back(r.path[1]); });
  expect_refused("length", [](RopeDesc& r) { r.path[1] = r.path[0]; });
  expect_refused("length", [](RopeDesc& r) { r.length = 1.9; });  // shorter than its span
  expect_refused("length", [](RopeDesc& r) { r.length = kNaN; });
  expect_refused("length", [](RopeDesc& r) { r.length = -1; });
  expect_refused("length", [](RopeDesc& r) {
    r.path.push_back(Vec3(2, 1, 0));
    r.length = 4;
  });
  expect_refused("hangs_along", [](RopeDesc& r) { r.hangs_along.setZero(); });
  for (const int segments : {-1, 0, 1, 10001}) expect_refused("segments", [&](RopeDesc& r) { r.segments = segments; });
  for (const Real bad : {0.0, -1.0, kNaN, kUnbounded}) expect_refused("radius", [&](RopeDesc& r) { r.radius = bad; });
  for (const Real bad : {0.0, -1.0, kNaN}) {
    expect_refused("density", [&](RopeDesc& r) { r.density = bad; });
    expect_refused("stretch_stiffness", [&](RopeDesc& r) { r.stretch_stiffness = bad; });
    expect_refused("break_force", [&](RopeDesc& r) { r.break_force = bad; });
  }
  for (const Real bad : {-1.0, kNaN}) {
    expect_refused("mass_per_length", [&](RopeDesc& r) { r.mass_per_length = bad; });
    expect_refused("bend_stiffness", [&](RopeDesc& r) { r.bend_stiffness = bad; });
    expect_refused("twist_stiffness", [&](RopeDesc& r) { r.twist_stiffness = bad; });
    expect_refused("bend_damping", [&](RopeDesc& r) { r.bend_damping = bad; });
    expect_refused("linear_damping", [&](RopeDesc& r) { r.linear_damping = bad; });
  }
  expect_refused("rest_curvature", [](RopeDesc& r) { r.rest_curvature.x() = kNaN; });
  expect_refused("rest_curvature", [](RopeDesc& r) {
    r.rest_curvature.x() = 1;
    r.rest_as_laid = true;
  });
  for (const Real bad : {-0.1, 2.1, kNaN})
    expect_refused("attachments.0.at", [&](RopeDesc& r) { r.attachments.push_back({.at = bad}); });
  for (const Real bad : {0.0, 2.0, kNaN})
    expect_refused("cuts.0.at", [&](RopeDesc& r) { r.cuts.push_back({.time = 1, .at = bad}); });
  expect_refused("cuts.0.time", [](RopeDesc& r) { r.cuts.push_back({.time = -1, .at = 1}); });
}

TEST(RopeDesc, AMessageReadsAsASentence) {
  try {
    validate(rope_of(Vec3(2, 0, 0), 1.5));
    FAIL() << "accepted";
  } catch (const InvalidArgument& error) {
    EXPECT_STREQ(error.what(), "rope 'r': length must be at least the 2 m of its path, got 1.5");
  }
}

// Links of one length, from end to end, of the rope's mass; on the path or hanging.
TEST(LaidRope, HasEqualSegmentsFromEndToEnd) {
  std::vector<RopeDesc> ropes = {rope_of(Vec3(2, 0, 0)), rope_of(Vec3(1, 2, 3), 5), rope_of(Vec3(0, 0, 1), 4.5),
                                 rope_of(Vec3(0, 0, -3), 3)};
  ropes.push_back(rope_of(Vec3(1, 0, 0)));
  ropes.back().path = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0.9, 0, 0.2), Vec3(0.9, 0, -1)};
  for (RopeDesc& rope : ropes) {
    rope.segments = 25;
    rope.mass_per_length = 2;
    const RopeParts parts = lay_rope(rope);
    ASSERT_EQ(parts.nodes.size(), 26u);
    ASSERT_EQ(parts.segments.size(), 25u);
    ASSERT_EQ(parts.joints.size(), 24u);
    EXPECT_LT((parts.nodes.front() - rope.path.front()).norm(), 1e-12);
    EXPECT_LT((parts.nodes.back() - rope.path.back()).norm(), 1e-8);
    Real mass = 0;
    for (std::size_t i = 0; i < 25; ++i) {
      EXPECT_NEAR((parts.nodes[i + 1] - parts.nodes[i]).norm(), parts.segment_length, 1e-9);
      const BodyDesc& body = parts.segments[i];
      mass += body.mass;
      EXPECT_LT((body.X_WB * Vec3(0, 0, parts.segment_length / 2) - parts.nodes[i + 1]).norm(), 1e-8);
      EXPECT_NEAR(body.X_WB.R.determinant(), 1, 1e-12);
    }
    EXPECT_NEAR(mass, 2 * 25 * parts.segment_length, 1e-9);
    if (rope.length > 0) {
      EXPECT_NEAR(25 * parts.segment_length, rope.length, 1e-8);
    }
  }
}

TEST(PlaceOnRope, IsOnTheSegmentBeforeANode) {
  EXPECT_EQ(place_on_rope(0, 0.1, 10).segment, 0u);
  EXPECT_NEAR(place_on_rope(0, 0.1, 10).z, -0.05, 1e-15);
  EXPECT_TRUE(place_on_rope(0, 0.1, 10).is_end);
  EXPECT_EQ(place_on_rope(0.3, 0.1, 10).segment, 2u);
  EXPECT_NEAR(place_on_rope(0.3, 0.1, 10).z, 0.05, 1e-12);
  EXPECT_FALSE(place_on_rope(0.3, 0.1, 10).is_end);
  EXPECT_EQ(place_on_rope(0.37, 0.1, 10).segment, 3u);
  EXPECT_NEAR(place_on_rope(0.37, 0.1, 10).z, 0.02, 1e-12);
  EXPECT_EQ(place_on_rope(1, 0.1, 10).segment, 9u);
  EXPECT_TRUE(place_on_rope(1, 0.1, 10).is_end);
}

TEST(AddedRope, IsAPartOfTheModel) {
  Model model;
  BodyDesc load;
  load.name = "load";
  load.X_WB.p = Vec3(2, 0, -0.5);
  model.bodies.push_back(load);
  RopeDesc rope = rope_of(Vec3(2, 0, 0));
  rope.segments = 8;
  rope.attachments = {{.at = 0}, {.at = 2, .body = 0}};
  add_rope(model, rope);
  EXPECT_TRUE(find_faults(model).empty());
  ASSERT_EQ(model.bodies.size(), 9u);
  ASSERT_EQ(model.joints.size(), 9u);
  ASSERT_EQ(model.ropes.size(), 1u);
  EXPECT_EQ(model.ropes[0].first_body, 1u);
  EXPECT_EQ(model.bodies[1].name, "r[0]");
  EXPECT_EQ(model.joints[7].body_b, kWorldBody);
  EXPECT_EQ(model.joints[8].body_a, 8u);
  EXPECT_LT((model.joints[8].X_BJ.p - Vec3(0, 0, 0.5)).norm(), 1e-12);
  rope.attachments = {{.at = 0, .body = 9}};
  EXPECT_THROW(add_rope(model, rope), InvalidArgument);
}

}  // namespace
}  // namespace visviva::model
