#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "novum/runtime/simd.h"
#include "novum/trees/rank_rules.h"

namespace novum::coded {

namespace {

using Codes16 = std::uint16_t __attribute__((vector_size(64)));
constexpr std::size_t LANES = 32;
constexpr int TAG = 8;  // bits of a class

template <class Count>
NOVUM_INLINE std::int64_t gains(const Count* left, const Count* left_rows, std::size_t k, const ClassSums& node, Least least,
                                std::int64_t* out) {
    double weight[BEST_CUTS], inside[BEST_CUTS], outside[BEST_CUTS];
    std::fill_n(weight, k, 0.0);
    std::fill_n(inside, k, 0.0);
    std::fill_n(outside, k, 0.0);
    for (std::size_t q = 0; q < node.classes; ++q) {
        const Count* here = left + q * node.stride;
        const double total = node.total[q];
        for (std::size_t i = 0; i < k; ++i) {
            const double a = static_cast<double>(here[i]), b = total - a;
            weight[i] += a;
            inside[i] += a * a;
            outside[i] += b * b;
        }
    }
    std::int64_t most = -1;
    for (std::size_t i = 0; i < k; ++i) {
        const double a = weight[i], b = node.weight - a, n = left_rows ? static_cast<double>(left_rows[i]) : a;
        const double gain = inside[i] / a + outside[i] / b - node.before, least_gain = gain > 0 ? gain : 0.0;
        const bool fits = (n >= least.rows) & (node.rows - n >= least.rows) & (a >= least.weight) & (b >= least.weight) & (a > 0) & (b > 0);
        out[i] = fits ? std::bit_cast<std::int64_t>(least_gain) : -1;
        most = std::max(most, out[i]);
    }
    return most;
}

NOVUM_CLONES std::int64_t class_gains_16(const std::uint16_t* left, const std::uint16_t* left_rows, std::size_t k, const ClassSums& node,
                                         Least least, std::int64_t* out) {
    return gains(left, left_rows, k, node, least, out);
}

NOVUM_CLONES std::int64_t class_gains_32(const std::int32_t* left, const std::int32_t* left_rows, std::size_t k, const ClassSums& node,
                                         Least least, std::int64_t* out) {
    return gains(left, left_rows, k, node, least, out);
}

}  // namespace

NOVUM_CLONES void pairs(const std::uint16_t* c, std::size_t m, const std::uint16_t* other, const std::uint16_t* w, std::size_t count,
                        std::uint16_t* left) {
    for (std::size_t from = 0; from < m; from += LANES) {
        Codes16 here, sum{};
        __builtin_memcpy(&here, c + from, sizeof here);
        for (std::size_t j = 0; j < count; ++j) sum += std::bit_cast<Codes16>(here >= other[j]) & w[j];
        __builtin_memcpy(left + from, &sum, sizeof sum);
    }
}

template <>
std::int64_t class_gains(const std::uint16_t* left, const std::uint16_t* left_rows, std::size_t k, const ClassSums& node, Least least,
                         std::int64_t* out) {
    return class_gains_16(left, left_rows, k, node, least, out);
}

template <>
std::int64_t class_gains(const std::int32_t* left, const std::int32_t* left_rows, std::size_t k, const ClassSums& node, Least least,
                         std::int64_t* out) {
    return class_gains_32(left, left_rows, k, node, least, out);
}

bool FewClasses::fits(const Target& target, const double* weight) {
    if (target.classes > MOST || target.criterion != tree::Criterion::Gini) return false;
    double total = weight ? 0.0 : static_cast<double>(target.rows);
    for (std::size_t i = 0; weight && i < target.rows; ++i) {
        if (weight[i] > MOST_COUNT || weight[i] != std::floor(weight[i])) return false;
        total += weight[i];
    }
    return std::max(total, static_cast<double>(target.rows)) < static_cast<double>(std::numeric_limits<std::int32_t>::max());
}

FewClasses::FewClasses(const Target& given, const double* weight, std::size_t most_rows, Least limits)
    : target(given),
      least(limits),
      tag(given.rows),
      tags(most_rows),
      bins(BINS * given.classes),
      counts(BINS),
      left(BINS * given.classes),
      start(given.classes + 1),
      total(given.classes) {
    for (std::size_t i = 0; i < target.rows; ++i)
        tag[i] = (weight ? static_cast<std::uint32_t>(weight[i]) : 1u) << TAG | static_cast<std::uint32_t>(target.code[i]);
}

Node FewClasses::load(const std::uint32_t* row, std::size_t m) {
    constexpr std::uint32_t CLASS = (1u << TAG) - 1;
    std::uint32_t sum[MOST] = {}, count[MOST] = {};
    for (std::size_t i = 0; i < m; ++i) {
        const std::uint32_t t = tag[row[i]];
        tags[i] = t;
        sum[t & CLASS] += t >> TAG;
    }
    double all = 0;
    std::size_t present = 0;
    all_term = 0;
    for (std::size_t q = 0; q < target.classes; ++q) {
        total[q] = static_cast<double>(sum[q]);
        all += total[q];
        present += sum[q] > 0;
        all_term += total[q] * total[q];
    }
    if (m <= PAIRS) {  // by class
        for (std::size_t i = 0; i < m; ++i) ++count[tags[i] & CLASS];
        for (std::size_t q = 0; q < target.classes; ++q) start[q + 1] = start[q] + count[q];
        std::size_t place[MOST];
        std::copy_n(start.begin(), target.classes, place);
        for (std::size_t i = 0; i < m; ++i) {
            const std::size_t at = place[tags[i] & CLASS]++;
            order[at] = static_cast<std::uint16_t>(i);
            w[at] = static_cast<std::uint16_t>(tags[i] >> TAG);
        }
    }
    node = {m, all, 1 - all_term / (all * all), present <= 1};
    node.pure = node.pure || node.impurity <= std::numeric_limits<double>::epsilon();
    return node;
}

Cut FewClasses::search(const std::uint16_t* c, Range range) {
    const std::size_t m = node.rows, k = target.classes;
    const bool rows_matter = least.rows > 1;
    const double rows = rows_matter ? static_cast<double>(m) : node.weight, before = all_term / node.weight;
    std::int64_t gain[BEST_CUTS];
    Cut cut;
    if (m <= PAIRS) {
        std::uint16_t sorted[PAIRS], ones[PAIRS], left_rows[PAIRS];
        for (std::size_t j = 0; j < m; ++j) sorted[j] = c[order[j]];
        for (std::size_t q = 0; q < k; ++q) pairs(c, m, sorted + start[q], w + start[q], start[q + 1] - start[q], left_pairs + q * PAIRS);
        if (rows_matter) {
            std::fill_n(ones, m, std::uint16_t(1));
            pairs(c, m, sorted, ones, m, left_rows);
        }
        const ClassSums sums{total.data(), k, PAIRS, node.weight, rows, before};
        const std::int64_t most = class_gains(left_pairs, rows_matter ? left_rows : nullptr, m, sums, least, gain);
        const std::ptrdiff_t at = first_best(gain, m, most, margin(), c, cut.gain);
        if (at >= 0) cut.limit = c[at];
        return cut;
    }
    const Binning binning(range);
    constexpr std::uint32_t CLASS = (1u << TAG) - 1;
    std::fill_n(bins.begin(), binning.bins * k, 0u);
    for (std::size_t i = 0; i < m; ++i) bins[binning.bin(c[i]) * k + (tags[i] & CLASS)] += tags[i] >> TAG;
    for (std::size_t q = 0; q < k; ++q) {
        std::uint32_t sum = 0;
        for (std::size_t b = 0; b < binning.bins; ++b) left[q * BINS + b] = static_cast<std::int32_t>(sum += bins[b * k + q]);
    }
    std::int32_t left_rows[BINS];
    if (rows_matter) {
        std::fill_n(counts.begin(), binning.bins, 0u);
        for (std::size_t i = 0; i < m; ++i) ++counts[binning.bin(c[i])];
        std::uint32_t sum = 0;
        for (std::size_t b = 0; b < binning.bins; ++b) left_rows[b] = static_cast<std::int32_t>(sum += counts[b]);
    }
    const ClassSums sums{total.data(), k, BINS, node.weight, rows, before};
    const std::int64_t most = class_gains(left.data(), rows_matter ? left_rows : nullptr, binning.bins - 1, sums, least, gain);
    const std::ptrdiff_t at = first_best(gain, binning.bins - 1, most, margin(), nullptr, cut.gain);
    if (at >= 0) cut.limit = binning.limit(static_cast<std::size_t>(at));
    return cut;
}

Cut FewClasses::split(const std::uint16_t* c, std::uint16_t limit) const {
    constexpr std::uint32_t CLASS = (1u << TAG) - 1;
    std::uint32_t sum[MOST] = {};
    std::int32_t here[MOST], rows = 0;
    for (std::size_t i = 0; i < node.rows; ++i) {
        const bool goes = c[i] <= limit;
        sum[tags[i] & CLASS] += goes ? tags[i] >> TAG : 0u;
        rows += goes;
    }
    std::copy_n(sum, MOST, here);
    const ClassSums sums{total.data(), target.classes, 1, node.weight, static_cast<double>(node.rows), all_term / node.weight};
    std::int64_t gain;
    const std::int64_t most = class_gains(here, &rows, 1, sums, least, &gain);
    return {most < 0 ? -1.0 : std::bit_cast<double>(most), limit};
}

void FewClasses::value(double* out) const {
    for (std::size_t q = 0; q < total.size(); ++q) out[q] = total[q] / node.weight;
}

}  // namespace novum::coded
