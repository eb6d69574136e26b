#include "novum/trees/boosting.h"
#include "../arrays.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "novum/trees/histogram_grower.h"

using namespace nb::literals;
namespace bo = novum::boosting;
namespace gr = novum::grower;
namespace hi = novum::histograms;
using novum::Team;

namespace {

using Weights = std::optional<Vector<const double>>;
using Units = std::pair<double, double>;

constexpr std::size_t CHUNK = 1 << 13;  // rows that a thread takes at a time
constexpr int LOSSES = static_cast<int>(bo::Loss::BINARY) + 1;

std::uint32_t chunks_of(std::size_t n) {
    require(n < (std::size_t(1) << 32), "boosting: fewer than 2^32 rows in one piece");
    return static_cast<std::uint32_t>((n + CHUNK - 1) / CHUNK);
}

/// Slopes of all rows by `part(begin, end, out)`, then the units and the rounding; returns the units.
template <class Part>
Units rounded(Team& team, std::size_t n, const double* weight, std::int32_t* pairs, Part part) {
    struct Seen {
        bo::Largest slope;
        double weight = 0;
        bool integral = true;
    };
    auto* slopes = reinterpret_cast<bo::Slopes*>(pairs);
    std::vector<Seen> seen(chunks_of(n));
    team.run(chunks_of(n), [&](std::uint32_t c, int) {
        const std::size_t begin = c * CHUNK, end = std::min(n, begin + CHUNK);
        Seen& here = seen[c];
        here.slope = part(begin, end, slopes + begin);
        if (weight == nullptr) return;
        for (std::size_t i = begin; i < end; ++i) {
            here.weight = std::max(here.weight, weight[i]);
            here.integral &= weight[i] == std::floor(weight[i]);
        }
    });
    Seen all;
    if (weight == nullptr) all.weight = 1;
    for (const Seen& one : seen) {
        all.slope.gradient = std::max(all.slope.gradient, one.slope.gradient);
        all.slope.curvature = std::max(all.slope.curvature, one.slope.curvature);
        all.weight = std::max(all.weight, one.weight);
        all.integral &= one.integral;
    }
    const Units units{bo::unit_of(all.slope.gradient * all.weight), bo::unit_of(all.slope.curvature * all.weight)};
    team.run(chunks_of(n), [&](std::uint32_t c, int) {
        const std::size_t begin = c * CHUNK, end = std::min(n, begin + CHUNK);
        bo::round(slopes + begin, weight ? weight + begin : nullptr, all.integral, end - begin, units.first, units.second,
                  reinterpret_cast<hi::Pair*>(pairs) + begin);
    });
    return units;
}

bo::Rows rows_of(const Vector<const double>& target, const Vector<const double>& raw, const Weights& weight) {
    require(raw.shape(0) == target.shape(0) && (!weight || weight->shape(0) == target.shape(0)),
            "boosting: a score and a weight for every target");
    return {target.data(), raw.data(), weight ? weight->data() : nullptr, target.shape(0)};
}

Units slopes(Team& team, int loss, double parameter, Vector<const double> target, Vector<const double> raw, Weights weight,
             Matrix<std::int32_t> pairs) {
    const bo::Rows rows = rows_of(target, raw, weight);
    require(loss >= 0 && loss < LOSSES, "boosting: unknown loss");
    require(pairs.shape(0) == rows.n && pairs.shape(1) == 2, "boosting: a pair for every row");
    nb::gil_scoped_release release;
    return rounded(team, rows.n, rows.weight, pairs.data(), [&](std::size_t begin, std::size_t end, bo::Slopes* out) {
        return bo::slopes(static_cast<bo::Loss>(loss), parameter, {rows.target + begin, rows.raw + begin, nullptr, end - begin}, out);
    });
}

Units class_slopes(Team& team, Vector<const double> probability, Vector<const double> target, Weights weight, double k,
                   Matrix<std::int32_t> pairs) {
    const bo::Rows rows = rows_of(target, probability, weight);
    require(pairs.shape(0) == rows.n && pairs.shape(1) == 2, "boosting: a pair for every row");
    nb::gil_scoped_release release;
    return rounded(team, rows.n, rows.weight, pairs.data(), [&](std::size_t begin, std::size_t end, bo::Slopes* out) {
        return bo::class_slopes(rows.raw + begin, rows.target + begin, k, end - begin, out);
    });
}

void softmax(Team& team, Matrix<const double> raw, Matrix<double> out) {
    const std::size_t k = raw.shape(0), n = raw.shape(1);
    require(out.shape(0) == k && out.shape(1) == n && k > 0, "boosting: probabilities like the scores");
    nb::gil_scoped_release release;
    team.run(chunks_of(n), [&](std::uint32_t c, int) {
        bo::softmax(raw.data() + c * CHUNK, k, std::min(n, (c + 1) * CHUNK) - c * CHUNK, n, out.data() + c * CHUNK);
    });
}

/// Sums per chunk, added up without rounding into 70 limbs (novum/moments/exact_sums.h).
template <class Part>
void chunk_sum(Team& team, std::size_t n, const Vector<std::int64_t>& limbs, Part part) {
    std::vector<novum::ExactSum> sums(chunks_of(n) + 1);
    team.run(chunks_of(n), [&](std::uint32_t c, int) {
        part(c * CHUNK, std::min(n, (c + 1) * CHUNK), sums[c]);
        sums[c].carry();
    });
    novum::ExactSum& all = sums[chunks_of(n)];
    for (std::uint32_t c = 0; c < chunks_of(n); ++c) all.add(sums[c]);
    all.carry();
    for (std::size_t k = 0; k < novum::ExactSum::LIMBS; ++k) limbs.data()[k] += all.limb[k];
}

void require_limbs(const Vector<std::int64_t>& limbs) { require(limbs.shape(0) == novum::ExactSum::LIMBS, "boosting: 70 limbs for a sum"); }

void total(Team& team, int loss, double parameter, Vector<const double> target, Vector<const double> raw, Weights weight,
           Vector<std::int64_t> limbs) {
    const bo::Rows rows = rows_of(target, raw, weight);
    require(loss >= 0 && loss < LOSSES, "boosting: unknown loss");
    require_limbs(limbs);
    nb::gil_scoped_release release;
    chunk_sum(team, rows.n, limbs, [&](std::size_t b, std::size_t e, novum::ExactSum& sum) {
        bo::total(static_cast<bo::Loss>(loss), parameter, {rows.target + b, rows.raw + b, rows.weight ? rows.weight + b : nullptr, e - b},
                  sum);
    });
}

void class_total(Team& team, Matrix<const double> raw, Vector<const double> target, Weights weight, Vector<std::int64_t> limbs) {
    const std::size_t k = raw.shape(0), n = raw.shape(1);
    require(target.shape(0) == n && (!weight || weight->shape(0) == n) && k > 0, "boosting: a target and a weight for every row");
    for (std::size_t i = 0; i < n; ++i)
        require(target(i) >= 0 && target(i) < static_cast<double>(k), "boosting: class codes from 0 to k - 1");
    require_limbs(limbs);
    nb::gil_scoped_release release;
    chunk_sum(team, n, limbs, [&](std::size_t b, std::size_t e, novum::ExactSum& sum) {
        bo::class_total(raw.data() + b, k, e - b, n, target.data() + b, weight ? weight->data() + b : nullptr, sum);
    });
}

/// The grower with the codes it works on kept alive.
struct Growth {
    Matrix<const std::uint32_t> words;
    gr::Grower grower;
    std::size_t n;
};

gr::Columns columns_of(Team& team, const Matrix<const std::uint32_t>& words, const Vector<const std::int32_t>& bins,
                       const Vector<const std::uint8_t>& categorical, const Vector<const std::int8_t>& monotone,
                       std::vector<std::vector<std::uint32_t>> together, int missing) {
    const std::size_t d = bins.shape(0), n = words.shape(1);
    require(d > 0 && words.shape(0) == (d + 3) / 4 && categorical.shape(0) == d && monotone.shape(0) == d,
            "grower: one entry for every column");
    require(missing >= 1 && missing <= 255, "grower: the code of a missing value is 1 to 255");
    gr::Columns columns;
    columns.d = d;
    columns.missing = static_cast<std::uint8_t>(missing);
    columns.width = (static_cast<std::size_t>(missing) + 4) / 4 * 4;
    columns.bins.assign(bins.data(), bins.data() + d);
    columns.categorical.assign(categorical.data(), categorical.data() + d);
    columns.monotone.assign(monotone.data(), monotone.data() + d);
    columns.has_missing.assign(d, 0);
    for (const auto& set : together)
        for (const std::uint32_t j : set) require(j < d, "grower: sets of columns hold column numbers");
    columns.together = std::move(together);
    for (std::size_t j = 0; j < d; ++j)
        require(columns.bins[j] >= 0 && columns.bins[j] <= missing, "grower: at most as many bins as the code of a missing value");
    struct Seen {
        std::uint8_t most[4] = {}, missing[4] = {};
    };
    const std::uint32_t chunks = chunks_of(n);
    std::vector<Seen> seen(words.shape(0) * chunks);
    team.run(static_cast<std::uint32_t>(seen.size()), [&](std::uint32_t item, int) {
        Seen here;
        const std::uint32_t* word = words.data() + item / chunks * n;
        for (std::size_t i = item % chunks * CHUNK, end = std::min(n, i + CHUNK); i < end; ++i)
            for (int k = 0; k < 4; ++k) {
                const auto code = static_cast<std::uint8_t>(word[i] >> (8 * k));
                here.most[k] = std::max(here.most[k], code);
                here.missing[k] |= code == missing;
            }
        seen[item] = here;
    });
    for (std::size_t item = 0; item < seen.size(); ++item)
        for (std::size_t k = 0; k < std::min<std::size_t>(4, d - item / chunks * 4); ++k) {
            require(seen[item].most[k] <= missing, "grower: codes up to that of a missing value");
            columns.has_missing[item / chunks * 4 + k] |= seen[item].missing[k];
        }
    return columns;
}

void make_growth(Growth* at, Team& team, Matrix<const std::uint32_t> words, Vector<const std::int32_t> bins,
                 Vector<const std::uint8_t> categorical, Vector<const std::int8_t> monotone,
                 std::vector<std::vector<std::uint32_t>> together, int missing, double l2, double least_curvature, double learning_rate,
                 double feature_share, std::uint32_t least_rows, std::uint32_t most_leaves, std::uint32_t most_depth, std::uint64_t seed) {
    chunks_of(words.shape(1));
    new (at)
        Growth{words,
               gr::Grower(words.data(), words.shape(1), columns_of(team, words, bins, categorical, monotone, std::move(together), missing),
                          {l2, least_curvature, learning_rate, feature_share, least_rows, most_leaves, most_depth, seed}, team),
               words.shape(1)};
}

std::pair<std::size_t, std::size_t> grow(Growth& self, Matrix<std::int32_t> pairs, double gradient_unit, double curvature_unit,
                                         std::uint32_t tree) {
    require(pairs.shape(0) == self.n && pairs.shape(1) == 2, "grower: a pair for every row");
    nb::gil_scoped_release release;
    const std::size_t nodes = self.grower.grow(reinterpret_cast<hi::Pair*>(pairs.data()), gradient_unit, curvature_unit, tree);
    return {nodes, self.grower.bitsets().size()};
}

void read_tree(const Growth& self, Matrix<std::uint8_t> nodes, Matrix<std::uint32_t> sets) {
    const auto& from = self.grower.nodes();
    const auto& bits = self.grower.bitsets();
    require(nodes.shape(0) == from.size() && nodes.shape(1) == sizeof(gr::Record), "grower: 56 bytes for every node");
    require(sets.shape(0) == bits.size() && sets.shape(1) == 8, "grower: 8 words for every set of categories");
    if (!from.empty()) std::memcpy(nodes.data(), from.data(), from.size() * sizeof(gr::Record));
    if (!bits.empty()) std::memcpy(sets.data(), bits.data(), bits.size() * sizeof(gr::Bitset));
}

/// The nodes of one tree, given as bytes, if a walk through them ends within them.
const gr::Record* records_of(const Matrix<const std::uint8_t>& nodes, std::size_t sets, std::size_t groups) {
    require(nodes.shape(0) > 0 && nodes.shape(1) == sizeof(gr::Record) &&
                reinterpret_cast<std::uintptr_t>(nodes.data()) % alignof(gr::Record) == 0,
            "grower: nodes of 56 bytes, aligned");
    const auto* record = reinterpret_cast<const gr::Record*>(nodes.data());
    for (std::size_t i = 0; i < nodes.shape(0); ++i) {
        const gr::Record& node = record[i];
        if (node.is_leaf) continue;
        require(node.left > i && node.right > i && node.left < nodes.shape(0) && node.right < nodes.shape(0),
                "grower: children come after their parents");
        require(node.feature >= 0 && static_cast<std::size_t>(node.feature) / 4 < groups, "grower: nodes split columns that are there");
        require(!node.categorical || node.bitset < sets, "grower: categorical nodes have a set of categories");
    }
    return record;
}

void add_coded(Team& team, Matrix<const std::uint8_t> nodes, Matrix<const std::uint32_t> sets, Matrix<const std::uint32_t> words,
               int missing, Vector<double> raw) {
    require(raw.shape(0) == words.shape(1) && sets.shape(1) == 8, "grower: a score for every row, 8 words for every set");
    const auto* record = records_of(nodes, sets.shape(0), words.shape(0));
    const auto* bits = reinterpret_cast<const gr::Bitset*>(sets.data());
    const std::size_t n = words.shape(1);
    nb::gil_scoped_release release;
    team.run(chunks_of(n), [&](std::uint32_t c, int) {
        for (std::size_t i = c * CHUNK; i < std::min(n, (c + 1) * CHUNK); ++i)
            raw.data()[i] += record[gr::leaf_of(record, bits, words.data(), n, i, static_cast<std::uint8_t>(missing))].value;
    });
}

void add_values(Growth& self, Vector<double> raw) {
    require(raw.shape(0) == self.n, "grower: a score for every row");
    nb::gil_scoped_release release;
    self.grower.add_values(raw.data());
}

void refit_quantiles(Growth& self, Vector<const double> target, Vector<const double> raw, Weights weight, double level) {
    const bo::Rows rows = rows_of(target, raw, weight);
    require(rows.n == self.n, "grower: a target for every row");
    nb::gil_scoped_release release;
    self.grower.refit_quantiles(rows.target, rows.raw, rows.weight, level);
}

}  // namespace

void bind_trees_boosting(nb::module_& m) {
    nb::class_<Growth>(m, "Growth")
        .def("__init__", &make_growth, "team"_a, "words"_a.noconvert(), "bins"_a.noconvert(), "categorical"_a.noconvert(),
             "monotone"_a.noconvert(), "together"_a, "missing"_a, "l2"_a, "least_curvature"_a, "learning_rate"_a, "feature_share"_a,
             "least_rows"_a, "most_leaves"_a, "most_depth"_a, "seed"_a, nb::keep_alive<1, 2>())
        .def("grow", &grow, "pairs"_a.noconvert(), "gradient_unit"_a, "curvature_unit"_a, "tree"_a)
        .def("read", &read_tree, "nodes"_a.noconvert(), "sets"_a.noconvert())
        .def("add_values", &add_values, "raw"_a.noconvert())
        .def("refit_quantiles", &refit_quantiles, "target"_a.noconvert(), "raw"_a.noconvert(), "weight"_a.noconvert().none(), "level"_a);
    m.def("add_coded", &add_coded, "team"_a, "nodes"_a.noconvert(), "sets"_a.noconvert(), "words"_a.noconvert(), "missing"_a,
          "raw"_a.noconvert());
    m.def("slopes", &slopes, "team"_a, "loss"_a, "parameter"_a, "target"_a.noconvert(), "raw"_a.noconvert(), "weight"_a.noconvert().none(),
          "pairs"_a.noconvert());
    m.def("class_slopes", &class_slopes, "team"_a, "probability"_a.noconvert(), "target"_a.noconvert(), "weight"_a.noconvert().none(),
          "k"_a, "pairs"_a.noconvert());
    m.def("softmax", &softmax, "team"_a, "raw"_a.noconvert(), "out"_a.noconvert());
    m.def("total", &total, "team"_a, "loss"_a, "parameter"_a, "target"_a.noconvert(), "raw"_a.noconvert(), "weight"_a.noconvert().none(),
          "limbs"_a.noconvert());
    m.def("class_total", &class_total, "team"_a, "raw"_a.noconvert(), "target"_a.noconvert(), "weight"_a.noconvert().none(),
          "limbs"_a.noconvert());
}
