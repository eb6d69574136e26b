#include "novum/trees/histogram_grower.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/rng.h"
#include "novum/trees/node_key.h"
#include "novum/trees/partition.h"

namespace novum::grower {

using bins::GROUP;
using histograms::Pair;

namespace {

constexpr std::size_t CHUNK = 1 << 13;                // rows that a thread looks at a time
constexpr std::size_t AMPLE = 1 << 18;                // row-columns for every thread: a round that has so many needs no further leaves
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

bool Grower::may_split(const Node& node) const {
    return node.rows() >= 2 * std::size_t(settings.least_rows) && (settings.most_depth == 0 || node.depth < settings.most_depth) &&
           static_cast<double>(node.sums.sums.curvature) * rules.curvature_unit >= settings.least_curvature;
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
    node.whole = true;
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

/// Number the children of a node, which is split now.
void Grower::attach(std::uint32_t number) {
    const std::unique_ptr<Children> children = std::move(tree_nodes[number].children);
    const Node& node = tree_nodes[number];
    Node &left = children->left, &right = children->right;
    left.number = static_cast<std::uint32_t>(tree_nodes.size());
    right.number = left.number + 1;
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
    tree_nodes.push_back(std::move(left));
    tree_nodes.push_back(std::move(right));
}

/// Give the children of a node their sums, their values and the bounds of monotone columns.
void Grower::part_sums(Node& node) {
    Node &left = node.children->left, &right = node.children->right;
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
    struct Entry {
        double gain;
        std::uint32_t number;
        bool operator<(const Entry& other) const { return gain > other.gain || (gain == other.gain && number < other.number); }
    };
    std::set<Entry> open;  // the best first
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
            open.insert({node.best.gain, node.number});
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
        std::vector<Examination> one{{&tree_nodes[0], nullptr, true, false, 1, 0, {}}};
        examine(one);
        offer(tree_nodes[0]);
    }
    // The best leaf is surely split. Those after it are split as well unless leaves that come of better ones use up what is left to split:
    // of the first half of what is left that is seldom so.
    const auto next_round = [&](std::size_t left) {
        std::vector<Node*> nodes;
        std::size_t rows = 0;
        const std::size_t most = team.size() == 1 ? 1 : std::max<std::size_t>(1, left / 2), enough = AMPLE * std::size_t(team.size());
        std::size_t rank = 0;
        for (auto at = open.begin(); at != open.end() && rank < most && rows * columns.d < enough; ++at, ++rank) {
            Node& node = tree_nodes[at->number];
            if (node.children) continue;
            nodes.push_back(&node);
            rows += node.rows();
        }
        return nodes;
    };
    while (!open.empty()) {
        interrupt::poll();
        const std::uint32_t at = open.begin()->number;
        const std::size_t left_to_split = settings.most_leaves == 0 ? 2 * open.size() : settings.most_leaves - leaves;
        if (!tree_nodes[at].children) expand(next_round(left_to_split), left_to_split == 1);
        open.erase(open.begin());
        attach(at);
        ++leaves;
        Node &left = tree_nodes[tree_nodes.size() - 2], &right = tree_nodes.back();
        record(left);
        record(right);
        if (settings.most_leaves != 0 && leaves >= settings.most_leaves) break;
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
        if (node.whole) {
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
    team.run(static_cast<std::uint32_t>(pieces.size()), add);
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
            const std::size_t row = node.whole ? node.begin + i : order[node.side][node.begin + i];
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
