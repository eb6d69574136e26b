#include "novum/manifold/polyline.h"

#include "../arrays.h"

using namespace nb::literals;

namespace {

template <class Real>
void bind_real(nb::module_& m) {
    m.def(
        "project_on_line",
        [](Matrix<const Real> X, Matrix<const double> corners, Vector<const double> arc, Vector<double> place, Vector<double> distance) {
            const std::size_t n = X.shape(0), p = X.shape(1), count = corners.shape(0);
            require(corners.shape(1) == p && arc.size() == count && count > 1 && place.size() == n && distance.size() == n,
                    "project_on_line: inconsistent shapes");
            nb::gil_scoped_release release;
            novum::project_on_line<Real>(X.data(), n, p, corners.data(), arc.data(), count, place.data(), distance.data());
        },
        "X"_a.noconvert(), "corners"_a.noconvert(), "arc"_a.noconvert(), "place"_a.noconvert(), "distance"_a.noconvert(),
        "Write where on a polygonal line every row is projected, and its squared distance to the line.");
}

}  // namespace

void bind_manifold_polyline(nb::module_& m) {
    bind_real<float>(m);
    bind_real<double>(m);
}
