// Where rewards come from. An environment gives a round its context, an arm its reward, and says what the choice of an arm has cost:
//
//     gap         max_b mu_b - mu_a                                      arms with means                  (1)
//     forgone     -r_ta; the best arm's sum is added by the caller        a table of rewards               (2)
//     gap         max_b x'theta_b - x'theta_a                            a context x, drawn every round   (3)
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "novum/bandits/generator.h"

namespace novum::bandits {

struct Table {
    const double* data;
    std::size_t rows, columns;
    const double* row(std::size_t i) const { return data + i * columns; }
};

/// means: (arms, 2), mean and standard deviation of every arm; (1).
struct ArmsWithMeans {
    const Table& arms;
    double best;
    explicit ArmsWithMeans(const Table& arms) : arms(arms), best(arms.row(0)[0]) {
        for (std::size_t a = 1; a < arms.rows; ++a) best = std::max(best, arms.row(a)[0]);
    }
    void next(std::size_t, Generator&) {}
    const double* context() const {
        static const double ONE = 1;
        return &ONE;
    }
    double cost(std::size_t a) const { return best - arms.row(a)[0]; }
};

struct BernoulliArms : ArmsWithMeans {
    BernoulliArms(const Table& arms, const Table&, double) : ArmsWithMeans(arms) {}
    double reward(std::size_t a, Generator& g) const { return g.uniform() < arms.row(a)[0] ? 1.0 : 0.0; }
};

struct GaussianArms : ArmsWithMeans {
    GaussianArms(const Table& arms, const Table&, double) : ArmsWithMeans(arms) {}
    double reward(std::size_t a, Generator& g) const { return arms.row(a)[0] + arms.row(a)[1] * g.normal(); }
};

/// A row of rewards for every round; (2).
struct GivenRewards {
    const Table& rewards;
    const double* now = nullptr;
    GivenRewards(const Table& rewards, const Table&, double) : rewards(rewards) {}
    void next(std::size_t t, Generator&) { now = rewards.row(t); }
    const double* context() const {
        static const double ONE = 1;
        return &ONE;
    }
    double reward(std::size_t a, Generator&) const { return now[a]; }
    double cost(std::size_t a) const { return -now[a]; }
};

/// theta: (arms, d). Contexts are rows of a table, drawn with equal probabilities, or points on the unit sphere where it has none; (3).
struct LinearArms {
    const Table &theta, &contexts;
    double noise, best = 0;
    std::vector<double> x, value;
    LinearArms(const Table& theta, const Table& contexts, double noise)
        : theta(theta), contexts(contexts), noise(noise), x(theta.columns), value(theta.rows) {}
    void next(std::size_t, Generator& g) {
        const std::size_t d = theta.columns;
        if (contexts.rows) {
            const double* row = contexts.row(g.below(contexts.rows));
            std::copy(row, row + d, x.begin());
        } else {
            double square = 0;
            for (double& each : x) {
                each = g.normal();
                square += each * each;
            }
            for (double& each : x) each /= std::sqrt(square);
        }
        for (std::size_t a = 0; a < theta.rows; ++a) {
            double sum = 0;
            for (std::size_t j = 0; j < d; ++j) sum += x[j] * theta.row(a)[j];
            value[a] = sum;
        }
        best = *std::max_element(value.begin(), value.end());
    }
    const double* context() const { return x.data(); }
    double reward(std::size_t a, Generator& g) const { return value[a] + noise * g.normal(); }
    double cost(std::size_t a) const { return best - value[a]; }
};

}  // namespace novum::bandits
