#pragma once

#include <Eigen/Geometry>
#include <string>

#include "paper_lgvci_systems.hpp"
#include "visviva/report/line_figure.hpp"

namespace visviva::app::paper_lgvci {

/// A view without perspective: which world directions point right and up in the picture. Orthonormal.
struct View {
  Vec3 right, up;
  [[nodiscard]] Vec3 toward_viewer() const { return right.cross(up); }
  [[nodiscard]] Vec2 project(const Vec3& p) const { return {right.dot(p), up.dot(p)}; }
};

/// The body as seen: silhouette, and what shows its attitude: faces of a cube, visible principal sections of
/// ellipsoids.
[[nodiscard]] report::Picture body_picture(const System& system, const variational::BodyState& state, const View& view,
                                           std::string fill);

}  // namespace visviva::app::paper_lgvci
