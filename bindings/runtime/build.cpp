#include "novum/runtime/build.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

void bind_runtime_build(nb::module_& m) {
    m.def("compiler", &novum::compiler, "Return the name and version of the compiler.");
    m.def("simd_level", &novum::simd_level, "Return the instruction set whose clones run on this processor.");
    m.def("sanitized", &novum::sanitized, "Return whether the core was built with the sanitizers.");
}
