// (4) for a chunk. Full with many columns: the rows that a component answers for are packed as sqrt(w r) (x - shift), columns in lanes;
// second is packed' packed. Else rows in lanes, and nothing is added across lanes before the last chunk.
#include <cmath>
#include <utility>

#include "novum/gaussians/chunk.h"

namespace novum::mixture {

namespace {

template <int BYTES>
struct Block : Doubles<BYTES> {
    static constexpr std::size_t ROWS = BYTES == 64 ? 8 : 4;               // columns on the left taken at once
    static constexpr std::size_t PANELS = BYTES == 64 ? 3 : 1;             // panels on the right that the registers can hold
    static constexpr std::size_t VECTORS = PANEL / Doubles<BYTES>::LANES;  // of a panel
};

// Rows with a responsibility that counts; their w r into `root`.
NOVUM_INLINE std::size_t choose(const double* r, const double* weight, std::size_t n, std::uint32_t* index, double* root) {
    std::size_t m = 0;
    for (std::size_t i = 0; i < n; ++i) {
        index[m] = static_cast<std::uint32_t>(i);
        root[m] = weight[i] * r[i];
        m += r[i] >= NEGLIGIBLE && weight[i] > 0;  // NaN counts for no one
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
        for (; j + S::LANES <= d; j += S::LANES) S::store(packed + j, root[a] * (widen<Real, BYTES>(row + j) - S::load(shift + j)));
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
NOVUM_INLINE void multiply_row(const double* packed, const double* root, std::size_t m, std::size_t width, std::size_t left, double* second,
                               double* first) {
    std::size_t right = left / PANEL * PANEL;
    if constexpr (Block<BYTES>::PANELS == 3) {
        for (; right + 3 * PANEL <= width; right += 3 * PANEL) multiply<BYTES, 3, SUM>(packed, root, m, width, left, right, second, first);
        if (right + 2 * PANEL <= width) {
            multiply<BYTES, 2, SUM>(packed, root, m, width, left, right, second, first);
            right += 2 * PANEL;
        }
    }
    for (; right < width; right += PANEL) multiply<BYTES, 1, SUM>(packed, root, m, width, left, right, second, first);
}

// Sums and sums of squares of C columns, two vectors of rows at a time: their additions do not wait for each other.
template <int BYTES, std::size_t C>
NOVUM_INLINE void squares(const double* columns, const double* share, std::size_t n, const double* shift, double* first, double* second) {
    using S = Doubles<BYTES>;
    typename S::V sum[C][2] = {}, square[C][2] = {};
    for (std::size_t i = 0; i < n; i += 2 * S::LANES) {
#pragma GCC unroll 2
        for (std::size_t v = 0; v < 2; ++v) {
            const typename S::V w = S::load(share + i + v * S::LANES);
#pragma GCC unroll 2
            for (std::size_t c = 0; c < C; ++c) {
                const typename S::V t = S::load(columns + c * CHUNK + i + v * S::LANES) - shift[c], wt = w * t;
                sum[c][v] += wt;
                square[c][v] += wt * t;
            }
        }
    }
#pragma GCC unroll 2
    for (std::size_t c = 0; c < C; ++c) {
        double *f = first + c * PANEL, *s = second + c * PANEL;
        S::store(f, S::load(f) + (sum[c][0] + sum[c][1]));
        S::store(s, S::load(s) + (square[c][0] + square[c][1]));
    }
}

// w r of the rows, their sum added to `mass`.
template <int BYTES>
NOVUM_INLINE std::size_t shares(std::size_t n, const double* weight, const double* r, double* share, double* mass) {
    using S = Doubles<BYTES>;
    const std::size_t pair = 2 * S::LANES, whole = (n + pair - 1) / pair * pair;
    typename S::V total{};
    for (std::size_t i = 0; i < whole; i += S::LANES) {
        const typename S::V w = S::load(weight + i) * S::load(r + i);
        S::store(share + i, w);
        total += w;
    }
    S::store(mass, S::load(mass) + total);
    return whole;
}

struct Columns {
    template <int BYTES>
    static NOVUM_INLINE int run(const double* columns, std::size_t n, std::size_t d, const double* weight, const double* r,
                                const double* shift, double* share, double*, double* mass, double* first, double* second) {
        shares<BYTES>(n, weight, r, share, mass);
        std::size_t j = 0;
        for (; j + 2 <= d; j += 2) squares<BYTES, 2>(columns + j * CHUNK, share, n, shift + j, first + j * PANEL, second + j * PANEL);
        if (j < d) squares<BYTES, 1>(columns + j * CHUNK, share, n, shift + j, first + j * PANEL, second + j * PANEL);
        return 0;
    }
};

// The sum of column C - 1, and of its products with the columns up to itself.
template <int BYTES, std::size_t C>
NOVUM_INLINE void products(const double* offset, const double* share, std::size_t n, double* first, double* second) {
    using S = Doubles<BYTES>;
    typename S::V sum[2] = {}, total[C][2] = {};
    for (std::size_t i = 0; i < n; i += 2 * S::LANES) {
#pragma GCC unroll 2
        for (std::size_t v = 0; v < 2; ++v) {
            const double* t = offset + i + v * S::LANES;
            const typename S::V wt = S::load(share + i + v * S::LANES) * S::load(t + (C - 1) * CHUNK);
            sum[v] += wt;
#pragma GCC unroll 8
            for (std::size_t j = 0; j < C; ++j) total[j][v] += wt * S::load(t + j * CHUNK);
        }
    }
    double *f = first + (C - 1) * PANEL, *s = second + C * (C - 1) / 2 * PANEL;
    S::store(f, S::load(f) + (sum[0] + sum[1]));
#pragma GCC unroll 8
    for (std::size_t j = 0; j < C; ++j) S::store(s + j * PANEL, S::load(s + j * PANEL) + (total[j][0] + total[j][1]));
}

struct FewColumns {
    template <int BYTES>
    static NOVUM_INLINE int run(const double* columns, std::size_t n, std::size_t d, const double* weight, const double* r,
                                const double* shift, double* share, double* offset, double* mass, double* first, double* second) {
        using S = Doubles<BYTES>;
        const std::size_t whole = shares<BYTES>(n, weight, r, share, mass);
        for (std::size_t j = 0; j < d; ++j)
            for (std::size_t i = 0; i < whole; i += S::LANES) S::store(offset + j * CHUNK + i, S::load(columns + j * CHUNK + i) - shift[j]);
        rows<BYTES>(offset, share, n, d, first, second, std::make_index_sequence<FEW_COLUMNS>{});
        return 0;
    }
    template <int BYTES, std::size_t... C>
    static NOVUM_INLINE void rows(const double* offset, const double* share, std::size_t n, std::size_t d, double* first, double* second,
                                  std::index_sequence<C...>) {
        ((C < d ? products<BYTES, C + 1>(offset, share, n, first, second) : void()), ...);
    }
};

template <class Real>
struct Component {
    template <int BYTES>
    static NOVUM_INLINE double run(const Real* x, std::size_t n, std::size_t d, std::size_t width, const double* weight, const double* r,
                                   const double* shift, std::uint32_t* index, double* root, double* packed, double* first, double* second) {
        const std::size_t m = choose(r, weight, n, index, root);
        double mass[8] = {};
        std::size_t a = 0;
        for (; a + 8 <= m; a += 8)
            for (std::size_t l = 0; l < 8; ++l) mass[l] += root[a + l];
        for (; a < m; ++a) mass[0] += root[a];
        for (a = 0; a < m; ++a) root[a] = std::sqrt(root[a]);
        pack<BYTES>(x, index, root, m, d, width, shift, packed);
        multiply_row<BYTES, true>(packed, root, m, width, 0, second, first);
        for (std::size_t left = Block<BYTES>::ROWS; left < width; left += Block<BYTES>::ROWS)
            multiply_row<BYTES, false>(packed, root, m, width, left, second, first);
        return ((mass[0] + mass[1]) + (mass[2] + mass[3])) + ((mass[4] + mass[5]) + (mass[6] + mass[7]));
    }
};

}  // namespace

Moments::Moments(Kind kind, std::size_t k, std::size_t d, const double* shift)
    : kind(kind),
      k(k),
      d(d),
      width((d + PANEL - 1) / PANEL * PANEL),
      packs(kind == Kind::full && d > FEW_COLUMNS),
      size(packs ? width * width : PANEL * (kind == Kind::full ? d * (d + 1) / 2 : d)),
      shift(shift),
      root(CHUNK + 1),
      index(CHUNK + 1) {
    packed.allocate(CHUNK * width);
    mass.allocate(packs ? k : k * PANEL);
    first.allocate(packs ? k * width : k * d * PANEL);
    second.allocate(k * size);
}

template <class Real>
void Moments::chunk(const Real* x, const double* columns, std::size_t n, const double* weight, const double* r) {
    for (std::size_t c = 0; c < k; ++c) {
        const double *own = r + c * CHUNK, *about = shift + c * d;
        double* square = second.data() + c * size;
        if (packs) {
            mass.data()[c] += widest<Component<Real>>(x, n, d, width, weight, own, about, index.data(), root.data(), packed.data(),
                                                      first.data() + c * width, square);
            continue;
        }
        double *sum = mass.data() + c * PANEL, *line = first.data() + c * d * PANEL;
        if (kind == Kind::full)
            widest<FewColumns>(columns, n, d, weight, own, about, root.data(), packed.data(), sum, line, square);
        else
            widest<Columns>(columns, n, d, weight, own, about, root.data(), packed.data(), sum, line, square);
    }
}
template void Moments::chunk(const float*, const double*, std::size_t, const double*, const double*);
template void Moments::chunk(const double*, const double*, std::size_t, const double*, const double*);

void Moments::add_to(Sums& sums) const {
    auto lanes = [](const double* p) { return ((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7])); };
    for (std::size_t c = 0; c < k; ++c) {
        const double *line = first.data() + c * (packs ? width : d * PANEL), *square = second.data() + c * size;
        sums.mass[c] += packs ? mass.data()[c] : lanes(mass.data() + c * PANEL);
        for (std::size_t j = 0; j < d; ++j) {
            sums.first[c * d + j] += packs ? line[j] : lanes(line + j * PANEL);
            if (kind == Kind::diagonal) sums.second[c * d + j] += lanes(square + j * PANEL);
        }
        for (std::size_t i = 0; kind == Kind::full && i < d; ++i)
            for (std::size_t j = 0; j <= i; ++j) {
                const double value = packs ? square[j * width + i] : lanes(square + (i * (i + 1) / 2 + j) * PANEL);
                sums.second[(c * d + i) * d + j] += value;
                if (i != j) sums.second[(c * d + j) * d + i] += value;
            }
    }
}

}  // namespace novum::mixture
