// Merges from a matrix of dissimilarities: the nearest-neighbor chain, and the closest pair from candidates.
//
// The matrix is square, so that all dissimilarities of a cluster lie side by side. A merged cluster takes the place of one of its two,
// the other dies; when many are dead the matrix is drawn together.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "novum/cluster/hierarchy.h"
#include "novum/runtime/interrupt.h"
#include "novum/runtime/panels.h"

namespace novum::cluster {

namespace {

using panel::Simd;
constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr double FULL = 0.6;       // below this share of living places the matrix is drawn together
constexpr std::size_t SMALL = 64;  // matrices below are left as they are
constexpr std::size_t CHUNK = 64;  // places whose least is found before any index is
constexpr std::size_t AHEAD = 24;  // lines of a column that are prefetched before they are written
constexpr std::size_t NONE = std::numeric_limits<std::size_t>::max();

/// (1)-(5) for a number or a vector of numbers.
template <Linkage L, class V>
NOVUM_INLINE V updated(V a, V b, double between, double na, double nb, V nk) {
    if constexpr (L == Linkage::single) return a < b ? a : b;
    if constexpr (L == Linkage::complete) return a > b ? a : b;
    if constexpr (L == Linkage::average) return (na * a + nb * b) * (1 / (na + nb));
    if constexpr (L == Linkage::weighted) return (a + b) * 0.5;
    if constexpr (L == Linkage::ward) return ((na + nk) * a + (nb + nk) * b - nk * between) / (nk + (na + nb));
    if constexpr (L == Linkage::centroid) return (na * a + nb * b) * (1 / (na + nb)) - na * nb * between / ((na + nb) * (na + nb));
    if constexpr (L == Linkage::median) return (a + b) * 0.5 - between * 0.25;
    return nk;
}

struct Least {
    double value = INFINITE;
    std::size_t place = NONE;
};

struct Places {
    double* matrix;
    std::size_t m, living;           // places in use, and those of them that live
    std::vector<double> size, dead;  // dead: zero, or infinity where nobody lives
    std::vector<std::int64_t> row;   // of the data, for the name

    Places(double* matrix, std::size_t n) : matrix(matrix), m(n), living(n), size(n, 1.0), dead(n, 0.0), row(n) {
        for (std::size_t i = 0; i < n; ++i) row[i] = static_cast<std::int64_t>(i), matrix[i * n + i] = INFINITE;
    }

    double* line(std::size_t i) { return matrix + i * m; }

    /// The least of places [begin, m) in the line of x, the first of equals.
    template <int BYTES>
    NOVUM_INLINE Least least(std::size_t x, std::size_t begin) {
        using S = Simd<double, BYTES>;
        const double* d = line(x);
        Least best;
        std::size_t j = begin;
        for (; j + CHUNK <= m; j += CHUNK) {
            typename S::V low = S::load(d + j) + S::load(dead.data() + j);
            for (std::size_t l = S::LANES; l < CHUNK; l += S::LANES) {
                const typename S::V v = S::load(d + j + l) + S::load(dead.data() + j + l);
                low = v < low ? v : low;
            }
            if (panel::least<S::LANES>(low) < best.value)
                for (std::size_t l = j; l < j + CHUNK; ++l)
                    if (d[l] + dead[l] < best.value) best = {d[l] + dead[l], l};
        }
        for (; j < m; ++j)
            if (d[j] + dead[j] < best.value) best = {d[j] + dead[j], j};
        return best;
    }

    /// Merge a into b.
    template <Linkage L, int BYTES>
    NOVUM_INLINE void merge(std::size_t a, std::size_t b) {
        using S = Simd<double, BYTES>;
        double *da = line(a), *db = line(b);
        const double between = da[b], na = size[a], nb = size[b];
        std::size_t j = 0;
        for (; j + S::LANES <= m; j += S::LANES)
            S::store(db + j, updated<L, typename S::V>(S::load(da + j), S::load(db + j), between, na, nb, S::load(size.data() + j)));
        for (; j < m; ++j) db[j] = updated<L, double>(da[j], db[j], between, na, nb, size[j]);
        db[b] = INFINITE;
        size[b] += size[a], dead[a] = INFINITE, --living;
        for (j = 0; j < m; ++j) {
            if (j + AHEAD < m && dead[j + AHEAD] == 0) __builtin_prefetch(matrix + (j + AHEAD) * m + b, 1);
            if (dead[j] == 0) matrix[j * m + b] = db[j];  // nobody reads the lines of the dead
        }
    }

    /// Move the living to the front; return where every place went.
    std::vector<std::size_t> draw_together() {
        std::vector<std::size_t> to(m, NONE), from;
        for (std::size_t i = 0; i < m; ++i)
            if (dead[i] == 0) to[i] = from.size(), from.push_back(i);
        const std::size_t k = from.size();
        for (std::size_t i = 0; i < k; ++i) {  // forward: a target never lies behind its source
            const double* source = matrix + from[i] * m;
            double* target = matrix + i * k;
            for (std::size_t j = 0; j < k; ++j) target[j] = source[from[j]];
            size[i] = size[from[i]], row[i] = row[from[i]];
        }
        std::fill(dead.begin(), dead.begin() + static_cast<std::ptrdiff_t>(k), 0.0);
        m = k;
        return to;
    }

    bool sparse() const { return m > SMALL && static_cast<double>(living) < FULL * static_cast<double>(m); }
};

void note(Merges out, std::size_t i, std::int64_t a, std::int64_t b, double height) {
    out.pair[2 * i] = a, out.pair[2 * i + 1] = b, out.height[i] = height;
}

template <Linkage L>
struct Chain {
    template <int BYTES>
    static NOVUM_INLINE int run(double* matrix, std::size_t n, Merges out) {
        Places places(matrix, n);
        std::vector<std::size_t> chain;
        std::size_t first = 0;  // no place before it lives
        interrupt::Poller<16> poller;
        for (std::size_t i = 0; i + 1 < n; ++i) {
            if (chain.empty()) {
                while (places.dead[first] != 0) ++first;
                chain.push_back(first);
            }
            while (true) {
                poller.tick();
                const std::size_t x = chain.back(), before = chain.size() > 1 ? chain[chain.size() - 2] : NONE;
                Least next = places.least<BYTES>(x, 0);
                // the one before wins ties, or the chain could run in circles
                if (before != NONE && !(next.value < places.line(x)[before])) next = {places.line(x)[before], before};
                if (next.place == before) break;
                chain.push_back(next.place);
            }
            const std::size_t a = chain.back(), b = chain[chain.size() - 2];
            chain.resize(chain.size() - 2);
            note(out, i, places.row[a], places.row[b], places.line(a)[b]);
            places.merge<L, BYTES>(a, b);
            if (places.sparse()) {
                const auto to = places.draw_together();
                for (std::size_t& x : chain) x = to[x];
                first = 0;
            }
        }
        return 0;
    }
};

/// Every place knows a candidate among those behind it, and a bound below all of them.
template <Linkage L>
struct ClosestPairs {
    template <int BYTES>
    static NOVUM_INLINE int run(double* matrix, std::size_t n, Merges out) {
        Places places(matrix, n);
        std::vector<double> bound(n, INFINITE);
        std::vector<std::size_t> candidate(n, NONE);
        interrupt::Poller<16> poller;
        auto look = [&](std::size_t i) NOVUM_LAMBDA {
            const Least found = places.least<BYTES>(i, i + 1);
            bound[i] = found.value, candidate[i] = found.place;
        };
        for (std::size_t i = 0; i + 1 < n; ++i) look(i);
        for (std::size_t step = 0; step + 1 < n; ++step) {
            std::size_t i;
            while (true) {
                poller.tick();
                i = static_cast<std::size_t>(std::min_element(bound.begin(), bound.begin() + static_cast<std::ptrdiff_t>(places.m)) -
                                             bound.begin());
                if (candidate[i] != NONE) break;
                look(i);
            }
            const std::size_t j = candidate[i];
            note(out, step, places.row[i], places.row[j], bound[i]);
            places.merge<L, BYTES>(i, j);
            bound[i] = INFINITE;
            const double* d = places.line(j);
            for (std::size_t k = 0; k < j; ++k) {
                if (places.dead[k] != 0) continue;
                if (d[k] < bound[k])
                    bound[k] = d[k], candidate[k] = j;
                else if (candidate[k] == i || candidate[k] == j)
                    candidate[k] = NONE;  // the bound still holds, but nobody is known to reach it
            }
            look(j);
            if (places.sparse()) {
                const auto to = places.draw_together();
                for (std::size_t k = 0; k < to.size(); ++k)
                    if (to[k] != NONE) bound[to[k]] = bound[k], candidate[to[k]] = candidate[k] == NONE ? NONE : to[candidate[k]];
            }
        }
        return 0;
    }
};

}  // namespace

void chain(Linkage linkage, double* matrix, std::size_t n, Merges out) {
    switch (linkage) {
        case Linkage::complete: widest<Chain<Linkage::complete>>(matrix, n, out); return;
        case Linkage::average: widest<Chain<Linkage::average>>(matrix, n, out); return;
        case Linkage::weighted: widest<Chain<Linkage::weighted>>(matrix, n, out); return;
        case Linkage::ward: widest<Chain<Linkage::ward>>(matrix, n, out); return;
        default: widest<Chain<Linkage::single>>(matrix, n, out);
    }
}

void closest_pairs(Linkage linkage, double* matrix, std::size_t n, Merges out) {
    if (linkage == Linkage::centroid)
        widest<ClosestPairs<Linkage::centroid>>(matrix, n, out);
    else
        widest<ClosestPairs<Linkage::median>>(matrix, n, out);
}

}  // namespace novum::cluster
