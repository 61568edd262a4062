#include "paper_lgvci_picture.hpp"

#include <algorithm>

#include "visviva/math/elementary.hpp"

namespace visviva::app::paper_lgvci {

namespace {

using variational::BodyState;

constexpr int kPoints = 192;  // of a closed curve
constexpr Real kTurn = 6.283185307179586;
constexpr Real kSilhouette = 1.1, kSection = 0.5;  // widths [px]

/// Whether the part hides a body point from a viewer in the direction d: the ray from it meets the part.
bool hides(const EllipsoidPart& part, const Vec3& point, const Vec3& d) {
  const Vec3 q = (point - part.center).cwiseQuotient(part.semi_axes), w = d.cwiseQuotient(part.semi_axes);
  const Real s = std::max<Real>(0, -q.dot(w) / w.squaredNorm());
  return (q + s * w).squaredNorm() < 1 - 1e-6;
}

/// Body points t -> curve(t) of a part as lines: pieces that face the viewer and that no other part hides.
struct VisibleLines {
  const System& system;
  const BodyState& state;
  const View& view;
  report::Picture& picture;

  [[nodiscard]] Vec2 project(const Vec3& rho) const { return view.project(state.x + state.R * rho); }

  template <class Curve, class Faces>
  void add(const EllipsoidPart& part, Real width, Curve curve, Faces faces) const {
    const Vec3 d = state.R.transpose() * view.toward_viewer();
    report::PictureLine line{{}, width};
    const auto flush = [&] {
      if (line.points.size() > 1) picture.lines.push_back(line);
      line.points.clear();
    };
    for (int i = 0; i <= kPoints; ++i) {
      const Vec3 rho = curve(kTurn * i / kPoints);
      bool visible = faces(rho, d);
      for (const EllipsoidPart& other : system.ellipsoids)
        if (&other != &part && hides(other, rho, d)) visible = false;
      if (visible)
        line.points.push_back(project(rho));
      else
        flush();
    }
    flush();
  }
};

void add_ellipsoid(const EllipsoidPart& part, const VisibleLines& visible) {
  const Vec3 squares = part.semi_axes.cwiseProduct(part.semi_axes);
  // Silhouette: the support points of all directions of the picture plane.                          [lgvci (104)]
  const auto rim = [&](Real angle) -> Vec3 {
    const auto [sine, cosine] = sin_cos(angle);
    const Vec3 u = visible.state.R.transpose() * (cosine * visible.view.right + sine * visible.view.up);
    return part.center + squares.cwiseProduct(u) / part.semi_axes.cwiseProduct(u).norm();
  };
  std::vector<Vec2> area;
  for (int i = 0; i < kPoints; ++i) area.push_back(visible.project(rim(kTurn * i / kPoints)));
  visible.picture.areas.push_back(area);
  visible.add(part, kSilhouette, rim, [](const Vec3&, const Vec3&) { return true; });
  for (int k = 0; k < 3; ++k) {
    const auto section = [&, k](Real angle) -> Vec3 {
      const auto [sine, cosine] = sin_cos(angle);
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      return part.center + part.semi_axes[i] * cosine * Vec3::Unit(i) + part.semi_axes[j] * sine * Vec3::Unit(j);
    };
    visible.add(part, kSection, section,
                [&](const Vec3& rho, const Vec3& d) { return (rho - part.center).cwiseQuotient(squares).dot(d) > 0; });
  }
}

/// Where the surfaces of Case III meet: on the half of the second part that points to the first, which begins inside
/// it.
void add_seam(const EllipsoidPart& large, const EllipsoidPart& slim, const VisibleLines& visible) {
  const auto seam = [&](Real around) -> Vec3 {
    const SinCos turn = sin_cos(around);
    const auto surface = [&](Real from_axis) -> Vec3 {
      const SinCos tip = sin_cos(from_axis);
      return slim.center + slim.semi_axes.cwiseProduct(Vec3(tip.cos, tip.sin * turn.cos, tip.sin * turn.sin));
    };
    Real inside = 0, outside = 0.5 * kTurn;
    for (int i = 0; i < 30; ++i) {
      const Real middle = 0.5 * (inside + outside);
      const bool is_inside = (surface(middle) - large.center).cwiseQuotient(large.semi_axes).squaredNorm() < 1;
      (is_inside ? inside : outside) = middle;
    }
    return surface(outside);
  };
  // `add` asks for the other part only.
  visible.add(large, kSilhouette, seam, [&](const Vec3& rho, const Vec3& d) { return !hides(large, rho, d); });
}

void add_cube(const VisibleLines& visible) {
  for (int k = 0; k < 3; ++k)
    for (const Real side : {-1.0, 1.0}) {
      if (visible.view.toward_viewer().dot(visible.state.R.col(k)) * side <= 0) continue;
      std::vector<Vec2> face;
      for (const Vec2& at : {Vec2(-1, -1), Vec2(1, -1), Vec2(1, 1), Vec2(-1, 1)}) {
        Vec3 corner = Vec3::Zero();
        corner[k] = side;
        corner[(k + 1) % 3] = at.x();
        corner[(k + 2) % 3] = at.y();
        face.push_back(visible.project(kHalfSide * corner));
      }
      visible.picture.areas.push_back(face);
      face.push_back(face.front());
      visible.picture.lines.push_back({face, kSilhouette});
    }
}

}  // namespace

report::Picture body_picture(const System& system, const BodyState& state, const View& view, std::string fill) {
  report::Picture picture;
  picture.fill = std::move(fill);
  const VisibleLines visible{system, state, view, picture};
  for (const EllipsoidPart& part : system.ellipsoids) add_ellipsoid(part, visible);
  if (system.ellipsoids.size() == 2) add_seam(system.ellipsoids[0], system.ellipsoids[1], visible);
  if (system.ellipsoids.empty()) add_cube(visible);
  return picture;
}

}  // namespace visviva::app::paper_lgvci
