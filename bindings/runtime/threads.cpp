#include "novum/runtime/threads.h"

#include "novum/runtime/interrupt.h"
#include "novum/runtime/signal.h"
#include "novum/runtime/team.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <chrono>

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

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double team_seconds(int threads, std::uint32_t items, double item_seconds, int rounds) {
    if (items >= (1u << 20) || rounds < 1) throw nb::value_error("fewer than 2^20 items, and at least one round");
    novum::Team team(threads);
    const auto start = std::chrono::steady_clock::now();
    for (int round = 0; round < rounds; ++round)
        team.run(items, [&](std::uint32_t, int) {
            if (item_seconds <= 0) return;
            const double begin = novum::own_seconds();
            while (novum::own_seconds() - begin < item_seconds) {}
        });
    return seconds_since(start) / rounds;
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
    nb::class_<novum::Team>(m, "Team", "Threads that share the items of short jobs; they sleep when idle and end with the object.")
        .def(nb::init<int>(), "threads"_a)
        .def_prop_ro("size", &novum::Team::size, "How many threads there are, the caller among them.");
    m.def("rehearse", &novum::rehearse, "on"_a,
          "Let teams of threads made from now on do all items in the caller's thread and note their times; or end that. Return the seconds"
          " that reading the clock takes, once for every item.");
    m.def("rehearsed", &novum::rehearsed,
          "Return the seconds (time.thread_time) of every item, for every job of a team since the last call.");
    m.def("team_seconds", &team_seconds, "threads"_a, "items"_a, "item_seconds"_a, "rounds"_a, nb::call_guard<nb::gil_scoped_release>(),
          "Return the seconds of one job of a team: `items` items that each keep a thread busy for `item_seconds`; mean of `rounds` jobs.");
    m.def("forked", &novum::forked, "Return whether this process was forked after the core was loaded.");
    m.def("processor", &novum::processor, "Return the processor that runs the calling thread, or -1 where the system does not tell.");
    m.def("library_changes", &novum::library_changes, "Return a number that changes whenever a shared library is loaded or unloaded.");
}
