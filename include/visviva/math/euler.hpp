#pragma once

#include <array>
#include <optional>

#include "visviva/math/so3.hpp"
#include "visviva/math/types.hpp"

/// Rotations as sequences of three turns about coordinate axes: 12 sequences, each intrinsic or
/// extrinsic.                                                     [havok II.6.1.3, II.6.3.3]
namespace visviva {

/// The axes in the order in which the turns happen. The first six are Tait-Bryan sequences (three
/// different axes), the last six proper Euler sequences (first and third axis equal).
enum class EulerSequence { XYZ, XZY, YXZ, YZX, ZXY, ZYX, XYX, XZX, YXY, YZY, ZXZ, ZYZ };

inline constexpr std::array kEulerSequences = {EulerSequence::XYZ, EulerSequence::XZY, EulerSequence::YXZ,
                                               EulerSequence::YZX, EulerSequence::ZXY, EulerSequence::ZYX,
                                               EulerSequence::XYX, EulerSequence::XZX, EulerSequence::YXY,
                                               EulerSequence::YZY, EulerSequence::ZXZ, EulerSequence::ZYZ};

/// Whose axes the turns are about.
enum class EulerAxes {
  Intrinsic,  ///< those of the turning body: R = R1(a1) R2(a2) R3(a3)
  Extrinsic,  ///< those of the world, at rest: R = R3(a3) R2(a2) R1(a1)
};

/// Yaw, pitch, roll of vehicles is {ZYX, Intrinsic}; roll, pitch, yaw of URDF {XYZ, Extrinsic}.
struct EulerConvention {
  EulerSequence sequence = EulerSequence::ZYX;
  EulerAxes axes = EulerAxes::Intrinsic;
};

/// Below this sine of the angle between first and third axis the two count as aligned: rounding of
/// the matrix (1e-16) then leaves no digits in either angle alone, and setting the third to zero
/// changes the rotation by no more than twice this.
inline constexpr Real kGimbalLock = 1e-14;

struct EulerAngles {
  Vec3 angles = Vec3::Zero();  ///< in the order of the turns [rad]
  bool gimbal_lock = false;    ///< only a1 + a3 or a1 - a3 is determined; a3 was set to zero
};

[[nodiscard]] Mat3 rotation_from_euler(const Vec3& angles, EulerConvention convention);

/// First and third angle in [-pi, pi]; the second in [-pi/2, pi/2] for three different axes, in
/// [0, pi] if the first and third are equal. The rotation of the angles is R to rounding, also
/// close to gimbal lock.
[[nodiscard]] EulerAngles euler_from_rotation(const Mat3& R, EulerConvention convention);

/// Sine of the angle between the first and the third axis: |cos a2| for three different axes,
/// |sin a2| otherwise. 1 is best; 0 is gimbal lock, where some w has no angle rates [-].
[[nodiscard]] Real euler_regularity(const Vec3& angles, EulerConvention convention);

/// E with w = E da/dt; its columns are the three axes of rotation, det E = ± euler_regularity.
[[nodiscard]] Mat3 euler_rate_matrix(const Vec3& angles, EulerConvention convention, RateFrame frame);

/// Angular velocity of a body whose angles change at these rates [rad/s].
[[nodiscard]] Vec3 angular_velocity_from_euler_rates(const Vec3& angles, const Vec3& rates, EulerConvention convention,
                                                     RateFrame frame);

/// Rates of the angles of a body that turns with w [rad/s]. They grow as 1 / euler_regularity;
/// empty where that is below kGimbalLock.
[[nodiscard]] std::optional<Vec3> euler_rates(const Vec3& angles, const Vec3& w, EulerConvention convention,
                                              RateFrame frame);

}  // namespace visviva
