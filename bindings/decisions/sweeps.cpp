#include "../arrays.h"
#include "novum/decisions/process.h"
#include "novum/runtime/indices.h"

using namespace nb::literals;
using namespace novum::decisions;

namespace {

using Index = Vector<const std::int64_t>;

/// The arrays of a process, held as long as it is used, and the threads that share its sweeps.
class Sweeps {
  public:
    Sweeps(Index first, Index start, Vector<const std::int32_t> next, Vector<const double> probability, Vector<const double> reward,
           double discount, int threads)
        : first(first), start(start), next(next), probability(probability), reward(reward), threads(threads) {
        const std::size_t n = first.shape(0) - 1, pairs = reward.shape(0), entries = next.shape(0);
        require(first.shape(0) > 1 && start.shape(0) == pairs + 1 && probability.shape(0) == entries, "sweeps: inconsistent shapes");
        require(rising(first, pairs) && rising(start, entries), "sweeps: rows out of order");
        require(novum::inside(next.data(), entries, n), "sweeps: a next state is out of range");
        for (std::size_t s = 0; s < n; ++s) require(first.data()[s] < first.data()[s + 1], "sweeps: a state without a pair");
        process = {n, pairs, first.data(), start.data(), next.data(), probability.data(), reward.data(), discount};
    }
    Index first, start;
    Vector<const std::int32_t> next;
    Vector<const double> probability, reward;
    Process process{};
    int threads;  // a team is made for every call: a cached one would not survive a fork

    void check_values(std::size_t count) const { require(count == process.n, "sweeps: one value per state"); }
    void check_choice(const Vector<std::int64_t>& choice) const {
        require(choice.shape(0) == process.n, "sweeps: one choice per state");
        for (std::size_t s = 0; s < process.n; ++s)
            require(choice.data()[s] >= process.first[s] && choice.data()[s] < process.first[s + 1],
                    "sweeps: a choice is no pair of its state");
    }

    static bool rising(const Index& rows, std::size_t last) {
        const std::int64_t* p = rows.data();
        for (std::size_t k = 0; k + 1 < rows.shape(0); ++k)
            if (p[k] > p[k + 1]) return false;
        return p[0] == 0 && p[rows.shape(0) - 1] == static_cast<std::int64_t>(last);
    }
};

/// (k,) and (k, n) of a path.
nb::tuple as_arrays(const Path& path) {
    const std::size_t k = path.at.size();
    auto* at = new std::vector<std::int64_t>(path.at);
    auto* values = new std::vector<double>(path.values);
    nb::capsule of_at(at, [](void* p) noexcept { delete static_cast<std::vector<std::int64_t>*>(p); });
    nb::capsule of_values(values, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    return nb::make_tuple(nb::ndarray<nb::numpy, std::int64_t>(at->data(), {k}, of_at),
                          nb::ndarray<nb::numpy, double>(values->data(), {k, path.n}, of_values));
}

nb::tuple as_tuple(const Change& change) { return nb::make_tuple(change.low, change.high, change.changed); }

}  // namespace

void bind_decisions_sweeps(nb::module_& m) {
    nb::class_<Sweeps>(m, "Sweeps")
        .def(nb::init<Index, Index, Vector<const std::int32_t>, Vector<const double>, Vector<const double>, double, int>(),
             "first"_a.noconvert(), "start"_a.noconvert(), "next"_a.noconvert(), "probability"_a.noconvert(), "reward"_a.noconvert(),
             "discount"_a, "threads"_a)
        .def(
            "pair_values",
            [](Sweeps& self, Vector<const double> v, Vector<double> out) {
                self.check_values(v.shape(0));
                require(out.shape(0) == self.process.pairs, "sweeps: one number per pair");
                nb::gil_scoped_release release;
                novum::Team team(self.threads);
                pair_values(self.process, v.data(), team, out.data());
            },
            "v"_a.noconvert(), "out"_a.noconvert(), "Write R + gamma P v of every pair.")
        .def(
            "improve",
            [](Sweeps& self, Vector<const double> v, double margin, Vector<double> out, Vector<std::int64_t> choice) {
                self.check_values(v.shape(0));
                self.check_values(out.shape(0));
                self.check_choice(choice);
                Change change{};
                {
                    nb::gil_scoped_release release;
                    novum::Team team(self.threads);
                    change = improve(self.process, v.data(), margin, team, out.data(), choice.data());
                }
                return as_tuple(change);
            },
            "v"_a.noconvert(), "margin"_a, "out"_a.noconvert(), "choice"_a.noconvert(),
            "Write T* v and the best pairs; return the least and the largest change and how many choices changed.")
        .def(
            "improve_in_place",
            [](Sweeps& self, Vector<double> v, Index order, double margin, Vector<std::int64_t> choice) {
                self.check_values(v.shape(0));
                self.check_values(order.shape(0));
                self.check_choice(choice);
                require(novum::inside(order.data(), order.shape(0), self.process.n), "sweeps: the order names no state");
                Change change{};
                {
                    nb::gil_scoped_release release;
                    change = improve_in_place(self.process, order.data(), margin, v.data(), choice.data());
                }
                return as_tuple(change);
            },
            "v"_a.noconvert(), "order"_a.noconvert(), "margin"_a, "choice"_a.noconvert(), "The same, state after state in place.")
        .def(
            "prioritized",
            [](Sweeps& self, Index begin, Vector<const std::int32_t> from, double tol, std::int64_t most, Vector<double> v,
               Vector<std::int64_t> choice, bool keep_path) {
                self.check_values(v.shape(0));
                self.check_choice(choice);
                require(begin.shape(0) == self.process.n + 1 && Sweeps::rising(begin, from.shape(0)) &&
                            novum::inside(from.data(), from.shape(0), self.process.n),
                        "sweeps: predecessors out of order");
                Path path{1, {}, {}};
                std::int64_t backups = 0;
                {
                    nb::gil_scoped_release release;
                    backups = prioritized(self.process, begin.data(), from.data(), tol, most, v.data(), choice.data(),
                                          keep_path ? &path : nullptr);
                }
                return nb::make_tuple(backups, as_arrays(path));
            },
            "begin"_a.noconvert(), "from_"_a.noconvert(), "tol"_a, "most"_a, "v"_a.noconvert(), "choice"_a.noconvert(), "keep_path"_a,
            "Back up the state that changes most, again and again; return the number of backups, and the states and their values in turn.")
        .def(
            "evaluate",
            [](Sweeps& self, Vector<std::int64_t> choice, double tol, int most, Vector<double> v) {
                self.check_values(v.shape(0));
                self.check_choice(choice);
                int used = 0;
                {
                    nb::gil_scoped_release release;
                    novum::Team team(self.threads);
                    Rows rows;
                    gather(self.process, choice.data(), team, rows);
                    used = solve(self.process, rows, tol, most, team, v.data());
                }
                return used;
            },
            "choice"_a.noconvert(), "tol"_a, "most"_a, "v"_a.noconvert(),
            "Solve v = T^pi v from v until the residual is below tol; return the products used.")
        .def(
            "modified",
            [](Sweeps& self, double tol, std::int64_t most, bool leaks, Vector<double> v, Vector<std::int64_t> choice, bool keep_path) {
                self.check_values(v.shape(0));
                self.check_choice(choice);
                Outcome outcome{};
                Path path{self.process.n, {}, {}};
                {
                    nb::gil_scoped_release release;
                    novum::Team team(self.threads);
                    outcome = modified(self.process, tol, most, leaks, team, v.data(), choice.data(), keep_path ? &path : nullptr);
                }
                return nb::make_tuple(outcome.low, outcome.high, outcome.sweeps, outcome.rounds, outcome.converged, as_arrays(path));
            },
            "tol"_a, "most"_a, "leaks"_a, "v"_a.noconvert(), "choice"_a.noconvert(), "keep_path"_a,
            "Modified policy iteration; leaves T* v in v; returns (low, high, sweeps, rounds, converged, sweeps and values on the way).");
}
