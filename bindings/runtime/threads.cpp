#include "novum/runtime/threads.h"

#include "novum/runtime/interrupt.h"
#include "novum/runtime/signal.h"

#include <nanobind/nanobind.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

unsigned long main_thread = 0;

/// Let Python handle the signals that came; throw what a handler raises, such as KeyboardInterrupt. In the main thread alone.
void handle_signals() {
    if (PyThread_get_thread_ident() != main_thread) return;
    nb::gil_scoped_acquire hold;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace

void bind_runtime_threads(nb::module_& m) {
    main_thread = nb::cast<unsigned long>(nb::module_::import_("threading").attr("main_thread")().attr("ident"));
    novum::interrupt::listen(&handle_signals);
    nb::class_<novum::interrupt::Flag>(m, "Flag", "Raised by one thread to stop the kernels of others.")
        .def(nb::init<>())
        .def("lift", &novum::interrupt::Flag::raise, "Stop the kernels of the threads that follow this flag.");
    m.def(
        "follow", [](const novum::interrupt::Flag* flag) { novum::interrupt::follow(flag); }, "flag"_a.none(),
        "Let the kernels of this thread stop when a flag is raised; None: no longer. The caller keeps the flag alive.");
    m.def(
        "poll",
        [] {
            nb::gil_scoped_release release;
            novum::interrupt::poll();
        },
        "Raise if this thread's kernels shall stop.");
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
