#include "novum/kernels/waves.h"

#include "../arrays.h"

using namespace nb::literals;

namespace {

template <class Real>
void cosines(Matrix<Real> phase, Vector<const Real> offset, double scale) {
    require(offset.shape(0) == phase.shape(1), "cosines: an offset per column");
    nb::gil_scoped_release release;
    novum::cosines(phase.data(), phase.shape(0), phase.shape(1), offset.data(), scale);
}

}  // namespace

void bind_kernels_waves(nb::module_& m) {
    m.def("cosines", &cosines<float>, "phase"_a.noconvert(), "offset"_a.noconvert(), "scale"_a);
    m.def("cosines", &cosines<double>, "phase"_a.noconvert(), "offset"_a.noconvert(), "scale"_a,
          "Turn phases into scale cos(phase + offset), in place.");
}
