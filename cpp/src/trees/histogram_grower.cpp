#include "novum/trees/histogram_grower.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <queue>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/rng.h"
#include "novum/trees/node_key.h"
#include "novum/trees/partition.h"

namespace novum::grower {

using bins::GROUP;
using histograms::Pair;

namespace {

constexpr std::size_t CHUNK = 1 << 11;          // rows that a thread moves at a time
constexpr std::size_t WORTH_SHARING = 1 << 15;  // row-columns, or four times as many bins, from which on a node is worth a second thread
constexpr std::size_t WORTH_PARTS = 1 << 15;    // rows from which on few columns are cut by rows
constexpr std::uint32_t COLUMN_PURPOSE = 0x636f6c73;  // "cols": sets these draws apart from all others of a seed

}  // namespace

std::vector<std::uint32_t> drawn_columns(const std::vector<std::uint32_t>& allowed, double share, std::uint64_t seed, std::uint32_t tree,
                                         std::uint64_t key) {
    const auto wanted = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(share * static_cast<double>(allowed.size()) - 1e-9)));
    if (wanted >= allowed.size()) return allowed;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keys;
    keys.reserve(allowed.size());
    for (const std::uint32_t j : allowed) keys.push_back({rng::bits({seed, COLUMN_PURPOSE, tree}, key % rng::MAX_ROWS, j), j});
    std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(wanted) - 1, keys.end());
    std::vector<std::uint32_t> drawn(wanted);
    for (std::size_t i = 0; i < wanted; ++i) drawn[i] = keys[i].second;
    std::sort(drawn.begin(), drawn.end());
    return drawn;
}

struct Grower::Node {
    std::size_t begin = 0, end = 0;
    int side = 0;
    std::uint32_t number = 0;
    std::uint32_t depth = 0;
    std::uint64_t key = 0;
    splits::Node sums;
    splits::Split best;
    std::byte* histogram = nullptr;
    std::vector<std::uint32_t> sets;        // indices into columns.together that the path leaves open
    std::vector<std::uint32_t> candidates;  // columns to look at
    std::size_t rows() const { return end - begin; }
};

Grower::Grower(const std::uint32_t* words, std::size_t n, Columns given, Settings settings, Team& team)
    : words(words), n(n), groups((given.d + GROUP - 1) / GROUP), columns(std::move(given)), settings(settings), team(team) {
    for (auto& rows : order) rows.resize(n);
    spare.resize(n);
    goes.resize(n);
    scratch.resize(histograms::SCRATCH * static_cast<std::size_t>(team.size()));
}

Grower::~Grower() = default;

std::byte* Grower::take_buffer() {
    if (free_buffers.empty()) {
        buffers.push_back(std::make_unique_for_overwrite<std::byte[]>(columns.d * histograms::column_bytes(columns.width)));
        return buffers.back().get();
    }
    std::byte* buffer = free_buffers.back();
    free_buffers.pop_back();
    return buffer;
}

std::vector<std::uint32_t> Grower::candidates(const Node& node) const {
    std::vector<std::uint32_t> allowed;
    if (columns.together.empty()) {
        for (std::uint32_t j = 0; j < columns.d; ++j) allowed.push_back(j);
    } else {
        std::vector<bool> open(columns.d, false);
        for (const std::uint32_t set : node.sets)
            for (const std::uint32_t j : columns.together[set]) open[j] = true;
        for (std::uint32_t j = 0; j < columns.d; ++j)
            if (open[j]) allowed.push_back(j);
    }
    return drawn_columns(allowed, settings.feature_share, settings.seed, tree, node.key);
}

bool Grower::may_split(const Node& node) const {
    return node.rows() >= 2 * std::size_t(settings.least_rows) && (settings.most_depth == 0 || node.depth < settings.most_depth) &&
           static_cast<double>(node.sums.sums.curvature) * rules.curvature_unit >= settings.least_curvature;
}

void Grower::build(const Node& node, std::size_t group, std::size_t begin, std::size_t end, int worker, std::byte* out) {
    const std::size_t here = std::min(GROUP, columns.d - group * GROUP);
    const bool whole = node.number == 0;  // the root's rows are in their own order
    histograms::accumulate(words + group * n + (whole ? begin : 0), whole ? nullptr : order[node.side].data() + begin,
                           pair_side[node.side] + begin, end - begin, here, columns.width,
                           scratch.data() + static_cast<std::size_t>(worker) * histograms::SCRATCH, out);
}

void Grower::look(Node& node, std::size_t group, splits::Split& best) const {
    const std::size_t bytes = histograms::column_bytes(columns.width);
    auto at = std::lower_bound(node.candidates.begin(), node.candidates.end(), static_cast<std::uint32_t>(group * GROUP));
    for (; at != node.candidates.end() && *at < (group + 1) * GROUP; ++at) {
        const std::uint32_t j = *at;
        splits::search({node.histogram + j * bytes, columns.width, columns.bins[j], columns.missing, columns.has_missing[j] != 0,
                        columns.categorical[j] != 0, columns.monotone[j]},
                       static_cast<std::int32_t>(j), node.sums, rules, best);
    }
}

/// Make the histogram of `built`, take it from that of `rest` if there is one, and find the best splits of those that may be split.
void Grower::examine(Node* built, Node* rest) {
    const std::size_t bytes = histograms::column_bytes(columns.width), rows = built->rows();
    const auto threads = static_cast<std::size_t>(team.size());
    const std::size_t cuts = threads > 1 && groups < 2 * threads && rows >= WORTH_PARTS ? 2 * threads : 1;
    std::vector<splits::Split> found(2 * groups);
    const bool look_built = may_split(*built), look_rest = rest != nullptr && may_split(*rest);
    if (look_built) built->candidates = candidates(*built);
    if (look_rest) rest->candidates = candidates(*rest);
    if (cuts > 1) {
        parts.resize(groups * cuts * GROUP * bytes);
        team.run(static_cast<std::uint32_t>(groups * cuts), [&](std::uint32_t item, int worker) {
            const std::size_t part = item % cuts;
            build(*built, item / cuts, built->begin + rows * part / cuts, built->begin + rows * (part + 1) / cuts, worker,
                  parts.data() + item * GROUP * bytes);
        });
    }
    const auto one = [&](std::uint32_t group, int worker) {
        const std::size_t here = std::min(GROUP, columns.d - group * GROUP);
        std::byte* out = built->histogram + group * GROUP * bytes;
        if (cuts > 1) {
            const std::byte* part = parts.data() + group * cuts * GROUP * bytes;
            std::memcpy(out, part, here * bytes);
            for (std::size_t p = 1; p < cuts; ++p) histograms::add(out, part + p * GROUP * bytes, here, columns.width);
        } else {
            build(*built, group, built->begin, built->end, worker, out);
        }
        if (look_built) look(*built, group, found[2 * group]);
        if (look_rest) {
            histograms::subtract(rest->histogram + group * GROUP * bytes, out, here, columns.width);
            look(*rest, group, found[2 * group + 1]);
        }
    };
    if (rows * columns.d + 4 * columns.d * columns.width >= WORTH_SHARING)
        team.run(static_cast<std::uint32_t>(groups), one);
    else
        for (std::uint32_t group = 0; group < groups; ++group) one(group, 0);
    for (std::size_t group = 0; group < groups; ++group) {
        if (found[2 * group].gain > built->best.gain) built->best = found[2 * group];
        if (rest != nullptr && found[2 * group + 1].gain > rest->best.gain) rest->best = found[2 * group + 1];
    }
}

/// Move the rows of a node to its children's places on the other side, in order.
void Grower::partition(Node& node, Node& left, Node& right) {
    std::uint8_t table[256];
    for (int code = 0; code < 256; ++code) table[code] = node.best.goes_left(static_cast<std::uint8_t>(code), columns.missing);
    const auto feature = static_cast<std::size_t>(node.best.feature);
    const std::uint32_t* word = words + feature / GROUP * n;
    const int shift = static_cast<int>(8 * (feature % GROUP)), from = node.side, to = 1 - node.side;
    const std::uint32_t* rows = order[from].data();
    const Pair* pairs = pair_side[from];
    const bool whole = node.number == 0;
    const std::size_t chunks = (node.rows() + CHUNK - 1) / CHUNK;
    std::vector<std::size_t> lefts(chunks + 1, 0);
    const auto bounds = [&](std::size_t chunk) {
        return std::pair{node.begin + chunk * CHUNK, std::min(node.end, node.begin + (chunk + 1) * CHUNK)};
    };
    team.run(static_cast<std::uint32_t>(chunks), [&](std::uint32_t chunk, int) {
        const auto [begin, end] = bounds(chunk);
        lefts[chunk + 1] = (whole ? mark<false> : mark<true>)(word, rows, shift, table, begin, end, goes.data());
    });
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) lefts[chunk + 1] += lefts[chunk];
    const std::size_t middle = node.begin + lefts[chunks];
    team.run(static_cast<std::uint32_t>(chunks), [&](std::uint32_t chunk, int) {
        const auto [begin, end] = bounds(chunk);
        const std::size_t l = node.begin + lefts[chunk], r = middle + (begin - node.begin) - lefts[chunk];
        (whole ? move<false> : move<true>)(rows, pairs, goes.data(), begin, end, l, r, order[to].data(), pair_side[to]);
    });
    left.begin = node.begin;
    left.end = right.begin = middle;
    right.end = node.end;
    left.side = right.side = to;
}

/// Give a child what its path decides: bounds of monotone columns, sets of columns that may follow.
void Grower::follow(const Node& parent, Node& child, std::int32_t feature) const {
    child.depth = parent.depth + 1;
    for (const std::uint32_t set : parent.sets)
        if (std::find(columns.together[set].begin(), columns.together[set].end(), static_cast<std::uint32_t>(feature)) !=
            columns.together[set].end())
            child.sets.push_back(set);
}

void Grower::root(Pair* pairs) {
    Node node;
    node.end = n;
    pair_side[0] = pairs;
    pair_side[1] = spare.data();
    for (std::uint32_t set = 0; set < columns.together.size(); ++set) node.sets.push_back(set);
    std::vector<splits::Sums> sums(std::max<std::size_t>(1, (n + CHUNK - 1) / CHUNK));
    team.run(static_cast<std::uint32_t>((n + CHUNK - 1) / CHUNK), [&](std::uint32_t chunk, int) {
        splits::Sums s;
        for (std::size_t i = chunk * CHUNK; i < std::min(n, (chunk + 1) * CHUNK); ++i)
            s.gradient += pairs[i].gradient, s.curvature += pairs[i].curvature;
        sums[chunk] = s;
    });
    for (const auto& s : sums) node.sums.sums.gradient += s.gradient, node.sums.sums.curvature += s.curvature;
    node.sums.sums.rows = static_cast<std::uint32_t>(n);
    node.sums.value = splits::value(node.sums.sums, rules, node.sums.low, node.sums.high);
    tree_nodes.push_back(std::move(node));
}

void Grower::split(std::uint32_t number) {
    Node left, right;
    {
        Node& node = tree_nodes[number];
        partition(node, left, right);
        left.number = static_cast<std::uint32_t>(tree_nodes.size());
        right.number = left.number + 1;
        follow(node, left, node.best.feature);
        follow(node, right, node.best.feature);
        left.key = child_key(node.key, false);
        right.key = child_key(node.key, true);
        left.sums.sums = node.best.left;
        const splits::Sums &all = node.sums.sums, &part = node.best.left;
        right.sums.sums = {all.gradient - part.gradient, all.curvature - part.curvature, all.rows - part.rows};
        for (Node* child : {&left, &right}) {
            child->sums.low = node.sums.low;
            child->sums.high = node.sums.high;
            child->sums.value = splits::value(child->sums.sums, rules, node.sums.low, node.sums.high);
        }
        const double middle = (left.sums.value + right.sums.value) / 2;
        const std::int8_t monotone = columns.monotone[static_cast<std::size_t>(node.best.feature)];
        if (monotone > 0) left.sums.high = right.sums.low = middle;
        if (monotone < 0) left.sums.low = right.sums.high = middle;
        Record& record = records[number];
        record.is_leaf = 0;
        record.gain = node.best.gain;
        record.feature = node.best.feature;
        record.left = left.number;
        record.right = right.number;
        record.missing_left = node.best.missing_left;
        record.categorical = node.best.categorical;
        record.bin = node.best.bin;
        if (node.best.categorical) {
            record.bitset = static_cast<std::uint32_t>(sets.size());
            Bitset set;
            std::copy_n(node.best.categories, 8, set.words);
            sets.push_back(set);
        }
    }
    tree_nodes.push_back(std::move(left));
    tree_nodes.push_back(std::move(right));
}

std::size_t Grower::grow(Pair* pairs, double gradient_unit, double curvature_unit, std::uint32_t number) {
    tree = number;
    rules = {settings.l2, settings.least_curvature, settings.least_rows, gradient_unit, curvature_unit};
    tree_nodes.clear();
    records.clear();
    sets.clear();
    free_buffers.clear();
    for (const auto& buffer : buffers) free_buffers.push_back(buffer.get());
    root(pairs);
    using Entry = std::pair<double, std::uint32_t>;
    const auto after = [](const Entry& a, const Entry& b) { return a.first < b.first || (a.first == b.first && a.second > b.second); };
    std::priority_queue<Entry, std::vector<Entry>, decltype(after)> open(after);
    const auto record = [&](const Node& node) {
        Record r{};
        r.value = settings.learning_rate * node.sums.value;
        r.feature = -1;
        r.count = static_cast<std::uint32_t>(node.rows());
        r.depth = node.depth;
        r.is_leaf = 1;
        records.push_back(r);
    };
    const auto offer = [&](Node& node) {
        if (node.best.gain > 0) {
            open.push({node.best.gain, node.number});
        } else if (node.histogram != nullptr) {
            free_buffers.push_back(node.histogram);
            node.histogram = nullptr;
        }
    };
    record(tree_nodes[0]);
    records[0].value = 0;  // a root that nothing splits has nothing to say beyond the start
    std::size_t leaves = 1;
    if (may_split(tree_nodes[0]) && settings.most_leaves != 1) {
        tree_nodes[0].histogram = take_buffer();
        examine(&tree_nodes[0], nullptr);
        offer(tree_nodes[0]);
    }
    while (!open.empty()) {
        interrupt::poll();
        const std::uint32_t at = open.top().second;
        open.pop();
        split(at);
        ++leaves;
        Node &parent = tree_nodes[at], &left = tree_nodes[tree_nodes.size() - 2], &right = tree_nodes.back();
        record(left);
        record(right);
        if (settings.most_leaves != 0 && leaves >= settings.most_leaves) break;
        Node &small = left.rows() <= right.rows() ? left : right, &large = left.rows() <= right.rows() ? right : left;
        large.histogram = parent.histogram;
        parent.histogram = nullptr;
        if (may_split(small) || may_split(large)) {
            small.histogram = take_buffer();
            examine(&small, may_split(large) ? &large : nullptr);
        }
        offer(left);
        offer(right);
    }
    return records.size();
}

void Grower::add_values(double* raw) {
    std::vector<std::pair<std::uint32_t, std::size_t>> pieces;
    for (const Node& node : tree_nodes)
        if (records[node.number].is_leaf)
            for (std::size_t begin = node.begin; begin < node.end; begin += CHUNK) pieces.push_back({node.number, begin});
    const auto add = [&](std::uint32_t item, int) {
        const Node& node = tree_nodes[pieces[item].first];
        const double value = records[node.number].value;
        const std::size_t begin = pieces[item].second, end = std::min(node.end, begin + CHUNK);
        if (node.number == 0) {
            for (std::size_t i = begin; i < end; ++i) raw[i] += value;
            return;
        }
        const std::uint32_t* rows = order[node.side].data();
        for (std::size_t i = begin; i < end; ++i) {
            if (i + AHEAD < end) __builtin_prefetch(raw + rows[i + AHEAD], 1);
            raw[rows[i]] += value;
        }
    };
    if (n < 4 * CHUNK) {
        for (std::uint32_t item = 0; item < pieces.size(); ++item) add(item, 0);
        return;
    }
    for (std::size_t start = 0; start < pieces.size(); start += std::size_t(1) << 19)  // a job holds fewer than 2^20 items
        team.run(static_cast<std::uint32_t>(std::min(pieces.size() - start, std::size_t(1) << 19)),
                 [&](std::uint32_t item, int worker) { add(static_cast<std::uint32_t>(start) + item, worker); });
}

void Grower::refit_quantiles(const double* target, const double* raw, const double* weight, double level) {
    std::vector<std::uint32_t> leaves;
    for (const Node& node : tree_nodes)
        if (records[node.number].is_leaf) leaves.push_back(node.number);
    team.run(static_cast<std::uint32_t>(leaves.size()), [&](std::uint32_t item, int) {
        constexpr double TIE = 1e-12;  // as in novum.losses.weighted_quantile
        const Node& node = tree_nodes[leaves[item]];
        std::vector<std::pair<double, double>> residual(node.rows());
        double total = 0;
        for (std::size_t i = 0; i < residual.size(); ++i) {
            const std::size_t row = node.number == 0 ? node.begin + i : order[node.side][node.begin + i];
            residual[i] = {target[row] - raw[row], weight ? weight[row] : 1.0};
        }
        std::sort(residual.begin(), residual.end());
        for (const auto& [_, w] : residual) total += w;
        double sum = 0;
        std::size_t low = residual.size(), high = residual.size() - 1;
        for (std::size_t i = 0; i < residual.size(); ++i) {
            sum += residual[i].second;
            if (low == residual.size() && sum >= level * total - TIE * total) low = i;
            if (sum > level * total + TIE * total) {
                high = i;
                break;
            }
        }
        low = std::min(low, high);
        records[node.number].value = settings.learning_rate * (residual[low].first + residual[high].first) / 2;
    });
}

}  // namespace novum::grower
