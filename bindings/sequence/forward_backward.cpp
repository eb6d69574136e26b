#include "novum/sequence/forward_backward.h"
#include "inputs.h"

#include <nanobind/stl/tuple.h>

using namespace nb::literals;
using namespace novum::sequence;

void bind_sequence_forward_backward(nb::module_& m) {
    m.def(
        "run",
        [](Vector<const double> start, Matrix<const double> trans, Matrix<const double> log_density, Index index,
           Vector<const std::int64_t> offsets, Weight weight, Vector<double> log_likelihood, std::optional<Matrix<double>> filtered,
           std::optional<Matrix<double>> smoothed, std::optional<Matrix<double>> pairs, std::optional<Matrix<double>> emitted) {
            const Chain chain = chain_of(start, trans);
            const Densities densities = densities_of(chain, log_density, index);
            const Bundle bundle = bundle_of(offsets, weight, index ? index->shape(0) : log_density.shape(0));
            const std::size_t n = index ? index->shape(0) : log_density.shape(0), k = chain.k;
            auto fits = [&](auto& a, std::size_t rows) { return !a || (a->shape(0) == rows && a->shape(1) == k); };
            require(log_likelihood.shape(0) == bundle.count && fits(filtered, n) && fits(smoothed, n) && fits(pairs, k) &&
                        fits(emitted, log_density.shape(0)) && !((pairs || emitted) && !smoothed) && !(emitted && !index),
                    "forward_backward: inconsistent shapes");
            Answers answers{log_likelihood.data(), filtered ? filtered->data() : nullptr, smoothed ? smoothed->data() : nullptr,
                            pairs ? pairs->data() : nullptr, emitted ? emitted->data() : nullptr};
            Failure failure;
            {
                nb::gil_scoped_release release;
                failure = forward_backward(chain, densities, bundle, answers);
            }
            return std::tuple(static_cast<int>(failure.trouble), failure.row, answers.repeated);
        },
        "start"_a.noconvert(), "trans"_a.noconvert(), "log_density"_a.noconvert(), "index"_a.noconvert().none(), "offsets"_a.noconvert(),
        "weight"_a.noconvert().none(), "log_likelihood"_a.noconvert(), "filtered"_a.noconvert().none(), "smoothed"_a.noconvert().none(),
        "pairs"_a.noconvert().none(), "emitted"_a.noconvert().none(),
        "Write the log-likelihood of every sequence, filtered or smoothed shares of the states, and add the expected transitions, and of a "
        "table the expected rows. Returns"
        " what went wrong (0 nothing, 1 an impossible row, 2 NaN), in which row, and how many sequences needed logarithms.");
}
