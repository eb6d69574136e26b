// Exponentials and logarithms of whole vectors against those of the library, at every width.
#include <algorithm>

#include "check.h"
#include "novum/kernels/function.h"
#include "novum/neural_network/exponentials.h"
#include "novum/runtime/vector_math.h"

using namespace novum;
using namespace novum::test;

namespace {

/// Apply F::of<BYTES> lane by lane, `in` repeated to whole vectors, and compare with F::plain.
template <class F, class Real>
struct Compare {
    template <int BYTES>
    static NOVUM_INLINE int run(const std::vector<Real>& in) {
        using S = panel::Simd<Real, BYTES>;
        for (std::size_t i = 0; i < in.size(); i += S::LANES) {
            Real x[S::LANES], y[S::LANES];
            for (std::size_t l = 0; l < S::LANES; ++l) x[l] = in[(i + l) % in.size()];
            S::store(y, F::template of<BYTES>(S::load(x)));
            for (std::size_t l = 0; l < S::LANES; ++l) CHECK(close(y[l], F::plain(x[l]), F::UNITS));
        }
        return 0;
    }
};

struct Exponential {
    static constexpr double UNITS = 2;
    template <int BYTES>
    static NOVUM_INLINE auto of(typename Doubles<BYTES>::V t) {
        return exp_nonpositive<BYTES>(t);
    }
    static double plain(double t) { return t < LEAST_EXPONENT ? 0 : std::exp(t); }  // what is no normal number is zero
};

struct BriefExponential : Exponential {
    static constexpr double UNITS = 3e-10 / 2.2e-16;
    template <int BYTES>
    static NOVUM_INLINE auto of(typename Doubles<BYTES>::V t) {
        return exp_nonpositive<BYTES, 8>(t);
    }
};

struct AnyExponential {
    static constexpr double UNITS = 2;
    template <int BYTES>
    static NOVUM_INLINE auto of(typename Doubles<BYTES>::V t) {
        return exp_any<BYTES>(t);
    }
    static double plain(double t) { return t < LEAST_EXPONENT ? 0 : t > MOST_EXPONENT ? INF : std::exp(t); }
};

struct Logarithm {
    static constexpr double UNITS = 2;
    template <int BYTES>
    static NOVUM_INLINE auto of(typename Doubles<BYTES>::V s) {
        return log_above_one<BYTES>(s);
    }
    static double plain(double s) { return std::log(s); }
};

template <class Real>
struct Below {
    static constexpr double UNITS = 3;
    template <int BYTES>
    static NOVUM_INLINE auto of(typename panel::Simd<Real, BYTES>::V t) {
        return neural_network::exp_below<BYTES, Real>(t);
    }
    static Real plain(Real t) { return t < neural_network::Exponent<Real>::LEAST ? Real(0) : std::exp(t); }
};

template <class Real>
struct BelowMinusOne {
    static constexpr double UNITS = 3;
    template <int BYTES>
    static NOVUM_INLINE auto of(typename panel::Simd<Real, BYTES>::V t) {
        return neural_network::expm1_below<BYTES, Real>(t);
    }
    static Real plain(Real t) { return std::expm1(t); }
};

std::vector<double> exponents(double least) {
    std::vector<double> t = Draws(1).numbers(5000, least, 0);
    for (double near : Draws(2).numbers(2000, -2, 0)) t.push_back(near);
    for (double special : {0.0, -0.0, -LEAST_NUMBER, -1e-300, -1e-17, -0.34657359027997264, -0.34657359027997270, least,
                           std::nextafter(least, -INF), std::nextafter(least, 0), least - 40, -1e6, -INF})
        t.push_back(special);
    return t;
}

}  // namespace

TEST(exponential_of_vectors) {
    auto t = exponents(LEAST_EXPONENT);
    t.push_back(NOT_A_NUMBER);
    every_width<Compare<Exponential, double>>(t);
    every_width<Compare<BriefExponential, double>>(t);
    for (double x : exponents(-MOST_EXPONENT)) t.push_back(-x);
    every_width<Compare<AnyExponential, double>>(t);
}

TEST(logarithm_of_vectors) {
    std::vector<double> s = Draws(3).numbers(3000, 1, 3);
    for (double e : Draws(4).numbers(3000, 0, 709)) s.push_back(std::exp(e));
    for (double special : {1.0, std::nextafter(1.0, 2), 1 + 1e-10, 1.4142135623730949, 1.4142135623730951, 2.0, 1e300, MOST_NUMBER})
        s.push_back(special);
    every_width<Compare<Logarithm, double>>(s);
}

TEST(exponentials_of_activations) {
    std::vector<double> t = exponents(-708);
    t.push_back(NOT_A_NUMBER);
    every_width<Compare<Below<double>, double>>(t);
    every_width<Compare<BelowMinusOne<double>, double>>(t);
    std::vector<float> brief;
    for (double x : exponents(-87)) brief.push_back(static_cast<float>(x));
    brief.push_back(std::numeric_limits<float>::quiet_NaN());
    brief.push_back(-std::numeric_limits<float>::denorm_min());
    every_width<Compare<Below<float>, float>>(brief);
    every_width<Compare<BelowMinusOne<float>, float>>(brief);
}

namespace {

struct KernelValues {
    template <int BYTES>
    static NOVUM_INLINE int run(Draws& draws) {
        using D = Doubles<BYTES>;
        using kernels::Kind;
        for (int degree = 0; degree <= 7; ++degree) {
            const kernels::Function f{Kind::polynomial, 0.7, -0.2, degree};
            const double dot = draws.uniform(-2, 2), far = draws.uniform(0, 4), near = draws.uniform(0, 4);
            const auto v = D::splat(dot), x = D::splat(near), z = D::splat(far);
            CHECK(kernels::value<Kind::linear, BYTES>(f, v, x, z)[0] == dot);
            CHECK(close(kernels::value<Kind::polynomial, BYTES>(f, v, x, z)[1], std::pow(0.7 * dot - 0.2, degree), 20));
            const double square = std::max(0.0, near + far - 2 * dot);  // rounding may leave a square below zero
            CHECK(close(kernels::value<Kind::gaussian, BYTES>(f, v, x, z)[0], std::exp(-0.7 * square), 20));
            CHECK(std::fabs(kernels::value<Kind::sigmoid, BYTES>(f, v, x, z)[1] - std::tanh(0.7 * dot - 0.2)) < 1e-15);
            CHECK(kernels::value<Kind::sigmoid, BYTES>(f, D::splat(-1e9), x, z)[0] == -1);
        }
        return 0;
    }
};

}  // namespace

TEST(kernels_of_products) {
    Draws draws(5);
    every_width<KernelValues>(draws);
}
