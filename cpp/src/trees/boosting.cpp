#include "novum/trees/boosting.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "novum/runtime/simd.h"
#include "novum/runtime/vector_math.h"

namespace novum::boosting {

namespace {

struct Slope {
    double gradient, curvature;
};

template <Loss LOSS>
NOVUM_INLINE Slope slope_of(double t, double f, double parameter) {
    if constexpr (LOSS == Loss::SQUARED) return {f - t, 1};
    if constexpr (LOSS == Loss::ABSOLUTE) return {static_cast<double>((f > t) - (f < t)), 1};
    if constexpr (LOSS == Loss::QUANTILE) return {f == t ? 0.0 : f > t ? 1 - parameter : -parameter, 1};
    if constexpr (LOSS == Loss::HUBER) return {std::min(std::max(f - t, -parameter), parameter), 1};
    if constexpr (LOSS == Loss::POISSON) {
        const double e = std::exp(f);
        return {e - t, e};
    }
    if constexpr (LOSS == Loss::GAMMA) {
        const double e = t * std::exp(-f);
        return {1 - e, e};
    }
    return {0, 0};
}

template <Loss LOSS>
Largest plain(double parameter, const Rows& rows, Slopes* out) {
    float g = 0, h = 0;
    for (std::size_t i = 0; i < rows.n; ++i) {
        const Slope s = slope_of<LOSS>(rows.target[i], rows.raw[i], parameter);
        out[i] = {static_cast<float>(s.gradient), static_cast<float>(s.curvature)};
        g = std::max(g, std::fabs(out[i].gradient));
        h = std::max(h, out[i].curvature);
    }
    return {g, h};
}

/// (7), a vector of rows at a time.
struct Binary {
    template <int BYTES>
    static NOVUM_INLINE Largest run(const Rows& rows, Slopes* out) {
        using D = Doubles<BYTES>;
        using V = typename D::V;
        constexpr std::size_t L = D::LANES;
        V most_g = V{}, most_h = V{};
        double t[L], f[L], g[L], h[L];
        for (std::size_t i = 0; i < rows.n; i += L) {
            const std::size_t count = std::min(L, rows.n - i);
            V vt, vf;
            if (count == L) {
                vt = D::load(rows.target + i);
                vf = D::load(rows.raw + i);
            } else {
                for (std::size_t k = 0; k < L; ++k) {
                    t[k] = k < count ? rows.target[i + k] : rows.target[i];
                    f[k] = k < count ? rows.raw[i + k] : rows.raw[i];
                }
                vt = D::load(t), vf = D::load(f);
            }
            const V e = exp_nonpositive<BYTES>(vf > 0.0 ? -vf : vf), inverse = 1.0 / (1.0 + e);
            const V s = vf > 0.0 ? inverse : e * inverse;
            const V vg = s - vt, vh = e * inverse * inverse;
            const V size = vg > 0.0 ? vg : -vg;
            most_g = size > most_g ? size : most_g;
            most_h = vh > most_h ? vh : most_h;
            D::store(g, vg);
            D::store(h, vh);
            for (std::size_t k = 0; k < count; ++k) out[i + k] = {static_cast<float>(g[k]), static_cast<float>(h[k])};
        }
        Largest most;
        for (std::size_t k = 0; k < L; ++k) {
            most.gradient = std::max(most.gradient, static_cast<double>(static_cast<float>(most_g[k])));
            most.curvature = std::max(most.curvature, static_cast<double>(static_cast<float>(most_h[k])));
        }
        return most;
    }
};

template <Loss LOSS>
NOVUM_INLINE double loss_of(double t, double f, double parameter) {
    const double r = f - t;
    if constexpr (LOSS == Loss::SQUARED) return r * r / 2;
    if constexpr (LOSS == Loss::ABSOLUTE) return std::fabs(r);
    if constexpr (LOSS == Loss::QUANTILE) return std::max(-parameter * r, (1 - parameter) * r);
    if constexpr (LOSS == Loss::HUBER) {
        const double inner = std::min(std::fabs(r), parameter);
        return inner * (std::fabs(r) - inner / 2);
    }
    if constexpr (LOSS == Loss::POISSON) return std::exp(f) - (t == 0 ? 0 : t * f);
    if constexpr (LOSS == Loss::GAMMA) return t * std::exp(-f) + f;
    if constexpr (LOSS == Loss::BINARY) return std::log1p(std::exp(-std::fabs(f))) + (f > 0 ? 1 - t : -t) * f;
    return 0;
}

constexpr std::size_t TURNS = 4;  // sums that take terms in turns: an addition need not wait for the one before

/// A loss that overflowed counts as the largest number.
double finite(double x) {
    constexpr double MOST = std::numeric_limits<double>::max();
    return x <= MOST && x >= -MOST ? x : x < 0 ? -MOST : MOST;
}

template <Loss LOSS>
void plain_total(double parameter, const Rows& rows, ExactSum& sum) {
    ExactSum turn[TURNS];
    for (std::size_t i = 0; i < rows.n; ++i)
        turn[i % TURNS].add(finite((rows.weight ? rows.weight[i] : 1.0) * loss_of<LOSS>(rows.target[i], rows.raw[i], parameter)));
    for (const ExactSum& one : turn) sum.add(one);
}

NOVUM_CLONES void softmax_clone(const double* raw, std::size_t classes, std::size_t n, std::size_t stride, double* out) {
    constexpr std::size_t BATCH = 256;  // rows whose scores of all classes stay in cache between the passes
    double most[BATCH], sum[BATCH];
    for (std::size_t start = 0; start < n; start += BATCH) {
        const std::size_t rows = std::min(BATCH, n - start);
        std::copy_n(raw + start, rows, most);
        for (std::size_t k = 1; k < classes; ++k)
            for (std::size_t i = 0; i < rows; ++i) most[i] = std::max(most[i], raw[k * stride + start + i]);
        std::fill_n(sum, rows, 0.0);
        for (std::size_t k = 0; k < classes; ++k) {
            double* to = out + k * stride + start;
            for (std::size_t i = 0; i < rows; ++i) to[i] = raw[k * stride + start + i] - most[i];
            std::size_t i = 0;
            for (; i + 4 <= rows; i += 4) Doubles<32>::store(to + i, exp_nonpositive<32>(Doubles<32>::load(to + i)));
            if (i < rows) {  // the last few by the same exponential: no row may depend on where blocks end
                double rest[4] = {};
                std::copy(to + i, to + rows, rest);
                Doubles<32>::store(rest, exp_nonpositive<32>(Doubles<32>::load(rest)));
                std::copy_n(rest, rows - i, to + i);
            }
            for (i = 0; i < rows; ++i) sum[i] += to[i];
        }
        for (std::size_t i = 0; i < rows; ++i) sum[i] = 1 / sum[i];
        for (std::size_t k = 0; k < classes; ++k)
            for (std::size_t i = 0; i < rows; ++i) out[k * stride + start + i] *= sum[i];
    }
}

/// WEIGHTS: 0 none, 1 whole numbers, which multiply what was rounded, 2 any, which multiply before it.
template <int WEIGHTS>
NOVUM_INLINE void round_rows(const Slopes* slopes, const double* weight, std::size_t n, double gradient_factor, double curvature_factor,
                             histograms::Pair* out) {
    constexpr double MOST = 1 << histograms::FRACTION_BITS, ROUND = 0x1.8p52;  // adding it leaves the nearest integer in the low bits
    const auto whole = [](double x, double w) NOVUM_LAMBDA {
        if (WEIGHTS == 2) x *= w;
        x = x < MOST ? x : MOST;  // NaN too: a score that overflowed
        x = (x > -MOST ? x : -MOST) + ROUND;
        if (WEIGHTS == 1) x = (x - ROUND) * w + ROUND;
        std::int64_t bits;
        std::memcpy(&bits, &x, sizeof x);
        return static_cast<std::int32_t>(bits);
    };
    for (std::size_t i = 0; i < n; ++i) {
        const double w = WEIGHTS ? weight[i] : 1.0;
        const Slopes s = slopes[i];
        out[i] = {whole(static_cast<double>(s.gradient) * gradient_factor, w),
                  whole(static_cast<double>(s.curvature) * curvature_factor, w)};
    }
}

NOVUM_CLONES void round_clone(const Slopes* s, const double* w, bool integral, std::size_t n, double g, double h, histograms::Pair* out) {
    if (w == nullptr)
        round_rows<0>(s, w, n, g, h, out);
    else if (integral)
        round_rows<1>(s, w, n, g, h, out);
    else
        round_rows<2>(s, w, n, g, h, out);
}

}  // namespace

Largest slopes(Loss loss, double parameter, const Rows& rows, Slopes* out) {
    switch (loss) {
        case Loss::SQUARED: return plain<Loss::SQUARED>(parameter, rows, out);
        case Loss::ABSOLUTE: return plain<Loss::ABSOLUTE>(parameter, rows, out);
        case Loss::QUANTILE: return plain<Loss::QUANTILE>(parameter, rows, out);
        case Loss::HUBER: return plain<Loss::HUBER>(parameter, rows, out);
        case Loss::POISSON: return plain<Loss::POISSON>(parameter, rows, out);
        case Loss::GAMMA: return plain<Loss::GAMMA>(parameter, rows, out);
        default: return widest<Binary>(rows, out);
    }
}

Largest class_slopes(const double* probability, const double* target, double k, std::size_t n, Slopes* out) {
    float g = 0, h = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double p = probability[i];
        out[i] = {static_cast<float>(p - (target[i] == k)), static_cast<float>(p * (1 - p))};
        g = std::max(g, std::fabs(out[i].gradient));
        h = std::max(h, out[i].curvature);
    }
    return {g, h};
}

void softmax(const double* raw, std::size_t classes, std::size_t n, std::size_t stride, double* out) {
    softmax_clone(raw, classes, n, stride, out);
}

double unit_of(double largest) {
    if (!(largest > 0) || !std::isfinite(largest)) return 1;
    return std::ldexp(1.0,
                      std::max(-900, std::ilogb(largest) + 1 - histograms::FRACTION_BITS));  // a power of two: rounding is all that is lost
}

void round(const Slopes* slopes, const double* weight, bool integral, std::size_t n, double gradient_unit, double curvature_unit,
           histograms::Pair* out) {
    round_clone(slopes, weight, integral, n, 1 / gradient_unit, 1 / curvature_unit, out);
}

void total(Loss loss, double parameter, const Rows& rows, ExactSum& sum) {
    switch (loss) {
        case Loss::SQUARED: return plain_total<Loss::SQUARED>(parameter, rows, sum);
        case Loss::ABSOLUTE: return plain_total<Loss::ABSOLUTE>(parameter, rows, sum);
        case Loss::QUANTILE: return plain_total<Loss::QUANTILE>(parameter, rows, sum);
        case Loss::HUBER: return plain_total<Loss::HUBER>(parameter, rows, sum);
        case Loss::POISSON: return plain_total<Loss::POISSON>(parameter, rows, sum);
        case Loss::GAMMA: return plain_total<Loss::GAMMA>(parameter, rows, sum);
        default: return plain_total<Loss::BINARY>(parameter, rows, sum);
    }
}

void class_total(const double* raw, std::size_t classes, std::size_t n, std::size_t stride, const double* target, const double* weight,
                 ExactSum& sum) {
    for (std::size_t i = 0; i < n; ++i) {
        double most = raw[i], total = 0;
        for (std::size_t k = 1; k < classes; ++k) most = std::max(most, raw[k * stride + i]);
        for (std::size_t k = 0; k < classes; ++k) total += std::exp(raw[k * stride + i] - most);
        const double own = raw[static_cast<std::size_t>(target[i]) * stride + i];
        sum.add(finite((weight ? weight[i] : 1.0) * (most + std::log(total) - own)));
    }
}

}  // namespace novum::boosting
