#include "novum/runtime/blas_limit.h"

#include <nanobind/nanobind.h>

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <tuple>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Addresses = std::vector<std::tuple<std::uintptr_t, std::uintptr_t>>;

void know(novum::BlasLimit& limit, const Addresses& found, std::uint64_t changes, bool all) {
    std::vector<novum::BlasLimit::Library> libraries;
    for (const auto& [get, set] : found) {
        if (!get || !set) throw nb::value_error("know: a library without its functions");
        libraries.push_back({reinterpret_cast<novum::BlasLimit::Get>(get), reinterpret_cast<novum::BlasLimit::Set>(set)});
    }
    limit.know(libraries, changes, all);
}

}  // namespace

void bind_runtime_blas(nb::module_& m) {
    using novum::BlasLimit;
    nb::class_<BlasLimit>(m, "BlasLimit", "BLAS libraries of process-wide thread pools, kept to one thread while anybody asks for it.")
        .def(nb::init<>())
        .def("enter", &BlasLimit::enter, "Enter once more; return whether the known libraries are all that are loaded.")
        .def("leave", &BlasLimit::leave, "Leave; return whether the known libraries are all there is to restore.")
        .def("know", &know, "found"_a, "changes"_a, "all"_a,
             "Take the addresses of functions (threads, set threads) as the libraries loaded at a count of `library_changes`; `all`: no "
             "other "
             "kind is loaded.")
        .def("after_fork", &BlasLimit::after_fork, "In a forked child: forget the threads that do not exist here.")
        .def_prop_ro("depth", &BlasLimit::depth, "How often it was entered and not left.")
        .def_prop_ro("depth_here", [](const BlasLimit&) { return BlasLimit::depth_here(); }, "The same of this thread.");
}
