#include <algorithm>
#include <cmath>

#include "compiled_solid.hpp"
#include "quadrature.hpp"
#include "slice.hpp"
#include "visviva/core/error.hpp"
#include "volume_moments.hpp"

// Problem:  ∫dV, ∫r dV, ∫rrᵀdV over a tree of shapes, to a relative tolerance.
// Method:   plane cuts x = const, each to rounding (slice.hpp), summed by Gauss-Kronrod rules. The
//           range of x is split where a single shape changes its cut (ends, rims, vertices) and
//           where the cuts show different topologies, found by bisection. Between these places the
//           cut is analytic in x, and square roots at the ends are taken away by SmoothEnds. The
//           worst parts are halved until the sum of the estimates is small enough.
// Stops:    at the tolerance, or at max_slices; the result says which.
namespace visviva::geometry {
namespace {

/// V, X, Y, Z, XX, YY, ZZ, XY, YZ, ZX, and the integral of the slices' own error estimates.
using Sums = Eigen::Array<Real, 11, 1>;

Sums slice_sums(const SliceMoments& slice, Real x) {
  const auto& m = slice.value;
  Sums sums;
  sums << m[0], x * m[0], m[1], m[2], x * x * m[0], m[3], m[4], x * m[1], m[5], x * m[2], slice.error;
  return sums;
}

/// The part [t_low, t_high] of a panel.
struct Part {
  SmoothEnds ends;
  Real t_low, t_high;
  QuadratureResult<Sums> integral;
};

/// Two round surfaces that sink into each other by w cross over a length of √w and share a volume
/// of about w², in units of their size. For that volume to stay below the tolerance when no cut
/// falls into the overlap, cuts must not lie further apart than tolerance^(1/4). Within a panel
/// they lie up to 0.11 of its width apart.
Real widest_panel(Real tolerance) { return std::sqrt(std::sqrt(tolerance)) / 0.11; }

std::vector<SmoothEnds> initial_panels(const std::vector<Real>& features, Real tolerance) {
  std::vector<SmoothEnds> panels;
  // A mesh may have very many vertices: then the halving finds those that matter.
  constexpr std::size_t kMaxFeatures = 400;
  const std::size_t stride = 1 + features.size() / kMaxFeatures;
  Real low = features.front();
  for (std::size_t i = 1; i < features.size(); ++i) {
    const Real high = features[i];
    if (high - low <= 1e-14 || (i % stride != 0 && i + 1 != features.size())) continue;
    const int pieces = static_cast<int>(std::ceil((high - low) / widest_panel(tolerance)));
    for (int k = 0; k < pieces; ++k)
      panels.push_back({low + (high - low) * k / pieces, low + (high - low) * (k + 1) / pieces});
    low = high;
  }
  return panels;
}

class Integrator {
 public:
  Integrator(const CompiledSolid& solid, const IntegrationSettings& settings)
      : solid_(solid), settings_(settings), slicer_(solid, std::max(0.02 * settings.tolerance, 1e-14)) {}

  void run() {
    for (const SmoothEnds& ends : initial_panels(solid_.features, settings_.tolerance)) add_panel(ends, 0);
    for (sum(); error_ > settings_.tolerance * sums_[0] && halve_worst();) sum();
  }

  [[nodiscard]] const Sums& sums() const { return sums_; }
  [[nodiscard]] Real error() const { return error_; }  ///< absolute
  [[nodiscard]] int slices() const { return slices_; }
  [[nodiscard]] std::int64_t lines() const { return slicer_.lines(); }

 private:
  struct Sample {
    Real x;
    std::uint64_t topology;
  };

  Part integrate(const SmoothEnds& ends, Real t_low, Real t_high) {
    samples_.clear();
    slices_ += 21;
    const auto f = [this](Real x) {
      const SliceMoments slice = slicer_.moments(x);
      samples_.push_back({x, slice.topology});
      return slice_sums(slice, x);
    };
    return {ends, t_low, t_high, gauss_kronrod<Sums>(ends, t_low, t_high, f)};
  }

  /// Adds the panel, or the pieces of it between places where the topology changes.
  void add_panel(const SmoothEnds& ends, int generation) {
    const Part part = integrate(ends, -1, 1);
    std::vector<Real> cuts = find_changes(ends.high - ends.low, generation);
    if (cuts.empty()) return parts_.push_back(part);
    cuts.insert(cuts.begin(), ends.low);
    cuts.push_back(ends.high);
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
      if (cuts[i] < cuts[i + 1]) add_panel({cuts[i], cuts[i + 1]}, generation + 1);
  }

  /// Places between neighbouring samples of different topology, one for each such pair; if there are more, the next
  /// generation of panels finds them. Many changes in what was already split, or in a sliver, are rounding.
  std::vector<Real> find_changes(Real width, int generation) {
    constexpr int kMaxGeneration = 4;
    constexpr int kManyChanges = 5;
    constexpr Real kSliver = 1e-9;
    std::sort(samples_.begin(), samples_.end(), [](const Sample& p, const Sample& q) { return p.x < q.x; });
    std::vector<Real> changes;
    int count = 0;
    for (std::size_t i = 0; i + 1 < samples_.size(); ++i)
      if (samples_[i].topology != samples_[i + 1].topology) ++count;
    if (generation == kMaxGeneration || width < kSliver || (generation > 0 && count >= kManyChanges)) return changes;
    for (std::size_t i = 0; i + 1 < samples_.size() && slices_ < settings_.max_slices; ++i)
      if (samples_[i].topology != samples_[i + 1].topology)
        changes.push_back(find_change(samples_[i], samples_[i + 1].x));
    return changes;
  }

  /// Bisection to the last bit between a sample and an x with another topology.
  Real find_change(const Sample& sample, Real x_other) {
    Real x_same = sample.x;
    for (;;) {
      const Real x = 0.5 * (x_same + x_other);
      if (!(x > x_same && x < x_other) || x_other - x_same < 1e-15) return x_other;
      ++slices_;
      (slicer_.topology(x) == sample.topology ? x_same : x_other) = x;
    }
  }

  void sum() {
    sums_.setZero();
    error_ = 0;
    for (const Part& part : parts_) {
      sums_ += part.integral.value;
      error_ += part.integral.error;
    }
    error_ += sums_[10];
  }

  /// Halves the parts that are worse than their share of the tolerance. False if there is none, or
  /// no cut left.
  bool halve_worst() {
    const Real share = 0.5 * settings_.tolerance * sums_[0] / static_cast<Real>(parts_.size());
    const std::size_t count = parts_.size();
    bool any = false;
    for (std::size_t i = 0; i < count && slices_ + 42 <= settings_.max_slices; ++i) {
      const Part part = parts_[i];
      if (part.integral.error <= share) continue;
      const Real t = 0.5 * (part.t_low + part.t_high);
      parts_[i] = integrate(part.ends, part.t_low, t);
      parts_.push_back(integrate(part.ends, t, part.t_high));
      any = true;
    }
    return any;
  }

  const CompiledSolid& solid_;
  const IntegrationSettings& settings_;
  Slicer slicer_;
  std::vector<Part> parts_;
  std::vector<Sample> samples_;
  Sums sums_ = Sums::Zero();
  Real error_ = 0;
  int slices_ = 0;
};

VolumeMoments to_volume_moments(const Sums& sums, const CompiledSolid& solid) {
  const Real s = solid.scale, s3 = s * s * s;
  VolumeMoments moments;
  moments.origin = solid.center;
  moments.volume = s3 * sums[0];
  moments.first = s3 * s * Vec3(sums[1], sums[2], sums[3]);
  moments.second << sums[4], sums[7], sums[9],  //
      sums[7], sums[5], sums[8],                //
      sums[9], sums[8], sums[6];
  moments.second *= s3 * s * s;
  return moments;
}

}  // namespace

IntegrationResult mass_properties(const Solid& solid, Real density, const IntegrationSettings& settings) {
  require_density(density, "solid");
  require(settings.tolerance >= 1e-13 && settings.tolerance <= 0.1, "integration settings", "tolerance",
          "lie in [1e-13, 0.1]", settings.tolerance);
  require(settings.max_slices > 0, "integration settings", "max_slices", "be positive", settings.max_slices);
  IntegrationResult result;
  if (const PlacedShape* placed = solid.placed()) {
    result.properties =
        transformed(placed->X_BS, mass_properties(placed->shape, placed->rounding, density, "placed shape"));
    result.converged = true;
    return result;
  }
  const CompiledSolid compiled = compile(solid);
  Integrator integrator(compiled, settings);
  integrator.run();
  const Real volume = integrator.sums()[0];
  const VolumeMoments moments = to_volume_moments(integrator.sums(), compiled);
  // Surfaces that coincide leave a film of rounding, not a volume.
  constexpr Real kFilm = 1e-13;
  require(volume > std::max(kFilm, integrator.error()), "solid", "volume", "be positive", moments.volume);
  result.properties = to_mass_properties(moments, density);
  validate(result.properties, "solid");
  result.error = integrator.error() / volume;
  result.converged = result.error <= settings.tolerance;
  result.slices = integrator.slices();
  result.lines = integrator.lines();
  return result;
}

}  // namespace visviva::geometry
