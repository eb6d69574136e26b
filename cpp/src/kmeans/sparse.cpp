#include "novum/kmeans/sparse.h"

#include "novum/runtime/interrupt.h"
#include "novum/runtime/panels.h"

namespace novum::kmeans {

namespace {

using panel::at;
using panel::Simd;

constexpr int WIDE = 4;  // panels scored together: their sums stay in registers over the entries of a row

/// Centers packed as in panel.h about zero, so that absent entries contribute nothing.
template <class Real>
struct Columns {
    std::size_t k, d, lanes, count;
    std::vector<Real> panels;  // (count, d + 1, lanes)
    Columns(Centers centers, std::size_t d)
        : k(centers.k), d(d), lanes(at(simd_bytes()) / sizeof(Real)), count((k + lanes - 1) / lanes), panels(count * (d + 1) * lanes) {
        for (std::size_t slot = 0; slot < count * lanes; ++slot) {
            Real* lane = panels.data() + slot / lanes * (d + 1) * lanes + slot % lanes;
            if (slot >= k) {
                *lane = std::numeric_limits<Real>::infinity();
                continue;
            }
            double square = 0;
            for (std::size_t t = 0; t < d; ++t) {
                const Real c = static_cast<Real>(centers.c[slot * d + t]);
                square += static_cast<double>(c) * static_cast<double>(c);
                lane[(t + 1) * lanes] = -c;
            }
            *lane = static_cast<Real>(square / 2);
        }
    }
};

template <class Real, class Index>
struct Scores {
    template <int BYTES, int P>
    static NOVUM_INLINE void take(const Columns<Real>& centers, const SparseRows<Real, Index>& rows, std::size_t i, std::size_t first,
                                  typename Simd<Real, BYTES>::V& best, typename Simd<Real, BYTES>::I& index,
                                  typename Simd<Real, BYTES>::I lane) {
        using S = Simd<Real, BYTES>;
        const std::size_t stride = (centers.d + 1) * S::LANES;
        const Real* panel = centers.panels.data() + first * stride;
        typename S::V s[P];
        for (int p = 0; p < P; ++p) s[p] = S::load(panel + p * stride);
        for (Index e = rows.start[i]; e < rows.start[i + 1]; ++e) {
            const Real* c = panel + (at(rows.column[e]) + 1) * S::LANES;
            for (int p = 0; p < P; ++p) s[p] += rows.value[e] * S::load(c + p * stride);
        }
        for (int p = 0; p < P; ++p) {
            const auto less = s[p] < best;
            best = less ? s[p] : best;
            index = less ? lane + static_cast<typename S::Int>((first + at(p)) * S::LANES) : index;
        }
    }
    template <int BYTES>
    static NOVUM_INLINE int run(const Columns<Real>& centers, const SparseRows<Real, Index>& rows, std::int32_t* label) {
        using S = Simd<Real, BYTES>;
        typename S::I lane{};
        for (int l = 0; l < S::LANES; ++l) lane[l] = l;
        const typename S::I nobody = typename S::I{} + std::numeric_limits<typename S::Int>::max();
        interrupt::Poller<64> poller;
        for (std::size_t i = 0; i < rows.n; ++i) {
            poller.tick();
            typename S::V best = typename S::V{} + std::numeric_limits<Real>::infinity();
            typename S::I index = nobody;
            std::size_t p = 0;
            for (; p + WIDE <= centers.count; p += WIDE) take<BYTES, WIDE>(centers, rows, i, p, best, index, lane);
            for (; p < centers.count; ++p) take<BYTES, 1>(centers, rows, i, p, best, index, lane);
            const Real least = panel::least<S::LANES>(best);
            const typename S::I winner = best == least ? index : nobody;
            const auto best_index = panel::least<S::LANES>(winner);  // nobody where scores are not numbers
            label[i] = at(best_index) < centers.k ? static_cast<std::int32_t>(best_index) : 0;
        }
        return 0;
    }
};

}  // namespace

template <class Real, class Index>
void nearest(SparseRows<Real, Index> rows, Centers centers, std::int32_t* label) {
    const Columns<Real> columns(centers, rows.d);
    widest<Scores<Real, Index>>(columns, rows, label);
}

template <class Real, class Index>
void distances(SparseRows<Real, Index> rows, Centers centers, const std::int32_t* label, double* out) {
    std::vector<double> square(centers.k);
    for (std::size_t j = 0; j < centers.k; ++j)
        for (std::size_t t = 0; t < rows.d; ++t) square[j] += centers.c[j * rows.d + t] * centers.c[j * rows.d + t];
    for (std::size_t i = 0; i < rows.n; ++i) {
        const std::size_t j = at(label[i]);
        double entries = 0, covered = 0;  // |x - c|^2 over the entries of the row, |c|^2 over the same columns
        for (Index e = rows.start[i]; e < rows.start[i + 1]; ++e) {
            const double c = centers.c[j * rows.d + at(rows.column[e])], difference = static_cast<double>(rows.value[e]) - c;
            entries += difference * difference;
            covered += c * c;
        }
        out[i] = entries + std::max(0.0, square[j] - covered);
    }
}

template <class Real, class Index>
double step(SparseRows<Real, Index> rows, Centers centers, std::int32_t* label, Totals totals) {
    nearest(rows, centers, label);
    std::vector<double> square(rows.n);
    distances(rows, centers, label, square.data());
    double inertia = 0;
    for (std::size_t i = 0; i < rows.n; ++i) {
        const std::size_t j = at(label[i]);
        const double w = rows.weight ? rows.weight[i] : 1;
        inertia += w * square[i];
        totals.mass[j] += w;
        for (Index e = rows.start[i]; e < rows.start[i + 1]; ++e)
            totals.sums[j * rows.d + at(rows.column[e])] += w * static_cast<double>(rows.value[e]);
    }
    return inertia;
}

#define NOVUM_SPARSE(Real, Index)                                                            \
    template void nearest(SparseRows<Real, Index>, Centers, std::int32_t*);                  \
    template void distances(SparseRows<Real, Index>, Centers, const std::int32_t*, double*); \
    template double step(SparseRows<Real, Index>, Centers, std::int32_t*, Totals);
NOVUM_SPARSE(float, std::int32_t)
NOVUM_SPARSE(double, std::int32_t)
NOVUM_SPARSE(float, std::int64_t)
NOVUM_SPARSE(double, std::int64_t)
#undef NOVUM_SPARSE

}  // namespace novum::kmeans
