#include "novum/linear_model/logistic_dual.h"
#include "../arrays.h"
#include "novum/runtime/indices.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>

using namespace nb::literals;

namespace {

template <class T>
using Flat = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Out = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Codes = Flat<std::int64_t>;
using Weight = std::optional<Flat<double>>;

template <class Real, class Index>
void bind(nb::module_& m) {
    m.def(
        "epoch",
        [](Flat<Real> data, Flat<Index> indices, Flat<Index> indptr, Codes y, Weight weight, double strength, double constant,
           int intercept, Codes order, Out sums, Out a, Out w) {
            require(intercept >= 0 && intercept <= 2 && sums.size() == 2, "epoch: intercept is 0, 1 or 2, and there are two sums");
            require(indptr.size() >= 1 && w.size() >= 1, "epoch: indptr and w need an entry");
            const std::size_t rows = indptr.size() - 1;
            const auto count = static_cast<std::size_t>(indptr.data()[rows] - indptr.data()[0]);
            require(std::is_sorted(indptr.data(), indptr.data() + rows + 1), "epoch: indptr must not fall");
            require(data.size() == count && indices.size() == count, "epoch: data and indices need a value per entry");
            require(novum::inside(indices.data(), count, w.size() - 1), "epoch: a column out of range");
            require(y.size() == rows && (!weight || weight->size() == rows) && a.size() == rows && order.size() == rows,
                    "epoch: a value per row");
            require(novum::inside(order.data(), rows, rows), "epoch: a row that does not exist");
            nb::gil_scoped_release release;
            const novum::Csr<Real, Index> X{data.data(), indices.data(), indptr.data(), rows, w.size() - 1};
            const novum::Labels labels{y.data(), weight ? weight->data() : nullptr};
            novum::DualSums kept{sums.data()[0], sums.data()[1]};
            const double moved = novum::dual_epoch<Real, Index>(X, labels, strength, constant, static_cast<novum::Intercept>(intercept),
                                                                order.data(), kept, a.data(), w.data());
            sums.data()[0] = kept.excess;
            sums.data()[1] = kept.bend;
            return moved;
        },
        "data"_a.noconvert(), "indices"_a.noconvert(), "indptr"_a.noconvert(), "y"_a.noconvert(), "weight"_a.noconvert().none(),
        "strength"_a, "constant"_a, "intercept"_a, "order"_a.noconvert(), "sums"_a.noconvert(), "a"_a.noconvert(), "w"_a.noconvert(),
        "Give every row its turn in the dual; return how far w moved. intercept: 0 none, 1 penalised, 2 free.");
}

}  // namespace

void bind_linear_model_logistic_dual(nb::module_& m) {
    bind<float, std::int32_t>(m);
    bind<float, std::int64_t>(m);
    bind<double, std::int32_t>(m);
    bind<double, std::int64_t>(m);
}
