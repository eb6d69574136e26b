#include "novum/runtime/build.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "novum/runtime/simd.h"

namespace nb = nanobind;

void bind_runtime_build(nb::module_& m) {
    m.def("compiler", &novum::compiler, "Return the name and version of the compiler.");
    m.def("simd_level", &novum::simd_level, "Return the instruction level whose kernels run on this processor.");
    m.def("levels", &novum::levels, "Return the instruction levels that were compiled.");
    m.def("simd_bytes", &novum::simd_bytes, "Return the bytes of the vectors of kernels that block registers by hand.");
    m.def("sanitized", &novum::sanitized, "Return whether the core was built with the sanitizers.");
}
