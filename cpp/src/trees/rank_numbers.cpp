#include <algorithm>
#include <cmath>
#include <limits>

#include "novum/trees/rank_rules.h"

namespace novum::coded {

namespace {

constexpr int WHOLE_BITS = 51;  // of sums of weighted targets: doubles add whole numbers up to 53 bits without rounding

/// The nearest whole number, up to 2^51: adding and subtracting leaves no room for a fraction.
inline double whole_of(double x) { return (x + 0x1.8p52) - 0x1.8p52; }

}  // namespace

Numbers::Numbers(const Target& given, const double* weights, std::size_t most_rows, Least limits)
    : target(given),
      weight(weights),
      least(limits),
      whole(add_exactly(weights, given.rows)),
      cell(most_rows),
      w(most_rows + NUMBER_PAIRS),
      wy(most_rows + NUMBER_PAIRS),
      bins(BINS),
      counts(BINS) {
    double low = std::numeric_limits<double>::infinity(), high = -low, total = 0;
    for (std::size_t i = 0; i < target.rows; ++i) {
        const double x = weight ? weight[i] : 1.0;
        if (!(x > 0)) continue;
        low = std::min(low, target.y[i]);
        high = std::max(high, target.y[i]);
        total += x;
    }
    center = low / 2 + high / 2;
    const double half = high / 2 - low / 2;
    if (!(half > 0)) return;
    int weight_bits, range_bits;
    std::frexp(total, &weight_bits);
    std::frexp(half, &range_bits);
    scale = std::ldexp(1.0, std::clamp(WHOLE_BITS - weight_bits - range_bits, -900, 900));
}

Node Numbers::load(const std::uint32_t* row, std::size_t m) {
    double all = 0, total = 0, whole = 0;
    const double first = target.y[row[0]];
    bool pure = true;
    for (std::size_t i = 0; i < m; ++i) {
        const double y = target.y[row[i]];
        w[i] = weight ? weight[row[i]] : 1.0;
        wy[i] = whole_of((y - center) * scale);
        all += w[i];
        total += w[i] * y;
        whole += w[i] * wy[i];
        pure &= y == first;
    }
    mean = pure ? first : total / all;
    const double middle = whole_of(whole / all);  // a whole number, too, so that differences are
    sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < m; ++i) {
        const double away = wy[i] - middle;
        wy[i] = w[i] * away;
        sum += wy[i];
        squares += wy[i] * away;
        cell[i] = {w[i], wy[i]};
    }
    const double share = sum / all;
    node = {m, all, pure ? 0.0 : (squares / all - share * share) / (scale * scale), pure};
    return node;
}

double Numbers::decrease(double gain) const { return gain / node.weight / (scale * scale); }

double Numbers::margin() const { return ROUNDING * node.weight * node.weight * node.impurity * scale * scale; }

Cut Numbers::search(const std::uint16_t* c, Range range) {
    const std::size_t m = node.rows;
    const bool rows_matter = least.rows > 1;
    const double rows = rows_matter ? static_cast<double>(m) : node.weight;
    const Least limits{rows_matter ? least.rows : 0.0, least.weight};
    Cut cut;
    if (m <= NUMBER_PAIRS) {
        double codes[NUMBER_PAIRS] = {}, left[NUMBER_PAIRS], left_s[NUMBER_PAIRS], left_rows[NUMBER_PAIRS], right[NUMBER_PAIRS],
               right_s[NUMBER_PAIRS];
        for (std::size_t i = 0; i < m; ++i) codes[i] = c[i];
        pairs(codes, w.data(), wy.data(), m, left, left_s, whole ? nullptr : right, right_s);
        if (rows_matter) {
            double ones[NUMBER_PAIRS], unused[NUMBER_PAIRS];
            std::fill_n(ones, NUMBER_PAIRS, 1.0);
            pairs(codes, ones, ones, m, left_rows, unused);
        }
        const double* least_of = rows_matter ? left_rows : left;
        const std::ptrdiff_t at = whole ? best(left, left_s, least_of, m, node.weight, sum, rows, limits, margin(), c, cut.gain)
                                        : best(left, left_s, right, right_s, least_of, m, rows, limits, margin(), c, cut.gain);
        if (at >= 0) cut.limit = c[at];
        return cut;
    }
    const Binning binning(range);
    std::fill_n(bins.begin(), binning.bins, Cell{0, 0});
    for (std::size_t i = 0; i < m; ++i) {
        Cell& bin = bins[binning.bin(c[i])];
        bin.w += cell[i].w;
        bin.wy += cell[i].wy;
    }
    double left[BINS], left_s[BINS], left_rows[BINS];
    double a = 0, s = 0;
    for (std::size_t b = 0; b < binning.bins; ++b) {
        left[b] = a += bins[b].w;
        left_s[b] = s += bins[b].wy;
    }
    if (rows_matter) {
        std::fill_n(counts.begin(), binning.bins, 0u);
        for (std::size_t i = 0; i < m; ++i) ++counts[binning.bin(c[i])];
        double n = 0;
        for (std::size_t b = 0; b < binning.bins; ++b) left_rows[b] = n += counts[b];
    }
    const double* least_of = rows_matter ? left_rows : left;
    const std::size_t cuts = binning.bins - 1;
    std::ptrdiff_t at;
    if (whole) {
        at = best(left, left_s, least_of, cuts, node.weight, sum, rows, limits, margin(), nullptr, cut.gain);
    } else {
        double right[BINS], right_s[BINS];
        a = s = 0;
        for (std::size_t b = cuts; b-- > 0;) {
            right[b] = a += bins[b + 1].w;
            right_s[b] = s += bins[b + 1].wy;
        }
        at = best(left, left_s, right, right_s, least_of, cuts, rows, limits, margin(), nullptr, cut.gain);
    }
    if (at >= 0) cut.limit = binning.limit(static_cast<std::size_t>(at));
    return cut;
}

Cut Numbers::split(const std::uint16_t* c, std::uint16_t limit) const {
    const Side left = side(c, w.data(), wy.data(), node.rows, limit);
    const double rows = static_cast<double>(node.rows);
    return {whole ? gain_of(left, node.weight, sum, rows, least) : gain_of(left, rows, least), limit};
}

}  // namespace novum::coded
