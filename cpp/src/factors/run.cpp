#include <algorithm>
#include <cmath>
#include <limits>

#include "novum/factors/plan.h"
#include "novum/runtime/interrupt.h"
#include "novum/runtime/simd.h"

namespace novum::factors {

namespace {

constexpr double SMALL = 0x1p-200, LARGE = 0x1p200;  // a table whose greatest cell leaves this range is scaled, and the scale remembered
constexpr std::size_t DEEP = 64;                     // loops; more variables than that have more cells than there are addresses

struct Add {
    static constexpr double start = 0;
    static NOVUM_INLINE double join(double x, double y) { return x + y; }
};
struct Max {
    static constexpr double start = 0;  // tables are not negative
    static NOVUM_INLINE double join(double x, double y) { return x > y ? x : y; }
};

// One row of the output: out[j] = join over k of a(j, k) b(j, k).
template <class Join>
NOVUM_CLONES void even_row(double* __restrict out, const double* a, const double* b, std::int64_t n, std::int64_t sa, std::int64_t sb,
                           const Loop over) {
    for (std::int64_t k = 0; k < over.count; ++k) {
        const double *x = a + k * over.a, *y = b + k * over.b;
        if (k == 0) {
            if (sa == 1 && sb == 1)
                for (std::int64_t j = 0; j < n; ++j) out[j] = x[j] * y[j];
            else if (sa == 1)
                for (std::int64_t j = 0; j < n; ++j) out[j] = x[j] * y[0];
            else if (sb == 1)
                for (std::int64_t j = 0; j < n; ++j) out[j] = x[0] * y[j];
            else
                for (std::int64_t j = 0; j < n; ++j) out[j] = x[0] * y[0];
        } else if (sa == 1 && sb == 1)
            for (std::int64_t j = 0; j < n; ++j) out[j] = Join::join(out[j], x[j] * y[j]);
        else if (sa == 1)
            for (std::int64_t j = 0; j < n; ++j) out[j] = Join::join(out[j], x[j] * y[0]);
        else if (sb == 1)
            for (std::int64_t j = 0; j < n; ++j) out[j] = Join::join(out[j], x[0] * y[j]);
        else
            for (std::int64_t j = 0; j < n; ++j) out[j] = Join::join(out[j], x[0] * y[0]);
    }
}

template <class Join>
NOVUM_CLONES void listed_row(double* __restrict out, const double* a, const double* b, std::int64_t n, const std::int32_t* ia,
                             const std::int32_t* ib, const Loop over) {
    for (std::int64_t j = 0; j < n; ++j) out[j] = a[ia[j]] * b[ib[j]];
    for (std::int64_t k = 1; k < over.count; ++k) {
        const double *x = a + k * over.a, *y = b + k * over.b;
        for (std::int64_t j = 0; j < n; ++j) out[j] = Join::join(out[j], x[ia[j]] * y[ib[j]]);
    }
}

// All rows: an odometer over the outer loops.
template <class Join>
void step_cells(const Step& step, const double* a, const double* b, double* out) {
    std::int64_t at[DEEP] = {};
    const bool listed = !step.ia.empty();
    const Loop* inner = step.outer < step.loops.size() ? &step.loops[step.outer] : nullptr;
    interrupt::Poller<256> poller;
    for (;;) {
        poller.tick();
        if (listed)
            listed_row<Join>(out, a, b, step.inner, step.ia.data(), step.ib.data(), step.over);
        else
            even_row<Join>(out, a, b, step.inner, inner->a, inner->b, step.over);
        out += step.inner;
        std::size_t d = step.outer;
        for (; d > 0; --d) {
            const Loop& loop = step.loops[d - 1];
            a += loop.a, b += loop.b;
            if (++at[d - 1] < loop.count) break;
            a -= loop.a * loop.count, b -= loop.b * loop.count;
            at[d - 1] = 0;
        }
        if (d == 0) return;
    }
}

NOVUM_CLONES double greatest(const double* x, std::int64_t n) {
    double most = 0;
    for (std::int64_t i = 0; i < n; ++i) most = x[i] > most ? x[i] : most;
    return most;
}

// The state of a run: where each buffer begins, and the log of the scale that was taken out of it.
struct Run {
    const Plan& plan;
    double* work;
    std::vector<const double*> data;
    std::vector<double> scale;
    const double one = 1;

    Run(const Plan& plan, const double* tables, const std::int32_t* evidence, double* work)
        : plan(plan), work(work), data(plan.buffers.size()), scale(plan.buffers.size(), 0) {
        std::vector<std::int64_t> start = plan.start;
        for (const auto& s : plan.slices) start[static_cast<std::size_t>(s.table)] += evidence[s.column] * s.stride;
        for (std::size_t i = 0; i < data.size(); ++i) {
            const Buffer& buffer = plan.buffers[i];
            data[i] = buffer.table >= 0 ? tables + start[static_cast<std::size_t>(buffer.table)] : work + buffer.at;
        }
    }

    // Returns whether any cell is left.
    bool steps() {
        for (const Step& step : plan.steps) {
            const Buffer& buffer = plan.buffers[static_cast<std::size_t>(step.out)];
            double* out = work + buffer.at;
            const auto a = static_cast<std::size_t>(step.a), b = static_cast<std::size_t>(step.b), o = static_cast<std::size_t>(step.out);
            const double* second = step.b >= 0 ? data[b] : &one;
            if (step.maximise)
                step_cells<Max>(step, data[a], second, out);
            else
                step_cells<Add>(step, data[a], second, out);
            const double most = greatest(out, buffer.size);
            if (most == 0) return false;
            double taken = scale[a] + (step.b >= 0 ? scale[b] : 0);
            if (most < SMALL || most > LARGE) {
                for (std::int64_t i = 0; i < buffer.size; ++i) out[i] /= most;
                taken += std::log(most);
            }
            scale[o] = taken;
        }
        return true;
    }

    double constant(const std::vector<std::int32_t>& list) const {
        double log = 0;
        for (auto f : list) log += std::log(data[static_cast<std::size_t>(f)][0]) + scale[static_cast<std::size_t>(f)];
        return log;
    }

    // Writes the normalised marginal; returns the log of its sum before.
    double write(const Output& output, double* out) const {
        const double* from = output.buffers.empty() ? &one : data[static_cast<std::size_t>(output.buffers[0])];
        std::int64_t at[DEEP] = {};
        double sum = 0;
        for (std::int64_t i = 0; i < output.size; ++i) {
            sum += out[i] = *from;
            for (std::size_t d = output.loops.size(); d > 0; --d) {
                const Loop& loop = output.loops[d - 1];
                from += loop.a;
                if (++at[d - 1] < loop.count) break;
                from -= loop.a * loop.count;
                at[d - 1] = 0;
            }
        }
        for (std::int64_t i = 0; i < output.size; ++i) out[i] /= sum;
        return std::log(sum) + (output.buffers.empty() ? 0 : scale[static_cast<std::size_t>(output.buffers[0])]);
    }
};

}  // namespace

double run_marginals(const Plan& plan, const double* tables, const std::int32_t* evidence, double* work, double* out) {
    constexpr double nothing = -std::numeric_limits<double>::infinity();
    Run run(plan, tables, evidence, work);
    double log = nothing;
    if (run.steps()) {
        std::vector<double> sums(plan.outputs.size());
        for (std::size_t t = 0; t < plan.outputs.size(); ++t) sums[t] = run.write(plan.outputs[t], out + plan.outputs[t].at);
        log = 0;
        for (std::size_t c = 0; c < plan.constants.size(); ++c)
            log +=
                plan.component_output[c] >= 0 ? sums[static_cast<std::size_t>(plan.component_output[c])] : run.constant(plan.constants[c]);
    }
    if (!(log > nothing)) std::fill(out, out + plan.results, std::numeric_limits<double>::quiet_NaN()), log = nothing;
    return log;
}

double run_maximum(const Plan& plan, const double* tables, const std::int32_t* evidence, double* work, std::int32_t* best) {
    constexpr double nothing = -std::numeric_limits<double>::infinity();
    Run run(plan, tables, evidence, work);
    std::fill(best, best + plan.choices.size(), -1);
    if (!run.steps()) return nothing;
    const double log = run.constant(plan.constants[0]);
    if (!(log > nothing)) return nothing;
    std::vector<std::int32_t> value(plan.cards.size(), 0);
    for (std::size_t i = plan.choices.size(); i-- > 0;) {
        const Step& step = plan.steps[static_cast<std::size_t>(plan.choices[i])];
        const auto position = [&](std::int32_t f) {
            const Buffer& buffer = plan.buffers[static_cast<std::size_t>(f)];
            const double* at = run.data[static_cast<std::size_t>(f)];
            for (std::size_t axis = 0; axis < buffer.scope.size(); ++axis)
                if (buffer.scope[axis] != step.variable) at += buffer.stride[axis] * value[static_cast<std::size_t>(buffer.scope[axis])];
            return at;
        };
        const double* a = position(step.a);
        const double* b = step.b >= 0 ? position(step.b) : &run.one;
        std::int32_t chosen = 0;
        for (std::int64_t k = 1; k < step.over.count; ++k)
            if (a[k * step.over.a] * b[k * step.over.b] > a[chosen * step.over.a] * b[chosen * step.over.b])
                chosen = static_cast<std::int32_t>(k);
        value[static_cast<std::size_t>(step.variable)] = best[i] = chosen;
    }
    return log;
}

}  // namespace novum::factors
