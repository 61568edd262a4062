#!/usr/bin/env python3
"""Writes elementary_tables.hpp to standard output (needs mpmath).

The numbers come from multiprecision arithmetic; elementary_test.cpp checks the functions built on
them against Boost.Multiprecision, so a wrong digit here fails a test there.
"""
from mpmath import mp, mpf, atan, exp, floor, lu_solve, log, matrix, pi, sin, cos, cos as cosine, sqrt

mp.prec = 2400


def hexfloat(x):
    return float(x).hex()  # float(mpf) rounds to nearest


def pair(x):
    hi = float(x)
    return "{%s, %s}" % (hi.hex(), hexfloat(x - mpf(hi)))


def chopped(x, bits):
    """x cut to its leading `bits` bits."""
    exponent = int(floor(log(abs(x), 2)))
    unit = mpf(2) ** (exponent - bits + 1)
    return floor(x / unit) * unit


def near_minimax(f, top, terms):
    """Interpolates f on [0, top] at Chebyshev nodes, which is within a small factor of minimax."""
    nodes = [top / 2 * (1 + cosine(pi * (2 * i + 1) / (2 * terms))) for i in range(terms)]
    powers = matrix(terms, terms)
    for i, q in enumerate(nodes):
        for j in range(terms):
            powers[i, j] = q ** j
    return list(lu_solve(powers, matrix([f(q) for q in nodes])))


def array(kind, name, comment, items, per_line):
    print("\n" + "\n".join("// " + line for line in comment))
    print("constexpr %s %s[] = {" % (kind, name))
    for i in range(0, len(items), per_line):
        print("    " + ", ".join(items[i:i + per_line]) + ",")
    print("};")


print("""#pragma once

// Written by make_elementary_tables.py: do not edit by hand.

#include <cstdint>

#include "math/double_double.hpp"

namespace visviva::tables {

// pi/2 in three pieces of 33 bits, whose product with an integer below 2^20 is exact, and the rest.""")
rest = pi / 2
pieces = []
for _ in range(3):
    piece = chopped(rest, 33)
    pieces.append(hexfloat(piece))
    rest -= piece
pieces.append(hexfloat(rest))
print("constexpr Real kHalfPiPieces[] = {%s};" % ", ".join(pieces))
print("constexpr DoubleDouble kHalfPi = %s;" % pair(pi / 2))
print("constexpr DoubleDouble kPi = %s;" % pair(pi))
print("constexpr Real kTwoOverPi = %s;" % hexfloat(2 / pi))

ln2 = log(mpf(2))
head = chopped(ln2, 42)
print("\n// ln 2; the head has 42 bits, so its product with any exponent of a double is exact.")
print("constexpr DoubleDouble kLn2 = {%s, %s};" % (hexfloat(head), hexfloat(ln2 - head)))
step = ln2 / 32
head = chopped(step, 36)
print("// ln 2 / 32; the head has 36 bits: exact with integers up to 2^17.")
print("constexpr DoubleDouble kLn2Over32 = {%s, %s};" % (hexfloat(head), hexfloat(step - head)))
print("constexpr Real k32OverLn2 = %s;" % hexfloat(32 / ln2))

top = (pi / 4) ** 2 * mpf("1.0001")
terms = 6
# Both functions of q = r² are analytic at 0; the working precision absorbs the cancellation.
array("Real", "kSine", ["sin r = r + r q (s0 + s1 q + ...), q = r^2, |r| <= pi/4."],
      [hexfloat(c) for c in near_minimax(lambda q: (sin(sqrt(q)) / sqrt(q) - 1) / q, top, terms)], 3)
array("Real", "kCosine", ["cos r = 1 - q/2 + q^2 (c0 + c1 q + ...)."],
      [hexfloat(c) for c in near_minimax(lambda q: (cos(sqrt(q)) - 1 + q / 2) / q ** 2, top, terms)], 3)

words = 20
digits = int(floor(2 / pi * mpf(2) ** (64 * words)))
array("std::uint64_t", "kTwoOverPiBits",
      ["64 zeros and the binary fraction of 2/pi, most significant word first."],
      ["0"] + ["0x%016x" % (digits >> (64 * (words - 1 - i)) & (2 ** 64 - 1)) for i in range(words)], 4)
array("DoubleDouble", "kAtan", ["atan(i / 16)."], [pair(atan(mpf(i) / 16)) for i in range(17)], 1)
array("DoubleDouble", "kExp2", ["2^(i / 32)."], [pair(mpf(2) ** (mpf(i) / 32)) for i in range(32)], 1)

print("\nstruct LogStep {\n  Real c;               // 9 bits, near 1/f for f in [1 + i/64, 1 + (i+1)/64)")
print("  DoubleDouble minus_log;  // -log(c), or -log(2 c) from i = 27 on, where f counts as f/2\n};")
rows = []
for i in range(64):
    c = mpf(round(512 / (1 + (mpf(i) + mpf(1) / 2) / 64))) / 512
    if i == 0:
        c = mpf(1)
    if i == 63:
        c = mpf(1) / 2
    rows.append("{%s, %s}" % (hexfloat(c), pair(-log(2 * c if i >= 27 else c))))
array("LogStep", "kLog", ["Around f = 1 the step is exactly 1, so that log keeps its relative accuracy there."],
      rows, 1)
print("\n}  // namespace visviva::tables")
