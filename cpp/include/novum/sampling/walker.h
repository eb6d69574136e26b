// A chain with an ask-and-tell interface: it says where it needs the log density, and goes on when it is given. Whoever drives it may
// ask for one chain at a time or for many in one call, and chains need not wait for each other's trajectories.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "novum/runtime/rng.h"

namespace novum::sampling {

/// What all chains share: draws are a function of (seed, chain, iteration), so any driver makes the same ones.
struct Plan {
    std::uint64_t seed;
    std::uint64_t chain;
    std::size_t begin;     // iterations done before, by the run that this one continues
    std::size_t n_warmup;  // of all iterations
    std::size_t n_draws;   // to record
    std::size_t thin;      // iterations per recorded draw
};

/// Numbers of a purpose at an iteration of a chain.
inline rng::Stream stream_of(const Plan& plan, std::uint32_t purpose, std::size_t iteration) {
    return {plan.seed, purpose, static_cast<std::uint32_t>(iteration)};
}

class Walker {
  public:
    Walker(const Plan& plan, std::size_t d) : plan(plan), d(d), iteration(plan.begin) {}
    virtual ~Walker() = default;
    /// Where the log density is needed next; valid until `receive`.
    virtual const double* next_point() const = 0;
    /// The log density there, NaN and all, and its gradient (null for chains that need none).
    virtual void receive(double log_prob, const double* gradient) = 0;
    bool finished() const { return n_recorded == plan.n_draws; }
    std::size_t dimension() const { return d; }
    std::size_t recorded() const { return n_recorded; }
    /// Count a density that is no number; the first place is kept.
    void note_undefined(const double* x) {
        if (n_undefined++ == 0) undefined_at.assign(x, x + d);
    }
    std::size_t undefined() const { return n_undefined; }
    const std::vector<double>& first_undefined() const { return undefined_at; }

  protected:
    Plan plan;
    std::size_t d, iteration, n_recorded = 0;
    bool warming() const { return iteration < plan.n_warmup; }
    /// Whether the iteration just done is one to record; counts it.
    bool records() const { return !warming() && (iteration - plan.n_warmup + 1) % plan.thin == 0; }

  private:
    std::size_t n_undefined = 0;
    std::vector<double> undefined_at;
};

}  // namespace novum::sampling
