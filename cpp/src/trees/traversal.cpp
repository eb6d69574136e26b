#include "novum/trees/traversal.h"

#include <algorithm>

#include "novum/runtime/simd.h"

namespace novum::traversal {

namespace {

constexpr std::size_t TOGETHER = 8;  // rows that walk together: enough to hide the latency of a node
constexpr std::size_t BATCH = 128;   // rows that pass through a tree before the next one is fetched

template <bool CATEGORIES, class Real>
NOVUM_INLINE std::uint32_t next(const Trees& trees, const Node& node, const Real* row) {
    const double x = static_cast<double>(row[node.feature & FEATURE_MASK]);
    if (CATEGORIES && (node.feature & CATEGORICAL)) {
        if (x >= 0 && x < 256) {
            const auto code = static_cast<unsigned>(x);
            return node.left + !((trees.sets[8 * static_cast<std::size_t>(node.threshold) + code / 32] >> (code % 32)) & 1);
        }
        return node.left + !(node.feature & MISSING_LEFT);
    }
    const bool above = x > node.threshold, not_below = !(x <= node.threshold);
    return node.left + ((node.feature & MISSING_LEFT) ? above : not_below);
}

/// Walk COUNT rows to their leaves.
template <bool CATEGORIES, std::size_t COUNT, class Real>
NOVUM_INLINE void walk(const Trees& trees, std::int64_t root, const Real* x, std::size_t d, std::uint32_t (&at)[COUNT]) {
    for (std::size_t r = 0; r < COUNT; ++r) at[r] = static_cast<std::uint32_t>(root);
    for (;;) {
        std::uint32_t moved = 0;
#pragma GCC unroll 8
        for (std::size_t r = 0; r < COUNT; ++r) {
            const std::uint32_t to = next<CATEGORIES>(trees, trees.nodes[at[r]], x + r * d);
            moved |= to ^ at[r];
            at[r] = to;
        }
        if (!moved) return;
    }
}

template <bool CATEGORIES, class Real, class Take>
NOVUM_INLINE void pass(const Trees& trees, const Real* x, std::size_t rows, std::size_t d, Take take) {
    for (std::size_t start = 0; start < rows; start += BATCH) {
        const std::size_t stop = std::min(rows, start + BATCH);
        for (std::size_t t = 0; t < trees.trees; ++t) {
            std::size_t i = start;
            for (; i + TOGETHER <= stop; i += TOGETHER) {
                std::uint32_t at[TOGETHER];
                walk<CATEGORIES>(trees, trees.root[t], x + i * d, d, at);
                for (std::size_t r = 0; r < TOGETHER; ++r) take(i + r, t, at[r]);
            }
            for (; i < stop; ++i) {
                std::uint32_t at[1];
                walk<CATEGORIES>(trees, trees.root[t], x + i * d, d, at);
                take(i, t, at[0]);
            }
        }
    }
}

template <class Real, class Take>
NOVUM_INLINE void either(const Trees& trees, const Real* x, std::size_t rows, std::size_t d, Take take) {
    if (trees.categorical)
        pass<true>(trees, x, rows, d, take);
    else
        pass<false>(trees, x, rows, d, take);
}

}  // namespace

template <class Real>
void add_values(const Trees& trees, const Real* x, std::size_t rows, std::size_t d, double* out) {
    const std::size_t outputs = trees.outputs;
    if (outputs == 1)
        either(trees, x, rows, d, [&](std::size_t i, std::size_t, std::uint32_t leaf) NOVUM_LAMBDA { out[i] += trees.value[leaf]; });
    else
        either(trees, x, rows, d,
               [&](std::size_t i, std::size_t t, std::uint32_t leaf) NOVUM_LAMBDA { out[i * outputs + t % outputs] += trees.value[leaf]; });
}

template <class Real>
void add_rows(const Trees& trees, std::size_t width, const Real* x, std::size_t rows, std::size_t d, double* out) {
    const double* value = trees.value;
    if (width == 2)
        either(trees, x, rows, d, [&](std::size_t i, std::size_t, std::uint32_t leaf) NOVUM_LAMBDA {
            out[2 * i] += value[2 * std::size_t(leaf)];
            out[2 * i + 1] += value[2 * std::size_t(leaf) + 1];
        });
    else
        either(trees, x, rows, d, [&](std::size_t i, std::size_t, std::uint32_t leaf) NOVUM_LAMBDA {
            for (std::size_t k = 0; k < width; ++k) out[i * width + k] += value[leaf * width + k];
        });
}

template <class Real>
void leaves(const Trees& trees, const Real* x, std::size_t rows, std::size_t d, std::int64_t* out) {
    either(trees, x, rows, d, [&](std::size_t i, std::size_t t, std::uint32_t leaf) NOVUM_LAMBDA {
        out[i * trees.trees + t] = static_cast<std::int64_t>(leaf) - trees.root[t];
    });
}

bool sound(const Trees& trees, std::size_t nodes, std::size_t sets, std::size_t d) {
    for (std::size_t t = 0; t < trees.trees; ++t) {
        const std::int64_t begin = trees.root[t], end = t + 1 < trees.trees ? trees.root[t + 1] : static_cast<std::int64_t>(nodes);
        if (begin < 0 || begin >= end || end > static_cast<std::int64_t>(nodes)) return false;
        for (std::int64_t i = begin; i < end; ++i) {
            const Node& node = trees.nodes[i];
            const std::int64_t left = node.left;
            const bool leaf = left == i && node.threshold > 1.79e308 && (node.feature & MISSING_LEFT) && !(node.feature & CATEGORICAL);
            if (!leaf && (left <= i || left + 1 >= end)) return false;
            if ((node.feature & FEATURE_MASK) >= d) return false;
            if ((node.feature & CATEGORICAL) &&
                (!trees.categorical || !(node.threshold >= 0 && node.threshold < static_cast<double>(sets))))
                return false;
        }
    }
    return true;
}

template void add_values<float>(const Trees&, const float*, std::size_t, std::size_t, double*);
template void add_values<double>(const Trees&, const double*, std::size_t, std::size_t, double*);
template void add_rows<float>(const Trees&, std::size_t, const float*, std::size_t, std::size_t, double*);
template void add_rows<double>(const Trees&, std::size_t, const double*, std::size_t, std::size_t, double*);
template void leaves<float>(const Trees&, const float*, std::size_t, std::size_t, std::int64_t*);
template void leaves<double>(const Trees&, const double*, std::size_t, std::size_t, std::int64_t*);

}  // namespace novum::traversal
