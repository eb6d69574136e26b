// What a step of novum/linear_model/sgd.h does with a row: its product with the weights, its square, its sum with them. O(entries).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "novum/linear_model/sgd.h"
#include "novum/runtime/panels.h"
#include "novum/runtime/simd.h"

namespace novum::sgd {

using panel::at;
using panel::Simd;

constexpr std::size_t LINE = 64, MOST_LINES = 16;  // bytes of a cache line; beyond, the processor sees the stream itself

/// Rows that lie one after the other. The weights they meet fill whole vectors, zeros behind the last: a weight that was stored as a part
/// of one vector and is read as a part of another would make the next row wait.
template <class Real, int BYTES>
struct Dense {
    using S = Simd<Real, BYTES>;
    using V = typename S::V;
    static constexpr std::size_t L = at(S::LANES);
    DenseRows<Real> rows;
    std::size_t whole;
    const Real* end;
    typename S::I kept{};  // lanes of the vector behind the whole ones

    explicit NOVUM_INLINE Dense(const DenseRows<Real>& given) : rows(given), whole(given.d / L * L), end(given.x + given.n * given.d) {
        for (std::size_t l = 0; l < L; ++l) kept[l] = l < rows.d - whole ? -1 : 0;
    }
    static std::size_t padded(std::size_t d) { return (d + L - 1) / L * L; }
    NOVUM_INLINE const Real* row(std::int64_t i) const { return rows.x + at(i) * rows.d; }
    NOVUM_INLINE void fetch(std::int64_t i) const {
        const char* p = reinterpret_cast<const char*>(row(i));
        const std::size_t bytes = std::min(rows.d * sizeof(Real), MOST_LINES * LINE);
        for (std::size_t k = 0; k < bytes; k += LINE) __builtin_prefetch(p + k);
    }
    /// What of a row follows its whole vectors: a vector that reaches into the next row, cut, or a copy where there is none.
    NOVUM_INLINE V rest(const Real* x) const {
        if (static_cast<std::size_t>(end - x) >= whole + L) {
            const V all = S::load(x + whole);
            typename S::I bits;
            std::memcpy(&bits, &all, sizeof bits);
            bits &= kept;
            V cut;
            std::memcpy(&cut, &bits, sizeof cut);
            return cut;
        }
        Real last[L] = {};
        for (std::size_t j = whole; j < rows.d; ++j) last[j - whole] = x[j];
        return S::load(last);
    }
    NOVUM_INLINE Real dot(const Real* x, const Real* v, V last) const {
        V s0{}, s1{}, s2{}, s3{};
        std::size_t i = 0;
        for (; i + 4 * L <= whole; i += 4 * L) {
            s0 += S::load(x + i) * S::load(v + i);
            s1 += S::load(x + i + L) * S::load(v + i + L);
            s2 += S::load(x + i + 2 * L) * S::load(v + i + 2 * L);
            s3 += S::load(x + i + 3 * L) * S::load(v + i + 3 * L);
        }
        if (i + L <= whole) s0 += S::load(x + i) * S::load(v + i);
        if (i + 2 * L <= whole) s1 += S::load(x + i + L) * S::load(v + i + L);
        if (i + 3 * L <= whole) s2 += S::load(x + i + 2 * L) * S::load(v + i + 2 * L);
        if (whole < rows.d) s3 += rest(x) * last;
        return panel::total<S::LANES>(whole > L ? (s0 + s1) + (s2 + s3) : s0 + s3);  // a short row waits for one addition less
    }
    NOVUM_INLINE double product(std::int64_t i, const Real* v) const {
        return static_cast<double>(dot(row(i), v, whole < rows.d ? S::load(v + whole) : V{}));
    }
    NOVUM_INLINE double square(std::int64_t i) const { return static_cast<double>(dot(row(i), row(i), rest(row(i)))); }
    NOVUM_INLINE void add(std::int64_t i, Real* v, Real a) const {
        const Real* x = row(i);
        for (std::size_t j = 0; j < whole; j += L) S::store(v + j, S::load(v + j) + a * S::load(x + j));
        if (whole < rows.d) S::store(v + whole, S::load(v + whole) + a * rest(x));
    }
    template <class To, class F>
    NOVUM_INLINE void each(std::int64_t i, To* to, F f) const {
        const Real* x = row(i);
        for (std::size_t j = 0; j < rows.d; ++j) f(to[j], x[j], j);
    }
};

/// Rows of entries.
template <class Real, class Index>
struct Sparse {
    SparseRows<Real, Index> rows;
    static std::size_t padded(std::size_t d) { return d; }
    NOVUM_INLINE void fetch(std::int64_t i) const {
        const std::size_t first = at(rows.start[at(i)]),
                          count = std::min(at(rows.start[at(i) + 1]) - first, MOST_LINES * LINE / sizeof(Real));
        for (std::size_t k = 0; k < count; k += LINE / sizeof(Real)) __builtin_prefetch(rows.value + first + k);
        for (std::size_t k = 0; k < count; k += LINE / sizeof(Index)) __builtin_prefetch(rows.column + first + k);
    }
    template <class To, class F>
    NOVUM_INLINE void each(std::int64_t i, To* to, F f) const {
        for (std::size_t e = at(rows.start[at(i)]); e < at(rows.start[at(i) + 1]); ++e)
            f(to[at(rows.column[e])], rows.value[e], at(rows.column[e]));
    }
    NOVUM_INLINE void add(std::int64_t i, Real* v, Real a) const {
        each(i, v, [a](Real& w, Real x, std::size_t) NOVUM_LAMBDA { w += a * x; });
    }
    NOVUM_INLINE double product(std::int64_t i, const Real* v) const {
        double s0 = 0, s1 = 0, s2 = 0, s3 = 0;  // four chains: one would wait for itself
        std::size_t e = at(rows.start[at(i)]);
        const std::size_t end = at(rows.start[at(i) + 1]);
        const auto term = [&](std::size_t k)
                              NOVUM_LAMBDA { return static_cast<double>(v[at(rows.column[k])]) * static_cast<double>(rows.value[k]); };
        for (; e + 4 <= end; e += 4) {
            s0 += term(e);
            s1 += term(e + 1);
            s2 += term(e + 2);
            s3 += term(e + 3);
        }
        for (; e < end; ++e) s0 += term(e);
        return (s0 + s1) + (s2 + s3);
    }
    NOVUM_INLINE double square(std::int64_t i) const {
        double sum = 0;
        for (std::size_t e = at(rows.start[at(i)]); e < at(rows.start[at(i) + 1]); ++e)
            sum += static_cast<double>(rows.value[e]) * static_cast<double>(rows.value[e]);
        return sum;
    }
};

}  // namespace novum::sgd
