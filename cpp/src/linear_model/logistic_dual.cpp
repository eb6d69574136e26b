#include "novum/linear_model/logistic_dual.h"
#include "novum/runtime/interrupt.h"

#include <algorithm>
#include <cmath>

namespace novum {

namespace {

constexpr int MOST_STEPS = 50;     // Newton's method on one row needs one or two
constexpr double SMALL = 1e-6;     // change of u whose square is rounding
constexpr std::size_t AHEAD = 2;   // rows between the one at work and the one fetched: rows come in random order
constexpr std::size_t LINE = 64;   // bytes of a cache line
constexpr std::size_t PARTS = 16;  // steps of a free intercept per epoch

double logistic(double u) { return 1 / (1 + std::exp(-u)); }

template <class T>
void fetch(const T* from, std::size_t count) {
    const char* at = reinterpret_cast<const char*>(from);
    for (std::size_t k = 0; k < count * sizeof(T); k += LINE) __builtin_prefetch(at + k);
}

struct Met {
    double product, square;
};

// x'w and x'x of one row.
template <class Real, class Index>
Met meet(const Real* x, const Index* at, std::size_t count, const double* w) {
    double product[4] = {}, square[4] = {};
    std::size_t j = 0;
    for (; j + 4 <= count; j += 4)
        for (std::size_t l = 0; l < 4; ++l) {
            const double value = static_cast<double>(x[j + l]);
            product[l] += value * w[at[j + l]];
            square[l] += value * value;
        }
    for (; j < count; ++j) {
        const double value = static_cast<double>(x[j]);
        product[0] += value * w[at[j]];
        square[0] += value * value;
    }
    return {(product[0] + product[1]) + (product[2] + product[3]), (square[0] + square[1]) + (square[2] + square[3])};
}

// s(u) at the root of h(u) = u + q (c s(u) - a) + b. h rises by at least 1 per unit, so Newton's steps from u = -b are safe with the
// bracket that 0 < s < 1 gives, halved where they do not halve themselves (they could go to and fro across the bend of s); the last one is
// taken in s itself, which saves an exponential.
double share(double q, double c, double a, double b) {
    double low = q * (a - c) - b, high = q * a - b, u = -b, last = high - low;
    for (int step = 0;; ++step) {
        const double s = logistic(u), bent = s * (1 - s), h = u + q * (c * s - a) + b;
        if (h > 0)
            high = u;
        else
            low = u;
        double change = -h / (1 + q * c * bent);
        if (!(u + change >= low && u + change <= high && std::abs(change) <= 0.5 * last)) change = 0.5 * (low + high) - u;
        if (std::abs(change) <= SMALL || step == MOST_STEPS) return s + bent * change;
        last = std::abs(change);
        u += change;
    }
}

}  // namespace

template <class Real, class Index>
double dual_epoch(Csr<Real, Index> X, Labels labels, double strength, double constant, Intercept intercept, const std::int64_t* order,
                  DualSums& sums, double* a, double* w) {
    double moved = 0;
    const Index begin = X.indptr[0];
    const std::size_t part = std::max<std::size_t>(1, X.rows / PARTS);
    auto count = [&](std::size_t i) { return static_cast<std::size_t>(X.indptr[i + 1] - X.indptr[i]); };
    interrupt::Poller<1024> poller;
    for (std::size_t k = 0; k < X.rows; ++k) {
        poller.tick();
        if (k + AHEAD < X.rows) {
            const auto later = static_cast<std::size_t>(order[k + AHEAD]);
            fetch(X.data + (X.indptr[later] - begin), count(later));
            fetch(X.indices + (X.indptr[later] - begin), count(later));
        }
        const auto i = static_cast<std::size_t>(order[k]);
        const double c = strength * (labels.weight ? labels.weight[i] : 1.0);
        if (c > 0) {
            const Real* x = X.data + (X.indptr[i] - begin);
            const Index* at = X.indices + (X.indptr[i] - begin);
            const std::size_t n = count(i);
            const double y = labels.code[i] ? 1.0 : -1.0, before = a[i];
            Met met = meet(x, at, n, w);
            if (intercept == Intercept::penalised) met.square += constant * constant;
            const double after = c * share(met.square, c, before, y * (met.product + constant * w[X.p])), change = after - before;
            const double by = y * change;
            for (std::size_t j = 0; j < n; ++j) w[at[j]] += by * static_cast<double>(x[j]);
            if (intercept == Intercept::penalised) w[X.p] += by * constant;
            a[i] = after;
            moved += change * change * met.square;
            sums.excess += by;
            sums.bend += change * (1 - (after + before) / c);
        }
        if (intercept == Intercept::free && (k + 1) % part == 0 && sums.bend > 0) w[X.p] += sums.excess / (sums.bend * constant);
    }
    return std::sqrt(moved);
}

#define NOVUM_DUAL(Real, Index) \
    template double dual_epoch(Csr<Real, Index>, Labels, double, double, Intercept, const std::int64_t*, DualSums&, double*, double*);
NOVUM_DUAL(float, std::int32_t)
NOVUM_DUAL(float, std::int64_t)
NOVUM_DUAL(double, std::int32_t)
NOVUM_DUAL(double, std::int64_t)
#undef NOVUM_DUAL

}  // namespace novum
