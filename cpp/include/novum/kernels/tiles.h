// The values of a program on a tile of ROWS x COLUMNS pairs: first what leaves measure (products, distances), then what they make of it.
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

/// Measure ROWS rows (by number, the last repeated) against a panel of columns.
template <int BYTES, Measure M>
NOVUM_INLINE void measure(const double* const* x, const double* panel, std::size_t d, double* out) {
    using D = Doubles<BYTES>;
    constexpr std::size_t L = D::LANES, R = 4;
    static_assert(ROWS % R == 0 && COLUMNS % (2 * L) == 0);
    for (std::size_t r0 = 0; r0 < ROWS; r0 += R)
        for (std::size_t v = 0; v < COLUMNS; v += 2 * L) {
            typename D::V sum[R][2] = {};
            for (std::size_t j = 0; j < d; ++j) {
                const auto y0 = D::load(panel + j * COLUMNS + v), y1 = D::load(panel + j * COLUMNS + v + L);
#pragma GCC unroll 4
                for (std::size_t r = 0; r < R; ++r) {
                    const double at = x[r0 + r][j];
                    if constexpr (M == Measure::product) {
                        sum[r][0] += y0 * at;
                        sum[r][1] += y1 * at;
                    } else {
                        const auto t0 = y0 - at, t1 = y1 - at;
                        if constexpr (M == Measure::square) {
                            sum[r][0] += t0 * t0;
                            sum[r][1] += t1 * t1;
                        } else {
                            sum[r][0] += t0 < 0 ? -t0 : t0;
                            sum[r][1] += t1 < 0 ? -t1 : t1;
                        }
                    }
                }
            }
#pragma GCC unroll 4
            for (std::size_t r = 0; r < R; ++r) {
                if constexpr (M == Measure::square) {
                    sum[r][0] = sum[r][0] > FARTHEST ? D::splat(FARTHEST) : sum[r][0];
                    sum[r][1] = sum[r][1] > FARTHEST ? D::splat(FARTHEST) : sum[r][1];
                }
                D::store(out + (r0 + r) * COLUMNS + v, sum[r][0]);
                D::store(out + (r0 + r) * COLUMNS + v + L, sum[r][1]);
            }
        }
}

/// A tile at work: which pairs, and per node its value and what it measured.
struct Tile {
    const Program& k;
    std::vector<double> value, base;  // (nodes, TILE)
    std::size_t row[ROWS];            // numbers of the rows
    std::size_t count = 0;            // rows that are asked for
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

/// v[e] = f(u[e]) for a whole tile.
template <int BYTES, class F>
NOVUM_INLINE void map(const double* u, double* v, F&& f) {
    using D = Doubles<BYTES>;
    for (std::size_t e = 0; e < TILE; e += D::LANES) D::store(v + e, f(D::load(u + e)));
}

/// The value of a leaf, (1) of program.h.
template <int BYTES>
NOVUM_INLINE void leaf(Tile& t, std::size_t i) {
    using D = Doubles<BYTES>;
    using V = typename D::V;
    const Node& node = t.k.nodes[i];
    const double* number = t.k.numbers.data() + node.first;
    double *value = t.value_of(i), *base = t.base_of(i);
    const std::size_t d = t.k.points[i].d;
    switch (node.op) {
        case Op::constant:
            for (std::size_t e = 0; e < TILE; ++e) value[e] = number[0];
            return;
        case Op::white:
            std::memset(value, 0, TILE * sizeof(double));
            if (t.k.same)
                for (std::size_t r = 0; r < ROWS; ++r)
                    if (t.row[r] / COLUMNS == t.panel) value[r * COLUMNS + t.row[r] % COLUMNS] = number[0];
            return;
        case Op::linear:
            t.rows_of(i);
            measure<BYTES, Measure::product>(t.x, t.columns_of(i), d, base);
            map<BYTES>(base, value, [&](V s) NOVUM_LAMBDA { return s + number[0]; });
            return;
        case Op::laplacian:
            t.rows_of(i);
            measure<BYTES, Measure::absolute>(t.x, t.columns_of(i), d, base);
            map<BYTES>(base, value, [&](V s) NOVUM_LAMBDA { return exp_nonpositive<BYTES>(-s); });
            return;
        default: break;
    }
    t.rows_of(i);
    measure<BYTES, Measure::square>(t.x, t.columns_of(i), d, base);
    switch (node.op) {
        case Op::rbf: map<BYTES>(base, value, [&](V s) NOVUM_LAMBDA { return exp_nonpositive<BYTES>(-0.5 * s); }); return;
        case Op::matern12: map<BYTES>(base, value, [&](V s) NOVUM_LAMBDA { return exp_nonpositive<BYTES>(-root<BYTES>(s)); }); return;
        case Op::matern32:
            map<BYTES>(base, value, [&](V s) NOVUM_LAMBDA {
                const V a = ROOT_3 * root<BYTES>(s);
                return (1 + a) * exp_nonpositive<BYTES>(-a);
            });
            return;
        case Op::matern52:
            map<BYTES>(base, value, [&](V s) NOVUM_LAMBDA {
                const V a = ROOT_5 * root<BYTES>(s);
                return (1 + a + a * a * (1.0 / 3)) * exp_nonpositive<BYTES>(-a);
            });
            return;
        case Op::rational:
            map<BYTES>(base, value, [&](V s) NOVUM_LAMBDA {
                return exp_nonpositive<BYTES>(-number[0] * log_above_one<BYTES>(1 + s * (0.5 / number[0])));
            });
            return;
        default:  // periodic
            map<BYTES>(base, value, [&](V s) NOVUM_LAMBDA {
                V sine, cosine;
                phase<BYTES>(root<BYTES>(s), number[1], sine, cosine);
                return exp_nonpositive<BYTES>(sine * sine * (-2 / (number[0] * number[0])));
            });
            return;
    }
}

/// The value of every node, in order; the last one is the kernel.
template <int BYTES>
NOVUM_INLINE double* forward(Tile& t) {
    using V = typename Doubles<BYTES>::V;
    const std::size_t last = t.k.nodes.size() - 1;
    for (std::size_t i = 0; i <= last; ++i) {
        const Node& node = t.k.nodes[i];
        if (node.op < Op::sum) {
            leaf<BYTES>(t, i);
            continue;
        }
        const double* number = t.k.numbers.data() + node.first;
        const double* a = t.value_of(static_cast<std::size_t>(node.left));
        double* value = t.value_of(i);
        switch (node.op) {
            case Op::sum: {
                const double* b = t.value_of(static_cast<std::size_t>(node.right));
                for (std::size_t e = 0; e < TILE; ++e) value[e] = a[e] + b[e];
                break;
            }
            case Op::product: {
                const double* b = t.value_of(static_cast<std::size_t>(node.right));
                for (std::size_t e = 0; e < TILE; ++e) value[e] = a[e] * b[e];
                break;
            }
            case Op::power:
                for (std::size_t e = 0; e < TILE; ++e) value[e] = power_of(a[e], number[0]);
                break;
            case Op::exponential: map<BYTES>(a, value, [&](V s) NOVUM_LAMBDA { return exp_any<BYTES>(s); }); break;
            case Op::polynomial:
                for (std::size_t e = 0; e < TILE; ++e) value[e] = power_of(number[0] * a[e] + number[1], number[2]);
                break;
            default:  // sigmoid
                for (std::size_t e = 0; e < TILE; ++e) value[e] = std::tanh(number[0] * a[e] + number[1]);
        }
    }
    return t.value_of(last);
}

}  // namespace novum::kernels
