// Arrays of the numbers of rng.h: out[i * columns + j] belongs to row start_row + i and column j. O(rows x columns), no state.
#pragma once
#include <cstdint>
#include <span>

#include "novum/runtime/rng.h"

namespace novum::rng {

/// The raw 64 bits, (1) of rng.h.
void fill_bits(const Stream& stream, std::uint64_t start_row, std::size_t columns, std::span<std::uint64_t> out);

/// Uniform on [0, 1), (2).
template <class Real>
void fill_uniform(const Stream& stream, std::uint64_t start_row, std::size_t columns, std::span<Real> out);

/// Standard normal, (5); floats are rounded doubles.
template <class Real>
void fill_normal(const Stream& stream, std::uint64_t start_row, std::size_t columns, std::span<Real> out);

/// Standard exponential, (6); floats are rounded doubles.
template <class Real>
void fill_exponential(const Stream& stream, std::uint64_t start_row, std::size_t columns, std::span<Real> out);

/// Integers 0, ..., n - 1, (4).
void fill_below(const Stream& stream, std::uint64_t start_row, std::size_t columns, std::uint64_t n, std::span<std::int64_t> out);

/// A permutation of 0, ..., out.size() - 1 (Fisher and Yates; the swap of place i uses row i).
void permutation(const Stream& stream, std::span<std::int64_t> out);

}  // namespace novum::rng
