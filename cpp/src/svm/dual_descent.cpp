#include "novum/svm/dual_descent.h"
#include "novum/runtime/interrupt.h"
#include "novum/runtime/simd.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace novum::svm {

namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr std::size_t LOOK_EVERY = 256;  // rows between two looks for Ctrl-C
constexpr double STILL = 1e-12;          // slope that moves nothing

template <class Real>
struct Dense {
    const Real* x;
    std::size_t p;

    NOVUM_CLONES static double dot(const Real* row, const double* w, std::size_t p) {
        double sum[8] = {};
        std::size_t t = 0;
        for (; t + 8 <= p; t += 8)
            for (std::size_t l = 0; l < 8; ++l) sum[l] += static_cast<double>(row[t + l]) * w[t + l];
        for (; t < p; ++t) sum[0] += static_cast<double>(row[t]) * w[t];
        return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
    }
    NOVUM_CLONES static void move(const Real* row, double d, double* w, std::size_t p) {
        for (std::size_t t = 0; t < p; ++t) w[t] += d * static_cast<double>(row[t]);
    }
    double product(std::size_t i, const double* w) const { return dot(x + i * p, w, p); }
    void add(std::size_t i, double d, double* w) const { move(x + i * p, d, w, p); }
    double square(std::size_t i) const {
        double sum = 0;
        for (std::size_t t = 0; t < p; ++t) sum += static_cast<double>(x[i * p + t]) * static_cast<double>(x[i * p + t]);
        return sum;
    }
    void fetch(std::size_t) const {}
};

template <class Real, class Index>
struct Sparse {
    const Real* values;
    const Index *columns, *starts;

    double product(std::size_t i, const double* w) const {
        double sum[4] = {};
        auto k = static_cast<std::size_t>(starts[i]);
        const auto end = static_cast<std::size_t>(starts[i + 1]);
        for (; k + 4 <= end; k += 4)
            for (std::size_t l = 0; l < 4; ++l) sum[l] += static_cast<double>(values[k + l]) * w[columns[k + l]];
        for (; k < end; ++k) sum[0] += static_cast<double>(values[k]) * w[columns[k]];
        return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
    void add(std::size_t i, double d, double* w) const {
        for (auto k = starts[i]; k < starts[i + 1]; ++k) w[columns[k]] += d * static_cast<double>(values[k]);
    }
    double square(std::size_t i) const {
        double sum = 0;
        for (auto k = starts[i]; k < starts[i + 1]; ++k) sum += static_cast<double>(values[k]) * static_cast<double>(values[k]);
        return sum;
    }
    void fetch(std::size_t i) const {  // rows come in a random order
        const auto k = static_cast<std::size_t>(starts[i]);
        __builtin_prefetch(values + k);
        __builtin_prefetch(columns + k);
    }
};

std::uint64_t next(std::uint64_t& state) {  // splitmix64
    std::uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

double soft(double u, double e) { return u > e ? u - e : u < -e ? u + e : 0.0; }

template <class X>
DualOutcome descend(const X& x, std::size_t n, std::size_t p, double constant, const DualTerms& terms, const DualLimits& limits,
                    std::uint64_t seed, double* b, double* w) {
    std::vector<double> bend(n);
    for (std::size_t i = 0; i < n; ++i) bend[i] = x.square(i) + constant * constant + terms.ridge[i];
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    std::size_t active = n;
    double last = INFINITE, first = -1;
    std::uint64_t state = seed;
    interrupt::Now<LOOK_EVERY> now;
    DualOutcome out{0, INFINITE, false};
    while (out.epochs < limits.epochs) {
        for (std::size_t k = active; k > 1; --k) std::swap(order[k - 1], order[next(state) % k]);
        double largest = 0, total = 0;
        for (std::size_t k = 0; k < active;) {
            now.and_then();
            const std::size_t i = order[k];
            if (k + 2 < active) x.fetch(order[k + 2]);
            const double e = terms.epsilon, g = x.product(i, w) + constant * w[p] - terms.target[i] + terms.ridge[i] * b[i];
            const bool low = b[i] <= terms.lower[i], high = b[i] >= terms.upper[i];
            // how far the slopes to both sides, g - e below zero and g + e above, are from zero where b may move
            const double rise = high ? 0.0 : std::max(0.0, -(g + (b[i] >= 0 ? e : -e)));
            const double fall = low ? 0.0 : std::max(0.0, g - (b[i] > 0 ? -e : e));
            const double off = std::max(rise, fall);
            const bool rests =
                off == 0 && ((low && g - e > last) || (high && g + e < -last) || (b[i] == 0 && e > 0 && std::abs(g) < e - last));
            if (rests) {
                std::swap(order[k], order[--active]);
                continue;
            }
            largest = std::max(largest, off);
            total += off;
            ++k;
            if (off <= STILL || !(bend[i] > 0)) continue;
            const double to = std::clamp(soft(bend[i] * b[i] - g, e) / bend[i], terms.lower[i], terms.upper[i]), d = to - b[i];
            if (d == 0) continue;
            b[i] = to;
            x.add(i, d, w);
            w[p] += d * constant;
        }
        ++out.epochs;
        if (first < 0) first = total;
        out.violation = limits.relative ? (first > 0 ? total / first : 0.0) : largest;
        if (out.violation <= limits.tol) {
            if (active == n) {
                out.converged = true;
                break;
            }
            active = n;  // look at everybody once more
            last = INFINITE;
            continue;
        }
        last = largest;
    }
    return out;
}

}  // namespace

template <class Real>
DualOutcome descend_dense(const Real* x, std::size_t n, std::size_t p, double constant, const DualTerms& terms, const DualLimits& limits,
                          std::uint64_t seed, double* b, double* w) {
    return descend(Dense<Real>{x, p}, n, p, constant, terms, limits, seed, b, w);
}

template <class Real, class Index>
DualOutcome descend_sparse(const Real* values, const Index* columns, const Index* starts, std::size_t n, std::size_t p, double constant,
                           const DualTerms& terms, const DualLimits& limits, std::uint64_t seed, double* b, double* w) {
    return descend(Sparse<Real, Index>{values, columns, starts}, n, p, constant, terms, limits, seed, b, w);
}

#define NOVUM_DENSE(Real)                                                                                                                 \
    template DualOutcome descend_dense(const Real*, std::size_t, std::size_t, double, const DualTerms&, const DualLimits&, std::uint64_t, \
                                       double*, double*);
#define NOVUM_SPARSE(Real, Index)                                                                                                    \
    template DualOutcome descend_sparse(const Real*, const Index*, const Index*, std::size_t, std::size_t, double, const DualTerms&, \
                                        const DualLimits&, std::uint64_t, double*, double*);
NOVUM_DENSE(float)
NOVUM_DENSE(double)
NOVUM_SPARSE(float, std::int32_t)
NOVUM_SPARSE(float, std::int64_t)
NOVUM_SPARSE(double, std::int32_t)
NOVUM_SPARSE(double, std::int64_t)

}  // namespace novum::svm
