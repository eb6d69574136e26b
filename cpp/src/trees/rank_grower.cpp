#include <algorithm>
#include <limits>
#include <numeric>

#include "novum/runtime/interrupt.h"
#include "novum/trees/draws.h"
#include "novum/trees/rank_rules.h"
#include "novum/trees/ranks.h"

namespace novum::coded {

namespace {

constexpr double SMALLEST = std::numeric_limits<double>::epsilon();
constexpr double PERFECT = 1 - 1e-12;  // share of the impurity: a cut that takes it all away is not surpassed
constexpr std::size_t SHARES = 8;      // thresholds drawn at once: as many as a vector holds
constexpr std::size_t FEW = 512;       // rows up to which looking at each is quicker than halving the codes of a column

double middle_of(double low, double high) {
    const double middle = low / 2 + high / 2;
    return middle < high && middle >= low ? middle : low;  // rounding must not move a row across
}

struct Open {
    std::size_t start, end, depth;
    std::uint64_t key;
    std::int64_t parent;
    bool left;
};

template <class Rule>
class Growing {
  public:
    Growing(const Codes& given, Rule wanted, std::vector<std::uint32_t> in_bag, const tree::Settings& rules)
        : codes(given),
          rule(std::move(wanted)),
          settings(rules),
          rows(std::move(in_bag)),
          spare(rows.size()),
          here(rows.size() + PAIRS),
          kept(rows.size() + PAIRS),
          order(codes.columns) {
        std::iota(order.begin(), order.end(), 0u);
    }

    tree::Grown run() {
        std::vector<Open> open{{0, rows.size(), 0, 0, -1, false}};
        while (!open.empty()) {
            const Open place = open.back();
            open.pop_back();
            const Node node = rule.load(rows.data() + place.start, place.end - place.start);
            if (place.parent < 0) total = node.weight;
            const auto id = write(place, node);
            if (place.depth >= settings.max_depth || node.rows < settings.min_split || node.rows < 2 * settings.min_leaf ||
                node.weight < 2 * settings.min_weight_leaf || node.pure)
                continue;
            if (!search(place, node) || rule.decrease(cut.gain) / total + SMALLEST < settings.min_decrease) continue;
            const std::size_t middle = divide(place, id);
            open.push_back({middle, place.end, place.depth + 1, tree::child_key(place.key, true), id, false});
            open.push_back({place.start, middle, place.depth + 1, tree::child_key(place.key, false), id, true});
        }
        return std::move(out);
    }

  private:
    std::int64_t write(const Open& place, const Node& node) {
        const auto id = static_cast<std::int64_t>(out.left.size());
        if (place.parent >= 0) (place.left ? out.left : out.right)[static_cast<std::size_t>(place.parent)] = id;
        out.left.push_back(-1);
        out.right.push_back(-1);
        out.feature.push_back(-2);
        out.threshold.push_back(-2);
        out.missing_left.push_back(0);
        out.impurity.push_back(std::max(0.0, node.impurity));
        out.samples.push_back(static_cast<std::int64_t>(node.rows));
        out.weight.push_back(node.weight);
        out.value.resize(out.value.size() + rule.width());
        rule.value(out.value.data() + out.value.size() - rule.width());
        return id;
    }

    /// The best cut among the columns tried; `kept` then holds the codes of its column.
    bool search(const Open& place, const Node& node) {
        const std::size_t d = codes.columns, m = place.end - place.start;
        const double all = PERFECT * node.impurity * node.weight, margin = rule.margin();
        cut = Cut{};
        std::size_t varying = 0, ready = std::min(d, settings.max_features);
        // All columns: begun anywhere, so that of equal cuts, which small nodes have many of, none is preferred.
        const bool all_columns = ready == d;
        const std::size_t first = all_columns ? tree::draw_column(place.key, 0, d, settings.seed) : 0;
        drawn.resize(std::max(drawn.size(), d));
        if (!all_columns) draw_columns(place.key, settings.seed, d, ready, drawn.data());
        std::size_t visited = 0;
        for (std::size_t shared = 0; visited < d && (visited < settings.max_features || varying == 0); ++visited) {
            poller.tick();
            if (visited >= ready) drawn[visited] = tree::draw_column(place.key, visited, d, settings.seed);
            if (!all_columns) std::swap(order[visited], order[drawn[visited]]);
            const std::size_t j = all_columns ? (visited + first < d ? visited + first : visited + first - d) : order[visited];
            if (settings.random && visited == shared) shared = draw_some(place.key, visited, all_columns ? first : 0, ready);
            double drawn_at = 0;
            Cut found;
            if (settings.random && m <= FEW) {
                if (!draw_small(shares[visited % SHARES], j, rows.data() + place.start, m, drawn_at)) continue;
                found = rule.split(here.data(), 0);
            } else {
                const Range range = gather(codes.code.data() + j * codes.rows, rows.data() + place.start, m, here.data());
                if (range.low == range.high) continue;
                found = settings.random ? rule.split(here.data(), draw_limit(shares[visited % SHARES], j, range, drawn_at))
                                        : rule.search(here.data(), range);
            }
            ++varying;
            if (found.found() && (!cut.found() || found.gain > cut.gain + margin)) {
                cut = found;
                column = j;
                threshold = drawn_at;
                here.swap(kept);
                if (rule.decrease(cut.gain) >= all) {
                    ++visited;
                    break;
                }
            }
        }
        for (std::size_t i = all_columns ? 0 : visited; i-- > 0;) std::swap(order[i], order[drawn[i]]);  // the list is what it was
        return cut.found();
    }

    /// Draw the thresholds of the next columns, as many as one batch makes; returns the first visit that they do not serve.
    std::size_t draw_some(std::uint64_t key, std::size_t visited, std::size_t first, std::size_t ready) {
        const std::size_t d = codes.columns, until = visited < ready ? std::min(ready, visited / SHARES * SHARES + SHARES) : visited + 1;
        const bool all_columns = ready == d;
        std::uint32_t column[SHARES];
        double share[SHARES];
        if (!all_columns && until > visited + 1) {  // who comes next is known, but has not been swapped to its place
            for (std::size_t v = visited + 1; v < until; ++v) std::swap(order[v], order[drawn[v]]);
        }
        for (std::size_t v = visited; v < until; ++v)
            column[v - visited] = all_columns ? static_cast<std::uint32_t>(v + first < d ? v + first : v + first - d) : order[v];
        if (!all_columns && until > visited + 1) {
            for (std::size_t v = until; v-- > visited + 1;) std::swap(order[v], order[drawn[v]]);
        }
        draw_shares(key, settings.seed, column, until - visited, share);
        for (std::size_t v = visited; v < until; ++v) shares[v % SHARES] = share[v - visited];
        return until;
    }

    /// A threshold uniform between the least and the largest value of a few rows; `here` then holds 0 where they go left, else 1. Values
    /// are read where they lie: those of a row are neighbors. False if they are all equal.
    bool draw_small(double share, std::size_t j, const std::uint32_t* row, std::size_t m, double& at) {
        double x[FEW];
        codes.values(j, row, m, x);
        double low = x[0], high = x[0];
        for (std::size_t i = 1; i < m; ++i) {
            low = x[i] < low ? x[i] : low;
            high = x[i] > high ? x[i] : high;
        }
        if (!(low < high)) return false;
        at = low + share * (high - low);
        if (!(at < high)) at = low;
        for (std::size_t i = 0; i < m; ++i) here[i] = x[i] > at;
        return true;
    }

    /// The same of many rows, by codes: the largest that goes left.
    std::uint16_t draw_limit(double share, std::size_t j, Range range, double& at) {
        const double* low = codes.low[j].data();
        const double first = low[range.low], last = codes.largest(j, range.high);
        at = first + share * (last - first);
        std::size_t limit = range.low;
        for (std::size_t length = range.high - limit; length > 1;) {  // the last of codes limit, ..., high - 1 whose value is not above
            const std::size_t half = length / 2;
            limit += low[limit + half] <= at ? half : 0;
            length -= half;
        }
        at = std::max(at, codes.largest(j, limit));  // a run of values that shares a code is not cut
        if (!(at < low[range.high])) at = codes.largest(j, limit);
        return static_cast<std::uint16_t>(limit);
    }

    std::size_t divide(const Open& place, std::int64_t id) {
        const std::size_t m = place.end - place.start;
        std::uint32_t* row = rows.data() + place.start;
        std::size_t left = 0, right = 0;
        std::uint16_t most = 0, least = 0xFFFF;
        for (std::size_t i = 0; i < m; ++i) {
            const std::uint16_t c = kept[i];
            const bool goes = c <= cut.limit;
            const std::uint32_t r = row[i];
            row[left] = r;
            spare[right] = r;
            left += goes;
            right += !goes;
            most = std::max(most, goes ? c : std::uint16_t(0));
            least = std::min(least, goes ? std::uint16_t(0xFFFF) : c);
        }
        std::copy_n(spare.begin(), right, row + left);
        const auto u = static_cast<std::size_t>(id);
        out.feature[u] = static_cast<std::int64_t>(column);
        out.threshold[u] = settings.random ? threshold : middle_of(codes.largest(column, most), codes.low[column][least]);
        out.missing_left[u] = left > right;
        return place.start + left;
    }

    const Codes& codes;
    Rule rule;
    const tree::Settings& settings;
    std::vector<std::uint32_t> rows, spare;
    std::vector<std::uint16_t> here, kept;
    std::vector<std::uint32_t> order;
    std::vector<std::size_t> drawn;
    double shares[SHARES];
    tree::Grown out;
    Cut cut;
    std::size_t column = 0;
    double threshold = 0, total = 0;
    interrupt::Poller<16> poller;
};

}  // namespace

tree::Grown grow(const Codes& codes, const Target& target, const double* weight, const tree::Settings& settings) {
    std::vector<std::uint32_t> rows;
    rows.reserve(codes.rows);
    for (std::size_t i = 0; i < codes.rows; ++i)
        if (!weight || weight[i] > 0) rows.push_back(static_cast<std::uint32_t>(i));
    const Least least{static_cast<double>(settings.min_leaf), settings.min_weight_leaf};
    const std::size_t m = rows.size();
    if (target.classes == 0) return Growing<Numbers>(codes, Numbers(target, weight, m, least), std::move(rows), settings).run();
    if (TwoClasses::fits(target, weight))
        return Growing<TwoClasses>(codes, TwoClasses(target, weight, m, least), std::move(rows), settings).run();
    if (FewClasses::fits(target, weight))
        return Growing<FewClasses>(codes, FewClasses(target, weight, m, least), std::move(rows), settings).run();
    return Growing<Classes>(codes, Classes(target, weight, m, least), std::move(rows), settings).run();
}

}  // namespace novum::coded
