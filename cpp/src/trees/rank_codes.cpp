#include <algorithm>

#include "novum/trees/ranks.h"

namespace novum::coded {

Codes::Codes(const tree::Table& given)
    : rows(given.rows), columns(given.columns), code(rows * columns), low(columns), high(columns), table(given) {}

void Codes::encode(std::size_t j) {
    std::vector<std::uint64_t> key(rows), key_scratch(rows);
    std::vector<std::uint32_t> index(rows), index_scratch(rows);
    for (std::size_t i = 0; i < rows; ++i) {
        key[i] = tree::key_of(table.at(i, j));
        index[i] = static_cast<std::uint32_t>(i);
    }
    tree::radix_sort(key, index, key_scratch, index_scratch, rows);
    std::size_t distinct = 1;
    for (std::size_t p = 1; p < rows; ++p) distinct += key[p] != key[p - 1];
    const bool exact = distinct <= CODES;
    low[j].clear();
    high[j].clear();
    low[j].reserve(std::min(distinct, CODES));
    std::uint16_t* out = code.data() + j * rows;
    std::size_t run = 0;  // of values that share a code, where they must
    for (std::size_t p = 0; p < rows; ++p) {
        const double x = table.at(index[p], j);
        const std::size_t here = exact ? 0 : p * CODES / rows;
        if (p == 0 || (key[p] != key[p - 1] && (exact || here != run))) {
            low[j].push_back(x);
            if (!exact) high[j].push_back(x);
            run = here;
        }
        if (!exact) high[j].back() = x;
        out[index[p]] = static_cast<std::uint16_t>(low[j].size() - 1);
    }
}

void Codes::encode(std::size_t j, const std::uint8_t* byte, const double* value) {
    std::uint16_t rank[256] = {};
    for (std::size_t i = 0; i < rows; ++i) rank[byte[i]] = 1;
    low[j].clear();
    high[j].clear();
    for (std::size_t b = 0; b < 256; ++b) {
        if (!rank[b]) continue;
        rank[b] = static_cast<std::uint16_t>(low[j].size());
        low[j].push_back(value[b]);
    }
    for (std::size_t i = 0; i < rows; ++i) code[j * rows + i] = rank[byte[i]];
}

void Codes::values(std::size_t j, const std::uint32_t* row, std::size_t m, double* out) const {
    const auto read = [&](const auto* cells) {
        cells += static_cast<std::ptrdiff_t>(j) * table.column_stride;
        for (std::size_t i = 0; i < m; ++i) out[i] = static_cast<double>(cells[static_cast<std::ptrdiff_t>(row[i]) * table.row_stride]);
    };
    table.single ? read(static_cast<const float*>(table.cells)) : read(static_cast<const double*>(table.cells));
}

}  // namespace novum::coded
