// Loops of the coded grower over the rows of one node. Two classes: w is the weight of a row and p the part of it in the second class.
// Numbers: w and w y. A cut after code c_i sends rows with codes up to it left.
#pragma once
#include <cstddef>
#include <cstdint>

namespace novum::coded {

inline constexpr std::size_t PAIRS = 128;        // rows up to which two classes are cut by comparing pairs
inline constexpr std::size_t NUMBER_PAIRS = 64;  // the same for numbers, whose lanes are four times as wide
inline constexpr std::size_t BEST_CUTS = 256;    // most cuts that `best` compares: one per bin
inline constexpr int FIELD = 21;                 // bits of each of three counts in one word: rows, weight, second class
inline constexpr std::uint64_t FIELD_MASK = (std::uint64_t(1) << FIELD) - 1;

struct Range {
    std::uint16_t low, high;
};

/// out[i] = code[row[i]], and their range.
Range gather(const std::uint16_t* code, const std::uint32_t* row, std::size_t m, std::uint16_t* out);

/// What a node draws for its columns (tree_draws.h), many at a time: places draw_column(i) for i < count, and shares of thresholds.
void draw_columns(std::uint64_t key, std::uint64_t seed, std::size_t d, std::size_t count, std::size_t* place);
void draw_shares(std::uint64_t key, std::uint64_t seed, const std::uint32_t* column, std::size_t count, double* share);

/// left[i] = sum of w_j, left_p[i] = sum of p_j, left_rows[i] = number of rows j, over codes c_j <= c_i; m <= PAIRS, arrays of PAIRS
/// places. Null left_rows: not wanted.
void pairs(const std::uint16_t* c, const std::uint16_t* w, const std::uint16_t* p, std::size_t m, std::uint16_t* left,
           std::uint16_t* left_p, std::uint16_t* left_rows);

/// The same of numbers; c holds the codes as numbers, m <= NUMBER_PAIRS. Where `right` is given it and right_y get the sums over c_j > c_i.
void pairs(const double* c, const double* w, const double* wy, std::size_t m, double* left, double* left_y, double* right = nullptr,
           double* right_y = nullptr);

/// What cuts must respect.
struct Least {
    double rows, weight;
};

/// The place of the largest (S_L W - W_L S)^2 / (W_L W_R) among k cuts that leave enough on both sides; -1 if none does. Writes the
/// gain. Of gains that differ by no more than `margin` the first wins, or (with codes c) the one with the least code.
template <class Real>
std::ptrdiff_t best(const Real* left, const Real* left_s, const Real* left_rows, std::size_t k, double weight, double s, double rows,
                    Least least, double margin, const std::uint16_t* c, double& gain);

/// The same of cuts whose right sides were added up, too: weights that are not whole do not subtract exactly, and gains divide by them.
std::ptrdiff_t best(const double* left, const double* left_s, const double* right, const double* right_s, const double* left_rows,
                    std::size_t k, double rows, Least least, double margin, const std::uint16_t* c, double& gain);

/// The place of the first (or, with codes c, the least coded) of k gains, as bits, that is as good as the largest; -1 if that is negative.
/// Writes the gain.
std::ptrdiff_t first_best(const std::int64_t* order, std::size_t k, std::int64_t most, double margin, const std::uint16_t* c, double& gain);

/// left[i] = sum of w_j over the `count` codes of other_j <= c_i, for m <= PAIRS codes c; arrays of PAIRS places.
void pairs(const std::uint16_t* c, std::size_t m, const std::uint16_t* other, const std::uint16_t* w, std::size_t count,
           std::uint16_t* left);

/// Gini's gain of k cuts from the weights of every class left of them, left[class * stride + cut], as bits that order as they do; -1 where
/// too little is left on a side. Returns the largest. `before` is what the node itself has of sum W_k^2 / W.
struct ClassSums {
    const double* total;  // per class
    std::size_t classes, stride;
    double weight, rows, before;
};
template <class Count>
std::int64_t class_gains(const Count* left, const Count* left_rows, std::size_t k, const ClassSums& node, Least least, std::int64_t* out);

/// Sums over the rows with codes up to `limit`: weights, second part, and how many they are; of numbers also over the others.
struct Side {
    double weight = 0, s = 0;
    std::size_t rows = 0;
    double other_weight = 0, other_s = 0;
};
Side side(const std::uint16_t* c, const std::uint64_t* packed, std::size_t m, std::uint16_t limit);
Side side(const std::uint16_t* c, const double* w, const double* wy, std::size_t m, std::uint16_t limit);

/// The gain of one cut, as in `best`; -1 where it leaves too little on a side.
double gain_of(const Side& left, double weight, double s, double rows, Least least);

/// The same from both sides of it.
double gain_of(const Side& sides, double rows, Least least);

}  // namespace novum::coded
