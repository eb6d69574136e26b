#include "novum/threads.h"

#include "novum/signal.h"

#include <nanobind/nanobind.h>

namespace nb = nanobind;
using namespace nb::literals;

void bind_threads(nb::module_& m) {
    nb::class_<novum::Signal>(m, "Signal", "Counts posts; a waiter spins for a moment before it sleeps.")
        .def(nb::init<>())
        .def("post", &novum::Signal::post, nb::call_guard<nb::gil_scoped_release>(), "Let one waiter go on.")
        .def("wait", &novum::Signal::wait, "seconds"_a, nb::call_guard<nb::gil_scoped_release>(),
             "Wait for a post and use it up; give up after `seconds`. Return whether there was one.");
    m.def("forked", &novum::forked, "Return whether this process was forked after the core was loaded.");
    m.def("library_changes", &novum::library_changes, "Return a number that changes whenever a shared library is loaded or unloaded.");
}
