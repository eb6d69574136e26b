#include "novum/decomposition/independent.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <vector>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/simd.h"
#include "novum/runtime/transpose.h"
#include "novum/runtime/vector_math.h"

namespace novum {
namespace {

constexpr std::size_t CHUNK = 128;  // rows at a time: the tiles of a few dozen components stay in the second cache
constexpr std::size_t SIDE = 4;     // components of a register block
constexpr double LOG_TWO = 0x1.62e42fefa39efp-1;

struct Free {
    void operator()(double* memory) const { std::free(memory); }
};
using Buffer = std::unique_ptr<double[], Free>;

Buffer aligned_zeros(std::size_t count) {
    const std::size_t bytes = (std::max<std::size_t>(count, 1) * sizeof(double) + 63) / 64 * 64;
    auto* memory = static_cast<double*>(std::aligned_alloc(64, bytes));
    if (!memory) throw std::bad_alloc();
    std::fill_n(memory, bytes / sizeof(double), 0.0);
    return Buffer(memory);
}

/// psi, psi' and G of a vector of sources, each times its weight.
template <int BYTES, Contrast C, bool VALUE>
NOVUM_INLINE void contrast_of(const double* y, const double* w, double* psi, double* slope, double* value, double a) {
    using D = Doubles<BYTES>;
    using V = typename D::V;
    const V zero = D::splat(0.0), one = D::splat(1.0);
    V slopes = zero, values = zero;
    for (std::size_t r = 0; r < CHUNK; r += D::LANES) {
        const V s = D::load(y + r), weight = D::load(w + r);
        V g, h, G = zero;
        if constexpr (C == Contrast::logcosh) {
            const V t = s * a, size = t < zero ? -t : t;
            const V e = exp_nonpositive<BYTES>(-2.0 * size);
            const V q = (one - e) / (one + e);
            g = t < zero ? -q : q;
            h = a * (one - g * g);
            if constexpr (VALUE) G = (size + log_above_one<BYTES>(one + e) - LOG_TWO) / a;
        } else if constexpr (C == Contrast::exponential) {
            const V square = s * s, e = exp_nonpositive<BYTES>(-0.5 * square);
            g = s * e;
            h = (one - square) * e;
            G = -e;
        } else if constexpr (C == Contrast::cube) {
            const V square = s * s;
            g = s * square;
            h = 3.0 * square;
            G = 0.25 * square * square;
        } else if constexpr (C == Contrast::laplace) {
            g = s > zero ? one : (s < zero ? -one : zero);
            h = zero;
            G = s < zero ? -s : s;
        } else {
            const V below = a + s * s;
            g = (a + 1.0) * s / below;
            h = (a + 1.0) * (a - s * s) / (below * below);
            if constexpr (VALUE) G = 0.5 * (a + 1.0) * log_above_one<BYTES>(below / a);
        }
        D::store(psi + r, g * weight);
        D::store(slope + r, h * weight);
        slopes += h * weight;
        if constexpr (VALUE) values += G * weight;
    }
    for (std::size_t lane = 0; lane < D::LANES; ++lane) slope[CHUNK] += slopes[lane];
    if constexpr (VALUE)
        for (std::size_t lane = 0; lane < D::LANES; ++lane) *value += values[lane];
}

/// Y = B X over a chunk, both with rows along the fast axis.
template <int BYTES>
NOVUM_INLINE void unmix(const double* B, const double* X, double* Y, std::size_t p, std::size_t k) {
    using D = Doubles<BYTES>;
    using V = typename D::V;
    for (std::size_t c = 0; c < k; c += SIDE) {
        const std::size_t many = std::min(SIDE, k - c);
        for (std::size_t r = 0; r < CHUNK; r += 4 * D::LANES) {
            if (many == SIDE) {
                V acc[SIDE][4] = {};
                for (std::size_t j = 0; j < p; ++j) {
                    const double* x = X + j * CHUNK + r;
                    V v[4];
                    for (int u = 0; u < 4; ++u) v[u] = D::load(x + u * D::LANES);
                    for (std::size_t s = 0; s < SIDE; ++s) {
                        const V b = D::splat(B[(c + s) * p + j]);
                        for (int u = 0; u < 4; ++u) acc[s][u] += b * v[u];
                    }
                }
                for (std::size_t s = 0; s < SIDE; ++s)
                    for (int u = 0; u < 4; ++u) D::store(Y + (c + s) * CHUNK + r + u * D::LANES, acc[s][u]);
            } else {
                for (std::size_t s = 0; s < many; ++s) {
                    V acc[4] = {};
                    for (std::size_t j = 0; j < p; ++j) {
                        const V b = D::splat(B[(c + s) * p + j]);
                        for (int u = 0; u < 4; ++u) acc[u] += b * D::load(X + j * CHUNK + r + u * D::LANES);
                    }
                    for (int u = 0; u < 4; ++u) D::store(Y + (c + s) * CHUNK + r + u * D::LANES, acc[u]);
                }
            }
        }
    }
}

/// Add L R' of a chunk to sums that keep a vector per entry; with SQUARE, the right side is squared.
template <int BYTES, bool SQUARE>
NOVUM_INLINE void add_products(const double* L, std::size_t left_stride, const double* R, double* sums, std::size_t k, std::size_t padded) {
    using D = Doubles<BYTES>;
    using V = typename D::V;
    for (std::size_t i = 0; i < k; i += SIDE)
        for (std::size_t j = 0; j < k; j += SIDE) {
            V acc[SIDE][SIDE];
            for (std::size_t a = 0; a < SIDE; ++a)
                for (std::size_t b = 0; b < SIDE; ++b) acc[a][b] = D::load(sums + ((i + a) * padded + j + b) * D::LANES);
            for (std::size_t r = 0; r < CHUNK; r += D::LANES) {
                V left[SIDE], right[SIDE];
                for (std::size_t a = 0; a < SIDE; ++a) left[a] = D::load(L + (i + a) * left_stride + r);
                for (std::size_t b = 0; b < SIDE; ++b) {
                    right[b] = D::load(R + (j + b) * CHUNK + r);
                    if constexpr (SQUARE) right[b] *= right[b];
                }
                for (std::size_t a = 0; a < SIDE; ++a)
                    for (std::size_t b = 0; b < SIDE; ++b) acc[a][b] += left[a] * right[b];
            }
            for (std::size_t a = 0; a < SIDE; ++a)
                for (std::size_t b = 0; b < SIDE; ++b) D::store(sums + ((i + a) * padded + j + b) * D::LANES, acc[a][b]);
        }
}

template <class Real>
struct Pass {
    template <int BYTES, Contrast C, bool VALUE>
    static NOVUM_INLINE void contrasts(const double* Y, const double* w, double* psi, double* slope, double* values, std::size_t k,
                                       double a) {
        for (std::size_t c = 0; c < k; ++c)
            contrast_of<BYTES, C, VALUE>(Y + c * CHUNK, w, psi + c * CHUNK, slope + c * (CHUNK + 8), values + c, a);
    }

    template <int BYTES, bool VALUE>
    static NOVUM_INLINE void contrasts_of(Contrast contrast, const double* Y, const double* w, double* psi, double* slope, double* values,
                                          std::size_t k, double a) {
        switch (contrast) {
            case Contrast::logcosh: return contrasts<BYTES, Contrast::logcosh, VALUE>(Y, w, psi, slope, values, k, a);
            case Contrast::exponential: return contrasts<BYTES, Contrast::exponential, VALUE>(Y, w, psi, slope, values, k, a);
            case Contrast::cube: return contrasts<BYTES, Contrast::cube, VALUE>(Y, w, psi, slope, values, k, a);
            case Contrast::laplace: return contrasts<BYTES, Contrast::laplace, VALUE>(Y, w, psi, slope, values, k, a);
            case Contrast::student: return contrasts<BYTES, Contrast::student, VALUE>(Y, w, psi, slope, values, k, a);
        }
    }

    template <int BYTES>
    static NOVUM_INLINE void run(const Real* X, const double* weight, std::size_t n, std::size_t p, const double* mean, const double* B,
                                 std::size_t k, Contrast contrast, double a, const IndependentSums& sums) {
        constexpr std::size_t LANES = Doubles<BYTES>::LANES, SLOPE = CHUNK + 8;  // behind each slope tile its sum
        const std::size_t padded = (k + SIDE - 1) / SIDE * SIDE;
        Buffer tile = aligned_zeros(p * CHUNK), Y = aligned_zeros(padded * CHUNK), psi = aligned_zeros(padded * CHUNK);
        Buffer slope = aligned_zeros(padded * SLOPE), w = aligned_zeros(CHUNK), values = aligned_zeros(k);
        Buffer products = aligned_zeros(padded * padded * LANES);
        Buffer curvature = aligned_zeros(sums.curvature ? padded * padded * LANES : 1);
        interrupt::Poller<64> poller;
        for (std::size_t start = 0; start < n; start += CHUNK) {
            poller.tick();
            const std::size_t rows = std::min(CHUNK, n - start);
            for (std::size_t r = 0; r < rows; ++r) w[r] = weight ? weight[start + r] : 1.0;
            for (std::size_t r = rows; r < CHUNK; ++r) w[r] = 0.0;
            const auto row = [=](std::size_t r) NOVUM_LAMBDA { return X + (start + r) * p; };
            transpose::columns<double, BYTES>(row, rows, p, mean, 1.0, tile.get(), CHUNK);
            for (std::size_t j = 0; rows < CHUNK && j < p; ++j) std::fill(tile.get() + j * CHUNK + rows, tile.get() + (j + 1) * CHUNK, 0.0);
            unmix<BYTES>(B, tile.get(), Y.get(), p, k);
            if (sums.values)
                contrasts_of<BYTES, true>(contrast, Y.get(), w.get(), psi.get(), slope.get(), values.get(), k, a);
            else
                contrasts_of<BYTES, false>(contrast, Y.get(), w.get(), psi.get(), slope.get(), values.get(), k, a);
            add_products<BYTES, false>(psi.get(), CHUNK, Y.get(), products.get(), padded, padded);
            if (sums.curvature) add_products<BYTES, true>(slope.get(), SLOPE, Y.get(), curvature.get(), padded, padded);
        }
        for (std::size_t i = 0; i < k; ++i) {
            for (std::size_t j = 0; j < k; ++j)
                for (std::size_t lane = 0; lane < LANES; ++lane) {
                    sums.products[i * k + j] += products[(i * padded + j) * LANES + lane];
                    if (sums.curvature) sums.curvature[i * k + j] += curvature[(i * padded + j) * LANES + lane];
                }
            sums.slopes[i] += slope[i * SLOPE + CHUNK];
            if (sums.values) sums.values[i] += values[i];
        }
    }
};

}  // namespace

template <class Real>
void independent_sums(const Real* X, const double* weight, std::size_t n, std::size_t p, const double* mean, const double* B, std::size_t k,
                      Contrast contrast, double parameter, const IndependentSums& sums) {
    widest<Pass<Real>>(X, weight, n, p, mean, B, k, contrast, parameter, sums);
}

template void independent_sums(const float*, const double*, std::size_t, std::size_t, const double*, const double*, std::size_t, Contrast,
                               double, const IndependentSums&);
template void independent_sums(const double*, const double*, std::size_t, std::size_t, const double*, const double*, std::size_t, Contrast,
                               double, const IndependentSums&);

}  // namespace novum
