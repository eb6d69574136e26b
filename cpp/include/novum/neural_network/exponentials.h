// Exponentials of whole vectors of floats or doubles, within about one unit in the last place.
//
//     e^t = 2^n (1 + q),  n = round(t / log 2),  q = e^r - 1,  |r| <= log(2) / 2, by Taylor's polynomial       (1)
//     e^t - 1 = 2^n q + (2^n - 1)                           without cancellation near t = 0                   (2)
#pragma once
#include "novum/runtime/panels.h"

namespace novum::neural_network {

template <class Real>
struct Exponent;
template <>
struct Exponent<float> {
    static constexpr int BITS = 23, TERMS = 8;
    static constexpr float ROUND = 0x1.8p23f, LEAST = -87.0f, INVERSE = 0x1.715476p0f, HIGH = 0x1.62e4p-1f, LOW = 0x1.7f7d1cp-20f;
};
template <>
struct Exponent<double> {
    static constexpr int BITS = 52, TERMS = 14;
    static constexpr double ROUND = 0x1.8p52, LEAST = -708, INVERSE = 0x1.71547652b82fep0, HIGH = 0x1.62e42fefa3800p-1,
                            LOW = 0x1.ef35793c76730p-45;
};

/// 2^n and q of (1) for t <= 0; below the least exponent 2^n is zero.
template <int BYTES, class Real>
NOVUM_INLINE void exponential_parts(typename panel::Simd<Real, BYTES>::V t, typename panel::Simd<Real, BYTES>::V& power,
                                    typename panel::Simd<Real, BYTES>::V& q) {
    using S = panel::Simd<Real, BYTES>;
    using E = Exponent<Real>;
    typedef std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t> Bits __attribute__((vector_size(BYTES)));
    const typename S::V floor = typename S::V{} + E::LEAST, zero = typename S::V{};
    const auto below = t < floor;
    t = below ? floor : t;
    const typename S::V shifted = t * E::INVERSE + E::ROUND, n = shifted - E::ROUND, r = (t - n * E::HIGH) - n * E::LOW;
    typename S::V p = typename S::V{} + Real(1);
#pragma GCC unroll 14
    for (int k = E::TERMS; k >= 2; --k) p = p * (r * (Real(1) / Real(k))) + Real(1);
    q = p * r;
    Bits bits;
    std::memcpy(&bits, &shifted, sizeof bits);
    const typename S::V one = typename S::V{} + Real(1);
    Bits unit;
    std::memcpy(&unit, &one, sizeof unit);
    bits = unit + (bits << E::BITS);
    std::memcpy(&power, &bits, sizeof power);
    power = below ? zero : power;
}

/// (1) for t <= 0.
template <int BYTES, class Real>
NOVUM_INLINE typename panel::Simd<Real, BYTES>::V exp_below(typename panel::Simd<Real, BYTES>::V t) {
    typename panel::Simd<Real, BYTES>::V power, q;
    exponential_parts<BYTES, Real>(t, power, q);
    return power + power * q;
}

/// (2) for t <= 0.
template <int BYTES, class Real>
NOVUM_INLINE typename panel::Simd<Real, BYTES>::V expm1_below(typename panel::Simd<Real, BYTES>::V t) {
    typename panel::Simd<Real, BYTES>::V power, q;
    exponential_parts<BYTES, Real>(t, power, q);
    return power * q + (power - Real(1));
}

}  // namespace novum::neural_network
