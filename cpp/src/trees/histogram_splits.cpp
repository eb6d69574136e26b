#include "novum/trees/histogram_splits.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "novum/runtime/simd.h"

namespace novum::splits {

namespace {

constexpr double TINY = 1e-15;            // keeps (1) finite where there is neither curvature nor penalty
constexpr double SUPPORT = 10;            // rows' worth of curvature that a category needs to be ordered, and that its ratio is damped by
constexpr double ROUNDING = 8 * 2.2e-16;  // share of the parent's loss below which a gain is rounding
constexpr double NEARLY = 1 - 1e-9;       // a column whose rough gain is below this share of the best needs no exact one
constexpr std::size_t MOST = 260;

typedef double Four __attribute__((vector_size(32)));

/// Prefix sums of a column in units of fixed point, as doubles, and the range of cuts that the rules allow.
struct Prefix {
    alignas(32) double gradient[MOST], curvature[MOST];
    std::int32_t first, last;  // cuts first <= b <= last; none if first > last
};

struct Best {
    double score;
    std::int32_t cut;
};

/// The best of cuts first..last of -loss(left) - loss(right), as one division per cut; the lowest of equals.
NOVUM_CLONES Best best_cut(const Prefix& p, double G, double H, double l2) {
    Four best = Four{} - 1.0, at = Four{};
    const std::int32_t begin = p.first & ~3;
    for (std::int32_t b = begin; b <= p.last; b += 4) {
        Four g, h;
        std::memcpy(&g, p.gradient + b, sizeof g);
        std::memcpy(&h, p.curvature + b, sizeof h);
        const Four left = h + l2, right = (H - h) + l2, rest = G - g;
        Four score = (g * g * right + rest * rest * left) / (left * right);
        const Four number = Four{0, 1, 2, 3} + double(b);
        const auto allowed = (number >= double(p.first)) & (number <= double(p.last));
        score = allowed ? score : Four{} - 1.0;
        const auto better = score > best;
        best = better ? score : best;
        at = better ? number : at;
    }
    Best found{-1, 0};
    for (int k = 0; k < 4; ++k)
        if (best[k] > found.score || (best[k] == found.score && best[k] >= 0 && at[k] < found.cut))
            found = {best[k], static_cast<std::int32_t>(at[k])};
    return found;
}

struct Limits {
    std::uint32_t rows;
    std::int64_t curvature;
};

/// Add up bins 0..cuts-1 on top of `start`; find which cuts leave enough on either side. Both sides grow and shrink in step with the cut,
/// so the allowed ones are a run.
void add_up(const Column& column, std::int32_t cuts, const Sums& start, const Node& node, const Limits& least, Prefix& out) {
    const histograms::Cell* cell = histograms::cells(column.histogram);
    const std::uint32_t* count = histograms::counts(column.histogram, column.width);
    std::int64_t g = start.gradient, h = start.curvature;
    for (std::int32_t b = 0; b < cuts; ++b) {
        g += cell[b].gradient;
        h += cell[b].curvature;
        out.gradient[b] = static_cast<double>(g);
        out.curvature[b] = static_cast<double>(h);
    }
    for (std::int32_t b = cuts; b % 4; ++b) out.gradient[b] = 0, out.curvature[b] = 1;  // read with the last cuts, never chosen
    const auto enough = [&](const Sums& s) { return s.rows >= least.rows && s.curvature >= least.curvature; };
    Sums left = start;
    for (out.first = 0; out.first < cuts; ++out.first) {
        left.rows += count[out.first];
        left.curvature += cell[out.first].curvature;
        if (enough(left)) break;
    }
    Sums right{0, node.sums.curvature - h, node.sums.rows - start.rows};
    for (std::int32_t b = 0; b < cuts; ++b) right.rows -= count[b];
    for (out.last = cuts - 1; out.last >= out.first && !enough(right); --out.last) {
        right.rows += count[out.last];
        right.curvature += cell[out.last].curvature;
    }
}

Sums sums_up_to(const Column& column, std::int32_t cut, Sums s) {
    const histograms::Cell* cell = histograms::cells(column.histogram);
    const std::uint32_t* count = histograms::counts(column.histogram, column.width);
    for (std::int32_t b = 0; b <= cut; ++b) {
        s.gradient += cell[b].gradient;
        s.curvature += cell[b].curvature;
        s.rows += count[b];
    }
    return s;
}

Sums rest_of(const Sums& all, const Sums& part) {
    return {all.gradient - part.gradient, all.curvature - part.curvature, all.rows - part.rows};
}

Sums bin_of(const Column& column, std::int32_t b) {
    const histograms::Cell& cell = histograms::cells(column.histogram)[b];
    return {cell.gradient, cell.curvature, histograms::counts(column.histogram, column.width)[b]};
}

/// (3) of one split, or 0 where it breaks a monotone constraint or gains nothing but rounding.
double gain_of(const Sums& left, const Node& node, const Rules& rules, std::int8_t monotone) {
    const Sums right = rest_of(node.sums, left);
    const double a = value(left, rules, node.low, node.high), b = value(right, rules, node.low, node.high);
    if ((monotone > 0 && a > b) || (monotone < 0 && a < b)) return 0;
    const double unit = rules.gradient_unit;
    const double parent = static_cast<double>(node.sums.gradient) * unit * node.value;
    const double gain = parent - static_cast<double>(left.gradient) * unit * a - static_cast<double>(right.gradient) * unit * b;
    return gain > ROUNDING * std::fabs(parent) ? gain : 0;
}

Limits limits_of(const Rules& rules) {
    const double least = std::ceil(rules.least_curvature / rules.curvature_unit);
    return {std::max<std::uint32_t>(1, rules.least_rows), least < 0x1p62 ? static_cast<std::int64_t>(least) : std::int64_t(1) << 62};
}

/// Cut after every bin; rows without a value start on the left or end on the right.
void search_ordered(const Column& column, std::int32_t feature, const Node& node, const Rules& rules, bool missing_left, Split& best) {
    const std::int32_t cuts = column.bins - 1 + (column.has_missing && !missing_left);  // the last one parts missing values from all others
    const Sums start = missing_left ? bin_of(column, column.missing) : Sums{};
    Prefix prefix;
    add_up(column, cuts, start, node, limits_of(rules), prefix);
    if (prefix.first > prefix.last) return;
    std::int32_t cut = -1;
    double gain = 0;
    const bool bounded =
        column.monotone != 0 || node.low > -std::numeric_limits<double>::infinity() || node.high < std::numeric_limits<double>::infinity();
    if (!bounded) {
        const double l2 = (rules.l2 + TINY) / rules.curvature_unit, G = static_cast<double>(node.sums.gradient);
        const double H = static_cast<double>(node.sums.curvature);
        const Best found = best_cut(prefix, G, H, l2);
        const double rough = (found.score - G * G / (H + l2)) * (rules.gradient_unit * rules.gradient_unit / rules.curvature_unit);
        if (!(rough > best.gain * NEARLY)) return;
        cut = found.cut;
        gain = gain_of(sums_up_to(column, cut, start), node, rules, 0);
    } else {
        Sums left = sums_up_to(column, prefix.first - 1, start);
        for (std::int32_t b = prefix.first; b <= prefix.last; ++b) {
            const Sums bin = bin_of(column, b);
            left = {left.gradient + bin.gradient, left.curvature + bin.curvature, left.rows + bin.rows};
            const double here = gain_of(left, node, rules, column.monotone);
            if (here > gain) gain = here, cut = b;
        }
    }
    if (!(gain > best.gain)) return;
    best = Split{};
    best.gain = gain;
    best.feature = feature;
    best.bin = static_cast<std::uint8_t>(cut);
    best.left = sums_up_to(column, cut, start);
    best.missing_left = missing_left;
    // Nothing was missing here: what will be goes with the larger side.
    if (!column.has_missing) best.missing_left = best.left.rows > node.sums.rows - best.left.rows;
}

void search_categories(const Column& column, std::int32_t feature, const Node& node, const Rules& rules, Split& best) {
    struct Category {
        double ratio;
        std::int32_t code;
    };
    Category order[MOST];
    std::int32_t used = 0;
    const double curvature = static_cast<double>(node.sums.curvature) * rules.curvature_unit;
    const double factor = curvature > 0 ? node.sums.rows / curvature : 0;
    for (std::int32_t b = 0; b <= column.bins; ++b) {
        if (b == column.bins && !column.has_missing) break;
        const std::int32_t code = b < column.bins ? b : column.missing;
        const Sums bin = bin_of(column, code);
        const double h = static_cast<double>(bin.curvature) * rules.curvature_unit;
        if (h * factor >= SUPPORT) order[used++] = {static_cast<double>(bin.gradient) * rules.gradient_unit / (h + SUPPORT), code};
    }
    if (used < 2) return;
    std::sort(order, order + used,
              [](const Category& a, const Category& b) { return a.ratio < b.ratio || (a.ratio == b.ratio && a.code < b.code); });
    const Limits least = limits_of(rules);
    double gain = best.gain;
    std::int32_t cut = -1, from = 1;
    Sums chosen;
    for (const int direction : {1, -1}) {
        const std::int32_t middle = (used + 1) / 2 - (direction < 0);
        Sums left;
        for (std::int32_t i = 0; i < middle; ++i) {
            const Sums bin = bin_of(column, order[direction > 0 ? i : used - 1 - i].code);
            left = {left.gradient + bin.gradient, left.curvature + bin.curvature, left.rows + bin.rows};
            if (left.rows < least.rows || left.curvature < least.curvature) continue;
            if (node.sums.rows - left.rows < least.rows || node.sums.curvature - left.curvature < least.curvature) break;
            const double here = gain_of(left, node, rules, 0);
            if (here > gain) gain = here, cut = i, from = direction, chosen = left;
        }
    }
    if (cut < 0) return;
    best = Split{};
    best.gain = gain;
    best.feature = feature;
    best.categorical = true;
    best.left = chosen;
    for (std::int32_t i = 0; i <= cut; ++i) {
        const std::int32_t code = order[from > 0 ? i : used - 1 - i].code;
        if (code == column.missing)
            best.missing_left = true;
        else
            best.categories[code / 32] |= std::uint32_t(1) << (code % 32);
    }
    if (!column.has_missing) best.missing_left = chosen.rows > node.sums.rows - chosen.rows;
}

}  // namespace

double value(const Sums& sums, const Rules& rules, double low, double high) {
    const double h = static_cast<double>(sums.curvature) * rules.curvature_unit;
    const double raw = -static_cast<double>(sums.gradient) * rules.gradient_unit / (h + rules.l2 + TINY);
    return std::min(std::max(raw, low), high);
}

void search(const Column& column, std::int32_t feature, const Node& node, const Rules& rules, Split& best) {
    if (column.categorical) return search_categories(column, feature, node, rules, best);
    search_ordered(column, feature, node, rules, false, best);
    if (column.has_missing) search_ordered(column, feature, node, rules, true, best);
}

}  // namespace novum::splits
