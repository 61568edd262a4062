#pragma once

// Written by make_elementary_tables.py: do not edit by hand.

#include <cstdint>

#include "math/double_double.hpp"

namespace visviva::tables {

// pi/2 in three pieces of 33 bits, whose product with an integer below 2^20 is exact, and the rest.
constexpr Real kHalfPiPieces[] = {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34, 0x1.3198a2e000000p-69,
                                  0x1.b839a252049c1p-104};
constexpr DoubleDouble kHalfPi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
constexpr DoubleDouble kPi = {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
constexpr Real kTwoOverPi = 0x1.45f306dc9c883p-1;

// ln 2; the head has 42 bits, so its product with any exponent of a double is exact.
constexpr DoubleDouble kLn2 = {0x1.62e42fefa3800p-1, 0x1.ef35793c76730p-45};
// ln 2 / 32; the head has 36 bits: exact with integers up to 2^17.
constexpr DoubleDouble kLn2Over32 = {0x1.62e42fefa0000p-6, 0x1.cf79abc9e3b3ap-45};
constexpr Real k32OverLn2 = 0x1.71547652b82fep+5;

// sin r = r + r q (s0 + s1 q + ...), q = r^2, |r| <= pi/4.
constexpr Real kSine[] = {
    -0x1.5555555555555p-3, 0x1.1111111110bb2p-7,   -0x1.a01a019e83816p-13,
    0x1.71de379654304p-19, -0x1.ae600aca92c64p-26, 0x1.5e0b05bff20f2p-33,
};

// cos r = 1 - q/2 + q^2 (c0 + c1 q + ...).
constexpr Real kCosine[] = {
    0x1.5555555555555p-5,   -0x1.6c16c16c16967p-10, 0x1.a01a019f4e9b4p-16,
    -0x1.27e4fa17bf139p-22, 0x1.1eeb68cd22f56p-29,  -0x1.907d8f29fe831p-37,
};

// 64 zeros and the binary fraction of 2/pi, most significant word first.
constexpr std::uint64_t kTwoOverPiBits[] = {
    0,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
    0xf0cfbc209af4361d,
};

// atan(i / 16).
constexpr DoubleDouble kAtan[] = {
    {0x0.0p+0, 0x0.0p+0},
    {0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
    {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
    {0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58},
    {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
    {0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
    {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
    {0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
    {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
    {0x1.0657e94db30d0p-1, -0x1.d5b495f6349e6p-56},
    {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
    {0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
    {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
    {0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
    {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
    {0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
    {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

// 2^(i / 32).
constexpr DoubleDouble kExp2[] = {
    {0x1.0000000000000p+0, 0x0.0p+0},
    {0x1.059b0d3158574p+0, 0x1.d73e2a475b465p-55},
    {0x1.0b5586cf9890fp+0, 0x1.8a62e4adc610bp-54},
    {0x1.11301d0125b51p+0, -0x1.6c51039449b3ap-54},
    {0x1.172b83c7d517bp+0, -0x1.19041b9d78a76p-55},
    {0x1.1d4873168b9aap+0, 0x1.e016e00a2643cp-54},
    {0x1.2387a6e756238p+0, 0x1.9b07eb6c70573p-54},
    {0x1.29e9df51fdee1p+0, 0x1.612e8afad1255p-55},
    {0x1.306fe0a31b715p+0, 0x1.6f46ad23182e4p-55},
    {0x1.371a7373aa9cbp+0, -0x1.63aeabf42eae2p-54},
    {0x1.3dea64c123422p+0, 0x1.ada0911f09ebcp-55},
    {0x1.44e086061892dp+0, 0x1.89b7a04ef80d0p-59},
    {0x1.4bfdad5362a27p+0, 0x1.d4397afec42e2p-56},
    {0x1.5342b569d4f82p+0, -0x1.07abe1db13cadp-55},
    {0x1.5ab07dd485429p+0, 0x1.6324c054647adp-54},
    {0x1.6247eb03a5585p+0, -0x1.383c17e40b497p-54},
    {0x1.6a09e667f3bcdp+0, -0x1.bdd3413b26456p-54},
    {0x1.71f75e8ec5f74p+0, -0x1.16e4786887a99p-55},
    {0x1.7a11473eb0187p+0, -0x1.41577ee04992fp-55},
    {0x1.82589994cce13p+0, -0x1.d4c1dd41532d8p-54},
    {0x1.8ace5422aa0dbp+0, 0x1.6e9f156864b27p-54},
    {0x1.93737b0cdc5e5p+0, -0x1.75fc781b57ebcp-57},
    {0x1.9c49182a3f090p+0, 0x1.c7c46b071f2bep-56},
    {0x1.a5503b23e255dp+0, -0x1.d2f6edb8d41e1p-54},
    {0x1.ae89f995ad3adp+0, 0x1.7a1cd345dcc81p-54},
    {0x1.b7f76f2fb5e47p+0, -0x1.5584f7e54ac3bp-56},
    {0x1.c199bdd85529cp+0, 0x1.11065895048ddp-55},
    {0x1.cb720dcef9069p+0, 0x1.503cbd1e949dbp-56},
    {0x1.d5818dcfba487p+0, 0x1.2ed02d75b3707p-55},
    {0x1.dfc97337b9b5fp+0, -0x1.1a5cd4f184b5cp-54},
    {0x1.ea4afa2a490dap+0, -0x1.e9c23179c2893p-54},
    {0x1.f50765b6e4540p+0, 0x1.9d3e12dd8a18bp-54},
};

struct LogStep {
  Real c;                  // 9 bits, near 1/f for f in [1 + i/64, 1 + (i+1)/64)
  DoubleDouble minus_log;  // -log(c), or -log(2 c) from i = 27 on, where f counts as f/2
};

// Around f = 1 the step is exactly 1, so that log keeps its relative accuracy there.
constexpr LogStep kLog[] = {
    {0x1.0000000000000p+0, {0x0.0p+0, 0x0.0p+0}},
    {0x1.f400000000000p-1, {0x1.8492528c8cabfp-6, -0x1.d192d0619fa67p-60}},
    {0x1.ed00000000000p-1, {0x1.35c8bfaa1306bp-5, -0x1.50830a65543a4p-63}},
    {0x1.e500000000000p-1, {0x1.bbcebfc68f420p-5, 0x1.e5cf3a0f56f72p-60}},
    {0x1.de00000000000p-1, {0x1.1973bd1465567p-4, -0x1.7558367a6acf6p-59}},
    {0x1.d700000000000p-1, {0x1.55e10050e0384p-4, -0x1.45f9d61c68c1bp-58}},
    {0x1.d100000000000p-1, {0x1.8a6477a91dc29p-4, -0x1.fa83214904842p-59}},
    {0x1.ca00000000000p-1, {0x1.c885801bc4b23p-4, 0x1.a38cb559a6706p-58}},
    {0x1.c400000000000p-1, {0x1.fe89139dbd566p-4, -0x1.ac9f4215f9393p-58}},
    {0x1.be00000000000p-1, {0x1.1aa2b7e23f72ap-3, -0x1.c6ef1d9b2ef7ep-59}},
    {0x1.b800000000000p-1, {0x1.365fcb0159016p-3, 0x1.7d411a5b944adp-58}},
    {0x1.b200000000000p-1, {0x1.527e5e4a1b58dp-3, -0x1.71a9682395bfdp-61}},
    {0x1.ac00000000000p-1, {0x1.6f0128b756abcp-3, -0x1.8de59c21e166cp-57}},
    {0x1.a700000000000p-1, {0x1.871213750e994p-3, 0x1.d685f35eea2a0p-57}},
    {0x1.a100000000000p-1, {0x1.a454082e6ab05p-3, 0x1.df207dc5c34c6p-58}},
    {0x1.9c00000000000p-1, {0x1.bd087383bd8adp-3, 0x1.dd355f6a516d7p-60}},
    {0x1.9700000000000p-1, {0x1.d60a17f903515p-3, -0x1.c0df841a71b7ap-57}},
    {0x1.9200000000000p-1, {0x1.ef5ade4dcffe6p-3, -0x1.08ab2ddc708a0p-58}},
    {0x1.8d00000000000p-1, {0x1.047e60cde83b8p-2, -0x1.0779634061cbcp-56}},
    {0x1.8800000000000p-1, {0x1.1178e8227e47cp-2, -0x1.0e63a5f01c691p-57}},
    {0x1.8400000000000p-1, {0x1.1bf99635a6b95p-2, -0x1.12aeb84249223p-57}},
    {0x1.7f00000000000p-1, {0x1.2941afb186b7cp-2, -0x1.856e61c515740p-57}},
    {0x1.7b00000000000p-1, {0x1.3401e12aecba1p-2, -0x1.cd55b8a4746c0p-58}},
    {0x1.7600000000000p-1, {0x1.419b423d5e8c7p-2, 0x1.0dbb243827392p-57}},
    {0x1.7200000000000p-1, {0x1.4c9e09e172c3cp-2, -0x1.123615b147a5dp-58}},
    {0x1.6e00000000000p-1, {0x1.57bf753c8d1fbp-2, -0x1.0908d15f88b63p-57}},
    {0x1.6a00000000000p-1, {0x1.630030b3aac49p-2, 0x1.dc18ce51fff99p-57}},
    {0x1.6600000000000p-1, {-0x1.5767717455a6cp-2, -0x1.526adb283660cp-56}},
    {0x1.6200000000000p-1, {-0x1.4be5f957778a1p-2, 0x1.259b35b04813dp-57}},
    {0x1.5e00000000000p-1, {-0x1.404308686a7e4p-2, 0x1.0bcfb6082ce6dp-56}},
    {0x1.5b00000000000p-1, {-0x1.3772662bfd85bp-2, 0x1.b5629d8117de7p-59}},
    {0x1.5700000000000p-1, {-0x1.2b9303ab89d25p-2, 0x1.896b5fd852ad4p-56}},
    {0x1.5400000000000p-1, {-0x1.22941fbcf7966p-2, 0x1.76f5eb09628afp-56}},
    {0x1.5000000000000p-1, {-0x1.1675cababa60ep-2, -0x1.ce63eab883717p-61}},
    {0x1.4d00000000000p-1, {-0x1.0d46b579ab74bp-2, -0x1.03ec81c3cbd92p-57}},
    {0x1.4900000000000p-1, {-0x1.00e6c45ad501dp-2, 0x1.cb9568ff6feadp-57}},
    {0x1.4600000000000p-1, {-0x1.ef0adcbdc5936p-3, -0x1.48637950dc20dp-57}},
    {0x1.4300000000000p-1, {-0x1.dc1bca0abec7dp-3, -0x1.834c51998b6fcp-57}},
    {0x1.4000000000000p-1, {-0x1.c8ff7c79a9a22p-3, 0x1.4f689f8434012p-57}},
    {0x1.3d00000000000p-1, {-0x1.b5b519e8fb5a4p-3, -0x1.ba27fdc19e1a0p-57}},
    {0x1.3a00000000000p-1, {-0x1.a23bc1fe2b563p-3, -0x1.93711b07a998cp-59}},
    {0x1.3700000000000p-1, {-0x1.8e928de886d41p-3, 0x1.569d851a56770p-57}},
    {0x1.3400000000000p-1, {-0x1.7ab890210d909p-3, -0x1.be36b2d6a0608p-59}},
    {0x1.3100000000000p-1, {-0x1.66acd4272ad51p-3, 0x1.0900e4e1ea8b2p-58}},
    {0x1.2e00000000000p-1, {-0x1.526e5e3a1b438p-3, 0x1.746ff8a470d3ap-57}},
    {0x1.2b00000000000p-1, {-0x1.3dfc2b0ecc62ap-3, 0x1.ab3a8e7d81017p-58}},
    {0x1.2900000000000p-1, {-0x1.303d718e47fd3p-3, 0x1.6b9c7d96091fap-63}},
    {0x1.2600000000000p-1, {-0x1.1b72ad52f67a0p-3, -0x1.483023472cd74p-58}},
    {0x1.2300000000000p-1, {-0x1.0671512ca596ep-3, -0x1.50c647eb86499p-58}},
    {0x1.2100000000000p-1, {-0x1.f0a30c01162a6p-4, -0x1.85f325c5bbacdp-58}},
    {0x1.1e00000000000p-1, {-0x1.c5e548f5bc743p-4, -0x1.5d617ef8161b1p-60}},
    {0x1.1c00000000000p-1, {-0x1.a926d3a4ad563p-4, -0x1.942f48aa70ea9p-58}},
    {0x1.1900000000000p-1, {-0x1.7da766d7b12cdp-4, 0x1.eeedfcdd94131p-58}},
    {0x1.1700000000000p-1, {-0x1.60658a93750c4p-4, 0x1.388458ec21b6ap-58}},
    {0x1.1500000000000p-1, {-0x1.42edcbea646f0p-4, -0x1.ddd4f935996c9p-59}},
    {0x1.1200000000000p-1, {-0x1.16536eea37ae1p-4, 0x1.79da3e8c22cdap-60}},
    {0x1.1000000000000p-1, {-0x1.f0a30c01162a6p-5, -0x1.85f325c5bbacdp-59}},
    {0x1.0e00000000000p-1, {-0x1.b42dd711971bfp-5, 0x1.eb9759c130499p-60}},
    {0x1.0b00000000000p-1, {-0x1.58a5bafc8e4d5p-5, 0x1.ce55c2b4e2b72p-59}},
    {0x1.0900000000000p-1, {-0x1.1b0d98923d980p-5, 0x1.e9ae889bac481p-60}},
    {0x1.0700000000000p-1, {-0x1.b9fc027af9198p-6, 0x1.0ae69229dc868p-64}},
    {0x1.0500000000000p-1, {-0x1.3cea44346a575p-6, 0x1.0cb5a902b3a1cp-62}},
    {0x1.0300000000000p-1, {-0x1.7dc475f810a77p-7, 0x1.16d7687d3df21p-62}},
    {0x1.0000000000000p-1, {0x0.0p+0, 0x0.0p+0}},
};

}  // namespace visviva::tables
