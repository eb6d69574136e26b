// Bootstrap resamples without copies: how often each row is drawn, and what statistics need of that. O(n) per resample, no state.
//
//     draw j of resample r  =  floor(n word / 2^32),  words of philox(row = block, iteration = r) in order            (1)
//         words with (n word mod 2^32) < (2^32 mod n) are skipped, so that every row has the same probability (Lemire 2019)
//     sums    S_m   = sum_i c_i x_im                                                                                  (2)
//     cells   S_k   = sum_{i: code_i = k} c_i w_i                                                                     (3)
//     ranking       over groups g of equal scores, best first, with p_g, q_g the positives and negatives in it and
//                   P_g, Q_g those up to and with it:
//             area under ROC        sum_g q_g (P_{g-1} + p_g / 2) / (P Q)                                             (4)
//             under PR, steps       sum_g (p_g / P) P_g / (P_g + Q_g)                                                 (5)
//             under PR, trapezoids  sum_g (p_g / P) (precision_{g-1} + precision_g) / 2,  precision_0 = 1             (6)
// where c_i is how often row i was drawn. NaN where a resample has no positive or no negative.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "novum/runtime/rng.h"

namespace novum::resampling {

// A count fits a byte: more than 255 of n draws on one row have a probability below 1e-500 (and n < 256 cannot exceed it).
using Count = std::uint8_t;

inline constexpr std::uint64_t MAX_ROWS = std::uint64_t(1) << 31;

/// The rows (1) of one resample, as drawn.
void rows(const rng::Stream& stream, std::span<std::int64_t> out);

/// How often each row is drawn; `out` has n places.
void counts(const rng::Stream& stream, std::span<Count> out);

/// (2) for resamples first, ..., first + resamples - 1: x holds `columns` columns of n numbers, out is resamples x columns.
void sums(rng::Stream stream, std::uint32_t resamples, std::span<const double> x, std::size_t n, std::span<Count> scratch, double* out);

/// (3): out is resamples x cells; weight may be empty.
void cells(rng::Stream stream, std::uint32_t resamples, std::span<const std::int32_t> code, std::span<const double> weight,
           std::size_t cells, double* out);

/// Rows from the best score down: their places, labels and weights (may be empty), and whether a row ends its group of equal scores.
struct Ranking {
    std::span<const std::int32_t> order;
    std::span<const std::uint8_t> positive, last;
    std::span<const double> weight;
};

/// (4), and with `precision` (5) and (6): out is resamples x 3.
void ranking(rng::Stream stream, std::uint32_t resamples, const Ranking& ranked, bool precision, std::span<Count> scratch, double* out);

/// The same of given counts, one set of n counts per line: out is resamples x 3.
void areas(std::span<const Count> counts, const Ranking& ranked, bool precision, double* out);

}  // namespace novum::resampling
