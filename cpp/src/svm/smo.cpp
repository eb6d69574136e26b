#include "novum/svm/smo.h"
#include "novum/runtime/interrupt.h"
#include "novum/svm/block.h"
#include "novum/svm/row_cache.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace novum::svm {

namespace {

constexpr std::size_t LOOK_EVERY = 64;     // steps between two looks for Ctrl-C
constexpr std::size_t GAP_EVERY = 1024;    // steps between two gaps, at the least
constexpr std::size_t MANY = 2048;         // points from which on it pays to set some aside
constexpr double SHRUNK = 0.7;             // share of the points that may stay for the others to be set aside
constexpr std::size_t BLOCK = 256;         // variables of a block
constexpr std::size_t BLOCKS_FROM = 1024;  // variables from which on blocks pay: they need more steps, each of which costs less
constexpr std::size_t COPY_ROWS = 8;       // rows of a block that a thread copies at a time: they lie far apart
constexpr std::size_t LEAST_BLOCK = 64;    // fewer are not worth one
constexpr std::int64_t BLOCK_STEPS = 50;   // steps within a block, at the most, per variable
constexpr double SETTLED = 0.1;            // share of the violation that a block leaves
constexpr int MOST_RESTORES = 20;          // after which nobody is set aside any more

// The variables at work. Points whose variables rest at a bound that the slopes keep them at are set aside now and then ("shrinking"):
// what is left is packed together, rows included, and everything is looked at again at the end.
template <class Real>
class Solver {
  public:
    Solver(Rows& rows, const Problem& problem, const Limits& limits, double* b, Trace* trace)
        : all(rows), problem(problem), limits(limits), whole(b), trace(trace), rows(&rows), cache(rows, limits.cache_bytes) {
        everybody();
        slopes();
        if (trace) value = objective();
    }

    Outcome run(double* slope, double* level) {
        Outcome out{0, 0, INFINITE, 0, 0, true};
        std::int64_t look = pause();
        interrupt::Poller<LOOK_EVERY> poller;
        for (;; ++out.steps) {
            const std::size_t h = worst();
            out.violation = best[h].most - best[h].least;
            const bool rest = !(out.violation > limits.violation), over = out.steps >= limits.steps;
            if (rest || over) {
                if (!aside()) break;
                gather();
                look = out.steps + pause();
                if (over) break;
                continue;
            }
            if (out.steps >= look) {
                if (!aside() && enough(out)) break;
                if (limits.shrinking && all.size() >= MANY && restores < MOST_RESTORES) shrink(h);
                look = out.steps + pause();
            }
            const std::int64_t taken = block_size() >= LEAST_BLOCK ? round(h, out.violation, limits.steps - out.steps) : step(h);
            if (!taken) {
                if (!aside()) break;
                gather();
            }
            if (trace && taken) note(out.steps + taken);
            out.steps += std::max<std::int64_t>(0, taken - 1);
            if (taken > 1)
                interrupt::poll();  // a block takes as long as many steps
            else
                poller.tick();
        }
        keep();
        levels(level);
        measure(out, level);
        const std::size_t h = worst();
        out.violation = std::max(0.0, best[h].most - best[h].least);
        out.converged = out.violation <= limits.violation || out.gap <= limits.gap * std::abs(out.objective);
        out.rows_computed = computed + cache.computed();
        for (std::size_t k = 0; k < problem.halves; ++k) std::copy_n(f.data() + k * stride, n, slope + k * n);
        return out;
    }

  private:
    bool aside() const { return n < all.size(); }
    std::int64_t pause() const { return static_cast<std::int64_t>(std::max(GAP_EVERY, n / 4)); }

    // Take all points to work.
    void everybody() {
        n = all.size();
        choice.forget();
        point.resize(n);
        std::iota(point.begin(), point.end(), 0);
        stride = cache.stride();
        const std::size_t size = problem.halves * stride;
        f.assign(size, 0.0);
        for (auto* each : {&b, &low, &high, &shift}) each->assign(size, 0.0);
        for (auto* each : {&bar_up, &bar_low}) each->assign(size, NO);
        brief.assign(size, 0.0f);
        diagonal.assign(stride, 0.0f);
        for (std::size_t t = 0; t < n; ++t) diagonal[t] = static_cast<float>(rows->diagonal(t));
        for (std::size_t h = 0; h < problem.halves; ++h)
            for (std::size_t t = 0; t < n; ++t) {
                const std::size_t at = h * stride + t, from = h * n + t;
                b[at] = whole[from];
                low[at] = problem.lower[from];
                high[at] = problem.upper[from];
                shift[at] = problem.linear[from];
                bar(at);
            }
    }

    // f = Kb + c of all points.
    void slopes() {
        std::vector<std::int32_t> source;
        std::vector<double> weight;
        for (std::size_t t = 0; t < n; ++t)
            if (const double sum = total(t); sum != 0) {
                source.push_back(static_cast<std::int32_t>(t));
                weight.push_back(sum);
            }
        std::vector<double> product(n, 0.0);
        if (!source.empty()) all.weigh(point, source, weight.data(), product.data());
        for (std::size_t h = 0; h < problem.halves; ++h)
            for (std::size_t t = 0; t < n; ++t) f[h * stride + t] = product[t] + shift[h * stride + t];
        refresh(nullptr, nullptr, 0);
    }

    double total(std::size_t t) const {
        double sum = 0;
        for (std::size_t h = 0; h < problem.halves; ++h) sum += b[h * stride + t];
        return sum;
    }

    void bar(std::size_t at) {
        bar_up[at] = b[at] < high[at] ? 0.0f : NO;
        bar_low[at] = b[at] > low[at] ? 0.0f : NO;
    }

    double objective() const {
        double sum = 0;
        for (std::size_t at = 0; at < f.size(); ++at) sum += 0.5 * b[at] * (f[at] + shift[at]);
        return sum;
    }

    // Write down that a variable has moved by `d`, where its slope was `before`.
    void moved_by(std::size_t at, double d, double before) {
        value += d * before;
        trace->variable.push_back(static_cast<std::int64_t>(at / stride * all.size()) + point[at % stride]);
        trace->value.push_back(b[at]);
    }

    // End a move.
    void note(std::int64_t steps) {
        const Extremes& e = best[worst()];
        trace->steps.push_back(steps);
        trace->objective.push_back(value);
        trace->violation.push_back(std::max(0.0, e.most - e.least));
        trace->end.push_back(static_cast<std::int64_t>(trace->variable.size()));
    }

    // Write what the points at work have become.
    void keep() {
        for (std::size_t h = 0; h < problem.halves; ++h)
            for (std::size_t t = 0; t < n; ++t) whole[h * all.size() + static_cast<std::size_t>(point[t])] = b[h * stride + t];
    }

    // Bring back everybody who was set aside, with the slopes of today.
    void gather() {
        keep();
        computed += cache.computed();
        ++restores;
        narrowed.reset();
        rows = &all;
        cache = RowCache<Real>(all, limits.cache_bytes);
        everybody();
        slopes();
    }

    // Set aside the points all of whose variables rest, if they are many.
    void shrink(std::size_t h) {
        std::vector<std::int32_t> kept;
        for (std::size_t t = 0; t < n; ++t) {
            bool rests = true;
            for (std::size_t k = 0; k < problem.halves; ++k) {
                const std::size_t at = k * stride + t;
                const Extremes& e = best[problem.by_half ? k : h];
                const bool stuck = bar_up[at] != 0 && bar_low[at] != 0;
                rests = rests && (stuck || (bar_up[at] != 0 && f[at] < e.least) || (bar_low[at] != 0 && f[at] > e.most));
            }
            if (!rests) kept.push_back(static_cast<std::int32_t>(t));
        }
        if (static_cast<double>(kept.size()) > SHRUNK * static_cast<double>(n) || kept.size() < 2) return;
        keep();
        std::vector<std::int32_t> left(kept.size());
        for (std::size_t k = 0; k < kept.size(); ++k) left[k] = point[static_cast<std::size_t>(kept[k])];
        std::unique_ptr<Rows> fewer = all.some(left);
        cache.narrow(*fewer, kept);
        narrowed = std::move(fewer);
        rows = narrowed.get();
        pack(kept);
        point = std::move(left);
        refresh(nullptr, nullptr, 0);
    }

    void pack(std::span<const std::int32_t> kept) {
        const std::size_t wide = stride;
        stride = cache.stride();
        n = kept.size();
        choice.forget();
        const auto packed = [&](auto& numbers, std::size_t halves, auto padding) {
            std::remove_reference_t<decltype(numbers)> out(halves * stride, padding);
            for (std::size_t h = 0; h < halves; ++h)
                for (std::size_t k = 0; k < n; ++k) out[h * stride + k] = numbers[h * wide + static_cast<std::size_t>(kept[k])];
            numbers = std::move(out);
        };
        for (auto* each : {&f, &b, &low, &high, &shift}) packed(*each, problem.halves, 0.0);
        for (auto* each : {&bar_up, &bar_low}) packed(*each, problem.halves, NO);
        packed(brief, problem.halves, 0.0f);
        packed(diagonal, 1, 0.0f);
    }

    // f += d (K_i - K_j) in every half, and its extremes.
    void refresh(const Real* ki, const Real* kj, double d) {
        if (!ki) {
            nothing.assign(stride, Real(0));
            ki = kj = nothing.data();
        }
        for (std::size_t h = 0; h < problem.halves; ++h) {
            const std::size_t o = h * stride;
            Extremes e = widest<Update<Real>>(stride, ki, kj, d, f.data() + o, brief.data() + o, bar_up.data() + o, bar_low.data() + o);
            e.rising += o;
            e.falling += o;
            best[h] = e;
        }
        if (problem.halves == 2 && !problem.by_half) {  // one sum: the halves are one set
            if (best[1].least < best[0].least) best[0].least = best[1].least, best[0].rising = best[1].rising;
            if (best[1].most > best[0].most) best[0].most = best[1].most, best[0].falling = best[1].falling;
        }
    }

    std::size_t worst() const {
        return problem.by_half && problem.halves == 2 && best[1].most - best[1].least > best[0].most - best[0].least ? 1 : 0;
    }

    // Variables of a block: as many as the cache can hold rows for twice, and a part only of all.
    std::size_t block_size() const { return n * problem.halves < BLOCKS_FROM ? 0 : std::min({BLOCK, cache.slots() / 2 / 16 * 16, n / 4}); }

    // Bring a block of the worst variables of half h, or of all where they share a sum, to its own optimum; returns the steps taken.
    // Half of it are those chosen for the block before: what one block moves another one would move back.
    std::int64_t round(std::size_t h, double violation, std::int64_t most) {
        const std::size_t first = problem.by_half ? h * stride : 0, last = problem.by_half ? first + stride : problem.halves * stride;
        const std::vector<std::size_t>& chosen =
            choice.next(f, bar_up, bar_low, first, last, block_size(), best[h].least, best[h].most, all.helpers());
        const std::size_t q = chosen.size();
        wanted.clear();
        for (const std::size_t at : chosen) {
            const std::size_t t = at % stride;
            if (cache.has(t)) {
                cache.row(t);  // in use: it stays
            } else {
                wanted.push_back(static_cast<std::int32_t>(t));
            }
        }
        std::sort(wanted.begin(), wanted.end());
        wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
        cache.fetch(wanted);
        std::vector<const Real*> row(q);
        for (std::size_t k = 0; k < q; ++k) row[k] = cache.row(chosen[k] % stride);
        block.resize(q);
        std::vector<std::size_t> point_of(q);
        for (std::size_t k = 0; k < q; ++k) point_of[k] = chosen[k] % stride;
        const auto copy = [&](std::uint32_t part, int) {
            for (std::size_t k = part * COPY_ROWS; k < std::min(q, (part + 1) * COPY_ROWS); ++k) {
                Real* to = block.kernel.data() + k * block.stride;
                for (std::size_t l = 0; l < q; ++l) to[l] = row[k][point_of[l]];
                std::fill(to + q, to + block.stride, Real(0));
            }
        };
        const auto copies = static_cast<std::uint32_t>((q + COPY_ROWS - 1) / COPY_ROWS);
        if (Team* team = all.helpers())
            team->run(copies, copy);
        else
            for (std::uint32_t part = 0; part < copies; ++part) copy(part, 0);
        for (std::size_t k = 0; k < q; ++k) {
            const std::size_t at = chosen[k];
            block.f[k] = f[at], block.b[k] = b[at], block.low[k] = low[at], block.high[k] = high[at];
            block.diagonal[k] = diagonal[at % stride];
            block.bar(k);
        }
        const std::int64_t steps =
            block.settle(std::max(limits.violation / 2, SETTLED * violation), std::min(most, BLOCK_STEPS * static_cast<std::int64_t>(q)));
        std::vector<const Real*> moved;
        std::vector<double> by;
        std::vector<std::size_t> who;
        for (std::size_t k = 0; k < q; ++k)
            if (const double d = block.b[k] - b[chosen[k]]; d != 0) {
                moved.push_back(row[k]);
                by.push_back(d);
                who.push_back(chosen[k]);
                b[chosen[k]] = block.b[k];
                bar(chosen[k]);
            }
        if (moved.empty()) return 0;
        std::vector<double> change(stride, 0.0);
        add_rows<Real>(moved, by, stride, change.data(), all.helpers());
        for (std::size_t m = 0; trace && m < moved.size(); ++m) moved_by(who[m], by[m], f[who[m]] + 0.5 * change[who[m] % stride]);
        for (std::size_t k = 0; k < problem.halves; ++k)
            for (std::size_t t = 0; t < n; ++t) f[k * stride + t] += change[t];
        refresh(nullptr, nullptr, 0);
        return std::max<std::int64_t>(1, steps);
    }

    // One step of (4) in half h, or in all where they share a sum; false where no pair can move.
    bool step(std::size_t h) {
        const std::size_t i = best[h].rising, pi = i % stride;
        const Real* ki = cache.has(pi) ? cache.row(pi) : cache.row(pi, likely(h));
        Partner chosen{-NO, 0};
        for (std::size_t k = problem.by_half ? h : 0; k < (problem.by_half ? h + 1 : problem.halves); ++k) {
            const std::size_t o = k * stride;
            Partner p = widest<Choose<Real>>(stride, ki, brief[i], diagonal[pi], brief.data() + o, diagonal.data(), bar_low.data() + o);
            if (p.gain > chosen.gain) chosen = {p.gain, p.at + o};
        }
        std::size_t j = chosen.gain > 0 ? chosen.at : best[h].falling;
        if (!(f[j] > f[i])) j = best[h].falling;  // digits that single precision did not see
        const std::size_t pj = j % stride;
        const Real* kj = cache.has(pj) ? cache.row(pj) : cache.row(pj, likely(h));
        ki = cache.row(pi);
        const double bend = std::max(FLAT, rows->diagonal(pi) + rows->diagonal(pj) - 2.0 * static_cast<double>(ki[pj]));
        const double up = high[i] - b[i], down = b[j] - low[j], d = std::min({(f[j] - f[i]) / bend, up, down});
        const double from_i = b[i], from_j = b[j];
        b[i] = d >= up ? high[i] : b[i] + d;
        b[j] = d >= down ? low[j] : b[j] - d;
        if (b[i] == from_i && b[j] == from_j) return false;
        bar(i);
        bar(j);
        if (trace) {
            const double curve = rows->diagonal(pi) + rows->diagonal(pj) - 2.0 * static_cast<double>(ki[pj]);
            moved_by(i, b[i] - from_i, f[i]);
            moved_by(j, b[j] - from_j, f[j]);
            value += 0.5 * d * d * curve;
        }
        refresh(ki, kj, d);
        return true;
    }

    // Points whose rows will be needed soon: the worst on both sides that are not at hand.
    std::span<const std::int32_t> likely(std::size_t h) {
        ranked.clear();
        const double middle = 0.5 * (best[h].least + best[h].most);
        for (std::size_t k = 0; k < problem.halves; ++k)
            for (std::size_t t = 0; t < n; ++t) {
                const std::size_t at = k * stride + t;
                const double off = std::max(bar_up[at] == 0 ? middle - f[at] : 0.0, bar_low[at] == 0 ? f[at] - middle : 0.0);
                if (off > 0 && !cache.has(t)) ranked.emplace_back(-off, static_cast<std::int32_t>(t));
            }
        const std::size_t many = std::min(ranked.size(), RowCache<Real>::BLOCK - 1);
        std::nth_element(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(many), ranked.end());
        wanted.clear();
        for (std::size_t k = 0; k < many; ++k) wanted.push_back(ranked[k].second);
        return wanted;
    }

    void levels(double* level) const {
        const std::size_t sums = problem.by_half ? problem.halves : 1;
        for (std::size_t s = 0; s < sums; ++s) {
            double sum = 0, least = -INFINITE, most = INFINITE;
            std::size_t free = 0;
            for (std::size_t h = problem.by_half ? s : 0; h < (problem.by_half ? s + 1 : problem.halves); ++h)
                for (std::size_t t = 0; t < n; ++t) {
                    const std::size_t at = h * stride + t;
                    const bool rises = bar_up[at] == 0, falls = bar_low[at] == 0;
                    if (rises && falls) sum += f[at], ++free;
                    if (falls) least = std::max(least, f[at]);
                    if (rises) most = std::min(most, f[at]);
                }
            if (!std::isfinite(least)) least = most;
            if (!std::isfinite(most)) most = least;
            level[s] = free ? sum / static_cast<double>(free) : std::isfinite(least) ? 0.5 * (least + most) : 0.0;
        }
    }

    void measure(Outcome& out, const double* level) const {
        out.gap = out.objective = 0;
        for (std::size_t h = 0; h < problem.halves; ++h)
            for (std::size_t t = 0; t < n; ++t) {
                const std::size_t at = h * stride + t;
                const double off = f[at] - level[problem.by_half ? h : 0];
                if (off != 0) out.gap += off > 0 ? (b[at] - low[at]) * off : (b[at] - high[at]) * off;
                out.objective += 0.5 * b[at] * (f[at] + shift[at]);
            }
    }

    bool enough(Outcome& out) const {
        double level[2];
        levels(level);
        measure(out, level);
        return out.gap <= limits.gap * std::abs(out.objective);
    }

    Rows& all;
    const Problem& problem;
    const Limits& limits;
    double* whole;
    Trace* trace;
    double value = 0;  // D(b), where there is a trace
    Rows* rows;
    std::unique_ptr<Rows> narrowed;
    RowCache<Real> cache;
    std::size_t n = 0, stride = 0;
    std::vector<std::int32_t> point;  // the number of each point at work
    std::vector<double> f, b, low, high, shift;
    std::vector<float> brief, bar_up, bar_low, diagonal;
    std::vector<Real> nothing;
    std::vector<std::pair<double, std::int32_t>> ranked;
    std::vector<std::int32_t> wanted;
    Block<Real> block;
    BlockChoice choice;
    Extremes best[2];
    int restores = 0;
    std::size_t computed = 0;  // rows, by caches that are gone
};

}  // namespace

Outcome solve(Rows& rows, const Problem& problem, const Limits& limits, double* b, double* slope, double* level, Trace* trace) {
    if (limits.precise) return Solver<double>(rows, problem, limits, b, trace).run(slope, level);
    return Solver<float>(rows, problem, limits, b, trace).run(slope, level);
}

}  // namespace novum::svm
