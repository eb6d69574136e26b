#include "novum/neural_network/updates.h"

#include <algorithm>
#include <cmath>

#include "novum/neural_network/tiles.h"

namespace novum::neural_network {

namespace {

constexpr std::size_t TILE_NUMBERS = TILE * WIDEST * 16;  // of a tile of floats in the widest vectors

/// (6), with the step of each number in `scale`.
template <class Real>
NOVUM_INLINE void shrink(Real* __restrict w, const Real* __restrict scale, Real amount, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const Real size = std::abs(w[i]) - amount * scale[i];
        w[i] = size > 0 ? std::copysign(size, w[i]) : Real(0);
    }
}

/// (1) to (6); n is at most the numbers of a tile. Called, not inlined: one copy serves the tiles of all widths.
struct Learn {
    template <int BYTES, class Real>
    static NOVUM_INLINE int run(const Step& step, bool penalized, Real* __restrict g, std::size_t n, const Learned<Real>& learned) {
        Real* __restrict w = learned.w;
        Real* __restrict first = learned.first;
        Real* __restrict second = learned.second;
        const Real inverse = static_cast<Real>(1 / step.rows), alpha = penalized ? static_cast<Real>(step.alpha) : Real(0);
        const Real rate = static_cast<Real>(step.rate), momentum = static_cast<Real>(step.momentum), eps = static_cast<Real>(step.epsilon);
        const Real b1 = static_cast<Real>(step.beta_1), b2 = static_cast<Real>(step.beta_2);
        const Real c1 = static_cast<Real>(1 - step.beta_1), c2 = static_cast<Real>(1 - step.beta_2);
        const bool sparse = penalized && step.l1 > 0;
        alignas(CACHE_LINE) Real scale[TILE_NUMBERS];
        for (std::size_t i = 0; i < n; ++i) g[i] = (g[i] + alpha * w[i]) * inverse;
        switch (step.rule) {
            case Rule::Sgd:
                if (step.nesterov)
                    for (std::size_t i = 0; i < n; ++i) {
                        const Real pull = rate * g[i], speed = momentum * first[i] - pull;
                        first[i] = speed;
                        w[i] += momentum * speed - pull;
                    }
                else
                    for (std::size_t i = 0; i < n; ++i) {
                        const Real speed = momentum * first[i] - rate * g[i];
                        first[i] = speed;
                        w[i] += speed;
                    }
                if (sparse) std::fill_n(scale, n, momentum < 1 ? rate / (1 - momentum) : rate);
                break;
            case Rule::AdaGrad:
            case Rule::RmsProp: {
                const Real keep = step.rule == Rule::AdaGrad ? Real(1) : b2, add = step.rule == Rule::AdaGrad ? Real(1) : c2;
                for (std::size_t i = 0; i < n; ++i) {
                    const Real square = keep * second[i] + add * (g[i] * g[i]);
                    second[i] = square;
                    scale[i] = rate / (std::sqrt(square) + eps);
                    w[i] -= scale[i] * g[i];
                }
                break;
            }
            case Rule::Adam:
                for (std::size_t i = 0; i < n; ++i) {
                    const Real mean = b1 * first[i] + c1 * g[i], square = b2 * second[i] + c2 * (g[i] * g[i]);
                    first[i] = mean;
                    second[i] = square;
                    scale[i] = rate / (std::sqrt(square) + eps);
                    w[i] -= scale[i] * mean;
                }
                break;
        }
        if (sparse) shrink(w, scale, static_cast<Real>(step.l1) * inverse, n);
        return 0;
    }
};

/// Lanes of a and b in turn from lane FIRST on: a0 b0 a1 b1 ...
template <int L, int FIRST, class V, int... J>
NOVUM_INLINE V riffle(V a, V b, std::integer_sequence<int, J...>) {
    return __builtin_shufflevector(a, b, (FIRST + J / 2 + J % 2 * L)...);
}

/// Put a tile of eight rows and some vectors of weights into its place in the transpose.
template <int BYTES, class Real>
NOVUM_INLINE void mirror(const Real* w, std::size_t width, Real* back, std::size_t back_width) {
    using S = panel::Simd<Real, BYTES>;
    if constexpr (S::LANES < static_cast<int>(TILE)) {
        for (std::size_t c = 0; c < width; ++c)
            for (std::size_t r = 0; r < TILE; ++r) back[c * back_width + r] = w[r * width + c];
    } else {
        constexpr int L = S::LANES, HALF = static_cast<int>(TILE) / 2;
        for (std::size_t first = 0; first < width; first += L) {
            typename S::V row[TILE], next[TILE];
            for (std::size_t r = 0; r < TILE; ++r) row[r] = S::load(w + r * width + first);
            // Three perfect shuffles of the whole tile rotate the bits of its indices by three: rows become columns.
            for (int stage = 0; stage < 3; ++stage) {
                for (int j = 0; j < HALF; ++j) {
                    next[2 * j] = riffle<L, 0>(row[j], row[j + HALF], std::make_integer_sequence<int, L>{});
                    next[2 * j + 1] = riffle<L, L / 2>(row[j], row[j + HALF], std::make_integer_sequence<int, L>{});
                }
                for (std::size_t r = 0; r < TILE; ++r) row[r] = next[r];
            }
            alignas(CACHE_LINE) Real turned[TILE * L];
            for (std::size_t r = 0; r < TILE; ++r) S::store(turned + r * L, row[r]);
            for (std::size_t c = 0; c < static_cast<std::size_t>(L); ++c)
                std::memcpy(back + (first + c) * back_width, turned + c * TILE, TILE * sizeof(Real));
        }
    }
}

struct Change {
    template <int BYTES, class Real>
    static NOVUM_INLINE int run(const LayerTask<Real>& task, const Step& step, std::size_t index, std::size_t begin, std::size_t end,
                                Real* scratch, double* norms) {
        const Panel panel = task.shape->columns.panels[index];
        const std::size_t width = panel.width, offset = task.shape->rows * panel.first;
        const Real* delta = task.delta + panel.first;
        std::size_t pitch = task.delta_pitch;
        alignas(CACHE_LINE) Real tile[TILE_NUMBERS];
        by_width<BYTES, Real>(width, [&](auto vectors) NOVUM_LAMBDA {
            using S = panel::Simd<Real, BYTES>;
            constexpr int V = vectors;
            if (begin == 0 && (task.shift.w || task.shift_gradient)) {
                typename S::V s[V] = {};
                for (std::size_t b = 0; b < task.count; ++b)
                    for (int v = 0; v < V; ++v) s[v] += S::load(delta + b * pitch + v * S::LANES);
                for (int v = 0; v < V; ++v) S::store(tile + v * S::LANES, s[v]);
                if (task.shift_gradient)
                    for (std::size_t c = 0; c < width; ++c) task.shift_gradient[panel.first + c] += tile[c];
                else
                    run_at<BYTES, Learn>(step, false, static_cast<Real*>(tile), width, task.shift.at(panel.first));
            }
            if (end - begin > 2 * TILE && !task.entries) {  // the errors of the panel side by side, for all the tiles that need them
                for (std::size_t b = 0; b < task.count; ++b)
                    for (int v = 0; v < V; ++v) S::store(scratch + b * width + v * S::LANES, S::load(delta + b * pitch + v * S::LANES));
                delta = scratch;
                pitch = width;
            }
            Real* sums = scratch + task.count * width;
            for (std::size_t k = 0, stop = 0; !task.entries && k < task.count; k = stop) {
                stop = strip_end(k, task.count);
                for (std::size_t i = begin; i < end; i += TILE)
                    eight_rows<BYTES, Real, true, V>(task.input + k * task.input_pitch + i, task.input_pitch, stop - k, delta + k * pitch,
                                                     pitch, nullptr, k > 0, sums + (i - begin) * width, width);
            }
            typename S::V squares = {}, sizes = {};
            std::size_t other = 0;
            for (std::size_t i = begin; i < end; i += TILE) {
                Real* g = task.entries ? tile : sums + (i - begin) * width;
                if (task.entries) from_entries<BYTES, Real, V>(*task.entries, i, task.shape->in, delta, pitch, g);
                const std::size_t used = std::min(TILE, task.shape->in - i);
                std::fill(g + used * width, g + TILE * width, Real(0));  // rows of padding stay zero
                if (task.gradient) {
                    Real* to = task.gradient + offset + i * width;
                    for (std::size_t c = 0; c < used * width; ++c) to[c] += g[c];
                    continue;
                }
                const Learned<Real> weights = task.weights.at(offset + i * width);
                run_at<BYTES, Learn>(step, true, g, TILE * width, weights);
                if (task.back) {
                    while (i >= task.shape->back.panels[other].first + task.shape->back.panels[other].width) ++other;
                    const Panel to = task.shape->back.panels[other];
                    mirror<BYTES, Real>(weights.w, width,
                                        task.back + task.shape->back_rows * to.first + panel.first * to.width + (i - to.first), to.width);
                }
                if (step.alpha > 0 || step.l1 > 0)
                    for (std::size_t c = 0; c < TILE * width; c += S::LANES) {
                        const typename S::V w = S::load(weights.w + c);
                        squares += w * w;
                        sizes += w < typename S::V{} ? -w : w;
                    }
            }
            for (int l = 0; l < S::LANES; ++l) {
                norms[0] += static_cast<double>(squares[l]);
                norms[1] += static_cast<double>(sizes[l]);
            }
        });
        return 0;
    }

    /// A tile of a' delta from compressed rows.
    template <int BYTES, class Real, int V>
    static NOVUM_INLINE void from_entries(const ByColumn<Real>& entries, std::size_t i, std::size_t in, const Real* delta,
                                          std::size_t pitch, Real* g) {
        using S = panel::Simd<Real, BYTES>;
        for (std::size_t r = 0; r < TILE; ++r) {
            typename S::V s[V] = {};
            if (i + r < in)
                for (std::int64_t e = entries.start[i + r]; e < entries.start[i + r + 1]; ++e) {
                    const Real* d = delta + static_cast<std::size_t>(entries.row[static_cast<std::size_t>(e)]) * pitch;
                    for (int v = 0; v < V; ++v) s[v] += entries.value[static_cast<std::size_t>(e)] * S::load(d + v * S::LANES);
                }
            for (int v = 0; v < V; ++v) S::store(g + r * V * S::LANES + v * S::LANES, s[v]);
        }
    }
};

}  // namespace

template <class Real>
void update(const Step& step, bool penalized, Real* gradient, std::size_t n, const Learned<Real>& learned) {
    for (std::size_t i = 0; i < n; i += TILE_NUMBERS)
        widest<Learn>(step, penalized, gradient + i, std::min(TILE_NUMBERS, n - i), learned.at(i));
}

template <class Real>
void change(const LayerTask<Real>& task, const Step& step, std::size_t panel, std::size_t begin, std::size_t end, Real* scratch,
            double* norms) {
    widest<Change>(task, step, panel, begin, end, scratch, norms);
}

#define NOVUM_INSTANTIATE(Real)                                                        \
    template void update(const Step&, bool, Real*, std::size_t, const Learned<Real>&); \
    template void change(const LayerTask<Real>&, const Step&, std::size_t, std::size_t, std::size_t, Real*, double*);
NOVUM_INSTANTIATE(float)
NOVUM_INSTANTIATE(double)

}  // namespace novum::neural_network
