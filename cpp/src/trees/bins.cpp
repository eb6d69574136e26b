#include "novum/trees/bins.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "novum/runtime/simd.h"

namespace novum::bins {

namespace {

constexpr std::size_t SLOTS = 256;   // a search of 8 halvings over 255 padded edges
constexpr std::size_t BATCH = 1024;  // rows coded column by column at a time: values and codes stay in the first-level cache

/// Codes of one column, a batch of rows: eight halvings without a branch, interleaved over rows by the compiler.
template <class Real>
NOVUM_INLINE void search(const double* edge, const Real* x, std::size_t step, std::size_t rows, std::uint8_t missing, std::uint8_t* code) {
    for (std::size_t i = 0; i < rows; ++i) {
        const double value = static_cast<double>(x[i * step]);
        std::size_t at = 0;
#pragma GCC unroll 8
        for (std::size_t half = SLOTS / 2; half > 0; half /= 2) at += edge[at + half - 1] < value ? half : 0;
        code[i] = std::isnan(value) ? missing : static_cast<std::uint8_t>(at);
    }
}

template <class Real>
NOVUM_INLINE void categorize(std::int32_t count, const Real* x, std::size_t step, std::size_t rows, std::uint8_t missing,
                             std::uint8_t* code) {
    for (std::size_t i = 0; i < rows; ++i) {
        const double value = static_cast<double>(x[i * step]);
        code[i] = value >= 0 && value < count ? static_cast<std::uint8_t>(value) : missing;
    }
}

}  // namespace

template <class Real>
void encode(const Real* x, std::size_t rows, const Edges& edges, std::uint32_t* out, std::size_t stride, std::size_t first) {
    std::vector<double> padded(SLOTS * edges.d, std::numeric_limits<double>::infinity());
    for (std::size_t j = 0; j < edges.d; ++j) {
        const std::int64_t count = std::min<std::int64_t>(edges.start[j + 1] - edges.start[j], SLOTS - 1);
        std::copy_n(edges.values + edges.start[j], count, padded.data() + j * SLOTS);
    }
    std::uint8_t code[GROUP][BATCH];
    for (std::size_t start = 0; start < rows; start += BATCH) {
        const std::size_t count = std::min(BATCH, rows - start);
        for (std::size_t j = 0; j < edges.d; j += GROUP) {
            for (std::size_t k = 0; k < GROUP; ++k) {
                if (j + k >= edges.d) {
                    std::fill_n(code[k], count, std::uint8_t(0));
                    continue;
                }
                const Real* column = x + start * edges.d + j + k;
                if (edges.categories[j + k] > 0)
                    categorize(edges.categories[j + k], column, edges.d, count, edges.missing, code[k]);
                else
                    search(padded.data() + (j + k) * SLOTS, column, edges.d, count, edges.missing, code[k]);
            }
            std::uint32_t* word = out + (j / GROUP) * stride + first + start;
            for (std::size_t i = 0; i < count; ++i)
                word[i] = std::uint32_t(code[0][i]) | std::uint32_t(code[1][i]) << 8 | std::uint32_t(code[2][i]) << 16 |
                          std::uint32_t(code[3][i]) << 24;
        }
    }
}

template void encode<float>(const float*, std::size_t, const Edges&, std::uint32_t*, std::size_t, std::size_t);
template void encode<double>(const double*, std::size_t, const Edges&, std::uint32_t*, std::size_t, std::size_t);

}  // namespace novum::bins
