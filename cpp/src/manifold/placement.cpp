#include "novum/manifold/placement.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/simd.h"
#include "novum/runtime/vector_math.h"

namespace novum {
namespace {

constexpr std::size_t TILE = 128;  // points at a time, so that what is known of them stays in the first cache
constexpr std::size_t WARM = 4;    // steps (2) before the first (3): into the basin that they lead to

/// What (1) to (3) are at a point.
struct Outlook {
    std::vector<double> z, target, curvature;  // (q,), (q,): t, (q, q): M, its lower triangle
    double stress = 0;
    bool smooth = true;  // whether the point lies on none of the fixed ones
    explicit Outlook(std::size_t q) : z(q), target(q), curvature(q * q) {}
};

/// Sum of a tile of products a b, in lanes.
template <int BYTES>
NOVUM_INLINE double dot(const double* a, const double* b, std::size_t padded) {
    using V = Doubles<BYTES>;
    typename V::V sum = V::splat(0.0);
    for (std::size_t j = 0; j < padded; j += V::LANES) sum += V::load(a + j) * V::load(b + j);
    double total = 0;
    for (std::size_t lane = 0; lane < V::LANES; ++lane) total += sum[lane];
    return total;
}

struct Place {
    template <int BYTES>
    static NOVUM_INLINE void look(const double* D, const double* P, std::size_t n, std::size_t q, const double* mean, double* gap,
                                  Outlook& at) {
        constexpr std::size_t LANES = Doubles<BYTES>::LANES;
        alignas(64) double square[TILE], ratio[TILE], rest[TILE], one[TILE], bend[TILE], product[TILE];
        std::fill_n(one, TILE, 1.0);
        std::fill(at.target.begin(), at.target.end(), 0.0);
        std::fill(at.curvature.begin(), at.curvature.end(), 0.0);
        at.stress = 0;
        at.smooth = true;
        double ratios = 0;
        for (std::size_t start = 0; start < n; start += TILE) {
            const std::size_t many = std::min(TILE, n - start), padded = (many + LANES - 1) / LANES * LANES;
            std::fill_n(square, padded, 0.0);
            for (std::size_t c = 0; c < q; ++c) {
                const double *p = P + c * n + start, own = at.z[c];
                double* g = gap + c * TILE;
                for (std::size_t j = 0; j < many; ++j) g[j] = own - p[j];
                std::fill(g + many, g + padded, 0.0);
                for (std::size_t j = 0; j < padded; ++j) square[j] += g[j] * g[j];
            }
            std::size_t apart = 0;
            for (std::size_t j = 0; j < many; ++j) {
                const double d = std::sqrt(square[j]), given = D[start + j];
                apart += d > 0;
                rest[j] = d - given;
                ratio[j] = given / (d > 0 ? d : 1.0);
                bend[j] = ratio[j] / (d > 0 ? square[j] : 1.0);
            }
            for (std::size_t j = many; j < padded; ++j) rest[j] = ratio[j] = bend[j] = 0;
            at.smooth = at.smooth && apart == many;
            at.stress += dot<BYTES>(rest, rest, padded);
            ratios += dot<BYTES>(ratio, one, padded);
            for (std::size_t c = 0; c < q; ++c) {
                const double* g = gap + c * TILE;
                at.target[c] += dot<BYTES>(ratio, g, padded);
                for (std::size_t j = 0; j < padded; ++j) product[j] = bend[j] * g[j];
                for (std::size_t e = 0; e <= c; ++e) at.curvature[c * q + e] += dot<BYTES>(product, gap + e * TILE, padded);
            }
        }
        const double count = static_cast<double>(n);
        for (std::size_t c = 0; c < q; ++c) {
            at.target[c] = mean[c] + at.target[c] / count;
            for (std::size_t e = 0; e <= c; ++e) at.curvature[c * q + e] /= count;
            at.curvature[c * q + c] += 1 - ratios / count;
        }
    }

    /// (3) into `z`; false where M is not positive definite.
    static bool newton(Outlook& at, std::size_t q, std::vector<double>& z) {
        std::vector<double>& M = at.curvature;
        for (std::size_t c = 0; c < q; ++c)  // Cholesky factor in place
            for (std::size_t e = 0; e <= c; ++e) {
                double sum = M[c * q + e];
                for (std::size_t m = 0; m < e; ++m) sum -= M[c * q + m] * M[e * q + m];
                if (c == e && !(sum > 1e-12)) return false;
                M[c * q + e] = c == e ? std::sqrt(sum) : sum / M[e * q + e];
            }
        std::vector<double> step(q);
        for (std::size_t c = 0; c < q; ++c) {
            double sum = at.z[c] - at.target[c];
            for (std::size_t e = 0; e < c; ++e) sum -= M[c * q + e] * step[e];
            step[c] = sum / M[c * q + c];
        }
        for (std::size_t c = q; c-- > 0;) {
            double sum = step[c];
            for (std::size_t e = c + 1; e < q; ++e) sum -= M[e * q + c] * step[e];
            step[c] = sum / M[c * q + c];
            z[c] = at.z[c] - step[c];
        }
        return true;
    }

    template <int BYTES>
    static NOVUM_INLINE void run(const double* D, const double* P, std::size_t rows, std::size_t n, std::size_t q, Patience patience,
                                 double* z) {
        std::vector<double> mean(q), gap(q * TILE);
        for (std::size_t c = 0; c < q; ++c) {
            for (std::size_t j = 0; j < n; ++j) mean[c] += P[c * n + j];
            mean[c] /= static_cast<double>(n);
        }
        Outlook here(q), next(q);
        interrupt::Poller<16> poller;
        for (std::size_t i = 0; i < rows; ++i, z += q) {
            std::copy_n(z, q, here.z.begin());
            look<BYTES>(D + i * n, P, n, q, mean.data(), gap.data(), here);
            for (std::size_t step = 0; step < patience.steps; ++step) {
                poller.tick();
                double change = 0;
                for (std::size_t c = 0; c < q; ++c) change = std::max(change, std::abs(here.target[c] - here.z[c]));
                if (!(change >= patience.least)) break;
                if (step >= WARM && here.smooth && newton(here, q, next.z)) {
                    look<BYTES>(D + i * n, P, n, q, mean.data(), gap.data(), next);
                    if (next.stress < here.stress) {
                        std::swap(here, next);
                        continue;
                    }
                }
                next.z = here.target;
                look<BYTES>(D + i * n, P, n, q, mean.data(), gap.data(), next);
                std::swap(here, next);
            }
            std::copy_n(here.target.begin(), q, z);
        }
    }
};

}  // namespace

void place(const double* D, const double* P, std::size_t rows, std::size_t n, std::size_t q, Patience patience, double* z) {
    widest<Place>(D, P, rows, n, q, patience, z);
}

}  // namespace novum
