// What the recursions take from Python, after their checks: the kernels index without looking.
#pragma once
#include <nanobind/stl/optional.h>

#include <optional>

#include "../arrays.h"
#include "novum/sequence/chain.h"

using Weight = std::optional<Vector<const double>>;
using Index = std::optional<Vector<const std::int64_t>>;

inline novum::sequence::Chain chain_of(const Vector<const double>& start, const Matrix<const double>& trans) {
    const std::size_t k = start.shape(0);
    require(k > 0 && trans.shape(0) == k && trans.shape(1) == k, "sequence: start (k,) and trans (k, k) do not fit");
    return {k, start.data(), trans.data()};
}

inline novum::sequence::Densities densities_of(const novum::sequence::Chain& chain, const Matrix<const double>& log_density,
                                               const Index& index) {
    require(log_density.shape(1) == chain.k, "sequence: one log-density per state");
    const auto rows = static_cast<std::int64_t>(log_density.shape(0));
    for (std::size_t t = 0; index && t < index->shape(0); ++t) require(index->data()[t] < rows, "sequence: an index beyond the table");
    return {log_density.data(), index ? index->data() : nullptr, chain.k};
}

inline novum::sequence::Bundle bundle_of(const Vector<const std::int64_t>& offsets, const Weight& weight, std::size_t n) {
    require(offsets.shape(0) > 0 && offsets.data()[0] == 0, "sequence: offsets begin with 0");
    const std::size_t count = offsets.shape(0) - 1;
    for (std::size_t s = 0; s < count; ++s) require(offsets.data()[s] <= offsets.data()[s + 1], "sequence: offsets fall");
    require(static_cast<std::size_t>(offsets.data()[count]) == n, "sequence: offsets do not end with the rows");
    require(!weight || weight->shape(0) == count, "sequence: one weight per sequence");
    return {offsets.data(), count, weight ? weight->data() : nullptr};
}
