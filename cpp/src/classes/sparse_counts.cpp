#include <algorithm>
#include <cmath>
#include <vector>

#include "novum/classes/counts.h"
#include "novum/runtime/panels.h"

namespace novum {

namespace {

using panel::Simd;

constexpr std::size_t AHEAD = 16;  // entries whose place is prefetched: columns jump about, and memory is far away
constexpr std::size_t LINE = 8;    // doubles that come together
constexpr std::size_t WIDE = 3;    // vectors of classes that are summed at once

template <class Real, class Index>
NOVUM_INLINE Met counts_of(SparseRows<Real, Index> X, const std::int64_t* code, const double* weight, std::size_t low, std::size_t high,
                           std::size_t d, Cell cell, double* mass, double* count) {
    Met met;
    Real least = 0;
    const auto last = static_cast<std::size_t>(X.begin[X.rows]);
    for (std::size_t i = 0; i < X.rows; ++i) {
        const auto c = static_cast<std::size_t>(code[i]);
        if (c < low || c >= high) continue;
        const double w = weight ? weight[i] : 1.0;
        double* sum = count + (c - low) * d;
        mass[c - low] += w;
        const auto stop = static_cast<std::size_t>(X.begin[i + 1]);
        for (auto entry = static_cast<std::size_t>(X.begin[i]); entry < stop; ++entry) {
            const auto j = static_cast<std::size_t>(X.column[entry]);
            if (j >= d) {
                met.inside = false;
                return met;
            }
            const std::size_t soon = std::min(entry + AHEAD, last - 1);
            __builtin_prefetch(sum + static_cast<std::size_t>(X.column[soon]), 1);
            sum[j] += w * cell(X.value[entry]);
            least = X.value[entry] < least ? X.value[entry] : least;
        }
    }
    met.least = static_cast<double>(least);
    double gaps = 0;  // z - z is zero, or NaN where z is not finite
    for (std::size_t j = 0; j < (high - low) * d; ++j) gaps += count[j] - count[j];
    met.finite = gaps == 0;
    return met;
}

// Sums of V vectors of classes, and with TAIL of half a one, over the entries of one row: they stay in registers. The last rows of
// the table end before a whole panel does and go through `edge`. Returns whether all columns lie in the table.
template <int BYTES, int V, bool TAIL, class Real, class Index>
NOVUM_INLINE bool row_sums(SparseRows<Real, Index> X, std::size_t i, std::size_t d, std::size_t k, Cell cell, const double* table,
                           std::size_t from, double* sum) {
    using S = Simd<double, BYTES>;
    using H = Simd<double, BYTES / 2>;
    constexpr std::size_t WIDTH = V * S::LANES + (TAIL ? H::LANES : 0);
    typename S::V total[V ? V : 1];
    typename H::V rest{};
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) total[v] = S::load(sum + v * S::LANES);
    if constexpr (TAIL) rest = H::load(sum + V * S::LANES);
    double edge[WIDTH];
    const auto last = static_cast<std::size_t>(X.begin[X.rows]), stop = static_cast<std::size_t>(X.begin[i + 1]);
    for (auto entry = static_cast<std::size_t>(X.begin[i]); entry < stop; ++entry) {
        const auto j = static_cast<std::size_t>(X.column[entry]);
        if (j >= d) return false;
        const double* soon = table + static_cast<std::size_t>(X.column[std::min(entry + AHEAD, last - 1)]) * k + from;
#pragma GCC unroll 4
        for (std::size_t c = 0; c < WIDTH; c += LINE) __builtin_prefetch(soon + c);
        __builtin_prefetch(soon + WIDTH - 1);
        const double x = cell(X.value[entry]);
        const double* row = table + j * k + from;
        if (row + WIDTH > table + d * k) [[unlikely]] {
            std::fill(edge, edge + WIDTH, 0.0);
            std::copy(row, table + (j + 1) * k, edge);
            row = edge;
        }
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) total[v] += x * S::load(row + v * S::LANES);
        if constexpr (TAIL) rest += x * H::load(row + V * S::LANES);
    }
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) S::store(sum + v * S::LANES, total[v]);
    if constexpr (TAIL) H::store(sum + V * S::LANES, rest);
    return true;
}

// The scores of every row, handed to `take(row, scores)`.
template <int BYTES, class Real, class Index, class Take>
NOVUM_INLINE Met all_sums(SparseRows<Real, Index> X, std::size_t d, std::size_t k, Cell cell, const double* table, const double* constant,
                          Take take) {
    constexpr std::size_t L = static_cast<std::size_t>(Simd<double, BYTES>::LANES), H = L / 2;
    const std::size_t stride = (k + H - 1) / H * H;
    std::vector<double> sum(stride);
    Met met;
    double gaps = 0;
    for (std::size_t i = 0; i < X.rows && met.inside; ++i) {
        std::copy(constant, constant + k, sum.begin());
        std::fill(sum.begin() + static_cast<std::ptrdiff_t>(k), sum.end(), 0.0);
        for (std::size_t from = 0; from < stride && met.inside; from += WIDE * L) {
            double* to = sum.data() + from;
            switch (std::min(WIDE * L, stride - from) / H) {
                case 1: met.inside = row_sums<BYTES, 0, true>(X, i, d, k, cell, table, from, to); break;
                case 2: met.inside = row_sums<BYTES, 1, false>(X, i, d, k, cell, table, from, to); break;
                case 3: met.inside = row_sums<BYTES, 1, true>(X, i, d, k, cell, table, from, to); break;
                case 4: met.inside = row_sums<BYTES, 2, false>(X, i, d, k, cell, table, from, to); break;
                case 5: met.inside = row_sums<BYTES, 2, true>(X, i, d, k, cell, table, from, to); break;
                default: met.inside = row_sums<BYTES, 3, false>(X, i, d, k, cell, table, from, to);
            }
        }
        for (std::size_t c = 0; c < k; ++c) gaps += sum[c] - sum[c];
        take(i, sum.data());
    }
    met.finite = gaps == 0;
    return met;
}

struct Scores {
    template <int BYTES, class Real, class Index>
    static NOVUM_INLINE Met run(SparseRows<Real, Index> X, std::size_t d, std::size_t k, Cell cell, const double* table,
                                const double* constant, Real* out) {
        auto take = [&](std::size_t i, const double* sum) NOVUM_LAMBDA {
            for (std::size_t c = 0; c < k; ++c) out[i * k + c] = static_cast<Real>(sum[c]);
        };
        return all_sums<BYTES>(X, d, k, cell, table, constant, take);
    }
};

struct Best {
    template <int BYTES, class Real, class Index>
    static NOVUM_INLINE Met run(SparseRows<Real, Index> X, std::size_t d, std::size_t k, Cell cell, const double* table,
                                const double* constant, std::int64_t* label) {
        auto take = [&](std::size_t i, const double* sum) NOVUM_LAMBDA {
            Real most = static_cast<Real>(sum[0]);  // as scores would be rounded: ties are the same
            std::int64_t at = 0;
            for (std::size_t c = 1; c < k; ++c) {
                const Real score = static_cast<Real>(sum[c]);
                at = score > most ? static_cast<std::int64_t>(c) : at;
                most = score > most ? score : most;
            }
            label[i] = at;
        };
        return all_sums<BYTES>(X, d, k, cell, table, constant, take);
    }
};

}  // namespace

template <class Real, class Index>
Met class_counts(SparseRows<Real, Index> X, std::span<const std::int64_t> code, std::span<const double> weight, std::size_t low,
                 std::size_t high, std::size_t d, Cell cell, double* mass, double* count) {
    return counts_of(X, code.data(), weight.empty() ? nullptr : weight.data(), low, high, d, cell, mass, count);
}

template <class Real, class Index>
Met sparse_scores(SparseRows<Real, Index> X, std::size_t d, std::size_t k, Cell cell, const double* table, const double* constant,
                  Real* out) {
    return widest<Scores>(X, d, k, cell, table, constant, out);
}

template <class Real, class Index>
Met sparse_best(SparseRows<Real, Index> X, std::size_t d, std::size_t k, Cell cell, const double* table, const double* constant,
                std::int64_t* label) {
    return widest<Best>(X, d, k, cell, table, constant, label);
}

#define NOVUM_SPARSE_COUNTS(Real, Index)                                                                                                 \
    template Met class_counts(SparseRows<Real, Index>, std::span<const std::int64_t>, std::span<const double>, std::size_t, std::size_t, \
                              std::size_t, Cell, double*, double*);                                                                      \
    template Met sparse_scores(SparseRows<Real, Index>, std::size_t, std::size_t, Cell, const double*, const double*, Real*);            \
    template Met sparse_best(SparseRows<Real, Index>, std::size_t, std::size_t, Cell, const double*, const double*, std::int64_t*);
NOVUM_SPARSE_COUNTS(float, std::int32_t)
NOVUM_SPARSE_COUNTS(float, std::int64_t)
NOVUM_SPARSE_COUNTS(double, std::int32_t)
NOVUM_SPARSE_COUNTS(double, std::int64_t)
#undef NOVUM_SPARSE_COUNTS

}  // namespace novum
