#include "novum/sampling/alias.h"
#include "../arrays.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

using namespace nb::literals;

void bind_sampling_alias(nb::module_& m) {
    m.def(
        "table",
        [](Vector<const double> p, Vector<double> keep, Vector<std::int64_t> other) {
            require(p.size() > 0 && keep.size() == p.size() && other.size() == p.size(), "alias: inconsistent shapes");
            nb::gil_scoped_release release;
            novum::sampling::alias_table({p.data(), p.size()}, {keep.data(), keep.size()}, {other.data(), other.size()});
        },
        "p"_a.noconvert(), "keep"_a.noconvert(), "other"_a.noconvert(), "Fill the alias table of probabilities that sum to one.");
    m.def(
        "draw",
        [](Vector<const double> keep, Vector<const std::int64_t> other, Vector<const double> u, Vector<std::int64_t> out) {
            require(keep.size() > 0 && other.size() == keep.size() && out.size() == u.size(), "alias: inconsistent shapes");
            for (std::size_t j = 0; j < u.size(); ++j) require(u.data()[j] >= 0 && u.data()[j] < 1, "alias: u lies in [0, 1)");
            nb::gil_scoped_release release;
            novum::sampling::alias_draw({keep.data(), keep.size()}, {other.data(), other.size()}, {u.data(), u.size()},
                                        {out.data(), out.size()});
        },
        "keep"_a.noconvert(), "other"_a.noconvert(), "u"_a.noconvert(), "out"_a.noconvert(), "Draw a class for every u in [0, 1).");
}
