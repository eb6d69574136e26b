// Absolute errors of all cuts of a sequence: what is left of a cut and what is right of it, each about its own median.
//
// A Fenwick tree over the ranks of the targets holds weights and moments of the rows so far; the median of a beginning is where half of
// its weight lies below, and its error is what both sides of it are away. One pass from either end. O(m log m).
#pragma once
#include <algorithm>
#include <bit>

#include "novum/trees/columns.h"
#include "novum/trees/criteria.h"

namespace novum::tree {

/// Sums of absolute errors about the medians of all beginnings and all ends of a sequence, by Fenwick trees over ranks; (9).
struct Absolute {
    const Target& target;
    const std::vector<std::uint32_t>& local_rank;
    const double* centre;  // medians of the node, per output: errors about them lose the fewest digits
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
            const double w = target.weight_of(i), y = target.y[i * target.outputs + o] - centre[o];
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
            if (o == 0) median[p] = middle + centre[0];
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
            for (std::size_t p = 0; p < m; ++p) scratch.sorted_y[rank[row_at(p)]] = target.y[row_at(p) * target.outputs + o] - centre[o];
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
    bool in_tail() const { return false; }  // both ends are added up anyway
    void add_tail(const Sequence&, int, std::size_t) {}
    void take_tail(std::size_t) {}
    template <bool>
    double weight_right() const {
        return total_weight - left_weight;
    }
    template <bool>
    double gain() const {
        return -(scratch.errors[place - 1] + scratch.errors[m + (m - place - 1)]);
    }
    double weight_left() const { return left_weight; }
    double value_left() const { return scratch.medians[place - 1]; }
    template <bool>
    double value_right() const {
        return scratch.medians[m + (m - place - 1)];
    }
};

}  // namespace novum::tree
