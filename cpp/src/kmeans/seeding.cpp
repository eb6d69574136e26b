// One test spares many distances of k-means++:
//
//   |c - c_owner|^2 / 4 >= |x - c_owner|^2  implies  |x - c| >= |x - c_owner|                                                (13)
// Whatever passes is computed from differences, a row per lane and its terms in the order of the columns, so that a row is at distance
// zero from itself and no bit depends on who shares a vector. A row that is skipped contributes exactly the zero it would have contributed.
#include "novum/kmeans/seeding.h"

#include <cmath>
#include <cstring>

#include "novum/kmeans/chunk.h"
#include "novum/runtime/interrupt.h"
#include "novum/runtime/transpose.h"

namespace novum::kmeans {

namespace {

using panel::at;
using panel::Simd;

constexpr std::size_t TOGETHER = 8;  // candidates that share a reading of the rows
constexpr std::size_t CHUNK = 512;   // rows that (13) looks at together
constexpr std::size_t PARTS = 8;     // partial sums by position: they hide the latency of an add, and are the same for every width

/// A few candidates, and how near a row of each chosen center must be to look at them.
template <class Real>
struct Trial {
    std::size_t count, d;
    std::vector<Real> c;      // (d, TOGETHER): scaled
    std::vector<Real> still;  // (chosen,): below a quarter of the squared distance to the nearest candidate
    std::vector<Real> zero;   // (d,): no shift

    Trial(Centers chosen, std::size_t known, const double* candidates, std::size_t count, std::size_t d, Real scale)
        : count(count), d(d), c(d * TOGETHER), still(known), zero(d) {
        for (std::size_t m = 0; m < count; ++m)
            for (std::size_t t = 0; t < d; ++t) c[t * TOGETHER + m] = static_cast<Real>(candidates[m * d + t]) * scale;
        // A squared distance in Real loses (d + 4) eps of itself at most, on either side of (13).
        const double down = DOWN - 4 * static_cast<double>(d + 4) * std::numeric_limits<Real>::epsilon();
        for (std::size_t j = 0; j < known; ++j) {
            double least = std::numeric_limits<double>::infinity();
            for (std::size_t m = 0; m < count; ++m) {
                double square = 0;
                for (std::size_t t = 0; t < d; ++t) {
                    const double difference = (chosen.c[j * d + t] - candidates[m * d + t]) * static_cast<double>(scale);
                    square += difference * difference;
                }
                least = std::min(least, square);
            }
            still[j] = static_cast<Real>(std::max(0.0, least / 4 * down));
        }
    }
};

template <class Real, int BYTES>
struct Strip {
    static constexpr int VECTORS = 2, ROWS = VECTORS * Simd<Real, BYTES>::LANES;
};

/// Squared distances of the rows of a strip (d, ROWS) to C candidates.
template <class Real, int BYTES, int C>
NOVUM_INLINE void measure(const Real* x, const Real* c, std::size_t d, Real (&out)[C][Strip<Real, BYTES>::ROWS]) {
    using S = Simd<Real, BYTES>;
    constexpr int VECTORS = Strip<Real, BYTES>::VECTORS;
    typename S::V sum[C][VECTORS] = {};
    for (std::size_t t = 0; t < d; ++t, x += VECTORS * S::LANES, c += TOGETHER) {
        typename S::V column[VECTORS];
        for (int v = 0; v < VECTORS; ++v) column[v] = S::load(x + v * S::LANES);
        for (int m = 0; m < C; ++m)
            for (int v = 0; v < VECTORS; ++v) {
                const typename S::V difference = column[v] - c[m];
                sum[m][v] += difference * difference;
            }
    }
    for (int m = 0; m < C; ++m)
        for (int v = 0; v < VECTORS; ++v) S::store(out[m] + v * S::LANES, sum[m][v]);
}

/// Rows of a strip: their numbers, and the squares of their nearest centers; zero where there is no row.
template <class Real, int ROWS>
struct Look {
    std::size_t many;
    const std::int32_t* row;
    bool whole;  // whether they are ROWS neighbors in memory
    Real near[ROWS];
};

/// Call visit(look, squares) for strips of rows that (13) does not settle, in the order of the rows, and before that skip(top, size) for
/// chunks in which it settles some.
template <class Real, int BYTES, int C, class Skip, class Visit>
NOVUM_INLINE void for_strips(const Rows<Real>& rows, const Trial<Real>& trial, const Nearest<Real>& nearest, Skip skip, Visit visit) {
    constexpr std::size_t ROWS = Strip<Real, BYTES>::ROWS;
    const std::size_t d = rows.d;
    std::vector<std::int32_t> list(CHUNK + 1);
    std::vector<Real> tile(ROWS * d);
    for (std::size_t top = 0; top < rows.n; top += CHUNK) {
        interrupt::poll();
        const std::size_t size = std::min(CHUNK, rows.n - top);
        std::size_t count = 0;
        for (std::size_t i = top; i < top + size; ++i) {  // no branch: the outcome is as good as random
            list[count] = static_cast<std::int32_t>(i);
            count += trial.still.empty() || trial.still[at(nearest.owner[i])] < nearest.square[i];
        }
        if (count < size) skip(top, size);
        for (std::size_t first = 0; first < count; first += ROWS) {
            const std::size_t many = std::min(ROWS, count - first);
            const std::int32_t* row = list.data() + first;
            Look<Real, ROWS> look{many, row, many == ROWS && at(row[many - 1] - row[0]) + 1 == ROWS, {}};
            if (look.whole)
                std::memcpy(look.near, nearest.square + row[0], sizeof look.near);
            else
                for (std::size_t r = 0; r < many; ++r) look.near[r] = nearest.square[row[r]];
            const auto begin = [&](std::size_t r) NOVUM_LAMBDA { return rows.x + at(row[r]) * d; };
            transpose::columns<Real, BYTES>(begin, many, d, trial.zero.data(), nearest.scale, tile.data(), ROWS);
            Real square[C][ROWS];
            measure<Real, BYTES, C>(tile.data(), trial.c.data(), d, square);
            visit(look, square);
        }
    }
}

template <class Real>
struct Absorb {
    template <int BYTES>
    static NOVUM_INLINE int run(const Rows<Real>& rows, const Trial<Real>& trial, std::size_t number, const Nearest<Real>& nearest) {
        const auto skip = [](std::size_t, std::size_t) NOVUM_LAMBDA {};
        for_strips<Real, BYTES, 1>(rows, trial, nearest, skip, [&](const auto& look, const auto& square) NOVUM_LAMBDA {
            const auto take = [&](std::size_t r, std::size_t i) NOVUM_LAMBDA {
                const bool less = square[0][r] < look.near[r];
                nearest.square[i] = less ? square[0][r] : look.near[r];
                nearest.owner[i] = less ? static_cast<std::int32_t>(number) : nearest.owner[i];
            };
            if (look.whole)
                for (std::size_t r = 0; r < look.many; ++r) take(r, at(look.row[0]) + r);
            else
                for (std::size_t r = 0; r < look.many; ++r) take(r, at(look.row[r]));
        });
        return 0;
    }
};

template <class Real, int C>
struct Gains {
    template <int BYTES>
    static NOVUM_INLINE int run(const Rows<Real>& rows, const Trial<Real>& trial, const Nearest<Real>& nearest, double* gain, Real* found) {
        constexpr std::size_t ROWS = Strip<Real, BYTES>::ROWS, WIDE = std::min(ROWS, PARTS);
        double part[C][WIDE] = {};
        const auto skip = [&](std::size_t top, std::size_t size) NOVUM_LAMBDA {
            for (std::size_t m = 0; m < trial.count; ++m)
                std::fill_n(found + m * rows.n + top, size, std::numeric_limits<Real>::infinity());
        };
        for_strips<Real, BYTES, C>(rows, trial, nearest, skip, [&](const auto& look, const auto& square) NOVUM_LAMBDA {
            for (std::size_t m = 0; m < trial.count; ++m) {
                Real* to = found + m * rows.n;
                if (look.whole)
                    std::memcpy(to + look.row[0], square[m], sizeof square[m]);
                else
                    for (std::size_t r = 0; r < look.many; ++r) to[look.row[r]] = square[m][r];
            }
            double weight[ROWS];
            for (std::size_t r = 0; r < ROWS; ++r) weight[r] = 1;
            if (rows.weight)
                for (std::size_t r = 0; r < look.many; ++r) weight[r] = rows.weight[look.row[r]];
            for (int m = 0; m < C; ++m)
                for (std::size_t r = 0; r < ROWS; r += WIDE)
                    for (std::size_t l = 0; l < WIDE; ++l) {
                        const double fall = static_cast<double>(look.near[r + l]) - static_cast<double>(square[m][r + l]);
                        part[m][l] += weight[r + l] * (fall > 0 ? fall : 0);
                    }
        });
        for (std::size_t m = 0; m < trial.count; ++m) {
            gain[m] = 0;
            for (std::size_t l = 0; l < WIDE; ++l) gain[m] += part[m][l];
        }
        return 0;
    }
};

template <class Real>
struct Adopt {
    template <int BYTES>
    static NOVUM_INLINE int run(const Real* found, std::size_t n, std::int32_t number, const Nearest<Real>& nearest) {
        Real* square = nearest.square;
        std::int32_t* owner = nearest.owner;
        for (std::size_t i = 0; i < n; ++i) {
            const bool less = found[i] < square[i];
            square[i] = less ? found[i] : square[i];
            owner[i] = less ? number : owner[i];
        }
        return 0;
    }
};

struct Sum {
    template <int BYTES, class Real>
    static NOVUM_INLINE double run(const Real* square, const double* weight, std::size_t n) {
        double part[PARTS] = {};
        std::size_t i = 0;
        if (weight) {
            for (; i + PARTS <= n; i += PARTS)
                for (std::size_t p = 0; p < PARTS; ++p) part[p] += weight[i + p] * static_cast<double>(square[i + p]);
        } else {
            for (; i + PARTS <= n; i += PARTS)
                for (std::size_t p = 0; p < PARTS; ++p) part[p] += static_cast<double>(square[i + p]);
        }
        for (; i < n; ++i) part[i % PARTS] += (weight ? weight[i] : 1.0) * static_cast<double>(square[i]);
        return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    }
};

}  // namespace

template <class Real>
double absorb(Rows<Real> rows, Centers chosen, std::size_t first, Nearest<Real> nearest) {
    if (first == 0) {
        std::fill_n(nearest.square, rows.n, std::numeric_limits<Real>::infinity());
        std::fill_n(nearest.owner, rows.n, 0);
    }
    for (std::size_t j = first; j < chosen.k; ++j) {
        const Trial<Real> trial(chosen, j, chosen.c + j * rows.d, 1, rows.d, nearest.scale);
        widest<Absorb<Real>>(rows, trial, j, nearest);
    }
    return widest<Sum>(nearest.square, rows.weight, rows.n);
}

template <class Real>
void gains(Rows<Real> rows, Centers chosen, Centers candidates, Nearest<Real> nearest, double* gain, Real* trial) {
    for (std::size_t m = 0; m < candidates.k; m += TOGETHER) {
        const std::size_t count = std::min(TOGETHER, candidates.k - m);
        const Trial<Real> few(chosen, chosen.k, candidates.c + m * rows.d, count, rows.d, nearest.scale);
        if (count <= 4)
            widest<Gains<Real, 4>>(rows, few, nearest, gain + m, trial + m * rows.n);
        else if (count <= 6)
            widest<Gains<Real, 6>>(rows, few, nearest, gain + m, trial + m * rows.n);
        else
            widest<Gains<Real, 8>>(rows, few, nearest, gain + m, trial + m * rows.n);
    }
}

template <class Real>
double adopt(const Real* found, const double* weight, std::size_t n, std::size_t number, Nearest<Real> nearest) {
    widest<Adopt<Real>>(found, n, static_cast<std::int32_t>(number), nearest);
    return widest<Sum>(nearest.square, weight, n);
}

template <class Real>
void locate(const Real* square, const double* weight, std::size_t n, const double* target, std::size_t targets, std::int64_t* row) {
    std::vector<double> before;  // sums up to a chunk: only the chunks with targets are gone through row by row
    double total = 0;
    for (std::size_t top = 0; top < n; top += CHUNK) {
        before.push_back(total);
        total += widest<Sum>(square + top, weight ? weight + top : nullptr, std::min(CHUNK, n - top));
    }
    for (std::size_t m = 0; m < targets; ++m) {
        auto chunk = at(std::upper_bound(before.begin(), before.end(), target[m]) - before.begin());
        row[m] = 0;
        for (bool found = false; !found && chunk-- > 0;) {  // an earlier chunk only if rounding left nothing in this one
            double sum = before[chunk];
            for (std::size_t i = chunk * CHUNK; i < std::min(n, (chunk + 1) * CHUNK) && sum <= target[m]; ++i) {
                const double w = weight ? weight[i] : 1.0;
                if (!(w > 0 && square[i] > 0)) continue;
                sum += w * static_cast<double>(square[i]);
                row[m] = static_cast<std::int64_t>(i);
                found = true;
            }
        }
    }
}

#define NOVUM_SEEDING(Real)                                                                     \
    template double absorb(Rows<Real>, Centers, std::size_t, Nearest<Real>);                    \
    template void gains(Rows<Real>, Centers, Centers, Nearest<Real>, double*, Real*);           \
    template double adopt(const Real*, const double*, std::size_t, std::size_t, Nearest<Real>); \
    template void locate(const Real*, const double*, std::size_t, const double*, std::size_t, std::int64_t*);
NOVUM_SEEDING(float)
NOVUM_SEEDING(double)
#undef NOVUM_SEEDING

}  // namespace novum::kmeans
