// Nearest centers of a chunk of rows, a row per lane: the least score needs no comparison across lanes.
#include "novum/kmeans/chunk.h"
#include "novum/runtime/transpose.h"

namespace novum::kmeans {

namespace {

using panel::at;
using panel::Simd;

// Rows of a register block: two vectors, so that a coordinate of a center is broadcast once for both.
template <class Real, int BYTES>
struct Strip {
    using S = Simd<Real, BYTES>;
    static constexpr int VECTORS = 2, ROWS = VECTORS * S::LANES;
    // Centers scored together, neighbors in a panel: their sums, two columns of rows and an operand fit the registers.
    static constexpr int CENTERS = std::min(S::LANES, BYTES == 64 ? 8 : 4);
    typename S::V best[VECTORS];
    typename S::I index[VECTORS];
};

// Score C centers from `lane` on, of which `first` is the number, and keep the least score and whose it is.
template <class Real, int BYTES, int C>
NOVUM_INLINE void take(const Real* x, std::size_t d, const Real* lane, std::size_t lanes, std::size_t first, Strip<Real, BYTES>& strip) {
    using S = Simd<Real, BYTES>;
    constexpr int VECTORS = Strip<Real, BYTES>::VECTORS;
    typename S::V score[C][VECTORS];
    for (int c = 0; c < C; ++c)
        for (int v = 0; v < VECTORS; ++v) score[c][v] = typename S::V{} + lane[c];
    for (std::size_t t = 0; t < d; ++t, x += VECTORS * S::LANES) {
        lane += lanes;
        typename S::V column[VECTORS];
        for (int v = 0; v < VECTORS; ++v) column[v] = S::load(x + v * S::LANES);
        for (int c = 0; c < C; ++c)
            for (int v = 0; v < VECTORS; ++v) score[c][v] += column[v] * lane[c];
    }
    for (int c = 0; c < C; ++c) {
        const typename S::I here = typename S::I{} + static_cast<typename S::Int>(first + at(c));
        for (int v = 0; v < VECTORS; ++v) {  // strictly less: the lowest index among equals
            const auto less = score[c][v] < strip.best[v];
            strip.best[v] = less ? score[c][v] : strip.best[v];
            strip.index[v] = less ? here : strip.index[v];
        }
    }
}

template <class Real>
struct Nearest {
    template <int BYTES>
    static NOVUM_INLINE int run(const Packed<Real>& centers, const Real* x, std::size_t rows, std::int32_t* label, Real* tile) {
        using S = Simd<Real, BYTES>;
        using Block = Strip<Real, BYTES>;
        constexpr std::size_t ROWS = Block::ROWS, C = Block::CENTERS;
        const std::size_t d = centers.d, lanes = centers.lanes;
        for (std::size_t top = 0; top < rows; top += ROWS) {
            const std::size_t many = std::min(ROWS, rows - top);
            const auto row = [=](std::size_t r) NOVUM_LAMBDA { return x + (top + r) * d; };
            transpose::columns<Real, BYTES>(row, many, d, centers.origin.data(), centers.scale, tile, ROWS);
            Block strip;
            for (int v = 0; v < Block::VECTORS; ++v) {
                strip.best[v] = typename S::V{} + std::numeric_limits<Real>::infinity();
                strip.index[v] = typename S::I{};  // where scores are not numbers
            }
            for (std::size_t j = 0; j < centers.k; j += C) {
                const Real* lane = centers.panel(j / lanes) + j % lanes;
                if (C > 2 && centers.k - j <= C / 2)  // the rest of a panel is padding
                    take<Real, BYTES, C / 2>(tile, d, lane, lanes, j, strip);
                else
                    take<Real, BYTES, C>(tile, d, lane, lanes, j, strip);
            }
            typedef std::int32_t Labels __attribute__((vector_size(S::LANES * 4)));
            Labels found[Block::VECTORS];
            for (int v = 0; v < Block::VECTORS; ++v) found[v] = __builtin_convertvector(strip.index[v], Labels);
            std::memcpy(label + top, found, many * sizeof(std::int32_t));
        }
        return 0;
    }
};

}  // namespace

template <class Real>
void nearest_chunk(const Packed<Real>& centers, const Real* x, std::size_t rows, std::int32_t* label, std::vector<Real>& tile) {
    tile.resize(strip_rows(sizeof(Real)) * centers.d);
    widest<Nearest<Real>>(centers, x, rows, label, tile.data());
}
template void nearest_chunk(const Packed<float>&, const float*, std::size_t, std::int32_t*, std::vector<float>&);
template void nearest_chunk(const Packed<double>&, const double*, std::size_t, std::int32_t*, std::vector<double>&);

}  // namespace novum::kmeans
