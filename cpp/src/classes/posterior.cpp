#include "novum/classes/posterior.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "novum/runtime/simd.h"
#include "novum/runtime/vector_math.h"

namespace novum {

namespace {

constexpr std::size_t CHUNK_VALUES = 2048;  // scores at a time: their exponentials stay in the first-level cache

// The exponential is taken over a whole chunk, rows one after another, so that short rows fill vectors too.
struct Normalize {
    template <int BYTES, class Real>
    static NOVUM_INLINE void run(Real* score, std::size_t n, std::size_t k, Posterior what) {
        using D = Doubles<BYTES>;
        const std::size_t rows = std::max<std::size_t>(1, CHUNK_VALUES / k);
        std::vector<double> offset(rows * k + D::LANES), power(rows * k + D::LANES);
        for (std::size_t top = 0; top < n; top += rows) {
            const std::size_t count = std::min(rows, n - top);
            Real* s = score + top * k;
            for (std::size_t i = 0; i < count; ++i) {
                Real most = s[i * k];
                for (std::size_t c = 1; c < k; ++c) most = s[i * k + c] > most ? s[i * k + c] : most;
                for (std::size_t c = 0; c < k; ++c) offset[i * k + c] = static_cast<double>(s[i * k + c]) - static_cast<double>(most);
            }
            for (std::size_t at = 0; at < count * k; at += D::LANES)
                D::store(power.data() + at, exp_nonpositive<BYTES>(D::load(offset.data() + at)));
            for (std::size_t i = 0; i < count; ++i) {
                double total = 0;
                for (std::size_t c = 0; c < k; ++c) total += power[i * k + c];
                if (what == Posterior::share) {
                    const double scale = 1 / total;
                    for (std::size_t c = 0; c < k; ++c) s[i * k + c] = static_cast<Real>(scale * power[i * k + c]);
                } else {
                    const double log_total = std::log(total);
                    for (std::size_t c = 0; c < k; ++c) {
                        double value = offset[i * k + c] - log_total;
                        if constexpr (sizeof(Real) == 4)  // near one the rounding of the share itself, so that the two agree
                            if (power[i * k + c] > 0.5 * total)
                                value = std::log(static_cast<double>(static_cast<Real>(power[i * k + c] / total)));
                        s[i * k + c] = static_cast<Real>(value);
                    }
                }
            }
        }
    }
};

template <class Real>
NOVUM_INLINE void best(const Real* score, std::size_t n, std::size_t k, std::int64_t* label) {
    for (std::size_t i = 0; i < n; ++i) {
        const Real* s = score + i * k;
        Real most = s[0];
        std::int64_t at = 0;
        for (std::size_t c = 1; c < k; ++c) {
            at = s[c] > most ? static_cast<std::int64_t>(c) : at;
            most = s[c] > most ? s[c] : most;
        }
        label[i] = at;
    }
}

}  // namespace

template <class Real>
void normalize_rows(Real* score, std::size_t n, std::size_t k, Posterior what) {
    if (k > 0) widest<Normalize>(score, n, k, what);
}

template <class Real>
void best_of_rows(const Real* score, std::size_t n, std::size_t k, std::int64_t* label) {
    best(score, n, k, label);
}

template void normalize_rows(float*, std::size_t, std::size_t, Posterior);
template void normalize_rows(double*, std::size_t, std::size_t, Posterior);
template void best_of_rows(const float*, std::size_t, std::size_t, std::int64_t*);
template void best_of_rows(const double*, std::size_t, std::size_t, std::int64_t*);

}  // namespace novum
