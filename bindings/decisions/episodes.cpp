#include "novum/decisions/prediction.h"
#include "world.h"

#include <nanobind/stl/optional.h>

#include <optional>

using namespace nb::literals;
using namespace novum::decisions;

namespace {

Prediction plan_of(int view, bool first_visit, bool weighted, bool replacing, int n_steps, double trace_decay,
                   const std::optional<Vector<const double>>& visit_rate, double rate) {
    require(view >= 0 && view <= 3 && n_steps > 0 && trace_decay >= 0 && trace_decay <= 1, "prediction: a parameter is out of range");
    require(!visit_rate || visit_rate->shape(0) > 0, "prediction: no step sizes");
    return {static_cast<View>(view),
            first_visit,
            weighted,
            replacing,
            n_steps,
            trace_decay,
            visit_rate ? visit_rate->data() : nullptr,
            visit_rate ? visit_rate->shape(0) : 0,
            rate};
}

Estimate estimate_of(std::size_t n, Vector<double>& v, Vector<double>& weight, Vector<std::int64_t>& visits) {
    require(v.shape(0) == n && weight.shape(0) == n && visits.shape(0) == n, "prediction: one number per state");
    return {v.data(), weight.data(), visits.data()};
}

using Table = std::optional<Matrix<const double>>;
using Row = std::optional<Vector<const double>>;

}  // namespace

void bind_decisions_episodes(nb::module_& m) {
    nb::class_<LivedWorld>(m, "World")
        .def(nb::init<std::size_t, Vector<const std::int64_t>, Vector<const std::int32_t>, Vector<const std::int64_t>,
                      Vector<const std::int32_t>, Vector<const double>, Vector<const double>, Vector<const std::uint8_t>,
                      Vector<const double>, double>(),
             "m"_a, "first"_a.noconvert(), "action"_a.noconvert(), "start"_a.noconvert(), "next"_a.noconvert(), "bound"_a.noconvert(),
             "gain"_a.noconvert(), "terminal"_a.noconvert(), "begin"_a.noconvert(), "discount"_a)
        .def(
            "simulate",
            [](LivedWorld& self, Matrix<const double> sums, std::int32_t state, std::int64_t most, std::uint64_t seed,
               std::uint32_t purpose, std::uint32_t starts, std::uint32_t run, Vector<double> returns, Vector<double> totals,
               Vector<std::int32_t> lengths) {
                self.check_policy(sums);
                const std::size_t episodes = returns.shape(0);
                require(state < static_cast<std::int32_t>(self.world.n) && totals.shape(0) == episodes && lengths.shape(0) == episodes,
                        "simulate: inconsistent shapes");
                nb::gil_scoped_release release;
                simulate(self.world, sums.data(), state, static_cast<std::int64_t>(episodes), most, self.draws(seed, purpose, starts, run),
                         returns.data(), totals.data(), lengths.data());
            },
            "sums"_a.noconvert(), "state"_a, "most"_a, "seed"_a, "purpose"_a, "starts"_a, "run"_a, "returns"_a.noconvert(),
            "totals"_a.noconvert(), "lengths"_a.noconvert(), "Write returns, totals and lengths of episodes of a policy.")
        .def(
            "predict",
            [](LivedWorld& self, int view, bool first_visit, bool weighted, bool replacing, int n_steps, double trace_decay,
               std::optional<Vector<const double>> visit_rate, double rate, Matrix<const double> behavior, Table ratios,
               std::int64_t episodes, std::int64_t most, std::uint64_t seed, std::uint32_t purpose, std::uint32_t starts, std::uint32_t run,
               Vector<double> v, Vector<double> weight, Vector<std::int64_t> visits, Row truth, Row share,
               std::optional<Vector<double>> errors, Diary* diary) {
                const Prediction plan = plan_of(view, first_visit, weighted, replacing, n_steps, trace_decay, visit_rate, rate);
                const std::size_t n = self.world.n;
                const Estimate estimate = estimate_of(n, v, weight, visits);
                self.check_policy(behavior);
                require(!ratios || (ratios->shape(0) == n && ratios->shape(1) == self.world.m), "predict: ratios of another shape");
                require(!errors || (truth && share && truth->shape(0) == n && share->shape(0) == n &&
                                    errors->shape(0) == static_cast<std::size_t>(episodes)),
                        "predict: the truth has another shape");
                nb::gil_scoped_release release;
                predict(self.world, plan, behavior.data(), ratios ? ratios->data() : nullptr, episodes, most,
                        self.draws(seed, purpose, starts, run), estimate, truth ? truth->data() : nullptr, share ? share->data() : nullptr,
                        errors ? errors->data() : nullptr, diary);
            },
            "view"_a, "first_visit"_a, "weighted"_a, "replacing"_a, "n_steps"_a, "trace_decay"_a, "visit_rate"_a.noconvert().none(),
            "rate"_a, "behavior"_a.noconvert(), "ratios"_a.noconvert().none(), "episodes"_a, "most"_a, "seed"_a, "purpose"_a, "starts"_a,
            "run"_a, "v"_a.noconvert(), "weight"_a.noconvert(), "visits"_a.noconvert(), "truth"_a.noconvert().none(),
            "share"_a.noconvert().none(), "errors"_a.noconvert().none(), "diary"_a.none() = nb::none(),
            "Live episodes and learn the values of states from them.");

    m.def(
        "learn",
        [](int view, bool first_visit, bool weighted, bool replacing, int n_steps, double trace_decay,
           std::optional<Vector<const double>> visit_rate, double rate, double discount, Vector<const std::int32_t> states,
           Vector<const double> rewards, Row ratios, Vector<const std::int64_t> offsets, Vector<const std::uint8_t> ended, Vector<double> v,
           Vector<double> weight, Vector<std::int64_t> visits) {
            const Prediction plan = plan_of(view, first_visit, weighted, replacing, n_steps, trace_decay, visit_rate, rate);
            const std::size_t n = v.shape(0), count = ended.shape(0);
            const Estimate estimate = estimate_of(n, v, weight, visits);
            require(offsets.shape(0) == count + 1 && offsets.data()[0] == 0 && states.shape(0) == rewards.shape(0) + count &&
                        offsets.data()[count] == static_cast<std::int64_t>(rewards.shape(0)) &&
                        (!ratios || ratios->shape(0) == rewards.shape(0)) && novum::inside(states.data(), states.shape(0), n),
                    "learn: inconsistent shapes");
            for (std::size_t k = 0; k < count; ++k) require(offsets.data()[k] <= offsets.data()[k + 1], "learn: episodes out of order");
            nb::gil_scoped_release release;
            Predictor predictor(plan, estimate, n, discount);
            for (std::size_t k = 0; k < count; ++k) {
                const std::int64_t from = offsets.data()[k];
                predictor.learn({states.data() + from + static_cast<std::int64_t>(k), rewards.data() + from,
                                 ratios ? ratios->data() + from : nullptr, offsets.data()[k + 1] - from, ended.data()[k] != 0});
            }
        },
        "view"_a, "first_visit"_a, "weighted"_a, "replacing"_a, "n_steps"_a, "trace_decay"_a, "visit_rate"_a.noconvert().none(), "rate"_a,
        "discount"_a, "states"_a.noconvert(), "rewards"_a.noconvert(), "ratios"_a.noconvert().none(), "offsets"_a.noconvert(),
        "ended"_a.noconvert(), "v"_a.noconvert(), "weight"_a.noconvert(), "visits"_a.noconvert(),
        "Learn the values of states from given episodes, one behind another; each has one state more than rewards.");
}
