#include <algorithm>
#include <cmath>

#include "novum/runtime/simd.h"
#include "novum/trees/columns.h"
#include "novum/trees/criteria.h"
#include "novum/trees/medians.h"

namespace novum::tree {

namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr double NOTHING = 1e-12;  // share of a sum that rounding leaves where nothing is: a Poisson mean of zero has no logarithm
// What is right of a cut is the node less what is left of it, until this share of the node is left: a difference of sums that are nearly
// equal is rounding, and a gain divides by it. From there on it is added up from the other end. Whole weights subtract exactly.
constexpr double TAIL = 1.0 / 1024;

/// The rows from a place of a sequence on: entries that are right of a cut there, in the pass that puts missing rows right, or left.
template <class Add>
NOVUM_INLINE void add_from_the_end(const Sequence& q, int pass, std::size_t from, Add add) {
    for (std::size_t p = pass ? q.present : q.present + q.missing; p-- > from;) add(p, q.entry[p] & ROW);
}

/// Weight and weighted target of a row.
struct Term {
    double weight, moment;
};

/// Rows of weight one.
template <class Y>
struct Plain {
    static constexpr bool WHOLE = true;
    const Y* y;
    double centre;
    NOVUM_INLINE Term operator()(std::uint32_t i) const { return {1.0, static_cast<double>(y[i]) - centre}; }
};

/// Rows with weights.
struct Weighted {
    static constexpr bool WHOLE = false;
    const double *y, *weight;
    double centre;
    NOVUM_INLINE Term operator()(std::uint32_t i) const { return {weight[i], weight[i] * (y[i] - centre)}; }
};

/// Both numbers of a row side by side.
struct Paired {
    static constexpr bool WHOLE = false;
    const double* pair;
    NOVUM_INLINE Term operator()(std::uint32_t i) const { return {pair[2 * i], pair[2 * i + 1]}; }
};

/// (6)
template <class Terms>
struct Moment {
    Terms terms;
    double centre, total_weight, total;
    std::vector<double>& tail;  // (cuts, 2): weight and moment right of the cuts from the first one in the tail on
    double left_weight = 0, left = 0;
    const double* right = nullptr;  // of the cut, in the tail

    NOVUM_INLINE void add(std::uint32_t i) {
        const Term term = terms(i);
        left_weight += term.weight;
        left += term.moment;
    }
    void begin(const Sequence& q, int pass) {
        left_weight = left = 0;
        for (std::size_t i = 0; pass && i < q.missing; ++i) add(q.entry[q.present + i] & ROW);
    }
    NOVUM_INLINE bool in_tail() const { return !Terms::WHOLE && total_weight - left_weight < TAIL * total_weight; }
    void add_tail(const Sequence& q, int pass, std::size_t from) {
        tail.resize(2 * (q.present + q.missing - from));
        double weight = 0, moment = 0;
        add_from_the_end(q, pass, from, [&](std::size_t p, std::uint32_t i) {
            const Term term = terms(i);
            tail[2 * (p - from)] = weight += term.weight;
            tail[2 * (p - from) + 1] = moment += term.moment;
        });
    }
    void take_tail(std::size_t k) { right = tail.data() + 2 * k; }
    template <bool FROM_TAIL>
    NOVUM_INLINE double weight_right() const {
        return FROM_TAIL ? right[0] : total_weight - left_weight;
    }
    template <bool FROM_TAIL>
    NOVUM_INLINE double square() const {
        const double difference = FROM_TAIL ? left * right[0] - left_weight * right[1] : left * total_weight - left_weight * total;
        return difference * difference;
    }
    template <bool FROM_TAIL>
    NOVUM_INLINE double product() const {
        return left_weight * weight_right<FROM_TAIL>();
    }
    template <bool FROM_TAIL>
    NOVUM_INLINE double gain() const {
        return square<FROM_TAIL>() / product<FROM_TAIL>();
    }
    /// Whether the gain is above a number, by a product: a quotient takes longer than all the rest of a step.
    template <bool FROM_TAIL>
    NOVUM_INLINE bool above(double bound) const {
        return square<FROM_TAIL>() > bound * product<FROM_TAIL>();
    }
    NOVUM_INLINE double weight_left() const { return left_weight; }
    double value_left() const { return left / left_weight + centre; }
    template <bool FROM_TAIL>
    double value_right() const {
        return (FROM_TAIL ? right[1] : total - left) / weight_right<FROM_TAIL>() + centre;
    }
};

/// (7) and (8) of any number of classes and outputs.
template <bool ENTROPY>
struct Classes {
    const Target& target;
    const double* total;
    double total_weight;
    double *left, *right;       // (outputs, stride)
    std::vector<double>& tail;  // (cuts, 3): weight, sum over the classes and weight of the first class right of the cuts in the tail
    double left_weight = 0, inside = 0, outside = 0;  // sums over the classes of squares, or of W log W
    const double* beyond = nullptr;                   // of the cut, in the tail

    NOVUM_INLINE void add(std::uint32_t i) {
        const double w = target.weight_of(i);
        left_weight += w;
        for (std::size_t o = 0; o < target.outputs; ++o) {
            const std::size_t k = o * target.stride + static_cast<std::size_t>(target.code[i * target.outputs + o]);
            if constexpr (!ENTROPY) {
                inside += w * (2 * left[k] + w);
                outside -= w * (2 * right[k] - w);
            } else if (!target.log_table.empty()) {
                const double *f = target.log_table.data() + static_cast<std::size_t>(left[k]),
                             *g = target.log_table.data() + static_cast<std::size_t>(right[k]);
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
    NOVUM_INLINE bool in_tail() const { return target.weight && total_weight - left_weight < TAIL * total_weight; }
    void add_tail(const Sequence& q, int pass, std::size_t from) {
        tail.resize(3 * (q.present + q.missing - from));
        std::fill(right, right + target.sums(), 0.0);
        double weight = 0, term = 0;
        add_from_the_end(q, pass, from, [&](std::size_t p, std::uint32_t i) {
            const double w = target.weight_of(i);
            weight += w;
            for (std::size_t o = 0; o < target.outputs; ++o) {
                double& sum = right[o * target.stride + static_cast<std::size_t>(target.code[i * target.outputs + o])];
                term += ENTROPY ? target.x_log_x(sum + w) - target.x_log_x(sum) : w * (2 * sum + w);
                sum += w;
            }
            double* out = tail.data() + 3 * (p - from);
            out[0] = weight;
            out[1] = term;
            out[2] = right[0];
        });
    }
    void take_tail(std::size_t k) { beyond = tail.data() + 3 * k; }
    template <bool FROM_TAIL>
    NOVUM_INLINE double weight_right() const {
        return FROM_TAIL ? beyond[0] : total_weight - left_weight;
    }
    template <bool FROM_TAIL>
    NOVUM_INLINE double gain() const {
        const double right_weight = weight_right<FROM_TAIL>();
        if constexpr (!ENTROPY) return inside / left_weight + (FROM_TAIL ? beyond[1] : outside) / right_weight;
        double sum = inside + outside;
        if (target.log_table.empty()) {
            sum = FROM_TAIL ? beyond[1] : 0.0;
            for (std::size_t k = 0; k < target.sums(); ++k) sum += target.x_log_x(left[k]) + (FROM_TAIL ? 0.0 : target.x_log_x(right[k]));
        }
        return sum - static_cast<double>(target.outputs) * (target.x_log_x(left_weight) + target.x_log_x(right_weight));
    }
    NOVUM_INLINE double weight_left() const { return left_weight; }
    double value_left() const { return left[0] / left_weight; }  // share of the first class
    template <bool FROM_TAIL>
    double value_right() const {
        return (FROM_TAIL ? beyond[2] : right[0]) / weight_right<FROM_TAIL>();
    }
};

/// (6) summed over outputs, and Poisson's (9).
template <bool POISSON>
struct Moments {
    const Target& target;
    const double* total;  // of the node; squares are summed about its means
    double total_weight;
    double *left, *centre;
    std::vector<double>& tail;  // (cuts, 1 + outputs): weight and sums right of the cuts in the tail
    double left_weight = 0;
    const double* right = nullptr;  // of the cut, in the tail

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
    NOVUM_INLINE bool in_tail() const {
        if (!POISSON && !target.weight) return false;
        bool small = total_weight - left_weight < TAIL * total_weight;
        for (std::size_t o = 0; POISSON && o < target.outputs; ++o) small |= total[o] - left[o] < TAIL * total[o];
        return small;
    }
    void add_tail(const Sequence& q, int pass, std::size_t from) {
        const std::size_t width = 1 + target.outputs;
        tail.assign(width * (q.present + q.missing - from + 1), 0.0);
        const double* after = tail.data() + tail.size() - width;
        add_from_the_end(q, pass, from, [&](std::size_t p, std::uint32_t i) {
            const double w = target.weight_of(i);
            double* out = tail.data() + width * (p - from);
            out[0] = after[0] + w;
            for (std::size_t o = 0; o < target.outputs; ++o) out[1 + o] = after[1 + o] + w * (target.y[i * target.outputs + o] - centre[o]);
            after = out;
        });
    }
    void take_tail(std::size_t k) { right = tail.data() + (1 + target.outputs) * k; }
    template <bool FROM_TAIL>
    NOVUM_INLINE double weight_right() const {
        return FROM_TAIL ? right[0] : total_weight - left_weight;
    }
    template <bool FROM_TAIL>
    NOVUM_INLINE double gain() const {
        const double right_weight = weight_right<FROM_TAIL>();
        double sum = 0;
        for (std::size_t o = 0; o < target.outputs; ++o) {
            if constexpr (POISSON) {
                const double here = FROM_TAIL ? right[1 + o] : total[o] - left[o];
                if (!(left[o] > 0) || !(here > (FROM_TAIL ? 0.0 : NOTHING * total[o]))) return -INFINITE;
                sum += left[o] * std::log(left[o] / left_weight) + here * std::log(here / right_weight);
            } else {
                const double difference = FROM_TAIL ? left[o] * right_weight - left_weight * right[1 + o] : left[o] * total_weight;
                sum += difference * difference / (left_weight * right_weight);
            }
        }
        return sum;
    }
    NOVUM_INLINE double weight_left() const { return left_weight; }
    double value_left() const { return left[0] / left_weight + centre[0]; }
    template <bool FROM_TAIL>
    double value_right() const {
        return (FROM_TAIL ? right[1] : (POISSON ? total[0] : 0.0) - left[0]) / weight_right<FROM_TAIL>() + centre[0];
    }
};

template <bool FROM_TAIL, class State>
bool allowed(const State& state, const Limits& limits) {
    if (state.weight_left() < limits.least_weight || state.template weight_right<FROM_TAIL>() < limits.least_weight) return false;
    if (limits.sign == 0) return true;
    const double a = state.value_left(), b = state.template value_right<FROM_TAIL>();
    return a >= limits.low && b >= limits.low && a <= limits.high && b <= limits.high && (a - b) * limits.sign <= 0;
}

/// Keep the cut after p present entries if it gains more.
template <bool CHECKED, bool FROM_TAIL, class State>
NOVUM_INLINE void weigh(const State& state, std::size_t p, int pass, const Limits& limits, Cut& best) {
    if (CHECKED && !allowed<FROM_TAIL>(state, limits)) return;
    const double bound = best.gain + limits.margin;
    if constexpr (requires { state.template above<FROM_TAIL>(bound); })
        if (!state.template above<FROM_TAIL>(bound)) return;
    const double gain = state.template gain<FROM_TAIL>();
    if (gain > bound) {
        best.gain = gain;
        best.position = p;
        best.missing_left = pass;
        if (CHECKED && limits.sign) best.middle = 0.5 * (state.value_left() + state.template value_right<FROM_TAIL>());
    }
}

template <bool CHECKED, class State>
NOVUM_INLINE void pass_over(State& state, const Sequence& q, int pass, const Limits& limits, Cut& best) {
    state.begin(q, pass);
    const std::size_t m = q.present + q.missing, before = pass ? q.missing : 0;
    // All present left and all missing right is a cut too; its mirror image need not be tried again.
    const std::size_t end = pass == 0 && q.missing ? q.present : q.present - 1;
    if (m < 2 * limits.least_rows || m < limits.least_rows + before || end == 0) return;
    const std::size_t last = std::min(end, m - limits.least_rows - before);
    const std::size_t first = limits.least_rows > before ? limits.least_rows - before : 1;
    const auto is_cut = [&](std::size_t p) { return p >= first && (p == q.present || q.entry[p] & NEW); };
    std::size_t p = 1;
    for (; p <= last; ++p) {
        state.add(q.entry[p - 1] & ROW);
        if (!is_cut(p)) continue;
        if (state.in_tail()) break;
        weigh<CHECKED, false>(state, p, pass, limits, best);
    }
    if (p > last) return;
    const std::size_t from = p;
    state.add_tail(q, pass, from);
    while (true) {
        if (is_cut(p)) {
            state.take_tail(p - from);
            weigh<CHECKED, true>(state, p, pass, limits, best);
        }
        if (++p > last) return;
        state.add(q.entry[p - 1] & ROW);
    }
}

template <class State>
Cut search(State state, const Sequence& q, const Limits& limits) {
    Cut best;
    const bool checked = limits.sign != 0 || limits.least_weight > 0;
    for (int pass = 0; pass < (q.missing ? 2 : 1); ++pass) {
        if (checked)
            pass_over<true>(state, q, pass, limits, best);
        else
            pass_over<false>(state, q, pass, limits, best);
    }
    return best;
}

}  // namespace

Cut best_cut(const Target& target, const Sequence& q, const double* sums, double weight, const Limits& limits,
             const std::vector<std::uint32_t>& local_rank, Scratch& scratch) {
    if (q.present == 0) return {};
    scratch.left_sums.resize(target.sums());
    scratch.right_sums.resize(target.sums());
    std::vector<double>& tail = scratch.tail;
    double *left = scratch.left_sums.data(), *right = scratch.right_sums.data();
    switch (target.criterion) {
        case Criterion::Gini:
            if (!target.binary.empty() && limits.sign == 0) {
                const double total = target.classes[0] > 1 ? sums[1] : 0.0;
                if (target.weight) return search(Moment<Paired>{{target.pairs.data()}, 0, weight, total, tail}, q, limits);
                return search(Moment<Plain<std::uint8_t>>{{target.binary.data(), 0}, 0, weight, total, tail}, q, limits);
            }
            return search(Classes<false>{target, sums, weight, left, right, tail}, q, limits);
        case Criterion::Entropy: return search(Classes<true>{target, sums, weight, left, right, tail}, q, limits);
        case Criterion::Squared:
            if (target.outputs == 1) {
                const double middle = sums[0] / weight;  // sums about the node's own mean lose the fewest digits
                if (target.weight) return search(Moment<Weighted>{{target.y, target.weight, middle}, middle, weight, 0.0, tail}, q, limits);
                return search(Moment<Plain<double>>{{target.y, middle}, middle, weight, 0.0, tail}, q, limits);
            }
            return search(Moments<false>{target, sums, weight, left, right, tail}, q, limits);
        case Criterion::Poisson: return search(Moments<true>{target, sums, weight, left, right, tail}, q, limits);
        default: return search(Absolute{target, local_rank, sums, weight, scratch}, q, limits);
    }
}

}  // namespace novum::tree
