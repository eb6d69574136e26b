// A chain of the No-U-Turn sampler with its warm-up: a first step size, dual averaging, windows of mass adaptation (adaptation.h).
//
//     the first step size e: doubled or halved until one leapfrog step is accepted with a probability that crosses 0.8              (1)
#pragma once
#include <cstddef>
#include <cstdint>

#include "novum/sampling/adaptation.h"
#include "novum/sampling/metric.h"
#include "novum/sampling/trajectory.h"
#include "novum/sampling/walker.h"

namespace novum::sampling {

/// Where a chain writes its draws: n_draws rows each.
struct HamiltonianRecord {
    double *draws, *log_prob, *accepted, *energy;
    std::int32_t *depth, *steps;
    bool* diverged;
};

class HamiltonianChain : public Walker {
  public:
    /// step = 0: found by (1). covariance null: ones.
    HamiltonianChain(const Plan& plan, std::size_t d, const double* start, bool dense, std::size_t max_depth, double target, double step,
                     const double* covariance, const HamiltonianRecord& record);
    const double* next_point() const override;
    void receive(double log_prob, const double* gradient) override;
    double step_size() const { return step; }
    const Metric& mass() const { return metric; }
    std::size_t warmup_divergences() const { return n_warmup_divergences; }

  private:
    enum class State { at_start, tries_steps, travels };
    void draw_momentum(std::uint32_t purpose, std::size_t number);
    void begin_search();
    void try_step();
    void begin_iteration();
    void end_iteration();

    Metric metric;
    Moments moments;
    Windows windows;
    StepSize adapted;
    Trajectory trajectory;
    HamiltonianRecord record;
    State state = State::at_start;
    double target, step, energy = 0;
    int direction = 0;
    std::size_t n_searches = 0, n_tries = 0, n_warmup_divergences = 0;
    Leaf now;
    Numbers p, velocity, trial;
};

}  // namespace novum::sampling
