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

template <class Real>
struct Distance {
    template <int BYTES>
    static NOVUM_INLINE int run(const Packed<Real>& centers, const double* origin, const Real* x, std::size_t rows,
                                const std::int32_t* label, double* distance) {
        using S = Simd<double, BYTES>;
        const std::size_t d = centers.d;
        for (std::size_t i = 0; i < rows; ++i, x += d) {
            const double* c = centers.centered.data() + at(label[i]) * d;
            typename S::V sum{};
            std::size_t t = 0;
            for (; t + S::LANES <= d; t += S::LANES) {
                const typename S::V difference = (widen<Real, BYTES>(x + t) - S::load(origin + t)) - S::load(c + t);
                sum += difference * difference;
            }
            double tail = 0;
            for (; t < d; ++t) {
                const double difference = (static_cast<double>(x[t]) - origin[t]) - c[t];
                tail += difference * difference;
            }
            distance[i] = panel::total<S::LANES>(sum) + tail;
        }
        return 0;
    }
};

template <class Real, int D>
struct SmallDistance {
    template <int BYTES>
    static NOVUM_INLINE int run(const Packed<Real>& centers, const double* origin, const Real* x, std::size_t rows,
                                const std::int32_t* label, double* distance) {
        for (std::size_t i = 0; i < rows; ++i, x += D) {
            const double* c = centers.centered.data() + at(label[i]) * D;
            double sum = 0;
            for (int t = 0; t < D; ++t) {
                const double difference = (static_cast<double>(x[t]) - origin[t]) - c[t];
                sum += difference * difference;
            }
            distance[i] = sum;
        }
        return 0;
    }
};

template <class Real>
struct Gather {
    template <int BYTES>
    static NOVUM_INLINE int run(const double* origin, const Real* x, const double* weight, std::size_t rows, std::size_t d,
                                const std::int32_t* label, const Totals& totals) {
        using S = Simd<double, BYTES>;
        for (std::size_t i = 0; i < rows; ++i, x += d) {
            const std::size_t j = at(label[i]);
            const double w = weight ? weight[i] : 1;
            double* sums = totals.sums + j * d;
            totals.mass[j] += w;
            std::size_t t = 0;
            for (; t + S::LANES <= d; t += S::LANES)
                S::store(sums + t, S::load(sums + t) + w * (widen<Real, BYTES>(x + t) - S::load(origin + t)));
            for (; t < d; ++t) sums[t] += w * (static_cast<double>(x[t]) - origin[t]);
        }
        return 0;
    }
};

template <class Real, int D>
struct SmallGather {
    template <int BYTES>
    static NOVUM_INLINE int run(const double* origin, const Real* x, const double* weight, std::size_t rows, std::size_t,
                                const std::int32_t* label, const Totals& totals) {
        for (std::size_t i = 0; i < rows; ++i, x += D) {
            const std::size_t j = at(label[i]);
            const double w = weight ? weight[i] : 1;
            totals.mass[j] += w;
            for (int t = 0; t < D; ++t) totals.sums[j * D + at(t)] += w * (static_cast<double>(x[t]) - origin[t]);
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

#define NOVUM_BY_DIMENSION(Small, General, ...)             \
    switch (centers.d) {                                    \
        case 1: widest<Small<Real, 1>>(__VA_ARGS__); break; \
        case 2: widest<Small<Real, 2>>(__VA_ARGS__); break; \
        case 3: widest<Small<Real, 3>>(__VA_ARGS__); break; \
        case 4: widest<Small<Real, 4>>(__VA_ARGS__); break; \
        default: widest<General<Real>>(__VA_ARGS__);        \
    }

template <class Real>
void distance_chunk(const Packed<Real>& centers, const Real* x, std::size_t rows, const std::int32_t* label, double* distance) {
    NOVUM_BY_DIMENSION(SmallDistance, Distance, centers, centers.wide_origin.data(), x, rows, label, distance)
}

template <class Real>
void gather_chunk(const Packed<Real>& centers, const Real* x, const double* weight, std::size_t rows, const std::int32_t* label,
                  Totals totals){
    NOVUM_BY_DIMENSION(SmallGather, Gather, centers.wide_origin.data(), x, weight, rows, centers.d, label, totals)}

#define NOVUM_STATISTICS(Real)                                                                                 \
    template void distance_chunk(const Packed<Real>&, const Real*, std::size_t, const std::int32_t*, double*); \
    template void gather_chunk(const Packed<Real>&, const Real*, const double*, std::size_t, const std::int32_t*, Totals);
NOVUM_STATISTICS(float) NOVUM_STATISTICS(double)
#undef NOVUM_STATISTICS

}  // namespace novum::kmeans
