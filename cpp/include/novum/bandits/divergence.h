// The upper confidence bound of KL-UCB for rewards in [0, 1] (Garivier and Cappe 2011).
//
//     kl(p, q) = p log(p / q) + (1 - p) log((1 - p) / (1 - q))                                                        (1)
//     U(p, c)  = max {q : kl(p, q) <= c}                                                                              (2)
// kl is convex in q, so a Newton step from anywhere in (p, 1) falls on U or above it, and further steps stay there. They begin at the root
// of the third-order expansion at p where that is close, else below two points that lie above U: p + sqrt(c / 2) (Pinsker), and the one
// that p log(1 / q) >= 0 leaves, which is close where U is near one. O(1), two to five steps.
#pragma once
#include <algorithm>
#include <cmath>

namespace novum::bandits {

/// (2)
inline double bernoulli_upper(double p, double c) {
    constexpr int MOST_STEPS = 50;
    constexpr double ENOUGH = 1e-7;  // the error after a step is of the order of its square
    constexpr double CLOSE = 0.25;   // relative size of the third-order term
    if (p >= 1) return 1;
    if (c <= 0) return p;
    if (p <= 0) return -std::expm1(-c);
    const double entropy = p * std::log(p) + (1 - p) * std::log1p(-p), v = p * (1 - p);
    const double second = std::sqrt(2 * c * v), third = (1 - 2 * p) * second / (3 * v);
    double q = p + second * (1 + third);
    if (!(std::fabs(third) < CLOSE && second < CLOSE * v)) q = std::min(p + std::sqrt(c / 2), 1 - std::exp((entropy - c) / (1 - p)));
    if (!(q < 1)) return 1;  // closer to one than doubles are
    for (int step = 0; step < MOST_STEPS; ++step) {
        const double excess = entropy - p * std::log(q) - (1 - p) * std::log1p(-q) - c;
        const double by = excess * q * (1 - q) / (q - p);
        q -= by;
        if (!(std::fabs(by) > ENOUGH * (q - p))) break;
    }
    return std::max(q, p);
}

}  // namespace novum::bandits
