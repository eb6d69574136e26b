#include "novum/manifold/stress.h"

#include "../arrays.h"

using namespace nb::literals;

void bind_manifold_stress(nb::module_& m) {
    m.def(
        "guttman_rows",
        [](Matrix<const double> D, Matrix<const double> Z, std::size_t begin, std::size_t end, Matrix<double> moved, Vector<double> stress,
           Vector<double> square) {
            const std::size_t q = Z.shape(0), n = Z.shape(1);
            require(D.shape(0) == n && D.shape(1) == n && begin <= end && end <= n, "guttman_rows: inconsistent shapes");
            require(moved.shape(0) == end - begin && moved.shape(1) == q && stress.size() == end - begin && square.size() == end - begin,
                    "guttman_rows: inconsistent shapes");
            nb::gil_scoped_release release;
            novum::guttman_rows(D.data(), Z.data(), n, q, begin, end, moved.data(), stress.data(), square.data());
        },
        "D"_a.noconvert(), "Z"_a.noconvert(), "begin"_a, "end"_a, "moved"_a.noconvert(), "stress"_a.noconvert(), "square"_a.noconvert(),
        "Write stress and squared distances of some points, and where the Guttman transform moves them; Z is (q, n).");
    m.def(
        "disparities",
        [](Matrix<const double> Z, Vector<const std::int32_t> first, Vector<const std::int32_t> second, Vector<const std::int64_t> group,
           double total, Matrix<double> D) {
            const std::size_t n = Z.shape(0), pairs = first.size(), groups = group.size() ? group.size() - 1 : 0;
            require(second.size() == pairs && D.shape(0) == n && D.shape(1) == n && group.size() > 0, "disparities: inconsistent shapes");
            require(group.data()[0] == 0 && group.data()[groups] == static_cast<std::int64_t>(pairs),
                    "disparities: groups do not cover the pairs");
            for (std::size_t g = 0; g < groups; ++g) require(group.data()[g] < group.data()[g + 1], "disparities: an empty group");
            for (std::size_t t = 0; t < pairs; ++t) {
                const auto i = first.data()[t], j = second.data()[t];
                require(i >= 0 && j >= 0 && static_cast<std::size_t>(i) < n && static_cast<std::size_t>(j) < n,
                        "disparities: no such point");
            }
            nb::gil_scoped_release release;
            novum::disparities(Z.data(), n, Z.shape(1), first.data(), second.data(), pairs, group.data(), groups, total, D.data());
        },
        "Z"_a.noconvert(), "first"_a.noconvert(), "second"_a.noconvert(), "group"_a.noconvert(), "total"_a, "D"_a.noconvert(),
        "Write the disparities of points (n, q): distances made monotone in the order of the pairs.");
}
