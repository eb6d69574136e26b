// Who plays. A policy selects an arm and learns from its reward; `now` is its schedule at this round (a width, a share of exploration, a
// rate), which the caller has computed for all rounds. Arms with means are played once each before their indices are compared, and equal
// indices are drawn from at random. O(arms) a round, LinUCB O(arms d^2). The formulas: src/novum/bandits/policies.py.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "novum/bandits/divergence.h"
#include "novum/bandits/gammas.h"
#include "novum/bandits/generator.h"

namespace novum::bandits {

struct Setting {
    std::size_t arms, dimension;
    const double* parameters;
};

/// The largest of several values, at random among equals.
class Choice {
  public:
    void offer(std::size_t a, double value, Generator& g) {
        if (value > best) {
            best = value;
            ties = 1;
            at = a;
        } else if (value == best && g.below(++ties) == 0) {
            at = a;
        }
    }
    std::size_t arm() const { return at; }

  private:
    double best = -HUGE_VAL;
    std::size_t ties = 1, at = 0;
};

/// An arm with the probabilities w / sum w.
inline std::size_t drawn_arm(const std::vector<double>& w, double total, Generator& g) {
    double left = g.uniform() * total;
    for (std::size_t a = 0; a + 1 < w.size(); ++a) {
        left -= w[a];
        if (left < 0) return a;
    }
    return w.size() - 1;
}

struct Means {
    std::vector<double> n, sum, mean;
    std::size_t begun = 0;
    explicit Means(const Setting& s) : n(s.arms), sum(s.arms), mean(s.arms) {}
    bool begins() const { return begun < n.size(); }
    void learn(std::size_t a, double reward) { mean[a] = (sum[a] += reward) / (n[a] += 1); }
    std::size_t best(Generator& g) const {
        Choice choice;
        for (std::size_t a = 0; a < mean.size(); ++a) choice.offer(a, mean[a], g);
        return choice.arm();
    }
};

/// now: the share of rounds in which any arm is drawn; zero for the greedy policy.
struct EpsilonGreedy : Means {
    using Means::Means;
    std::size_t select(double now, const double*, Generator& g) {
        if (begins()) return begun++;
        if (now > 0 && g.uniform() < now) return g.below(n.size());
        return best(g);
    }
    void update(std::size_t a, double reward, double, const double*, Generator&) { learn(a, reward); }
};

/// now: one over the temperature.
struct Softmax : Means {
    std::vector<double> w;
    explicit Softmax(const Setting& s) : Means(s), w(s.arms) {}
    std::size_t select(double now, const double*, Generator& g) {
        if (begins()) return begun++;
        const double top = *std::max_element(mean.begin(), mean.end());
        double total = 0;
        for (std::size_t a = 0; a < w.size(); ++a) total += w[a] = std::exp((mean[a] - top) * now);
        return drawn_arm(w, total, g);
    }
    void update(std::size_t a, double reward, double, const double*, Generator&) { learn(a, reward); }
};

/// now: the width of the interval of an arm that was pulled once.
struct UpperConfidence : Means {
    std::vector<double> narrow;  // 1 / sqrt(n)
    explicit UpperConfidence(const Setting& s) : Means(s), narrow(s.arms) {}
    std::size_t select(double now, const double*, Generator& g) {
        if (begins()) return begun++;
        Choice choice;
        for (std::size_t a = 0; a < n.size(); ++a) choice.offer(a, mean[a] + now * narrow[a], g);
        return choice.arm();
    }
    void update(std::size_t a, double reward, double, const double*, Generator&) {
        learn(a, reward);
        narrow[a] = 1 / std::sqrt(n[a]);
    }
};

/// now: f(t), the divergence that n pulls allow. Only arms whose bound may exceed the best index are solved for: indices grow with t, so
/// a bound for a later f holds until then.
struct KLUpperConfidence : Means {
    static constexpr double AHEAD = 0.05;  // how far f may grow before a bound is made anew
    std::vector<double> bound, until;
    std::size_t last = 0;
    explicit KLUpperConfidence(const Setting& s) : Means(s), bound(s.arms), until(s.arms, -1) {}
    std::size_t select(double now, const double*, Generator& g) {
        if (begins()) return begun++;
        std::size_t at = last, ties = 1;
        double index = bernoulli_upper(mean[at], now / n[at]);
        for (std::size_t a = 0; a < n.size(); ++a) {
            if (a == last) continue;
            if ((n[a] == n[at] && mean[a] == mean[at]) || (mean[a] == 1 && index == 1)) {
                if (g.below(++ties) == 0) at = a;
                continue;
            }
            if (until[a] >= now && bound[a] < index) continue;
            const double own = bernoulli_upper(mean[a], now / n[a]);
            if (own > index) {
                index = own;
                at = a;
                ties = 1;
            } else if (own == index) {
                if (g.below(++ties) == 0) at = a;
            } else {
                until[a] = now + AHEAD;
                bound[a] = bernoulli_upper(mean[a], until[a] / n[a]);
            }
        }
        return last = at;
    }
    void update(std::size_t a, double reward, double, const double*, Generator&) {
        learn(a, reward);
        until[a] = -1;
    }
};

/// parameters: the two of the prior Beta distribution. A reward between 0 and 1 counts as a success with that probability.
struct ThompsonBernoulli {
    std::vector<double> wins, losses;
    Gammas gammas;  // those of the wins, then those of the losses
    explicit ThompsonBernoulli(const Setting& s) : wins(s.arms, s.parameters[0]), losses(s.arms, s.parameters[1]), gammas(2 * s.arms) {
        for (std::size_t a = 0; a < s.arms; ++a) {
            gammas.set(a, wins[a]);
            gammas.set(s.arms + a, losses[a]);
        }
    }
    std::size_t select(double, const double*, Generator& g) {
        const double* x = gammas.draw(g);
        const double* y = x + wins.size();
        std::size_t best = 0;
        for (std::size_t a = 1; a < wins.size(); ++a)
            if (x[a] * y[best] > x[best] * y[a]) best = a;  // x / (x + y) grows with x / y; ties have probability zero
        return best;
    }
    void update(std::size_t a, double reward, double, const double*, Generator& g) {
        if (reward >= 1 || (reward > 0 && g.uniform() < reward))
            gammas.set(a, wins[a] += 1);
        else
            gammas.set(wins.size() + a, losses[a] += 1);
    }
};

/// parameters: mean and precision of the prior, precision of a reward. A prior without precision: every arm once, first.
struct ThompsonGaussian {
    std::vector<double> precision, weighted, mean, deviation;
    double each;
    std::size_t begun;
    explicit ThompsonGaussian(const Setting& s)
        : precision(s.arms, s.parameters[1]),
          weighted(s.arms, s.parameters[0] * s.parameters[1]),
          mean(s.arms, s.parameters[0]),
          deviation(s.arms, s.parameters[1] > 0 ? 1 / std::sqrt(s.parameters[1]) : 0),
          each(s.parameters[2]),
          begun(s.parameters[1] > 0 ? s.arms : 0) {}
    std::size_t select(double, const double*, Generator& g) {
        if (begun < mean.size()) return begun++;
        Choice choice;
        for (std::size_t a = 0; a < mean.size(); ++a) choice.offer(a, mean[a] + deviation[a] * g.normal(), g);
        return choice.arm();
    }
    void update(std::size_t a, double reward, double, const double*, Generator&) {
        precision[a] += each;
        weighted[a] += each * reward;
        mean[a] = weighted[a] / precision[a];
        deviation[a] = 1 / std::sqrt(precision[a]);
    }
};

/// parameters: exploration beta and rate eta. Weights are kept as logarithms, their exponentials relative to a reference that follows them.
struct Exp3 {
    static constexpr double FAR = 100;
    std::vector<double> log_w, w, p;
    double beta, eta, reference = 0;
    explicit Exp3(const Setting& s) : log_w(s.arms), w(s.arms, 1.0), p(s.arms), beta(s.parameters[0]), eta(s.parameters[1]) {}
    std::size_t select(double, const double*, Generator& g) {
        const double total = std::accumulate(w.begin(), w.end(), 0.0), even = beta / static_cast<double>(w.size());
        for (std::size_t a = 0; a < w.size(); ++a) p[a] = (1 - beta) * (w[a] / total) + even;
        return drawn_arm(p, 1.0, g);
    }
    void update(std::size_t a, double reward, double, const double*, Generator&) {
        log_w[a] += eta * reward / p[a];
        if (log_w[a] < reference + FAR) {
            w[a] = std::exp(log_w[a] - reference);
            return;
        }
        reference = *std::max_element(log_w.begin(), log_w.end());
        for (std::size_t b = 0; b < w.size(); ++b) w[b] = std::exp(log_w[b] - reference);
    }
};

/// now: eta_t. Losses 1 - r, divided by the probability of the arm; no mixing.
struct Exp3Anytime {
    std::vector<double> loss, w;
    double total = 0;
    explicit Exp3Anytime(const Setting& s) : loss(s.arms), w(s.arms) {}
    std::size_t select(double now, const double*, Generator& g) {
        const double least = *std::min_element(loss.begin(), loss.end());
        total = 0;
        for (std::size_t a = 0; a < w.size(); ++a) total += w[a] = std::exp((least - loss[a]) * now);
        return drawn_arm(w, total, g);
    }
    void update(std::size_t a, double reward, double, const double*, Generator&) { loss[a] += (1 - reward) * total / w[a]; }
};

/// parameters: alpha and the ridge. A model x'theta_a for every arm; the inverse of its Gram matrix by Sherman and Morrison.
struct LinUCB {
    std::size_t arms, d;
    double alpha;
    std::vector<double> inverse, moment, theta, z;
    explicit LinUCB(const Setting& s)
        : arms(s.arms), d(s.dimension), alpha(s.parameters[0]), inverse(arms * d * d), moment(arms * d), theta(arms * d), z(d) {
        for (std::size_t a = 0; a < arms; ++a)
            for (std::size_t j = 0; j < d; ++j) inverse[(a * d + j) * d + j] = 1 / s.parameters[1];
    }
    double product(std::size_t a, const double* x) {
        double square = 0;
        for (std::size_t i = 0; i < d; ++i) {
            const double* row = &inverse[(a * d + i) * d];
            double sum = 0;
            for (std::size_t j = 0; j < d; ++j) sum += row[j] * x[j];
            z[i] = sum;
            square += sum * x[i];
        }
        return square;
    }
    std::size_t select(double, const double* x, Generator& g) {
        Choice choice;
        for (std::size_t a = 0; a < arms; ++a) {
            double mean = 0;
            for (std::size_t j = 0; j < d; ++j) mean += theta[a * d + j] * x[j];
            choice.offer(a, mean + alpha * std::sqrt(std::max(product(a, x), 0.0)), g);
        }
        return choice.arm();
    }
    void update(std::size_t a, double reward, double, const double* x, Generator&) {
        const double below = 1 + product(a, x);
        for (std::size_t i = 0; i < d; ++i) {
            double* row = &inverse[(a * d + i) * d];
            for (std::size_t j = 0; j < d; ++j) row[j] -= z[i] * z[j] / below;
            moment[a * d + i] += reward * x[i];
        }
        for (std::size_t i = 0; i < d; ++i) {
            double sum = 0;
            for (std::size_t j = 0; j < d; ++j) sum += inverse[(a * d + i) * d + j] * moment[a * d + j];
            theta[a * d + i] = sum;
        }
    }
};

}  // namespace novum::bandits
