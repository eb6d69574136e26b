// From scores of classes to their posterior: softmax, its logarithm, or the best class of every row.
//
//   log p[c] = s[c] - max s - log sum_c exp(s[c] - max s),     p[c] = exp(s[c] - max s) / sum_c exp(s[c] - max s)         (1)
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum {

enum class Posterior { share, logarithm };

/// Replace the scores (n, k) of every row by (1), in double whatever Real is. A row of -inf alone gives NaN. O(n k).
template <class Real>
void normalize_rows(Real* score, std::size_t n, std::size_t k, Posterior what);

/// Write the position of the largest score of every row, the first of equals. O(n k).
template <class Real>
void best_of_rows(const Real* score, std::size_t n, std::size_t k, std::int64_t* label);

}  // namespace novum
