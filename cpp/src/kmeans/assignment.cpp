// Nearest centers of a chunk of rows, by panels of centers, or with rows side by side in a vector when d is small.
#include "novum/kmeans/chunk.h"

namespace novum::kmeans {

namespace {

using panel::at;
using panel::Simd;

template <class Real, int BYTES>
struct Best {
    typename Simd<Real, BYTES>::V score[Simd<Real, BYTES>::ROWS];
    typename Simd<Real, BYTES>::I index[Simd<Real, BYTES>::ROWS];
};

// Score P panels from `first` for six rows and keep, lane by lane, the least score and the panel it came from.
template <class Real, int BYTES, int P>
NOVUM_INLINE void take(const Packed<Real>& centers, const Real* const* x, std::size_t first, Best<Real, BYTES>& best) {
    using S = Simd<Real, BYTES>;
    typename S::V s[S::ROWS][P];
    panel::scores<Real, BYTES, S::ROWS, P>(x, centers.panel(first), centers.d, s);
    for (int p = 0; p < P; ++p) {
        const typename S::I here = S::load_int(centers.index.data() + (first + p) * S::LANES);
        for (int r = 0; r < S::ROWS; ++r) {
            const auto less = s[r][p] < best.score[r];
            best.score[r] = less ? s[r][p] : best.score[r];
            best.index[r] = less ? here : best.index[r];
        }
    }
}

template <class Real>
struct ByPanels {
    template <int BYTES>
    static NOVUM_INLINE int run(const Packed<Real>& centers, const Real* shifted, std::size_t rows, std::int32_t* label) {
        using S = Simd<Real, BYTES>;
        const std::size_t count = centers.count();
        for (std::size_t top = 0; top < rows; top += S::ROWS) {
            const Real* x[S::ROWS];
            for (std::size_t r = 0; r < S::ROWS; ++r) x[r] = shifted + std::min(top + r, rows - 1) * centers.d;
            Best<Real, BYTES> best;
            for (int r = 0; r < S::ROWS; ++r) {
                best.score[r] = typename S::V{} + std::numeric_limits<Real>::infinity();
                best.index[r] = typename S::I{} + std::numeric_limits<typename S::Int>::max();
            }
            std::size_t p = 0;
            for (; p + S::PANELS <= count; p += S::PANELS) take<Real, BYTES, S::PANELS>(centers, x, p, best);
            switch (count - p) {
                case 1: take<Real, BYTES, 1>(centers, x, p, best); break;
                case 2:
                    if constexpr (S::PANELS > 2) take<Real, BYTES, 2>(centers, x, p, best);
                    break;
                case 3:
                    if constexpr (S::PANELS > 2) take<Real, BYTES, 3>(centers, x, p, best);
                    break;
            }
            for (std::size_t r = 0; r < S::ROWS && top + r < rows; ++r) {
                const auto least = panel::least<S::LANES>(best.score[r]);
                const auto index = best.score[r] == least ? best.index[r] : typename S::I{} + std::numeric_limits<typename S::Int>::max();
                const auto winner = panel::least<S::LANES>(index);  // nobody where scores are not numbers
                label[top + r] = at(winner) < centers.k ? static_cast<std::int32_t>(winner) : 0;
            }
        }
        return 0;
    }
};

// Rows side by side: the coordinates of 2 vectors of rows stay in registers while the centers pass by.
template <class Real, int BYTES, int D>
NOVUM_INLINE void by_rows(const Packed<Real>& centers, const Real* shifted, std::size_t rows, std::int32_t* label) {
    using S = Simd<Real, BYTES>;
    constexpr int L = S::LANES, VECTORS = 2;
    const std::size_t stride = (D + 1) * centers.lanes;
    for (std::size_t top = 0; top < rows; top += VECTORS * L) {
        typename S::V x[VECTORS][D], best[VECTORS];
        typename S::I index[VECTORS];
        for (int v = 0; v < VECTORS; ++v) {
            Real column[D][L];
            for (int l = 0; l < L; ++l)
                for (int t = 0; t < D; ++t) column[t][l] = shifted[std::min(top + at(v * L + l), rows - 1) * D + at(t)];
            for (int t = 0; t < D; ++t) x[v][t] = S::load(column[t]);
            best[v] = typename S::V{} + std::numeric_limits<Real>::infinity();
            index[v] = typename S::I{};
        }
        for (std::size_t j = 0; j < centers.k; ++j) {
            const Real* lane = centers.panels.data() + j / centers.lanes * stride + j % centers.lanes;
            const typename S::I here = typename S::I{} + static_cast<typename S::Int>(j);
            for (int v = 0; v < VECTORS; ++v) {
                typename S::V score = typename S::V{} + lane[0];
                for (int t = 0; t < D; ++t) score += x[v][t] * lane[at(t + 1) * centers.lanes];
                const auto less = score < best[v];
                best[v] = less ? score : best[v];
                index[v] = less ? here : index[v];
            }
        }
        for (int v = 0; v < VECTORS; ++v)
            for (int l = 0; l < L; ++l) {
                const std::size_t i = top + at(v * L + l);
                if (i < rows) label[i] = static_cast<std::int32_t>(index[v][l]);
            }
    }
}

template <class Real, int D>
struct ByRows {
    template <int BYTES>
    static NOVUM_INLINE int run(const Packed<Real>& centers, const Real* shifted, std::size_t rows, std::int32_t* label) {
        by_rows<Real, BYTES, D>(centers, shifted, rows, label);
        return 0;
    }
};

}  // namespace

template <class Real>
void nearest_chunk(const Packed<Real>& centers, const Real* shifted, std::size_t rows, std::int32_t* label) {
    switch (centers.d) {
        case 1: widest<ByRows<Real, 1>>(centers, shifted, rows, label); break;
        case 2: widest<ByRows<Real, 2>>(centers, shifted, rows, label); break;
        case 3: widest<ByRows<Real, 3>>(centers, shifted, rows, label); break;
        case 4: widest<ByRows<Real, 4>>(centers, shifted, rows, label); break;
        case 5: widest<ByRows<Real, 5>>(centers, shifted, rows, label); break;
        case 6: widest<ByRows<Real, 6>>(centers, shifted, rows, label); break;
        case 7: widest<ByRows<Real, 7>>(centers, shifted, rows, label); break;
        case 8: widest<ByRows<Real, 8>>(centers, shifted, rows, label); break;
        default: widest<ByPanels<Real>>(centers, shifted, rows, label);
    }
}
template void nearest_chunk(const Packed<float>&, const float*, std::size_t, std::int32_t*);
template void nearest_chunk(const Packed<double>&, const double*, std::size_t, std::int32_t*);

}  // namespace novum::kmeans
