// Values of a fixed policy from episodes s_0, r_1, s_1, ..., s_T.
//
//   G_t = r_{t+1} + gamma G_{t+1}                                               Monte Carlo: V(s) is the mean of its G_t       (1)
//   G_t^(n) = sum_{i=1..n} gamma^{i-1} r_{t+i} + gamma^n V(s_{t+n})             n steps, then the estimate                     (2)
//   G_t^lambda = (1 - lambda) sum_n lambda^{n-1} G_t^(n), rest on G_t           forward view, V kept until the episode ends    (3)
//   e <- gamma lambda e, e(s_t) += 1 (or = 1), V += alpha delta_t e             backward view, V changed at every step         (4)
//   rho_t = prod_{k >= t} pi(a_k|s_k) / b(a_k|s_k)                              weights of returns under another policy b      (5)
//
// (1) ordinary: sum rho G / visits; weighted: sum rho G / sum rho. (2) multiplies its step by the ratio of its n actions, (4) its trace by
// the ratio of each. O(T) an episode; (2) O(T n), (3) O(T), (4) O(T x states remembered).
#pragma once
#include "novum/decisions/diary.h"
#include "novum/decisions/world.h"

namespace novum::decisions {

enum class View : int { CARLO = 0, STEPS = 1, FORWARD = 2, BACKWARD = 3 };

struct Prediction {
    View view;
    bool first_visit, weighted, replacing;
    int n_steps;
    double trace_decay;
    const double* visit_rate;  // (rates): step sizes by visits of a state; null: means of returns, and `rate` otherwise
    std::size_t rates;
    double rate;
};

/// What is known so far.
struct Estimate {
    double* v;             // (n)
    double* weight;        // (n): returns that were averaged, or their ratios
    std::int64_t* visits;  // (n)
};

struct Trace {
    const std::int32_t* states;  // (T + 1)
    const double* rewards;       // (T)
    const double* ratios;        // (T), pi/b of every action; null: 1
    std::int64_t length;
    bool ended;  // nothing follows the last state
};

/// Learn from episodes, one after another.
class Predictor {
  public:
    Predictor(const Prediction& plan, Estimate estimate, std::size_t n, double discount);
    void learn(const Trace& trace);

  private:
    Prediction plan;
    Estimate now;
    double discount;
    std::vector<double> eligibility, returns, products;
    std::vector<std::int32_t> touched;
    std::vector<std::int64_t> seen;
    double step_size(std::int32_t s);
    void average(const Trace& trace);
    void n_step(const Trace& trace);
    void forward(const Trace& trace);
    void backward(const Trace& trace);
};

/// Live `episodes` under the behavior (sums by row; ratios n x m or null) and learn from each; the root mean square error against `truth`
/// over states with weight (n) after every episode goes to `errors`, unless it is null.
void predict(const World& world, const Prediction& plan, const double* behavior, const double* ratios, std::int64_t episodes,
             std::int64_t most, Draws draws, Estimate estimate, const double* truth, const double* share, double* errors,
             Diary* diary = nullptr);

}  // namespace novum::decisions
