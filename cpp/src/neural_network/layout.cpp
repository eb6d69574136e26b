#include "novum/neural_network/layout.h"

#include <algorithm>

namespace novum::neural_network {

Columns::Columns(std::size_t count, std::size_t lanes) : count(count) {
    const std::size_t unit = std::max(lanes, TILE);  // tiles of eight rows must not straddle panels of the transpose
    padded = up_to(count, unit);
    const std::size_t units = padded / unit, most = std::max<std::size_t>(1, WIDEST * lanes / unit);
    const std::size_t parts = (units + most - 1) / most;
    for (std::size_t p = 0, first = 0; p < parts; ++p) {
        const std::size_t width = (units / parts + (p < units % parts)) * unit;
        panels.push_back({first, width});
        first += width;
    }
}

std::size_t pitch_of(std::size_t padded, std::size_t lanes, std::size_t bytes) {
    constexpr std::size_t PERIOD = 1024;  // rows this far apart share four sets of a first-level cache
    return padded * bytes % PERIOD ? padded : padded + std::max(lanes, TILE);
}

Shape::Shape(std::size_t in, std::size_t out, std::size_t lanes)
    : in(in), out(out), rows(up_to(in, TILE)), columns(out, lanes), back(in, lanes) {
    back_rows = columns.padded;
}

template <class Real>
void into_panels(const Real* weights, const Shape& shape, Real* panels) {
    std::fill_n(panels, shape.size(), Real(0));
    for (const Panel& panel : shape.columns.panels) {
        Real* to = panels + shape.rows * panel.first;
        const std::size_t used = std::min(panel.width, shape.out - panel.first);
        for (std::size_t i = 0; i < shape.in; ++i) std::copy_n(weights + i * shape.out + panel.first, used, to + i * panel.width);
    }
}

template <class Real>
void out_of_panels(const Real* panels, const Shape& shape, Real* weights) {
    for (const Panel& panel : shape.columns.panels) {
        const Real* from = panels + shape.rows * panel.first;
        const std::size_t used = std::min(panel.width, shape.out - panel.first);
        for (std::size_t i = 0; i < shape.in; ++i) std::copy_n(from + i * panel.width, used, weights + i * shape.out + panel.first);
    }
}

template <class Real>
void transpose_panels(const Real* panels, const Shape& shape, Real* back) {
    std::fill_n(back, shape.back_size(), Real(0));
    for (const Panel& panel : shape.columns.panels)
        for (const Panel& other : shape.back.panels) {
            const Real* from = panels + shape.rows * panel.first;
            Real* to = back + shape.back_rows * other.first;
            for (std::size_t i = other.first; i < std::min(other.first + other.width, shape.in); ++i)
                for (std::size_t j = panel.first; j < std::min(panel.first + panel.width, shape.out); ++j)
                    to[j * other.width + i - other.first] = from[i * panel.width + j - panel.first];
        }
}

#define NOVUM_INSTANTIATE(Real)                                    \
    template void into_panels(const Real*, const Shape&, Real*);   \
    template void out_of_panels(const Real*, const Shape&, Real*); \
    template void transpose_panels(const Real*, const Shape&, Real*);
NOVUM_INSTANTIATE(float)
NOVUM_INSTANTIATE(double)

}  // namespace novum::neural_network
