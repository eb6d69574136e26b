// Evaluation of a policy by BiCGSTAB (van der Vorst 1992), and modified policy iteration (Puterman and Shin 1978) that uses it where
// plain sweeps contract too slowly. Bounds: MacQueen (1966); the constant part of an error is taken out at once by their middle.
#include <algorithm>
#include <cmath>
#include <limits>

#include "novum/decisions/process.h"
#include "novum/runtime/interrupt.h"
#include "novum/runtime/simd.h"

namespace novum::decisions {

namespace {

constexpr double TINY = 1e-300;
constexpr int PLAIN_SWEEPS = 3;   // of a policy before its rate of contraction is known
constexpr double SLOW = 0.75;     // rate of a sweep above which BiCGSTAB needs less work
constexpr double FORCING = 0.1;   // part of the improvement's span to which a policy is evaluated
constexpr int PATIENCE = 8;       // rounds after which policies should no longer change
constexpr int IN_PLACE = 4;       // sweeps in place, forwards and backwards in turn
constexpr double SETTLED = 0.01;  // part of the states whose choice may change in a round that is worth an evaluation
constexpr int MOST_PLAIN = 60, MOST_PRODUCTS = 400;

using Vector = std::vector<double>;

/// Run f(from, to) over chunks and add up what it returns, in the order of the chunks.
template <class F>
double sum_over(std::size_t n, Team& team, Vector& parts, F&& f) {
    const std::uint32_t chunks = static_cast<std::uint32_t>((n + CHUNK - 1) / CHUNK);
    parts.assign(chunks, 0.0);
    team.run(chunks, [&](std::uint32_t chunk, int) { parts[chunk] = f(chunk * CHUNK, std::min(n, (chunk + 1) * CHUNK)); });
    double total = 0;
    for (const double part : parts) total += part;
    return total;
}

/// The vectors of BiCGSTAB for x - gamma P x = r.
class Krylov {
  public:
    Krylov(const Process& p, const Rows& rows, Team& team) : p(p), rows(rows), team(team), n(p.n) {}

    int run(double tol, int most, double* x) {
        Vector r(n), shadow(n), direction(n), image(n), step(n), turn(n);
        double rho = residual(x, r.data()), size = rho;
        int used = 1;
        if (largest(r) <= tol) return used;
        shadow = r;
        direction = r;
        while (used + 2 <= most) {
            interrupt::poll();
            const double projected = product(direction.data(), image.data(), shadow.data());
            ++used;
            if (std::fabs(projected) < TINY) return used;
            const double alpha = rho / projected;
            sum_over(n, team, parts, [&](std::size_t from, std::size_t to) {
                for (std::size_t i = from; i < to; ++i) step[i] = r[i] - alpha * image[i];
                return 0.0;
            });
            const double along = product(step.data(), turn.data(), step.data());
            ++used;
            const double length = sum_over(n, team, parts, [&](std::size_t from, std::size_t to) {
                double sum = 0;
                for (std::size_t i = from; i < to; ++i) sum += turn[i] * turn[i];
                return sum;
            });
            const double omega = length < TINY ? 0.0 : along / length;
            const double next_rho = sum_over(n, team, parts, [&](std::size_t from, std::size_t to) {
                double sum = 0;
                for (std::size_t i = from; i < to; ++i) {
                    x[i] += alpha * direction[i] + omega * step[i];
                    r[i] = step[i] - omega * turn[i];
                    sum += shadow[i] * r[i];
                }
                return sum;
            });
            const double now = largest(r);
            if (now <= tol || !std::isfinite(now) || std::fabs(omega) < TINY) return used;
            const double beta = next_rho / rho * alpha / omega;
            if (!std::isfinite(beta) || std::fabs(next_rho) < 1e-20 * size) return used;
            rho = next_rho;
            sum_over(n, team, parts, [&](std::size_t from, std::size_t to) {
                for (std::size_t i = from; i < to; ++i) direction[i] = r[i] + beta * (direction[i] - omega * image[i]);
                return 0.0;
            });
        }
        return used;
    }

  private:
    const Process& p;
    const Rows& rows;
    Team& team;
    std::size_t n;
    Vector parts;

    double largest(const Vector& r) {
        double most = 0;
        for (const double value : r) most = std::max(most, std::fabs(value));
        return most;
    }

    double gamma_p(std::size_t s, const double* x) const {
        double sum = 0;
        for (std::int64_t e = rows.start[s]; e < rows.start[s + 1]; ++e) sum += rows.probability[e] * x[rows.next[e]];
        return p.discount * sum;
    }

    /// r = T x - x, and its square.
    double residual(const double* x, double* r) {
        return sum_over(n, team, parts, [&](std::size_t from, std::size_t to) {
            double sum = 0;
            for (std::size_t s = from; s < to; ++s) {
                r[s] = rows.reward[s] + gamma_p(s, x) - x[s];
                sum += r[s] * r[s];
            }
            return sum;
        });
    }

    /// out = x - gamma P x, and its product with `other`.
    double product(const double* x, double* out, const double* other) {
        return sum_over(n, team, parts, [&](std::size_t from, std::size_t to) {
            double sum = 0;
            for (std::size_t s = from; s < to; ++s) {
                out[s] = x[s] - gamma_p(s, x);
                sum += out[s] * other[s];
            }
            return sum;
        });
    }
};

}  // namespace

int solve(const Process& p, const Rows& rows, double tol, int most, Team& team, double* v) {
    Krylov krylov(p, rows, team);
    int used = 0;
    Vector kept;
    double before = std::numeric_limits<double>::infinity();
    while (used < most) {  // a breakdown is answered by a fresh start, as long as that helps
        kept.assign(v, v + p.n);
        used += krylov.run(tol, most - used, v);
        Vector out(p.n);
        const Change now = evaluate(p, rows, v, team, out.data());
        const double size = std::max(std::fabs(now.low), std::fabs(now.high));
        ++used;
        if (!std::isfinite(size) || size > before) {
            std::copy(kept.begin(), kept.end(), v);
            return used;
        }
        if (size <= tol || size > 0.9 * before) return used;
        before = size;
    }
    return used;
}

Outcome modified(const Process& p, double tol, std::int64_t most, bool leaks, Team& team, double* v, std::int64_t* choice, Path* path) {
    const double ratio = p.discount / (1 - p.discount);
    const auto span_of = [leaks](const Change& step) {
        return leaks ? std::max(step.high, 0.0) - std::min(step.low, 0.0) : step.high - step.low;
    };
    Vector other(p.n);
    Rows rows;
    Outcome outcome{0, 0, 0, 0, false};
    while (outcome.sweeps < most) {
        interrupt::poll();
        const Change step = improve(p, v, 0.0, team, other.data(), choice);
        ++outcome.sweeps;
        ++outcome.rounds;
        outcome.low = leaks ? std::min(step.low, 0.0) : step.low;
        outcome.high = leaks ? std::max(step.high, 0.0) : step.high;
        const double span = span_of(step);
        std::copy(other.begin(), other.end(), v);
        if (path) path->keep(outcome.sweeps, v);
        if (ratio * span <= tol) {
            outcome.converged = true;
            return outcome;
        }
        // Where policies still change after some rounds, news travels a state a round: sweeps in place carry it across at once.
        if (outcome.rounds > PATIENCE && step.changed > 0) {
            for (int k = 0; k < IN_PLACE && outcome.sweeps < most; ++k) {
                improve_in_place(p, k % 2 == 1, v, choice);
                ++outcome.sweeps;
            }
            if (path) path->keep(outcome.sweeps, v);
            if (static_cast<double>(step.changed) > SETTLED * static_cast<double>(p.n)) continue;
        }
        // The policy is worth evaluating as far as its own improvement reached.
        gather(p, choice, team, rows);
        const double goal = std::max(FORCING * span, 0.1 * tol / std::max(ratio, 1.0));
        double before = span, now = span;
        for (int plain = 0; plain < MOST_PLAIN && now > goal && outcome.sweeps < most; ++plain) {
            const Change part = evaluate(p, rows, v, team, other.data());
            std::copy(other.begin(), other.end(), v);
            ++outcome.sweeps;
            now = span_of(part);
            if (plain >= PLAIN_SWEEPS && now > SLOW * before) break;
            before = now;
        }
        if (now > goal && outcome.sweeps < most)
            outcome.sweeps +=
                solve(p, rows, 0.5 * goal, static_cast<int>(std::min<std::int64_t>(MOST_PRODUCTS, most - outcome.sweeps)), team, v);
        if (path) path->keep(outcome.sweeps, v);
    }
    return outcome;
}

}  // namespace novum::decisions
