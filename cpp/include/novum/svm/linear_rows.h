// Rows of a linear machine as its descents take them: dense, or compressed.
//
// Each kind has the product with a vector of weights, the sum into one, the squared norm, and a hint that a row comes soon.
#pragma once
#include "novum/runtime/simd.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace novum::svm {

template <class Real>
struct DenseRows {
    const Real* x;
    std::size_t p;

    NOVUM_CLONES static double dot(const Real* row, const double* w, std::size_t p) {
        double sum[8] = {};
        std::size_t t = 0;
        for (; t + 8 <= p; t += 8)
            for (std::size_t l = 0; l < 8; ++l) sum[l] += static_cast<double>(row[t + l]) * w[t + l];
        for (; t < p; ++t) sum[0] += static_cast<double>(row[t]) * w[t];
        return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
    }
    NOVUM_CLONES static void move(const Real* row, double d, double* w, std::size_t p) {
        for (std::size_t t = 0; t < p; ++t) w[t] += d * static_cast<double>(row[t]);
    }
    double product(std::size_t i, const double* w) const { return dot(x + i * p, w, p); }
    void add(std::size_t i, double d, double* w) const { move(x + i * p, d, w, p); }
    double square(std::size_t i) const {
        double sum = 0;
        for (std::size_t t = 0; t < p; ++t) sum += static_cast<double>(x[i * p + t]) * static_cast<double>(x[i * p + t]);
        return sum;
    }
    void fetch(std::size_t) const {}
};

template <class Real, class Index>
struct SparseRows {
    const Real* values;
    const Index *columns, *starts;

    static std::size_t padded(std::size_t p) { return p; }
    double product(std::size_t i, const double* w) const {
        double sum[4] = {};
        auto k = static_cast<std::size_t>(starts[i]);
        const auto end = static_cast<std::size_t>(starts[i + 1]);
        for (; k + 4 <= end; k += 4)
            for (std::size_t l = 0; l < 4; ++l) sum[l] += static_cast<double>(values[k + l]) * w[columns[k + l]];
        for (; k < end; ++k) sum[0] += static_cast<double>(values[k]) * w[columns[k]];
        return (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
    void add(std::size_t i, double d, double* w) const {
        for (auto k = starts[i]; k < starts[i + 1]; ++k) w[columns[k]] += d * static_cast<double>(values[k]);
    }
    double square(std::size_t i) const {
        double sum = 0;
        for (auto k = starts[i]; k < starts[i + 1]; ++k) sum += static_cast<double>(values[k]) * static_cast<double>(values[k]);
        return sum;
    }
    void fetch(std::size_t i) const {  // rows come in a random order
        const auto k = static_cast<std::size_t>(starts[i]);
        __builtin_prefetch(values + k);
        __builtin_prefetch(columns + k);
    }
};

inline std::uint64_t next(std::uint64_t& state) {  // splitmix64
    std::uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/// Put the first n numbers into an order drawn from `state`.
inline void shuffle(std::uint32_t* order, std::size_t n, std::uint64_t& state) {
    for (std::size_t k = n; k > 1; --k) std::swap(order[k - 1], order[next(state) % k]);
}

}  // namespace novum::svm
