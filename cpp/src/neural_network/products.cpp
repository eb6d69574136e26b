#include "novum/neural_network/products.h"

#include "novum/neural_network/tiles.h"

namespace novum::neural_network {

namespace {

struct Dense {
    template <int BYTES, class Real>
    static NOVUM_INLINE int run(const Real* a, std::size_t pitch, std::size_t rows, std::size_t depth, const Real* panels,
                                std::size_t panel_rows, const Columns& columns, const Real* start, Real* out, std::size_t out_pitch) {
        for (const Panel& panel : columns.panels)
            by_width<BYTES, Real>(panel.width, [&](auto vectors) NOVUM_LAMBDA {
                const Real* b = panels + panel_rows * panel.first;
                for (std::size_t k = 0, end = 0; k < depth; k = end) {
                    end = strip_end(k, depth);
                    for (std::size_t i = 0; i < rows; i += TILE)
                        eight_rows<BYTES, Real, false, vectors>(a + i * pitch + k, pitch, end - k, b + k * panel.width, panel.width,
                                                                start ? start + panel.first : nullptr, k > 0,
                                                                out + i * out_pitch + panel.first, out_pitch);
                }
            });
        return 0;
    }
};

struct Sparse {
    template <int BYTES, class Real>
    static NOVUM_INLINE int run(const Compressed<Real>& a, const std::int64_t* row, std::size_t rows, const Real* panels,
                                std::size_t panel_rows, const Columns& columns, const Real* start, Real* out, std::size_t out_pitch) {
        using S = panel::Simd<Real, BYTES>;
        for (const Panel& panel : columns.panels)
            by_width<BYTES, Real>(panel.width, [&](auto vectors) NOVUM_LAMBDA {
                constexpr int V = vectors;
                const Real* weights = panels + panel_rows * panel.first;
                for (std::size_t i = 0; i < rows; ++i) {
                    typename S::V s[V];
                    for (int v = 0; v < V; ++v) s[v] = start ? S::load(start + panel.first + v * S::LANES) : typename S::V{};
                    for (std::int64_t e = a.start[row[i]]; e < a.start[row[i] + 1]; ++e)
                        for (int v = 0; v < V; ++v)
                            s[v] += a.value[e] * S::load(weights + static_cast<std::size_t>(a.column[e]) * panel.width + v * S::LANES);
                    for (int v = 0; v < V; ++v) S::store(out + i * out_pitch + panel.first + v * S::LANES, s[v]);
                }
            });
        return 0;
    }
};

}  // namespace

template <class Real>
void multiply(const Real* a, std::size_t pitch, std::size_t rows, std::size_t depth, const Real* panels, std::size_t panel_rows,
              const Columns& columns, const Real* start, Real* out, std::size_t out_pitch) {
    widest<Dense>(a, pitch, rows, depth, panels, panel_rows, columns, start, out, out_pitch);
}

template <class Real>
void multiply_compressed(const Compressed<Real>& a, const std::int64_t* row, std::size_t rows, const Real* panels, std::size_t panel_rows,
                         const Columns& columns, const Real* start, Real* out, std::size_t out_pitch) {
    widest<Sparse>(a, row, rows, panels, panel_rows, columns, start, out, out_pitch);
}

#define NOVUM_INSTANTIATE(Real)                                                                                                            \
    template void multiply(const Real*, std::size_t, std::size_t, std::size_t, const Real*, std::size_t, const Columns&, const Real*,      \
                           Real*, std::size_t);                                                                                            \
    template void multiply_compressed(const Compressed<Real>&, const std::int64_t*, std::size_t, const Real*, std::size_t, const Columns&, \
                                      const Real*, Real*, std::size_t);
NOVUM_INSTANTIATE(float)
NOVUM_INSTANTIATE(double)

}  // namespace novum::neural_network
