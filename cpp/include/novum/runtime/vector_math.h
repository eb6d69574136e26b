// Exponential and logarithm of whole vectors of doubles, within about one unit in the last place, for softmax-like loops.
//
//   exp t = 2^n e^r,  n = round(t / log 2),  |r| <= log(2) / 2;  e^r by its Taylor polynomial of degree 13 (error 4e-18)        (1)
//   log s = e log 2 + log m,  m in [sqrt(1/2), sqrt 2);  log m = 2 atanh(f),  f = (m - 1) / (m + 1), ten terms (error 2e-17)  (2)
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "novum/runtime/simd.h"

namespace novum {

template <int BYTES>
struct Doubles {
    typedef double V __attribute__((vector_size(BYTES)));
    typedef std::uint64_t I __attribute__((vector_size(BYTES)));
    static constexpr std::size_t LANES = BYTES / 8;
    // Through memcpy: GCC may drop `aligned` from a vector type of dependent size, and an aligned move would fault.
    static NOVUM_INLINE V load(const double* from) {
        V v;
        std::memcpy(&v, from, sizeof v);
        return v;
    }
    static NOVUM_INLINE void store(double* to, V v) { std::memcpy(to, &v, sizeof v); }
    static NOVUM_INLINE V splat(double x) { return V{} + x; }
};

constexpr double LEAST_EXPONENT = -708;  // below it e^t is no normal number: taken as zero

constexpr double MOST_EXPONENT = 709;  // above it e^t is taken as infinite

/// (1) of every lane where e^t is a normal number, no number elsewhere.
template <int BYTES, int TERMS = 13>
NOVUM_INLINE typename Doubles<BYTES>::V exp_normal(typename Doubles<BYTES>::V t) {
    using D = Doubles<BYTES>;
    constexpr double ROUND = 0x1.8p52;  // adding it leaves the nearest integer in the low bits
    const typename D::V shifted = t * 0x1.71547652b82fep0 + ROUND;
    const typename D::V n = shifted - ROUND;
    const typename D::V r = (t - n * 0x1.62e42fefa3800p-1) - n * 0x1.ef35793c76730p-45;  // log 2 in two parts, the first exact times n
    constexpr double INVERSE_FACTORIAL[] = {
        1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040,
        1.0 / 720,        1.0 / 120,       1.0 / 24,       1.0 / 6,       0.5,          1.0,         1.0};
    typename D::V p = D::splat(INVERSE_FACTORIAL[13 - TERMS]);
#pragma GCC unroll 13
    for (int k = 14 - TERMS; k < 14; ++k) p = p * r + INVERSE_FACTORIAL[k];
    typename D::I bits, power;
    std::memcpy(&power, &shifted, sizeof power);
    std::memcpy(&bits, &p, sizeof bits);
    bits += power << 52;
    std::memcpy(&p, &bits, sizeof p);
    return p;
}

/// (1) of every lane; t <= 0, -inf allowed. `TERMS` below 13 are for results that become floats: eight leave 3e-10.
template <int BYTES, int TERMS = 13>
NOVUM_INLINE typename Doubles<BYTES>::V exp_nonpositive(typename Doubles<BYTES>::V t) {
    return t < LEAST_EXPONENT ? Doubles<BYTES>::splat(0.0) : exp_normal<BYTES, TERMS>(t);
}

/// (1) of every lane, of any sign; NaN stays.
template <int BYTES>
NOVUM_INLINE typename Doubles<BYTES>::V exp_any(typename Doubles<BYTES>::V t) {
    using D = Doubles<BYTES>;
    const typename D::V far = t + __builtin_inf();  // infinite, or NaN where t is
    return t < LEAST_EXPONENT ? D::splat(0.0) : t <= MOST_EXPONENT ? exp_normal<BYTES>(t) : far;
}

/// (2) of every lane; s >= 1 and finite.
template <int BYTES>
NOVUM_INLINE typename Doubles<BYTES>::V log_above_one(typename Doubles<BYTES>::V s) {
    using D = Doubles<BYTES>;
    constexpr std::uint64_t ROOT_HALF = 0x3fe6a09e667f3bcd, TWO_52 = 0x4330000000000000;
    typename D::I bits, whole;
    std::memcpy(&bits, &s, sizeof bits);
    const typename D::I e = (bits - ROOT_HALF) >> 52;
    bits -= e << 52;
    whole = e | TWO_52;
    typename D::V m, n;
    std::memcpy(&m, &bits, sizeof m);
    std::memcpy(&n, &whole, sizeof n);
    n -= 0x1p52;
    const typename D::V x = m - 1.0, f = x / (x + 2.0), z = f * f, half = 0.5 * x * x;
    typename D::V p = D::splat(2.0 / 21);
    constexpr double ODD[] = {2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3};
#pragma GCC unroll 9
    for (double c : ODD) p = p * z + c;
    // x - (x^2 / 2 - f (x^2 / 2 + z p)): the correction is small beside x, so its rounding does not show
    return n * 0x1.62e42fefa3800p-1 + (x - (half - (f * (half + z * p) + n * 0x1.ef35793c76730p-45)));
}

}  // namespace novum
