// Sums of doubles without rounding: any order and any cut of the terms give the same bits.
//
//     sum = 2^-1074 sum_k limb[k] 2^(32 k),   a term m 2^e adds the 32-bit digits of m 2^(e mod 32) to three limbs        (1)
// A limb takes 2^31 terms before it may overflow; `carry` brings limbs back below 2^32. O(1) per term.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace novum {

class ExactSum {
  public:
    static constexpr std::size_t LIMBS = 70;  // 2046 + 53 bits, and room for carries

    /// Add a finite number.
    void add(double x) {
        std::uint64_t bits;
        std::memcpy(&bits, &x, sizeof x);
        const auto exponent = static_cast<unsigned>(bits >> 52 & 0x7FF);
        std::uint64_t mantissa = bits & ((std::uint64_t(1) << 52) - 1);
        if (exponent) mantissa |= std::uint64_t(1) << 52;
        const unsigned place = exponent ? exponent - 1 : 0;
        const Wide digits = static_cast<Wide>(mantissa) << (place % 32);
        const std::int64_t low = static_cast<std::int64_t>(digits & MASK), middle = static_cast<std::int64_t>(digits >> 32 & MASK),
                           high = static_cast<std::int64_t>(digits >> 64);
        std::int64_t* at = limb + place / 32;
        if (bits >> 63) {
            at[0] -= low, at[1] -= middle, at[2] -= high;
        } else {
            at[0] += low, at[1] += middle, at[2] += high;
        }
    }

    void add(const ExactSum& other) {
        for (std::size_t k = 0; k < LIMBS; ++k) limb[k] += other.limb[k];
    }

    /// Bring all limbs but the last into 0 .. 2^32 - 1.
    void carry() {
        for (std::size_t k = 0; k + 1 < LIMBS; ++k) {
            limb[k + 1] += limb[k] >> 32;
            limb[k] &= static_cast<std::int64_t>(MASK);
        }
    }

    std::int64_t limb[LIMBS] = {};

  private:
    __extension__ using Wide = unsigned __int128;
    static constexpr std::uint64_t MASK = 0xFFFFFFFFu;
};

}  // namespace novum
