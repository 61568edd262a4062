#pragma once

#include "visviva/collision/queries.hpp"

namespace visviva::collision {

/// Of a ray or ball that overlaps a set at the start.
[[nodiscard]] CastHit inside_hit(const Vec3& origin, const Vec3& translation);

/// Throw InvalidArgument.
void validate_cast(const char* what, const Vec3& origin, const Vec3& translation);
void validate_point(const Vec3& point, const char* what);
void validate_radius(Real radius);

}  // namespace visviva::collision
