// Counts of what structured objects are made of, and inner products of counts.
//
// Sequences of symbols: every start i and every pattern of k places 0 = o_1 < ... < o_k gives the word s[i + o_1] .. s[i + o_k]. Words are
// distinguished exactly: where k symbols fit into 64 bits they are the key, else a prefix is replaced by its number, letter by letter.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace novum::kernels {

/// Rows of counts: entries pointer[i] .. pointer[i + 1] - 1 belong to object i.
struct Counts {
    std::vector<std::int64_t> pointer, column;
    std::vector<double> count;
    std::size_t vocabulary = 0;
};

/// Count the words of sequences that end at `ends` in `symbols`, each below 2^bits; `patterns` has shape (n_patterns, k). Columns are
/// numbered in the order in which words first occur. O(symbols n_patterns), k times that where words are long.
Counts words(const std::uint32_t* symbols, const std::int64_t* ends, std::size_t n, const std::int32_t* patterns, std::size_t n_patterns,
             std::size_t k, int bits);

/// out[i, j] = sum_c a[i, c] b[j, c] for sparse rows a and b, b given by columns; where `same`, j <= i is computed and mirrored.
/// O(sum over columns of entries of a times entries of b + n m).
void products(const std::int64_t* pointer, const std::int64_t* column, const double* count, std::size_t n, const std::int64_t* by_pointer,
              const std::int64_t* by_row, const double* by_count, std::size_t m, bool same, double* out);

/// One round of Weisfeiler and Lehman: nodes get the same new label if and only if they have the same label and the same labels around
/// them, with repetitions. New labels are numbered in the order of the nodes; returns how many there are. O(edges log degree).
std::uint32_t refine(const std::int64_t* pointer, const std::int64_t* neighbor, std::size_t n, const std::uint32_t* label,
                     std::uint32_t* refined);

}  // namespace novum::kernels
