#include "novum/sampling/hamiltonian.h"

#include <algorithm>
#include <cmath>

namespace novum::sampling {

namespace {

constexpr std::uint32_t MOMENTUM = 0x6d6f6d65, ACCEPTANCE = 0x63686e63, SEARCH = 0x73656172;
constexpr double CROSSING = 0.8;         // acceptance that the first step size crosses
constexpr std::size_t MOST_TRIES = 100;  // doublings or halvings: beyond, the density has no scale that doubles can hold

}  // namespace

HamiltonianChain::HamiltonianChain(const Plan& plan, std::size_t d, const double* start, bool dense, std::size_t max_depth, double target,
                                   double step, const double* covariance, const HamiltonianRecord& record)
    : Walker(plan, d),
      metric(d, dense),
      moments(d, dense),
      windows(plan.n_warmup),
      trajectory(d, max_depth),
      record(record),
      target(target),
      step(step),
      now(d),
      p(d),
      velocity(d),
      trial(d) {
    std::copy(start, start + d, now.q.begin());
    if (covariance) metric.set(covariance);
    if (step > 0) adapted.restart(step);
}

const double* HamiltonianChain::next_point() const {
    if (state == State::at_start) return now.q.data();
    return state == State::tries_steps ? trial.data() : trajectory.next_point();
}

void HamiltonianChain::receive(double log_prob, const double* gradient) {
    if (state == State::at_start) {
        now.log_prob = log_prob;
        std::copy(gradient, gradient + d, now.gradient.begin());
        return step > 0 ? begin_iteration() : begin_search();
    }
    if (state == State::travels) {
        if (trajectory.receive(log_prob, gradient, metric)) end_iteration();
        return;
    }
    for (std::size_t j = 0; j < d; ++j) p[j] += 0.5 * step * gradient[j];
    metric.velocity(p.data(), velocity.data());
    double after = -log_prob;
    for (std::size_t j = 0; j < d; ++j) after += 0.5 * p[j] * velocity[j];
    const bool easy = energy - after > std::log(CROSSING);  // NaN is not
    if (direction == 0) direction = easy ? 1 : -1;
    if ((direction == 1) != easy || ++n_tries == MOST_TRIES) {
        adapted.restart(step);
        return begin_iteration();
    }
    step *= direction == 1 ? 2.0 : 0.5;
    try_step();
}

void HamiltonianChain::draw_momentum(std::uint32_t purpose, std::size_t number) {
    const rng::Stream stream = stream_of(plan, purpose, number);
    for (std::size_t j = 0; j < d; ++j) p[j] = rng::normal(rng::bits(stream, plan.chain, j));
    metric.momentum(p.data());
}

void HamiltonianChain::begin_search() {
    if (!(step > 0)) step = 1;
    direction = 0;
    n_tries = 0;
    ++n_searches;
    try_step();
}

/// One leapfrog step up to the gradient; (1).
void HamiltonianChain::try_step() {
    state = State::tries_steps;
    draw_momentum(SEARCH, n_searches * MOST_TRIES + n_tries);
    metric.velocity(p.data(), velocity.data());
    energy = -now.log_prob;
    for (std::size_t j = 0; j < d; ++j) {
        energy += 0.5 * p[j] * velocity[j];
        p[j] += 0.5 * step * now.gradient[j];
    }
    metric.velocity(p.data(), velocity.data());
    for (std::size_t j = 0; j < d; ++j) trial[j] = now.q[j] + step * velocity[j];
}

void HamiltonianChain::begin_iteration() {
    state = State::travels;
    if (warming()) step = adapted.current();
    draw_momentum(MOMENTUM, iteration);
    trajectory.begin(now.q, now.log_prob, now.gradient, p, metric, step, stream_of(plan, ACCEPTANCE, iteration), plan.chain);
}

void HamiltonianChain::end_iteration() {
    now = trajectory.drawn();
    bool search = false;
    if (warming()) {
        n_warmup_divergences += trajectory.diverged();
        adapted.learn(trajectory.accepted(), target);
        step = adapted.current();
        if (windows.learns(iteration)) moments.add(now.q.data());
        if (windows.ends(iteration)) {
            search = metric.set(moments.covariance().data());
            moments.restart();
        }
        if (iteration + 1 == plan.n_warmup) {
            step = adapted.average();
            search = false;
        }
    } else if (records()) {
        const std::size_t row = n_recorded++;
        std::copy(now.q.begin(), now.q.end(), record.draws + row * d);
        record.log_prob[row] = now.log_prob;
        record.accepted[row] = trajectory.accepted();
        record.energy[row] = now.energy;
        record.depth[row] = static_cast<std::int32_t>(trajectory.depth());
        record.steps[row] = static_cast<std::int32_t>(trajectory.steps());
        record.diverged[row] = trajectory.diverged();
    }
    ++iteration;
    if (search)
        begin_search();
    else if (!finished())
        begin_iteration();
}

}  // namespace novum::sampling
