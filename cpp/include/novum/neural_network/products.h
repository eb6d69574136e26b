// Rows of a batch times the weights of a layer. O(rows x in x out).
#pragma once
#include <cstdint>

#include "novum/neural_network/layout.h"

namespace novum::neural_network {

/// Rows of a matrix in compressed form.
template <class Real>
struct Compressed {
    const Real* value = nullptr;
    const std::int64_t *column = nullptr, *start = nullptr;
};

/// out (rows, columns) = start + a (rows, depth) panels; `start` may be null. Rows are whole tiles; out has padded columns.
template <class Real>
void multiply(const Real* a, std::size_t pitch, std::size_t rows, std::size_t depth, const Real* panels, std::size_t panel_rows,
              const Columns& columns, const Real* start, Real* out, std::size_t out_pitch);

/// The same for rows `row[0 .. rows)` of a compressed matrix. O(entries x out).
template <class Real>
void multiply_compressed(const Compressed<Real>& a, const std::int64_t* row, std::size_t rows, const Real* panels, std::size_t panel_rows,
                         const Columns& columns, const Real* start, Real* out, std::size_t out_pitch);

}  // namespace novum::neural_network
