// Exact distances to given centers, and the sums of the clusters: O(n d), in double.
#include <cmath>

#include "novum/kmeans/chunk.h"
#include "novum/runtime/interrupt.h"

namespace novum::kmeans {

namespace {

using panel::at;
using panel::Simd;

// LANES coordinates as doubles: a vector of floats half as wide, or the doubles themselves.
template <class Real, int BYTES>
NOVUM_INLINE typename Simd<double, BYTES>::V widen(const Real* p) {
    if constexpr (sizeof(Real) == 8) {
        return Simd<double, BYTES>::load(p);
    } else {
        typedef float Half __attribute__((vector_size(BYTES / 2)));
        Half half;
        std::memcpy(&half, p, sizeof half);
        return __builtin_convertvector(half, typename Simd<double, BYTES>::V);
    }
}

// What a row adds, LANES coordinates at a time, then half as many, and so on: a tail of a few coordinates is no loop over scalars.
template <class Real, bool MEASURE, bool ADD>
struct Row {
    const Real* x;
    const double *origin, *c;
    double w, *sums;
    std::size_t t = 0;

    template <int N>
    NOVUM_INLINE void take(typename Simd<double, N * 8>::V& square) {
        using S = Simd<double, N * 8>;
        const typename S::V offset = widen<Real, N * 8>(x + t) - S::load(origin + t);
        if constexpr (ADD) S::store(sums + t, S::load(sums + t) + w * offset);
        if constexpr (MEASURE) {
            const typename S::V difference = offset - S::load(c + t);
            square += difference * difference;
        }
        t += N;
    }
    template <int N>
    NOVUM_INLINE double rest(typename Simd<double, N * 8>::V square, std::size_t d) {
        if constexpr (N == 2) {
            double total = square[0] + square[1];
            if (t < d) {
                const double offset = static_cast<double>(x[t]) - origin[t];
                if constexpr (ADD) sums[t] += w * offset;
                if constexpr (MEASURE) total += (offset - c[t]) * (offset - c[t]);
            }
            return total;
        } else {
            auto half = panel::halves_sum(square, std::make_integer_sequence<int, N / 2>{});
            if (t + N / 2 <= d) take<N / 2>(half);
            return rest<N / 2>(half, d);
        }
    }
    template <int N>
    NOVUM_INLINE double all(std::size_t d) {
        typename Simd<double, N * 8>::V square{};
        while (t + N <= d) take<N>(square);
        return rest<N>(square, d);
    }
};

template <class Real, bool MEASURE, bool ADD>
struct Statistics {
    template <int N>
    static NOVUM_INLINE int by(const Packed<Real>& centers, const Real* x, const double* weight, std::size_t rows,
                               const std::int32_t* label, double* distance, const Totals& totals) {
        const std::size_t d = centers.d;
        const double* origin = centers.wide_origin.data();
        for (std::size_t i = 0; i < rows; ++i, x += d) {
            const std::size_t j = at(label[i]);
            const double w = ADD && weight ? weight[i] : 1;
            if constexpr (ADD) totals.mass[j] += w;
            Row<Real, MEASURE, ADD> row{x, origin, centers.centered.data() + j * d, w, ADD ? totals.sums + j * d : nullptr};
            const double square = row.template all<N>(d);
            if constexpr (MEASURE) distance[i] = square;
        }
        return 0;
    }
    template <int BYTES>
    static NOVUM_INLINE int run(const Packed<Real>& centers, const Real* x, const double* weight, std::size_t rows,
                                const std::int32_t* label, double* distance, const Totals& totals) {
        constexpr int N = BYTES / 8;
        if (N > 4 && centers.d < at(N)) return by<std::min(N, 4)>(centers, x, weight, rows, label, distance, totals);
        return by<N>(centers, x, weight, rows, label, distance, totals);
    }
};

template <class Real, bool MEASURE, bool ADD, int D>
struct Small {
    template <int BYTES>
    static NOVUM_INLINE int run(const Packed<Real>& centers, const Real* x, const double* weight, std::size_t rows,
                                const std::int32_t* label, double* distance, const Totals& totals) {
        const double* origin = centers.wide_origin.data();
        for (std::size_t i = 0; i < rows; ++i, x += D) {
            const std::size_t j = at(label[i]);
            const double w = ADD && weight ? weight[i] : 1, *c = centers.centered.data() + j * D;
            if constexpr (ADD) totals.mass[j] += w;
            double square = 0;
            for (int t = 0; t < D; ++t) {
                const double offset = static_cast<double>(x[t]) - origin[t];
                if constexpr (ADD) totals.sums[j * D + at(t)] += w * offset;
                square += (offset - c[t]) * (offset - c[t]);
            }
            if constexpr (MEASURE) distance[i] = square;
        }
        return 0;
    }
};

// Centers side by side: every coordinate of a row meets all centers while they are in the first-level cache.
template <class Real>
struct AllDistances {
    template <int BYTES>
    static NOVUM_INLINE int run(const Rows<Real>& rows, const double* columns, std::size_t k, double* square, Real* out) {
        interrupt::Poller<64> poller;
        for (std::size_t i = 0; i < rows.n; ++i, out += k) {
            poller.tick();
            std::fill_n(square, k, 0.0);
            for (std::size_t t = 0; t < rows.d; ++t) {
                const double x = static_cast<double>(rows.x[i * rows.d + t]), *column = columns + t * k;
                for (std::size_t j = 0; j < k; ++j) square[j] += (x - column[j]) * (x - column[j]);
            }
            for (std::size_t j = 0; j < k; ++j) out[j] = static_cast<Real>(std::sqrt(square[j]));
        }
        return 0;
    }
};

}  // namespace

template <class Real>
void all_distances(Rows<Real> rows, Centers centers, Real* out) {
    std::vector<double> columns(centers.k * rows.d), square(centers.k);
    for (std::size_t j = 0; j < centers.k; ++j)
        for (std::size_t t = 0; t < rows.d; ++t) columns[t * centers.k + j] = centers.c[j * rows.d + t];
    widest<AllDistances<Real>>(rows, columns.data(), centers.k, square.data(), out);
}
template void all_distances(Rows<float>, Centers, float*);
template void all_distances(Rows<double>, Centers, double*);

template <class Real, bool MEASURE, bool ADD>
void by_dimension(const Packed<Real>& centers, const Real* x, const double* weight, std::size_t rows, const std::int32_t* label,
                  double* distance, Totals totals) {
    switch (centers.d) {
        case 1: widest<Small<Real, MEASURE, ADD, 1>>(centers, x, weight, rows, label, distance, totals); break;
        case 2: widest<Small<Real, MEASURE, ADD, 2>>(centers, x, weight, rows, label, distance, totals); break;
        case 3: widest<Small<Real, MEASURE, ADD, 3>>(centers, x, weight, rows, label, distance, totals); break;
        default: widest<Statistics<Real, MEASURE, ADD>>(centers, x, weight, rows, label, distance, totals);
    }
}

template <class Real>
void distance_chunk(const Packed<Real>& centers, const Real* x, std::size_t rows, const std::int32_t* label, double* distance) {
    by_dimension<Real, true, false>(centers, x, nullptr, rows, label, distance, {});
}

template <class Real>
void gather_chunk(const Packed<Real>& centers, const Real* x, const double* weight, std::size_t rows, const std::int32_t* label,
                  Totals totals) {
    by_dimension<Real, false, true>(centers, x, weight, rows, label, nullptr, totals);
}

template <class Real>
void settle_chunk(const Packed<Real>& centers, const Real* x, const double* weight, std::size_t rows, const std::int32_t* label,
                  double* distance, Totals totals) {
    by_dimension<Real, true, true>(centers, x, weight, rows, label, distance, totals);
}

#define NOVUM_STATISTICS(Real)                                                                                             \
    template void distance_chunk(const Packed<Real>&, const Real*, std::size_t, const std::int32_t*, double*);             \
    template void gather_chunk(const Packed<Real>&, const Real*, const double*, std::size_t, const std::int32_t*, Totals); \
    template void settle_chunk(const Packed<Real>&, const Real*, const double*, std::size_t, const std::int32_t*, double*, Totals);
NOVUM_STATISTICS(float)
NOVUM_STATISTICS(double)
#undef NOVUM_STATISTICS

}  // namespace novum::kmeans
