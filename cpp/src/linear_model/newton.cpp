#include "novum/linear_model/newton.h"

#include <algorithm>
#include <vector>

#include "novum/linear_model/row_steps.h"
#include "novum/moments/column_panels.h"
#include "novum/runtime/vector_math.h"

namespace novum {

namespace {

using panels::CHUNK;
using panels::PANEL;

// What a chunk of rows brings to the terms of a loss, and what these leave; every array is filled up to a whole number of vectors.
struct Chunk {
    double eta[CHUNK], y[CHUNK], weight[CHUNK];
    double slope[CHUNK], bend[CHUNK], by_scale[CHUNK];  // by_scale: what stands for s in a row of the Hessian's design
};

struct Totals {
    double loss = 0, scale_slope = 0;
};

template <int BYTES>
struct Row {
    typename Doubles<BYTES>::V loss, slope, bend, scale_slope, by_scale;
};

// Tweedie (1) and (3), Huber (1) to (3), one vector of rows.
template <LineLoss LOSS, int BYTES>
NOVUM_INLINE Row<BYTES> row_terms(typename Doubles<BYTES>::V y, typename Doubles<BYTES>::V eta, double parameter, double s) {
    using D = Doubles<BYTES>;
    using V = typename D::V;
    const V zero = D::splat(0.0), one = D::splat(1.0);
    if constexpr (LOSS == LineLoss::squares) {
        const V r = eta - y;
        return {0.5 * r * r, r, one, zero, zero};
    } else if constexpr (LOSS == LineLoss::poisson) {
        const V mean = exp_any<BYTES>(eta);
        return {mean - (y > 0.0 ? y * eta : zero), mean - y, mean, zero, zero};
    } else if constexpr (LOSS == LineLoss::gamma) {
        const V ratio = y * exp_any<BYTES>(-eta);
        return {eta + ratio, 1.0 - ratio, ratio, zero, zero};
    } else if constexpr (LOSS == LineLoss::tweedie) {
        const double up = 2 - parameter, down = 1 - parameter;
        const V grown = exp_any<BYTES>(up * eta), power = exp_any<BYTES>(down * eta), drawn = y == 0.0 ? zero : y * power;
        // The exact curvature where it is never negative, else the expected one.
        const V bend = parameter >= 1 && parameter <= 2 ? up * grown - down * drawn : grown;
        return {grown / up - drawn / down, grown - drawn, bend, zero, zero};
    } else if constexpr (LOSS == LineLoss::squared_hinge) {
        const V short_of = 1.0 - y * eta, r = short_of > 0.0 ? short_of : zero;
        return {r * r, -2.0 * y * r, short_of > 0.0 ? D::splat(2.0) : zero, zero, zero};
    } else if constexpr (LOSS == LineLoss::squared_insensitive) {
        const V off = eta - y, size = off < 0.0 ? -off : off, beyond = size - parameter, r = beyond > 0.0 ? beyond : zero;
        return {r * r, off < 0.0 ? -2.0 * r : 2.0 * r, beyond > 0.0 ? D::splat(2.0) : zero, zero, zero};
    } else {
        const double e = parameter, edge = e * s, twice = 2 * e, inverse = 1 / s;
        const V r = y - eta, size = r < 0.0 ? -r : r, z = size <= edge ? r * inverse : zero;
        return {size <= edge ? s + r * z : (s - s * e * e) + twice * size,
                size <= edge ? -2.0 * z : (r < 0.0 ? D::splat(twice) : D::splat(-twice)), size <= edge ? D::splat(2 * inverse) : zero,
                size <= edge ? 1.0 - z * z : D::splat(1 - e * e), z};
    }
}

template <LineLoss LOSS>
struct Terms {
    template <int BYTES>
    static NOVUM_INLINE Totals run(Chunk& c, std::size_t rows, double parameter, double s) {
        using D = Doubles<BYTES>;
        using V = typename D::V;
        const V zero = D::splat(0.0);
        V loss = zero, scale_slope = zero;
        for (std::size_t k = 0; k < rows; k += D::LANES) {
            const V w = D::load(c.weight + k);
            const Row<BYTES> row = row_terms<LOSS, BYTES>(D::load(c.y + k), D::load(c.eta + k), parameter, s);
            loss += w > 0.0 ? w * row.loss : zero;  // what is left out may have no finite loss
            D::store(c.slope + k, w > 0.0 ? w * row.slope : zero);
            D::store(c.bend + k, w > 0.0 ? w * row.bend : zero);
            if constexpr (LOSS == LineLoss::huber) {
                scale_slope += w > 0.0 ? w * row.scale_slope : zero;
                D::store(c.by_scale + k, row.by_scale);
            }
        }
        Totals out;
        for (std::size_t l = 0; l < D::LANES; ++l) {
            out.loss += loss[l];
            out.scale_slope += scale_slope[l];
        }
        return out;
    }
};

Totals terms(const LineModel& model, Chunk& c, std::size_t rows, double s) {
    const auto of = [&]<LineLoss LOSS>() { return widest<Terms<LOSS>>(c, rows, model.parameter, s); };
    switch (model.loss) {
        case LineLoss::squares: return of.template operator()<LineLoss::squares>();
        case LineLoss::poisson: return of.template operator()<LineLoss::poisson>();
        case LineLoss::gamma: return of.template operator()<LineLoss::gamma>();
        case LineLoss::tweedie: return of.template operator()<LineLoss::tweedie>();
        case LineLoss::squared_hinge: return of.template operator()<LineLoss::squared_hinge>();
        case LineLoss::squared_insensitive: return of.template operator()<LineLoss::squared_insensitive>();
        default: return of.template operator()<LineLoss::huber>();
    }
}

// The steps of a chunk, compiled per instruction set.
template <class Real>
struct Steps {
    void (*score)(const Real*, const double*, double, std::size_t, std::size_t, double*);
    void (*add)(const Real*, const double*, double, std::size_t, std::size_t, double*);
    void (*pack)(const Real*, const Chunk&, double, bool, std::size_t, std::size_t, std::size_t, double*);
};

template <class Real>
double pass(const Steps<Real>& step, const Real* X, const LineTarget& target, const LineModel& model, std::size_t rows, std::size_t p,
            double* gradient, double* hessian) {
    const std::size_t m = model.length(p), count = (m + PANEL - 1) / PANEL, stride = count * PANEL;
    const bool scaled = model.loss == LineLoss::huber;
    const double s = scaled ? model.theta[p + 1] : 1.0, inverse = 1 / target.unit;
    std::vector<double> sums(hessian ? stride * stride : 0), packed(hessian ? std::min(CHUNK, rows) * stride : 0);
    Chunk c;
    double loss = 0;
    if (gradient) std::fill(gradient, gradient + m, 0.0);
    for (std::size_t top = 0; top < rows; top += CHUNK) {
        const std::size_t n = std::min(CHUNK, rows - top);
        const Real* x = X + top * p;
        step.score(x, model.theta, model.constant, n, p, c.eta);
        for (std::size_t k = 0; k < n; ++k) c.y[k] = (target.y[top + k] - target.middle) * inverse;
        if (target.weight)
            std::copy(target.weight + top, target.weight + top + n, c.weight);
        else
            std::fill(c.weight, c.weight + n, 1.0);
        for (std::size_t k = n; k % PANEL; ++k) c.eta[k] = c.y[k] = c.weight[k] = 0.0;
        const Totals found = terms(model, c, n, s);
        loss += found.loss;
        if (gradient) {
            step.add(x, c.slope, model.constant, n, p, gradient);
            if (scaled) gradient[p + 1] += found.scale_slope;
        }
        if (hessian) {
            step.pack(x, c, model.constant, scaled, n, p, count, packed.data());
            widest<panels::Products>(packed.data(), n, m, sums.data());
        }
    }
    if (hessian)
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = i; j < m; ++j) hessian[i * m + j] = hessian[j * m + i] = sums[i * stride + j];
    return loss;
}

}  // namespace

#define NOVUM_LINE_PASS(Real)                                                                                                       \
    NOVUM_CLONES static void score_clone(const Real* X, const double* theta, double a, std::size_t n, std::size_t p, double* eta) { \
        row_steps::score_chunk(X, theta, a, n, p, eta);                                                                             \
    }                                                                                                                               \
    NOVUM_CLONES static void add_clone(const Real* X, const double* slope, double a, std::size_t n, std::size_t p, double* out) {   \
        row_steps::add_rows(X, slope, a, n, p, out);                                                                                \
    }                                                                                                                               \
    NOVUM_CLONES static void pack_clone(const Real* X, const Chunk& c, double a, bool scaled, std::size_t n, std::size_t p,         \
                                        std::size_t count, double* packed) {                                                        \
        row_steps::pack_chunk(X, c.bend, a, scaled ? c.by_scale : nullptr, n, p, count, packed);                                    \
    }                                                                                                                               \
    template <>                                                                                                                     \
    double line_pass(const Real* X, LineTarget target, LineModel model, std::size_t rows, std::size_t p, double* gradient,          \
                     double* hessian) {                                                                                             \
        return pass(Steps<Real>{score_clone, add_clone, pack_clone}, X, target, model, rows, p, gradient, hessian);                 \
    }
NOVUM_LINE_PASS(float)
NOVUM_LINE_PASS(double)
#undef NOVUM_LINE_PASS

}  // namespace novum
