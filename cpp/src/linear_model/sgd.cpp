#include "novum/linear_model/sgd.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "novum/linear_model/sgd_losses.h"
#include "novum/runtime/interrupt.h"
#include "novum/runtime/panels.h"
#include "novum/runtime/simd.h"

namespace novum::sgd {

namespace {

using panel::at;
using panel::Simd;

constexpr double STEEPEST = 1e12;                  // slopes are cut here, or one far row would throw w out of range
constexpr double SMALL_SCALE = 1e-6;               // s below which v is multiplied out, long before v could overflow
constexpr std::size_t AHEAD = 8;                   // rows fetched in advance: the order is random, the processor cannot guess it
constexpr std::size_t LINE = 64, MOST_LINES = 16;  // bytes of a cache line; beyond, the processor sees the stream itself

template <class Real, int BYTES>
NOVUM_INLINE Real dot(const Real* a, const Real* b, std::size_t n) {
    using S = Simd<Real, BYTES>;
    constexpr std::size_t L = at(S::LANES);
    typename S::V s0{}, s1{}, s2{}, s3{};
    std::size_t i = 0;
    for (; i + 4 * L <= n; i += 4 * L) {
        s0 += S::load(a + i) * S::load(b + i);
        s1 += S::load(a + i + L) * S::load(b + i + L);
        s2 += S::load(a + i + 2 * L) * S::load(b + i + 2 * L);
        s3 += S::load(a + i + 3 * L) * S::load(b + i + 3 * L);
    }
    for (; i + L <= n; i += L) s0 += S::load(a + i) * S::load(b + i);
    Real sum = panel::total<S::LANES>((s0 + s1) + (s2 + s3));
    if constexpr (BYTES > 32)
        if (i + L / 2 <= n) {
            using Half = Simd<Real, BYTES / 2>;
            sum += panel::total<Half::LANES>(Half::load(a + i) * Half::load(b + i));
            i += L / 2;
        }
    for (; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

/// Rows that lie one after the other.
template <class Real, int BYTES>
struct Dense {
    DenseRows<Real> rows;
    NOVUM_INLINE const Real* row(std::int64_t i) const { return rows.x + at(i) * rows.d; }
    NOVUM_INLINE void fetch(std::int64_t i) const {
        const char* p = reinterpret_cast<const char*>(row(i));
        const std::size_t bytes = std::min(rows.d * sizeof(Real), MOST_LINES * LINE);
        for (std::size_t k = 0; k < bytes; k += LINE) __builtin_prefetch(p + k);
    }
    NOVUM_INLINE double product(std::int64_t i, const Real* v) const { return static_cast<double>(dot<Real, BYTES>(row(i), v, rows.d)); }
    NOVUM_INLINE double square(std::int64_t i) const { return static_cast<double>(dot<Real, BYTES>(row(i), row(i), rows.d)); }
    template <class To, class F>
    NOVUM_INLINE void each(std::int64_t i, To* to, F f) const {
        const Real* x = row(i);
        for (std::size_t j = 0; j < rows.d; ++j) f(to[j], x[j], j);
    }
};

/// Rows of entries.
template <class Real, class Index>
struct Sparse {
    SparseRows<Real, Index> rows;
    NOVUM_INLINE void fetch(std::int64_t i) const {
        const std::size_t first = at(rows.start[at(i)]),
                          count = std::min(at(rows.start[at(i) + 1]) - first, MOST_LINES * LINE / sizeof(Real));
        for (std::size_t k = 0; k < count; k += LINE / sizeof(Real)) __builtin_prefetch(rows.value + first + k);
        for (std::size_t k = 0; k < count; k += LINE / sizeof(Index)) __builtin_prefetch(rows.column + first + k);
    }
    template <class To, class F>
    NOVUM_INLINE void each(std::int64_t i, To* to, F f) const {
        for (std::size_t e = at(rows.start[at(i)]); e < at(rows.start[at(i) + 1]); ++e)
            f(to[at(rows.column[e])], rows.value[e], at(rows.column[e]));
    }
    NOVUM_INLINE double product(std::int64_t i, const Real* v) const {
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;  // four chains: one would wait for itself
        std::size_t e = at(rows.start[at(i)]);
        const std::size_t end = at(rows.start[at(i) + 1]);
        const auto term = [&](std::size_t k)
                              NOVUM_LAMBDA { return static_cast<double>(v[at(rows.column[k])]) * static_cast<double>(rows.value[k]); };
        for (; e + 4 <= end; e += 4) {
            s0 += term(e);
            s1 += term(e + 1);
            s2 += term(e + 2);
            s3 += term(e + 3);
        }
        for (; e < end; ++e) s0 += term(e);
        return (s0 + s1) + (s2 + s3);
    }
    NOVUM_INLINE double square(std::int64_t i) const {
        double sum = 0;
        for (std::size_t e = at(rows.start[at(i)]); e < at(rows.start[at(i) + 1]); ++e)
            sum += static_cast<double>(rows.value[e]) * static_cast<double>(rows.value[e]);
        return sum;
    }
};

NOVUM_INLINE double power_of(double t, double p) {
    if (p == 0.25) return std::sqrt(std::sqrt(t));
    if (p == 0.5) return std::sqrt(t);
    return p == 1 ? t : std::pow(t, p);
}

/// The weights as s v, with what the objective needs to know of them.
template <class Real>
struct Weights {
    Real* v;
    double* total;
    Real* paid;
    std::size_t d;
    double s = 1, mass = 0;           // mass: C of the header
    double square = 0, absolute = 0;  // |v|^2 and |v|_1

    void measure() {
        square = absolute = 0;
        for (std::size_t j = 0; j < d; ++j) {
            square += static_cast<double>(v[j]) * static_cast<double>(v[j]);
            absolute += std::fabs(static_cast<double>(v[j]));
        }
    }
    /// Multiply the scale out.
    void settle() {
        for (std::size_t j = 0; total && j < d; ++j) total[j] += mass * static_cast<double>(v[j]);
        for (std::size_t j = 0; j < d; ++j) v[j] = static_cast<Real>(static_cast<double>(v[j]) * s);
        s = 1;
        mass = 0;
        measure();
    }
    template <class Rows>
    NOVUM_INLINE void add(const Rows& rows, std::int64_t i, double step) {
        const Real a = static_cast<Real>(step / s);
        if (paid) {
            double more_square = 0, more_absolute = 0;
            rows.each(i, v, [&, a](Real& w, Real x, std::size_t) NOVUM_LAMBDA {
                const double before = static_cast<double>(w);
                w += a * x;
                const double after = static_cast<double>(w);
                more_square += (after - before) * (after + before);
                more_absolute += std::fabs(after) - std::fabs(before);
            });
            square += more_square;
            absolute += more_absolute;
        } else {
            rows.each(i, v, [a](Real& w, Real x, std::size_t) NOVUM_LAMBDA { w += a * x; });
        }
        const double b = mass * static_cast<double>(a);
        if (total && b != 0) rows.each(i, total, [b](double& z, Real x, std::size_t) NOVUM_LAMBDA { z -= b * static_cast<double>(x); });
    }
    /// (6) for the entries of a row.
    template <class Rows>
    NOVUM_INLINE void pay(const Rows& rows, std::int64_t i, double owed) {
        double more_square = 0, more_absolute = 0;
        const double scale = s, unit = 1 / s, sum = mass;
        Real* const given = paid;
        double* const totals = total;
        rows.each(i, v, [&](Real& w, Real, std::size_t j) NOVUM_LAMBDA {
            const double before = static_cast<double>(w), had = static_cast<double>(given[j]);
            if (before == 0) return;  // nothing to take
            const double left = before > 0 ? std::fmax(0.0, before - (owed + had) * unit) : std::fmin(0.0, before + (owed - had) * unit);
            w = static_cast<Real>(left);
            const double after = static_cast<double>(w);
            given[j] = static_cast<Real>(had + scale * (after - before));
            more_square += (after - before) * (after + before);
            more_absolute += std::fabs(after) - std::fabs(before);
            if (totals) totals[j] -= sum * (after - before);
        });
        square += more_square;
        absolute += more_absolute;
    }
};

struct Judged {
    double value, slope;
};

/// A loss and its slope: one switch a row, always the same way, where a copy of the whole loop for each loss took half a minute to compile.
NOVUM_INLINE Judged judge(Loss kind, double edge, double f, double y) {
    const auto by = [=](auto loss) NOVUM_LAMBDA { return Judged{loss.value(f, y), loss.slope(f, y)}; };
    switch (kind) {
        case Loss::Hinge: return by(Hinge{edge});
        case Loss::Sign: return by(Sign{edge});
        case Loss::SquaredHinge: return by(SquaredHinge{edge});
        case Loss::Log: return by(Log{edge});
        case Loss::ModifiedHuber: return by(ModifiedHuber{edge});
        case Loss::Squared: return by(Squared{edge});
        case Loss::Huber: return by(Huber{edge});
        case Loss::Insensitive: return by(Insensitive{edge});
        default: return by(SquaredInsensitive{edge});
    }
}

template <class Real, class Rows>
NOVUM_INLINE double steps(const Rows& rows, const double* y, const double* c, std::span<const std::int64_t> order, const Plan& plan,
                          State<Real>& state) {
    const bool penalized = plan.alpha > 0, passive = plan.rate >= Rate::Passive1, absolute = penalized && !state.paid.empty();
    Weights<Real> w{state.w.data(), state.total.empty() ? nullptr : state.total.data(), state.paid.empty() ? nullptr : state.paid.data(),
                    state.w.size()};
    w.measure();
    double b = state.intercept, t = state.t, objective = 0, eta = plan.eta0;
    std::vector<double> change(plan.batch), product(plan.batch);
    interrupt::Poller<1024> poller;
    for (std::size_t begin = 0; begin < order.size(); begin += plan.batch) {
        poller.tick();
        const std::size_t size = std::min(plan.batch, order.size() - begin);
        if (plan.rate == Rate::Power) eta = plan.eta0 / power_of(plan.t0 + t - 1, plan.power);
        const double penalty =
            penalized && !passive ? plan.alpha * ((1 - plan.rho) / 2 * w.s * w.s * w.square + plan.rho * w.s * w.absolute) : 0.0;
        for (std::size_t k = 0; k < size; ++k) {
            const std::int64_t i = order[begin + k];
            if (begin + k + AHEAD < order.size()) rows.fetch(order[begin + k + AHEAD]);
            product[k] = rows.product(i, w.v);
            const auto [value, slope] = judge(plan.loss, plan.epsilon, w.s * product[k] + b, y[i]);
            objective += value + penalty;
            double u;
            if (passive) {
                const double square = rows.square(i), sign = slope > 0 ? -1 : 1;
                u = plan.rate == Rate::Passive2 ? value / (square + 0.5 / plan.eta0)
                    : square > 0                ? std::min(plan.eta0, value / square)
                                                : 0.0;
                u *= sign;
            } else {
                u = -eta * std::clamp(slope, -STEEPEST, STEEPEST);
            }
            change[k] = c ? u * c[i] : u;
        }
        if (penalized) w.s *= std::fmax(0.0, 1 - (1 - plan.rho) * eta * plan.alpha);
        if (w.s < SMALL_SCALE) {
            w.settle();
            for (std::size_t k = 0; k < size; ++k) product[k] = rows.product(order[begin + k], w.v);
        }
        const double m = plan.mean ? 1.0 / static_cast<double>(size) : 1.0;
        double shift = 0;
        for (std::size_t k = 0; k < size; ++k) {
            const double u = m * change[k];
            if (u == 0) continue;
            const std::int64_t i = order[begin + k];
            if (penalized && !absolute) {  // |v + a x|^2 without a pass over v
                const double vx = k ? rows.product(i, w.v) : product[k], a = u / w.s;
                w.square += a * (2 * vx + a * rows.square(i));
            }
            w.add(rows, i, u);
            shift += u;
            state.updates += 1;
        }
        b += plan.decay * shift;
        if (absolute) {
            state.owed += plan.rho * eta * plan.alpha;
            for (std::size_t k = 0; k < size; ++k) w.pay(rows, order[begin + k], state.owed);
        }
        if (plan.first > 0 && t >= plan.first) {
            w.mass += w.s;
            state.intercept_total += b;
        }
        t += 1;
    }
    w.settle();
    state.intercept = b;
    state.t = t;
    return objective;
}

template <class Real>
struct DenseSteps {
    template <int BYTES>
    static NOVUM_INLINE double run(const DenseRows<Real>& rows, const double* y, const double* c, std::span<const std::int64_t> order,
                                   const Plan& plan, State<Real>& state) {
        return steps(Dense<Real, BYTES>{rows}, y, c, order, plan, state);
    }
};

template <class Real>
double by_rows(const DenseRows<Real>& rows, const double* y, const double* c, std::span<const std::int64_t> order, const Plan& plan,
               State<Real>& state) {
    return widest<DenseSteps<Real>>(rows, y, c, order, plan, state);
}

template <class Real, class Index>
double by_rows(const SparseRows<Real, Index>& rows, const double* y, const double* c, std::span<const std::int64_t> order, const Plan& plan,
               State<Real>& state) {
    return steps(Sparse<Real, Index>{rows}, y, c, order, plan, state);
}

}  // namespace

template <class Real, class Rows>
double epoch(const Rows& rows, const double* y, const double* c, std::span<const std::int64_t> order, const Plan& plan,
             State<Real>& state) {
    return by_rows(rows, y, c, order, plan, state);
}

#define NOVUM_EPOCH(Real, ...)                                                                                                             \
    template double epoch<Real, __VA_ARGS__>(const __VA_ARGS__&, const double*, const double*, std::span<const std::int64_t>, const Plan&, \
                                             State<Real>&);
NOVUM_EPOCH(float, DenseRows<float>)
NOVUM_EPOCH(double, DenseRows<double>)
NOVUM_EPOCH(float, SparseRows<float, std::int32_t>)
NOVUM_EPOCH(double, SparseRows<double, std::int32_t>)
NOVUM_EPOCH(float, SparseRows<float, std::int64_t>)
NOVUM_EPOCH(double, SparseRows<double, std::int64_t>)
#undef NOVUM_EPOCH

}  // namespace novum::sgd
