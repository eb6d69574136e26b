#include "novum/linear_scores.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "novum/simd.h"

namespace novum {

namespace {

template <class Real, int BYTES>
struct Lane {
    typedef Real V __attribute__((vector_size(BYTES)));
    static constexpr std::size_t WIDTH = BYTES / sizeof(Real);
    // Through memcpy: GCC may drop `aligned` from a vector type of dependent size, and an aligned move would fault.
    static NOVUM_INLINE V load(const Real* from) {
        V v;
        std::memcpy(&v, from, sizeof v);
        return v;
    }
    static NOVUM_INLINE void store(Real* to, V v) { std::memcpy(to, &v, sizeof v); }
};

// Scores of R rows for P vectors of classes. `panel` holds bias and then a row of weights per column, P vectors wide.
template <class Real, int BYTES, std::size_t R, std::size_t P>
NOVUM_INLINE void tile(const Real* X, std::size_t d, const Real* panel, Real* to) {
    using L = Lane<Real, BYTES>;
    using V = typename L::V;
    V sum[R][P];
#pragma GCC unroll 8
    for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 8
        for (std::size_t p = 0; p < P; ++p) sum[r][p] = L::load(panel + p * L::WIDTH);
    const Real* w = panel + P * L::WIDTH;
    for (std::size_t j = 0; j < d; ++j, w += P * L::WIDTH) {
        V row[P];
#pragma GCC unroll 8
        for (std::size_t p = 0; p < P; ++p) row[p] = L::load(w + p * L::WIDTH);
#pragma GCC unroll 8
        for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 8
            for (std::size_t p = 0; p < P; ++p) sum[r][p] += X[r * d + j] * row[p];
    }
#pragma GCC unroll 8
    for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 8
        for (std::size_t p = 0; p < P; ++p) L::store(to + (r * P + p) * L::WIDTH, sum[r][p]);
}

struct Scores {
    template <int BYTES, class Real>
    static NOVUM_INLINE void run(const Real* X, std::size_t n, std::size_t d, std::size_t k, const Real* weights, const Real* bias,
                                 Real* out) {
        constexpr std::size_t WIDTH = Lane<Real, BYTES>::WIDTH;
        for (std::size_t from = 0; from < k;) {
            const std::size_t vectors = std::min<std::size_t>(3, (k - from + WIDTH - 1) / WIDTH);
            const std::size_t columns = std::min(vectors * WIDTH, k - from);
            if (vectors == 3) part<BYTES, Real, 3>(X, n, d, k, weights, bias, from, columns, out);
            else if (vectors == 2) part<BYTES, Real, 2>(X, n, d, k, weights, bias, from, columns, out);
            else part<BYTES, Real, 1>(X, n, d, k, weights, bias, from, columns, out);
            from += columns;
        }
    }

    template <int BYTES, class Real, std::size_t P>
    static NOVUM_INLINE void part(const Real* X, std::size_t n, std::size_t d, std::size_t k, const Real* weights,
                                  const Real* bias, std::size_t from, std::size_t columns, Real* out) {
        // Rows that share a load of the weights: enough accumulators to hide the latency, no more than there are registers.
        constexpr std::size_t ROWS = BYTES == 64 ? 8 : 4, STRIDE = P * Lane<Real, BYTES>::WIDTH;
        std::vector<Real> panel((d + 1) * STRIDE);
        for (std::size_t c = 0; c < columns; ++c) panel[c] = bias[from + c];
        for (std::size_t j = 0; j < d; ++j)
            for (std::size_t c = 0; c < columns; ++c) panel[(j + 1) * STRIDE + c] = weights[j * k + from + c];
        Real found[ROWS * STRIDE];
        auto write = [&](std::size_t i, std::size_t rows) NOVUM_LAMBDA {
            for (std::size_t r = 0; r < rows; ++r)
                for (std::size_t c = 0; c < columns; ++c) out[(i + r) * k + from + c] = found[r * STRIDE + c];
        };
        std::size_t i = 0;
        for (; i + ROWS <= n; i += ROWS) {
            tile<Real, BYTES, ROWS, P>(X + i * d, d, panel.data(), found);
            write(i, ROWS);
        }
        for (; i < n; ++i) {
            tile<Real, BYTES, 1, P>(X + i * d, d, panel.data(), found);
            write(i, 1);
        }
    }
};

}  // namespace

template <class Real>
void linear_scores(const Real* X, std::size_t n, std::size_t d, std::size_t k, const Real* weights, const Real* bias, Real* out) {
    widest<Scores>(X, n, d, k, weights, bias, out);
}
template void linear_scores(const float*, std::size_t, std::size_t, std::size_t, const float*, const float*, float*);
template void linear_scores(const double*, std::size_t, std::size_t, std::size_t, const double*, const double*, double*);

}  // namespace novum
