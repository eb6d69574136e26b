// The values of a program on a tile of ROWS x COLUMNS pairs: what leaves measure (products, distances), and what they make of it.
#pragma once
#include <cmath>
#include <cstring>

#include "novum/kernels/program.h"
#include "novum/runtime/simd.h"
#include "novum/runtime/vector_math.h"

namespace novum::kernels {

enum class Measure { product, square, absolute };

constexpr double ROOT_3 = 1.7320508075688772, ROOT_5 = 2.23606797749979, PI = 3.141592653589793;
constexpr double FARTHEST = 1e300;     // squares of distances beyond it count as it: infinity times zero is no number
constexpr double MOST_EXPONENT = 709;  // above it e^t overflows

/// e^t of every lane, any t.
template <int BYTES>
NOVUM_INLINE typename Doubles<BYTES>::V exp_any(typename Doubles<BYTES>::V t) {
    const auto value = exp_nonpositive<BYTES>(t);
    return t > MOST_EXPONENT ? Doubles<BYTES>::splat(INFINITY) : value;
}

template <int BYTES>
NOVUM_INLINE typename Doubles<BYTES>::V root(typename Doubles<BYTES>::V t) {
    typename Doubles<BYTES>::V s;
    for (std::size_t l = 0; l < Doubles<BYTES>::LANES; ++l) s[l] = std::sqrt(t[l]);
    return s;
}

/// sin and cos of pi u for |u| <= 1/2, by their Taylor polynomials (error below 1e-16).
template <int BYTES>
NOVUM_INLINE void sin_cos_pi(typename Doubles<BYTES>::V u, typename Doubles<BYTES>::V& sine, typename Doubles<BYTES>::V& cosine) {
    using D = Doubles<BYTES>;
    const typename D::V a = u * PI, z = a * a;
    typename D::V s = D::splat(1.0 / 51090942171709440000.0), c = D::splat(-1.0 / 1124000727777607680000.0);
    constexpr double ODD[] = {-1.0 / 121645100408832000.0,
                              1.0 / 355687428096000.0,
                              -1.0 / 1307674368000.0,
                              1.0 / 6227020800.0,
                              -1.0 / 39916800.0,
                              1.0 / 362880.0,
                              -1.0 / 5040.0,
                              1.0 / 120.0,
                              -1.0 / 6.0,
                              1.0};
    constexpr double EVEN[] = {1.0 / 2432902008176640000.0,
                               -1.0 / 6402373705728000.0,
                               1.0 / 20922789888000.0,
                               -1.0 / 87178291200.0,
                               1.0 / 479001600.0,
                               -1.0 / 3628800.0,
                               1.0 / 40320.0,
                               -1.0 / 720.0,
                               1.0 / 24.0,
                               -0.5,
                               1.0};
    for (double q : ODD) s = s * z + q;
    for (double q : EVEN) c = c * z + q;
    sine = a * s;
    cosine = c;
}

/// sin and cos of pi d / p, for distances d >= 0.
template <int BYTES>
NOVUM_INLINE void phase(typename Doubles<BYTES>::V d, double period, typename Doubles<BYTES>::V& sine, typename Doubles<BYTES>::V& cosine) {
    constexpr double ROUND = 0x1.8p52;
    const typename Doubles<BYTES>::V turns = d / period, whole = (turns + ROUND) - ROUND;  // their sign is lost; products keep it
    sin_cos_pi<BYTES>(turns - whole, sine, cosine);
}

/// b^e for a whole number 0 <= e, or any e by the library.
NOVUM_INLINE double power_of(double b, double e) {
    if (e == 2) return b * b;
    if (e == 1) return b;
    if (e == 3) return b * b * b;
    return std::pow(b, e);
}

/// A tile at work: which pairs, and per node its value and what it measured.
struct Tile {
    const Program& k;
    std::vector<double> value, base;  // (nodes, TILE)
    std::size_t row[ROWS];            // numbers of the rows
    std::size_t count = 0;            // rows that are requested
    std::size_t panel = 0;
    const double* x[ROWS];

    explicit Tile(const Program& k) : k(k), value(k.nodes.size() * TILE), base(k.nodes.size() * TILE) {}

    NOVUM_INLINE double* value_of(std::size_t node) { return value.data() + node * TILE; }
    NOVUM_INLINE double* base_of(std::size_t node) { return base.data() + node * TILE; }
    NOVUM_INLINE const double* columns_of(std::size_t node) const {
        return k.points[node].panels.data() + panel * k.points[node].d * COLUMNS;
    }
    NOVUM_INLINE void rows_of(std::size_t node) {
        for (std::size_t r = 0; r < ROWS; ++r) x[r] = k.points[node].rows.data() + row[r] * k.points[node].d;
    }
    void take(std::size_t first, std::size_t end) {
        count = end - first < ROWS ? end - first : ROWS;
        for (std::size_t r = 0; r < ROWS; ++r) row[r] = first + (r < count ? r : count - 1);
    }
};

/// The value of every node, in order; the last one is the kernel. Compiled once for all that need values: a call costs nothing beside a
/// tile.
double* forward(Tile& t);

}  // namespace novum::kernels
