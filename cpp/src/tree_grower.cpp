#include "novum/tree_grower.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "novum/rng.h"

namespace novum::tree {

namespace {

constexpr std::uint32_t COLUMN_DRAW = 0x636f6c75u;  // purpose of a Philox stream
constexpr double ROUNDING = std::numeric_limits<double>::epsilon();
constexpr std::uint64_t GOLDEN = 0x9E3779B97F4A7C15u;

/// The key of a child: a bijective mix of its parent's and its side, so that paths of any depth differ.
std::uint64_t child_key(std::uint64_t key, bool right) {
    key = (key + GOLDEN + right) * 0xBF58476D1CE4E5B9u;
    key = (key ^ (key >> 27)) * 0x94D049BB133111EBu;
    return key ^ (key >> 31);
}

}  // namespace

Grower::Grower(Columns& given, Target wanted, Settings rules, bool consume)
    : columns(given), target(std::move(wanted)), settings(std::move(rules)) {
    const std::size_t n = columns.rows(), d = columns.columns();
    rows.reserve(n);
    for (std::size_t i = 0; i < n; ++i)
        if (target.weight_of(i) > 0) rows.push_back(static_cast<std::uint32_t>(i));
    spare.resize(rows.size());
    goes_left.resize(n);
    target.prepare();
    if (target.criterion == Criterion::Absolute) local_rank.resize(target.outputs * n);
    sorted = columns.layout == Layout::Order && !settings.random;
    const bool whole = rows.size() == n;
    if (sorted && whole && settings.max_depth <= 1 && settings.max_leaves == 0) {
        entries = columns.order.data();  // a stump divides no column
    } else if (sorted && whole) {
        if (consume) order = std::move(columns.order);
        else order = columns.order;
    } else if (sorted) {
        order.resize(rows.size() * d);
        for (std::size_t j = 0; j < d; ++j) {
            const std::uint32_t* from = columns.order.data() + j * n;
            std::uint32_t *to = order.data() + j * rows.size(), fresh = 0;
            for (std::size_t p = 0; p < n; ++p) {
                fresh |= from[p] & NEW;
                if (!(target.weight_of(from[p] & ROW) > 0)) continue;
                *to++ = from[p] | fresh;
                fresh = 0;
            }
        }
    }
    if (!entries) entries = order.data();
    top.nodes.resize(1);
    top.sums.resize(target.sums());
    Node& root = top.nodes[0];
    root.end = rows.size();
    Scratch scratch;
    root.summary = summarize(target, rows.data(), rows.size(), top.sums.data(), scratch);
    total_weight = root.summary.weight;
    Pending first;
    if (sorted) {
        first.active.resize(d);
        std::iota(first.active.begin(), first.active.end(), 0u);
    }
    waiting.push_back(std::move(first));
}

bool Grower::stops(const Node& node) const {
    const std::size_t m = node.end - node.start;
    return node.depth >= settings.max_depth || m < settings.min_split || m < 2 * settings.min_leaf ||
           node.summary.weight < 2 * settings.min_weight_leaf || node.summary.pure;
}

void Grower::begin(const Part& part, Pending& pending, std::vector<std::uint32_t>& list) {
    const Node& node = part.nodes[pending.node];
    prepare_node(target, rows.data() + node.start, node.end - node.start, local_rank);
    const std::size_t d = columns.columns();
    list.resize(d);
    std::iota(list.begin(), list.end(), 0u);
    if (settings.max_features >= d) {
        if (sorted) list = pending.active;
        return;
    }
    draw(node, list, 0, settings.max_features);
}

void Grower::draw(const Node& node, std::vector<std::uint32_t>& list, std::size_t from, std::size_t to) const {
    const auto word = static_cast<std::uint32_t>(node.key), more = static_cast<std::uint32_t>(node.key >> 32);
    for (std::size_t i = from; i < std::min(to, list.size()); ++i) {
        const rng::Block draw = rng::philox({word, more, static_cast<std::uint32_t>(i), COLUMN_DRAW}, settings.seed);
        std::swap(list[i], list[i + rng::below(std::uint64_t(draw[1]) << 32 | draw[0], list.size() - i)]);
    }
}

bool Grower::better(const Part& part, const Pending& pending, const Found& found) const {
    const double margin = margin_of(target, part.nodes[pending.node].summary, part.sums.data() + pending.node * target.sums());
    return found.cut.position > 0 && found.cut.gain > pending.found.cut.gain + margin;
}

void Grower::mark(const Node& node, const Found& found) {
    const std::size_t m = node.end - node.start;
    if (sorted && found.words.empty()) {
        const std::uint32_t* e = entries + found.feature * rows.size() + node.start;
        for (std::size_t p = 0; p < m; ++p)
            goes_left[e[p] & ROW] = e[p] & MISSING ? found.missing_left : p < found.cut.position;
        return;
    }
    for (std::size_t p = node.start; p < node.end; ++p) {
        const double x = columns.value(rows[p], found.feature);
        bool left = found.missing_left;
        if (!std::isnan(x)) {
            const auto code = static_cast<std::size_t>(found.words.empty() ? 0 : x);
            left = found.words.empty() ? x <= found.threshold : (found.words[code / 32] >> (code % 32) & 1u) != 0;
        }
        goes_left[rows[p]] = left;
    }
}

bool Grower::choose(Part& part, Pending& pending, Scratch& scratch) {
    Node& node = part.nodes[pending.node];
    if (pending.found.cut.position == 0) return false;
    mark(node, pending.found);
    std::size_t left = node.start, right = 0;
    for (std::size_t p = node.start; p < node.end; ++p) {
        const std::uint32_t i = rows[p];
        const bool goes = goes_left[i];
        rows[left] = i;
        spare[node.start + right] = i;
        left += goes;
        right += !goes;
    }
    std::copy_n(spare.begin() + static_cast<std::ptrdiff_t>(node.start), right, rows.begin() + static_cast<std::ptrdiff_t>(left));
    pending.middle = left;
    pending.left_sums.resize(target.sums());
    pending.right_sums.resize(target.sums());
    pending.left = summarize(target, rows.data() + node.start, left - node.start, pending.left_sums.data(), scratch);
    pending.right = summarize(target, rows.data() + left, node.end - left, pending.right_sums.data(), scratch);
    const Summary& s = node.summary;
    pending.improvement = s.weight / total_weight *
        (s.impurity - pending.right.weight / s.weight * pending.right.impurity - pending.left.weight / s.weight * pending.left.impurity);
    return !(pending.improvement + ROUNDING < settings.min_decrease);
}

bool Grower::evaluate(Part& part, Pending& pending, Scratch& scratch) {
    std::vector<std::uint32_t>& list = scratch.columns;
    begin(part, pending, list);
    std::size_t visited = 0, varying = 0;
    std::vector<std::uint32_t> active;
    for (; visited < list.size() && (visited < settings.max_features || varying == 0); ++visited) {
        if (visited >= settings.max_features) draw(part.nodes[pending.node], list, visited, visited + 1);
        const std::uint32_t feature = list[visited];
        Found found = look(part, pending, feature, scratch);
        if (found.constant) continue;
        ++varying;
        if (sorted) active.push_back(feature);
        if (better(part, pending, found)) pending.found = std::move(found);
    }
    if (sorted && settings.max_features >= columns.columns()) pending.active = std::move(active);
    return choose(part, pending, scratch);
}

void Grower::expand(Part& part, Pending& pending, Pending& left, Pending& right) {
    const std::size_t first = part.nodes.size(), s = target.sums();
    part.nodes.resize(first + 2);
    Node &node = part.nodes[pending.node], &a = part.nodes[first], &b = part.nodes[first + 1];
    const Found& found = pending.found;
    node.left = static_cast<std::int64_t>(first);
    node.right = node.left + 1;
    node.feature = static_cast<std::int64_t>(found.feature);
    node.threshold = found.words.empty() ? found.threshold : 0.0;
    node.missing_left = found.missing_left;
    node.words = part.words.size();
    node.n_words = found.words.size();
    part.words.insert(part.words.end(), found.words.begin(), found.words.end());
    a.start = node.start;
    a.end = b.start = pending.middle;
    b.end = node.end;
    a.depth = b.depth = node.depth + 1;
    a.key = child_key(node.key, false);
    b.key = child_key(node.key, true);
    a.low = b.low = node.low;
    a.high = b.high = node.high;
    if (!settings.monotone.empty() && settings.monotone[found.feature] != 0) {
        const bool rising = settings.monotone[found.feature] > 0;
        (rising ? a.high : a.low) = found.cut.middle;
        (rising ? b.low : b.high) = found.cut.middle;
    }
    a.summary = pending.left;
    b.summary = pending.right;
    part.sums.resize((first + 2) * s);
    std::copy_n(pending.left_sums.begin(), s, part.sums.begin() + static_cast<std::ptrdiff_t>(first * s));
    std::copy_n(pending.right_sums.begin(), s, part.sums.begin() + static_cast<std::ptrdiff_t>((first + 1) * s));
    left = Pending{};
    right = Pending{};
    left.node = first;
    right.node = first + 1;
    if (sorted) {
        left.active = pending.active;
        right.active = pending.active;
    }
}

void Grower::split_columns(const Node& node, const Pending& pending, std::size_t from, std::size_t to, Scratch& scratch) {
    const std::size_t m = node.end - node.start, left_size = pending.middle - node.start;
    scratch.entries.resize(std::max(scratch.entries.size(), m + 1));
    std::uint32_t* aside = scratch.entries.data();
    const std::uint8_t* goes = goes_left.data();
    for (std::size_t c = from; c < to; ++c) {
        std::uint32_t* e = order.data() + pending.active[c] * rows.size() + node.start;
        std::size_t left = 0, right = 0;
        std::uint32_t fresh_left = 0, fresh_right = 0;  // a mark of a new value waits for the first row of each side
        for (std::size_t p = 0; p < m; ++p) {
            const std::uint32_t entry = e[p], mark_new = entry & NEW, plain = entry & ~NEW;
            const std::uint32_t side = goes[entry & ROW];
            fresh_left |= mark_new;
            fresh_right |= mark_new;
            e[left] = plain | fresh_left;
            aside[right] = plain | fresh_right;
            left += side;
            right += 1 - side;
            fresh_left &= side - 1;
            fresh_right &= 0u - side;
        }
        std::copy_n(aside, m - left_size, e + left_size);
    }
}

void Grower::depth_first(Part& part, Pending root, Scratch& scratch) {
    std::vector<Pending> stack;
    stack.push_back(std::move(root));
    while (!stack.empty()) {
        Pending pending = std::move(stack.back()), left, right;
        stack.pop_back();
        if (stops(part.nodes[pending.node]) || !evaluate(part, pending, scratch)) continue;
        expand(part, pending, left, right);
        const bool go_left = !stops(part.nodes[left.node]), go_right = !stops(part.nodes[right.node]);
        if (sorted && (go_left || go_right)) split_columns(part.nodes[pending.node], pending, 0, pending.active.size(), scratch);
        if (go_right) stack.push_back(std::move(right));
        if (go_left) stack.push_back(std::move(left));
    }
}

void Grower::best_first(Part& part, Pending root, Scratch& scratch) {
    std::vector<Pending> frontier;
    const auto worse = [](const Pending& a, const Pending& b) {  // of equal ones the older first
        return a.improvement < b.improvement || (a.improvement == b.improvement && a.node > b.node);
    };
    const auto add = [&](Pending&& pending) {
        if (stops(part.nodes[pending.node]) || !evaluate(part, pending, scratch)) return;
        frontier.push_back(std::move(pending));
        std::push_heap(frontier.begin(), frontier.end(), worse);
    };
    add(std::move(root));
    for (std::size_t leaves = 1; leaves < settings.max_leaves && !frontier.empty(); ++leaves) {
        std::pop_heap(frontier.begin(), frontier.end(), worse);
        Pending pending = std::move(frontier.back()), left, right;
        frontier.pop_back();
        expand(part, pending, left, right);
        if (sorted) {
            mark(part.nodes[pending.node], pending.found);  // others were divided since
            split_columns(part.nodes[pending.node], pending, 0, pending.active.size(), scratch);
        }
        add(std::move(left));
        add(std::move(right));
    }
}

void Grower::run() {
    Scratch scratch;
    Pending root = std::move(waiting.back());
    waiting.clear();
    if (settings.max_leaves > 0)
        best_first(top, std::move(root), scratch);
    else
        depth_first(top, std::move(root), scratch);
}

bool Grower::next_large(std::size_t limit) {
    while (!waiting.empty()) {
        current = std::move(waiting.back());
        waiting.pop_back();
        const Node& node = top.nodes[current.node];
        if (stops(node)) continue;
        if (node.end - node.start > limit) {
            begin(top, current, candidates);
            findings.assign(std::min(settings.max_features, candidates.size()), Found{});
            return true;
        }
        later.push_back(std::move(current));
    }
    std::stable_sort(later.begin(), later.end(), [this](const Pending& a, const Pending& b) {
        const Node &u = top.nodes[a.node], &v = top.nodes[b.node];
        return u.end - u.start > v.end - v.start;
    });
    for (std::size_t i = 0; i < later.size(); ++i) {
        Node& node = top.nodes[later[i].node];
        node.part = static_cast<std::int64_t>(i);
        parts.push_back(std::make_unique<Part>());
        parts.back()->nodes.push_back(node);
        parts.back()->nodes[0].part = -1;
        const auto from = top.sums.begin() + static_cast<std::ptrdiff_t>(later[i].node * target.sums());
        parts.back()->sums.assign(from, from + static_cast<std::ptrdiff_t>(target.sums()));
    }
    return false;
}

void Grower::search(std::size_t part, std::size_t n_parts) {
    Scratch scratch;
    for (std::size_t c = part; c < findings.size(); c += n_parts) findings[c] = look(top, current, candidates[c], scratch);
}

bool Grower::divide() {
    Scratch scratch;
    std::size_t varying = 0;
    std::vector<std::uint32_t> active;
    const auto weigh = [&](Found&& found) {
        if (found.constant) return;
        ++varying;
        active.push_back(static_cast<std::uint32_t>(found.feature));
        if (better(top, current, found)) current.found = std::move(found);
    };
    for (Found& found : findings) weigh(std::move(found));
    for (std::size_t c = findings.size(); c < candidates.size() && varying == 0; ++c) {
        draw(top.nodes[current.node], candidates, c, c + 1);
        weigh(look(top, current, candidates[c], scratch));
    }
    if (sorted && settings.max_features >= columns.columns()) current.active = std::move(active);
    if (!choose(top, current, scratch)) return false;
    expand(top, current, child_left, child_right);
    const bool goes_on = !stops(top.nodes[child_left.node]) || !stops(top.nodes[child_right.node]);
    waiting.push_back(std::move(child_right));
    waiting.push_back(std::move(child_left));
    return sorted && goes_on;
}

void Grower::partition(std::size_t part, std::size_t n_parts) {
    Scratch scratch;
    const std::size_t k = current.active.size();
    split_columns(top.nodes[current.node], current, part * k / n_parts, (part + 1) * k / n_parts, scratch);
}

void Grower::finish(std::size_t index) {
    Scratch scratch;
    Pending root = std::move(later[index]);
    root.node = 0;
    depth_first(*parts[index], std::move(root), scratch);
}

}  // namespace novum::tree
