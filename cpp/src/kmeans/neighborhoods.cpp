// Assignment by neighborhoods, for few dimensions: a row that stays near its center can only go to one of the center's neighbors.
//
//   2 T <= half[label]   : no center is nearer                       (half: below the distance to the nearest other center)   (8)
//   2 T <= radius[label] : none but the 15 neighbors may be nearer   (radius: below the distance to any other)                (8)
// by |x - c_j| >= |c_label - c_j| - u and u <= T. The state is the label alone.
#include <cmath>

#include "novum/kmeans/chunk.h"

namespace novum::kmeans {

namespace {

using panel::at;
using panel::GROUP;
using panel::Simd;

struct Threshold {
    template <int BYTES>
    static NOVUM_INLINE int run(double slope, double constant, std::size_t rows, const double* distance, float* threshold) {
        // Bounds are floats: where distances are too small for them, a threshold above zero makes every row look.
        constexpr float LEAST = std::numeric_limits<float>::min();
        for (std::size_t i = 0; i < rows; ++i)
            threshold[i] = std::sqrt(static_cast<float>(slope * distance[i] + constant) + LEAST) * float(UP);
        return 0;
    }
};

struct Counts {
    std::size_t near, far;
};

template <class Real>
struct Look {
    template <int BYTES>
    static NOVUM_INLINE Counts run(const Packed<Real>& centers, const Neighbors& neighbors, const Real* x, std::size_t rows,
                                   std::int32_t* label, NeighborScratch<Real>& scratch) {
        using S = Simd<Real, BYTES>;
        constexpr int P = static_cast<int>(GROUP) / S::LANES, L = S::LANES;
        std::size_t near = 0, far = 0;
        for (std::size_t i = 0; i < rows; ++i) {  // no branch: the outcome is as good as random to the processor
            const float reach = 2 * scratch.threshold[i];
            const std::size_t a = at(label[i]);
            scratch.near[near] = scratch.far[far] = static_cast<std::int32_t>(i);
            const bool beyond = reach > neighbors.radius[a];
            near += !beyond & (reach > neighbors.half[a]);
            far += beyond;
        }
        const std::size_t d = centers.d, stride = (d + 1) * GROUP;
        std::size_t changed = 0;
        typename S::I first{};  // the lane of the center itself
        first[0] = -1;
        const auto nobody = typename S::I{} + std::numeric_limits<typename S::Int>::max();
        for (std::size_t n = 0; n < near; ++n) {
            const std::size_t i = at(scratch.near[n]), a = at(label[i]);
            const Real* panel = scratch.panels.data() + a * stride;
            typename S::V s[P];
            for (int p = 0; p < P; ++p) s[p] = S::load(panel + p * L);
            for (std::size_t t = 0; t < d; ++t) {
                const Real xt = (x[i * d + t] - centers.origin[t]) * centers.scale;
                for (int p = 0; p < P; ++p) s[p] += xt * S::load(panel + (t + 1) * GROUP + at(p * L));
            }
            const Real own = s[0][0];
            typename S::V low = first ? typename S::V{} + std::numeric_limits<Real>::infinity() : s[0];
            for (int p = 1; p < P; ++p) low = s[p] < low ? s[p] : low;
            const Real least = panel::least<L>(low);
            if (!(least <= own)) continue;
            typename S::I index = nobody;  // the lowest index among the least; the center itself counts where it is one of them
            for (int p = 0; p < P; ++p) {
                const auto here = s[p] == least ? S::load_int(scratch.index.data() + a * GROUP + p * L) : nobody;
                index = here < index ? here : index;
            }
            const std::int32_t winner = static_cast<std::int32_t>(panel::least<L>(index));
            if (winner == label[i] || at(winner) >= centers.k) continue;
            label[i] = winner;
            scratch.near[changed++] = static_cast<std::int32_t>(i);
        }
        return {changed, far};
    }
};

}  // namespace

template <class Real>
void thresholds(const Packed<Real>& centers, std::size_t rows, const double* distance, float* threshold) {
    const Margin<Real> margin(centers);
    widest<Threshold>(1 + 4 * margin.slope, 4 * margin.constant, rows, distance, threshold);
}
template void thresholds(const Packed<float>&, std::size_t, const double*, float*);
template void thresholds(const Packed<double>&, std::size_t, const double*, float*);

template <class Real>
NeighborScratch<Real>::NeighborScratch(const Packed<Real>& centers, const Neighbors& neighbors, std::size_t rows)
    : panels(centers.k * (centers.d + 1) * GROUP),
      index(centers.k * GROUP, std::numeric_limits<Int>::max()),
      raw(rows * centers.d),
      threshold(rows),
      square(rows),
      near(rows + 1),
      far(rows + 1),
      label(rows) {
    for (std::size_t a = 0; a < centers.k; ++a) {
        Real* panel = panels.data() + a * (centers.d + 1) * GROUP;
        for (std::size_t l = 0; l < GROUP; ++l) {
            const std::int32_t j = neighbors.index[a * GROUP + l];
            if (j < 0) {
                panel[l] = std::numeric_limits<Real>::infinity();
                continue;
            }
            index[a * GROUP + l] = j;
            const std::size_t slot = at(j);
            const Real* lane = centers.panel(slot / centers.lanes) + slot % centers.lanes;
            for (std::size_t t = 0; t <= centers.d; ++t) panel[t * GROUP + l] = lane[t * centers.lanes];
        }
    }
}
template struct NeighborScratch<float>;
template struct NeighborScratch<double>;

template <class Real>
std::size_t neighbor_chunk(const Packed<Real>& centers, const Neighbors& neighbors, const Real* x, std::size_t rows, std::int32_t* label,
                           NeighborScratch<Real>& scratch, double* distance) {
    const std::size_t d = centers.d;
    distance_chunk(centers, x, rows, label, distance);
    thresholds(centers, rows, distance, scratch.threshold.data());
    const Counts counts = widest<Look<Real>>(centers, neighbors, x, rows, label, scratch);
    std::size_t changed = counts.near;
    for (std::size_t f = 0; f < counts.far; ++f) std::copy_n(x + at(scratch.far[f]) * d, d, scratch.raw.data() + f * d);
    if (counts.far) nearest_chunk(centers, scratch.raw.data(), counts.far, scratch.label.data(), scratch.tile);
    for (std::size_t f = 0; f < counts.far; ++f) {
        const std::size_t i = at(scratch.far[f]);
        if (label[i] == scratch.label[f]) continue;
        label[i] = scratch.label[f];
        scratch.near[changed++] = static_cast<std::int32_t>(i);
    }
    for (std::size_t n = 0; n < changed; ++n) {
        const std::size_t i = at(scratch.near[n]);
        for (std::size_t t = 0; t < d; ++t) scratch.raw[n * d + t] = x[i * d + t];
        scratch.label[n] = label[i];
    }
    distance_chunk(centers, scratch.raw.data(), changed, scratch.label.data(), scratch.square.data());
    for (std::size_t n = 0; n < changed; ++n) distance[at(scratch.near[n])] = scratch.square[n];
    return counts.far;
}
template std::size_t neighbor_chunk(const Packed<float>&, const Neighbors&, const float*, std::size_t, std::int32_t*,
                                    NeighborScratch<float>&, double*);
template std::size_t neighbor_chunk(const Packed<double>&, const Neighbors&, const double*, std::size_t, std::int32_t*,
                                    NeighborScratch<double>&, double*);

}  // namespace novum::kmeans
