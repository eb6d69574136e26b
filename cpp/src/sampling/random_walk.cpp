#include "novum/sampling/random_walk.h"

#include <algorithm>
#include <cmath>

namespace novum::sampling {

namespace {

constexpr std::uint32_t STEP = 0x73746570, ACCEPTANCE = 0x77616c6b;
constexpr std::size_t WINDOW = 50, WINDOW_PER_DIMENSION = 10;  // a walk's draws repeat: fewer would span no covariance
constexpr double BEST_SCALE = 2.38, TARGET = 0.234, TARGET_OF_ONE = 0.44, DECAY = 0.6;

}  // namespace

RandomWalkChain::RandomWalkChain(const Plan& plan, std::size_t d, const double* start, bool dense, bool adapts, double scale,
                                 const double* covariance, const WalkRecord& record)
    : Walker(plan, d),
      metric(d, dense),
      moments(d, dense),
      windows(plan.n_warmup, std::max(WINDOW, WINDOW_PER_DIMENSION * d)),
      record(record),
      s(scale > 0 ? scale : BEST_SCALE / std::sqrt(static_cast<double>(d))),
      adapts(adapts),
      now(start, start + d),
      proposed(d),
      z(d) {
    if (covariance) metric.set(covariance);
}

void RandomWalkChain::propose() {
    const rng::Stream stream = stream_of(plan, STEP, iteration);
    for (std::size_t j = 0; j < d; ++j) z[j] = rng::normal(rng::bits(stream, plan.chain, j));
    metric.draw(z.data(), proposed.data());
    for (std::size_t j = 0; j < d; ++j) proposed[j] = now[j] + s * proposed[j];
}

/// (2)
void RandomWalkChain::learn(double probability) {
    s *= std::exp(std::pow(static_cast<double>(++n_learned), -DECAY) * (probability - (d == 1 ? TARGET_OF_ONE : TARGET)));
    if (windows.learns(iteration)) moments.add(now.data());
    if (windows.ends(iteration)) {
        if (metric.set(moments.covariance().data())) s = BEST_SCALE / std::sqrt(static_cast<double>(d));
        moments.restart();
        n_learned = 0;
    }
}

void RandomWalkChain::receive(double log_prob, const double*) {
    if (at_start) {
        at_start = false;
        log_prob_now = log_prob;
        return propose();
    }
    const double gain = log_prob - log_prob_now;
    const double probability = gain >= 0 ? 1.0 : std::isnan(gain) ? 0.0 : std::exp(gain);
    if (rng::uniform<double>(rng::bits(stream_of(plan, ACCEPTANCE, iteration), plan.chain)) < probability) {
        std::swap(now, proposed);
        log_prob_now = log_prob;
        ++n_accepted;
    }
    if (warming()) {
        n_accepted = 0;
        if (adapts) learn(probability);
    } else if (records()) {
        const std::size_t row = n_recorded++;
        std::copy(now.begin(), now.end(), record.draws + row * d);
        record.log_prob[row] = log_prob_now;
        record.accepted[row] = n_accepted / static_cast<double>(plan.thin);
        n_accepted = 0;
    }
    ++iteration;
    if (!finished()) propose();
}

}  // namespace novum::sampling
