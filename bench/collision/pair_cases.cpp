#include "bench/collision/pair_cases.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <random>
#include <string_view>

#include "visviva/collision/distance.hpp"
#include "visviva/core/error.hpp"
#include "visviva/geometry/convex_hull.hpp"
#include "visviva/math/so3.hpp"

namespace visviva::bench {

namespace {

class CaseMaker {
 public:
  CaseMaker(const std::string& pair, std::uint64_t seed) : random_(seed) {
    const std::size_t dash = pair.find('-');
    a_ = pair.substr(0, dash);
    b_ = pair.substr(dash + 1);
  }

  /// In any attitudes.
  PairCase make(Real lowest, Real highest) {
    PairCase c{shape(a_), shape(b_), {rotation(), in_cube(1)}, {rotation(), {}}, {}, {}};
    place(c, Vec3::Zero(), unit(), uniform(lowest, highest));
    return c;
  }
  /// B lies on A, tilted by up to a thousandth and off its middle, as most contacts that last do.
  PairCase make_lying(Real lowest, Real highest) {
    PairCase c{shape(a_), shape(b_), {rotation(), in_cube(1)}, {}, {}, {}};
    c.X_WB.R = c.X_WA.R * exp_so3(in_cube(1e-3)) * exp_so3(Vec3(0, 0, uniform(-3, 3)));
    place(c, c.X_WA.R * Vec3(uniform(-0.2, 0.2), uniform(-0.2, 0.2), 0), c.X_WA.R.col(2), uniform(lowest, highest));
    return c;
  }
  void add_motions(PairCase& c) {
    for (Pose& X : c.near_X_WB) X = {exp_so3(in_cube(5e-5)) * c.X_WB.R, c.X_WB.p + in_cube(5e-5)};
    // From well outside, turning by about a radian.
    const Vec3 away = (c.X_WB.p - c.X_WA.p).normalized();
    c.start_X_WB = {exp_so3(in_cube(1)) * c.X_WB.R, c.X_WB.p + 3 * away};
  }

 private:
  Real uniform(Real low, Real high) { return low + (high - low) * (static_cast<Real>(random_() >> 11) * 0x1p-53); }
  Vec3 in_cube(Real half) { return {uniform(-half, half), uniform(-half, half), uniform(-half, half)}; }
  Vec3 unit() {
    for (;;) {
      const Vec3 v = in_cube(1);
      const Real length = v.norm();
      if (length < 1 && length > 0.1) return v / length;
    }
  }
  Mat3 rotation() { return exp_so3(uniform(0, 3.1) * unit()); }
  Real length() { return uniform(0.2, 1); }

  geometry::Shape shape(std::string_view kind) {
    if (kind == "sphere") return geometry::Sphere{length()};
    if (kind == "capsule") return geometry::Capsule{0.5 * length(), length()};
    if (kind == "cylinder") return geometry::Cylinder{length(), length()};
    if (kind == "cone") return geometry::Cone{length(), length()};
    if (kind == "box") return geometry::Box{{length(), length(), length()}};
    if (kind == "ellipsoid") return geometry::Ellipsoid{{length(), length(), length()}};
    if (kind == "hull20") return hull(20);
    if (kind == "hull100") return hull(100);
    require(false, "bench collision", "pair", "be of kinds that it knows", kind);
    return {};
  }
  /// All points are vertices: they lie on an ellipsoid.
  geometry::ConvexHull hull(int count) {
    const Vec3 axes(length(), length(), length());
    geometry::ConvexHull h;
    for (int i = 0; i < count; ++i) h.points.push_back(axes.cwiseProduct(unit()));
    return h;
  }

  /// Moves B, which starts at an offset from A, along a direction until the signed distance is `target`.
  static void place(PairCase& c, const Vec3& offset, const Vec3& direction, Real target) {
    const geometry::Convex A(c.a), B(c.b);
    Real low = 0, high = 8;
    for (int i = 0; i < 60; ++i) {
      const Real middle = 0.5 * (low + high);
      c.X_WB.p = c.X_WA.p + offset + middle * direction;
      (collision::distance(A, c.X_WA, B, c.X_WB).distance < target ? low : high) = middle;
    }
  }

  std::string a_, b_;
  std::mt19937_64 random_;
};

}  // namespace

const std::vector<std::string>& pair_names() {
  static const std::vector<std::string> names = {
      "box-box",    "hull20-hull20",   "hull100-hull100", "ellipsoid-ellipsoid", "capsule-hull20",    "sphere-sphere",
      "sphere-box", "capsule-capsule", "capsule-box",     "cylinder-box",        "cylinder-cylinder", "cone-hull20"};
  return names;
}

PairCases make_pair_cases(const std::string& pair, std::size_t count, std::uint64_t seed) {
  CaseMaker maker(pair, seed);
  PairCases cases{pair, {}, {}};
  for (std::size_t i = 0; i < count; ++i) {
    cases.separated.push_back(maker.make(0.001, 0.5));
    cases.overlapping.push_back(i % 2 == 0 ? maker.make(-0.05, -1e-4) : maker.make_lying(-0.01, -1e-4));
    maker.add_motions(cases.separated.back());
    maker.add_motions(cases.overlapping.back());
  }
  return cases;
}

}  // namespace visviva::bench
