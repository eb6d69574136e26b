#include "novum/trees/histograms.h"

#include <algorithm>
#include <cstring>

#include "novum/runtime/simd.h"

namespace novum::histograms {

namespace {

constexpr int COUNT_SHIFT = 47;  // 2^16 curvatures of at most 2^30 stay below
constexpr std::size_t MOST_ROWS = std::size_t(1) << (COUNT_SHIFT - FRACTION_BITS - 1);
constexpr std::int64_t CURVATURE_MASK = (std::int64_t(1) << COUNT_SHIFT) - 1;
constexpr std::size_t AHEAD = 24;  // rows whose words are prefetched before they are needed
constexpr std::size_t STEP =
    256 * sizeof(Cell) + 64;  // between the columns of the scratch: not 4096 bytes, which would look like one address

typedef std::uint64_t Lanes __attribute__((vector_size(16)));  // unsigned: the count may use the sign bit of its field

template <int COLUMNS, bool INDEXED>
NOVUM_INLINE void add_rows(const std::uint32_t* words, const std::uint32_t* index, const Pair* pairs, std::size_t rows,
                           std::byte* scratch) {
    const auto step = [&](std::size_t i) NOVUM_LAMBDA {
        const std::uint32_t word = INDEXED ? words[index[i]] : words[i];
        const Lanes value = {static_cast<std::uint64_t>(std::int64_t{pairs[i].gradient}),
                             static_cast<std::uint64_t>(std::int64_t{pairs[i].curvature}) + (std::uint64_t{1} << COUNT_SHIFT)};
#pragma GCC unroll 4
        for (int k = 0; k < COLUMNS; ++k) {
            auto* cell = reinterpret_cast<Lanes*>(scratch + k * STEP) + ((word >> (8 * k)) & 255);
            *cell += value;
        }
    };
    std::size_t i = 0;
    if (INDEXED)
        for (; i + AHEAD < rows; ++i) {
            __builtin_prefetch(words + index[i + AHEAD]);
            step(i);
        }
    for (; i < rows; ++i) step(i);
}

template <int COLUMNS>
NOVUM_INLINE void add_columns(const std::uint32_t* words, const std::uint32_t* index, const Pair* pairs, std::size_t rows,
                              std::byte* scratch) {
    if (index)
        add_rows<COLUMNS, true>(words, index, pairs, rows, scratch);
    else
        add_rows<COLUMNS, false>(words, index, pairs, rows, scratch);
}

NOVUM_CLONES void add_group(const std::uint32_t* words, const std::uint32_t* index, const Pair* pairs, std::size_t rows,
                            std::size_t columns, std::byte* scratch) {
    switch (columns) {
        case 4: return add_columns<4>(words, index, pairs, rows, scratch);
        case 3: return add_columns<3>(words, index, pairs, rows, scratch);
        case 2: return add_columns<2>(words, index, pairs, rows, scratch);
        default: return add_columns<1>(words, index, pairs, rows, scratch);
    }
}

NOVUM_CLONES void empty(const std::byte* scratch, std::size_t width, bool first, Cell* cell, std::uint32_t* count) {
    const auto* narrow = reinterpret_cast<const Cell*>(scratch);
    if (first) {
        for (std::size_t b = 0; b < width; ++b) {
            cell[b].gradient = narrow[b].gradient;
            cell[b].curvature = narrow[b].curvature & CURVATURE_MASK;
            count[b] = static_cast<std::uint32_t>(static_cast<std::uint64_t>(narrow[b].curvature) >> COUNT_SHIFT);
        }
        return;
    }
    for (std::size_t b = 0; b < width; ++b) {
        cell[b].gradient += narrow[b].gradient;
        cell[b].curvature += narrow[b].curvature & CURVATURE_MASK;
        count[b] += static_cast<std::uint32_t>(static_cast<std::uint64_t>(narrow[b].curvature) >> COUNT_SHIFT);
    }
}

template <bool ADD>
NOVUM_INLINE void combine(std::byte* a, const std::byte* b, std::size_t columns, std::size_t width) {
    for (std::size_t j = 0; j < columns; ++j, a += column_bytes(width), b += column_bytes(width)) {
        auto* x = reinterpret_cast<std::int64_t*>(a);
        const auto* y = reinterpret_cast<const std::int64_t*>(b);
        for (std::size_t i = 0; i < 2 * width; ++i) x[i] = ADD ? x[i] + y[i] : x[i] - y[i];
        std::uint32_t* s = counts(a, width);
        const std::uint32_t* t = counts(b, width);
        for (std::size_t i = 0; i < width; ++i) s[i] = ADD ? s[i] + t[i] : s[i] - t[i];
    }
}

}  // namespace

void accumulate(const std::uint32_t* words, const std::uint32_t* index, const Pair* pairs, std::size_t rows, std::size_t columns,
                std::size_t width, std::byte* scratch, std::byte* out) {
    std::size_t start = 0;
    do {
        const std::size_t count = std::min(MOST_ROWS, rows - start);
        for (std::size_t k = 0; k < columns; ++k) std::memset(scratch + k * STEP, 0, width * sizeof(Cell));
        add_group(index ? words : words + start, index ? index + start : nullptr, pairs + start, count, columns, scratch);
        for (std::size_t k = 0; k < columns; ++k) {
            std::byte* column = out + k * column_bytes(width);
            empty(scratch + k * STEP, width, start == 0, cells(column), counts(column, width));
        }
        start += count;
    } while (start < rows);
}

NOVUM_CLONES void add(std::byte* a, const std::byte* b, std::size_t columns, std::size_t width) { combine<true>(a, b, columns, width); }

NOVUM_CLONES void subtract(std::byte* a, const std::byte* b, std::size_t columns, std::size_t width) {
    combine<false>(a, b, columns, width);
}

}  // namespace novum::histograms
