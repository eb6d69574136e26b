// Distances from some rows to all: lines of a full matrix, computed tile by tile of packed columns. O((to - from) n d).
#pragma once
#include <cstddef>

namespace novum::cluster {

/// Write out (to - from, n): |x_i - x_j|_p for i in [from, to), or its square where `squared` and p = 2. Summed in the order of the
/// columns, so that both halves of a matrix have the same bits.
void distance_lines(const double* rows, std::size_t n, std::size_t d, double p, bool squared, std::size_t from, std::size_t to,
                    double* out);

}  // namespace novum::cluster
