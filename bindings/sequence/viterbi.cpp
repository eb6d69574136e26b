#include "novum/sequence/viterbi.h"
#include "inputs.h"

using namespace nb::literals;
using namespace novum::sequence;

void bind_sequence_viterbi(nb::module_& m) {
    m.def(
        "decode",
        [](Vector<const double> start, Matrix<const double> trans, Matrix<const double> log_density, Index index,
           Vector<const std::int64_t> offsets, std::optional<Matrix<double>> score, Vector<double> log_prob, Vector<std::int64_t> path) {
            const Chain chain = chain_of(start, trans);
            const Densities densities = densities_of(chain, log_density, index);
            const std::size_t n = index ? index->shape(0) : log_density.shape(0);
            Weight none;
            const Bundle bundle = bundle_of(offsets, none, n);
            require((score ? score->shape(0) == n && score->shape(1) == chain.k : chain.k <= NARROW) && log_prob.shape(0) == bundle.count &&
                        path.shape(0) == n,
                    "viterbi: inconsistent shapes");
            nb::gil_scoped_release release;
            return viterbi(chain, densities, bundle, score ? score->data() : nullptr, log_prob.data(), path.data());
        },
        "start"_a.noconvert(), "trans"_a.noconvert(), "log_density"_a.noconvert(), "index"_a.noconvert().none(), "offsets"_a.noconvert(),
        "score"_a.noconvert().none(), "log_prob"_a.noconvert(), "path"_a.noconvert(),
        "Write the most probable path of every sequence and its log-probability; return the row where the first impossible one ends.");

    m.def(
        "best_paths",
        [](Vector<const double> start, Matrix<const double> trans, Matrix<const double> log_density, Vector<double> log_prob,
           Matrix<std::int64_t> paths) {
            const Chain chain = chain_of(start, trans);
            const Index none;
            const Densities densities = densities_of(chain, log_density, none);
            const std::size_t n = log_density.shape(0), count = paths.shape(0);
            require(n > 0 && count > 0 && paths.shape(1) == n && log_prob.shape(0) == count, "viterbi: inconsistent shapes");
            nb::gil_scoped_release release;
            return best_paths(chain, densities, n, count, log_prob.data(), paths.data());
        },
        "start"_a.noconvert(), "trans"_a.noconvert(), "log_density"_a.noconvert(), "log_prob"_a.noconvert(), "paths"_a.noconvert(),
        "Write the most probable paths of one sequence, best first; return how many there are.");
}
