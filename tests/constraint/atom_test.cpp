#include "visviva/constraint/atom.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>

#include "visviva/core/error.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::constraint {
namespace {

class Draw {
 public:
  Vec3 vector(Real size = 1) {
    const Real x = uniform_(random_), y = uniform_(random_);
    return size * Vec3(x, y, uniform_(random_));
  }
  Atom atom(AtomKind kind) {
    Atom atom;
    atom.kind = kind;
    atom.d = vector().normalized();
    if (kind == AtomKind::Linear) {
      atom.ra = vector(2);
      atom.rb = vector(2);
    }
    return atom;
  }
  SideMotion motion() {
    const Vec3 v = vector(3);
    return {v, vector(3)};
  }
  SideMass mass() {
    Mat3 root;
    for (int i = 0; i < 3; ++i) root.col(i) = vector();
    return {Vec3::Constant(0.1) + vector().cwiseAbs(), root * root.transpose() + 0.1 * Mat3::Identity()};
  }

 private:
  std::mt19937 random_{20261118};
  std::uniform_real_distribution<Real> uniform_{-1, 1};
};

/// Central difference at t = 0 of a function of time, error O(h²).
template <class F>
Real rate(F&& f) {
  constexpr Real kH = 1e-5;
  return (f(kH) - f(-kH)) / (2 * kH);
}

// The distance of the anchors along d, while both bodies move.
TEST(Atom, LinearVelocityIsTheRateOfTheDistanceAlongIt) {
  Draw draw;
  for (int i = 0; i < 100; ++i) {
    const Atom atom = draw.atom(AtomKind::Linear);
    const SideMotion A = draw.motion(), B = draw.motion();
    const Vec3 x_a = draw.vector(), x_b = draw.vector();
    const auto anchor = [](const Vec3& x, const SideMotion& u, const Vec3& r, Real t) {
      return Vec3(x + t * u.v + exp_so3(t * u.w) * r);
    };
    const Real expected =
        rate([&](Real t) { return atom.d.dot(anchor(x_b, B, atom.rb, t) - anchor(x_a, A, atom.ra, t)); });
    EXPECT_NEAR(velocity(atom, A, B), expected, 1e-7);  // third derivatives up to 3³·2·2, times h²/6
    const JacobianRow J = jacobian(atom);
    EXPECT_NEAR(J.v_a.dot(A.v) + J.w_a.dot(A.w) + J.v_b.dot(B.v) + J.w_b.dot(B.w), velocity(atom, A, B), 1e-13);
  }
}

// The turn of B relative to A about d, from where they are alike.
TEST(Atom, AngularVelocityIsTheRateOfTheTurnAboutIt) {
  Draw draw;
  for (int i = 0; i < 100; ++i) {
    const Atom atom = draw.atom(AtomKind::Angular);
    const SideMotion A = draw.motion(), B = draw.motion();
    const Real expected =
        rate([&](Real t) { return atom.d.dot(log_so3(exp_so3(t * B.w) * exp_so3(t * A.w).transpose())); });
    EXPECT_NEAR(velocity(atom, A, B), expected, 1e-7);
    const JacobianRow J = jacobian(atom);
    EXPECT_NEAR(J.w_a.dot(A.w) + J.w_b.dot(B.w), velocity(atom, A, B), 1e-13);
    EXPECT_TRUE(J.v_a.isZero(0) && J.v_b.isZero(0));
  }
}

// An impulse of atom k, given to the bodies, changes the velocity of atom i by the response.
TEST(Atom, ResponseIsWhatAnImpulseDoes) {
  Draw draw;
  for (int i = 0; i < 200; ++i) {
    const Atom a = draw.atom(i % 2 == 0 ? AtomKind::Linear : AtomKind::Angular);
    const Atom k = draw.atom(i % 3 == 0 ? AtomKind::Linear : AtomKind::Angular);
    const SideMass A = draw.mass(), B = draw.mass();
    const SideMotion u_a = draw.motion(), u_b = draw.motion();
    const Real impulse = 0.7;
    SideMotion v_a = u_a, v_b = u_b;
    if (k.kind == AtomKind::Linear) {
      v_a.v -= A.inverse_mass.cwiseProduct(impulse * k.d);
      v_b.v += B.inverse_mass.cwiseProduct(impulse * k.d);
    }
    const Vec3 arm_a = k.kind == AtomKind::Linear ? Vec3(k.ra.cross(k.d)) : k.d;
    const Vec3 arm_b = k.kind == AtomKind::Linear ? Vec3(k.rb.cross(k.d)) : k.d;
    v_a.w -= A.inverse_inertia * (impulse * arm_a);
    v_b.w += B.inverse_inertia * (impulse * arm_b);
    EXPECT_NEAR(response(a, k, A, B), (velocity(a, v_a, v_b) - velocity(a, u_a, u_b)) / impulse, 1e-12);
    EXPECT_NEAR(response(a, k, A, B), response(k, a, A, B), 1e-13) << "symmetric";
    EXPECT_NEAR(effective_mass(a, A, B) * response(a, a, A, B), 1, 1e-14);
  }
}

TEST(Atom, NothingThatCanMoveHasNoMass) {
  Draw draw;
  EXPECT_EQ(effective_mass(draw.atom(AtomKind::Linear), {}, {}), 0);
  EXPECT_EQ(effective_mass(draw.atom(AtomKind::Angular), {}, {}), 0);
}

// One step of a mass on a spring and a damper, forces taken at its end.
TEST(Softness, IsADampedSpringAtTheEndOfTheStep) {
  constexpr Real kPi = 3.14159265358979323846;
  for (const Real frequency : {0.5, 30.0})
    for (const Real ratio : {0.2, 1.0, 5.0}) {
      const Real h = 1.0 / 480, m = 3, s = -0.02, v = -0.4, omega = 2 * kPi * frequency;
      const Softness soft = make_softness(frequency, ratio, h);
      const Real impulse = -(soft.mass_scale * m * (v + soft.bias_rate * s) + soft.impulse_scale * 0);
      const Real v_end = v + impulse / m, s_end = s + h * v_end;
      EXPECT_NEAR(impulse, -h * (m * omega * omega * s_end + 2 * ratio * m * omega * v_end), 1e-13);
      // A second pass, from the impulse so far, changes nothing.
      EXPECT_NEAR(soft.mass_scale * m * (v_end + soft.bias_rate * s) + soft.impulse_scale * impulse, 0, 1e-13);
    }
  EXPECT_THROW(static_cast<void>(make_softness(0, 1, 0.01)), InvalidArgument);
}

TEST(Atom, WhatCannotBeIsRefusedByName) {
  Atom atom;
  EXPECT_NO_THROW(validate(atom));
  const auto refused = [](const Atom& bad, const char* field) {
    try {
      validate(bad, "hinge");
      ADD_FAILURE() << field << " accepted";
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.object(), "hinge");
      EXPECT_EQ(error.field(), field);
    }
  };
  Atom bad = atom;
  bad.d = Vec3(0, 0, 2);
  refused(bad, "direction");
  bad = atom;
  bad.rb.x() = std::nan("");
  refused(bad, "anchors");
  bad = atom;
  bad.lower = 1, bad.upper = -1;
  refused(bad, "lower bound");
  bad = atom;
  bad.softness.mass_scale = 0;
  refused(bad, "mass_scale");
}

}  // namespace
}  // namespace visviva::constraint
