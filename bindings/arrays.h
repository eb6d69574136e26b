// The arrays that bindings take: contiguous, on the processor, nothing converted; and the check that refuses what does not fit.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Cube = nb::ndarray<T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

/// Refuse arguments for which `holds` is false.
inline void require(bool holds, const char* message) {
    if (!holds) throw nb::value_error(message);
}
