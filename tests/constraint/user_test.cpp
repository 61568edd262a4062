#include "visviva/constraint/user.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "visviva/core/error.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::constraint {
namespace {

/// B is a blade along its x: no velocity along its y. Non-holonomic.
class KnifeEdge : public UserConstraint {
 public:
  int rows() const override { return 1; }
  void evaluate(const UserInput& input, std::span<Atom> atoms) override { atoms[0].J.v_b = input.B.place.X_W.R.col(1); }
};

/// Rows as told.
class Told : public UserConstraint {
 public:
  explicit Told(std::vector<Atom> atoms) : atoms_(std::move(atoms)) {}
  int rows() const override { return static_cast<int>(atoms_.size()); }
  void evaluate(const UserInput&, std::span<Atom> atoms) override {
    for (std::size_t i = 0; i < atoms.size(); ++i) atoms[i] = atoms_[i];
  }

 private:
  std::vector<Atom> atoms_;
};

TEST(UserConstraint, AKnifeEdgeIsOneRow) {
  KnifeEdge knife;
  UserInput input;
  input.B.place.X_W.R = exp_so3(Vec3(0, 0, 0.5));
  JointRows rows;
  EXPECT_FALSE(evaluate(knife, input, rows));
  EXPECT_EQ(rows.count, 1);
  EXPECT_EQ(rows.locked, 1);
  const Vec3 along = input.B.place.X_W.R.col(0), across = input.B.place.X_W.R.col(1);
  EXPECT_NEAR(velocity(rows.atoms[0], {}, {along, Vec3::Zero()}), 0, 1e-15);
  EXPECT_NEAR(velocity(rows.atoms[0], {}, {across, Vec3::Zero()}), 1, 1e-15);
  EXPECT_EQ(rows.atoms[0].error, 0);
}

TEST(UserConstraint, ALimitPushesOnly) {
  Atom limit;
  limit.role = AtomRole::Limit;
  Told told({limit});
  JointRows rows;
  EXPECT_FALSE(evaluate(told, {}, rows));
  EXPECT_EQ(rows.locked, 0);
  EXPECT_EQ(rows.atoms[0].lower, 0);
}

TEST(UserConstraint, AFaultIsToldAndItsRowsDoNothing) {
  const Atom good;
  Atom motor;
  motor.role = AtomRole::Motor;
  motor.lower = -1, motor.upper = 1;
  const auto fault_of = [](std::vector<Atom> atoms) {
    Told told(std::move(atoms));
    JointRows rows;
    const auto fault = evaluate(told, {}, rows);
    EXPECT_EQ(rows.count, told.rows());
    if (fault) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(rows.count); ++i) {
        EXPECT_EQ(rows.atoms[i].lower, 0);
        EXPECT_EQ(rows.atoms[i].upper, 0);
        EXPECT_EQ(velocity(rows.atoms[i], {Vec3::Ones(), Vec3::Ones()}, {}), 0);
      }
      EXPECT_EQ(rows.locked, 0);
    }
    return fault ? fmt::format("row {}: {}", fault->row, fault->what) : std::string();
  };
  EXPECT_EQ(fault_of({good, motor}), "");
  Atom bad = good;
  bad.kind = AtomKind::Generic;
  bad.J.w_b.x() = std::nan("");
  EXPECT_EQ(fault_of({good, bad}), "row 1: J is not finite");
  bad = good;
  bad.error = INFINITY;
  EXPECT_EQ(fault_of({bad}), "row 0: the error is not finite");
  bad = good;
  bad.bias = std::nan("");
  EXPECT_EQ(fault_of({bad}), "row 0: the bias is not finite");
  bad = motor;
  bad.lower = 2;
  EXPECT_EQ(fault_of({bad}), "row 0: the bounds are not in order");
  bad = motor;
  bad.spring.stiffness = -1;
  EXPECT_EQ(fault_of({bad}), "row 0: the spring is negative or not finite");
  bad = good;
  bad.upper = 3;
  EXPECT_EQ(fault_of({bad}), "row 0: a lock has bounds");
  bad = good;
  bad.spring.frequency = 3;
  EXPECT_EQ(fault_of({bad}), "row 0: a lock has a spring");
  EXPECT_EQ(fault_of({motor, good}), "row 1: a lock follows a row of another role");
  EXPECT_EQ(fault_of(std::vector<Atom>(7, good)), "row 6: there are more than 6 locks");
  bad = motor;
  bad.role = AtomRole::Limit;
  EXPECT_EQ(fault_of({bad}), "row 0: a limit pulls: its lower bound is below 0");
}

TEST(UserConstraint, TheNumberOfRowsIsChecked) {
  EXPECT_NO_THROW(validate(KnifeEdge()));
  EXPECT_THROW(validate(Told({})), InvalidArgument);
  EXPECT_THROW(validate(Told(std::vector<Atom>(kMaxAtoms + 1))), InvalidArgument);
}

}  // namespace
}  // namespace visviva::constraint
