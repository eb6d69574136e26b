#include "novum/trees/exact_grower.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "novum/runtime/interrupt.h"
#include "novum/trees/draws.h"

namespace novum::tree {

namespace {

constexpr double ROUNDING = std::numeric_limits<double>::epsilon();

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
    counts = (target.criterion == Criterion::Gini || target.criterion == Criterion::Squared) && target.outputs == 1 && !target.weight &&
             settings.monotone.empty() && !(settings.min_weight_leaf > 0);
    const bool whole = rows.size() == n;
    if (sorted && whole && settings.max_depth <= 1 && settings.max_leaves == 0) {
        entries = columns.order.data();  // a stump divides no column
    } else if (sorted && whole) {
        if (consume)
            order = std::move(columns.order);
        else
            order = columns.order;
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
    Scratch scratch;
    Pending first;
    first.sums.resize(target.sums());
    first.place.end = rows.size();
    first.place.summary = summarize(target, rows.data(), rows.size(), first.sums.data(), scratch);
    total_weight = first.place.summary.weight;
    keep(top, first.place, first.sums);
    if (sorted) {
        first.active.resize(d);
        std::iota(first.active.begin(), first.active.end(), 0u);
    }
    waiting.push_back(std::move(first));
}

bool Grower::stops(const Place& place) const {
    const std::size_t m = place.end - place.start;
    return place.depth >= settings.max_depth || m < settings.min_split || m < 2 * settings.min_leaf ||
           place.summary.weight < 2 * settings.min_weight_leaf || place.summary.pure;
}

void Grower::keep(Part& part, const Place& place, const std::vector<double>& sums) const {
    Node& node = part.nodes.emplace_back();
    node.impurity = place.summary.impurity;
    node.weight = place.summary.weight;
    node.rows = static_cast<std::uint32_t>(place.end - place.start);
    part.sums.insert(part.sums.end(), sums.begin(), sums.end());
    if (!settings.monotone.empty()) part.bounds.insert(part.bounds.end(), {place.low, place.high});
}

void Grower::begin(const Pending& pending, std::vector<std::uint32_t>& list) {
    const Place& place = pending.place;
    prepare_node(target, rows.data() + place.start, place.end - place.start, local_rank);
    const std::size_t d = columns.columns();
    list.resize(d);
    std::iota(list.begin(), list.end(), 0u);
    if (settings.max_features >= d) {
        if (sorted) list = pending.active;
        return;
    }
    draw(place, list, 0, settings.max_features);
}

void Grower::draw(const Place& place, std::vector<std::uint32_t>& list, std::size_t from, std::size_t to) const {
    for (std::size_t i = from; i < std::min(to, list.size()); ++i)
        std::swap(list[i], list[draw_column(place.key, i, list.size(), settings.seed)]);
}

bool Grower::better(const Pending& pending, const Found& found) const {
    const double margin = margin_of(target, pending.place.summary, pending.sums.data());
    return found.cut.position > 0 && found.cut.gain > pending.found.cut.gain + margin;
}

void Grower::mark(const Place& place, const Found& found) {
    const std::size_t m = place.end - place.start;
    if (sorted && found.words.empty()) {
        const std::uint32_t* e = entries + found.feature * rows.size() + place.start;
        for (std::size_t p = 0; p < m; ++p) goes_left[e[p] & ROW] = e[p] & MISSING ? found.missing_left : p < found.cut.position;
        return;
    }
    for (std::size_t p = place.start; p < place.end; ++p) {
        const double x = columns.value(rows[p], found.feature);
        bool left = found.missing_left;
        if (!std::isnan(x)) {
            const auto code = static_cast<std::size_t>(found.words.empty() ? 0 : x);
            left = found.words.empty() ? x <= found.threshold : (found.words[code / 32] >> (code % 32) & 1u) != 0;
        }
        goes_left[rows[p]] = left;
    }
}

bool Grower::choose(Pending& pending, Scratch& scratch) {
    const Place& place = pending.place;
    if (pending.found.cut.position == 0) return false;
    mark(place, pending.found);
    std::size_t left = place.start, right = 0;
    for (std::size_t p = place.start; p < place.end; ++p) {
        const std::uint32_t i = rows[p];
        const bool goes = goes_left[i];
        rows[left] = i;
        spare[place.start + right] = i;
        left += goes;
        right += !goes;
    }
    std::copy_n(spare.begin() + static_cast<std::ptrdiff_t>(place.start), right, rows.begin() + static_cast<std::ptrdiff_t>(left));
    pending.middle = left;
    pending.left_sums.resize(target.sums());
    pending.right_sums.resize(target.sums());
    pending.left = summarize(target, rows.data() + place.start, left - place.start, pending.left_sums.data(), scratch);
    pending.right = summarize(target, rows.data() + left, place.end - left, pending.right_sums.data(), scratch);
    const Summary& s = place.summary;
    pending.improvement =
        s.weight / total_weight *
        (s.impurity - pending.right.weight / s.weight * pending.right.impurity - pending.left.weight / s.weight * pending.left.impurity);
    return !(pending.improvement + ROUNDING < settings.min_decrease);
}

bool Grower::evaluate(Pending& pending, Scratch& scratch) {
    std::vector<std::uint32_t>& list = scratch.columns;
    begin(pending, list);
    gather(pending, scratch);
    std::size_t visited = 0, varying = 0;
    interrupt::Poller<8> poller;
    interrupt::poll();
    std::vector<std::uint32_t> active;
    for (; visited < list.size() && (visited < settings.max_features || varying == 0); ++visited) {
        if (visited >= settings.max_features) draw(pending.place, list, visited, visited + 1);
        poller.tick();
        const std::uint32_t feature = list[visited];
        Found found = look(pending, feature, scratch);
        if (found.constant) continue;
        ++varying;
        if (sorted) active.push_back(feature);
        if (better(pending, found)) pending.found = std::move(found);
    }
    if (sorted && settings.max_features >= columns.columns()) pending.active = std::move(active);
    return choose(pending, scratch);
}

void Grower::expand(Part& part, Pending& pending, Pending& left, Pending& right) {
    const std::size_t first = part.nodes.size();
    const Found& found = pending.found;
    Node& node = part.nodes[pending.node];
    node.left = static_cast<std::int32_t>(first);
    node.right = node.left + 1;
    node.feature = static_cast<std::int32_t>(found.feature);
    node.threshold = found.words.empty() ? found.threshold : 0.0;
    node.missing_left = found.missing_left;
    node.words = static_cast<std::uint32_t>(part.words.size());
    node.n_words = static_cast<std::uint16_t>(found.words.size());
    part.words.insert(part.words.end(), found.words.begin(), found.words.end());
    left = Pending{};
    right = Pending{};
    Place &a = left.place, &b = right.place;
    const Place& from = pending.place;
    a = b = from;
    a.end = b.start = pending.middle;
    ++a.depth;
    ++b.depth;
    a.key = child_key(from.key, false);
    b.key = child_key(from.key, true);
    if (!settings.monotone.empty() && settings.monotone[found.feature] != 0) {
        const bool rising = settings.monotone[found.feature] > 0;
        (rising ? a.high : a.low) = found.cut.middle;
        (rising ? b.low : b.high) = found.cut.middle;
    }
    a.summary = pending.left;
    b.summary = pending.right;
    left.sums = std::move(pending.left_sums);
    right.sums = std::move(pending.right_sums);
    keep(part, a, left.sums);
    keep(part, b, right.sums);
    left.node = first;
    right.node = first + 1;
    if (sorted) {
        left.active = pending.active;
        right.active = pending.active;
    }
}

void Grower::split_columns(const Pending& pending, std::size_t from, std::size_t to, Scratch& scratch) {
    const Place& place = pending.place;
    const std::size_t m = place.end - place.start, left_size = pending.middle - place.start;
    scratch.entries.resize(std::max(scratch.entries.size(), m + 1));
    std::uint32_t* aside = scratch.entries.data();
    const std::uint8_t* goes = goes_left.data();
    for (std::size_t c = from; c < to; ++c) {
        interrupt::poll();
        std::uint32_t* e = order.data() + pending.active[c] * rows.size() + place.start;
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
        if (stops(pending.place) || !evaluate(pending, scratch)) continue;
        expand(part, pending, left, right);
        const bool go_left = !stops(left.place), go_right = !stops(right.place);
        if (sorted && (go_left || go_right)) split_columns(pending, 0, pending.active.size(), scratch);
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
        if (stops(pending.place) || !evaluate(pending, scratch)) return;
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
            mark(pending.place, pending.found);  // others were divided since
            split_columns(pending, 0, pending.active.size(), scratch);
        }
        add(std::move(left));
        add(std::move(right));
    }
}

void Grower::run() {
    if (waiting.empty()) return;
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
        if (stops(current.place)) continue;
        if (current.place.end - current.place.start > limit) {
            begin(current, candidates);
            findings.assign(std::min(settings.max_features, candidates.size()), Found{});
            return true;
        }
        later.push_back(std::move(current));
    }
    if (!parts.empty()) return false;
    std::stable_sort(later.begin(), later.end(),
                     [](const Pending& a, const Pending& b) { return a.place.end - a.place.start > b.place.end - b.place.start; });
    for (std::size_t i = 0; i < later.size(); ++i) {
        top.nodes[later[i].node].part = static_cast<std::int32_t>(i);
        parts.push_back(std::make_unique<Part>());
        keep(*parts.back(), later[i].place, later[i].sums);
    }
    return false;
}

void Grower::search(std::size_t part, std::size_t n_parts) {
    Scratch scratch;
    gather(current, scratch);
    for (std::size_t c = part; c < findings.size(); c += n_parts) {
        interrupt::poll();
        findings[c] = look(current, candidates[c], scratch);
    }
}

bool Grower::divide() {
    Scratch scratch;
    std::size_t varying = 0;
    std::vector<std::uint32_t> active;
    const auto weigh = [&](Found&& found) {
        if (found.constant) return;
        ++varying;
        active.push_back(static_cast<std::uint32_t>(found.feature));
        if (better(current, found)) current.found = std::move(found);
    };
    for (Found& found : findings) weigh(std::move(found));
    if (varying == 0) gather(current, scratch);
    for (std::size_t c = findings.size(); c < candidates.size() && varying == 0; ++c) {
        draw(current.place, candidates, c, c + 1);
        weigh(look(current, candidates[c], scratch));
    }
    if (sorted && settings.max_features >= columns.columns()) current.active = std::move(active);
    if (!choose(current, scratch)) return false;
    expand(top, current, child_left, child_right);
    const bool goes_on = !stops(child_left.place) || !stops(child_right.place);
    waiting.push_back(std::move(child_right));
    waiting.push_back(std::move(child_left));
    return sorted && goes_on;
}

void Grower::partition(std::size_t part, std::size_t n_parts) {
    Scratch scratch;
    const std::size_t k = current.active.size();
    split_columns(current, part * k / n_parts, (part + 1) * k / n_parts, scratch);
}

void Grower::finish(std::size_t index) {
    if (index >= parts.size() || parts[index]->nodes.size() > 1 || rows.empty()) return;
    Scratch scratch;
    Pending root = std::move(later[index]);
    root.node = 0;
    depth_first(*parts[index], std::move(root), scratch);
}

}  // namespace novum::tree
