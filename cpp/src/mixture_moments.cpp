// (4) for a chunk: the rows that a component answers for are packed as sqrt(w r) (x - shift), columns in lanes; second = packed' packed.
#include <cmath>

#include "novum/mixture_chunk.h"

namespace novum::mixture {

namespace {

template <int BYTES>
struct Block : Doubles<BYTES> {
    static constexpr std::size_t ROWS = BYTES == 64 ? 8 : 4;                    // columns on the left taken at once
    static constexpr std::size_t PANELS = BYTES == 64 ? 3 : 1;                  // panels on the right that the registers can hold
    static constexpr std::size_t VECTORS = PANEL / Doubles<BYTES>::LANES;       // of a panel
};

// Rows with a responsibility that counts; their w r into `root`.
NOVUM_INLINE std::size_t choose(const double* r, const double* weight, std::size_t n, std::uint32_t* index, double* root) {
    std::size_t m = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double w = weight ? weight[i] : 1.0;
        index[m] = static_cast<std::uint32_t>(i);
        root[m] = w * r[i];
        m += r[i] >= NEGLIGIBLE && w > 0;  // NaN counts for no one
    }
    return m;
}

template <class Real, int BYTES>
NOVUM_INLINE typename Doubles<BYTES>::V widen(const Real* p) {
    if constexpr (sizeof(Real) == 8) {
        return Doubles<BYTES>::load(p);
    } else {
        typedef float Half __attribute__((vector_size(BYTES / 2)));
        Half half;
        std::memcpy(&half, p, sizeof half);
        return __builtin_convertvector(half, typename Doubles<BYTES>::V);
    }
}

template <int BYTES, class Real>
NOVUM_INLINE void pack(const Real* x, const std::uint32_t* index, const double* root, std::size_t m, std::size_t d, std::size_t width,
                       const double* shift, double* packed) {
    using S = Doubles<BYTES>;
    for (std::size_t a = 0; a < m; ++a, packed += width) {
        const Real* row = x + index[a] * d;
        std::size_t j = 0;
        for (; j + S::LANES <= d; j += S::LANES)
            S::store(packed + j, root[a] * (widen<Real, BYTES>(row + j) - S::load(shift + j)));
        for (; j < d; ++j) packed[j] = root[a] * (static_cast<double>(row[j]) - shift[j]);
    }
}

// Add to `second` the products of ROWS columns from `left` on with P panels from `right` on; with SUM also root' right to `first`.
// The loops over registers are unrolled by force: an accumulator that is indexed at run time would live in memory.
template <int BYTES, std::size_t P, bool SUM>
NOVUM_INLINE void multiply(const double* packed, const double* root, std::size_t m, std::size_t width, std::size_t left, std::size_t right,
                           double* second, double* first) {
    using S = Block<BYTES>;
    constexpr std::size_t N = P * S::VECTORS;
    typename S::V total[S::ROWS][N] = {}, sum[N] = {};
    for (std::size_t a = 0; a < m; ++a, packed += width) {
        typename S::V b[N];
#pragma GCC unroll 8
        for (std::size_t v = 0; v < N; ++v) b[v] = S::load(packed + right + v * S::LANES);
#pragma GCC unroll 8
        for (std::size_t i = 0; i < S::ROWS; ++i) {
#pragma GCC unroll 8
            for (std::size_t v = 0; v < N; ++v) total[i][v] += packed[left + i] * b[v];
        }
        if constexpr (SUM) {
#pragma GCC unroll 8
            for (std::size_t v = 0; v < N; ++v) sum[v] += root[a] * b[v];
        }
    }
#pragma GCC unroll 8
    for (std::size_t i = 0; i < S::ROWS; ++i) {
#pragma GCC unroll 8
        for (std::size_t v = 0; v < N; ++v) {
            double* place = second + (left + i) * width + right + v * S::LANES;
            S::store(place, S::load(place) + total[i][v]);
        }
    }
    if constexpr (SUM) {
#pragma GCC unroll 8
        for (std::size_t v = 0; v < N; ++v) {
            double* place = first + right + v * S::LANES;
            S::store(place, S::load(place) + sum[v]);
        }
    }
}

template <int BYTES, bool SUM>
NOVUM_INLINE void multiply_row(const double* packed, const double* root, std::size_t m, std::size_t width, std::size_t left,
                               double* second, double* first) {
    std::size_t right = left / PANEL * PANEL;
    if constexpr (Block<BYTES>::PANELS == 3) {
        for (; right + 3 * PANEL <= width; right += 3 * PANEL)
            multiply<BYTES, 3, SUM>(packed, root, m, width, left, right, second, first);
        if (right + 2 * PANEL <= width) {
            multiply<BYTES, 2, SUM>(packed, root, m, width, left, right, second, first);
            right += 2 * PANEL;
        }
    }
    for (; right < width; right += PANEL) multiply<BYTES, 1, SUM>(packed, root, m, width, left, right, second, first);
}

// Sums and sums of squares of every column: two rows at a time, so that their additions do not wait for each other.
template <int BYTES>
NOVUM_INLINE void squares(const double* packed, const double* root, std::size_t m, std::size_t width, double* first, double* second) {
    using S = Block<BYTES>;
    for (std::size_t j = 0; j < width; j += PANEL) {
        typename S::V sum[2][S::VECTORS] = {}, square[2][S::VECTORS] = {};
        const double* p = packed + j;
        std::size_t a = 0;
        auto add = [&](std::size_t which, const double* row, double s) NOVUM_LAMBDA {
#pragma GCC unroll 4
            for (std::size_t v = 0; v < S::VECTORS; ++v) {
                const typename S::V t = S::load(row + v * S::LANES);
                sum[which][v] += s * t;
                square[which][v] += t * t;
            }
        };
        for (; a + 2 <= m; a += 2, p += 2 * width) {
            add(0, p, root[a]);
            add(1, p + width, root[a + 1]);
        }
        if (a < m) add(0, p, root[a]);
#pragma GCC unroll 4
        for (std::size_t v = 0; v < S::VECTORS; ++v) {
            double *f = first + j + v * S::LANES, *s = second + j + v * S::LANES;
            S::store(f, S::load(f) + (sum[0][v] + sum[1][v]));
            S::store(s, S::load(s) + (square[0][v] + square[1][v]));
        }
    }
}

template <class Real>
struct Component {
    template <int BYTES>
    static NOVUM_INLINE double run(const Real* x, std::size_t n, std::size_t d, std::size_t width, const double* weight, const double* r,
                                   const double* shift, bool full, std::uint32_t* index, double* root, double* packed, double* first,
                                   double* second) {
        const std::size_t m = choose(r, weight, n, index, root);
        double mass[8] = {};
        std::size_t a = 0;
        for (; a + 8 <= m; a += 8)
            for (std::size_t l = 0; l < 8; ++l) mass[l] += root[a + l];
        for (; a < m; ++a) mass[0] += root[a];
        for (a = 0; a < m; ++a) root[a] = std::sqrt(root[a]);
        pack<BYTES>(x, index, root, m, d, width, shift, packed);
        if (full) {
            multiply_row<BYTES, true>(packed, root, m, width, 0, second, first);
            for (std::size_t left = Block<BYTES>::ROWS; left < width; left += Block<BYTES>::ROWS)
                multiply_row<BYTES, false>(packed, root, m, width, left, second, first);
        } else {
            squares<BYTES>(packed, root, m, width, first, second);
        }
        return ((mass[0] + mass[1]) + (mass[2] + mass[3])) + ((mass[4] + mass[5]) + (mass[6] + mass[7]));
    }
};

}  // namespace

Moments::Moments(Kind kind, std::size_t k, std::size_t d, const double* shift)
    : kind(kind), k(k), d(d), width((d + PANEL - 1) / PANEL * PANEL), shift(shift), packed(CHUNK * width), root(CHUNK + 1), mass(k),
      first(k * width), second(k * width * (kind == Kind::full ? width : 1)), index(CHUNK + 1) {}

template <class Real>
void Moments::chunk(const Real* x, std::size_t n, const double* weight, const double* r) {
    const std::size_t size = width * (kind == Kind::full ? width : 1);
    for (std::size_t c = 0; c < k; ++c)
        mass.data()[c] += widest<Component<Real>>(x, n, d, width, weight, r + c * CHUNK, shift + c * d, kind == Kind::full, index.data(),
                                                  root.data(), packed.data(), first.data() + c * width, second.data() + c * size);
}
template void Moments::chunk(const float*, std::size_t, const double*, const double*);
template void Moments::chunk(const double*, std::size_t, const double*, const double*);

void Moments::add_to(Sums& sums) const {
    for (std::size_t c = 0; c < k; ++c) {
        sums.mass[c] += mass.data()[c];
        for (std::size_t j = 0; j < d; ++j) sums.first[c * d + j] += first.data()[c * width + j];
        if (kind == Kind::diagonal)
            for (std::size_t j = 0; j < d; ++j) sums.second[c * d + j] += second.data()[c * width + j];
        if (kind == Kind::full)
            for (std::size_t i = 0; i < d; ++i)
                for (std::size_t j = i; j < d; ++j) {
                    const double value = second.data()[(c * width + i) * width + j];
                    sums.second[(c * d + i) * d + j] += value;
                    if (i != j) sums.second[(c * d + j) * d + i] += value;
                }
    }
}

}  // namespace novum::mixture
