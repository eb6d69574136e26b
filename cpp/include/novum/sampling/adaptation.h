// How a warm-up is spent: a step size by dual averaging, windows in which the covariance is learned.
//
//     h_t = (1 - 1/(t + t0)) h_{t-1} + (target - accepted_t)/(t + t0)                        Nesterov's dual averaging          (1)
//     log e_t = m - sqrt(t)/gamma h_t,   log ebar_t = t^-kappa log e_t + (1 - t^-kappa) log ebar_{t-1}
// (Hoffman and Gelman 2014; gamma 0.05, t0 10, kappa 0.75, m = log(10 e_0).)
//     [ first steps | window 25 | 50 | 100 | ... | last steps ]                              each window as long as two before  (2)
// The step size alone is adapted in the first and last part; at the end of a window the covariance of its draws becomes the metric.
#pragma once
#include <cstddef>

namespace novum::sampling {

class StepSize {
  public:
    void restart(double step);
    void learn(double accepted, double target);  // (1)
    double current() const { return step; }
    double average() const;

  private:
    double step = 1, anchor = 0, h = 0, log_average = 0;
    std::size_t t = 0;
};

/// The plan (2) of a warm-up of n iterations.
class Windows {
  public:
    /// `width`: of the first window; 0: 25, enough for chains whose draws are nearly independent.
    explicit Windows(std::size_t n, std::size_t width = 0);
    bool learns(std::size_t iteration) const { return iteration >= first && iteration < last; }
    /// Whether a window ends with this iteration; the next one begins.
    bool ends(std::size_t iteration);

  private:
    std::size_t first, last, width, end;
    void plan_end(std::size_t begin);
};

}  // namespace novum::sampling
