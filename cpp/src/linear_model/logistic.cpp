#include "novum/linear_model/logistic.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "novum/linear_model/row_steps.h"
#include "novum/moments/column_panels.h"
#include "novum/runtime/vector_math.h"

namespace novum {

namespace {

using panels::CHUNK;
using panels::PANEL;
using row_steps::add_rows;
using row_steps::pack_chunk;
using row_steps::score_chunk;

constexpr std::size_t FEW = 64;  // rows whose terms are computed together, a whole number of vectors

// With m = (2t - 1) z and e = exp(-|m|): loss log(1 + e) + max(-m, 0), slope (2t - 1) s(-m), curvature e / (1 + e)^2. No cancellation.
struct Terms {
    template <int BYTES>
    static NOVUM_INLINE double run(const double* score, const std::int64_t* code, const double* weight, std::size_t rows, double* residual,
                                   double* curvature) {
        using D = Doubles<BYTES>;
        using V = typename D::V;
        double m[FEW] = {}, sign[FEW] = {}, w[FEW], slope[FEW], bend[FEW], term[D::LANES];
        std::fill(w, w + FEW, 1.0);
        V loss = D::splat(0.0);
        for (std::size_t top = 0; top < rows; top += FEW) {
            const std::size_t n = std::min(FEW, rows - top);
            for (std::size_t k = 0; k < n; ++k) {
                sign[k] = code[top + k] ? 1.0 : -1.0;
                m[k] = sign[k] * score[top + k];
            }
            if (weight) std::copy(weight + top, weight + top + n, w);
            if (n < FEW) std::fill(w + n, w + FEW, 0.0);
            for (std::size_t k = 0; k < FEW; k += D::LANES) {
                const V margin = D::load(m + k), each = D::load(w + k), down = margin < 0.0 ? margin : -margin;
                const V e = exp_nonpositive<BYTES>(down), share = 1.0 / (1.0 + e);
                loss += each * (log_above_one<BYTES>(1.0 + e) + (margin < 0.0 ? -margin : D::splat(0.0)));
                D::store(slope + k, -D::load(sign + k) * each * (margin < 0.0 ? share : e * share));
                D::store(bend + k, each * e * share * share);
            }
            std::copy(slope, slope + n, residual + top);
            std::copy(bend, bend + n, curvature + top);
        }
        D::store(term, loss);
        double total = 0;
        for (double t : term) total += t;
        return total;
    }
};

// The steps of a chunk, compiled per instruction set.
template <class Real>
struct Steps {
    void (*score)(const Real*, const double*, double, std::size_t, std::size_t, double*);
    void (*add)(const Real*, const double*, double, std::size_t, std::size_t, double*);
    void (*pack)(const Real*, const double*, double, std::size_t, std::size_t, std::size_t, double*);
};

template <class Real>
double pass(const Steps<Real>& step, const Real* X, Labels labels, const double* theta, double constant, std::size_t rows, std::size_t p,
            double* gradient, double* hessian, double* curvature) {
    const std::size_t columns = p + 1, count = (columns + PANEL - 1) / PANEL, stride = count * PANEL;
    std::vector<double> score(CHUNK), residual(CHUNK), bend(CHUNK);
    std::vector<double> sums(hessian ? stride * stride : 0), packed(hessian ? CHUNK * stride : 0);
    double loss = 0;
    for (std::size_t top = 0; top < rows; top += CHUNK) {
        const std::size_t n = std::min(CHUNK, rows - top);
        const Real* x = X + top * p;
        double* r = curvature ? curvature + top : bend.data();
        step.score(x, theta, constant, n, p, score.data());
        loss += binary_rows(score.data(), {labels.code + top, labels.weight ? labels.weight + top : nullptr}, n, residual.data(), r);
        step.add(x, residual.data(), constant, n, p, gradient);
        if (hessian) {
            step.pack(x, r, constant, n, p, count, packed.data());
            widest<panels::Products>(packed.data(), n, columns, sums.data());
        }
    }
    if (hessian)
        for (std::size_t i = 0; i < columns; ++i)
            for (std::size_t j = i; j < columns; ++j) hessian[i * columns + j] = hessian[j * columns + i] = sums[i * stride + j];
    return loss;
}

template <class Real>
void product(const Steps<Real>& step, const Real* X, const double* curvature, const double* v, double constant, std::size_t rows,
             std::size_t p, double* out) {
    // Few rows at a time, so that the second use of a row finds it in the first-level cache.
    const std::size_t few = std::clamp<std::size_t>(2048 / std::max<std::size_t>(p, 1) * 4, 4, CHUNK);
    std::vector<double> score(few);
    for (std::size_t top = 0; top < rows; top += few) {
        const std::size_t n = std::min(few, rows - top);
        step.score(X + top * p, v, constant, n, p, score.data());
        for (std::size_t i = 0; i < n; ++i) score[i] *= curvature[top + i];
        step.add(X + top * p, score.data(), constant, n, p, out);
    }
}

// Scores to probabilities, rows of at most FEW * k values at a time; returns the loss.
struct Softmax {
    template <int BYTES>
    static NOVUM_INLINE double run(double* z, const std::int64_t* code, const double* weight, std::size_t rows, std::size_t k) {
        using D = Doubles<BYTES>;
        double loss = 0, own[FEW];
        for (std::size_t start = 0; start < rows; start += FEW, z += FEW * k) {
            const std::size_t n = std::min(FEW, rows - start), count = n * k;
            for (std::size_t i = 0; i < n; ++i) {
                double* row = z + i * k;
                double top = row[0];
                for (std::size_t c = 1; c < k; ++c) top = row[c] > top ? row[c] : top;
                own[i] = row[code[start + i]] - top;
                for (std::size_t c = 0; c < k; ++c) row[c] -= top;
            }
            std::size_t j = 0;
            for (; j + D::LANES <= count; j += D::LANES) D::store(z + j, exp_nonpositive<BYTES>(D::load(z + j)));
            if (j < count) {
                double rest[D::LANES] = {};
                std::copy(z + j, z + count, rest);
                D::store(rest, exp_nonpositive<BYTES>(D::load(rest)));
                std::copy(rest, rest + (count - j), z + j);
            }
            for (std::size_t i = 0; i < n; ++i) {
                double *row = z + i * k, total = 0;
                for (std::size_t c = 0; c < k; ++c) total += row[c];
                loss += (weight ? weight[start + i] : 1.0) * (std::log(total) - own[i]);
                const double share = 1.0 / total;
                for (std::size_t c = 0; c < k; ++c) row[c] *= share;
            }
        }
        return loss;
    }
};

NOVUM_CLONES void product_clone(double* s, const double* probability, const double* weight, std::size_t rows, std::size_t k) {
    for (std::size_t i = 0; i < rows; ++i) {
        double* row = s + i * k;
        const double* p = probability + i * k;
        double mean = 0;
        for (std::size_t c = 0; c < k; ++c) mean += p[c] * row[c];
        const double w = weight ? weight[i] : 1.0;
        for (std::size_t c = 0; c < k; ++c) row[c] = w * p[c] * (row[c] - mean);
    }
}

}  // namespace

#define NOVUM_LOGISTIC(Real)                                                                                                       \
    NOVUM_CLONES static void score_clone(const Real* X, const double* t, double c, std::size_t n, std::size_t p, double* z) {      \
        score_chunk(X, t, c, n, p, z);                                                                                             \
    }                                                                                                                              \
    NOVUM_CLONES static void add_clone(const Real* X, const double* u, double c, std::size_t n, std::size_t p, double* out) {      \
        add_rows(X, u, c, n, p, out);                                                                                              \
    }                                                                                                                              \
    NOVUM_CLONES static void pack_clone(const Real* X, const double* r, double c, std::size_t n, std::size_t p, std::size_t m,     \
                                        double* packed) {                                                                          \
        pack_chunk(X, r, c, nullptr, n, p, m, packed);                                                                             \
    }                                                                                                                              \
    template <>                                                                                                                    \
    double binary_pass(const Real* X, Labels labels, const double* theta, double constant, std::size_t rows, std::size_t p,        \
                       double* gradient, double* hessian, double* curvature) {                                                     \
        const Steps<Real> steps{score_clone, add_clone, pack_clone};                                                               \
        return pass(steps, X, labels, theta, constant, rows, p, gradient, hessian, curvature);                                     \
    }                                                                                                                              \
    template <>                                                                                                                    \
    void binary_product(const Real* X, const double* curvature, const double* v, double constant, std::size_t rows, std::size_t p, \
                        double* out) {                                                                                             \
        const Steps<Real> steps{score_clone, add_clone, pack_clone};                                                               \
        product(steps, X, curvature, v, constant, rows, p, out);                                                                   \
    }
NOVUM_LOGISTIC(float)
NOVUM_LOGISTIC(double)
#undef NOVUM_LOGISTIC

double softmax_pass(double* score, Labels labels, std::size_t rows, std::size_t k, double* probability) {
    const double loss = widest<Softmax>(score, labels.code, labels.weight, rows, k);
    if (probability) std::copy(score, score + rows * k, probability);
    for (std::size_t i = 0; i < rows; ++i) {
        double* row = score + i * k;
        row[labels.code[i]] -= 1.0;
        if (labels.weight)
            for (std::size_t c = 0; c < k; ++c) row[c] *= labels.weight[i];
    }
    return loss;
}

void softmax_product(double* product, const double* probability, const double* weight, std::size_t rows, std::size_t k) {
    product_clone(product, probability, weight, rows, k);
}

double binary_rows(const double* score, Labels labels, std::size_t rows, double* residual, double* curvature) {
    return widest<Terms>(score, labels.code, labels.weight, rows, residual, curvature);
}

}  // namespace novum
