#include "novum/decisions/prediction.h"

#include <algorithm>
#include <cmath>

#include "novum/runtime/interrupt.h"

namespace novum::decisions {

namespace {
constexpr double FAINT = 1e-10;  // a trace below this is forgotten
}

Predictor::Predictor(const Prediction& plan, Estimate estimate, std::size_t n, double discount)
    : plan(plan), now(estimate), discount(discount), seen(n, -1) {
    if (plan.view == View::BACKWARD) eligibility.assign(n, 0.0);
}

double Predictor::step_size(std::int32_t s) {
    const std::int64_t n = ++now.visits[s];
    return plan.visit_rate ? plan.visit_rate[std::min(plan.rates, static_cast<std::size_t>(n)) - 1] : plan.rate;
}

void Predictor::learn(const Trace& trace) {
    switch (plan.view) {
        case View::CARLO: return average(trace);
        case View::STEPS: return n_step(trace);
        case View::FORWARD: return forward(trace);
        case View::BACKWARD: return backward(trace);
    }
}

/// (1), with (5)
void Predictor::average(const Trace& trace) {
    if (plan.first_visit)
        for (std::int64_t t = trace.length; t-- > 0;) seen[static_cast<std::size_t>(trace.states[t])] = t;
    double value = 0, ratio = 1;
    for (std::int64_t t = trace.length; t-- > 0;) {
        const std::int32_t s = trace.states[t];
        value = trace.rewards[t] + discount * value;
        if (trace.ratios) ratio *= trace.ratios[t];
        if (plan.first_visit && seen[static_cast<std::size_t>(s)] != t) continue;
        if (plan.visit_rate || plan.rate > 0) {
            now.v[s] += step_size(s) * (ratio * value - now.v[s]);
            continue;
        }
        ++now.visits[s];
        if (plan.weighted) {
            now.weight[s] += ratio;
            if (ratio > 0) now.v[s] += ratio / now.weight[s] * (value - now.v[s]);
        } else {
            now.weight[s] += 1;
            now.v[s] += (ratio * value - now.v[s]) / now.weight[s];
        }
    }
}

/// (2), online: V(s_t) is changed as soon as s_{t+n} is seen.
void Predictor::n_step(const Trace& trace) {
    const std::int64_t n = plan.n_steps, length = trace.length;
    for (std::int64_t last = 0; last < length + n - 1; ++last) {
        const std::int64_t t = last - n + 1;
        if (t < 0 || t >= length) continue;
        const std::int64_t end = std::min(t + n, length);
        double target = end == length && trace.ended ? 0.0 : now.v[trace.states[end]], ratio = 1;
        for (std::int64_t k = end; k-- > t;) {
            target = trace.rewards[k] + discount * target;
            if (trace.ratios) ratio *= trace.ratios[k];
        }
        const std::int32_t s = trace.states[t];
        now.v[s] += step_size(s) * ratio * (target - now.v[s]);
    }
}

/// (3) by G_t^lambda = r + gamma ((1 - lambda) V(s_{t+1}) + lambda G_{t+1}^lambda), with the values from before the episode.
void Predictor::forward(const Trace& trace) {
    returns.assign(static_cast<std::size_t>(trace.length), 0.0);
    double value = trace.ended ? 0.0 : now.v[trace.states[trace.length]];
    for (std::int64_t t = trace.length; t-- > 0;) {
        const bool last = t + 1 == trace.length;
        const double next = last ? value : (1 - plan.trace_decay) * now.v[trace.states[t + 1]] + plan.trace_decay * value;
        value = trace.rewards[t] + discount * next;
        returns[static_cast<std::size_t>(t)] = value;
    }
    products.assign(static_cast<std::size_t>(trace.length), 0.0);  // changes, added up after all errors are known
    for (std::int64_t t = 0; t < trace.length; ++t) {
        const std::int32_t s = trace.states[t];
        products[static_cast<std::size_t>(t)] = step_size(s) * (returns[static_cast<std::size_t>(t)] - now.v[s]);
    }
    for (std::int64_t t = 0; t < trace.length; ++t) now.v[trace.states[t]] += products[static_cast<std::size_t>(t)];
}

/// (4)
void Predictor::backward(const Trace& trace) {
    for (const std::int32_t s : touched) eligibility[static_cast<std::size_t>(s)] = 0;
    touched.clear();
    for (std::int64_t t = 0; t < trace.length; ++t) {
        const std::int32_t s = trace.states[t];
        const bool last = t + 1 == trace.length && trace.ended;
        const double delta = trace.rewards[t] + (last ? 0.0 : discount * now.v[trace.states[t + 1]]) - now.v[s];
        const double ratio = trace.ratios ? trace.ratios[t] : 1.0, alpha = step_size(s);
        double& own = eligibility[static_cast<std::size_t>(s)];
        if (own == 0) touched.push_back(s);
        own = plan.replacing ? 1.0 : own + 1.0;
        std::size_t kept = 0;
        for (const std::int32_t other : touched) {
            double& e = eligibility[static_cast<std::size_t>(other)];
            e *= ratio;
            now.v[other] += alpha * delta * e;
            e *= discount * plan.trace_decay;
            if (e < FAINT)
                e = 0;
            else
                touched[kept++] = other;
        }
        touched.resize(kept);
    }
}

void predict(const World& world, const Prediction& plan, const double* behavior, const double* ratios, std::int64_t episodes,
             std::int64_t most, Draws draws, Estimate estimate, const double* truth, const double* share, double* errors, Diary* diary) {
    Predictor predictor(plan, estimate, world.n, world.discount);
    std::vector<std::int32_t> states;
    std::vector<double> rewards, weights;
    interrupt::Poller<1024> poller;
    std::uint64_t t = 0;
    const std::int64_t m = static_cast<std::int64_t>(world.m);
    for (std::int64_t episode = 0; episode < episodes; ++episode) {
        std::int32_t s = first_state(world, rng::uniform<double>(rng::bits(draws.starts, static_cast<std::uint64_t>(episode))));
        states.assign(1, s);
        rewards.clear();
        weights.clear();
        bool ended = world.terminal[s];
        while (!ended && static_cast<std::int64_t>(rewards.size()) < most) {
            const std::int64_t a = place(behavior + s * m, 0, m, draws.uniform(t, 1));
            const std::size_t cell = static_cast<std::size_t>(s * m + a);
            const Step taken = step(world, world.pair[cell], draws.uniform(t, 0));
            ++t;
            if (diary) diary->live(episode, s, a, taken);
            if (ratios) weights.push_back(ratios[cell]);
            rewards.push_back(taken.reward);
            states.push_back(taken.next);
            s = taken.next;
            ended = taken.ended;
            poller.tick();
        }
        predictor.learn(
            {states.data(), rewards.data(), ratios ? weights.data() : nullptr, static_cast<std::int64_t>(rewards.size()), ended});
        if (diary && diary->wants(episode + 1, episodes)) diary->know(episode + 1, estimate.v, estimate.visits, world.n);
        if (!errors) continue;
        double sum = 0;
        for (std::size_t k = 0; k < world.n; ++k) sum += share[k] * (estimate.v[k] - truth[k]) * (estimate.v[k] - truth[k]);
        errors[episode] = std::sqrt(sum);
    }
}

}  // namespace novum::decisions
