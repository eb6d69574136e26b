#include "novum/trees/columns.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace novum::tree {

namespace {

constexpr std::size_t FEW = 8192;  // rows up to which many counters take longer than one or two more passes

/// Sort by digits of so many bits: the counters of a pass stay in the first cache.
template <int DIGIT>
void sort_by_digits(std::vector<std::uint64_t>& key, std::vector<std::uint32_t>& index, std::vector<std::uint64_t>& key_scratch,
                    std::vector<std::uint32_t>& index_scratch, std::size_t m) {
    constexpr int PASSES = (64 + DIGIT - 1) / DIGIT;
    constexpr std::size_t BUCKETS = std::size_t(1) << DIGIT;
    std::vector<std::uint32_t> count(PASSES * BUCKETS, 0);
    for (std::size_t i = 0; i < m; ++i)
        for (int pass = 0; pass < PASSES; ++pass) ++count[pass * BUCKETS + ((key[i] >> (pass * DIGIT)) & (BUCKETS - 1))];
    for (int pass = 0; pass < PASSES && m > 0; ++pass) {
        std::uint32_t* c = count.data() + pass * BUCKETS;
        if (c[(key[0] >> (pass * DIGIT)) & (BUCKETS - 1)] == m) continue;
        std::uint32_t before = 0;
        for (std::size_t b = 0; b < BUCKETS; ++b) before += std::exchange(c[b], before);
        for (std::size_t i = 0; i < m; ++i) {
            const std::uint32_t to = c[(key[i] >> (pass * DIGIT)) & (BUCKETS - 1)]++;
            key_scratch[to] = key[i];
            index_scratch[to] = index[i];
        }
        key.swap(key_scratch);
        index.swap(index_scratch);
    }
}

}  // namespace

double Table::at(std::size_t i, std::size_t j) const {
    if (!sparse()) {
        const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(i) * row_stride + static_cast<std::ptrdiff_t>(j) * column_stride;
        return single ? static_cast<const float*>(cells)[place] : static_cast<const double*>(cells)[place];
    }
    const std::int32_t *first = row + begin[j], *last = row + begin[j + 1];
    const auto* found = std::lower_bound(first, last, static_cast<std::int32_t>(i));
    return found != last && *found == static_cast<std::int32_t>(i) ? value[found - row] : 0.0;
}

void radix_sort(std::vector<std::uint64_t>& key, std::vector<std::uint32_t>& index, std::vector<std::uint64_t>& key_scratch,
                std::vector<std::uint32_t>& index_scratch, std::size_t m) {
    (m <= FEW ? sort_by_digits<8> : sort_by_digits<11>)(key, index, key_scratch, index_scratch, m);
}

Columns::Columns(const Table& given, std::vector<std::int32_t> level_numbers, Layout wanted)
    : table(given), levels(std::move(level_numbers)), layout(wanted), distinct(given.columns, 0), gaps(given.columns, 0) {
    const std::size_t cells = table.sparse() ? static_cast<std::size_t>(table.begin[table.columns]) : table.rows * table.columns;
    if (layout == Layout::Order) order.resize(table.rows * table.columns);
    if (layout == Layout::Ranks) rank.resize(cells);
    if (table.sparse()) zero_rank.resize(table.columns, 0);
}

void Columns::sort(std::size_t j) {
    if (table.sparse())
        sort_sparse(j);
    else
        sort_dense(j);
}

void Columns::sort_dense(std::size_t j) {
    const std::size_t n = table.rows;
    std::vector<std::uint64_t> key(n), key_scratch(n);
    std::vector<std::uint32_t> index(n), index_scratch(n), lost;
    std::size_t m = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double x = value(i, j);
        if (std::isnan(x)) {
            lost.push_back(static_cast<std::uint32_t>(i));
            continue;
        }
        key[m] = key_of(x);
        index[m++] = static_cast<std::uint32_t>(i);
    }
    gaps[j] = !lost.empty();
    if (layout == Layout::Values) return;
    radix_sort(key, index, key_scratch, index_scratch, m);
    std::uint32_t seen = 0;
    for (std::size_t p = 0; p < m; ++p) {
        const bool fresh = p == 0 || key[p] != key[p - 1];
        seen += fresh;
        if (layout == Layout::Order)
            order[j * n + p] = index[p] | (fresh ? NEW : 0u);
        else
            rank[j * n + index[p]] = levels[j] > 0 ? static_cast<std::uint32_t>(table.at(index[p], j)) : seen - 1;
    }
    distinct[j] = levels[j] > 0 ? static_cast<std::uint32_t>(levels[j]) : seen;
    for (std::size_t p = 0; p < lost.size(); ++p) {
        if (layout == Layout::Order)
            order[j * n + m + p] = lost[p] | MISSING | (p == 0 ? NEW : 0u);
        else
            rank[j * n + lost[p]] = NO_RANK;
    }
}

void Columns::sort_sparse(std::size_t j) {
    const auto first = static_cast<std::size_t>(table.begin[j]), m = static_cast<std::size_t>(table.begin[j + 1]) - first;
    if (layout != Layout::Ranks) return;
    std::vector<std::uint64_t> key(m), key_scratch(m);
    std::vector<std::uint32_t> index(m), index_scratch(m);
    for (std::size_t p = 0; p < m; ++p) {
        key[p] = key_of(table.value[first + p]);
        index[p] = static_cast<std::uint32_t>(p);
    }
    radix_sort(key, index, key_scratch, index_scratch, m);
    const std::uint64_t zero = key_of(0.0);
    std::uint32_t seen = 0;
    bool passed = false;
    for (std::size_t p = 0; p < m; ++p) {
        const bool fresh = p == 0 || key[p] != key[p - 1];
        if (!passed && key[p] >= zero) {
            passed = true;
            zero_rank[j] = seen;
            seen += key[p] != zero;  // the cells that are not stored have a rank of their own, unless a stored zero brings it
        }
        seen += fresh;
        rank[first + index[p]] = seen - 1;
    }
    if (!passed) zero_rank[j] = seen++;
    distinct[j] = seen;
}

void Columns::values(std::size_t j, const std::uint32_t* row, std::size_t m, double* out) const {
    if (table.sparse()) {
        for (std::size_t i = 0; i < m; ++i) out[i] = table.at(row[i], j);
        return;
    }
    const auto copy = [&](const auto* cells) {
        const auto* column = cells + static_cast<std::ptrdiff_t>(j) * table.column_stride;
        for (std::size_t i = 0; i < m; ++i) out[i] = static_cast<double>(column[static_cast<std::ptrdiff_t>(row[i]) * table.row_stride]);
    };
    if (table.single)
        copy(static_cast<const float*>(table.cells));
    else
        copy(static_cast<const double*>(table.cells));
    if (levels[j] > 0)
        for (std::size_t i = 0; i < m; ++i) out[i] = clean(out[i], j);
}

void Columns::ranks(std::size_t j, const std::uint32_t* row, std::size_t m, std::uint32_t* out) const {
    if (!table.sparse()) {
        const std::uint32_t* of = rank.data() + j * table.rows;
        for (std::size_t i = 0; i < m; ++i) out[i] = of[row[i]];
        return;
    }
    const std::int32_t *first = table.row + table.begin[j], *last = table.row + table.begin[j + 1];
    for (std::size_t i = 0; i < m; ++i) {
        const auto* found = std::lower_bound(first, last, static_cast<std::int32_t>(row[i]));
        const bool stored = found != last && *found == static_cast<std::int32_t>(row[i]);
        out[i] = stored ? rank[static_cast<std::size_t>(found - table.row)] : zero_rank[j];
    }
}

}  // namespace novum::tree
