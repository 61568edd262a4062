#pragma once

#include <array>
#include <string_view>

#include "paper_comparison.hpp"

/// What [impact] prints, digit by digit, and the few things that it does not print and that its numbers determine.
namespace visviva::paper_impact {

using app::Printed;
using Triple = std::array<Printed, 3>;
inline Vec3 value(const Triple& t) { return {t[0].value(), t[1].value(), t[2].value()}; }

// ---- icosahedron and tetrahedron: Fig. 3, (13)–(15), (23) ----

inline constexpr Printed kMass1{"3.0"}, kMass2{"1.0"};  // decimal inputs of the text: exact
inline constexpr Printed kSide{"0.1"};
inline constexpr Triple kO1{{{"0"}, {"0"}, {"0.232744"}}};
inline constexpr Triple kO2{{{"0.125"}, {"0.125"}, {"-0.4375"}}};
inline constexpr Printed kQ1{"0.0671673"};
inline constexpr Triple kQ2{{{"0.017239"}, {"0.022813"}, {"0.027135"}}};
inline constexpr std::array<Triple, 4> kTetrahedron{
    {{{{"0"}, {"0"}, {"0"}}}, {{{"0"}, {"0"}, {"-0.75"}}}, {{{"0.5"}, {"0"}, {"-0.5"}}}, {{{"0"}, {"0.5"}, {"-0.5"}}}}};
inline constexpr Printed kMu{"0.8"}, kE{"0.95"};
inline constexpr std::array<Triple, 3> kW13{{{{{"11.5984"}, {"-0.910367"}, {"2.44236"}}},
                                             {{{"-0.910367"}, {"9.90134"}, {"1.95747"}}},
                                             {{{"2.44235"}, {"1.95746"}, {"2.59042"}}}}};
inline constexpr std::array<Printed, 4> kB23{{{"11.5985"}, {"-0.910369"}, {"-0.910369"}, {"9.90134"}}};
inline constexpr std::array<Printed, 2> kD23{{{"2.44236"}, {"1.95747"}}};
inline constexpr Printed kSlope{"0.3157"};                                                         // ‖B⁻¹d‖
inline constexpr Triple kV1{{{"-0.1"}, {"0.5"}, {"0.95"}}}, kOmega1{{{"0.1"}, {"0.1"}, {"0.1"}}};  // (14)
inline constexpr Triple kV2{{{"0.1"}, {"0.1"}, {"1"}}}, kOmega2{{{"0.1"}, {"-0.1"}, {"0.1"}}};
inline constexpr Triple kImpulse15{{{"-0.00326657"}, {"-0.0592263"}, {"0.1007"}}};
inline constexpr Triple kV1After{{{"-0.101089"}, {"0.480258"}, {"0.983567"}}};
inline constexpr Triple kOmega1After{{{"0.138764"}, {"-0.100369"}, {"0.0755903"}}};
inline constexpr Triple kV2After{{{"0.103267"}, {"0.159226"}, {"0.8993"}}};
inline constexpr Triple kOmega2After{{{"-0.281687"}, {"0.402075"}, {"0.589565"}}};
inline constexpr Printed kFrictionless{"0.058"};

/// R1 and R2 are not printed. R2 is the rotation with which (5) gives (13) and (1) gives ω2⁺. R1 does not enter W
/// (Q1 is isotropic); it takes the printed change of ω1 to that of the world frame, and γ⁻ to the line of sticking
/// on which (15) lies. Two rotations do; both have the same v⁻.
inline const Mat3& rotation_1() {
  static const Mat3 R =
      (Mat3() << -0.2164479, 0.9623167, 0.1646110, -0.4997698, -0.2540558, 0.8280615, 0.8386778, 0.0969646, 0.5359267)
          .finished();
  return R;
}
inline const Mat3& rotation_2() {
  static const Mat3 R =
      (Mat3() << 0.383395, 0.119212, -0.915858, 0.581630, -0.801462, 0.139159, -0.717436, -0.586044, -0.376614)
          .finished();
  return R;
}

// ---- hodographs: Figs 4, 7, 10 ----

struct Hodograph {
  std::string_view figure;
  Printed mu;
  Triple V1;               // pre-impact velocity of the icosahedron
  std::string_view label;  // Fig. 9's
  int centripetal, centrifugal;
  bool sticks;
};
/// Numbers of invariant directions: as §4 says for Figs 4(b)–(d), by Theorem 5 and the same µ for the others; Fig.
/// 10(c) is given none.
inline constexpr std::array<Hodograph, 8> kHodographs{{
    {"Fig. 4(a)", {"0.8"}, kV1, "csr", 2, 0, true},
    {"Fig. 4(b)", {"0.4"}, {{{"-0.1"}, {"0.5"}, {"0.2"}}}, "lscr", 2, 0, true},
    {"Fig. 4(c)", {"0.25"}, {{{"-0.1"}, {"0.5"}, {"0.2"}}}, "clr", 1, 1, false},
    {"Fig. 4(d)", {"3.0"}, {{{"-0.1"}, {"0.5"}, {"0.5"}}}, "scr", 4, 0, true},
    {"Fig. 7", {"0.25"}, {{{"-0.7"}, {"-0.35"}, {"-0.5"}}}, "scr", 1, 1, false},
    {"Fig. 10(a)", {"0.35"}, {{{"-0.1"}, {"0.5"}, {"0.2"}}}, "lcsr", -1, -1, true},
    {"Fig. 10(b)", {"0.25"}, {{{"-0.1"}, {"0.5"}, {"-1"}}}, "lcr", 1, 1, false},
    {"Fig. 10(c)", {"0.55"}, {{{"-0.1"}, {"0.5"}, {"0.9"}}}, "clsr", -1, -1, true},
}};

// ---- bundles: Figs 6 and 8 ----

inline constexpr int kFig6Count = 15, kFig6Sticking = 11;
inline constexpr Printed kFig6Mu{"0.8"}, kFig6Vz{"-0.2"};
inline constexpr int kFig8Count = 13, kFig8Reaching = 6;  // that reach the centrifugal direction
inline constexpr Printed kFig8Mu{"0.25"}, kFig8Vz{"-0.8"};

// ---- pin and ball: Fig. 11, §6.4 ----

inline constexpr Printed kPinMass{"1.63293"}, kBallMass{"6.35029"};
inline constexpr Triple kPinO{{{"0.068436"}, {"-0.00000242"}, {"0.073735"}}};
inline constexpr Triple kBallO{{{"-0.000061"}, {"-0.000890"}, {"-0.108458"}}};
inline constexpr Triple kPinQ{{{"0.0021186"}, {"0.012092"}, {"0.014029"}}};
inline constexpr Triple kBallQ{{{"0.0295723"}, {"0.029669"}, {"0.030068"}}};
inline constexpr Printed kPinTangent{"3.15435"};  // of the angle about y
inline constexpr Printed kPinMu{"0.7"}, kPinE{"0.7"};
inline constexpr Triple kPinV{{{"-0.1"}, {"0.2"}, {"-0.5"}}}, kPinOmega{{{"0.1"}, {"0.1"}, {"0.1"}}};
inline constexpr Triple kBallV{{{"0.1"}, {"0.1"}, {"1"}}}, kBallOmega{{{"0.1"}, {"-0.1"}, {"0.1"}}};
inline constexpr std::array<Triple, 3> kPinW{{{{{"1.55465"}, {"0.00238675"}, {"-0.360808"}}},
                                              {{{"0.00238676"}, {"5.15191"}, {"-0.00313296"}}},
                                              {{{"-0.360808"}, {"-0.00313296"}, {"1.105"}}}}};
inline constexpr Triple kPinImpulse{{{"0.7330654"}, {"-0.0216048"}, {"2.585018"}}};
/// Fitted, not printed: with it the printed W gives the printed impulse.
inline constexpr Real kPinVzFitted = -1.506902980502904;

inline constexpr Printed kBallRadius{"0.108458"};
struct Hole {
  Printed radius;
  Triple bottom;  // centre of the bottom face; the hole runs along +y
};
inline constexpr std::array<Hole, 3> kHoles{{
    {{"0.0127"}, {{{"0.03302"}, {"0.067845"}, {"-0.126238"}}}},
    {{"0.0127"}, {{{"0.03302"}, {"0.067845"}, {"-0.090678"}}}},
    {{"0.0142875"}, {{{"-0.0381"}, {"0.0676971"}, {"-0.108458"}}}},
}};

// ---- Table 1 and §6.4 ----

struct TableColumn {
  std::string_view name, step, iterations, time, error;  // "" if the table has none
};
inline constexpr std::array<TableColumn, 4> kIcosaTetra{{
    {"Truth", "1E-6", "68212", "18.9697", ""},
    {"NI", "0.00095", "107", "0.0312002", "0.000877"},
    {"FS", "0.001", "69", "0.000624", "0.00108669"},
    {"VS", "", "29", "0.0004134", "0.00111229"},
}};
inline constexpr std::array<TableColumn, 4> kPinBall{{
    {"Truth", "1E-6", "165073", "46.9563", ""},
    {"NI", "0.001", "2586", "0.2652", "0.00143"},
    {"FS", "0.002", "83", "0.000936", "6.0469E-5"},
    {"VS", "", "29", "0.0004006", "5.70441E-5"},
}};
/// NDSolve's default, adaptive and fixed explicit Runge–Kutta, [s].
inline constexpr Triple kNdSolve{{{"0.00252722"}, {"0.00368162"}, {"0.00316682"}}};

}  // namespace visviva::paper_impact
