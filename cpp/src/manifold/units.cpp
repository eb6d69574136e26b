#include "novum/manifold/units.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/simd.h"
#include "novum/runtime/vector_math.h"

namespace novum {
namespace {

constexpr std::size_t CHUNK = 64;  // rows at a time, along the fast axis
constexpr double NO_STEP = 1e-300;

template <class Real>
struct Nearest {
    template <int BYTES>
    static NOVUM_INLINE void run(const Real* X, std::size_t n, std::size_t p, const double* units, std::size_t m, std::int32_t* number,
                                 double* distance) {
        using D = Doubles<BYTES>;
        using V = typename D::V;
        constexpr std::size_t GROUP = 4;  // vectors of rows that share the load of a unit
        std::vector<double> tile(p * CHUNK);
        alignas(64) double best[CHUNK], next[CHUNK], which[CHUNK], other[CHUNK];
        interrupt::Poller<64> poller;
        for (std::size_t start = 0; start < n; start += CHUNK) {
            poller.tick();
            const std::size_t rows = std::min(CHUNK, n - start);
            for (std::size_t j = 0; j < p; ++j)
                for (std::size_t r = 0; r < CHUNK; ++r) tile[j * CHUNK + r] = r < rows ? static_cast<double>(X[(start + r) * p + j]) : 0.0;
            for (std::size_t r = 0; r < CHUNK; r += GROUP * D::LANES) {
                V first[GROUP], second[GROUP], a[GROUP], b[GROUP];
                for (std::size_t g = 0; g < GROUP; ++g) {
                    first[g] = second[g] = D::splat(std::numeric_limits<double>::infinity());
                    a[g] = b[g] = D::splat(0.0);
                }
                for (std::size_t u = 0; u < m; ++u) {
                    V s[GROUP] = {};
                    for (std::size_t j = 0; j < p; ++j) {
                        const V w = D::splat(units[u * p + j]);
                        for (std::size_t g = 0; g < GROUP; ++g) {
                            const V gap = D::load(tile.data() + j * CHUNK + r + g * D::LANES) - w;
                            s[g] += gap * gap;
                        }
                    }
                    const V name = D::splat(static_cast<double>(u));
                    for (std::size_t g = 0; g < GROUP; ++g) {
                        const auto nearer = s[g] < first[g];
                        const auto middle = s[g] < second[g];
                        b[g] = nearer ? a[g] : (middle ? name : b[g]);
                        second[g] = nearer ? first[g] : (middle ? s[g] : second[g]);
                        a[g] = nearer ? name : a[g];
                        first[g] = nearer ? s[g] : first[g];
                    }
                }
                for (std::size_t g = 0; g < GROUP; ++g) {
                    D::store(best + r + g * D::LANES, first[g]);
                    D::store(next + r + g * D::LANES, second[g]);
                    D::store(which + r + g * D::LANES, a[g]);
                    D::store(other + r + g * D::LANES, b[g]);
                }
            }
            for (std::size_t r = 0; r < rows; ++r) {
                number[2 * (start + r)] = static_cast<std::int32_t>(which[r]);
                number[2 * (start + r) + 1] = static_cast<std::int32_t>(other[r]);
                distance[2 * (start + r)] = best[r];
                distance[2 * (start + r) + 1] = m > 1 ? next[r] : best[r];
            }
        }
    }
};

template <class Real>
struct Online {
    template <int BYTES>
    static NOVUM_INLINE void run(const Real* X, std::size_t p, const std::int64_t* order, std::size_t steps, double* units, std::size_t m,
                                 const double* lattice, double eta, double sigma, std::size_t first, std::size_t total) {
        using D = Doubles<BYTES>;
        using V = typename D::V;
        const std::size_t padded = (m + D::LANES - 1) / D::LANES * D::LANES;
        std::vector<double> W(p * padded, 1e150), s(padded), h(padded);  // units along the fast axis; those that pad are far from every row
        for (std::size_t j = 0; j < p; ++j)
            for (std::size_t u = 0; u < m; ++u) W[j * padded + u] = units[u * p + j];
        interrupt::Poller<256> poller;
        for (std::size_t t = 0; t < steps; ++t) {
            poller.tick();
            const Real* x = X + static_cast<std::size_t>(order[t]) * p;
            for (std::size_t u = 0; u < padded; u += D::LANES) {
                V sum = D::splat(0.0);
                for (std::size_t j = 0; j < p; ++j) {
                    const V gap = D::load(W.data() + j * padded + u) - static_cast<double>(x[j]);
                    sum += gap * gap;
                }
                D::store(s.data() + u, sum);
            }
            std::size_t best = 0;
            for (std::size_t u = 1; u < m; ++u)
                if (s[u] < s[best]) best = u;
            const double decay = 1.0 / (1.0 + 2.0 * static_cast<double>(first + t) / static_cast<double>(total));
            const double rate = eta * decay, exponent = -0.5 / std::max(sigma * decay * sigma * decay, NO_STEP);
            for (std::size_t u = 0; u < m; ++u) h[u] = lattice[best * m + u] * exponent;
            for (std::size_t u = 0; u < padded; u += D::LANES) D::store(h.data() + u, rate * exp_nonpositive<BYTES>(D::load(h.data() + u)));
            for (std::size_t u = m; u < padded; ++u) h[u] = 0;
            for (std::size_t j = 0; j < p; ++j) {
                double* w = W.data() + j * padded;
                const double value = static_cast<double>(x[j]);
                for (std::size_t u = 0; u < padded; u += D::LANES) {
                    const V old = D::load(w + u);
                    D::store(w + u, old + D::load(h.data() + u) * (value - old));
                }
            }
        }
        for (std::size_t j = 0; j < p; ++j)
            for (std::size_t u = 0; u < m; ++u) units[u * p + j] = W[j * padded + u];
    }
};

}  // namespace

template <class Real>
void nearest_units(const Real* X, std::size_t n, std::size_t p, const double* units, std::size_t m, std::int32_t* number,
                   double* distance) {
    widest<Nearest<Real>>(X, n, p, units, m, number, distance);
}

template <class Real>
void online_steps(const Real* X, std::size_t p, const std::int64_t* order, std::size_t steps, double* units, std::size_t m,
                  const double* lattice, double eta, double sigma, std::size_t first, std::size_t total) {
    widest<Online<Real>>(X, p, order, steps, units, m, lattice, eta, sigma, first, total);
}

template void nearest_units(const float*, std::size_t, std::size_t, const double*, std::size_t, std::int32_t*, double*);
template void nearest_units(const double*, std::size_t, std::size_t, const double*, std::size_t, std::int32_t*, double*);
template void online_steps(const float*, std::size_t, const std::int64_t*, std::size_t, double*, std::size_t, const double*, double, double,
                           std::size_t, std::size_t);
template void online_steps(const double*, std::size_t, const std::int64_t*, std::size_t, double*, std::size_t, const double*, double,
                           double, std::size_t, std::size_t);

}  // namespace novum
