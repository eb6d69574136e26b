// How a search tree is walked: nearer child first, branches left out that lie too far.
#pragma once
#include "novum/search/norms.h"

namespace novum::neighbors {

constexpr double ROUNDING = 1e-12;    // relative: more than the sums (1) of a bound and of a distance can differ by rounding
constexpr std::size_t DEEPEST = 128;  // open branches: two per level, and 2^64 leaves have 64 levels

/// A reduced distance with room for rounding.
NOVUM_INLINE double roomy(double s) { return s * (1 + ROUNDING); }

/// Leaf of every query and its number, sorted: neighbors in the data are searched one after the other.
std::vector<std::pair<std::uint32_t, std::uint32_t>> by_leaf(const Tree& tree, Table<double> x);

/// A lower bound of (1) between q and the rows of a node.
template <Norm N, int D, bool BALL>
NOVUM_INLINE double least_distance(const Tree& tree, const double* q, std::size_t node) {
    const std::size_t d = D ? D : tree.d;
    double s = 0;
    if constexpr (BALL) {
        const double* center = tree.bounds + node * (d + 1);
        for (std::size_t t = 0; t < d; ++t) add_term<N>(s, q[t] - center[t], tree.p);
        const double gap = finish<N>(s, tree.p) * (1 - ROUNDING) - center[d] * (1 + ROUNDING);
        return gap > 0 ? reduce<N>(gap, tree.p) : 0;
    } else {
        const double *low = tree.bounds + node * 2 * d, *high = low + d;
#pragma GCC unroll 8
        for (std::size_t t = 0; t < d; ++t) {
            const double below = low[t] - q[t], above = q[t] - high[t];
            const double out = below > above ? below : above;
            add_term<N>(s, out > 0 ? out : 0, tree.p);
        }
        return s * (1 - ROUNDING);
    }
}

/// Call look(leaf) for all leaves that may hold rows at a reduced distance of at most worst().
template <Norm N, int D, bool BALL, class Worst, class Look>
NOVUM_INLINE void walk(const Tree& tree, const double* q, Worst worst, Look look) {
    struct Branch {
        std::size_t a, b;
        double bound;
    };
    Branch open[DEEPEST];
    std::size_t count = 0;
    open[count++] = {0, tree.leaves, 0};
    while (count) {
        Branch here = open[--count];
        if (here.bound > worst()) continue;
        while (here.b - here.a > 1) {
            const std::size_t m = (here.a + here.b + 1) / 2;
            auto node = [&](std::size_t a, std::size_t b) NOVUM_LAMBDA { return b - a == 1 ? tree.leaves + a : (a + b + 1) / 2; };
            Branch left{here.a, m, least_distance<N, D, BALL>(tree, q, node(here.a, m))};
            Branch right{m, here.b, least_distance<N, D, BALL>(tree, q, node(m, here.b))};
            if (right.bound < left.bound) std::swap(left, right);
            if (right.bound <= worst()) open[count++] = right;
            here = left;
            if (here.bound > worst()) break;
        }
        if (here.b - here.a == 1 && here.bound <= worst()) look(here.a);
    }
}

/// Searches that do not look at the bounds of balls say so, and one copy serves both kinds of tree.
template <template <Norm, int, bool> class Search, bool BALLS = true, class... A>
void dispatch(const Tree& tree, A&&... a) {
    const Norm norm = norm_of(tree.p);
    const bool ball = BALLS && tree.ball;
    if (norm == Norm::two && !ball) {
        switch (tree.d) {
            case 1: widest<Search<Norm::two, 1, false>>(tree, a...); return;
            case 2: widest<Search<Norm::two, 2, false>>(tree, a...); return;
            case 3: widest<Search<Norm::two, 3, false>>(tree, a...); return;
            case 4: widest<Search<Norm::two, 4, false>>(tree, a...); return;
            default: widest<Search<Norm::two, 0, false>>(tree, a...); return;
        }
    }
    if constexpr (BALLS)
        if (ball) {
            switch (norm) {
                case Norm::one: wide<Search<Norm::one, 0, true>>(tree, a...); return;
                case Norm::two: widest<Search<Norm::two, 0, true>>(tree, a...); return;
                case Norm::most: wide<Search<Norm::most, 0, true>>(tree, a...); return;
                case Norm::other: Search<Norm::other, 0, true>::template run<16>(tree, a...); return;
            }
        }
    switch (norm) {
        case Norm::one: wide<Search<Norm::one, 0, false>>(tree, a...); return;
        case Norm::most: wide<Search<Norm::most, 0, false>>(tree, a...); return;
        default: Search<Norm::other, 0, false>::template run<16>(tree, a...);  // a power for every cell: no vectors to be had
    }
}

}  // namespace novum::neighbors
