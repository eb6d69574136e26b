#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "novum/trees/draws.h"
#include "novum/trees/exact_grower.h"
#include "novum/trees/random_cuts.h"

namespace novum::tree {

namespace {

constexpr std::size_t SMALL = 64;     // rows up to which comparing sorts faster than counting digits
constexpr std::size_t MEDIUM = 4096;  // rows up to which few counters, soon summed, are worth another pass

/// Sort keys rank << 32 | row by rank, stably, by digits of so many bits; `bits` is the length of the largest rank.
template <int DIGIT>
void sort_by_digits(std::vector<std::uint64_t>& key, std::vector<std::uint64_t>& other, std::size_t m, int bits) {
    constexpr std::size_t buckets = std::size_t(1) << DIGIT;
    other.resize(std::max(other.size(), m));
    for (int shift = 32; shift < 32 + bits; shift += DIGIT) {
        std::uint32_t count[buckets] = {};
        for (std::size_t i = 0; i < m; ++i) ++count[(key[i] >> shift) & (buckets - 1)];
        std::uint32_t before = 0;
        for (std::uint32_t& c : count) before += std::exchange(c, before);
        for (std::size_t i = 0; i < m; ++i) other[count[(key[i] >> shift) & (buckets - 1)]++] = key[i];
        key.swap(other);
    }
}

void sort_by_rank(std::vector<std::uint64_t>& key, std::vector<std::uint64_t>& other, std::size_t m, int bits) {
    if (m <= SMALL)
        std::sort(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(m));
    else if (m <= MEDIUM)
        sort_by_digits<8>(key, other, m, bits);
    else
        sort_by_digits<11>(key, other, m, bits);
}

double middle_of(double low, double high) {
    const double middle = low / 2 + high / 2;
    return middle < high && middle >= low ? middle : low;  // rounding must not move a row across
}

}  // namespace

Limits Grower::limits_of(const Place& place, const double* sums, std::size_t feature) const {
    Limits limits{settings.min_leaf, settings.min_weight_leaf, margin_of(target, place.summary, sums)};
    if (!settings.monotone.empty()) {
        limits.sign = settings.monotone[feature];  // NOLINT(bugprone-signed-char-misuse): -1, 0 or 1, no character
        limits.low = place.low;
        limits.high = place.high;
    }
    return limits;
}

Found Grower::look(const Pending& pending, std::size_t feature, Scratch& scratch) const {
    const Place& place = pending.place;
    const double* sums = pending.sums.data();
    const std::size_t m = place.end - place.start;
    if (settings.random) return look_random(place, sums, feature, scratch);
    Sequence q{nullptr, m, 0};
    if (sorted) {
        q.entry = entries + feature * rows.size() + place.start;
        if (columns.gaps[feature])
            q.present = static_cast<std::size_t>(
                std::partition_point(q.entry, q.entry + m, [](std::uint32_t e) { return !(e & MISSING); }) - q.entry);
    } else {
        auto &key = scratch.keys, &other = scratch.more_keys;
        const std::uint32_t* row = rows.data() + place.start;
        scratch.ranks.resize(std::max(scratch.ranks.size(), m));
        key.resize(std::max(key.size(), m));
        scratch.entries.resize(std::max(scratch.entries.size(), m));
        columns.ranks(feature, row, m, scratch.ranks.data());
        std::size_t present = 0, lost = m;
        for (std::size_t i = 0; i < m; ++i) {
            if (scratch.ranks[i] == NO_RANK)
                scratch.entries[--lost] = row[i] | MISSING;
            else
                key[present++] = std::uint64_t(scratch.ranks[i]) << 32 | row[i];
        }
        sort_by_rank(key, other, present, std::bit_width(columns.distinct[feature]));
        for (std::size_t p = 0; p < present; ++p)
            scratch.entries[p] = static_cast<std::uint32_t>(key[p]) | (p == 0 || key[p] >> 32 != key[p - 1] >> 32 ? NEW : 0u);
        std::reverse(scratch.entries.begin() + static_cast<std::ptrdiff_t>(present),
                     scratch.entries.begin() + static_cast<std::ptrdiff_t>(m));
        q.entry = scratch.entries.data();
        q.present = present;
    }
    q.missing = m - q.present;
    return columns.categorical(feature) ? look_categories(place, sums, feature, q, scratch) : look_sorted(place, sums, feature, q, scratch);
}

Found Grower::look_sorted(const Place& place, const double* sums, std::size_t feature, Sequence q, Scratch& scratch) const {
    Found found;
    found.feature = feature;
    found.constant =
        q.present == 0 || (q.missing == 0 && std::none_of(q.entry + 1, q.entry + q.present, [](std::uint32_t e) { return e & NEW; }));
    if (found.constant) return found;
    found.cut = best_cut(target, q, sums, place.summary.weight, limits_of(place, sums, feature), local_rank, scratch);
    const std::size_t p = found.cut.position;
    if (p == 0) return found;
    found.threshold = std::numeric_limits<double>::infinity();
    if (p < q.present) found.threshold = middle_of(columns.value(q.entry[p - 1] & ROW, feature), columns.value(q.entry[p] & ROW, feature));
    found.missing_left = q.missing ? found.cut.missing_left : 2 * p > q.present;
    return found;
}

Found Grower::look_categories(const Place& place, const double* sums, std::size_t feature, Sequence q, Scratch& scratch) const {
    Found found;
    found.feature = feature;
    auto& group = scratch.groups;  // where groups of equal category begin
    group.clear();
    for (std::size_t p = 0; p < q.present; ++p)
        if (p == 0 || q.entry[p] & NEW) group.push_back(static_cast<std::uint32_t>(p));
    const std::size_t n_groups = group.size();
    group.push_back(static_cast<std::uint32_t>(q.present));
    found.constant = q.present == 0 || (n_groups < 2 && q.missing == 0);
    if (found.constant) return found;
    const std::size_t s = target.sums();
    std::vector<double> weight(n_groups, 0.0), sum(n_groups * s, 0.0);
    for (std::size_t g = 0; g < n_groups; ++g)
        for (std::size_t p = group[g]; p < group[g + 1]; ++p) {
            const std::size_t i = q.entry[p] & ROW;
            const double w = target.weight_of(i);
            weight[g] += w;
            for (std::size_t o = 0; o < target.outputs; ++o) {
                if (target.classification())
                    sum[g * s + o * target.stride + static_cast<std::size_t>(target.code[i * target.outputs + o])] += w;
                else
                    sum[g * s + o] += w * target.y[i * target.outputs + o];
            }
        }
    const double margin = margin_of(target, place.summary, sums);
    const bool two = target.classification() && target.outputs == 1 && target.classes[0] <= 2;
    std::vector<std::uint32_t> index(n_groups), best_order;
    auto& entries = scratch.other;
    entries.resize(std::max(entries.size(), q.present + q.missing));
    for (std::size_t c = two ? s - 1 : 0; c < s; ++c) {  // groups in the order of a class's share, or of an output's mean
        std::iota(index.begin(), index.end(), 0u);
        std::stable_sort(index.begin(), index.end(),
                         [&](auto a, auto b) { return sum[a * s + c] / weight[a] < sum[b * s + c] / weight[b]; });
        std::size_t p = 0;
        for (const std::uint32_t g : index)
            for (std::size_t k = group[g]; k < group[g + 1]; ++k) entries[p++] = (q.entry[k] & ROW) | (k == group[g] ? NEW : 0u);
        std::copy(q.entry + q.present, q.entry + q.present + q.missing, entries.begin() + static_cast<std::ptrdiff_t>(q.present));
        const Cut cut = best_cut(target, {entries.data(), q.present, q.missing}, sums, place.summary.weight,
                                 limits_of(place, sums, feature), local_rank, scratch);
        if (cut.position > 0 && cut.gain > found.cut.gain + margin) {
            found.cut = cut;
            best_order = index;
        }
    }
    if (best_order.empty()) return found;
    found.missing_left = q.missing ? found.cut.missing_left : 2 * found.cut.position > q.present;
    // Categories that no row here has go the way of missing cells.
    found.words.assign((static_cast<std::size_t>(columns.levels[feature]) + 31) / 32, found.missing_left ? ~0u : 0u);
    std::size_t placed = 0;
    for (const std::uint32_t g : best_order) {
        const auto code = static_cast<std::size_t>(columns.value(q.entry[group[g]] & ROW, feature));
        if (placed < found.cut.position)
            found.words[code / 32] |= 1u << (code % 32);
        else
            found.words[code / 32] &= ~(1u << (code % 32));
        placed += group[g + 1] - group[g];
    }
    return found;
}

void Grower::gather(const Pending& pending, Scratch& scratch) const {
    if (!settings.random || !counts) return;
    const Place& place = pending.place;
    const std::size_t m = place.end - place.start;
    const std::uint32_t* row = rows.data() + place.start;
    if (target.classification() && target.binary.empty()) {
        scratch.codes.resize(std::max(scratch.codes.size(), m));
        for (std::size_t i = 0; i < m; ++i) scratch.codes[i] = target.code[row[i]];
        return;
    }
    scratch.targets.resize(std::max(scratch.targets.size(), m));
    double* out = scratch.targets.data();
    if (target.classification())
        for (std::size_t i = 0; i < m; ++i) out[i] = target.binary[row[i]];
    else
        for (std::size_t i = 0; i < m; ++i) out[i] = target.y[row[i]] - pending.sums[0] / place.summary.weight;
}

void Grower::cut_at(const Place& place, const double* sums, const double* x, Found& found, Scratch& scratch) const {
    const std::size_t m = place.end - place.start;
    const double all = static_cast<double>(m);
    std::size_t p = 0;
    double gain = 0;
    if (target.classification() && target.binary.empty()) {  // (7)
        scratch.left_sums.assign(target.sums(), 0.0);
        count_below(x, scratch.codes.data(), m, found.threshold, scratch.left_sums.data());
        double inside = 0, outside = 0, left = 0;
        for (std::size_t k = 0; k < target.sums(); ++k) {
            const double here = scratch.left_sums[k], there = sums[k] - here;
            inside += here * here;
            outside += there * there;
            left += here;
        }
        p = static_cast<std::size_t>(left);
        gain = inside / left + outside / (all - left);
    } else {  // (6), numbers about the node's own mean: they lose the fewest digits
        const Below found_below = below(x, scratch.targets.data(), m, found.threshold);
        p = found_below.count;
        const double left = static_cast<double>(p), total = target.classification() && target.classes[0] > 1 ? sums[1] : 0.0;
        const double difference = found_below.sum * all - left * total;
        gain = difference * difference / (left * (all - left));
    }
    found.missing_left = 2 * p > m;
    if (p < settings.min_leaf || m - p < settings.min_leaf) return;
    found.cut.position = p;
    found.cut.gain = gain;
}

Found Grower::look_random(const Place& place, const double* sums, std::size_t feature, Scratch& scratch) const {
    Found found;
    found.feature = feature;
    const std::size_t m = place.end - place.start;
    const std::uint32_t* row = rows.data() + place.start;
    scratch.values.resize(std::max(scratch.values.size(), m));
    scratch.entries.resize(std::max(scratch.entries.size(), m));
    double* x = scratch.values.data();
    columns.values(feature, row, m, x);
    const auto [low, high, lost] = range_of(x, m);
    found.constant = lost == m || (low == high && lost == 0);
    if (found.constant) return found;
    const rng::Block draw = draw_at(place.key, static_cast<std::uint32_t>(feature), THRESHOLD_DRAW, settings.seed);
    const double u = threshold_share(draw);
    const bool missing_left = lost > 0 && draw[2] & 1;
    if (columns.categorical(feature)) {
        found.words.assign((static_cast<std::size_t>(columns.levels[feature]) + 31) / 32, 0u);
        for (std::size_t k = 0; k < found.words.size(); ++k)
            found.words[k] = draw_at(place.key ^ k, static_cast<std::uint32_t>(feature), CATEGORY_DRAW, settings.seed)[0];
        // The least category goes left and the largest right, so that neither side is empty.
        const auto first = static_cast<std::size_t>(low), last = static_cast<std::size_t>(high);
        found.words[last / 32] &= ~(1u << (last % 32));
        if (first != last) found.words[first / 32] |= 1u << (first % 32);
    } else {
        found.threshold = low + u * (high - low);
        if (!(found.threshold < high)) found.threshold = low;
    }
    if (counts && lost == 0 && found.words.empty()) {
        cut_at(place, sums, x, found, scratch);
        return found;
    }
    const auto goes = [&, lost_left = missing_left](double v) {
        if (std::isnan(v)) return lost_left;
        if (found.words.empty()) return v <= found.threshold;
        const auto code = static_cast<std::size_t>(v);
        return (found.words[code / 32] >> (code % 32) & 1u) != 0;
    };
    std::size_t p = 0, end = m;
    for (std::size_t i = 0; i < m; ++i) scratch.entries[goes(x[i]) ? p++ : --end] = row[i];
    if (p == 0 || p == m) return found;
    scratch.entries[p] |= NEW;
    found.cut =
        best_cut(target, {scratch.entries.data(), m, 0}, sums, place.summary.weight, limits_of(place, sums, feature), local_rank, scratch);
    found.missing_left = lost ? missing_left : 2 * p > m;
    return found;
}

}  // namespace novum::tree
