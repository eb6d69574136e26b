// Two tests spare most distances of k-means++, in this order:
//
//   |c - c_owner|^2 / 4 >= |x - c_owner|^2  implies  |x - c| >= |x - c_owner|                                                (13)
//   |x - c|^2 = norm + 2 score, less the error of both, is not below |x - c_owner|^2                                         (14)
// with scores (12) about the first center. What passes both is computed from differences, so that a row is at distance zero
// from itself. A pair that is skipped contributes exactly the zero that it would have contributed.
#include <cmath>

#include "novum/kmeans/chunk.h"
#include "novum/kmeans/seeding.h"
#include "novum/runtime/interrupt.h"

namespace novum::kmeans {

namespace {

using panel::at;
using panel::Simd;

constexpr std::size_t TOGETHER = 8;  // candidates that share a vector

// |scale (x - c)|^2 from differences.
template <class Real, int BYTES>
NOVUM_INLINE Real squared(const Real* x, const Real* c, Real scale, std::size_t d) {
    using S = Simd<Real, BYTES>;
    typename S::V sum{};
    std::size_t t = 0;
    for (; t + S::LANES <= d; t += S::LANES) {
        const typename S::V difference = (S::load(x + t) - S::load(c + t)) * scale;
        sum += difference * difference;
    }
    Real tail = 0;
    for (; t < d; ++t) tail += (x[t] - c[t]) * scale * ((x[t] - c[t]) * scale);
    return panel::total<S::LANES>(sum) + tail;
}

/// A few candidates: their coordinates, their distances to the chosen centers, their panel about the first center.
template <class Real>
struct Trial {
    std::size_t count, d;
    double scale;
    std::vector<Real> c, origin;  // (count, d), (d,)
    std::vector<float> quarter;   // (chosen, TOGETHER): below a quarter of the squared distance; infinity where there is no candidate
    std::vector<Real> panels;     // (P, d + 1, TOGETHER / P)
    double error, slope;          // twice a score is within error + slope |x - origin|^2 of the truth

    Trial(Centers chosen, std::size_t known, const double* candidates, std::size_t count, std::size_t d, Real scale, std::size_t lanes)
        : count(count),
          d(d),
          scale(static_cast<double>(scale)),
          c(candidates, candidates + count * d),
          origin(chosen.c, chosen.c + d),
          quarter(known * TOGETHER, std::numeric_limits<float>::infinity()),
          panels((d + 1) * TOGETHER) {
        // A squared distance in Real loses (d + 4) eps of itself at most, on either side of (13).
        const double eps = std::numeric_limits<Real>::epsilon(), down = DOWN - 4 * static_cast<double>(d + 4) * eps;
        double reach = 0;
        for (std::size_t m = 0; m < TOGETHER; ++m) {
            Real* lane = panels.data() + m / lanes * (d + 1) * lanes + m % lanes;
            if (m >= count) {
                *lane = std::numeric_limits<Real>::infinity();
                continue;
            }
            double half = 0;
            for (std::size_t t = 0; t < d; ++t) {
                const Real offset = (c[m * d + t] - origin[t]) * scale;
                half += static_cast<double>(offset) * static_cast<double>(offset) / 2;
                lane[(t + 1) * lanes] = -offset;
            }
            *lane = static_cast<Real>(half);
            reach = std::max(reach, 2 * half);
            for (std::size_t j = 0; j < known; ++j) {
                const double square = distance(chosen.c + j * d, candidates + m * d);
                quarter[j * TOGETHER + m] = static_cast<float>(std::max(0.0, square / 4 * down));
            }
        }
        error = 8 * static_cast<double>(d + 8) * eps * reach;
        slope = 8 * static_cast<double>(d + 8) * eps;
    }
    double distance(const double* a, const double* b) const {
        double square = 0;
        for (std::size_t t = 0; t < d; ++t) square += (a[t] - b[t]) * scale * ((a[t] - b[t]) * scale);
        return square;
    }
};

typedef float Eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef std::int32_t EightInts __attribute__((vector_size(32), aligned(4), may_alias));

// Call visit(i, m, square) for every pair that neither (13) nor (14) settles, in the order of the rows.
template <class Real, int BYTES, class Visit>
NOVUM_INLINE void look(const Rows<Real>& rows, const Trial<Real>& trial, const Nearest<Real>& nearest, Visit visit) {
    constexpr int WIDE = std::min(BYTES, static_cast<int>(TOGETHER * sizeof(Real))), L = WIDE / static_cast<int>(sizeof(Real)),
                  P = static_cast<int>(TOGETHER) / L;
    constexpr int R = P == 1 ? 8 : P == 2 ? 6 : 3;
    using S = Simd<Real, WIDE>;
    const std::size_t d = rows.d, size = chunk_rows(d, sizeof(Real));
    std::vector<std::int32_t> list(size + 1);
    std::vector<Real> shifted(R * d);
    for (std::size_t top = 0; top < rows.n; top += size) {
        interrupt::poll();
        std::size_t count = 0;
        for (std::size_t i = top; i < std::min(rows.n, top + size); ++i) {  // no branch: the outcome is as good as random
            const Eight quarter = *reinterpret_cast<const Eight*>(trial.quarter.data() + at(nearest.owner[i]) * TOGETHER);
            const EightInts near = quarter < static_cast<float>(nearest.square[i]);
            list[count] = static_cast<std::int32_t>(i);
            count += panel::least<8>(near) != 0;
        }
        for (std::size_t first = 0; first < count; first += R) {
            const Real* x[R];
            for (std::size_t r = 0; r < R; ++r) {
                const Real* row = rows.x + at(list[std::min(first + r, count - 1)]) * d;
                for (std::size_t t = 0; t < d; ++t) shifted[r * d + t] = (row[t] - trial.origin[t]) * nearest.scale;
                x[r] = shifted.data() + r * d;
            }
            typename S::V s[R][P];
            panel::scores<Real, WIDE, R, P>(x, trial.panels.data(), d, s);
            for (std::size_t r = 0; r < R && first + r < count; ++r) {
                const std::size_t i = at(list[first + r]);
                const double norm = static_cast<double>(nearest.norm[i]);
                const double square = static_cast<double>(nearest.square[i]);
                const Real limit = static_cast<Real>((square - norm + trial.error + trial.slope * norm) / 2);
                typename S::I below = s[r][0] < limit;
                for (int p = 1; p < P; ++p) below |= s[r][p] < limit;
                if (panel::least<L>(below) == 0) continue;
                for (std::size_t m = 0; m < trial.count; ++m)
                    if (s[r][m / L][m % L] < limit)
                        visit(i, m, squared<Real, BYTES>(rows.x + i * d, trial.c.data() + m * d, nearest.scale, d));
            }
        }
    }
}

template <class Real>
std::size_t lanes() {
    return std::min<std::size_t>(at(simd_bytes()) / sizeof(Real), TOGETHER);
}

template <class Real>
struct Absorb {
    template <int BYTES>
    static NOVUM_INLINE int run(const Rows<Real>& rows, const Trial<Real>& trial, std::size_t number, const Nearest<Real>& nearest) {
        look<Real, BYTES>(rows, trial, nearest, [&](std::size_t i, std::size_t, Real square) NOVUM_LAMBDA {
            if (square < nearest.square[i]) nearest.square[i] = square, nearest.owner[i] = static_cast<std::int32_t>(number);
        });
        return 0;
    }
};

template <class Real>
struct Gains {
    template <int BYTES>
    static NOVUM_INLINE int run(const Rows<Real>& rows, const Trial<Real>& trial, const Nearest<Real>& nearest, double* gain,
                                Better<Real>* better) {
        look<Real, BYTES>(rows, trial, nearest, [&](std::size_t i, std::size_t m, Real square) NOVUM_LAMBDA {
            if (square >= nearest.square[i]) return;
            gain[m] += (rows.weight ? rows.weight[i] : 1.0) * (static_cast<double>(nearest.square[i]) - static_cast<double>(square));
            better[m].row.push_back(static_cast<std::int32_t>(i));
            better[m].square.push_back(square);
        });
        return 0;
    }
};

template <class Real>
struct First {
    template <int BYTES>
    static NOVUM_INLINE int run(const Rows<Real>& rows, const Real* c, const Nearest<Real>& nearest) {
        for (std::size_t i = 0; i < rows.n; ++i) {
            nearest.norm[i] = nearest.square[i] = squared<Real, BYTES>(rows.x + i * rows.d, c, nearest.scale, rows.d);
            nearest.owner[i] = 0;
        }
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
    for (; j < chosen.k; ++j) {
        const Trial<Real> trial(chosen, j, chosen.c + j * rows.d, 1, rows.d, nearest.scale, lanes<Real>());
        widest<Absorb<Real>>(rows, trial, j, nearest);
    }
    double part[8] = {};  // hides the latency of an add; fixed for every width
    for (std::size_t i = 0; i < rows.n; ++i) part[i % 8] += (rows.weight ? rows.weight[i] : 1.0) * static_cast<double>(nearest.square[i]);
    return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

template <class Real>
void gains(Rows<Real> rows, Centers chosen, Centers candidates, Nearest<Real> nearest, double* gain, Better<Real>* better) {
    for (std::size_t m = 0; m < candidates.k; m += TOGETHER) {
        const std::size_t count = std::min(TOGETHER, candidates.k - m);
        std::fill_n(gain + m, count, 0.0);
        const Trial<Real> trial(chosen, chosen.k, candidates.c + m * rows.d, count, rows.d, nearest.scale, lanes<Real>());
        widest<Gains<Real>>(rows, trial, nearest, gain + m, better + m);
    }
}

#define NOVUM_SEEDING(Real)                                                  \
    template double absorb(Rows<Real>, Centers, std::size_t, Nearest<Real>); \
    template void gains(Rows<Real>, Centers, Centers, Nearest<Real>, double*, Better<Real>*);
NOVUM_SEEDING(float)
NOVUM_SEEDING(double)
#undef NOVUM_SEEDING

}  // namespace novum::kmeans
