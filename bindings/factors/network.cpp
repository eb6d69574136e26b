#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "../arrays.h"
#include "novum/factors/expectation.h"
#include "novum/factors/family_score.h"
#include "novum/factors/plan.h"
#include "novum/runtime/indices.h"

using namespace nb::literals;

namespace {

using Scope = std::vector<std::int32_t>;

constexpr std::int64_t MOST_CELLS = std::int64_t{1} << 40;

// Tables checked once: every later step trusts them.
struct Network {
    novum::factors::Tables tables;
    std::int64_t cells = 0;
};

Network checked(Scope cards, std::vector<Scope> scopes, Scope heads) {
    Network out;
    const auto n = static_cast<std::int32_t>(cards.size());
    require(std::all_of(cards.begin(), cards.end(), [](auto c) { return c >= 1; }), "factors: a variable without states");
    require(heads.size() == scopes.size(), "factors: not one head per table");
    for (std::size_t f = 0; f < scopes.size(); ++f) {
        std::int64_t size = 1;
        Scope seen = scopes[f];
        std::sort(seen.begin(), seen.end());
        require(std::adjacent_find(seen.begin(), seen.end()) == seen.end(), "factors: a variable twice in a table");
        for (auto v : scopes[f]) {
            require(v >= 0 && v < n, "factors: a scope outside the variables");
            size *= cards[static_cast<std::size_t>(v)];
            require(size < MOST_CELLS, "factors: a table too large");
        }
        require(heads[f] < 0 || std::binary_search(seen.begin(), seen.end(), heads[f]), "factors: a head outside its table");
        out.tables.start.push_back(out.cells);
        out.cells += size;
        require(out.cells < MOST_CELLS, "factors: tables too large");
    }
    out.tables.cards = std::move(cards);
    out.tables.scopes = std::move(scopes);
    out.tables.heads = std::move(heads);
    return out;
}

void check_variables(const Network& network, const Scope& variables) {
    Scope sorted = variables;
    std::sort(sorted.begin(), sorted.end());
    require(sorted.empty() || (sorted.front() >= 0 && static_cast<std::size_t>(sorted.back()) < network.tables.cards.size()),
            "factors: a variable that does not exist");
    require(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(), "factors: a variable twice");
}

void check_run(const novum::factors::Plan& plan, std::int64_t cells, const Vector<const double>& tables,
               const Matrix<const std::int32_t>& evidence, const Vector<double>& log) {
    require(plan.built, "factors: the plan is too large to run");
    require(static_cast<std::int64_t>(tables.shape(0)) == cells, "factors: not the tables of this plan");
    require(evidence.shape(1) == plan.observed.size() && evidence.shape(0) == log.shape(0), "factors: not one value per observed variable");
    for (std::size_t i = 0; i < evidence.shape(0); ++i)
        for (std::size_t j = 0; j < plan.observed.size(); ++j) {
            const auto value = evidence(i, j);
            require(value >= 0 && value < plan.cards[static_cast<std::size_t>(plan.observed[j])], "factors: evidence outside the states");
        }
}

struct Marginals {
    novum::factors::Plan plan;
    std::int64_t cells;
};
struct Maximum {
    novum::factors::Plan plan;
    std::int64_t cells;
};

template <class Kind>
void bind_cost(nb::class_<Kind>& kind) {
    kind.def_prop_ro("built", [](const Kind& k) { return k.plan.built; })
        .def_prop_ro("width", [](const Kind& k) { return k.plan.cost.width; })
        .def_prop_ro("largest", [](const Kind& k) { return k.plan.cost.largest; })
        .def_prop_ro("multiplications", [](const Kind& k) { return k.plan.cost.multiplications; })
        .def_prop_ro("bytes", [](const Kind& k) { return k.plan.cost.bytes; })
        .def_prop_ro("steps", [](const Kind& k) { return k.plan.steps.size(); });
}

}  // namespace

void bind_factors_network(nb::module_& m) {
    nb::class_<Network>(m, "Network", "Which variables the tables hold, checked once.")
        .def(
            "__init__",
            [](Network* at, Scope cards, std::vector<Scope> scopes, Scope heads) {
                new (at) Network(checked(std::move(cards), std::move(scopes), std::move(heads)));
            },
            "cards"_a, "scopes"_a, "heads"_a)
        .def_prop_ro("cells", [](const Network& n) { return n.cells; });

    nb::class_<Marginals> marginals(m, "Marginals", "The steps from tables to marginals, given which variables are observed.");
    marginals.def(
        "__init__",
        [](Marginals* at, const Network& network, Scope observed, std::vector<Scope> targets) {
            check_variables(network, observed);
            for (const auto& target : targets) {
                check_variables(network, target);
                require(!target.empty(), "factors: an empty target");
                for (auto v : target)
                    require(std::find(observed.begin(), observed.end(), v) == observed.end(), "factors: an observed target");
            }
            nb::gil_scoped_release release;
            new (at) Marginals{novum::factors::plan_marginals(network.tables, observed, targets), network.cells};
        },
        "network"_a, "observed"_a, "targets"_a);
    bind_cost(marginals);
    marginals.def_prop_ro("results", [](const Marginals& k) { return k.plan.results; })
        .def(
            "run",
            [](const Marginals& k, Vector<const double> tables, Matrix<const std::int32_t> evidence, Matrix<double> out,
               Vector<double> log) {
                check_run(k.plan, k.cells, tables, evidence, log);
                require(out.shape(0) == log.shape(0) && static_cast<std::int64_t>(out.shape(1)) == k.plan.results,
                        "factors: wrong shape of the results");
                nb::gil_scoped_release release;
                const std::unique_ptr<double[]> work(new double[static_cast<std::size_t>(k.plan.workspace) + 1]);
                for (std::size_t i = 0; i < log.shape(0); ++i)
                    log.data()[i] = novum::factors::run_marginals(k.plan, tables.data(), evidence.data() + i * evidence.shape(1),
                                                                  work.get(), out.data() + i * out.shape(1));
            },
            "tables"_a.noconvert(), "evidence"_a.noconvert(), "out"_a.noconvert(), "log"_a.noconvert(),
            "Write the marginals and the log-probability of every row of evidence.");

    nb::class_<Maximum> maximum(m, "Maximum", "The steps from tables to their greatest product.");
    maximum.def(
        "__init__",
        [](Maximum* at, const Network& network, Scope observed, Scope chosen) {
            Scope all = observed;
            all.insert(all.end(), chosen.begin(), chosen.end());
            check_variables(network, all);
            nb::gil_scoped_release release;
            new (at) Maximum{novum::factors::plan_maximum(network.tables, observed, chosen), network.cells};
        },
        "network"_a, "observed"_a, "chosen"_a);
    bind_cost(maximum);
    maximum
        .def_prop_ro("variables",
                     [](const Maximum& k) {
                         Scope out;
                         for (auto i : k.plan.choices) out.push_back(k.plan.steps[static_cast<std::size_t>(i)].variable);
                         return out;
                     })
        .def(
            "run",
            [](const Maximum& k, Vector<const double> tables, Matrix<const std::int32_t> evidence, Matrix<std::int32_t> best,
               Vector<double> log) {
                check_run(k.plan, k.cells, tables, evidence, log);
                require(best.shape(0) == log.shape(0) && best.shape(1) == k.plan.choices.size(), "factors: wrong shape of the results");
                nb::gil_scoped_release release;
                const std::unique_ptr<double[]> work(new double[static_cast<std::size_t>(k.plan.workspace) + 1]);
                for (std::size_t i = 0; i < log.shape(0); ++i)
                    log.data()[i] = novum::factors::run_maximum(k.plan, tables.data(), evidence.data() + i * evidence.shape(1), work.get(),
                                                                best.data() + i * best.shape(1));
            },
            "tables"_a.noconvert(), "evidence"_a.noconvert(), "best"_a.noconvert(), "log"_a.noconvert(),
            "Write the best values and the log of the maximum of every row of evidence.");

    m.def(
        "count_rows",
        [](Matrix<const std::int32_t> columns, Scope scope, Scope cards, std::optional<Vector<const double>> weight, Vector<double> count) {
            std::int64_t cells = 1;
            require(scope.size() == cards.size(), "factors: not one card per variable");
            std::vector<const std::int32_t*> data;
            const std::size_t n = columns.shape(1);
            for (std::size_t j = 0; j < scope.size(); ++j) {
                require(scope[j] >= 0 && static_cast<std::size_t>(scope[j]) < columns.shape(0) && cards[j] >= 1,
                        "factors: a variable that does not exist");
                cells *= cards[j];
                require(cells < (std::int64_t{1} << 31), "factors: a table too large to count");
                data.push_back(columns.data() + static_cast<std::size_t>(scope[j]) * n);
                require(std::all_of(data.back(), data.back() + n, [most = cards[j]](auto code) { return code < most; }),
                        "factors: a code outside the states");
            }
            require(static_cast<std::int64_t>(count.shape(0)) == cells && (!weight || weight->shape(0) == n),
                    "factors: inconsistent shapes");
            nb::gil_scoped_release release;
            novum::factors::count_rows(data, cards, weight ? weight->data() : nullptr, n, count.data());
        },
        "columns"_a.noconvert(), "scope"_a, "cards"_a, "weight"_a.noconvert().none(), "count"_a.noconvert(),
        "Add the rows to the counts of a table; codes must lie below their cards, negative ones are missing.");

    m.def(
        "family_scores",
        [](Matrix<const std::int32_t> columns, Scope cards, std::int32_t child, std::vector<Scope> parents,
           std::optional<Vector<const double>> weight, int kind, double value, std::int64_t most, Vector<double> out) {
            const std::size_t n = columns.shape(1), d = columns.shape(0);
            require(cards.size() == d && (!weight || weight->shape(0) == n) && out.shape(0) == parents.size(),
                    "factors: inconsistent shapes");
            require(kind >= 0 && kind <= 2 && most > 0 && most < (std::int64_t{1} << 31), "factors: no such score");
            const auto known = [d](std::int32_t v) { return v >= 0 && static_cast<std::size_t>(v) < d; };
            require(known(child), "factors: a variable that does not exist");
            for (const auto& set : parents) require(std::all_of(set.begin(), set.end(), known), "factors: a variable that does not exist");
            std::vector<char> used(d, 0);
            used[static_cast<std::size_t>(child)] = 1;
            for (const auto& set : parents)
                for (auto v : set) used[static_cast<std::size_t>(v)] = 1;
            nb::gil_scoped_release release;
            for (std::size_t j = 0; j < d; ++j)
                require(!used[j] || (cards[j] >= 1 && novum::inside(columns.data() + j * n, n, static_cast<std::size_t>(cards[j]))),
                        "factors: a code outside the states");
            std::vector<double> scratch;
            for (std::size_t i = 0; i < parents.size(); ++i) {
                std::vector<const std::int32_t*> data;
                Scope sizes;
                for (auto v : parents[i])
                    data.push_back(columns.data() + static_cast<std::size_t>(v) * n), sizes.push_back(cards[static_cast<std::size_t>(v)]);
                data.push_back(columns.data() + static_cast<std::size_t>(child) * n);
                sizes.push_back(cards[static_cast<std::size_t>(child)]);
                out.data()[i] = novum::factors::family_score(data, sizes, weight ? weight->data() : nullptr, n,
                                                             {static_cast<novum::factors::Score>(kind), value}, most, scratch);
            }
        },
        "columns"_a.noconvert(), "cards"_a, "child"_a, "parents"_a, "weight"_a.noconvert().none(), "kind"_a, "value"_a, "most"_a,
        "out"_a.noconvert(), "Write the score of a variable given each of several sets of parents; codes must lie in their states.");

    nb::class_<novum::factors::Expectation>(m, "Expectation", "Rows with missing cells, taken apart into components.")
        .def(
            "__init__",
            [](novum::factors::Expectation* at, const Network& network, Matrix<const std::int32_t> rows,
               std::optional<Vector<const double>> weight) {
                const std::size_t n = rows.shape(0), d = rows.shape(1);
                require(d == network.tables.cards.size() && (!weight || weight->shape(0) == n), "factors: inconsistent shapes");
                for (std::size_t i = 0; i < n; ++i)
                    for (std::size_t j = 0; j < d; ++j) require(rows(i, j) < network.tables.cards[j], "factors: a code outside the states");
                nb::gil_scoped_release release;
                new (at) novum::factors::Expectation(network.tables, network.cells, rows.data(), weight ? weight->data() : nullptr, n);
            },
            "network"_a, "rows"_a.noconvert(), "weight"_a.noconvert().none())
        .def_prop_ro("components", &novum::factors::Expectation::components)
        .def_prop_ro("cases", &novum::factors::Expectation::cases)
        .def_prop_ro("blocks", [](const novum::factors::Expectation&) { return novum::factors::Expectation::BLOCKS; })
        .def(
            "complete",
            [](const novum::factors::Expectation& e, Vector<double> count) {
                require(count.shape(0) == e.complete().size(), "factors: inconsistent shapes");
                std::copy(e.complete().begin(), e.complete().end(), count.data());
            },
            "count"_a.noconvert(), "Write the counts that no missing cell touches.")
        .def(
            "add_expected",
            [](const novum::factors::Expectation& e, Vector<const double> tables, std::size_t block, Vector<double> count) {
                require(tables.shape(0) == e.complete().size() && count.shape(0) == e.complete().size() &&
                            block < novum::factors::Expectation::BLOCKS,
                        "factors: inconsistent shapes");
                nb::gil_scoped_release release;
                return e.add_expected(tables.data(), block, count.data());
            },
            "tables"_a.noconvert(), "block"_a, "count"_a.noconvert(),
            "Add expected counts; returns the log-likelihood of these components.");
}
