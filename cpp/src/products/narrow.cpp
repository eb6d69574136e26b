#include "novum/products/narrow.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "novum/runtime/panels.h"

namespace novum {

namespace {

using panel::Simd;

constexpr std::size_t CHUNK = 64;  // rows that meet all panels while they are in the cache
constexpr std::size_t WIDE = 3;    // vectors of columns in a panel

// Rows taken at once: with the vectors of a panel they fill the registers (32 with AVX-512, 16 before) and leave room for operands.
template <int BYTES, int V>
constexpr int ROWS = BYTES == 64 && V < 3 ? 8 : 4;

// R rows times V vectors of columns and, with TAIL, one of half their width. Rows 2 R further on are prefetched meanwhile: rows are
// read once, and short ones end before the processor would foresee the next.
template <class Real, int BYTES, int V, bool TAIL, int R>
NOVUM_INLINE void block(const Real* x, std::size_t p, const Real* panel, Real* out, std::size_t stride) {
    using S = Simd<Real, BYTES>;
    using H = Simd<Real, BYTES / 2>;
    constexpr std::size_t WIDTH = V * S::LANES + (TAIL ? H::LANES : 0);
    typename S::V sum[R][V ? V : 1];
    typename H::V rest[R];
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) sum[r][v] = typename S::V{};
        rest[r] = typename H::V{};
    }
    const Real* soon = x + 2 * R * p;
    for (std::size_t t = 0; t < p; ++t, panel += WIDTH, soon += R) {
        typename S::V column[V ? V : 1];
        typename H::V half{};
        __builtin_prefetch(soon);
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) column[v] = S::load(panel + v * S::LANES);
        if constexpr (TAIL) half = H::load(panel + V * S::LANES);
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r) {
            const Real value = x[static_cast<std::size_t>(r) * p + t];
#pragma GCC unroll 4
            for (int v = 0; v < V; ++v) sum[r][v] += value * column[v];
            if constexpr (TAIL) rest[r] += value * half;
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
        Real* to = out + static_cast<std::size_t>(r) * stride;
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) S::store(to + v * S::LANES, sum[r][v]);
        if constexpr (TAIL) H::store(to + V * S::LANES, rest[r]);
    }
}

template <class Real, int BYTES, int V, bool TAIL>
NOVUM_INLINE void rows(const Real* x, std::size_t n, std::size_t p, const Real* panel, Real* out, std::size_t stride) {
    constexpr int R = ROWS<BYTES, V + TAIL>;
    std::size_t i = 0;
    for (; i + R <= n; i += R) block<Real, BYTES, V, TAIL, R>(x + i * p, p, panel, out + i * stride, stride);
    for (; i < n; ++i) block<Real, BYTES, V, TAIL, 1>(x + i * p, p, panel, out + i * stride, stride);
}

// Sums of x m, chunk by chunk: `take(first row, rows, sums, stride)`. With `threshold` a cell counts as one if it exceeds it, else zero.
template <class Real, int BYTES, class Take>
NOVUM_INLINE void chunks(const Real* x, std::size_t n, std::size_t p, const Real* m, std::size_t k, const double* threshold, Take take) {
    constexpr std::size_t L = static_cast<std::size_t>(Simd<Real, BYTES>::LANES), H = L / 2;
    const std::size_t stride = k <= H ? H : (k + L - 1) / L * L;  // a panel: up to WIDE vectors, or a half of one for few columns
    std::vector<Real> packed(p * stride, Real(0)), sums(CHUNK * stride), cells(threshold ? CHUNK * p : 0);
    std::size_t from = 0;
    for (std::size_t j = 0; j < stride; j += WIDE * L) {
        const std::size_t width = std::min(WIDE * L, stride - j), used = std::min(width, k - j);
        for (std::size_t t = 0; t < p; ++t) std::copy_n(m + t * k + j, used, packed.data() + from + t * width);
        from += p * width;
    }
    for (std::size_t top = 0; top < n; top += CHUNK) {
        const std::size_t size = std::min(CHUNK, n - top);
        const Real *panel = packed.data(), *here = x + top * p;
        if (threshold) {
            for (std::size_t i = 0; i < size * p; ++i) cells[i] = static_cast<double>(here[i]) > *threshold ? Real(1) : Real(0);
            here = cells.data();
        }
        for (std::size_t j = 0; j < stride; j += WIDE * L) {
            const std::size_t width = std::min(WIDE * L, stride - j);
            Real* to = sums.data() + j;
            if (width == H)
                rows<Real, BYTES, 0, true>(here, size, p, panel, to, stride);
            else if (width == L)
                rows<Real, BYTES, 1, false>(here, size, p, panel, to, stride);
            else if (width == 2 * L)
                rows<Real, BYTES, 2, false>(here, size, p, panel, to, stride);
            else
                rows<Real, BYTES, 3, false>(here, size, p, panel, to, stride);
            panel += p * width;
        }
        take(top, size, sums.data(), stride);
    }
}

template <class Real>
struct Narrow {
    template <int BYTES>
    static NOVUM_INLINE int run(const Real* x, std::size_t n, std::size_t p, const Real* m, std::size_t k, const Real* offset, Real* out) {
        auto take = [&](std::size_t top, std::size_t size, const Real* sums, std::size_t stride) NOVUM_LAMBDA {
            for (std::size_t i = 0; i < size; ++i)
                for (std::size_t j = 0; j < k; ++j) out[(top + i) * k + j] = sums[i * stride + j] + offset[j];
        };
        chunks<Real, BYTES>(x, n, p, m, k, nullptr, take);
        return 0;
    }
};

template <class Real>
struct Best {
    template <int BYTES>
    static NOVUM_INLINE bool run(const Real* x, std::size_t n, std::size_t p, const Real* m, std::size_t k, const Real* offset,
                                 const double* threshold, std::int64_t* label) {
        using H = Simd<Real, BYTES / 2>;
        std::vector<Real> shift(offset, offset + k);
        shift.resize(k + 2 * H::LANES);  // `chunks` fills rows of sums up with zeros
        typename H::V gaps{};            // s - s is zero, or NaN where s is not finite
        auto take = [&](std::size_t top, std::size_t size, Real* sums, std::size_t stride) NOVUM_LAMBDA {
            for (std::size_t i = 0; i < size; ++i) {
                Real* s = sums + i * stride;
                for (std::size_t j = 0; j < stride; j += H::LANES) {
                    const typename H::V score = H::load(s + j) + H::load(shift.data() + j);
                    gaps += score - score;
                    H::store(s + j, score);
                }
            }
            for (std::size_t i = 0; i < size; ++i) {
                const Real* s = sums + i * stride;
                Real most = s[0];
                std::int64_t at = 0;
                for (std::size_t j = 1; j < k; ++j) {
                    at = s[j] > most ? static_cast<std::int64_t>(j) : at;
                    most = s[j] > most ? s[j] : most;
                }
                label[top + i] = at;
            }
        };
        chunks<Real, BYTES>(x, n, p, m, k, threshold, take);
        Real all = 0;
        for (int l = 0; l < H::LANES; ++l) all += gaps[l];
        return all == 0;
    }
};

}  // namespace

template <class Real>
void narrow_product(const Real* x, std::size_t n, std::size_t p, const Real* m, std::size_t k, const Real* offset, Real* out) {
    widest<Narrow<Real>>(x, n, p, m, k, offset, out);
}
template <class Real>
bool narrow_best(const Real* x, std::size_t n, std::size_t p, const Real* m, std::size_t k, const Real* offset, const double* threshold,
                 std::int64_t* label) {
    return widest<Best<Real>>(x, n, p, m, k, offset, threshold, label);
}
template void narrow_product(const float*, std::size_t, std::size_t, const float*, std::size_t, const float*, float*);
template void narrow_product(const double*, std::size_t, std::size_t, const double*, std::size_t, const double*, double*);
template bool narrow_best(const float*, std::size_t, std::size_t, const float*, std::size_t, const float*, const double*, std::int64_t*);
template bool narrow_best(const double*, std::size_t, std::size_t, const double*, std::size_t, const double*, const double*, std::int64_t*);

}  // namespace novum
