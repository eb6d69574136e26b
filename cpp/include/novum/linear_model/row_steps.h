// What a pass of Newton's method over rows [x, constant] does with a chunk of them: scores, sums of rows, packing for the Hessian.
//
// To be inlined into functions that are compiled per instruction set.
#pragma once
#include <cmath>
#include <cstddef>

#include "novum/moments/column_panels.h"
#include "novum/runtime/simd.h"

namespace novum::row_steps {

// x . w, in eight lanes whatever the width of the vectors.
template <class Real>
NOVUM_INLINE double dot(const Real* x, const double* w, std::size_t p) {
    double lane[8] = {};
    std::size_t j = 0;
    for (; j + 8 <= p; j += 8)
        for (std::size_t l = 0; l < 8; ++l) lane[l] += static_cast<double>(x[j + l]) * w[j + l];
    double rest = 0;
    for (; j < p; ++j) rest += static_cast<double>(x[j]) * w[j];
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7])) + rest;
}

// theta . [x, constant] of every row.
template <class Real>
NOVUM_INLINE void score_chunk(const Real* X, const double* theta, double constant, std::size_t rows, std::size_t p, double* score) {
    for (std::size_t i = 0; i < rows; ++i) score[i] = dot(X + i * p, theta, p) + constant * theta[p];
}

// out += sum_i u_i [x_i, constant], four rows at a time: `out` is read and written a quarter as often.
template <class Real>
NOVUM_INLINE void add_rows(const Real* X, const double* u, double constant, std::size_t rows, std::size_t p, double* out) {
    std::size_t i = 0;
    double total = 0;
    for (; i + 4 <= rows; i += 4) {
        const Real *a = X + i * p, *b = a + p, *c = b + p, *d = c + p;
        const double ua = u[i], ub = u[i + 1], uc = u[i + 2], ud = u[i + 3];
        for (std::size_t j = 0; j < p; ++j)
            out[j] += (ua * static_cast<double>(a[j]) + ub * static_cast<double>(b[j])) +
                      (uc * static_cast<double>(c[j]) + ud * static_cast<double>(d[j]));
        total += (ua + ub) + (uc + ud);
    }
    for (; i < rows; ++i) {
        for (std::size_t j = 0; j < p; ++j) out[j] += u[i] * static_cast<double>(X[i * p + j]);
        total += u[i];
    }
    out[p] += constant * total;
}

// sqrt(curvature) [x, constant, last] of every row in panels of columns, `last` where it is not null.
template <class Real>
NOVUM_INLINE void pack_chunk(const Real* X, const double* curvature, double constant, const double* last, std::size_t rows, std::size_t p,
                             std::size_t count, double* packed) {
    using panels::PANEL;
    const std::size_t whole = p / PANEL;
    for (std::size_t k = 0; k < rows; ++k) {
        const double scale = std::sqrt(curvature[k]);
        const Real* x = X + k * p;
        for (std::size_t panel = 0; panel < whole; ++panel) {
            double* out = packed + (panel * rows + k) * PANEL;
            for (std::size_t l = 0; l < PANEL; ++l) out[l] = scale * static_cast<double>(x[panel * PANEL + l]);
        }
        for (std::size_t c = whole * PANEL; c < count * PANEL; ++c)
            packed[(c / PANEL * rows + k) * PANEL + c % PANEL] = c < p                ? scale * static_cast<double>(x[c])
                                                                 : c == p             ? scale * constant
                                                                 : c == p + 1 && last ? scale * last[k]
                                                                                      : 0.0;
    }
}

}  // namespace novum::row_steps
