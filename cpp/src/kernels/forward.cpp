// The values of a program on a tile, from its leaves up.
#include <cmath>

#include "novum/kernels/tiles.h"

namespace novum::kernels {

namespace {

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

struct Forward {
    template <int BYTES>
    static NOVUM_INLINE double* run(Tile& t) {
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
};

}  // namespace

double* forward(Tile& t) { return widest<Forward>(t); }

}  // namespace novum::kernels
