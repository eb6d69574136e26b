#include "novum/trees/rank_rules.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace novum::coded {

namespace {

double x_log_x(double x) { return x > 0 ? x * std::log2(x) : 0.0; }

}  // namespace

bool add_exactly(const double* weight, std::size_t n) {
    double total = 0;
    for (std::size_t i = 0; weight && i < n; ++i) {
        if (weight[i] != std::floor(weight[i])) return false;
        total += weight[i];
    }
    return total < 0x1p53;
}

Binning::Binning(Range range) : low(range.low) {
    const auto span = static_cast<std::size_t>(range.high - range.low);
    shift = std::max(0, static_cast<int>(std::bit_width(span)) - 8);
    bins = (span >> shift) + 1;
}

// Two classes

bool TwoClasses::fits(const Target& target, const double* weight) {
    if (target.classes != 2) return false;
    double total = 0;
    if (!weight) total = static_cast<double>(target.rows);
    for (std::size_t i = 0; weight && i < target.rows; ++i) {
        if (weight[i] > MOST_COUNT || weight[i] != std::floor(weight[i])) return false;
        total += weight[i];
    }
    const double most = target.criterion == tree::Criterion::Entropy ? static_cast<double>(target.x_log_x.size()) : 1e300;
    return std::max(total, static_cast<double>(target.rows)) < std::min(most, static_cast<double>(FIELD_MASK));
}

TwoClasses::TwoClasses(const Target& given, const double* weight, std::size_t most_rows, Least limits)
    : target(given), least(limits), entropy(given.criterion == tree::Criterion::Entropy), tag(given.rows), packed(most_rows), bins(BINS) {
    for (std::size_t i = 0; i < target.rows; ++i)
        tag[i] = (weight ? static_cast<std::uint32_t>(weight[i]) : 1u) << 1 | static_cast<std::uint32_t>(target.code[i] == 1);
}

Node TwoClasses::load(const std::uint32_t* row, std::size_t m) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < m; ++i) {
        const std::uint64_t t = tag[row[i]], count = t >> 1;
        packed[i] = std::uint64_t(1) << (2 * FIELD) | count << FIELD | (count & (0 - (t & 1)));
        sum += packed[i];
    }
    if (m <= PAIRS) {
        for (std::size_t i = 0; i < m; ++i) {
            w[i] = static_cast<std::uint16_t>((packed[i] >> FIELD) & FIELD_MASK);
            p[i] = static_cast<std::uint16_t>(packed[i] & FIELD_MASK);
        }
    }
    second = static_cast<double>(sum & FIELD_MASK);
    const double all = static_cast<double>((sum >> FIELD) & FIELD_MASK), share = second / all;
    node = {m, all, 2 * share * (1 - share), second == 0 || second == all};
    if (entropy) node.impurity = -(x_log_x(share) + x_log_x(1 - share));
    return node;
}

double TwoClasses::entropy_gain(double a, double a_s) const {
    const auto f = [&](double x) { return target.x_log_x[static_cast<std::size_t>(x)]; };
    const double b = node.weight - a, b_s = second - a_s;
    const double kept = f(a_s) + f(a - a_s) - f(a) + f(b_s) + f(b - b_s) - f(b);
    return std::max(0.0, kept - (f(second) + f(node.weight - second) - f(node.weight)));
}

template <class Count>
std::ptrdiff_t TwoClasses::choose(const Count* left, const Count* left_s, const Count* left_rows, std::size_t k, const std::uint16_t* c,
                                  double& gain) const {
    const double rows = left_rows == left ? node.weight : static_cast<double>(node.rows);
    if (!entropy) return best(left, left_s, left_rows, k, node.weight, second, rows, least, margin(), c, gain);
    std::ptrdiff_t place = -1;
    for (std::size_t i = 0; i < k; ++i) {
        const double a = left[i], b = node.weight - a, n = left_rows[i];
        if (n < least.rows || rows - n < least.rows || a < least.weight || b < least.weight || !(b > 0)) continue;
        const double here = entropy_gain(a, left_s[i]);
        const bool equal = place >= 0 && std::fabs(here - gain) <= margin();
        if (place >= 0 && (equal ? !c || c[i] >= c[place] : here < gain)) continue;
        gain = here;
        place = static_cast<std::ptrdiff_t>(i);
    }
    return place;
}

double TwoClasses::margin() const {
    return entropy ? ROUNDING * node.weight * (1 + std::fabs(std::log(node.weight))) : ROUNDING * node.weight * node.weight * node.impurity;
}

Cut TwoClasses::search(const std::uint16_t* c, Range range) {
    const std::size_t m = node.rows;
    const bool rows_matter = least.rows > 1;
    Cut cut;
    if (m <= PAIRS) {
        std::uint16_t left[PAIRS], left_s[PAIRS], left_rows[PAIRS];
        pairs(c, w, p, m, left, left_s, rows_matter ? left_rows : nullptr);
        const std::ptrdiff_t at = choose(left, left_s, rows_matter ? left_rows : left, m, c, cut.gain);
        if (at >= 0) cut.limit = c[at];
        return cut;
    }
    const Binning binning(range);
    std::fill_n(bins.begin(), binning.bins, std::uint64_t(0));
    for (std::size_t i = 0; i < m; ++i) bins[binning.bin(c[i])] += packed[i];
    std::int32_t left[BINS], left_s[BINS], left_rows[BINS];
    std::uint64_t sum = 0;
    for (std::size_t b = 0; b < binning.bins; ++b) {
        sum += bins[b];
        left[b] = static_cast<std::int32_t>((sum >> FIELD) & FIELD_MASK);
        left_s[b] = static_cast<std::int32_t>(sum & FIELD_MASK);
        left_rows[b] = static_cast<std::int32_t>(sum >> (2 * FIELD));
    }
    const std::ptrdiff_t at = choose(left, left_s, left_rows, binning.bins - 1, nullptr, cut.gain);
    if (at >= 0) cut.limit = binning.limit(static_cast<std::size_t>(at));
    return cut;
}

Cut TwoClasses::split(const std::uint16_t* c, std::uint16_t limit) const {
    const Side left = side(c, packed.data(), node.rows, limit);
    const double gain = gain_of(left, node.weight, second, static_cast<double>(node.rows), least);
    return {entropy && gain >= 0 ? entropy_gain(left.weight, left.s) : gain, limit};
}

double TwoClasses::decrease(double gain) const { return entropy ? gain : 2 * gain / node.weight; }

void TwoClasses::value(double* out) const {
    out[1] = second / node.weight;
    out[0] = (node.weight - second) / node.weight;
}

// Classes

Classes::Classes(const Target& given, const double* weights, std::size_t most_rows, Least limits)
    : target(given),
      weight(weights),
      least(limits),
      entropy(given.criterion == tree::Criterion::Entropy),
      whole(add_exactly(weights, given.rows)),
      w(most_rows),
      code(most_rows),
      counts(BINS),
      total(given.classes),
      left(given.classes),
      right(given.classes),
      bins(BINS * given.classes) {}

Node Classes::load(const std::uint32_t* row, std::size_t m) {
    std::fill(total.begin(), total.end(), 0.0);
    double all = 0;
    for (std::size_t i = 0; i < m; ++i) {
        w[i] = weight ? weight[row[i]] : 1.0;
        code[i] = target.code[row[i]];
        total[static_cast<std::size_t>(code[i])] += w[i];
    }
    std::size_t present = 0;
    all_term = 0;
    for (const double t : total) {
        all += t;
        present += t > 0;
        all_term += entropy ? x_log_x(t) : t * t;
    }
    node = {m, all, entropy ? (x_log_x(all) - all_term) / all : 1 - all_term / (all * all), present <= 1};
    node.pure = node.pure || node.impurity <= std::numeric_limits<double>::epsilon();  // of other classes there is but rounding
    return node;
}

void Classes::begin() {
    std::fill(left.begin(), left.end(), 0.0);
    right = total;
    left_weight = 0;
    right_weight = node.weight;
    left_term = 0;
    right_term = all_term;
}

void Classes::move(std::size_t k, double x) {
    if (entropy) {
        left_term += x_log_x(left[k] + x) - x_log_x(left[k]);
        right_term += x_log_x(right[k] - x) - x_log_x(right[k]);
    } else {
        left_term += x * (2 * left[k] + x);
        right_term += x * (x - 2 * right[k]);
    }
    left[k] += x;
    right[k] -= x;
    left_weight += x;
    right_weight -= x;
}

void Classes::add_right(std::size_t k, double x) {
    right_term += entropy ? x_log_x(right[k] + x) - x_log_x(right[k]) : x * (2 * right[k] + x);
    right[k] += x;
    right_weight += x;
}

void Classes::take_right(std::size_t at) {
    if (whole) return;
    right_weight = beyond[at].weight;
    right_term = beyond[at].term;
}

double Classes::gain(std::size_t rows) const {
    const double n = static_cast<double>(rows), others = static_cast<double>(node.rows) - n;
    if (n < least.rows || others < least.rows || left_weight < least.weight || right_weight < least.weight || !(left_weight > 0) ||
        !(right_weight > 0))
        return -1;
    const double kept = entropy ? left_term - x_log_x(left_weight) + right_term - x_log_x(right_weight)
                                : left_term / left_weight + right_term / right_weight;
    const double before = entropy ? all_term - x_log_x(node.weight) : all_term / node.weight;
    return std::max(0.0, kept - before);
}

Cut Classes::search(const std::uint16_t* c, Range range) {
    const std::size_t m = node.rows;
    const double slack = margin();
    Cut cut;
    begin();
    const auto add_up_right = [&](std::size_t places, auto add) {
        if (whole) return;
        beyond.resize(places);
        std::fill(right.begin(), right.end(), 0.0);
        right_weight = right_term = 0;
        for (std::size_t at = places; at-- > 0; beyond[at] = {right_weight, right_term}) add(at);
    };
    const auto weigh = [&](std::size_t rows, std::uint16_t limit) {
        if (const double here = gain(rows); here >= 0 && (!cut.found() || here > cut.gain + slack)) cut = {here, limit};
    };
    if (m <= PAIRS) {
        keys.resize(m);
        for (std::size_t i = 0; i < m; ++i) keys[i] = std::uint32_t(c[i]) << 16 | static_cast<std::uint32_t>(i);
        std::sort(keys.begin(), keys.end());
        add_up_right(m, [&](std::size_t q) {
            const std::size_t i = keys[q] & 0xFFFF;
            add_right(static_cast<std::size_t>(code[i]), w[i]);
        });
        for (std::size_t q = 0; q + 1 < m; ++q) {
            const std::size_t i = keys[q] & 0xFFFF;
            move(static_cast<std::size_t>(code[i]), w[i]);
            take_right(q + 1);
            if (keys[q] >> 16 != keys[q + 1] >> 16) weigh(q + 1, static_cast<std::uint16_t>(keys[q] >> 16));
        }
        return cut;
    }
    const Binning binning(range);
    const std::size_t k = target.classes;
    std::fill_n(bins.begin(), binning.bins * k, 0.0);
    std::fill_n(counts.begin(), binning.bins, 0u);
    for (std::size_t i = 0; i < m; ++i) {
        const std::size_t b = binning.bin(c[i]);
        bins[b * k + static_cast<std::size_t>(code[i])] += w[i];
        ++counts[b];
    }
    add_up_right(binning.bins, [&](std::size_t b) {
        for (std::size_t q = 0; q < k; ++q)
            if (bins[b * k + q] > 0) add_right(q, bins[b * k + q]);
    });
    std::size_t rows = 0;
    for (std::size_t b = 0; b + 1 < binning.bins; ++b) {
        if (counts[b] == 0) continue;
        rows += counts[b];
        for (std::size_t q = 0; q < k; ++q)
            if (bins[b * k + q] > 0) move(q, bins[b * k + q]);
        take_right(b + 1);
        weigh(rows, binning.limit(b));
    }
    return cut;
}

Cut Classes::split(const std::uint16_t* c, std::uint16_t limit) {
    begin();
    std::fill(right.begin(), right.end(), 0.0);
    std::size_t rows = 0;
    for (std::size_t i = 0; i < node.rows; ++i) {
        const bool goes = c[i] <= limit;
        (goes ? left : right)[static_cast<std::size_t>(code[i])] += w[i];
        rows += goes;
    }
    right_weight = right_term = 0;
    for (std::size_t k = 0; k < left.size(); ++k) {
        const double a = left[k], b = right[k];
        left_weight += a;
        right_weight += b;
        left_term += entropy ? x_log_x(a) : a * a;
        right_term += entropy ? x_log_x(b) : b * b;
    }
    return {gain(rows), limit};
}

double Classes::decrease(double gain) const { return gain; }

double Classes::margin() const { return ROUNDING * node.weight * (entropy ? 1 + std::fabs(std::log(node.weight)) : 1); }

void Classes::value(double* out) const {
    for (std::size_t k = 0; k < total.size(); ++k) out[k] = total[k] / node.weight;
}

}  // namespace novum::coded
