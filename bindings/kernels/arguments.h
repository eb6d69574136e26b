// A kernel as Python names it: kind, gamma, offset, degree.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <string>
#include <tuple>

#include "novum/kernels/function.h"

using KernelArguments = std::tuple<std::string, double, double, int>;

inline novum::kernels::Function function_of(const KernelArguments& given) {
    using novum::kernels::Kind;
    const auto& [name, gamma, offset, degree] = given;
    if (name == "linear") return {Kind::linear, gamma, offset, degree};
    if (name == "poly") return {Kind::polynomial, gamma, offset, degree};
    if (name == "rbf") return {Kind::gaussian, gamma, offset, degree};
    if (name == "sigmoid") return {Kind::sigmoid, gamma, offset, degree};
    throw nanobind::value_error("kernel: linear, poly, rbf or sigmoid");
}
