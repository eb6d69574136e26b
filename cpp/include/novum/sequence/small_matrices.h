// Square matrices of a size known when compiled (S > 0) or not (S = 0), row by row; zeros of the left factor cost nothing in the latter.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "novum/runtime/simd.h"

namespace novum::kalman {

template <int S>
NOVUM_INLINE std::size_t size_of(std::size_t s) {
    return S > 0 ? static_cast<std::size_t>(S) : s;
}

constexpr double EPS = std::numeric_limits<double>::epsilon();

/// out = A B.
template <int S>
NOVUM_INLINE void product(std::size_t runtime, const double* A, const double* B, double* out) {
    const std::size_t s = size_of<S>(runtime);
    for (std::size_t i = 0; i < s; ++i) {
        double* row = out + i * s;
        for (std::size_t j = 0; j < s; ++j) row[j] = 0;
        for (std::size_t k = 0; k < s; ++k) {
            const double a = A[i * s + k];
            if (S == 0 && a == 0) continue;
            for (std::size_t j = 0; j < s; ++j) row[j] += a * B[k * s + j];
        }
    }
}

/// out = A B', by dot products: for sizes known when compiled.
template <int S>
NOVUM_INLINE void product_transposed(std::size_t runtime, const double* A, const double* B, double* out) {
    const std::size_t s = size_of<S>(runtime);
    for (std::size_t i = 0; i < s; ++i)
        for (std::size_t j = 0; j < s; ++j) {
            double sum = 0;
            for (std::size_t k = 0; k < s; ++k) sum += A[i * s + k] * B[j * s + k];
            out[i * s + j] = sum;
        }
}

template <int S>
NOVUM_INLINE void transpose(std::size_t runtime, const double* A, double* out) {
    const std::size_t s = size_of<S>(runtime);
    for (std::size_t i = 0; i < s; ++i)
        for (std::size_t j = 0; j < s; ++j) out[j * s + i] = A[i * s + j];
}

/// Copy the mean of a matrix and its transpose onto both.
template <int S>
NOVUM_INLINE void symmetrize(std::size_t runtime, double* A) {
    const std::size_t s = size_of<S>(runtime);
    for (std::size_t i = 0; i < s; ++i)
        for (std::size_t j = 0; j < i; ++j) A[i * s + j] = A[j * s + i] = 0.5 * (A[i * s + j] + A[j * s + i]);
}

/// out = A x.
template <int S>
NOVUM_INLINE void times_vector(std::size_t runtime, const double* A, const double* x, double* out) {
    const std::size_t s = size_of<S>(runtime);
    for (std::size_t i = 0; i < s; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < s; ++k) sum += A[i * s + k] * x[k];
        out[i] = sum;
    }
}

/// The factors of a positive semidefinite matrix, L D L' with unit lower L over A's lower triangle and D on its diagonal. A pivot that is
/// rounding noise beside its diagonal is zero, and so is its column: what a solve then gives is a generalised inverse.
template <int S>
NOVUM_INLINE void factor(std::size_t runtime, double* A, double* diagonal) {
    const std::size_t s = size_of<S>(runtime);
    const double noise = 8 * static_cast<double>(s) * EPS;
    for (std::size_t j = 0; j < s; ++j) diagonal[j] = A[j * s + j];
    for (std::size_t j = 0; j < s; ++j) {
        double pivot = A[j * s + j];
        for (std::size_t k = 0; k < j; ++k) pivot -= A[j * s + k] * A[j * s + k] * A[k * s + k];
        const bool zero = !(pivot > noise * diagonal[j]);
        A[j * s + j] = zero ? 0 : pivot;
        for (std::size_t i = j + 1; i < s; ++i) {
            double value = A[i * s + j];
            for (std::size_t k = 0; k < j; ++k) value -= A[i * s + k] * A[j * s + k] * A[k * s + k];
            A[i * s + j] = zero ? 0 : value / pivot;
        }
    }
}

/// Solve (L D L') X = B for all columns of B at once, in place.
template <int S>
NOVUM_INLINE void solve(std::size_t runtime, const double* L, double* B) {
    const std::size_t s = size_of<S>(runtime);
    for (std::size_t i = 0; i < s; ++i)
        for (std::size_t k = 0; k < i; ++k) {
            const double l = L[i * s + k];
            for (std::size_t j = 0; j < s; ++j) B[i * s + j] -= l * B[k * s + j];
        }
    for (std::size_t i = 0; i < s; ++i) {
        const double scale = L[i * s + i] > 0 ? 1 / L[i * s + i] : 0;
        for (std::size_t j = 0; j < s; ++j) B[i * s + j] *= scale;
    }
    for (std::size_t i = s; i-- > 0;)
        for (std::size_t k = i + 1; k < s; ++k) {
            const double l = L[k * s + i];
            for (std::size_t j = 0; j < s; ++j) B[i * s + j] -= l * B[k * s + j];
        }
}

/// Whether two covariances agree to rounding, each cell beside its own variances.
template <int S>
NOVUM_INLINE bool settled(std::size_t runtime, const double* A, const double* B) {
    const std::size_t s = size_of<S>(runtime);
    constexpr double TOLERANCE = 16 * EPS;  // a few roundings of the products that make a step
    for (std::size_t i = 0; i < s; ++i)
        if (!(std::abs(A[i * s + i] - B[i * s + i]) <= TOLERANCE * A[i * s + i])) return false;
    for (std::size_t i = 0; i < s; ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (!(std::abs(A[i * s + j] - B[i * s + j]) <= TOLERANCE * std::sqrt(A[i * s + i] * A[j * s + j]))) return false;
    return true;
}

}  // namespace novum::kalman
