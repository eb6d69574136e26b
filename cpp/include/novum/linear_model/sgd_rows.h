// What a step of novum/linear_model/sgd.h does with a row: its product with the weights, its square, its sum with them. O(entries).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "novum/linear_model/sgd.h"
#include "novum/products/whole_rows.h"
#include "novum/runtime/panels.h"
#include "novum/runtime/simd.h"

namespace novum::sgd {

using panel::at;

constexpr std::size_t LINE = 64, MOST_LINES = 16;  // bytes of a cache line; beyond, the processor sees the stream itself

/// Rows that lie one after the other.
template <class Real, int BYTES>
struct Dense : WholeRows<Real, Real, BYTES> {
    using Base = WholeRows<Real, Real, BYTES>;
    explicit NOVUM_INLINE Dense(const DenseRows<Real>& given) : Base(given.x, given.n, given.d) {}
    NOVUM_INLINE void fetch(std::int64_t i) const {
        const char* p = reinterpret_cast<const char*>(this->row(at(i)));
        const std::size_t bytes = std::min(this->d * sizeof(Real), MOST_LINES * LINE);
        for (std::size_t k = 0; k < bytes; k += LINE) __builtin_prefetch(p + k);
    }
    NOVUM_INLINE double product(std::int64_t i, const Real* v) const { return static_cast<double>(Base::product(at(i), v)); }
    NOVUM_INLINE double square(std::int64_t i) const { return static_cast<double>(Base::square(at(i))); }
    NOVUM_INLINE void add(std::int64_t i, Real* v, Real a) const { Base::add(at(i), v, a); }
    template <class To, class F>
    NOVUM_INLINE void each(std::int64_t i, To* to, F f) const {
        const Real* x = this->row(at(i));
        for (std::size_t j = 0; j < this->d; ++j) f(to[j], x[j], j);
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
