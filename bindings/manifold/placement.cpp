#include "novum/manifold/placement.h"

#include "../arrays.h"

using namespace nb::literals;

void bind_manifold_placement(nb::module_& m) {
    m.def(
        "place",
        [](Matrix<const double> D, Matrix<const double> P, std::size_t steps, double least, Matrix<double> z) {
            const std::size_t q = P.shape(0), n = P.shape(1), rows = D.shape(0);
            require(n > 0 && D.shape(1) == n && z.shape(0) == rows && z.shape(1) == q, "place: inconsistent shapes");
            nb::gil_scoped_release release;
            novum::place(D.data(), P.data(), rows, n, q, {steps, least}, z.data());
        },
        "D"_a.noconvert(), "P"_a.noconvert(), "steps"_a, "least"_a, "z"_a.noconvert(),
        "Move points to where their stress against fixed points P (q, n) is least; D (rows, n) are their dissimilarities.");
}
