#pragma once

#include <functional>
#include <variant>
#include <vector>

#include "visviva/geometry/convex.hpp"
#include "visviva/geometry/shapes.hpp"
#include "visviva/geometry/solid.hpp"
#include "visviva/math/types.hpp"

namespace visviva::variational {

/// Where a body comes nearest to a plane, and how that distance changes with the configuration.
struct NearestPoint {
  Vec3 rho = Vec3::Zero();      ///< ρ_C, body frame, rounding included [m]                       [lgvci (88), (92)]
  Vec3 dPhi_dx = Vec3::Zero();  ///< n                                                            [lgvci (90)]
  Mat3 dPhi_dR =
      Mat3::Zero();  ///< n ρ_Cᵀ; the text's n·R ∂ρ_C/∂R vanishes                      [lgvci (85), (90), (94)]
  Vec3 chi = Vec3::Zero();  ///< ρ_C × Rᵀn, so that dΦ/dt = n·ẋ + χ·Ω [m]                     [lgvci (55)]
};

/// χ from the rows of R and of ∂Φ/∂R, as the text defines it.                                      [lgvci (55)]
[[nodiscard]] Vec3 chi_from_rows(const Mat3& R, const Mat3& dPhi_dR);

/// Collision detection function Φ(x, R) of a body over a plane: the signed distance of its nearest point. The body is
/// a union of convex pieces given in the frame B of the body, whose origin is its centre of mass; a union's Φ is the
/// least of its pieces' (95). The plane is { z : n·z = offset }, the text's P(n, D) with D = −offset (12).
class Detection {
 public:
  /// A body without pieces; add them below. Throws InvalidArgument unless the normal is a unit vector.
  explicit Detection(const geometry::Plane& plane = {});

  /// The ellipsoid {c + R_BE z : f_E(z) <= 1}.                                                     [lgvci (16), (84)]
  Detection& add_ellipsoid(const Vec3& semi_axes, const Vec3& center = Vec3::Zero(),
                           const Mat3& R_BE = Mat3::Identity());
  /// The convex hull of the vertices and a ball of radius ε around each of its points.             [lgvci (93)]
  Detection& add_polytope(const std::vector<Vec3>& vertices, Real rounding = 0);
  /// Any bounded convex set by its support function.                                               [lgvci (88), (89)]
  Detection& add_convex(const geometry::Convex& convex);
  /// A smooth convex body by a function that gives its farthest point along a direction, within `radius` of the
  /// origin.
  Detection& add_support(std::function<Vec3(const Vec3& direction)> support, Real radius);

  /// Φ [m].
  [[nodiscard]] Real phi(const Vec3& x, const Mat3& R) const {
    return plane_.normal.dot(x) - plane_.offset - reach(-(R.transpose() * plane_.normal));
  }
  /// Of several equally near points one, always the same.
  [[nodiscard]] NearestPoint nearest(const Mat3& R) const;
  /// Derivatives at a given body point.
  [[nodiscard]] NearestPoint at_point(const Mat3& R, const Vec3& rho) const;

  /// Support function of the body: the greatest d·ρ over its points ρ. d need not be unit.
  [[nodiscard]] Real reach(const Vec3& d) const {
    if (single_aligned_ellipsoid_) return aligned_.cwiseProduct(d).norm();  // ‖I_E d‖
    return reach_of_pieces(d);
  }
  /// The point that reaches farthest along d.
  [[nodiscard]] Vec3 support(const Vec3& d) const;

  struct Touching {
    Vec3 rho = Vec3::Zero();  ///< mean of the touching points that close, body frame
    int points = 0;           ///< how many; 0: none closes
  };
  /// All points of the body within `slack` of the nearest that approach the plane, where a body point ρ approaches at
  /// n·v + (ρ × Rᵀn)·Ω. A body that lands flat touches in many points at once; their mean favours none of them.
  [[nodiscard]] Touching closing_points(const Mat3& R, const Vec3& v, const Vec3& Omega, Real slack) const;

  /// d/dt of ρ_C while the body turns with Ω (body frame): how the nearest point wanders over the surface [m/s].
  [[nodiscard]] Vec3 nearest_point_rate(const Mat3& R, const Vec3& Omega) const;

  [[nodiscard]] const geometry::Plane& plane() const { return plane_; }
  [[nodiscard]] Real radius() const { return radius_; }  ///< no point is farther from the centre of mass [m]

 private:
  struct EllipsoidPiece {
    Vec3 center, semi_axes;
    Mat3 R_BE;
  };
  struct PolytopePiece {
    std::vector<Vec3> vertices;
    Real rounding;
  };
  struct SupportPiece {
    std::function<Vec3(const Vec3&)> support;
  };
  using Piece = std::variant<EllipsoidPiece, PolytopePiece, geometry::Convex, SupportPiece>;

  static Vec3 support_of(const Piece& piece, const Vec3& d);
  static Real reach_of(const Piece& piece, const Vec3& d);
  [[nodiscard]] const Piece& farthest_piece(const Vec3& d) const;
  [[nodiscard]] Real reach_of_pieces(const Vec3& d) const;
  Detection& add(Piece piece, Real radius);

  geometry::Plane plane_;
  std::vector<Piece> pieces_;
  Real radius_ = 0;
  bool single_aligned_ellipsoid_ = false;  // the case worth a shortcut, with these semi-axes:
  Vec3 aligned_ = Vec3::Zero();
};

/// Of a solid over a plane: closed forms for what has them, support functions for the rest, intersections done right.
/// Throws InvalidArgument for what has no convex pieces, giving the reason.
[[nodiscard]] Detection make_detection(const geometry::Solid& solid, const geometry::Plane& plane);

/// The farthest point along `direction` of a convex body that is known by its signed distance ψ and ∇ψ only: the
/// solution of ∇ψ(z) = direction on ψ = 0 (Remark 6.2), by the proximal point iteration z <- nearest point of
/// z + s·direction. `psi(z)` returns the pair {ψ, ∇ψ}; it must be the true distance outside. `size` is the body's
/// largest extent [m].                                                                              [lgvci (88)]
[[nodiscard]] Vec3 support_from_signed_distance(const std::function<std::pair<Real, Vec3>(const Vec3&)>& psi,
                                                const Vec3& direction, Real size);

}  // namespace visviva::variational
