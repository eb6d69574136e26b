// Exponential and logarithm without branches, so that loops over them become vector code at every instruction set.
#pragma once
#include <bit>
#include <cstdint>

#include "novum/simd.h"

namespace novum::elementary {

/// exp(x) for x <= 0, relative error about one unit in the last place; below -708 it stays at the least normal number.
NOVUM_INLINE double exp_down(double x) {
    constexpr double LOG2E = 1.4426950408889634, LN2_HIGH = 0.6931471803691238, LN2_LOW = 1.9082149292705877e-10;
    constexpr double ROUND = 0x1.8p52;  // adding it leaves the nearest whole number in the low bits
    x = x < -708.0 ? -708.0 : x;
    const double shifted = x * LOG2E + ROUND;
    const double n = shifted - ROUND;
    const double r = (x - n * LN2_HIGH) - n * LN2_LOW;  // |r| <= ln(2) / 2: thirteen terms of the series reach rounding
    double e = 1.0 / 6227020800.0;
    e = e * r + 1.0 / 479001600.0;
    e = e * r + 1.0 / 39916800.0;
    e = e * r + 1.0 / 3628800.0;
    e = e * r + 1.0 / 362880.0;
    e = e * r + 1.0 / 40320.0;
    e = e * r + 1.0 / 5040.0;
    e = e * r + 1.0 / 720.0;
    e = e * r + 1.0 / 120.0;
    e = e * r + 1.0 / 24.0;
    e = e * r + 1.0 / 6.0;
    e = e * r + 0.5;
    e = e * r + 1.0;
    e = e * r + 1.0;
    return std::bit_cast<double>(std::bit_cast<std::int64_t>(e) + (std::bit_cast<std::int64_t>(shifted) << 52));
}

/// log(1 + e) for 0 <= e <= 1: 2 artanh(e / (2 + e)), whose series in at most 1/9 ends after seventeen terms.
NOVUM_INLINE double log_one_plus(double e) {
    const double s = e / (2.0 + e), q = s * s;
    double sum = 1.0 / 35.0;
    sum = sum * q + 1.0 / 33.0;
    sum = sum * q + 1.0 / 31.0;
    sum = sum * q + 1.0 / 29.0;
    sum = sum * q + 1.0 / 27.0;
    sum = sum * q + 1.0 / 25.0;
    sum = sum * q + 1.0 / 23.0;
    sum = sum * q + 1.0 / 21.0;
    sum = sum * q + 1.0 / 19.0;
    sum = sum * q + 1.0 / 17.0;
    sum = sum * q + 1.0 / 15.0;
    sum = sum * q + 1.0 / 13.0;
    sum = sum * q + 1.0 / 11.0;
    sum = sum * q + 1.0 / 9.0;
    sum = sum * q + 1.0 / 7.0;
    sum = sum * q + 1.0 / 5.0;
    sum = sum * q + 1.0 / 3.0;
    sum = sum * q + 1.0 / 1.0;
    return 2.0 * s * sum;
}

}  // namespace novum::elementary
