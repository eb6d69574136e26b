#include <algorithm>
#include <bit>
#include <cmath>

#include "novum/runtime/simd.h"
#include "novum/trees/columns.h"
#include "novum/trees/criteria.h"

namespace novum::tree {

namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr double NOTHING = 1e-12;  // share of a sum that rounding leaves where nothing is: a Poisson mean of zero has no logarithm

/// Weight and weighted target of a row.
struct Term {
    double weight, moment;
};

/// Rows of weight one.
template <class Y>
struct Plain {
    const Y* y;
    double centre;
    NOVUM_INLINE Term operator()(std::uint32_t i) const { return {1.0, static_cast<double>(y[i]) - centre}; }
};

/// Rows with weights.
struct Weighted {
    const double *y, *weight;
    double centre;
    NOVUM_INLINE Term operator()(std::uint32_t i) const { return {weight[i], weight[i] * (y[i] - centre)}; }
};

/// Both numbers of a row side by side.
struct Paired {
    const double* pair;
    NOVUM_INLINE Term operator()(std::uint32_t i) const { return {pair[2 * i], pair[2 * i + 1]}; }
};

/// (6)
template <class Terms>
struct Moment {
    Terms terms;
    double centre, total_weight, total;
    double left_weight = 0, left = 0;

    NOVUM_INLINE void add(std::uint32_t i) {
        const Term term = terms(i);
        left_weight += term.weight;
        left += term.moment;
    }
    void begin(const Sequence& q, int pass) {
        left_weight = left = 0;
        for (std::size_t i = 0; pass && i < q.missing; ++i) add(q.entry[q.present + i] & ROW);
    }
    NOVUM_INLINE double square() const {
        const double difference = left * total_weight - left_weight * total;
        return difference * difference;
    }
    NOVUM_INLINE double product() const { return left_weight * (total_weight - left_weight); }
    NOVUM_INLINE double gain() const { return square() / product(); }
    /// Whether the gain is above a number, by a product: a quotient takes longer than all the rest of a step.
    NOVUM_INLINE bool above(double bound) const { return square() > bound * product(); }
    NOVUM_INLINE double weight_left() const { return left_weight; }
    double value_left() const { return left / left_weight + centre; }
    double value_right() const { return (total - left) / (total_weight - left_weight) + centre; }
};

/// (7) and (8) of any number of classes and outputs.
template <bool ENTROPY>
struct Classes {
    const Target& target;
    const double* total;
    double total_weight;
    double *left, *right;  // (outputs, stride)
    double left_weight = 0, inside = 0, outside = 0;  // sums over the classes of squares, or of W log W

    NOVUM_INLINE void add(std::uint32_t i) {
        const double w = target.weight_of(i);
        left_weight += w;
        for (std::size_t o = 0; o < target.outputs; ++o) {
            const std::size_t k = o * target.stride + static_cast<std::size_t>(target.code[i * target.outputs + o]);
            if constexpr (!ENTROPY) {
                inside += w * (2 * left[k] + w);
                outside -= w * (2 * right[k] - w);
            } else if (!target.log_table.empty()) {
                const double *f = target.log_table.data() + static_cast<std::size_t>(left[k]), *g = target.log_table.data() + static_cast<std::size_t>(right[k]);
                inside += f[1] - f[0];
                outside -= g[0] - g[-1];
            }
            left[k] += w;
            right[k] -= w;
        }
    }
    void begin(const Sequence& q, int pass) {
        left_weight = inside = outside = 0;
        std::fill(left, left + target.sums(), 0.0);
        std::copy(total, total + target.sums(), right);
        for (std::size_t k = 0; k < target.sums(); ++k) outside += ENTROPY ? target.x_log_x(right[k]) : right[k] * right[k];
        for (std::size_t i = 0; pass && i < q.missing; ++i) add(q.entry[q.present + i] & ROW);
    }
    NOVUM_INLINE double gain() const {
        const double right_weight = total_weight - left_weight;
        if constexpr (!ENTROPY) return inside / left_weight + outside / right_weight;
        double sum = inside + outside;
        if (target.log_table.empty()) {
            sum = 0;
            for (std::size_t k = 0; k < target.sums(); ++k) sum += target.x_log_x(left[k]) + target.x_log_x(right[k]);
        }
        return sum - static_cast<double>(target.outputs) * (target.x_log_x(left_weight) + target.x_log_x(right_weight));
    }
    NOVUM_INLINE double weight_left() const { return left_weight; }
    double value_left() const { return left[0] / left_weight; }  // share of the first class
    double value_right() const { return right[0] / (total_weight - left_weight); }
};

/// (6) summed over outputs, and Poisson's (9).
template <bool POISSON>
struct Moments {
    const Target& target;
    const double* total;  // of the node; squares are summed about its means
    double total_weight;
    double *left, *centre;
    double left_weight = 0;

    NOVUM_INLINE void add(std::uint32_t i) {
        const double w = target.weight_of(i);
        left_weight += w;
        for (std::size_t o = 0; o < target.outputs; ++o) left[o] += w * (target.y[i * target.outputs + o] - centre[o]);
    }
    void begin(const Sequence& q, int pass) {
        left_weight = 0;
        std::fill(left, left + target.outputs, 0.0);
        for (std::size_t o = 0; o < target.outputs; ++o) centre[o] = POISSON ? 0.0 : total[o] / total_weight;
        for (std::size_t i = 0; pass && i < q.missing; ++i) add(q.entry[q.present + i] & ROW);
    }
    NOVUM_INLINE double gain() const {
        const double right_weight = total_weight - left_weight;
        double sum = 0;
        for (std::size_t o = 0; o < target.outputs; ++o) {
            if constexpr (POISSON) {
                const double right = total[o] - left[o];
                if (left[o] <= NOTHING * total[o] || right <= NOTHING * total[o]) return -INFINITE;
                sum += left[o] * std::log(left[o] / left_weight) + right * std::log(right / right_weight);
            } else {
                const double difference = left[o] * total_weight;
                sum += difference * difference / (left_weight * right_weight);
            }
        }
        return sum;
    }
    NOVUM_INLINE double weight_left() const { return left_weight; }
    double value_left() const { return left[0] / left_weight + centre[0]; }
    double value_right() const { return ((POISSON ? total[0] : 0.0) - left[0]) / (total_weight - left_weight) + centre[0]; }
};

/// Sums of absolute errors about the medians of all beginnings and all ends of a sequence, by Fenwick trees over ranks; (9).
struct Absolute {
    const Target& target;
    const std::vector<std::uint32_t>& local_rank;
    double total_weight;
    Scratch& scratch;
    std::size_t place = 0, m = 0;
    double left_weight = 0;
    const Sequence* q = nullptr;
    int pass = 0;

    std::uint32_t row_at(std::size_t p) const {  // the sequence with its missing rows first in the second pass
        if (!pass) return q->entry[p] & ROW;
        return q->entry[p < q->missing ? q->present + p : p - q->missing] & ROW;
    }
    /// Write the errors and (for the first output) medians after each of the rows, taken in the order of `at`.
    template <class At>
    void accumulate(std::size_t o, At at, double* error, double* median) {
        auto &weight = scratch.tree_weight, &moment = scratch.tree_moment, &sorted = scratch.sorted_y;
        weight.assign(m + 1, 0.0);
        moment.assign(m + 1, 0.0);
        const std::uint32_t* rank = local_rank.data() + o * target.rows;
        const std::size_t top = std::bit_floor(m);
        double sum_weight = 0, sum_moment = 0;
        for (std::size_t p = 0; p < m; ++p) {
            const std::uint32_t i = at(p);
            const double w = target.weight_of(i), y = target.y[i * target.outputs + o];
            sum_weight += w;
            sum_moment += w * y;
            for (std::size_t k = rank[i] + 1; k <= m; k += k & (~k + 1)) {
                weight[k] += w;
                moment[k] += w * y;
            }
            std::size_t k = 0;
            double below = 0, moment_below = 0;  // of the ranks whose weights together stay below one half
            for (std::size_t step = top; step > 0; step >>= 1)
                if (k + step <= m && 2 * (below + weight[k + step]) < sum_weight) {
                    k += step;
                    below += weight[k];
                    moment_below += moment[k];
                }
            const double middle = sorted[std::min(k, m - 1)];
            error[p] += middle * (2 * below - sum_weight) + sum_moment - 2 * moment_below;
            if (o == 0) median[p] = middle;
        }
    }
    void begin(const Sequence& sequence, int which) {
        q = &sequence;
        pass = which;
        m = sequence.present + sequence.missing;
        scratch.errors.assign(2 * m, 0.0);
        scratch.medians.assign(2 * m, 0.0);
        scratch.sorted_y.resize(m);
        for (std::size_t o = 0; o < target.outputs; ++o) {
            const std::uint32_t* rank = local_rank.data() + o * target.rows;
            for (std::size_t p = 0; p < m; ++p) scratch.sorted_y[rank[row_at(p)]] = target.y[row_at(p) * target.outputs + o];
            accumulate(o, [&](std::size_t p) { return row_at(p); }, scratch.errors.data(), scratch.medians.data());
            accumulate(o, [&](std::size_t p) { return row_at(m - 1 - p); }, scratch.errors.data() + m, scratch.medians.data() + m);
        }
        place = pass ? sequence.missing : 0;
        left_weight = 0;
        for (std::size_t p = 0; p < place; ++p) left_weight += target.weight_of(row_at(p));
    }
    void add(std::uint32_t i) {
        ++place;
        left_weight += target.weight_of(i);
    }
    double gain() const { return -(scratch.errors[place - 1] + scratch.errors[m + (m - place - 1)]); }
    double weight_left() const { return left_weight; }
    double value_left() const { return scratch.medians[place - 1]; }
    double value_right() const { return scratch.medians[m + (m - place - 1)]; }
};

template <class State>
bool allowed(const State& state, double total_weight, const Limits& limits) {
    if (state.weight_left() < limits.least_weight || total_weight - state.weight_left() < limits.least_weight) return false;
    if (limits.sign == 0) return true;
    const double a = state.value_left(), b = state.value_right();
    return a >= limits.low && b >= limits.low && a <= limits.high && b <= limits.high && (a - b) * limits.sign <= 0;
}

template <bool CHECKED, class State>
NOVUM_INLINE void pass_over(State& state, const Sequence& q, int pass, double total_weight, const Limits& limits, Cut& best) {
    state.begin(q, pass);
    const std::size_t m = q.present + q.missing, before = pass ? q.missing : 0;
    // All present left and all missing right is a cut too; its mirror image need not be tried again.
    const std::size_t end = pass == 0 && q.missing ? q.present : q.present - 1;
    if (m < 2 * limits.least_rows || m < limits.least_rows + before || end == 0) return;
    const std::size_t last = std::min(end, m - limits.least_rows - before);
    const std::size_t first = limits.least_rows > before ? limits.least_rows - before : 1;
    for (std::size_t p = 1; p <= last; ++p) {
        state.add(q.entry[p - 1] & ROW);
        if (p < first || (p < q.present && !(q.entry[p] & NEW))) continue;
        if (CHECKED && !allowed(state, total_weight, limits)) continue;
        const double bound = best.gain + limits.margin;
        if constexpr (requires { state.above(bound); })
            if (!state.above(bound)) continue;
        const double gain = state.gain();
        if (gain > bound) {
            best.gain = gain;
            best.position = p;
            best.missing_left = pass;
            if (CHECKED && limits.sign) best.middle = 0.5 * (state.value_left() + state.value_right());
        }
    }
}

template <class State>
Cut search(State state, const Sequence& q, double total_weight, const Limits& limits) {
    Cut best;
    const bool checked = limits.sign != 0 || limits.least_weight > 0;
    for (int pass = 0; pass < (q.missing ? 2 : 1); ++pass) {
        if (checked)
            pass_over<true>(state, q, pass, total_weight, limits, best);
        else
            pass_over<false>(state, q, pass, total_weight, limits, best);
    }
    return best;
}

}  // namespace

Cut best_cut(const Target& target, const Sequence& q, const double* sums, double weight, const Limits& limits,
             const std::vector<std::uint32_t>& local_rank, Scratch& scratch) {
    if (q.present == 0) return {};
    scratch.left_sums.resize(target.sums());
    scratch.right_sums.resize(target.sums());
    double *left = scratch.left_sums.data(), *right = scratch.right_sums.data();
    switch (target.criterion) {
        case Criterion::Gini:
            if (!target.binary.empty() && limits.sign == 0) {
                const double total = target.classes[0] > 1 ? sums[1] : 0.0;
                if (target.weight) return search(Moment<Paired>{{target.pairs.data()}, 0, weight, total}, q, weight, limits);
                return search(Moment<Plain<std::uint8_t>>{{target.binary.data(), 0}, 0, weight, total}, q, weight, limits);
            }
            return search(Classes<false>{target, sums, weight, left, right}, q, weight, limits);
        case Criterion::Entropy:
            return search(Classes<true>{target, sums, weight, left, right}, q, weight, limits);
        case Criterion::Squared:
            if (target.outputs == 1) {
                const double middle = sums[0] / weight;  // sums about the node's own mean lose the fewest digits
                if (target.weight) return search(Moment<Weighted>{{target.y, target.weight, middle}, middle, weight, 0.0}, q, weight, limits);
                return search(Moment<Plain<double>>{{target.y, middle}, middle, weight, 0.0}, q, weight, limits);
            }
            return search(Moments<false>{target, sums, weight, left, right}, q, weight, limits);
        case Criterion::Poisson:
            return search(Moments<true>{target, sums, weight, left, right}, q, weight, limits);
        default:
            return search(Absolute{target, local_rank, weight, scratch}, q, weight, limits);
    }
}

}  // namespace novum::tree
