#include "novum/product.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "novum/panel.h"

namespace novum {

namespace {

using panel::Simd;

constexpr std::size_t ROWS = 4;    // with three vectors of columns: twelve sums, and room for the operands in sixteen registers
constexpr std::size_t CHUNK = 64;  // rows that meet all panels while they are in the cache

// Up to ROWS rows times V vectors of columns.
template <class Real, int BYTES, int V, int R>
NOVUM_INLINE void block(const Real* x, std::size_t p, const Real* panel, Real* out, std::size_t stride) {
    using S = Simd<Real, BYTES>;
    typename S::V sum[R][V];
#pragma GCC unroll 4
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) sum[r][v] = typename S::V{};
    for (std::size_t t = 0; t < p; ++t, panel += V * S::LANES) {
        typename S::V column[V];
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) column[v] = S::load(panel + v * S::LANES);
#pragma GCC unroll 4
        for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
            for (int v = 0; v < V; ++v) sum[r][v] += x[static_cast<std::size_t>(r) * p + t] * column[v];
    }
    for (int r = 0; r < R; ++r)
        for (int v = 0; v < V; ++v) S::store(out + static_cast<std::size_t>(r) * stride + v * S::LANES, sum[r][v]);
}

template <class Real, int BYTES, int V>
NOVUM_INLINE void rows(const Real* x, std::size_t n, std::size_t p, const Real* panel, Real* out, std::size_t stride) {
    std::size_t i = 0;
    for (; i + ROWS <= n; i += ROWS) block<Real, BYTES, V, ROWS>(x + i * p, p, panel, out + i * stride, stride);
    for (; i < n; ++i) block<Real, BYTES, V, 1>(x + i * p, p, panel, out + i * stride, stride);
}

template <class Real>
struct Narrow {
    template <int BYTES>
    static NOVUM_INLINE int run(const Real* x, std::size_t n, std::size_t p, const Real* m, std::size_t k, const Real* offset, Real* out) {
        constexpr std::size_t L = static_cast<std::size_t>(Simd<Real, BYTES>::LANES), WIDE = 3;
        const std::size_t vectors = (k + L - 1) / L, stride = vectors * L;
        std::vector<Real> packed(p * stride, Real(0)), sums(CHUNK * stride);
        std::size_t from = 0;
        for (std::size_t v = 0; v < vectors; v += WIDE) {  // panels of up to WIDE vectors, one after the other
            const std::size_t width = std::min(WIDE, vectors - v) * L, used = std::min(width, k - v * L);
            for (std::size_t t = 0; t < p; ++t) std::copy_n(m + t * k + v * L, used, packed.data() + from + t * width);
            from += p * width;
        }
        for (std::size_t top = 0; top < n; top += CHUNK) {
            const std::size_t size = std::min(CHUNK, n - top);
            const Real* panel = packed.data();
            for (std::size_t v = 0; v < vectors; v += WIDE) {
                const Real* here = x + top * p;
                Real* to = sums.data() + v * L;
                switch (std::min(WIDE, vectors - v)) {
                    case 1: rows<Real, BYTES, 1>(here, size, p, panel, to, stride); break;
                    case 2: rows<Real, BYTES, 2>(here, size, p, panel, to, stride); break;
                    default: rows<Real, BYTES, 3>(here, size, p, panel, to, stride);
                }
                panel += p * std::min(WIDE, vectors - v) * L;
            }
            for (std::size_t i = 0; i < size; ++i)
                for (std::size_t j = 0; j < k; ++j) out[(top + i) * k + j] = sums[i * stride + j] + offset[j];
        }
        return 0;
    }
};

}  // namespace

template <class Real>
void narrow_product(const Real* x, std::size_t n, std::size_t p, const Real* m, std::size_t k, const Real* offset, Real* out) {
    widest<Narrow<Real>>(x, n, p, m, k, offset, out);
}
template void narrow_product(const float*, std::size_t, std::size_t, const float*, std::size_t, const float*, float*);
template void narrow_product(const double*, std::size_t, std::size_t, const double*, std::size_t, const double*, double*);

}  // namespace novum
