#include "novum/linear_model/sgd.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "novum/linear_model/sgd_losses.h"
#include "novum/linear_model/sgd_rows.h"
#include "novum/runtime/interrupt.h"
#include "novum/runtime/panels.h"
#include "novum/runtime/simd.h"

namespace novum::sgd {

namespace {

using panel::at;

constexpr double STEEPEST = 1e12;     // slopes are cut here, or one far row would throw w out of range
constexpr double SMALL_SCALE = 1e-6;  // s below which v is multiplied out, long before v could overflow
constexpr std::size_t AHEAD = 8;      // rows fetched in advance: the order is random, the processor cannot guess it

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
    NOVUM_INLINE void add(const Rows& rows, std::int64_t i, Real a) {
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
            rows.add(i, v, a);
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
    std::vector<Real> padded(Rows::padded(state.w.size()));
    std::copy(state.w.begin(), state.w.end(), padded.begin());
    Weights<Real> w{padded.data(), state.total.empty() ? nullptr : state.total.data(), state.paid.empty() ? nullptr : state.paid.data(),
                    state.w.size()};
    w.measure();
    double b = state.intercept, t = state.t, objective = 0, eta = plan.eta0;
    std::vector<double> change(plan.batch);
    interrupt::Poller<1024> poller;
    for (std::size_t begin = 0; begin < order.size(); begin += plan.batch) {
        poller.tick();
        const std::size_t size = std::min(plan.batch, order.size() - begin);
        if (plan.rate == Rate::Power) eta = plan.eta0 / power_of(plan.t0 + t - 1, plan.power);
        const double penalty =
            penalized && !passive ? plan.alpha * ((1 - plan.rho) / 2 * w.s * w.s * w.square + plan.rho * w.s * w.absolute) : 0.0;
        double first_change = 0, first_product = 0;  // of most batches the only ones: they never wait for memory
        for (std::size_t k = 0; k < size; ++k) {
            const std::int64_t i = order[begin + k];
            if (begin + k + AHEAD < order.size()) rows.fetch(order[begin + k + AHEAD]);
            const double vx = rows.product(i, w.v);
            const auto [value, slope] = judge(plan.loss, plan.epsilon, w.s * vx + b, y[i]);
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
            if (c) u *= c[i];
            if (k)
                change[k] = u;
            else
                first_change = u, first_product = vx;
        }
        if (penalized) w.s *= std::fmax(0.0, 1 - (1 - plan.rho) * eta * plan.alpha);
        if (w.s < SMALL_SCALE) {
            w.settle();
            first_product = rows.product(order[begin], w.v);
        }
        const double m = plan.mean ? 1.0 / static_cast<double>(size) : 1.0, unit = 1 / w.s;
        double shift = 0;
        for (std::size_t k = 0; k < size; ++k) {
            const double u = m * (k ? change[k] : first_change), a = u * unit;
            if (u == 0) continue;
            const std::int64_t i = order[begin + k];
            if (penalized && !absolute) {  // |v + a x|^2 without a pass over v
                const double vx = k ? rows.product(i, w.v) : first_product;
                w.square += a * (2 * vx + a * rows.square(i));
            }
            w.add(rows, i, static_cast<Real>(a));
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
    std::copy(padded.begin(), padded.begin() + static_cast<std::ptrdiff_t>(state.w.size()), state.w.begin());
    state.intercept = b;
    state.t = t;
    return objective;
}

template <class Real>
struct DenseSteps {
    template <int BYTES>
    static NOVUM_INLINE double run(const DenseRows<Real>& rows, const double* y, const double* c, std::span<const std::int64_t> order,
                                   const Plan& plan, State<Real>& state) {
        return steps(Dense<Real, BYTES>(rows), y, c, order, plan, state);
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

template <class Real, class Rows>
Course descend(const Rows& rows, const double* y, const double* c, std::span<const std::int64_t> chosen, const rng::Stream* stream,
               Plan plan, const Stopping& stopping, State<Real>& state) {
    Course course;
    std::vector<std::int64_t> order(chosen.begin(), chosen.end()), places(stream ? chosen.size() : 0);
    const double count = static_cast<double>(std::max<std::size_t>(chosen.size(), 1));
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t waited = 0; course.objective.size() < stopping.most;) {
        interrupt::poll();
        if (stream) {
            shuffle({stream->seed, stream->purpose, static_cast<std::uint32_t>(static_cast<std::uint64_t>(state.t))}, places);
            for (std::size_t k = 0; k < places.size(); ++k) order[k] = chosen[at(places[k])];
        }
        state.updates = 0;
        const double value = epoch(rows, y, c, order, plan, state) / count;
        course.objective.push_back(value);
        course.updates.push_back(state.updates);
        course.finite = std::isfinite(state.intercept);
        for (std::size_t j = 0; j < state.w.size() && course.finite; ++j) course.finite = std::isfinite(state.w[j]);
        if (!course.finite || (stopping.clean && state.updates == 0)) break;
        if (!stopping.watched) continue;
        waited = value > best - stopping.tol ? waited + 1 : 0;
        best = value < best ? value : best;
        if (waited < stopping.patience) continue;
        if (!stopping.adaptive || plan.eta0 <= SLOWEST) break;
        plan.eta0 /= SLOWER;
        waited = 0;
    }
    return course;
}

#define NOVUM_EPOCH(Real, ...)                                                                                                             \
    template double epoch<Real, __VA_ARGS__>(const __VA_ARGS__&, const double*, const double*, std::span<const std::int64_t>, const Plan&, \
                                             State<Real>&);                                                                                \
    template Course descend<Real, __VA_ARGS__>(const __VA_ARGS__&, const double*, const double*, std::span<const std::int64_t>,            \
                                               const rng::Stream*, Plan, const Stopping&, State<Real>&);
NOVUM_EPOCH(float, DenseRows<float>)
NOVUM_EPOCH(double, DenseRows<double>)
NOVUM_EPOCH(float, SparseRows<float, std::int32_t>)
NOVUM_EPOCH(double, SparseRows<double, std::int32_t>)
NOVUM_EPOCH(float, SparseRows<float, std::int64_t>)
NOVUM_EPOCH(double, SparseRows<double, std::int64_t>)
#undef NOVUM_EPOCH

}  // namespace novum::sgd
