#include "novum/threads.h"

#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_threads(nb::module_& m) {
    m.def("forked", &novum::forked, "Return whether this process was forked after the core was loaded.");
    m.def("library_changes", &novum::library_changes, "Return a number that changes whenever a shared library is loaded or unloaded.");
}
