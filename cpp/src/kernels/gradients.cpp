// Derivatives of a kernel program in the logarithms of its numbers, by one walk back through its nodes: what a pair weighs at the top is
// handed down by the chain rule, and every leaf turns what reaches it into derivatives. Nothing of size n^2 is stored.
//
//   d/dlog l_j of f(r^2) = -2 f'(r^2) (x_j - z_j)^2 / l_j^2                                                                    (2)
//   rbf  -2f' = k     matern12  k / r     matern32  3 e^-a     matern52  5/3 (1 + a) e^-a     rational  k / (1 + r^2 / 2alpha)    (3)
#include <algorithm>

#include "novum/kernels/gram.h"
#include "novum/kernels/tiles.h"
#include "novum/runtime/interrupt.h"

namespace novum::kernels {

namespace {

/// A tile with what reaches every node from above.
struct Back : Tile {
    std::vector<double> weight, one;  // (nodes, TILE), (TILE,)
    explicit Back(const Program& k) : Tile(k), weight(k.nodes.size() * TILE), one(TILE) {}
    NOVUM_INLINE double* weight_of(std::size_t node) { return weight.data() + node * TILE; }
};

/// What leaves make of what reaches them: added up over all pairs, or put down for each of them. Decided once per tile and number.
struct Sink {
    double* out;
    std::size_t slots;  // numbers side by side for each pair; 0: add up

    NOVUM_INLINE void operator()(Back& t, std::int32_t slot, const double* one) const {
        const std::size_t at = static_cast<std::size_t>(slot);
        if (slots == 0) {
            double part[8] = {};
            for (std::size_t e = 0; e < TILE; e += 8)
                for (std::size_t l = 0; l < 8; ++l) part[l] += one[e + l];
            out[at] += ((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7]));
            return;
        }
        const std::size_t first = t.panel * COLUMNS, width = std::min(COLUMNS, t.k.m - first);
        for (std::size_t r = 0; r < t.count; ++r)
            for (std::size_t c = 0; c < width; ++c) out[(t.row[r] * t.k.m + first + c) * slots + at] = one[r * COLUMNS + c];
    }
};

/// Derivatives in the length scales: `factor` is weight times -2f' (or k, for sums of absolute differences).
template <Measure M>
NOVUM_INLINE void scales(Back& t, std::size_t i, const double* factor, const Sink& sink) {
    const Node& node = t.k.nodes[i];
    const std::size_t d = t.k.points[i].d;
    double* one = t.one.data();
    if (!node.each_column) {
        const double* base = t.base_of(i);
        for (std::size_t e = 0; e < TILE; ++e) one[e] = factor[e] * base[e];
        sink(t, node.slot[0], one);
        return;
    }
    t.rows_of(i);
    const double* panel = t.columns_of(i);
    for (std::size_t j = 0; j < d; ++j) {
        for (std::size_t r = 0; r < ROWS; ++r) {
            const double at = t.x[r][j];
            for (std::size_t c = 0; c < COLUMNS; ++c) {
                const double gap = panel[j * COLUMNS + c] - at;
                one[r * COLUMNS + c] = factor[r * COLUMNS + c] * (M == Measure::square ? std::min(gap * gap, FARTHEST) : std::abs(gap));
            }
        }
        sink(t, node.slot[0] + static_cast<std::int32_t>(j), one);
    }
}

/// The derivatives of a leaf. The tile `factor` may be the leaf's own weight, which is not needed afterwards.
template <int BYTES>
NOVUM_INLINE void leaf_back(Back& t, std::size_t i, const Sink& sink) {
    using D = Doubles<BYTES>;
    using V = typename D::V;
    const Node& node = t.k.nodes[i];
    if (node.slot[0] < 0 && node.slot[1] < 0) return;
    const double *number = t.k.numbers.data() + node.first, *base = t.base_of(i), *value = t.value_of(i);
    double *w = t.weight_of(i), *one = t.one.data();
    auto each = [&](auto&& f) NOVUM_LAMBDA {  // w <- f(w, base, value)
        for (std::size_t e = 0; e < TILE; e += D::LANES) D::store(w + e, f(D::load(w + e), D::load(base + e), D::load(value + e)));
    };
    switch (node.op) {
        case Op::constant:
        case Op::white:
            for (std::size_t e = 0; e < TILE; ++e) one[e] = w[e] * value[e];
            sink(t, node.slot[0], one);
            return;
        case Op::linear:  // the number is sigma^2
            for (std::size_t e = 0; e < TILE; ++e) one[e] = w[e] * 2 * number[0];
            sink(t, node.slot[0], one);
            return;
        case Op::laplacian:
            each([](V a, V, V k) NOVUM_LAMBDA { return a * k; });
            scales<Measure::absolute>(t, i, w, sink);
            return;
        case Op::rbf: each([](V a, V, V k) NOVUM_LAMBDA { return a * k; }); break;
        case Op::matern12:
            each([](V a, V s, V k) NOVUM_LAMBDA {
                const V r = root<BYTES>(s);
                return r > 0 ? a * k / r : V{};
            });
            break;
        case Op::matern32: each([](V a, V s, V) NOVUM_LAMBDA { return a * 3.0 * exp_nonpositive<BYTES>(-ROOT_3 * root<BYTES>(s)); }); break;
        case Op::matern52:
            each([](V a, V s, V) NOVUM_LAMBDA {
                const V b = ROOT_5 * root<BYTES>(s);
                return a * (5.0 / 3) * (1 + b) * exp_nonpositive<BYTES>(-b);
            });
            break;
        case Op::rational: {  // number: alpha
            const double alpha = number[0];
            if (node.slot[1] >= 0) {
                for (std::size_t e = 0; e < TILE; e += D::LANES) {
                    const V s = D::load(base + e), b = 1 + s * (0.5 / alpha);
                    D::store(one + e, D::load(w + e) * D::load(value + e) * (0.5 * s / b - alpha * log_above_one<BYTES>(b)));
                }
                sink(t, node.slot[1], one);
            }
            each([&](V a, V s, V k) NOVUM_LAMBDA { return a * k / (1 + s * (0.5 / alpha)); });
            break;
        }
        default: {  // periodic; numbers: l, p
            const double f = 4 / (number[0] * number[0]);
            for (int which = 0; which < 2; ++which) {
                if (node.slot[which] < 0) continue;
                for (std::size_t e = 0; e < TILE; e += D::LANES) {
                    const V r = root<BYTES>(D::load(base + e));
                    V sine, cosine;
                    phase<BYTES>(r, number[1], sine, cosine);
                    const V part = which ? (r * (PI / number[1])) * cosine : sine;
                    D::store(one + e, D::load(w + e) * D::load(value + e) * f * sine * part);
                }
                sink(t, node.slot[which], one);
            }
            return;
        }
    }
    if (node.slot[0] >= 0) scales<Measure::square>(t, i, w, sink);
}

/// Hand what the last node weighs down to all others; the sink takes what leaves make of it.
struct Backward {
    template <int BYTES>
    static NOVUM_INLINE int run(Back& t, const Sink& sink) {
        const std::size_t last = t.k.nodes.size() - 1;
        if (last) std::memset(t.weight.data(), 0, last * TILE * sizeof(double));
        for (std::size_t i = last + 1; i-- > 0;) {
            const Node& node = t.k.nodes[i];
            if (node.op < Op::sum) {
                leaf_back<BYTES>(t, i, sink);
                continue;
            }
            const std::size_t l = static_cast<std::size_t>(node.left), q = static_cast<std::size_t>(node.right);
            const double *number = t.k.numbers.data() + node.first, *a = t.value_of(l), *k = t.value_of(i);
            double *w = t.weight_of(i), *to = t.weight_of(l), *one = t.one.data();
            switch (node.op) {
                case Op::sum:
                case Op::product: {
                    double* other = t.weight_of(q);
                    const double* b = t.value_of(q);
                    const bool plain = node.op == Op::sum;
                    for (std::size_t e = 0; e < TILE; ++e) {
                        to[e] += plain ? w[e] : w[e] * b[e];
                        other[e] += plain ? w[e] : w[e] * a[e];
                    }
                    break;
                }
                case Op::power:
                    for (std::size_t e = 0; e < TILE; ++e) to[e] += w[e] * number[0] * power_of(a[e], number[0] - 1);
                    break;
                case Op::exponential:
                    for (std::size_t e = 0; e < TILE; ++e) to[e] += w[e] * k[e];
                    break;
                case Op::polynomial:
                case Op::sigmoid: {
                    const bool powers = node.op == Op::polynomial;
                    for (std::size_t e = 0; e < TILE; ++e)
                        w[e] *= powers ? number[2] * power_of(number[0] * a[e] + number[1], number[2] - 1) : 1 - k[e] * k[e];
                    if (node.slot[0] >= 0) {
                        for (std::size_t e = 0; e < TILE; ++e) one[e] = w[e] * number[0] * a[e];
                        sink(t, node.slot[0], one);
                    }
                    if (node.slot[1] >= 0) {
                        for (std::size_t e = 0; e < TILE; ++e) one[e] = w[e] * number[1];
                        sink(t, node.slot[1], one);
                    }
                    for (std::size_t e = 0; e < TILE; ++e) to[e] += w[e] * number[0];
                    break;
                }
                default: break;
            }
        }
        return 0;
    }
};

// What every pair of the tile weighs: twice below the diagonal and nothing above it where rows and columns are the same points.
NOVUM_INLINE void weigh(Back& t, const Weights& by, double* w) {
    const std::size_t first = t.panel * COLUMNS;
    std::memset(w, 0, TILE * sizeof(double));
    if (!t.k.same) {
        const std::size_t width = std::min(COLUMNS, t.k.m - first);
        for (std::size_t r = 0; r < t.count; ++r)
            for (std::size_t c = 0; c < width; ++c) w[r * COLUMNS + c] = by.scale * by.a[t.row[r] * t.k.m + first + c];
        return;
    }
    for (std::size_t r = 0; r < t.count; ++r) {
        const std::size_t row = t.row[r];
        const std::size_t upto = std::min(COLUMNS, row + 1 - std::min(first, row + 1));
        double* to = w + r * COLUMNS;
        if (by.a)
            for (std::size_t c = 0; c < upto; ++c) to[c] = by.scale * by.a[row * t.k.m + first + c];
        for (std::size_t c = 0; c < upto; ++c)
            for (std::size_t q = 0; q < by.width; ++q) to[c] += by.v[row * by.width + q] * by.v[(first + c) * by.width + q];
        for (std::size_t c = 0; c < upto; ++c) to[c] *= first + c < row ? 2 : 1;
    }
}

struct Trace {
    template <int BYTES>
    static NOVUM_INLINE int run(const Program& k, const Weights& by, std::size_t begin, std::size_t end, double* out) {
        Back t(k);
        const Sink sink{out, 0};
        interrupt::Poller<64> poller;
        for (std::size_t i = begin; i < end; i += ROWS) {
            t.take(i, end);
            const std::size_t last = k.same ? (i + t.count - 1) / COLUMNS + 1 : k.panels();
            for (t.panel = 0; t.panel < last; ++t.panel) {
                poller.tick();
                forward(t);
                weigh(t, by, t.weight_of(k.nodes.size() - 1));
                run_at<BYTES, Backward>(t, sink);
            }
        }
        return 0;
    }
};

struct Whole {
    template <int BYTES>
    static NOVUM_INLINE int run(const Program& k, std::size_t slots, std::size_t begin, std::size_t end, double* out) {
        Back t(k);
        const Sink sink{out, slots};
        interrupt::Poller<64> poller;
        for (std::size_t i = begin; i < end; i += ROWS) {
            t.take(i, end);
            for (t.panel = 0; t.panel < k.panels(); ++t.panel) {
                poller.tick();
                forward(t);
                std::fill_n(t.weight_of(k.nodes.size() - 1), TILE, 1.0);
                run_at<BYTES, Backward>(t, sink);
            }
        }
        return 0;
    }
};

}  // namespace

void gradient_trace(const Program& k, const Weights& weights, std::size_t begin, std::size_t end, double* out) {
    widest<Trace>(k, weights, begin, end, out);
}

void gradient(const Program& k, std::size_t slots, std::size_t begin, std::size_t end, double* out) {
    widest<Whole>(k, slots, begin, end, out);
}

}  // namespace novum::kernels
