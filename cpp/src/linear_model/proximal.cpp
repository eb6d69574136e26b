#include "novum/linear_model/proximal.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/simd.h"

namespace novum {

namespace {

double soft(double x, double t) { return x > t ? x - t : x < -t ? x + t : 0.0; }

// How far a coordinate is from optimal: the least slope that its penalty allows.
double violation(double slope, double value, double l1) {
    if (value != 0) return std::abs(slope + (value > 0 ? l1 : -l1));
    return std::max(0.0, std::abs(slope) - l1);
}

// Full sweeps find who moves; between them only those that are not at zero are swept.
template <class Slope, class Move>
int sweep(Coordinates at, const double* curvature, double tol, int max_sweeps, Slope slope, Move move) {
    std::vector<std::size_t> live;
    interrupt::Poller<64> poller;
    auto visit = [&](std::size_t j) {
        poller.tick();
        if (!(curvature[j] > 0)) return 0.0;  // a column of zeros: nothing to gain
        const double value = at.value[j] + at.step[j], q = slope(j), off = violation(q, value, at.l1[j]);
        if (off > 0.1 * tol) {
            const double change = soft(value - q / curvature[j], at.l1[j] / curvature[j]) - value;
            if (change != 0) {
                at.step[j] += change;
                move(j, change);
            }
        }
        return off;
    };
    int done = 0;
    while (done < max_sweeps) {
        double worst = 0;
        for (std::size_t j = 0; j < at.count; ++j) worst = std::max(worst, visit(j));
        ++done;
        if (worst <= tol) break;
        live.clear();
        for (std::size_t j = 0; j < at.count; ++j)
            if (at.value[j] + at.step[j] != 0) live.push_back(j);
        while (done < max_sweeps) {
            double off = 0;
            for (std::size_t j : live) off = std::max(off, visit(j));
            ++done;
            if (off <= tol) break;
        }
    }
    return done;
}

NOVUM_CLONES void add_scaled(double* out, const double* x, double by, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] += by * x[i];
}

template <class Real>
NOVUM_INLINE double plain_dot(const Real* x, const double* v, std::size_t n) {
    double lane[8] = {}, rest = 0;
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (std::size_t l = 0; l < 8; ++l) lane[l] += static_cast<double>(x[i + l]) * v[i + l];
    for (; i < n; ++i) rest += static_cast<double>(x[i]) * v[i];
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7])) + rest;
}

template <class Real>
NOVUM_INLINE double square_dot(const Real* x, const double* r, std::size_t n) {
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) total += r[i] * static_cast<double>(x[i]) * static_cast<double>(x[i]);
    return total;
}

template <class Real>
NOVUM_INLINE void bend(double* bent, const Real* x, const double* r, double by, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) bent[i] += by * r[i] * static_cast<double>(x[i]);
}

NOVUM_CLONES double dot_of(const double* x, const double* v, std::size_t n) { return plain_dot(x, v, n); }
NOVUM_CLONES double dot_of(const float* x, const double* v, std::size_t n) { return plain_dot(x, v, n); }
NOVUM_CLONES void bend_by(double* b, const double* x, const double* r, double by, std::size_t n) { bend(b, x, r, by, n); }
NOVUM_CLONES void bend_by(double* b, const float* x, const double* r, double by, std::size_t n) { bend(b, x, r, by, n); }

// `each(j, f)` calls f(row, value) for the entries of coordinate j.
template <class Each, class Dot, class Bend>
int on_columns(std::size_t rows, std::size_t p, const std::int64_t* which, double constant, const double* r, Coordinates at, double* bent,
               double tol, int max_sweeps, Each square, Dot dot, Bend add) {
    auto is_constant = [&](std::size_t j) { return static_cast<std::size_t>(which[j]) == p; };
    std::vector<double> curvature(at.count);
    for (std::size_t j = 0; j < at.count; ++j) {
        double h = 0;
        if (is_constant(j))
            for (std::size_t i = 0; i < rows; ++i) h += constant * constant * r[i];
        else
            h = square(which[j]);
        curvature[j] = h + at.l2[j];
    }
    auto slope = [&](std::size_t j) {
        double q = at.slope[j] + at.l2[j] * at.step[j];
        if (!is_constant(j)) return q + dot(which[j]);
        for (std::size_t i = 0; i < rows; ++i) q += constant * bent[i];
        return q;
    };
    auto move = [&](std::size_t j, double by) {
        if (!is_constant(j)) return add(which[j], by);
        add_scaled(bent, r, constant * by, rows);
    };
    return sweep(at, curvature.data(), tol, max_sweeps, slope, move);
}

}  // namespace

int descend_gram(const double* hessian, Coordinates at, double tol, int max_sweeps) {
    const std::size_t m = at.count;
    std::vector<double> slope(at.slope, at.slope + m), curvature(m);  // slope holds g + l2 w + H d, without l2 d
    for (std::size_t j = 0; j < m; ++j) {
        curvature[j] = hessian[j * m + j] + at.l2[j];
        if (at.step[j] != 0) add_scaled(slope.data(), hessian + j * m, at.step[j], m);
    }
    auto now = [&](std::size_t j) { return slope[j] + at.l2[j] * at.step[j]; };
    auto move = [&](std::size_t j, double by) { add_scaled(slope.data(), hessian + j * m, by, m); };
    return sweep(at, curvature.data(), tol, max_sweeps, now, move);
}

template <class Real, class Index>
int descend_columns(const Real* data, const Index* indices, const Index* indptr, std::size_t rows, std::size_t p, const std::int64_t* which,
                    double constant, const double* r, Coordinates at, double* bent, double tol, int max_sweeps) {
    auto square = [&](std::int64_t c) {
        double h = 0;
        for (Index k = indptr[c]; k < indptr[c + 1]; ++k) h += r[indices[k]] * static_cast<double>(data[k]) * static_cast<double>(data[k]);
        return h;
    };
    auto dot = [&](std::int64_t c) {
        double q = 0;
        for (Index k = indptr[c]; k < indptr[c + 1]; ++k) q += static_cast<double>(data[k]) * bent[indices[k]];
        return q;
    };
    auto add = [&](std::int64_t c, double by) {
        for (Index k = indptr[c]; k < indptr[c + 1]; ++k) bent[indices[k]] += by * r[indices[k]] * static_cast<double>(data[k]);
    };
    return on_columns(rows, p, which, constant, r, at, bent, tol, max_sweeps, square, dot, add);
}

template <class Real>
int descend_columns(const Real* X, std::size_t rows, std::size_t p, const std::int64_t* which, double constant, const double* r,
                    Coordinates at, double* bent, double tol, int max_sweeps) {
    auto column = [&](std::int64_t c) { return X + static_cast<std::size_t>(c) * rows; };
    auto square = [&](std::int64_t c) { return square_dot(column(c), r, rows); };
    auto dot = [&](std::int64_t c) { return dot_of(column(c), bent, rows); };
    auto add = [&](std::int64_t c, double by) { bend_by(bent, column(c), r, by, rows); };
    return on_columns(rows, p, which, constant, r, at, bent, tol, max_sweeps, square, dot, add);
}

#define NOVUM_DESCENT(Real, Index)                                                                                               \
    template int descend_columns(const Real*, const Index*, const Index*, std::size_t, std::size_t, const std::int64_t*, double, \
                                 const double*, Coordinates, double*, double, int);
NOVUM_DESCENT(float, std::int32_t)
NOVUM_DESCENT(float, std::int64_t)
NOVUM_DESCENT(double, std::int32_t)
NOVUM_DESCENT(double, std::int64_t)
#undef NOVUM_DESCENT
template int descend_columns(const float*, std::size_t, std::size_t, const std::int64_t*, double, const double*, Coordinates, double*,
                             double, int);
template int descend_columns(const double*, std::size_t, std::size_t, const std::int64_t*, double, const double*, Coordinates, double*,
                             double, int);

}  // namespace novum
