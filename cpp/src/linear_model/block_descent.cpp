#include "novum/linear_model/block_descent.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "novum/linear_model/extrapolation.h"
#include "novum/runtime/interrupt.h"
#include "novum/runtime/rng.h"
#include "novum/runtime/simd.h"

namespace novum {

namespace {

constexpr std::uint32_t DRAW = 0x626c6f63;  // purpose of the random blocks

NOVUM_CLONES void subtract_outer(double* to, const double* g, const double* change, std::size_t m, std::size_t q) {
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t t = 0; t < q; ++t) to[i * q + t] -= g[i] * change[t];
}

double length(const double* v, std::size_t q) {
    double sum = 0;
    for (std::size_t t = 0; t < q; ++t) sum += v[t] * v[t];
    return std::sqrt(sum);
}

struct Judged {
    double primal, gap;
};

// The objective (17) and its gap (19) from the gradient C - G W: |R|^2 = yy - <W, C> - <W, C - G W>.
Judged judge(std::size_t m, std::size_t q, const double* C, double yy, Penalty penalty, const double* W, const double* gradient) {
    double lengths = 0, top = 0;
    std::vector<double> score(q);
    for (std::size_t j = 0; j < m; ++j) {
        for (std::size_t t = 0; t < q; ++t) score[t] = gradient[j * q + t] - penalty.l2 * W[j * q + t];
        lengths += length(W + j * q, q);
        top = std::max(top, length(score.data(), q));
    }
    const double ry = yy - dot(W, C, m * q), rr = std::max(0.0, ry - dot(W, gradient, m * q)), whole = rr + penalty.l2 * dot(W, W, m * q);
    const double theta = top > penalty.l1 ? penalty.l1 / top : 1.0, primal = 0.5 * whole + penalty.l1 * lengths;
    return {primal, primal - theta * ry + 0.5 * theta * theta * whole};
}

}  // namespace

Descent descend_blocks(const double* G, std::size_t m, std::size_t q, const double* C, double yy, Penalty penalty, Stopping stopping,
                       double* W, double* gradient) {
    std::copy(C, C + m * q, gradient);
    for (std::size_t j = 0; j < m; ++j)
        if (length(W + j * q, q) > 0) subtract_outer(gradient, G + j * m, W + j * q, m, q);
    std::vector<double> z(q), change(q);
    interrupt::Poller<64> poller;
    auto turn = [&](std::size_t j) {
        poller.tick();
        const double h = G[j * m + j], *g = gradient + j * q;
        double* w = W + j * q;
        for (std::size_t t = 0; t < q; ++t) z[t] = g[t] + h * w[t];
        const double size = length(z.data(), q), keep = h > 0 && size > penalty.l1 ? (1 - penalty.l1 / size) / (h + penalty.l2) : 0.0;
        bool moved = false;
        for (std::size_t t = 0; t < q; ++t) {
            change[t] = keep * z[t] - w[t];
            moved = moved || change[t] != 0;
            w[t] = keep * z[t];
        }
        if (moved) subtract_outer(gradient, G + j * m, change.data(), m, q);
    };
    Extrapolation past(m * q, m * q);
    std::vector<double> trial(past.size());
    Judged now = judge(m, q, C, yy, penalty, W, gradient);
    std::size_t epoch = 0;
    for (; now.gap > stopping.gap && epoch < stopping.max_epochs; ++epoch) {
        const rng::Stream stream{stopping.seed, DRAW, static_cast<std::uint32_t>(epoch)};
        for (std::size_t j = 0; j < m; ++j) turn(stopping.random ? rng::below(rng::bits(stream, j), m) : j);
        now = judge(m, q, C, yy, penalty, W, gradient);
        if (!past.keep({W, m * q}, {gradient, m * q})) continue;
        if (past.combine(trial.data())) {
            const Judged there = judge(m, q, C, yy, penalty, trial.data(), trial.data() + m * q);
            if (there.primal < now.primal) {
                std::copy_n(trial.data(), m * q, W);
                std::copy_n(trial.data() + m * q, m * q, gradient);
                now = there;
            }
        }
        past.forget();
    }
    return {now.gap, epoch, now.gap <= stopping.gap};
}

}  // namespace novum
