#include "novum/neural_network/activations.h"

#include <cmath>
#include <numbers>

#include "novum/neural_network/exponentials.h"
#include "novum/neural_network/layout.h"
#include "novum/runtime/rng.h"

namespace novum::neural_network {

namespace {

constexpr double SELU_ALPHA = 1.6732632423543772848170429916717, SELU_SCALE = 1.0507009873554804934193349852946;

/// y <- f(y) for whole vectors.
template <int BYTES, class Real, class F>
NOVUM_INLINE void each(Real* y, std::size_t n, F&& f) {
    using S = panel::Simd<Real, BYTES>;
    for (std::size_t i = 0; i < n; i += S::LANES) S::store(y + i, f(S::load(y + i)));
}

struct Forward {
    template <int BYTES, class Real>
    static NOVUM_INLINE int run(const Function& h, const Units<Real>& units) {
        using S = panel::Simd<Real, BYTES>;
        using V = typename S::V;
        const std::size_t n = units.rows * units.pitch;
        const Real parameter = static_cast<Real>(h.parameter);
        const V zero = V{}, one = V{} + Real(1);
        Real* y = units.y;
        switch (h.kind) {
            case Activation::Identity: break;
            case Activation::Sigmoid:
                each<BYTES>(y, n, [&](V z) NOVUM_LAMBDA {
                    const V e = exp_below<BYTES, Real>(z < zero ? z : -z);
                    return (z < zero ? e : one) / (one + e);
                });
                break;
            case Activation::Tanh:
                each<BYTES>(y, n, [&](V z) NOVUM_LAMBDA {
                    const V e = expm1_below<BYTES, Real>(Real(2) * (z < zero ? z : -z)), t = e / (e + Real(2));
                    return z < zero ? t : -t;
                });
                break;
            case Activation::Relu: each<BYTES>(y, n, [&](V z) NOVUM_LAMBDA { return z < zero ? zero : z; }); break;
            case Activation::Leaky: each<BYTES>(y, n, [&](V z) NOVUM_LAMBDA { return z > zero ? z : parameter * z; }); break;
            case Activation::Elu:
                each<BYTES>(y, n,
                            [&](V z) NOVUM_LAMBDA { return z > zero ? z : parameter * expm1_below<BYTES, Real>(z > zero ? zero : z); });
                break;
            case Activation::Selu: {
                const Real scale = Real(SELU_SCALE), depth = Real(SELU_SCALE * SELU_ALPHA);
                each<BYTES>(y, n,
                            [&](V z) NOVUM_LAMBDA { return z > zero ? scale * z : depth * expm1_below<BYTES, Real>(z > zero ? zero : z); });
                break;
            }
            case Activation::Softplus:
                for (std::size_t i = 0; i < n; ++i) y[i] = std::log1p(std::exp(-std::abs(y[i]))) + (y[i] > 0 ? y[i] : Real(0));
                break;
            case Activation::Gelu:
                for (std::size_t i = 0; i < n; ++i) {
                    const Real z = y[i], below = std::erfc(-z / Real(std::numbers::sqrt2)) / 2;
                    units.aside[i] = below + z * std::exp(-z * z / 2) * Real(std::numbers::inv_sqrtpi / std::numbers::sqrt2);
                    y[i] = z * below;
                }
                break;
            case Activation::Softmax: rows<BYTES>(units); break;
        }
        return 0;
    }

    template <int BYTES, class Real>
    static NOVUM_INLINE void rows(const Units<Real>& units) {
        using S = panel::Simd<Real, BYTES>;
        const std::size_t padded = up_to(units.columns, S::LANES);
        for (std::size_t r = 0; r < units.rows; ++r) {
            Real* y = units.y + r * units.pitch;
            Real top = y[0], sum = 0;
            for (std::size_t c = 1; c < units.columns; ++c) top = y[c] > top ? y[c] : top;
            for (std::size_t c = units.columns; c < padded; ++c) y[c] = top;  // padding must stay in the range of (1)
            for (std::size_t c = 0; c < padded; c += S::LANES) S::store(y + c, exp_below<BYTES, Real>(S::load(y + c) - top));
            for (std::size_t c = 0; c < units.columns; ++c) sum += y[c];
            const Real inverse = 1 / sum;
            for (std::size_t c = 0; c < units.columns; ++c) y[c] *= inverse;
        }
    }
};

struct Rows {
    template <int BYTES, class Real>
    static NOVUM_INLINE int run(const Units<Real>& units) {
        Forward::rows<BYTES>(units);
        return 0;
    }
};

struct Backward {
    template <int BYTES, class Real>
    static NOVUM_INLINE int run(const Function& h, const Units<Real>& units, Real* __restrict delta) {
        const std::size_t n = units.rows * units.pitch;
        const Real* __restrict y = units.y;
        const Real parameter = static_cast<Real>(h.parameter);
        switch (h.kind) {
            case Activation::Identity: break;
            case Activation::Sigmoid:
                for (std::size_t i = 0; i < n; ++i) delta[i] *= y[i] * (1 - y[i]);
                break;
            case Activation::Tanh:
                for (std::size_t i = 0; i < n; ++i) delta[i] *= 1 - y[i] * y[i];
                break;
            case Activation::Relu:
                for (std::size_t i = 0; i < n; ++i) delta[i] = y[i] > 0 ? delta[i] : Real(0);
                break;
            case Activation::Leaky:
                for (std::size_t i = 0; i < n; ++i) delta[i] = y[i] > 0 ? delta[i] : parameter * delta[i];
                break;
            case Activation::Elu:
                for (std::size_t i = 0; i < n; ++i) delta[i] *= y[i] > 0 ? Real(1) : y[i] + parameter;
                break;
            case Activation::Selu:
                for (std::size_t i = 0; i < n; ++i) delta[i] *= y[i] > 0 ? Real(SELU_SCALE) : y[i] + Real(SELU_SCALE * SELU_ALPHA);
                break;
            case Activation::Softplus:
                for (std::size_t i = 0; i < n; ++i) delta[i] *= -std::expm1(-y[i]);
                break;
            case Activation::Gelu:
                for (std::size_t i = 0; i < n; ++i) delta[i] *= units.aside[i];
                break;
            case Activation::Softmax:
                for (std::size_t r = 0; r < units.rows; ++r) {
                    const Real* p = y + r * units.pitch;
                    Real *d = delta + r * units.pitch, mean = 0;
                    for (std::size_t c = 0; c < units.columns; ++c) mean += p[c] * d[c];
                    for (std::size_t c = 0; c < units.columns; ++c) d[c] = p[c] * (d[c] - mean);
                }
                break;
        }
        return 0;
    }
};

}  // namespace

template <class Real>
void activate(const Function& h, const Units<Real>& units) {
    widest<Forward>(h, units);
}

template <class Real>
void pull_back(const Function& h, const Units<Real>& units, Real* delta) {
    widest<Backward>(h, units, delta);
}

template <class Real>
void softmax_rows(const Units<Real>& units) {
    widest<Rows>(units);
}

template <class Real>
void drop(const Dropping& how, const Units<Real>& units, std::size_t first_row, Real* mask) {
    const rng::Stream stream{how.seed, how.layer, how.step};
    const std::uint32_t edge = static_cast<std::uint32_t>(how.share * 0x1p32);
    const Real factor = static_cast<Real>(1 / (1 - how.share));
    for (std::size_t r = 0; r < units.rows; ++r)
        for (std::size_t c = 0; c < units.columns; c += 4) {
            const rng::Block words = rng::block(stream, first_row + r, c / 4);
            for (std::size_t k = 0; k < 4 && c + k < units.columns; ++k) {
                const std::size_t at = r * units.pitch + c + k;
                mask[at] = words[k] < edge ? Real(0) : factor;
                units.y[at] *= mask[at];
            }
        }
}

template <class Real>
void pull_back_dropped(const Function& h, const Units<Real>& units, const Real* mask, Real* delta) {
    const std::size_t n = units.rows * units.pitch;
    for (std::size_t i = 0; i < n; ++i) {
        delta[i] *= mask[i];
        units.y[i] = mask[i] != 0 ? units.y[i] / mask[i] : Real(0);
    }
    pull_back(h, units, delta);
    for (std::size_t i = 0; i < n; ++i) units.y[i] *= mask[i];  // the next layer up saw them so
}

#define NOVUM_INSTANTIATE(Real)                                                  \
    template void activate(const Function&, const Units<Real>&);                 \
    template void pull_back(const Function&, const Units<Real>&, Real*);         \
    template void softmax_rows(const Units<Real>&);                              \
    template void drop(const Dropping&, const Units<Real>&, std::size_t, Real*); \
    template void pull_back_dropped(const Function&, const Units<Real>&, const Real*, Real*);
NOVUM_INSTANTIATE(float)
NOVUM_INSTANTIATE(double)

}  // namespace novum::neural_network
