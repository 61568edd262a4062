#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/collision/pair_cases.hpp"

namespace visviva::bench {

enum class PairQuery { Distance, Penetration, Manifold, ManifoldWarm, TimeOfImpact };

/// A library that answers queries of pairs. Each answer is a number to be compared with the truth.
class PairEngine {
 public:
  virtual ~PairEngine() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual bool answers(PairQuery query) const = 0;
  /// Takes the cases over into its own types: nothing is converted within a query. False: it lacks such a shape.
  virtual bool take(std::span<const PairCase> cases) = 0;

  // Of case i. NaN is "no answer".
  virtual Real distance(std::size_t i) = 0;  ///< signed, with nearest points and normal [m]
  virtual Real manifold(std::size_t i) = 0;  ///< all contact points, from nothing; the signed distance [m]
  virtual Real manifold_warm(std::size_t i, std::size_t step) = 0;  ///< with B at near_X_WB[step], after others of them
  virtual Real time_of_impact(std::size_t i) = 0;                   ///< of B from start_X_WB to X_WB [s]

  /// How much larger the set is of which it reports the distance, by its own rules [m].
  [[nodiscard]] virtual Real skin(std::size_t, PairQuery) const { return 0; }
  /// Contact points of the last manifold.
  [[nodiscard]] virtual int points() const { return 0; }
};

[[nodiscard]] std::unique_ptr<PairEngine> make_visviva_engine();
// Each is nullptr where the library was not there when this was built.
[[nodiscard]] std::unique_ptr<PairEngine> make_fcl_engine();
[[nodiscard]] std::unique_ptr<PairEngine> make_libccd_engine();
[[nodiscard]] std::unique_ptr<PairEngine> make_bullet_engine();

}  // namespace visviva::bench
