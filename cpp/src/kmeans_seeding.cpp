// The triangle inequality spares most distances of k-means++: a candidate at least twice as far from a row's center as the row is
// cannot be nearer,
//   |c - c_owner|^2 / 4 >= |x - c_owner|^2   implies   |x - c| >= |x - c_owner|,                                          (8)
// with a margin for rounding. A row that is skipped contributes exactly the zero that it would have contributed.
#include "novum/seeding.h"

#include <cmath>

#include "novum/panel.h"

namespace novum::kmeans {

namespace {

using panel::Simd;

constexpr std::size_t TOGETHER = 8;  // candidates whose tests share a vector

// |x - c|^2 with differences in Real: zero for a row that is the center.
template <class Real, int BYTES>
NOVUM_INLINE Real squared(const Real* x, const Real* c, std::size_t d) {
    using S = Simd<Real, BYTES>;
    typename S::V sum{};
    std::size_t t = 0;
    for (; t + S::LANES <= d; t += S::LANES) {
        const typename S::V difference = S::load(x + t) - S::load(c + t);
        sum += difference * difference;
    }
    Real tail = 0;
    for (; t < d; ++t) tail += (x[t] - c[t]) * (x[t] - c[t]);
    return panel::total<S::LANES>(sum) + tail;
}

/// Candidates in Real, and a quarter of their squared distance to every chosen center, rounded down.
template <class Real>
struct Trial {
    std::size_t count;
    std::vector<Real> c;         // (count, d)
    std::vector<float> quarter;  // (chosen, TOGETHER); infinity where there is no candidate
    Trial(Centers chosen, std::size_t known, const double* candidates, std::size_t count, std::size_t d)
        : count(count), c(candidates, candidates + count * d), quarter(std::max<std::size_t>(known, 1) * TOGETHER, std::numeric_limits<float>::infinity()) {
        // float32 tiles lose (d + 4) eps of a squared distance at most, and so do the two sides of (8) together.
        const double down = 1 - 1e-6 - 4 * static_cast<double>(d + 4) * std::numeric_limits<Real>::epsilon();
        for (std::size_t j = 0; j < known; ++j)
            for (std::size_t m = 0; m < count; ++m) {
                double square = 0;
                for (std::size_t t = 0; t < d; ++t) {
                    const double difference = chosen.c[j * d + t] - candidates[m * d + t];
                    square += difference * difference;
                }
                quarter[j * TOGETHER + m] = static_cast<float>(std::max(0.0, square / 4 * down));
            }
    }
};

typedef float Eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef std::int32_t EightInts __attribute__((vector_size(32), aligned(4), may_alias));

// Call visit(i, m, square) for every pair that (8) does not settle.
template <class Real, int BYTES, class Visit>
NOVUM_INLINE void look(const Rows<Real>& rows, const Trial<Real>& trial, const Nearest<Real>& nearest, Visit visit) {
    for (std::size_t i = 0; i < rows.n; ++i) {
        const EightInts near = *reinterpret_cast<const Eight*>(trial.quarter.data() + static_cast<std::size_t>(nearest.owner[i]) * TOGETHER) < static_cast<float>(nearest.square[i]);
        if (!panel::least<8>(near)) continue;
        alignas(32) std::int32_t flag[TOGETHER];
        *reinterpret_cast<EightInts*>(flag) = near;
        for (std::size_t m = 0; m < trial.count; ++m)
            if (flag[m]) visit(i, m, squared<Real, BYTES>(rows.x + i * rows.d, trial.c.data() + m * rows.d, rows.d));
    }
}

template <class Real>
struct Absorb {
    template <int BYTES>
    static NOVUM_INLINE int run(const Rows<Real>& rows, const Trial<Real>& trial, std::size_t first, const Nearest<Real>& nearest) {
        look<Real, BYTES>(rows, trial, nearest, [&](std::size_t i, std::size_t m, Real square) NOVUM_LAMBDA {
            if (square < nearest.square[i]) nearest.square[i] = square, nearest.owner[i] = static_cast<std::int32_t>(first + m);
        });
        return 0;
    }
};

template <class Real>
struct Gains {
    template <int BYTES>
    static NOVUM_INLINE int run(const Rows<Real>& rows, const Trial<Real>& trial, const Nearest<Real>& nearest, double* gain) {
        look<Real, BYTES>(rows, trial, nearest, [&](std::size_t i, std::size_t m, Real square) NOVUM_LAMBDA {
            const double fall = static_cast<double>(nearest.square[i]) - static_cast<double>(square);
            gain[m] += (rows.weight ? rows.weight[i] : 1.0) * (fall > 0 ? fall : 0.0);
        });
        return 0;
    }
};

template <class Real>
struct First {
    template <int BYTES>
    static NOVUM_INLINE int run(const Rows<Real>& rows, const Real* c, const Nearest<Real>& nearest) {
        for (std::size_t i = 0; i < rows.n; ++i) nearest.square[i] = squared<Real, BYTES>(rows.x + i * rows.d, c, rows.d), nearest.owner[i] = 0;
        return 0;
    }
};

}  // namespace

template <class Real>
double absorb(Rows<Real> rows, Centers chosen, std::size_t first, Nearest<Real> nearest) {
    std::size_t j = first;
    if (first == 0) {
        const std::vector<Real> c(chosen.c, chosen.c + rows.d);
        widest<First<Real>>(rows, c.data(), nearest);
        j = 1;
    }
    for (; j < chosen.k; ++j) widest<Absorb<Real>>(rows, Trial<Real>(chosen, j, chosen.c + j * rows.d, 1, rows.d), j, nearest);
    double part[8] = {};  // hides the latency of an add; fixed for every width
    for (std::size_t i = 0; i < rows.n; ++i) part[i % 8] += (rows.weight ? rows.weight[i] : 1.0) * static_cast<double>(nearest.square[i]);
    return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

template <class Real>
void gains(Rows<Real> rows, Centers chosen, Centers candidates, Nearest<Real> nearest, double* gain) {
    for (std::size_t m = 0; m < candidates.k; m += TOGETHER) {
        const std::size_t count = std::min(TOGETHER, candidates.k - m);
        std::fill_n(gain + m, count, 0.0);
        widest<Gains<Real>>(rows, Trial<Real>(chosen, chosen.k, candidates.c + m * rows.d, count, rows.d), nearest, gain + m);
    }
}

#define NOVUM_SEEDING(Real)                                                  \
    template double absorb(Rows<Real>, Centers, std::size_t, Nearest<Real>); \
    template void gains(Rows<Real>, Centers, Centers, Nearest<Real>, double*);
NOVUM_SEEDING(float)
NOVUM_SEEDING(double)
#undef NOVUM_SEEDING

}  // namespace novum::kmeans
