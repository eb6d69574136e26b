#include "novum/runtime/random.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace novum::rng {

namespace {

constexpr std::size_t LANES = 64;  // counters advanced side by side: the rounds become vector instructions

// Where the next block stands: a row-major array holds `pairs` blocks per row.
struct Place {
    std::uint64_t row;
    std::size_t pair;
};

// The next LANES blocks, as two 64-bit words each. The same numbers as `bits`, by test.
NOVUM_CLONES void next_blocks(const Stream& stream, Place& place, std::size_t pairs, std::uint64_t (&first)[LANES],
                              std::uint64_t (&second)[LANES]) {
    std::uint32_t word[4][LANES];
    for (std::size_t l = 0; l < LANES; ++l) {
        word[0][l] = static_cast<std::uint32_t>(place.row);
        word[1][l] = high_word(place.row, place.pair);
        word[2][l] = stream.iteration;
        word[3][l] = stream.purpose;
        const bool wraps = ++place.pair == pairs;
        place.row += wraps;
        place.pair = wraps ? 0 : place.pair;
    }
    std::uint32_t key0 = static_cast<std::uint32_t>(stream.seed), key1 = static_cast<std::uint32_t>(stream.seed >> 32);
    for (int round = 0; round < ROUNDS; ++round) {
        for (std::size_t l = 0; l < LANES; ++l) {
            const std::uint64_t p0 = std::uint64_t(MULTIPLIER_0) * word[0][l], p1 = std::uint64_t(MULTIPLIER_1) * word[2][l];
            word[0][l] = static_cast<std::uint32_t>(p1 >> 32) ^ word[1][l] ^ key0;
            word[1][l] = static_cast<std::uint32_t>(p1);
            word[2][l] = static_cast<std::uint32_t>(p0 >> 32) ^ word[3][l] ^ key1;
            word[3][l] = static_cast<std::uint32_t>(p0);
        }
        key0 += WEYL_0;
        key1 += WEYL_1;
    }
    for (std::size_t l = 0; l < LANES; ++l) {
        first[l] = (std::uint64_t(word[1][l]) << 32) | word[0][l];
        second[l] = (std::uint64_t(word[3][l]) << 32) | word[2][l];
    }
}

// Write transform(bits) to every place of the row-major array `out`.
template <class To, class Transform>
void fill(const Stream& stream, std::uint64_t start_row, std::size_t columns, std::span<To> out, Transform transform) {
    std::uint64_t first[LANES], second[LANES];
    const std::size_t pairs = (columns + 1) / 2;
    Place place{start_row, 0};
    for (std::size_t i = 0, j = 0; i < out.size();) {
        next_blocks(stream, place, pairs, first, second);
        if (columns == 1) {
            const std::size_t count = std::min(LANES, out.size() - i);
            for (std::size_t l = 0; l < count; ++l) out[i + l] = transform(first[l]);
            i += count;
            continue;
        }
        for (std::size_t l = 0; l < LANES && i < out.size(); ++l) {
            out[i++] = transform(first[l]);
            if (++j < columns) {
                out[i++] = transform(second[l]);
                ++j;
            }
            if (j == columns) j = 0;
        }
    }
}

}  // namespace

void fill_bits(const Stream& stream, std::uint64_t start_row, std::size_t columns, std::span<std::uint64_t> out) {
    fill(stream, start_row, columns, out, [](std::uint64_t b) { return b; });
}

template <class Real>
void fill_uniform(const Stream& stream, std::uint64_t start_row, std::size_t columns, std::span<Real> out) {
    fill(stream, start_row, columns, out, [](std::uint64_t b) { return uniform<Real>(b); });
}

template <class Real>
void fill_normal(const Stream& stream, std::uint64_t start_row, std::size_t columns, std::span<Real> out) {
    fill(stream, start_row, columns, out, [](std::uint64_t b) { return static_cast<Real>(normal(b)); });
}

template <class Real>
void fill_exponential(const Stream& stream, std::uint64_t start_row, std::size_t columns, std::span<Real> out) {
    fill(stream, start_row, columns, out, [](std::uint64_t b) { return static_cast<Real>(exponential(b)); });
}

void fill_below(const Stream& stream, std::uint64_t start_row, std::size_t columns, std::uint64_t n, std::span<std::int64_t> out) {
    fill(stream, start_row, columns, out, [n](std::uint64_t b) { return static_cast<std::int64_t>(below(b, n)); });
}

void permutation(const Stream& stream, std::span<std::int64_t> out) {
    std::iota(out.begin(), out.end(), std::int64_t(0));
    for (std::size_t i = out.size(); i-- > 1;) std::swap(out[i], out[below(bits(stream, i), i + 1)]);
}

#define NOVUM_FILL(Real)                                                                          \
    template void fill_uniform<Real>(const Stream&, std::uint64_t, std::size_t, std::span<Real>); \
    template void fill_normal<Real>(const Stream&, std::uint64_t, std::size_t, std::span<Real>);  \
    template void fill_exponential<Real>(const Stream&, std::uint64_t, std::size_t, std::span<Real>);
NOVUM_FILL(float)
NOVUM_FILL(double)
#undef NOVUM_FILL

}  // namespace novum::rng
