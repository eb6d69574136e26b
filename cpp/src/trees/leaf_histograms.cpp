#include "novum/trees/leaf_histograms.h"

#include <algorithm>
#include <cstring>

namespace novum::leaves {

using bins::GROUP;

void advance(const grower::Record* nodes, const grower::Bitset* sets, const std::uint32_t* words, std::size_t n, std::uint8_t missing,
             std::int32_t* leaf) {
    for (std::size_t i = 0; i < n; ++i)
        if (leaf[i] >= 0)
            leaf[i] = static_cast<std::int32_t>(grower::leaf_of(nodes, sets, words, n, i, missing, static_cast<std::uint32_t>(leaf[i])));
}

Sorted sort(const std::int32_t* leaf, std::size_t n, const std::int32_t* slot, std::size_t slots) {
    Sorted out;
    out.begin.assign(slots + 1, 0);
    for (std::size_t i = 0; i < n; ++i)
        if (const std::int32_t s = leaf[i] < 0 ? -1 : slot[leaf[i]]; s >= 0) ++out.begin[static_cast<std::size_t>(s) + 1];
    for (std::size_t s = 0; s < slots; ++s) out.begin[s + 1] += out.begin[s];
    out.rows.resize(out.begin[slots]);
    std::vector<std::size_t> next(out.begin.begin(), out.begin.end() - 1);
    for (std::size_t i = 0; i < n; ++i)
        if (const std::int32_t s = leaf[i] < 0 ? -1 : slot[leaf[i]]; s >= 0)
            out.rows[next[static_cast<std::size_t>(s)]++] = static_cast<std::uint32_t>(i);
    return out;
}

void add_pairs(const Coded& coded, const Sorted& sorted, const histograms::Pair* pairs, histograms::Cell* cells, std::uint32_t* counts) {
    const std::size_t bytes = histograms::column_bytes(coded.width);
    std::vector<histograms::Pair> own(sorted.rows.size());
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = pairs[sorted.rows[i]];
    std::vector<std::byte> scratch(histograms::SCRATCH), found(GROUP * bytes);
    for (std::size_t s = 0; s + 1 < sorted.begin.size(); ++s) {
        const std::size_t begin = sorted.begin[s], rows = sorted.begin[s + 1] - begin;
        for (std::size_t j = 0; j < coded.d; j += GROUP) {
            const std::size_t here = std::min(GROUP, coded.d - j);
            histograms::accumulate(coded.words + j / GROUP * coded.n, sorted.rows.data() + begin, own.data() + begin, rows, here,
                                   coded.width, scratch.data(), found.data());
            for (std::size_t k = 0; k < here; ++k) {
                const std::size_t to = (s * coded.d + j + k) * coded.width;
                std::memcpy(cells + to, histograms::cells(found.data() + k * bytes), coded.width * sizeof(histograms::Cell));
                std::memcpy(counts + to, histograms::counts(found.data() + k * bytes, coded.width), coded.width * sizeof(std::uint32_t));
            }
        }
    }
}

void add_classes(const Coded& coded, const Sorted& sorted, const std::int32_t* code, const std::int32_t* weight, std::size_t classes,
                 std::int64_t* cells, std::uint32_t* counts) {
    for (std::size_t s = 0; s + 1 < sorted.begin.size(); ++s)
        for (std::size_t j = 0; j < coded.d; ++j) {
            const std::uint32_t* words = coded.words + j / GROUP * coded.n;
            const int shift = static_cast<int>(8 * (j % GROUP));
            std::int64_t* cell = cells + (s * coded.d + j) * coded.width * classes;
            std::uint32_t* count = counts + (s * coded.d + j) * coded.width;
            for (std::size_t p = sorted.begin[s]; p < sorted.begin[s + 1]; ++p) {
                const std::uint32_t i = sorted.rows[p];
                const std::size_t b = (words[i] >> shift) & 255;
                cell[b * classes + static_cast<std::size_t>(code[i])] += weight ? weight[i] : 1;
                ++count[b];
            }
        }
}

}  // namespace novum::leaves
