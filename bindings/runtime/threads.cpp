#include "novum/runtime/threads.h"

#include "novum/runtime/signal.h"

#include <nanobind/nanobind.h>

namespace nb = nanobind;
using namespace nb::literals;

void bind_runtime_threads(nb::module_& m) {
    nb::class_<novum::Signal>(m, "Signal", "Counts posts; a waiter spins for a moment before it sleeps.")
        .def(nb::init<>())
        // With the GIL held: let go, the thread that wakes would take it, and the caller sleep until it gives it back.
        .def("post", &novum::Signal::post, "Let one waiter go on.")
        .def("asleep", &novum::Signal::asleep, "Return how many waiters sleep, and take long to wake.")
        .def("wait", &novum::Signal::wait, "seconds"_a, nb::call_guard<nb::gil_scoped_release>(),
             "Wait for a post and use it up; give up after `seconds`. Return whether there was one.");
    m.def("forked", &novum::forked, "Return whether this process was forked after the core was loaded.");
    m.def("processor", &novum::processor, "Return the processor that runs the calling thread, or -1 where the system does not tell.");
    m.def("library_changes", &novum::library_changes, "Return a number that changes whenever a shared library is loaded or unloaded.");
}
