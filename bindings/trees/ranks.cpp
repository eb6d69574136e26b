#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "arrays.h"
#include "novum/trees/ranks.h"

using namespace nanobind::literals;
using namespace tree_arrays;
namespace cd = novum::coded;

namespace {

struct Coded {
    nb::object array;
    std::unique_ptr<cd::Codes> codes;
};

struct Wanted {
    nb::object array;
    cd::Target target;
};

}  // namespace

void bind_trees_ranks(nb::module_& m) {
    nb::class_<Coded>(m, "Codes", "The columns of a table as ranks.")
        .def(nb::new_([](Strided X) {
                 auto codes = std::make_unique<cd::Codes>(dense_table(X));
                 return Coded{nb::cast(X), std::move(codes)};
             }),
             "X"_a.noconvert())
        .def(
            "encode",
            [](Coded& self, std::size_t j) {
                if (j >= self.codes->columns) throw nb::value_error("coded: no such column");
                nb::gil_scoped_release release;
                self.codes->encode(j);
            },
            "column"_a, "Code one column; different columns may be coded at the same time.")
        .def(
            "encode_bytes",
            [](Coded& self, std::size_t j, Vector<const std::uint8_t> byte, Vector<const double> value) {
                if (j >= self.codes->columns || byte.shape(0) != self.codes->rows || value.shape(0) != 256)
                    throw nb::value_error("coded: a byte for every row of a column that is there, and 256 values");
                nb::gil_scoped_release release;
                self.codes->encode(j, byte.data(), value.data());
            },
            "column"_a, "byte"_a.noconvert(), "value"_a.noconvert(), "Code one column of bytes whose values rise with them.")
        .def_prop_ro("shape", [](const Coded& self) { return nb::make_tuple(self.codes->rows, self.codes->columns); });

    nb::class_<Wanted>(m, "Target", "What leaves predict.")
        .def(nb::new_([](int criterion, std::optional<Vector<const std::int32_t>> code, std::optional<Vector<const double>> y,
                         std::size_t classes) {
                 if (criterion < 0 || criterion > 2 || code.has_value() == y.has_value() || code.has_value() != (criterion < 2) ||
                     code.has_value() != (classes > 0))
                     throw nb::value_error("coded: codes of classes go with gini and entropy, numbers with the squared error");
                 Wanted wanted{code ? nb::cast(*code) : nb::cast(*y), {}};
                 cd::Target& target = wanted.target;
                 target.criterion = static_cast<tr::Criterion>(criterion);
                 target.classes = classes;
                 target.rows = code ? code->shape(0) : y->shape(0);
                 bool good = true;
                 if (code) {
                     target.code = code->data();
                     for (std::size_t i = 0; i < target.rows; ++i)
                         good = good && target.code[i] >= 0 && static_cast<std::size_t>(target.code[i]) < classes;
                 } else {
                     target.y = y->data();
                     good = std::all_of(target.y, target.y + target.rows, [](double v) { return std::isfinite(v); });
                 }
                 if (!good) throw nb::value_error("coded: a code outside the classes, or a target that is not finite");
                 if (target.criterion == tr::Criterion::Entropy && classes == 2) {
                     target.x_log_x.resize(2 * target.rows + 2);
                     for (std::size_t i = 1; i < target.x_log_x.size(); ++i)
                         target.x_log_x[i] = static_cast<double>(i) * std::log2(static_cast<double>(i));
                 }
                 return wanted;
             }),
             "criterion"_a, "code"_a.noconvert().none(), "y"_a.noconvert().none(), "classes"_a);

    m.def(
        "grow",
        [](const Coded& coded, const Wanted& wanted, std::optional<Vector<const double>> weight, bool random, std::size_t max_features,
           std::size_t min_split, std::size_t min_leaf, std::size_t max_depth, double min_weight_leaf, double min_decrease,
           std::uint64_t seed) {
            const std::size_t n = coded.codes->rows;
            bool good = wanted.target.rows == n && (!weight || weight->shape(0) == n) && max_features > 0 && min_split >= 2 && min_leaf > 0;
            for (const auto& values : coded.codes->low) good = good && !values.empty();
            if (!good)
                throw nb::value_error(
                    "coded: columns that are not coded, targets or weights that do not fit, or settings that no tree can have");
            if (weight) {
                double total = 0;
                for (std::size_t i = 0; i < n; ++i) {
                    good = good && weight->data()[i] >= 0;
                    total += weight->data()[i];
                }
                if (!good || !(total > 0) || !std::isfinite(total)) throw nb::value_error("coded: weights without a sum, or negative");
            }
            const tr::Settings settings{random, max_features, min_split, min_leaf, max_depth, 0, min_weight_leaf, min_decrease, seed, {}};
            tr::Grown grown;
            {
                nb::gil_scoped_release release;
                grown = cd::grow(*coded.codes, wanted.target, weight ? weight->data() : nullptr, settings);
            }
            return table_of(grown);
        },
        "codes"_a, "target"_a, "weight"_a.noconvert().none(), "random"_a, "max_features"_a, "min_split"_a, "min_leaf"_a, "max_depth"_a,
        "min_weight_leaf"_a, "min_decrease"_a, "seed"_a, "Return the arrays of a tree grown on the rows of positive weight.");
}
