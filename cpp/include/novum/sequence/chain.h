// What the recursions of a hidden Markov model share: the chain, the log-densities of the steps, sequences side by side, and matrices
// padded to whole vectors.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "novum/runtime/vector_math.h"

namespace novum::sequence {

constexpr double NEVER = -std::numeric_limits<double>::infinity();  // the logarithm of zero
constexpr std::size_t NARROW = 8;                                   // states up to which one vector holds them all
constexpr std::size_t PAD = 8;                                      // states are padded to this many: one AVX-512 vector

struct Chain {
    std::size_t k;
    const double* start;  // (k,)
    const double* trans;  // (k, k), from row to column
};

/// log p(x_t | state): a row of k numbers for every step, or of a table where `index` says which; a negative index is a missing step.
struct Densities {
    const double* log;
    const std::int64_t* index;  // (n,), or null: row t itself
    std::size_t k;

    const double* row(std::size_t t) const {
        if (!index) return log + t * k;
        return index[t] < 0 ? nullptr : log + static_cast<std::size_t>(index[t]) * k;
    }
    /// A row padded with `fill`; a missing step says nothing, so it is zero for every state.
    void copy(std::size_t t, std::size_t width, double fill, double* out) const {
        const double* from = row(t);
        for (std::size_t j = 0; j < k; ++j) out[j] = from ? from[j] : 0.0;
        for (std::size_t j = k; j < width; ++j) out[j] = fill;
    }
};

/// A sum of many terms that keeps what rounding takes away (Kahan): log-likelihoods of millions of steps.
class Total {
  public:
    void add(double x) {
        const double y = x - lost, next = sum + y;
        lost = (next - sum) - y;
        sum = next;
    }
    double value() const { return sum; }

  private:
    double sum = 0, lost = 0;
};

/// Sequences that lie one after the other: rows offsets[s] to offsets[s + 1].
struct Bundle {
    const std::int64_t* offsets;  // (count + 1,)
    std::size_t count;
    const double* weight;  // (count,), or null for ones

    std::size_t begin(std::size_t s) const { return static_cast<std::size_t>(offsets[s]); }
    std::size_t end(std::size_t s) const { return static_cast<std::size_t>(offsets[s + 1]); }
    double share(std::size_t s) const { return weight ? weight[s] : 1.0; }
    std::size_t longest() const {
        std::size_t most = 0;
        for (std::size_t s = 0; s < count; ++s) most = std::max(most, end(s) - begin(s));
        return most;
    }
};

inline std::size_t padded(std::size_t k) { return (k + PAD - 1) / PAD * PAD; }

/// A k x k matrix with rows padded to whole vectors, as it is or transposed; `fill` pads it.
template <class Change>
std::vector<double> padded_matrix(const double* from, std::size_t k, bool transposed, double fill, Change change) {
    const std::size_t width = padded(k);
    std::vector<double> out(k * width, fill);
    for (std::size_t i = 0; i < k; ++i)
        for (std::size_t j = 0; j < k; ++j) out[i * width + j] = change(transposed ? from[j * k + i] : from[i * k + j]);
    return out;
}

inline double log_or_never(double p) { return p > 0 ? std::log(p) : NEVER; }

/// out = sum_i x[i] row i of m, for N vectors of columns: two chains of fused multiply-adds hide their latency.
template <int BYTES, int N>
NOVUM_INLINE void combine_columns(const double* x, const double* m, std::size_t k, std::size_t width, double* out) {
    using D = Doubles<BYTES>;
    typename D::V even[N] = {}, odd[N] = {};
    std::size_t i = 0;
    for (; i + 1 < k; i += 2, m += 2 * width)
        for (int v = 0; v < N; ++v) {
            even[v] += x[i] * D::load(m + v * D::LANES);
            odd[v] += x[i + 1] * D::load(m + width + v * D::LANES);
        }
    if (i < k)
        for (int v = 0; v < N; ++v) even[v] += x[i] * D::load(m + v * D::LANES);
    for (int v = 0; v < N; ++v) D::store(out + v * D::LANES, even[v] + odd[v]);
}

/// out (width,) = x (k,) times m (k, width).
template <int BYTES>
NOVUM_INLINE void combine_rows(const double* x, const double* m, std::size_t k, std::size_t width, double* out) {
    constexpr std::size_t LANES = Doubles<BYTES>::LANES;
    std::size_t j = 0;
    for (; j + 4 * LANES <= width; j += 4 * LANES) combine_columns<BYTES, 4>(x, m + j, k, width, out + j);
    for (; j + 2 * LANES <= width; j += 2 * LANES) combine_columns<BYTES, 2>(x, m + j, k, width, out + j);
    for (; j < width; j += LANES) combine_columns<BYTES, 1>(x, m + j, k, width, out + j);
}

template <int BYTES>
NOVUM_INLINE double sum_of(typename Doubles<BYTES>::V v) {
    if constexpr (Doubles<BYTES>::LANES == 8)
        return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
    else if constexpr (Doubles<BYTES>::LANES == 4)
        return (v[0] + v[2]) + (v[1] + v[3]);
    else
        return v[0] + v[1];
}

template <int BYTES>
NOVUM_INLINE double max_of(typename Doubles<BYTES>::V v) {
    double top = v[0];
    for (std::size_t lane = 1; lane < Doubles<BYTES>::LANES; ++lane) top = v[lane] > top ? v[lane] : top;
    return top;
}

template <int BYTES>
NOVUM_INLINE double min_of(typename Doubles<BYTES>::V v) {
    constexpr std::size_t LANES = Doubles<BYTES>::LANES;
    if constexpr (LANES == 2) {
        return v[0] < v[1] ? v[0] : v[1];
    } else {
        double low[LANES / 2];
        for (std::size_t lane = 0; lane < LANES / 2; ++lane) low[lane] = v[lane] < v[lane + LANES / 2] ? v[lane] : v[lane + LANES / 2];
        for (std::size_t lane = 1; lane < LANES / 2; ++lane) low[0] = low[lane] < low[0] ? low[lane] : low[0];
        return low[0];
    }
}

}  // namespace novum::sequence
