#include <ccd/ccd.h>

#include <limits>

#include "bench/collision/pair_engine.hpp"
#include "visviva/geometry/convex.hpp"

namespace visviva::bench {

namespace {

/// libccd brings no shapes: it asks for support functions, and gets ours.
struct Body {
  geometry::Convex set;
  Pose X;
};

void support(const void* object, const ccd_vec3_t* direction, ccd_vec3_t* point) {
  const Body& body = *static_cast<const Body*>(object);
  const Vec3 d(direction->v[0], direction->v[1], direction->v[2]);
  Vec3 p = body.X * body.set.support(body.X.R.transpose() * d);
  if (body.set.rounding() > 0) p += body.set.rounding() * d.normalized();
  ccdVec3Set(point, p.x(), p.y(), p.z());
}

class LibccdEngine : public PairEngine {
 public:
  LibccdEngine() {
    CCD_INIT(&settings_);
    settings_.support1 = support;
    settings_.support2 = support;
    settings_.max_iterations = 1000;
    settings_.epa_tolerance = 1e-6;  // its default; both as FCL sets them
  }
  std::string name() const override { return "libccd"; }
  /// It has no distance of separated sets.
  bool answers(PairQuery query) const override {
    return query == PairQuery::Penetration || query == PairQuery::Manifold;
  }
  bool take(std::span<const PairCase> cases) override {
    bodies_.clear();
    for (const PairCase& c : cases)
      bodies_.emplace_back(Body{geometry::Convex(c.a), c.X_WA}, Body{geometry::Convex(c.b), c.X_WB});
    return true;
  }
  Real distance(std::size_t i) override {
    ccd_real_t depth = 0;
    ccd_vec3_t direction, position;
    const int failed =
        ccdGJKPenetration(&bodies_[i].first, &bodies_[i].second, &settings_, &depth, &direction, &position);
    return failed == 0 ? -depth : std::numeric_limits<Real>::quiet_NaN();
  }
  Real manifold(std::size_t i) override { return distance(i); }  // one point is all it gives
  Real manifold_warm(std::size_t, std::size_t) override { return std::numeric_limits<Real>::quiet_NaN(); }
  Real time_of_impact(std::size_t) override { return std::numeric_limits<Real>::quiet_NaN(); }
  int points() const override { return 1; }

 private:
  ccd_t settings_{};
  std::vector<std::pair<Body, Body>> bodies_;
};

}  // namespace

std::unique_ptr<PairEngine> make_libccd_engine() { return std::make_unique<LibccdEngine>(); }

}  // namespace visviva::bench
