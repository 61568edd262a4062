#include <Eigen/Geometry>
#include <cmath>

#include "dynamics/world_data.hpp"

namespace visviva::dynamics {

Real EnergyLedger::scale() const {
  Real sum = std::abs(kinetic);
  for (const Real entry : {initial, applied, friction, restitution, contacts, stabilisation, damping, kinematic, sleep,
                           user, created, integrator})
    sum += std::abs(entry);
  return sum;
}

Real kinetic_energy(const Body& body) {
  if (!body.is_dynamic()) return 0;
  const Vec3 w_B = body.R.transpose() * body.w;
  return (body.mass.body.mass * body.v.squaredNorm() + w_B.dot(body.mass.body.J * w_B)) / 2;
}

Real potential_energy(const World::Data& world, const Body& body) {
  if (!body.is_dynamic()) return 0;
  return -body.mass.body.mass * body.gravity_scale * world.settings.gravity.dot(body.x);
}

void book_before_rows(World::Data&) {}
void book_rows(World::Data&, bool) {}

}  // namespace visviva::dynamics
