#include "novum/sequence/kalman.h"

#include <nanobind/stl/optional.h>
#include <cstdint>
#include <optional>

#include "../arrays.h"

using namespace nb::literals;

namespace {

using Means = Matrix<double>;
using Covariances = Cube<double>;

novum::kalman::Series series_of(const Cube<const double>& cube, std::size_t n, std::size_t rows, std::size_t columns, const char* message) {
    require(cube.shape(1) == rows && cube.shape(2) == columns && (cube.shape(0) == 1 || cube.shape(0) == n), message);
    return {cube.data(), cube.shape(0) == 1 ? 0 : rows * columns};
}

novum::kalman::System system_of(std::size_t n, std::size_t p, std::size_t s, const Cube<const double>& transition,
                                const Cube<const double>& transition_covariance, const std::optional<Matrix<const double>>& offset,
                                const Cube<const double>& observation, const Cube<const double>& observation_covariance) {
    const char* shapes = "kalman: inconsistent shapes";
    require(s > 0 && p > 0, shapes);
    novum::kalman::Series b{nullptr, 0};
    if (offset) {
        require(offset->shape(1) == s && (offset->shape(0) == 1 || offset->shape(0) == n), shapes);
        b = {offset->data(), offset->shape(0) == 1 ? 0 : s};
    }
    return {n,
            p,
            s,
            series_of(transition, n, s, s, shapes),
            series_of(transition_covariance, n, s, s, shapes),
            b,
            series_of(observation, n, p, s, shapes),
            series_of(observation_covariance, n, p, p, shapes)};
}

template <class Pointer>
Pointer routine(std::uintptr_t address) {
    return reinterpret_cast<Pointer>(address);
}

novum::kalman::Library library_of(std::uintptr_t gemm, std::uintptr_t potrf, std::uintptr_t potrs) {
    novum::kalman::Library library;
    library.gemm = routine<decltype(library.gemm)>(gemm);
    library.potrf = routine<decltype(library.potrf)>(potrf);
    library.potrs = routine<decltype(library.potrs)>(potrs);
    return library;
}

double* rows_of(const std::optional<Means>& out, std::size_t n, std::size_t s) {
    if (!out) return nullptr;
    require(out->shape(0) == n && out->shape(1) == s, "kalman: inconsistent shapes");
    return out->data();
}

double* cubes_of(const std::optional<Covariances>& out, std::size_t n, std::size_t s) {
    if (!out) return nullptr;
    require(out->shape(0) == n && out->shape(1) == s && out->shape(2) == s, "kalman: inconsistent shapes");
    return out->data();
}

novum::kalman::Passed passed_of(const Matrix<const double>& predicted_mean, const Cube<const double>& predicted_covariance,
                                const Matrix<const double>& mean, const Cube<const double>& covariance, const char* message) {
    const std::size_t n = mean.shape(0), s = mean.shape(1);
    require(predicted_mean.shape(0) == n && predicted_mean.shape(1) == s, message);
    for (const auto* cubes : {&predicted_covariance, &covariance})
        require(cubes->shape(0) == n && cubes->shape(1) == s && cubes->shape(2) == s, message);
    return {predicted_mean.data(), predicted_covariance.data(), mean.data(), covariance.data()};
}

}  // namespace

void bind_sequence_kalman(nb::module_& m) {
    m.def(
        "filter",
        [](Matrix<const double> X, Cube<const double> transition, Cube<const double> transition_covariance,
           std::optional<Matrix<const double>> offset, Cube<const double> observation, Cube<const double> observation_covariance,
           Vector<const double> mean, Matrix<const double> covariance, std::optional<Means> predicted_mean,
           std::optional<Covariances> predicted_covariance, std::optional<Means> filtered_mean,
           std::optional<Covariances> filtered_covariance, Vector<double> log_likelihood, Vector<double> last_mean,
           Matrix<double> last_covariance, bool root, std::uintptr_t gemm, std::optional<Means> doubt,
           std::optional<Cube<const double>> start_error) -> std::size_t {
            const std::size_t n = X.shape(0), s = mean.shape(0);
            const auto system = system_of(n, X.shape(1), s, transition, transition_covariance, offset, observation, observation_covariance);
            const bool fits = covariance.shape(0) == s && covariance.shape(1) == s && log_likelihood.shape(0) == n &&
                              last_mean.shape(0) == s && last_covariance.shape(0) == s && last_covariance.shape(1) == s;
            require(fits, "kalman.filter: inconsistent shapes");
            const novum::kalman::Filtered out{rows_of(predicted_mean, n, s),
                                              cubes_of(predicted_covariance, n, s),
                                              rows_of(filtered_mean, n, s),
                                              cubes_of(filtered_covariance, n, s),
                                              log_likelihood.data(),
                                              last_mean.data(),
                                              last_covariance.data(),
                                              rows_of(doubt, n, X.shape(1) + 1),
                                              start_error ? start_error->data() : nullptr};
            require(!start_error || (start_error->shape(0) == 2 && start_error->shape(1) == s && start_error->shape(2) == s),
                    "kalman.filter: inconsistent shapes");
            require(!root || (out.predicted_mean && out.predicted_covariance && out.mean && out.covariance),
                    "kalman.filter: factors need all outputs");
            const auto library = library_of(gemm, 0, 0);
            nb::gil_scoped_release release;
            if (!root) return novum::kalman::filter(system, X.data(), mean.data(), covariance.data(), library, out);
            novum::kalman::filter_root(system, X.data(), mean.data(), covariance.data(), out);
            return n;
        },
        "X"_a.noconvert(), "transition"_a.noconvert(), "transition_covariance"_a.noconvert(), "offset"_a.noconvert().none(),
        "observation"_a.noconvert(), "observation_covariance"_a.noconvert(), "mean"_a.noconvert(), "covariance"_a.noconvert(),
        "predicted_mean"_a.noconvert().none(), "predicted_covariance"_a.noconvert().none(), "filtered_mean"_a.noconvert().none(),
        "filtered_covariance"_a.noconvert().none(), "log_likelihood"_a.noconvert(), "last_mean"_a.noconvert(),
        "last_covariance"_a.noconvert(), "root"_a, "gemm"_a, "doubt"_a.noconvert().none() = nb::none(),
        "start_error"_a.noconvert().none() = nb::none(),
        "Filter rows; write predicted and filtered distributions, log-densities and the prediction after the last row. With `root` factors "
        "are\n"
        "read and written in place of covariances, and with `doubt` what rounding may have done. Return the row from which the gains were\n"
        "kept.");

    m.def(
        "smooth",
        [](std::size_t p, Cube<const double> transition, Cube<const double> transition_covariance, Matrix<const double> predicted_mean,
           Cube<const double> predicted_covariance, Matrix<const double> filtered_mean, Cube<const double> filtered_covariance, Means mean,
           Covariances covariance, std::optional<Covariances> lag_one, std::uintptr_t gemm, std::uintptr_t potrf,
           std::uintptr_t potrs) -> bool {
            const char* shapes = "kalman.smooth: inconsistent shapes";
            const std::size_t n = filtered_mean.shape(0), s = filtered_mean.shape(1);
            require(n > 0 && s > 0 && p > 0, shapes);
            const novum::kalman::System system{n,
                                               p,
                                               s,
                                               series_of(transition, n, s, s, shapes),
                                               series_of(transition_covariance, n, s, s, shapes),
                                               {nullptr, 0},
                                               {nullptr, 0},
                                               {nullptr, 0}};
            const auto passed = passed_of(predicted_mean, predicted_covariance, filtered_mean, filtered_covariance, shapes);
            double *means = rows_of(mean, n, s), *covariances = cubes_of(covariance, n, s), *pairs = cubes_of(lag_one, n - 1, s);
            const auto library = library_of(gemm, potrf, potrs);
            nb::gil_scoped_release release;
            return novum::kalman::smooth(system, passed, library, means, covariances, pairs);
        },
        "p"_a, "transition"_a.noconvert(), "transition_covariance"_a.noconvert(), "predicted_mean"_a.noconvert(),
        "predicted_covariance"_a.noconvert(), "filtered_mean"_a.noconvert(), "filtered_covariance"_a.noconvert(), "mean"_a.noconvert(),
        "covariance"_a.noconvert(), "lag_one"_a.noconvert().none(), "gemm"_a, "potrf"_a, "potrs"_a,
        "Smooth what a filter wrote; write means, covariances and, if requested, cov(z[t+1], z[t]). Return False where a predicted "
        "covariance\n"
        "is too near to singular for that: nothing that was written counts then.");

    m.def(
        "smooth_root",
        [](Matrix<const double> X, Cube<const double> transition, Cube<const double> transition_covariance, Cube<const double> observation,
           Cube<const double> observation_covariance, Matrix<const double> predicted_mean, Cube<const double> predicted_root,
           Matrix<const double> filtered_mean, Cube<const double> filtered_root, std::optional<Matrix<const double>> doubt, Means mean,
           Covariances covariance, std::optional<Covariances> lag_one, Vector<double> first_mean, Matrix<double> first_root) {
            const char* shapes = "kalman.smooth_root: inconsistent shapes";
            const std::size_t n = X.shape(0), s = filtered_mean.shape(1);
            require(n > 0 && filtered_mean.shape(0) == n, shapes);
            const auto system =
                system_of(n, X.shape(1), s, transition, transition_covariance, std::nullopt, observation, observation_covariance);
            const auto passed = passed_of(predicted_mean, predicted_root, filtered_mean, filtered_root, shapes);
            double *means = rows_of(mean, n, s), *covariances = cubes_of(covariance, n, s), *pairs = cubes_of(lag_one, n - 1, s);
            require(first_mean.shape(0) == s && first_root.shape(0) == s && first_root.shape(1) == s, shapes);
            require(!doubt || (doubt->shape(0) == n && doubt->shape(1) == X.shape(1) + 1), shapes);
            nb::gil_scoped_release release;
            novum::kalman::smooth_root(system, X.data(), passed, doubt ? doubt->data() : nullptr, means, covariances, pairs,
                                       first_mean.data(), first_root.data());
        },
        "X"_a.noconvert(), "transition"_a.noconvert(), "transition_covariance"_a.noconvert(), "observation"_a.noconvert(),
        "observation_covariance"_a.noconvert(), "predicted_mean"_a.noconvert(), "predicted_root"_a.noconvert(),
        "filtered_mean"_a.noconvert(), "filtered_root"_a.noconvert(), "doubt"_a.noconvert().none(), "mean"_a.noconvert(),
        "covariance"_a.noconvert(), "lag_one"_a.noconvert().none(), "first_mean"_a.noconvert(), "first_root"_a.noconvert(),
        "Smooth what a filter of factors wrote, without an inverse; write means, covariances and, if requested, cov(z[t+1], z[t]), and the "
        "distribution "
        "of\n"
        "the first row's coordinates w, z = m + S w: mean and factor.");
}
