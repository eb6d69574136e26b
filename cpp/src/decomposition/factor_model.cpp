#include "novum/decomposition/factor_model.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/simd.h"

namespace novum {

namespace {

// What does not depend on the row: W / noise, the products w w' / noise of every column, logarithms of the noise.
struct Prepared {
    std::size_t p, q, pairs;
    std::vector<double> scaled, products, logs;

    explicit Prepared(const FactorModel& m) : p(m.p), q(m.q), pairs(m.q * (m.q + 1) / 2), scaled(p * q), products(p * pairs), logs(p) {
        for (std::size_t j = 0; j < p; ++j) {
            const double* w = m.loadings + j * q;
            logs[j] = std::log(2 * std::numbers::pi * m.noise[j]);
            double* product = products.data() + j * pairs;
            for (std::size_t a = 0; a < q; ++a) {
                scaled[j * q + a] = w[a] / m.noise[j];
                for (std::size_t b = a; b < q; ++b) *product++ = w[a] * w[b] / m.noise[j];
            }
        }
    }
};

// The factorisation that rows with the same observed cells share.
struct Pattern {
    std::vector<std::size_t> observed;
    std::vector<double> triangle, factor, inverse;  // M packed; its Cholesky factor (lower, q x q); M^{-1} (q x q)
    double constant = 0;                            // log |M| + sum of log(2 pi noise) over the observed cells

    explicit Pattern(const Prepared& m) : triangle(m.pairs), factor(m.q * m.q), inverse(m.q * m.q) { observed.reserve(m.p); }

    template <class Real>
    NOVUM_INLINE bool matches(const Real* x, std::size_t p) const {
        std::size_t seen = 0;
        for (std::size_t j = 0; j < p; ++j) {
            if (x[j] != x[j]) continue;
            if (seen == observed.size() || observed[seen] != j) return false;
            ++seen;
        }
        return seen == observed.size();
    }

    template <class Real>
    NOVUM_INLINE void set(const Real* x, const Prepared& m) {
        const std::size_t q = m.q;
        observed.clear();
        for (std::size_t j = 0; j < m.p; ++j)
            if (x[j] == x[j]) observed.push_back(j);
        std::fill(triangle.begin(), triangle.end(), 0.0);
        constant = 0;
        for (std::size_t j : observed) {
            const double* product = m.products.data() + j * m.pairs;
            for (std::size_t t = 0; t < m.pairs; ++t) triangle[t] += product[t];
            constant += m.logs[j];
        }
        for (std::size_t a = 0, t = 0; a < q; ++a)
            for (std::size_t b = a; b < q; ++b, ++t) factor[b * q + a] = triangle[t] + (a == b ? 1.0 : 0.0);
        for (std::size_t a = 0; a < q; ++a) {  // Cholesky, row by row; M >= I, so no pivot is below one
            for (std::size_t b = 0; b <= a; ++b) {
                double value = factor[a * q + b];
                for (std::size_t c = 0; c < b; ++c) value -= factor[a * q + c] * factor[b * q + c];
                factor[a * q + b] = a == b ? std::sqrt(value) : value / factor[b * q + b];
            }
            constant += 2 * std::log(factor[a * q + a]);
        }
        // The inverse from the inverse of the factor: M^{-1} = L^{-T} L^{-1}.
        std::fill(inverse.begin(), inverse.end(), 0.0);
        for (std::size_t b = 0; b < q; ++b) {
            inverse[b * q + b] = 1 / factor[b * q + b];
            for (std::size_t a = b + 1; a < q; ++a) {
                double value = 0;
                for (std::size_t c = b; c < a; ++c) value -= factor[a * q + c] * inverse[c * q + b];
                inverse[a * q + b] = value / factor[a * q + a];
            }
        }
        for (std::size_t a = 0; a < q; ++a)
            for (std::size_t b = 0; b <= a; ++b) {  // rows c >= a of L^{-1}; entry (a, b) is not needed by later ones
                double value = 0;
                for (std::size_t c = a; c < q; ++c) value += inverse[c * q + a] * inverse[c * q + b];
                factor[a * q + b] = value;
            }
        for (std::size_t a = 0; a < q; ++a)
            for (std::size_t b = 0; b <= a; ++b) inverse[a * q + b] = inverse[b * q + a] = factor[a * q + b];
    }
};

// Posterior mean of z for one row, and log p of its observed cells. `right` holds q values of work, `offset` p of them.
template <class Real>
NOVUM_INLINE double posterior(const Real* x, const FactorModel& model, const Prepared& m, const Pattern& pattern, double* offset,
                              double* right, double* z) {
    const std::size_t q = m.q;
    for (std::size_t a = 0; a < q; ++a) right[a] = 0;
    for (std::size_t j : pattern.observed) {
        const double d = static_cast<double>(x[j]) - model.mean[j];
        offset[j] = d;
        const double* u = m.scaled.data() + j * q;
        for (std::size_t a = 0; a < q; ++a) right[a] += u[a] * d;
    }
    double square = 0;
    for (std::size_t a = 0; a < q; ++a) {
        double value = 0;
        for (std::size_t b = 0; b < q; ++b) value += pattern.inverse[a * q + b] * right[b];
        z[a] = value;
        square += value * value;
    }
    for (std::size_t j : pattern.observed) {  // as a sum of squares: the difference in (17) would cancel where noise is small
        const double* w = model.loadings + j * q;
        double rest = offset[j];
        for (std::size_t a = 0; a < q; ++a) rest -= w[a] * z[a];
        square += rest * rest / model.noise[j];
    }
    return -0.5 * (pattern.constant + square);
}

// Add the packed upper triangle of w ((z, 1)(z, 1)' + (S, 0)) to `out`.
NOVUM_INLINE void add_outer(const double* z, const double* covariance, std::size_t q, double w, double* out) {
    for (std::size_t a = 0; a < q; ++a) {
        const double scale = w * z[a];
        for (std::size_t b = a; b < q; ++b) *out++ += scale * z[b] + w * covariance[a * q + b];
        *out++ += scale;
    }
    *out += w;
}

template <class Real>
NOVUM_INLINE void sums_of(const Real* X, const std::int64_t* order, const double* weight, std::size_t rows, const FactorModel& model,
                          const FactorSums& sums) {
    const Prepared m(model);
    const std::size_t p = m.p, q = m.q, entries = (q + 1) * (q + 2) / 2;
    Pattern pattern(m);
    std::vector<double> offset(p), right(q), z(q), group(entries);
    auto close = [&]() NOVUM_LAMBDA {  // every observed column of the pattern receives the sum over its rows
        for (std::size_t j : pattern.observed) {
            double* place = sums.second + j * entries;
            for (std::size_t t = 0; t < entries; ++t) place[t] += group[t];
        }
        double* all = sums.second + p * entries;
        for (std::size_t t = 0; t < entries; ++t) all[t] += group[t];
        std::fill(group.begin(), group.end(), 0.0);
    };
    bool open = false;
    interrupt::Poller<64> poller;
    for (std::size_t k = 0; k < rows; ++k) {
        poller.tick();
        const std::size_t i = static_cast<std::size_t>(order[k]);
        const double w = weight ? weight[i] : 1.0;
        if (w == 0) continue;
        const Real* x = X + i * p;
        if (!open || !pattern.matches(x, p)) {
            if (open) close();
            pattern.set(x, m);
            open = true;
        }
        *sums.likelihood += w * posterior(x, model, m, pattern, offset.data(), right.data(), z.data());
        add_outer(z.data(), pattern.inverse.data(), q, w, group.data());
        for (std::size_t j : pattern.observed) {
            const double d = w * offset[j];
            double* cross = sums.cross + j * (q + 1);
            for (std::size_t a = 0; a < q; ++a) cross[a] += d * z[a];
            cross[q] += d;
            sums.square[j] += d * offset[j];
        }
    }
    if (open) close();
}

template <class Real>
NOVUM_INLINE void posterior_of(const Real* X, std::size_t rows, const FactorModel& model, double* mean, double* likelihood,
                               double* covariance) {
    const Prepared m(model);
    const std::size_t p = m.p, q = m.q;
    Pattern pattern(m);
    std::vector<double> offset(p), right(q);
    interrupt::Poller<64> poller;
    for (std::size_t i = 0; i < rows; ++i) {
        poller.tick();
        const Real* x = X + i * p;
        if (i == 0 || !pattern.matches(x, p)) pattern.set(x, m);
        likelihood[i] = posterior(x, model, m, pattern, offset.data(), right.data(), mean + i * q);
        if (covariance) std::copy(pattern.inverse.begin(), pattern.inverse.end(), covariance + i * q * q);
    }
}

}  // namespace

#define NOVUM_LATENT(Real)                                                                                                                 \
    NOVUM_CLONES static void sums_clone(const Real* X, const std::int64_t* order, const double* weight, std::size_t rows,                  \
                                        const FactorModel& model, const FactorSums& sums) {                                                \
        sums_of(X, order, weight, rows, model, sums);                                                                                      \
    }                                                                                                                                      \
    NOVUM_CLONES static void posterior_clone(const Real* X, std::size_t rows, const FactorModel& model, double* mean, double* likelihood,  \
                                             double* covariance) {                                                                         \
        posterior_of(X, rows, model, mean, likelihood, covariance);                                                                        \
    }                                                                                                                                      \
    template <>                                                                                                                            \
    void factor_sums(const Real* X, const std::int64_t* order, std::span<const double> weight, std::size_t rows, const FactorModel& model, \
                     const FactorSums& sums) {                                                                                             \
        sums_clone(X, order, weight.empty() ? nullptr : weight.data(), rows, model, sums);                                                 \
    }                                                                                                                                      \
    template <>                                                                                                                            \
    void factor_posterior(const Real* X, std::size_t rows, const FactorModel& model, double* mean, double* likelihood,                     \
                          double* covariance) {                                                                                            \
        posterior_clone(X, rows, model, mean, likelihood, covariance);                                                                     \
    }
NOVUM_LATENT(float)
NOVUM_LATENT(double)
#undef NOVUM_LATENT

}  // namespace novum
