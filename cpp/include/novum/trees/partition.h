// The rows of a node parted into those that go left and those that go right.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "novum/trees/histograms.h"

namespace novum::grower {

using histograms::Pair;

inline constexpr std::size_t AHEAD = 16;  // rows that are prefetched before they are needed

/// Write whether every row goes left; return how many do. Without `rows`, row i is at place i.
template <bool INDEXED>
inline std::size_t mark(const std::uint32_t* __restrict__ word, const std::uint32_t* __restrict__ rows, int shift,
                        const std::uint8_t* __restrict__ table, std::size_t begin, std::size_t end, std::uint8_t* __restrict__ goes) {
    std::size_t count = 0;
    for (std::size_t i = begin; i < end; ++i) {
        if (INDEXED) __builtin_prefetch(word + rows[std::min(i + AHEAD, end - 1)]);
        const std::uint8_t g = table[(word[INDEXED ? rows[i] : i] >> shift) & 255];
        goes[i] = g;
        count += g;
    }
    return count;
}

/// Move rows and pairs to the next places on the left or on the right; no branch, because none could be guessed.
template <bool INDEXED>
inline void move(const std::uint32_t* __restrict__ rows, const Pair* __restrict__ pairs, const std::uint8_t* __restrict__ goes,
                 std::size_t begin, std::size_t end, std::size_t l, std::size_t r, std::uint32_t* __restrict__ out,
                 Pair* __restrict__ pair_out) {
    for (std::size_t i = begin; i < end; ++i) {
        const std::size_t g = goes[i], at = r ^ ((l ^ r) & (0 - g));
        out[at] = INDEXED ? rows[i] : static_cast<std::uint32_t>(i);
        pair_out[at] = pairs[i];
        l += g;
        r += 1 - g;
    }
}

}  // namespace novum::grower
