// Alias tables: a draw of k classes by one uniform number, whatever k (Walker 1977, in the stable form of Vose 1991).
//
//     cell i = floor(k u):  answer i if k u - i < keep[i], else other[i];   sum over cells gives p exactly to rounding          (1)
#pragma once
#include <cstdint>
#include <span>

namespace novum::sampling {

/// Fill keep and other for probabilities p that sum to one. O(k).
void alias_table(std::span<const double> p, std::span<double> keep, std::span<std::int64_t> other);

/// Answer (1) for every u in [0, 1).
void alias_draw(std::span<const double> keep, std::span<const std::int64_t> other, std::span<const double> u, std::span<std::int64_t> out);

}  // namespace novum::sampling
