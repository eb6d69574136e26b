#include "novum/kernels/waves.h"

#include <cmath>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/vector_math.h"

namespace novum {
namespace {

constexpr double FAR = 1e6;         // beyond, products of quarter turns are not exact
constexpr std::size_t CHUNK = 64;   // phases at a time: in the first cache between the steps
constexpr double ROUND = 0x1.8p52;  // adding it leaves the nearest integer in the low bits
constexpr double TURN[] = {1.57079632673412561417e+00, 6.07710050630396597660e-11, 2.02226624871116645580e-21};  // pi/2
constexpr double COS[] = {-1.13596475577881948265e-11, 2.08757232129817482790e-09,  -2.75573143513906633035e-07,
                          2.48015872894767294178e-05,  -1.38888888888741095749e-03, 4.16666666666666019037e-02};
constexpr double SIN[] = {1.58969099521155010221e-10,  -2.50507602534068634195e-08, 2.75573137070700676789e-06,
                          -1.98412698298579493134e-04, 8.33333333332248946124e-03,  -1.66666666666666324348e-01};

template <int BYTES>
NOVUM_INLINE typename Doubles<BYTES>::V cosine(typename Doubles<BYTES>::V x) {
    using D = Doubles<BYTES>;
    using V = typename D::V;
    const V shifted = x * 0.636619772367581343076 + ROUND, n = shifted - ROUND;
    const V r = ((x - n * TURN[0]) - n * TURN[1]) - n * TURN[2], z = r * r;
    V c = D::splat(COS[0]), s = D::splat(SIN[0]);
#pragma GCC unroll 5
    for (int k = 1; k < 6; ++k) {
        c = c * z + COS[k];
        s = s * z + SIN[k];
    }
    c = 1.0 - (0.5 * z - z * z * c);
    s = r + r * z * s;
    typename D::I turns;
    std::memcpy(&turns, &shifted, sizeof turns);
    const V value = (turns & 1) != 0 ? s : c;
    return ((turns + 1) & 2) != 0 ? -value : value;
}

template <class Real>
struct Cosines {
    template <int BYTES>
    static NOVUM_INLINE int run(Real* phase, std::size_t rows, std::size_t m, const Real* offset, double scale) {
        using D = Doubles<BYTES>;
        interrupt::Poller<1024> poller;
        alignas(64) double x[CHUNK];
        for (std::size_t i = 0; i < rows; ++i, phase += m) {
            poller.tick();
            for (std::size_t start = 0; start < m; start += CHUNK) {
                const std::size_t many = std::min(CHUNK, m - start), padded = (many + D::LANES - 1) / D::LANES * D::LANES;
                bool far = false;
                for (std::size_t t = 0; t < many; ++t) {
                    x[t] = static_cast<double>(static_cast<Real>(phase[start + t] + offset[start + t]));
                    far |= !(std::abs(x[t]) <= FAR);
                }
                for (std::size_t t = many; t < padded; ++t) x[t] = 0;
                if (far)
                    for (std::size_t t = 0; t < many; ++t) x[t] = scale * std::cos(x[t]);
                else
                    for (std::size_t t = 0; t < padded; t += D::LANES) D::store(x + t, scale * cosine<BYTES>(D::load(x + t)));
                for (std::size_t t = 0; t < many; ++t) phase[start + t] = static_cast<Real>(x[t]);
            }
        }
        return 0;
    }
};

}  // namespace

template <class Real>
void cosines(Real* phase, std::size_t rows, std::size_t m, const Real* offset, double scale) {
    widest<Cosines<Real>>(phase, rows, m, offset, scale);
}
template void cosines(float*, std::size_t, std::size_t, const float*, double);
template void cosines(double*, std::size_t, std::size_t, const double*, double);

}  // namespace novum
