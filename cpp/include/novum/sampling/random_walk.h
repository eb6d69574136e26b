// A chain of Metropolis' random walk that learns its step from its own draws while it warms up.
//
//     x' = x + s L z,  z ~ N(0, I),  C = L L';   accept with min(1, pi(x')/pi(x))                                               (1)
//     log s <- log s + t^-0.6 (accepted - target),  C from windows (adaptation.h)              while warming up                (2)
// s begins at 2.38/sqrt(d), which is best for a Gaussian target of covariance C (Roberts, Gelman and Gilks 1997); the target is 0.234
// of the steps, and 0.44 in one dimension.
#pragma once
#include <cstddef>

#include "novum/sampling/adaptation.h"
#include "novum/sampling/metric.h"
#include "novum/sampling/walker.h"

namespace novum::sampling {

/// Where a chain writes its draws: n_draws rows each. `accepted` is the share of the steps since the draw before.
struct WalkRecord {
    double *draws, *log_prob, *accepted;
};

class RandomWalkChain : public Walker {
  public:
    /// scale = 0: 2.38/sqrt(d). covariance null: ones. Nothing is learned unless it adapts.
    RandomWalkChain(const Plan& plan, std::size_t d, const double* start, bool dense, bool adapts, double scale, const double* covariance,
                    const WalkRecord& record);
    const double* next_point() const override { return at_start ? now.data() : proposed.data(); }
    void receive(double log_prob, const double* gradient) override;
    double scale() const { return s; }
    const Metric& shape() const { return metric; }

  private:
    void propose();
    void learn(double probability);

    Metric metric;
    Moments moments;
    Windows windows;
    WalkRecord record;
    double s, log_prob_now = 0, n_accepted = 0;
    std::size_t n_learned = 0;
    bool adapts, at_start = true;
    std::vector<double> now, proposed, z;
};

}  // namespace novum::sampling
