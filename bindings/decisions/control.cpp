#include "novum/decisions/control.h"
#include "diary.h"
#include "novum/decisions/adp.h"
#include "world.h"

#include <nanobind/stl/optional.h>

#include <optional>

using namespace nb::literals;
using namespace novum::decisions;

void bind_decisions_control(nb::module_& m) {
    bind_diary(m);
    m.def(
        "learn",
        [](LivedWorld& lived, int method, double trace_decay, bool replacing, double target_epsilon, int planning, bool softmax,
           bool any_start, std::int64_t most, Vector<const double> exploration, std::optional<Vector<const double>> episode_rate,
           std::optional<Vector<const double>> visit_rate, std::uint64_t seed, std::uint32_t purpose, std::uint32_t starts,
           std::uint32_t run, Matrix<double> q, Matrix<std::int64_t> visits, Vector<double> totals, Vector<std::int32_t> lengths,
           Diary* diary) {
            const std::size_t n = lived.world.n, width = lived.world.m, episodes = exploration.shape(0);
            require(method >= 0 && method <= 3 && planning >= 0 && (episode_rate.has_value() != visit_rate.has_value()),
                    "control: a parameter is out of range");
            require(q.shape(0) == n && q.shape(1) == width && visits.shape(0) == n && visits.shape(1) == width &&
                        totals.shape(0) == episodes && lengths.shape(0) == episodes &&
                        (!episode_rate || episode_rate->shape(0) == episodes) && (!visit_rate || visit_rate->shape(0) > 0),
                    "control: inconsistent shapes");
            const Control plan{static_cast<Method>(method),
                               trace_decay,
                               replacing,
                               target_epsilon,
                               planning,
                               softmax,
                               any_start,
                               static_cast<std::int64_t>(episodes),
                               most,
                               exploration.data(),
                               episode_rate ? episode_rate->data() : nullptr,
                               visit_rate ? visit_rate->data() : nullptr,
                               visit_rate ? visit_rate->shape(0) : 0};
            nb::gil_scoped_release release;
            return control(lived.world, plan, lived.draws(seed, purpose, starts, run), q.data(), visits.data(), totals.data(),
                           lengths.data(), diary);
        },
        "world"_a, "method"_a, "trace_decay"_a, "replacing"_a, "target_epsilon"_a, "planning"_a, "softmax"_a, "any_start"_a, "most"_a,
        "exploration"_a.noconvert(), "episode_rate"_a.noconvert().none(), "visit_rate"_a.noconvert().none(), "seed"_a, "purpose"_a,
        "starts"_a, "run"_a, "q"_a.noconvert(), "visits"_a.noconvert(), "totals"_a.noconvert(), "lengths"_a.noconvert(),
        "diary"_a.none() = nb::none(), "Learn action values by acting, one run; return the steps taken.");

    m.def(
        "monte_carlo",
        [](LivedWorld& lived, int method, bool first_visit, std::int64_t most, Vector<const double> exploration, std::uint64_t seed,
           std::uint32_t purpose, std::uint32_t starts, std::uint32_t run, Matrix<double> q, Matrix<double> weight, Vector<double> totals,
           Vector<std::int32_t> lengths, Diary* diary) {
            const std::size_t n = lived.world.n, width = lived.world.m, episodes = exploration.shape(0);
            require(method >= 0 && method <= 2, "monte_carlo: no such method");
            require(q.shape(0) == n && q.shape(1) == width && weight.shape(0) == n && weight.shape(1) == width &&
                        totals.shape(0) == episodes && lengths.shape(0) == episodes,
                    "monte_carlo: inconsistent shapes");
            const CarloControl plan{static_cast<Carlo>(method), first_visit, static_cast<std::int64_t>(episodes), most, exploration.data()};
            nb::gil_scoped_release release;
            return carlo_control(lived.world, plan, lived.draws(seed, purpose, starts, run), q.data(), weight.data(), totals.data(),
                                 lengths.data(), diary);
        },
        "world"_a, "method"_a, "first_visit"_a, "most"_a, "exploration"_a.noconvert(), "seed"_a, "purpose"_a, "starts"_a, "run"_a,
        "q"_a.noconvert(), "weight"_a.noconvert(), "totals"_a.noconvert(), "lengths"_a.noconvert(), "diary"_a.none() = nb::none(),
        "Monte Carlo control, one run; return the steps taken.");

    m.def(
        "adapt",
        [](LivedWorld& lived, std::int64_t most, std::int64_t backups, double tol, double optimism, std::int64_t tries,
           Vector<const double> exploration, std::optional<Matrix<const double>> policy, std::uint64_t seed, std::uint32_t purpose,
           std::uint32_t starts, std::uint32_t run, Matrix<double> q, Matrix<std::int64_t> visits, Vector<double> u, Vector<double> totals,
           Vector<std::int32_t> lengths, Diary* diary) {
            const std::size_t n = lived.world.n, width = lived.world.m, episodes = exploration.shape(0);
            require(q.shape(0) == n && q.shape(1) == width && visits.shape(0) == n && visits.shape(1) == width && u.shape(0) == n &&
                        totals.shape(0) == episodes && lengths.shape(0) == episodes,
                    "adapt: inconsistent shapes");
            if (policy) lived.check_policy(*policy);
            const Adaptive plan{static_cast<std::int64_t>(episodes), most, backups, tol, optimism, tries, exploration.data(),
                                policy ? policy->data() : nullptr};
            nb::gil_scoped_release release;
            return adapt(lived.world, plan, lived.draws(seed, purpose, starts, run), q.data(), visits.data(), u.data(), totals.data(),
                         lengths.data(), diary);
        },
        "world"_a, "most"_a, "backups"_a, "tol"_a, "optimism"_a, "tries"_a, "exploration"_a.noconvert(), "policy"_a.noconvert().none(),
        "seed"_a, "purpose"_a, "starts"_a, "run"_a, "q"_a.noconvert(), "visits"_a.noconvert(), "u"_a.noconvert(), "totals"_a.noconvert(),
        "lengths"_a.noconvert(), "diary"_a.none() = nb::none(),
        "Learn a model by counting and plan on it, one run; return the steps taken.");
}
