// Random numbers that are a function of where they are used, not of when: Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011).
//
//     bits(seed, purpose, iteration, row, column)  =  word [column mod 2] of the block                       (1)
//         philox(counter = (row low, row high | column div 2, iteration, purpose), key = seed)
//     uniform      (bits >> 11) 2^-53                          in [0, 1)                                    (2)
//     open uniform ((bits >> 12) + 1/2) 2^-52                  in (0, 1), symmetric about 1/2               (3)
//     below        floor(n bits / 2^64)                        bias below n 2^-64                           (4)
//     normal       Phi^-1(open uniform)                        Wichura's PPND16 (1988), |z| < 8.3           (5)
//     exponential  -log(open uniform)                                                                      (6)
// No state, so any block on any thread makes the same numbers. One Philox block (ten rounds) per two columns.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "novum/runtime/simd.h"

namespace novum::rng {

using Block = std::array<std::uint32_t, 4>;

// Rows and columns share one counter word: 2^44 rows and 2^21 columns, checked where numbers enter.
inline constexpr int ROW_HIGH_BITS = 12;
inline constexpr std::uint64_t MAX_ROWS = std::uint64_t(1) << (32 + ROW_HIGH_BITS);
inline constexpr std::uint64_t MAX_COLUMNS = std::uint64_t(1) << (32 - ROW_HIGH_BITS + 1);

// Constants of Philox4x32: two odd multipliers found by its authors; the key grows by the golden ratio and by sqrt(3) - 1.
inline constexpr int ROUNDS = 10;
inline constexpr std::uint32_t MULTIPLIER_0 = 0xD2511F53u, MULTIPLIER_1 = 0xCD9E8D57u, WEYL_0 = 0x9E3779B9u, WEYL_1 = 0xBB67AE85u;

/// A family of numbers: everything but the row and the column.
struct Stream {
    std::uint64_t seed;
    std::uint32_t purpose;
    std::uint32_t iteration;
};

/// Ten rounds of Philox4x32. Random123 publishes its known answers.
NOVUM_INLINE Block philox(Block counter, std::uint64_t key) {
    std::uint32_t key0 = static_cast<std::uint32_t>(key), key1 = static_cast<std::uint32_t>(key >> 32);
    for (int round = 0; round < ROUNDS; ++round) {
        const std::uint64_t p0 = std::uint64_t(MULTIPLIER_0) * counter[0], p1 = std::uint64_t(MULTIPLIER_1) * counter[2];
        counter = {static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ key0, static_cast<std::uint32_t>(p1),
                   static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ key1, static_cast<std::uint32_t>(p0)};
        key0 += WEYL_0;
        key1 += WEYL_1;
    }
    return counter;
}

/// The counter word that rows beyond 2^32 and columns share.
NOVUM_INLINE std::uint32_t high_word(std::uint64_t row, std::uint64_t pair) {
    return static_cast<std::uint32_t>(row >> 32) | static_cast<std::uint32_t>(pair << ROW_HIGH_BITS);
}

/// The block of columns 2 pair and 2 pair + 1 of a row; (1).
NOVUM_INLINE Block block(const Stream& stream, std::uint64_t row, std::uint64_t pair) {
    return philox({static_cast<std::uint32_t>(row), high_word(row, pair), stream.iteration, stream.purpose}, stream.seed);
}

/// 64 random bits; (1).
NOVUM_INLINE std::uint64_t bits(const Stream& stream, std::uint64_t row, std::uint64_t column = 0) {
    const Block words = block(stream, row, column / 2);
    const std::size_t first = 2 * (column % 2);
    return (std::uint64_t(words[first + 1]) << 32) | words[first];
}

/// (2). The float is the double cut to 24 bits, so that float32 and float64 learners start from the same draws.
template <class Real>
NOVUM_INLINE Real uniform(std::uint64_t bits) {
    if constexpr (sizeof(Real) == sizeof(float))
        return static_cast<Real>(static_cast<std::int32_t>(bits >> 40)) * Real(0x1p-24);
    else
        return static_cast<Real>(static_cast<std::int64_t>(bits >> 11)) * Real(0x1p-53);
}

/// (3)
NOVUM_INLINE double open_uniform(std::uint64_t bits) {
    return (static_cast<double>(static_cast<std::int64_t>(bits >> 12)) + 0.5) * 0x1p-52;
}

/// (4), for any n up to 2^64 - 1: the high half of a 64 by 64 bit product.
NOVUM_INLINE std::uint64_t below(std::uint64_t bits, std::uint64_t n) {
    const std::uint64_t low = 0xFFFFFFFFu, a = bits >> 32, b = bits & low, c = n >> 32, d = n & low;
    const std::uint64_t middle = a * d + ((b * d) >> 32), cross = b * c + (middle & low);
    return a * c + (middle >> 32) + (cross >> 32);
}

/// (6)
NOVUM_INLINE double exponential(std::uint64_t bits) { return -std::log(open_uniform(bits)); }

/// The quantile function of the standard normal, relative error about 1e-16 (Wichura's algorithm AS 241, PPND16).
NOVUM_INLINE double normal_quantile(double p) {
    const auto ratio = [](double r, const double (&a)[8], const double (&b)[8]) {
        double above = a[7], under = b[7];
        for (int k = 6; k >= 0; --k) {
            above = above * r + a[k];
            under = under * r + b[k];
        }
        return above / under;
    };
    constexpr double CENTER_A[8] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
                                    4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3};
    constexpr double CENTER_B[8] = {1.0,
                                    4.2313330701600911252e1,
                                    6.8718700749205790830e2,
                                    5.3941960214247511077e3,
                                    2.1213794301586595867e4,
                                    3.9307895800092710610e4,
                                    2.8729085735721942674e4,
                                    5.2264952788528545610e3};
    constexpr double NEAR_A[8] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                  3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                  2.27238449892691845833e-2, 7.74545014278341407640e-4};
    constexpr double NEAR_B[8] = {1.0,
                                  2.05319162663775882187e0,
                                  1.67638483018380384940e0,
                                  6.89767334985100004550e-1,
                                  1.48103976427480074590e-1,
                                  1.51986665636164571966e-2,
                                  5.47593808499534494600e-4,
                                  1.05075007164441684324e-9};
    constexpr double FAR_A[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                 2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                 2.71155556874348757815e-5, 2.01033439929228813265e-7};
    constexpr double FAR_B[8] = {1.0,
                                 5.99832206555887937690e-1,
                                 1.36929880922735805310e-1,
                                 1.48753612908506148525e-2,
                                 7.86869131145613259100e-4,
                                 1.84631831751005468180e-5,
                                 1.42151175831644588870e-7,
                                 2.04426310338993978564e-15};
    const double q = p - 0.5;
    if (std::fabs(q) <= 0.425) return q * ratio(0.180625 - q * q, CENTER_A, CENTER_B);
    const double r = std::sqrt(-std::log(q < 0 ? p : 1 - p));
    const double z = r <= 5 ? ratio(r - 1.6, NEAR_A, NEAR_B) : ratio(r - 5, FAR_A, FAR_B);
    return q < 0 ? -z : z;
}

/// (5)
NOVUM_INLINE double normal(std::uint64_t bits) { return normal_quantile(open_uniform(bits)); }

}  // namespace novum::rng
