#include <algorithm>
#include <cstring>

#include "novum/trees/histogram_grower.h"
#include "novum/trees/partition.h"

namespace novum::grower {

using bins::GROUP;
using histograms::Pair;

namespace {

constexpr std::size_t MOVE_ROWS = 1 << 11;  // rows that a thread moves at a time, at the least
constexpr std::size_t PART_ROWS = 1 << 12;  // rows added up apart, at the least: a part of a histogram costs as much as some hundred rows
constexpr std::size_t TURNS = 4;            // parts for every thread, so that none waits long for the others
constexpr std::size_t WORTH_SHARING = 1 << 15;  // row-columns, or four times as many bins, from which on a round is worth a second thread

}  // namespace

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

/// Make the children of nodes and, unless these are the last to be split, find the best splits of those.
void Grower::expand(std::span<Node* const> nodes, bool last) {
    for (Node* node : nodes) node->children = std::make_unique<Children>();
    partition(nodes);
    std::vector<Examination> all;
    for (Node* node : nodes) {
        part_sums(*node);
        if (last) continue;
        Node &left = node->children->left, &right = node->children->right;
        Node &small = left.rows() <= right.rows() ? left : right, &large = left.rows() <= right.rows() ? right : left;
        large.histogram = node->histogram;
        node->histogram = nullptr;
        const bool look_small = may_split(small), look_large = may_split(large);
        if (!look_small && !look_large) continue;
        small.histogram = take_buffer();
        all.push_back({&small, look_large ? &large : nullptr, look_small, look_large, 1, 0, {}});
    }
    examine(all);
}

/// Move the rows of nodes to their children's places on the other side, in order.
void Grower::partition(std::span<Node* const> nodes) {
    struct Table {
        std::uint8_t left[256];
        const std::uint32_t* word;
        int shift;
    };
    struct Piece {
        std::size_t node, begin, end, lefts;
    };
    std::vector<Table> tables(nodes.size());
    std::size_t rows = 0;
    for (const Node* node : nodes) rows += node->rows();
    const std::size_t step = std::max(MOVE_ROWS, rows / (2 * TURNS * static_cast<std::size_t>(team.size())));
    std::vector<Piece> pieces;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        const Node& node = *nodes[k];
        const auto feature = static_cast<std::size_t>(node.best.feature);
        for (int code = 0; code < 256; ++code) tables[k].left[code] = node.best.goes_left(static_cast<std::uint8_t>(code), columns.missing);
        tables[k].word = words + feature / GROUP * n;
        tables[k].shift = static_cast<int>(8 * (feature % GROUP));
        for (std::size_t begin = node.begin; begin < node.end; begin += step)
            pieces.push_back({k, begin, std::min(node.end, begin + step), 0});
    }
    const auto items = static_cast<std::uint32_t>(pieces.size());
    team.run(items, [&](std::uint32_t item, int) {
        Piece& piece = pieces[item];
        const Node& node = *nodes[piece.node];
        const Table& table = tables[piece.node];
        piece.lefts = (node.whole ? mark<false> : mark<true>)(table.word, order[node.side].data(), table.shift, table.left, piece.begin,
                                                              piece.end, goes.data());
    });
    std::vector<std::size_t> middle(nodes.size());
    for (std::size_t k = 0; k < nodes.size(); ++k) middle[k] = nodes[k]->begin;
    for (Piece& piece : pieces) {
        const std::size_t count = piece.lefts;
        piece.lefts = middle[piece.node] - nodes[piece.node]->begin;  // of all pieces before it
        middle[piece.node] += count;
    }
    team.run(items, [&](std::uint32_t item, int) {
        const Piece& piece = pieces[item];
        const Node& node = *nodes[piece.node];
        const std::size_t l = node.begin + piece.lefts, r = middle[piece.node] + (piece.begin - node.begin) - piece.lefts;
        (node.whole ? move<false> : move<true>)(order[node.side].data(), pair_side[node.side], goes.data(), piece.begin, piece.end, l, r,
                                                order[1 - node.side].data(), pair_side[1 - node.side]);
    });
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        Node &left = nodes[k]->children->left, &right = nodes[k]->children->right;
        left.begin = nodes[k]->begin;
        left.end = right.begin = middle[k];
        right.end = nodes[k]->end;
        left.side = right.side = 1 - nodes[k]->side;
    }
}

void Grower::build(const Node& node, std::size_t group, std::size_t begin, std::size_t end, int worker, std::byte* out) {
    const std::size_t here = std::min(GROUP, columns.d - group * GROUP);
    histograms::accumulate(words + group * n + (node.whole ? begin : 0), node.whole ? nullptr : order[node.side].data() + begin,
                           pair_side[node.side] + begin, end - begin, here, columns.width,
                           scratch.data() + static_cast<std::size_t>(worker) * histograms::SCRATCH, out);
}

/// Find the best split of a node by each of the columns [first, last).
void Grower::look(const Node& node, std::size_t first, std::size_t last, splits::Split* found) const {
    const std::size_t bytes = histograms::column_bytes(columns.width);
    auto at = std::lower_bound(node.candidates.begin(), node.candidates.end(), static_cast<std::uint32_t>(first));
    for (; at != node.candidates.end() && *at < last; ++at) {
        const std::uint32_t j = *at;
        splits::search({node.histogram + j * bytes, columns.width, columns.bins[j], columns.missing, columns.has_missing[j] != 0,
                        columns.categorical[j] != 0, columns.monotone[j]},
                       static_cast<std::int32_t>(j), node.sums, rules, found[j]);
    }
}

/// Use the histogram that is made, in the columns [first, last).
void Grower::finish(Examination& one, std::size_t first, std::size_t last) {
    const std::size_t bytes = histograms::column_bytes(columns.width);
    if (one.look_built) look(*one.built, first, last, one.found.data());
    if (!one.look_rest) return;
    histograms::subtract(one.rest->histogram + first * bytes, one.built->histogram + first * bytes, last - first, columns.width);
    look(*one.rest, first, last, one.found.data() + columns.d);
}

/// Make histograms and find the best splits. Rows of a large node are cut into parts that are added up afterwards.
void Grower::examine(std::vector<Examination>& all) {
    const std::size_t bytes = histograms::column_bytes(columns.width), d = columns.d;
    const auto threads = static_cast<std::size_t>(team.size());
    std::size_t rows = 0, count = 0;
    for (Examination& one : all) {
        rows += one.built->rows();
        one.found.resize(2 * d);
        if (one.look_built) one.built->candidates = candidates(*one.built);
        if (one.look_rest) one.rest->candidates = candidates(*one.rest);
    }
    const std::size_t part_rows = std::max(PART_ROWS, rows * groups / (TURNS * threads));
    struct Part {
        std::size_t of, group, cut;
    };
    struct Column {
        std::size_t of, j;
    };
    std::vector<Part> made;
    std::vector<Column> merged;
    for (std::size_t k = 0; k < all.size(); ++k) {
        Examination& one = all[k];
        if (threads > 1) one.cuts = std::max<std::size_t>(1, (one.built->rows() + part_rows - 1) / part_rows);
        if (one.cuts > 1) {
            one.first = count;
            count += one.cuts * groups;
            for (std::size_t j = 0; j < d; ++j) merged.push_back({k, j});
        }
        for (std::size_t group = 0; group < groups; ++group)
            for (std::size_t cut = 0; cut < one.cuts; ++cut) made.push_back({k, group, cut});
    }
    if (parts.size() < count * GROUP * bytes) parts.resize(count * GROUP * bytes);
    const auto make = [&](std::uint32_t item, int worker) {
        const Part& part = made[item];
        Examination& one = all[part.of];
        const std::size_t size = one.built->rows(), begin = one.built->begin + size * part.cut / one.cuts,
                          end = one.built->begin + size * (part.cut + 1) / one.cuts;
        if (one.cuts > 1)
            return build(*one.built, part.group, begin, end, worker,
                         parts.data() + (one.first + part.group * one.cuts + part.cut) * GROUP * bytes);
        build(*one.built, part.group, begin, end, worker, one.built->histogram + part.group * GROUP * bytes);
        finish(one, part.group * GROUP, std::min(d, (part.group + 1) * GROUP));
    };
    const auto merge = [&](std::uint32_t item, int) {
        Examination& one = all[merged[item].of];
        const std::size_t j = merged[item].j, group = j / GROUP;
        std::byte* out = one.built->histogram + j * bytes;
        const std::byte* part = parts.data() + ((one.first + group * one.cuts) * GROUP + j % GROUP) * bytes;
        std::memcpy(out, part, bytes);
        for (std::size_t cut = 1; cut < one.cuts; ++cut) histograms::add(out, part + cut * GROUP * bytes, 1, columns.width);
        finish(one, j, j + 1);
    };
    if (rows * d + 4 * d * columns.width * all.size() >= WORTH_SHARING)
        team.run(static_cast<std::uint32_t>(made.size()), make);
    else
        for (std::uint32_t item = 0; item < made.size(); ++item) make(item, 0);
    team.run(static_cast<std::uint32_t>(merged.size()), merge);
    for (Examination& one : all)
        for (std::size_t j = 0; j < d; ++j) {
            if (one.found[j].gain > one.built->best.gain) one.built->best = one.found[j];
            if (one.rest != nullptr && one.found[d + j].gain > one.rest->best.gain) one.rest->best = one.found[d + j];
        }
}

}  // namespace novum::grower
