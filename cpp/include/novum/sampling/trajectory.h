// One trajectory of the No-U-Turn sampler, leapfrog step by leapfrog step.
//
//     H(q, p) = -log pi(q) + p' C p / 2                                                                                         (1)
//     p <- p + e/2 grad,  q <- q + e C p,  p <- p + e/2 grad(q)                               leapfrog                          (2)
//     go on while  (C p_first) . rho > 0  and  (C p_last) . rho > 0,  rho = sum of p           no U-turn                        (3)
//     a leaf has weight exp(H_0 - H); a tree passes on one leaf, drawn by weight                                                (4)
// The trajectory doubles, forwards or backwards at random (Hoffman and Gelman 2014). The new half is built from leaves as a binary
// counter adds: two neighboring trees of one size merge, and (3) is checked for every merged tree and across the seam (Betancourt 2017).
// Inside a half leaves are drawn by (4); between the halves the new one is taken with min(1, its weight/the old one's).
// O(d) a step, and O(d^2) where C is dense; O(depth d) memory.
#pragma once
#include <cstddef>
#include <vector>

#include "novum/runtime/rng.h"
#include "novum/sampling/metric.h"

namespace novum::sampling {

using Numbers = std::vector<double>;

/// A point of phase space, with what is known about it.
struct Point {
    Numbers q, p, velocity, gradient;
    double log_prob = 0;
    explicit Point(std::size_t d) : q(d), p(d), velocity(d), gradient(d) {}
};

/// What a drawn leaf carries.
struct Leaf {
    Numbers q, gradient;
    double log_prob = 0, energy = 0;
    explicit Leaf(std::size_t d) : q(d), gradient(d) {}
};

/// A piece of a trajectory, from its first point to its last in the order of integration.
struct Tree {
    Numbers first_p, first_velocity, last_p, last_velocity, rho;
    Leaf drawn;
    double log_weight = 0;
    std::size_t height = 0;
    explicit Tree(std::size_t d) : first_p(d), first_velocity(d), last_p(d), last_velocity(d), rho(d), drawn(d) {}
};

class Trajectory {
  public:
    Trajectory(std::size_t d, std::size_t max_depth);
    /// Begin at q with the momentum p; the uniform numbers and directions of this trajectory are `numbers` at row `chain`.
    void begin(const Numbers& q, double log_prob, const Numbers& gradient, const Numbers& p, const Metric& metric, double step,
               const rng::Stream& numbers, std::size_t chain);
    const double* next_point() const { return here.q.data(); }
    /// Take the density at `next_point`; true when the trajectory is done.
    bool receive(double log_prob, const double* gradient, const Metric& metric);
    const Leaf& drawn() const { return sample; }
    double accepted() const { return sum_accepted / static_cast<double>(n_steps); }
    std::size_t steps() const { return n_steps; }
    std::size_t depth() const { return n_doublings; }
    bool diverged() const { return is_divergent; }

  private:
    void begin_half(const Metric& metric);
    void half_step(const Metric& metric);
    bool merge();
    bool join(const Metric& metric);
    double uniform();

    std::size_t d, max_depth, n_steps = 0, n_doublings = 0, chain = 0, n_uniform = 0, height = 0;
    double step = 0, signed_step = 0, energy_0 = 0, log_weight = 0, sum_accepted = 0;
    bool is_divergent = false, forwards = true;
    rng::Stream stream{};
    Point here, front, back;
    Leaf sample;
    Numbers rho, scratch;
    std::vector<Tree> stack;  // of the half that grows; `height` of them are in use
};

}  // namespace novum::sampling
