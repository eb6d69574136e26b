#include "novum/linear_model/descent.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <vector>

#include "novum/linear_model/extrapolation.h"
#include "novum/runtime/interrupt.h"
#include "novum/runtime/rng.h"
#include "novum/runtime/simd.h"

namespace novum {

namespace {

constexpr std::uint32_t DRAW = 0x64657363;  // purpose of the random coordinates
constexpr double CANCELED = 1e-6;  // share of a sum of squares about zero below which what is left about the mean has lost half its digits
constexpr std::size_t EPOCHS_PER_CHECK =
    5;  // a check costs an epoch; the same for all designs, so that dense and sparse ones stop at one place
// An extrapolation (6) magnifies rounding without bound, and a gap above this share of |y|^2 leaves it in w: there plain steps, which
// do not, so that designs that differ by rounding alone (dense and sparse, rows or columns first) end at one place.
constexpr double LOOSE = 1e-5;
constexpr std::size_t WIDE = 128;  // columns from which that is worth more epochs: with few, rounding has no room to grow
constexpr double EPSILON = 2.220446049250313e-16;
constexpr std::size_t EPOCHS_BEFORE_NEWTON = 50;  // what plain steps and extrapolations settle sooner ends as it always did
constexpr std::size_t NEWTON_WORK = 64;           // support^2 / columns up to which a step (20) costs no more than some twenty epochs
constexpr double RIDGE = 1e-13;  // of the trace: where columns depend on each other the step runs along their null space to a zero

// What descend() needs of a design: correlations with the residual, and the residual after a step. `state` is whatever
// moves along with w by an affine map, so that an extrapolation of w extrapolates it too.
struct Gram {
    const double* G;
    std::size_t stride;
    std::span<const double> c;
    double yy;
    std::span<double> state;  // c - G w

    double power() const { return yy; }  // |y|^2
    double square(std::size_t j) const { return G[j * stride + j]; }
    double correlation(std::size_t j) const { return state[j]; }
    void move(std::size_t j, double step) { axpy(-step, G + j * stride, state.data(), state.size()); }
    const double* row(std::size_t j) const { return G + j * stride; }
    double target(std::span<const double> w) const { return yy - dot(w.data(), c.data(), c.size()); }                          // r'y
    double norm(std::span<const double> w) const { return std::max(target(w) - dot(w.data(), state.data(), c.size()), 0.0); }  // r'r
    void refresh(std::span<const double> w) {
        std::copy(c.begin(), c.end(), state.begin());
        for (std::size_t j = 0; j < w.size(); ++j)
            if (w[j] != 0.0) move(j, w[j]);
    }
};

struct Columns {
    const double* X;
    std::span<const double> y;
    std::span<double> state;  // y - X w
    std::vector<double> squares;

    double power() const { return dot(y.data(), y.data(), y.size()); }
    const double* column(std::size_t j) const { return X + j * y.size(); }
    double square(std::size_t j) const { return squares[j]; }
    double correlation(std::size_t j) const { return dot(column(j), state.data(), y.size()); }
    void move(std::size_t j, double step) { axpy(-step, column(j), state.data(), y.size()); }
    double target(std::span<const double>) const { return dot(state.data(), y.data(), y.size()); }
    double norm(std::span<const double>) const { return dot(state.data(), state.data(), y.size()); }
    void refresh(std::span<const double> w) {
        std::copy(y.begin(), y.end(), state.begin());
        for (std::size_t j = 0; j < w.size(); ++j)
            if (w[j] != 0.0) move(j, w[j]);
    }
};

struct Sparse {
    const SparseColumns& X;
    std::span<const double> y;
    std::span<double> state;  // root (y - X w) of the stored values, then the offset mean'w
    std::vector<double> squares;

    double power() const { return dot(y.data(), y.data(), y.size()); }
    double square(std::size_t j) const { return squares[j]; }
    double correlation(std::size_t j) const {
        double sum = state[y.size()] * X.weight * X.mean[j];  // the centred residual sums to zero, so its mean needs no column
        for (std::int64_t k = X.starts[j]; k < X.starts[j + 1]; ++k) sum += X.values[k] * state[X.rows[k]];
        return sum;
    }
    void move(std::size_t j, double step) {
        for (std::int64_t k = X.starts[j]; k < X.starts[j + 1]; ++k) state[X.rows[k]] -= step * X.values[k];
        state[y.size()] += step * X.mean[j];
    }
    double target(std::span<const double>) const {
        return dot(state.data(), y.data(), y.size()) + state[y.size()] * dot(X.root, y.data(), y.size());
    }
    double norm(std::span<const double>) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < y.size(); ++i) {
            const double r = state[i] + X.root[i] * state[y.size()];
            sum += r * r;
        }
        return sum;
    }
    void refresh(std::span<const double> w) {
        std::copy(y.begin(), y.end(), state.begin());
        state[y.size()] = 0.0;
        for (std::size_t j = 0; j < w.size(); ++j)
            if (w[j] != 0.0) move(j, w[j]);
    }
};

double soft(double value, const Penalty& p) {
    if (value > p.l1) return value - p.l1;
    if (value < -p.l1 && !p.positive) return value + p.l1;
    return 0.0;
}

template <class Design>
double primal(const Design& x, const Penalty& p, std::span<const double> w) {
    double length = 0.0, square = 0.0;
    for (double v : w) length += std::abs(v), square += v * v;
    return 0.5 * (x.norm(w) + p.l2 * square) + p.l1 * length;
}

// b <- (A + ridge I)^-1 b by Cholesky, given the lower half of A (k x k), which is overwritten; false where A is not definite.
bool solve(std::vector<double>& A, std::size_t k, double ridge, std::vector<double>& b) {
    for (std::size_t i = 0; i < k; ++i) {
        double* row = &A[i * k];
        for (std::size_t j = 0; j <= i; ++j) {
            const double rest = row[j] - dot(row, &A[j * k], j);
            if (i == j && !(rest + ridge > 0.0)) return false;
            row[j] = i == j ? std::sqrt(rest + ridge) : rest / A[j * k + j];
        }
        b[i] = (b[i] - dot(row, b.data(), i)) / row[i];
    }
    for (std::size_t i = k; i-- > 0;) {
        for (std::size_t j = i + 1; j < k; ++j) b[i] -= A[j * k + i] * b[j];
        b[i] /= A[i * k + i];
    }
    return true;
}

template <class Design>
class Descender {
  public:
    Descender(Design& x, Penalty p, Stopping s, std::span<double> w)
        : x_(x), p_(p), s_(s), w_(w), active_(w.size()), scores_(w.size()), past_(w.size(), x.state.size()), trial_(past_.size()) {
        std::iota(active_.begin(), active_.end(), std::size_t(0));
    }

    Descent run() {
        x_.refresh(w_);
        for (double& v : w_)
            if (p_.positive && v < 0.0) v = 0.0;
        bool settled = check();
        const bool tight = w_.size() < WIDE || s_.gap <= LOOSE * x_.power();
        std::size_t epoch = 0;
        while (!settled && epoch < s_.max_epochs) {
            poller_.tick();
            const double largest = pass(epoch++);
            const bool still = largest == 0.0;
            if (tight && !still && past_.keep(w_, x_.state)) extrapolate();
            if constexpr (std::is_same_v<Design, Gram>)
                if (tight && epoch >= EPOCHS_BEFORE_NEWTON && epoch % EPOCHS_PER_CHECK == 0)
                    while (newton()) poller_.tick();
            const bool last = epoch == s_.max_epochs;
            if (still || last || epoch % EPOCHS_PER_CHECK == 0 || largest * static_cast<double>(active_.size()) <= s_.gap) {
                if (check()) {
                    x_.refresh(w_);  // steps and extrapolations leave rounding behind: the verdict is on a fresh residual
                    settled = check();
                }
                if (still) return {gap_, epoch, true};  // a fixed point: nothing is left to gain in this arithmetic
            }
        }
        return {gap_, epoch, settled};
    }

  private:
    // One epoch of (3); the largest fall of (1) by a coordinate, doubled.
    double pass(std::size_t epoch) {
        double largest = 0.0;
        const rng::Stream stream{s_.seed, DRAW, static_cast<std::uint32_t>(epoch)};
        for (std::size_t k = 0; k < active_.size(); ++k) {
            poller_.tick();
            std::size_t j = active_[k];
            if (s_.random) j = active_[rng::below(rng::bits(stream, k), active_.size())];
            const double square = x_.square(j), curve = square + p_.l2, old = w_[j];
            if (!(square > 0.0)) continue;
            const double next = soft(x_.correlation(j) + square * old, p_) / curve;
            if (next == old) continue;
            w_[j] = next;
            x_.move(j, next - old);
            largest = std::max(largest, curve * (next - old) * (next - old));
        }
        return largest;
    }

    void extrapolate() {
        past_.forget();
        if (!past_.combine(trial_.data())) return;
        const std::size_t m = w_.size();
        if (p_.positive && std::any_of(trial_.begin(), trial_.begin() + static_cast<std::ptrdiff_t>(m), [](double v) { return v < 0.0; }))
            return;
        const double before = primal(x_, p_, w_);
        std::vector<double> old_w(w_.begin(), w_.end()), old_state(x_.state.begin(), x_.state.end());
        std::copy_n(trial_.begin(), m, w_.begin());
        std::copy(trial_.begin() + static_cast<std::ptrdiff_t>(m), trial_.end(), x_.state.begin());
        if (primal(x_, p_, w_) < before) return;
        std::copy(old_w.begin(), old_w.end(), w_.begin());
        std::copy(old_state.begin(), old_state.end(), x_.state.begin());
    }

    // One step of (20): to the minimum of (1) over the coordinates that are not zero, as far as their signs hold; true where one of
    // them stopped it, so that the next step has fewer.
    bool newton() {
        std::vector<std::size_t> support;
        for (std::size_t j : active_)
            if (w_[j] != 0.0) support.push_back(j);
        const std::size_t k = support.size();
        if (k == 0 || k * k > NEWTON_WORK * w_.size()) return false;
        std::vector<double> A(k * k), slope(k), step(k);
        double trace = 0.0;
        for (std::size_t a = 0; a < k; ++a) {
            const double* row = x_.row(support[a]);
            for (std::size_t b = 0; b <= a; ++b) A[a * k + b] = row[support[b]];
            A[a * k + a] += p_.l2;
            trace += A[a * k + a];
            const double w = w_[support[a]];
            step[a] = slope[a] = x_.correlation(support[a]) - p_.l2 * w - (w > 0.0 ? p_.l1 : -p_.l1);
        }
        if (!solve(A, k, RIDGE * trace, step)) return false;
        double length = 1.0;  // to the first coordinate that becomes zero
        std::size_t first = k;
        for (std::size_t a = 0; a < k; ++a) {
            const double w = w_[support[a]];
            if (step[a] * w < 0.0 && -w / step[a] < length) length = -w / step[a], first = a;
        }
        const double before = primal(x_, p_, w_);
        const std::vector<double> old_w(w_.begin(), w_.end()), old_state(x_.state.begin(), x_.state.end());
        for (std::size_t a = 0; a < k; ++a) {
            const double move = a == first ? -w_[support[a]] : length * step[a];
            w_[support[a]] = a == first ? 0.0 : w_[support[a]] + move;
            x_.move(support[a], move);
        }
        past_.forget();
        if (primal(x_, p_, w_) < before) return first < k;
        std::copy(old_w.begin(), old_w.end(), w_.begin());
        std::copy(old_state.begin(), old_state.end(), x_.state.begin());
        return false;
    }

    // The gap (4), and the coordinates that (5) leaves; true where the gap is small enough.
    bool check() {
        const std::size_t m = w_.size();
        double length = 0.0, square = 0.0, top = 0.0;
        for (std::size_t j = 0; j < m; ++j) {
            poller_.tick();
            const double v = x_.correlation(j) - p_.l2 * w_[j];
            scores_[j] = p_.positive ? v : std::abs(v);
            top = std::max(top, scores_[j]);
            length += std::abs(w_[j]);
            square += w_[j] * w_[j];
        }
        const double residual = x_.norm(w_) + p_.l2 * square, theta = top > p_.l1 ? p_.l1 / top : 1.0;
        gap_ = 0.5 * residual + p_.l1 * length - (theta * x_.target(w_) - 0.5 * theta * theta * residual);
        if (gap_ <= s_.gap) return true;
        const double radius = std::sqrt(2.0 * std::max(gap_, 0.0));
        bool moved = false;
        const auto kept = std::remove_if(active_.begin(), active_.end(), [&](std::size_t j) {
            const double reach = std::sqrt(x_.square(j) + p_.l2);
            const bool drop = p_.l1 - theta * scores_[j] > radius * reach * (1.0 + 4.0 * EPSILON);
            if (drop && w_[j] != 0.0) {
                x_.move(j, -w_[j]);
                w_[j] = 0.0;
                moved = true;
            }
            return drop;
        });
        active_.erase(kept, active_.end());
        if (moved) past_.forget();
        return false;
    }

    Design& x_;
    Penalty p_;
    Stopping s_;
    std::span<double> w_;
    std::vector<std::size_t> active_;
    std::vector<double> scores_;
    Extrapolation past_;
    std::vector<double> trial_;
    double gap_ = 0.0;
    interrupt::Poller<64> poller_;
};

}  // namespace

Descent descend_gram(const double* G, std::size_t stride, std::span<const double> c, double yy, Penalty penalty, Stopping stopping,
                     std::span<double> w, std::span<double> gradient) {
    Gram x{G, stride, c, yy, gradient};
    return Descender<Gram>(x, penalty, stopping, w).run();
}

Descent descend_columns(const double* X, std::span<const double> y, Penalty penalty, Stopping stopping, std::span<double> w,
                        std::span<double> residual) {
    Columns x{X, y, residual, std::vector<double>(w.size())};
    for (std::size_t j = 0; j < w.size(); ++j) x.squares[j] = dot(x.column(j), x.column(j), y.size());
    return Descender<Columns>(x, penalty, stopping, w).run();
}

Descent descend_sparse(const SparseColumns& X, std::span<const double> y, Penalty penalty, Stopping stopping, std::span<double> w,
                       std::span<double> residual) {
    Sparse x{X, y, residual, std::vector<double>(w.size())};
    for (std::size_t j = 0; j < w.size(); ++j) {
        double sum = 0.0;
        for (std::int64_t k = X.starts[j]; k < X.starts[j + 1]; ++k) sum += X.values[k] * X.values[k];
        x.squares[j] = std::max(sum - X.weight * X.mean[j] * X.mean[j], 0.0);
        if (x.squares[j] > CANCELED * sum) continue;
        // Nearly constant: the difference is rounding, so each stored value goes about the mean, and the rest of the weight with it.
        double about = 0.0, stored = 0.0;
        for (std::int64_t k = X.starts[j]; k < X.starts[j + 1]; ++k) {
            const double root = X.root[X.rows[k]], away = X.values[k] - root * X.mean[j];
            about += away * away;
            stored += root * root;
        }
        const bool full = static_cast<std::size_t>(X.starts[j + 1] - X.starts[j]) == y.size();
        x.squares[j] = about + (full ? 0.0 : std::max(X.weight - stored, 0.0) * X.mean[j] * X.mean[j]);
    }
    return Descender<Sparse>(x, penalty, stopping, w).run();
}

}  // namespace novum
