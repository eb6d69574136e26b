// Search trees: built by halving along the widest column, searched leaf by leaf, each a few vectors of rows.
#include <numeric>

#include "novum/runtime/interrupt.h"
#include "novum/search/norms.h"
#include "novum/search/walk.h"

namespace novum::neighbors {

namespace {

struct Key {
    double value;
    std::int64_t index;
    bool operator<(const Key& other) const { return value < other.value || (value == other.value && index < other.index); }
};

template <class Real>
struct Builder {
    Table<Real> rows;
    Tree tree;
    Growing arrays;
    std::size_t offset;  // the first place of the part that is built
    std::vector<Key> keys;
    std::vector<double> low, high;

    Builder(Table<Real> rows, const Tree& tree, Growing arrays, std::size_t a, std::size_t b)
        : rows(rows),
          tree(tree),
          arrays(arrays),
          offset(a * tree.capacity),
          keys(std::min(b * tree.capacity, rows.n) - offset),
          low(rows.d),
          high(rows.d) {}

    // The box of places [begin, end) into low and high.
    void box(std::size_t begin, std::size_t end) {
        for (std::size_t t = 0; t < rows.d; ++t) low[t] = std::numeric_limits<double>::infinity(), high[t] = -low[t];
        for (std::size_t i = begin; i < end; ++i) {
            const Real* x = rows.row(panel::at(arrays.index[i]));
            for (std::size_t t = 0; t < rows.d; ++t) {
                const double value = x[t];
                low[t] = std::min(low[t], value), high[t] = std::max(high[t], value);
            }
        }
    }

    template <Norm N>
    void bound(std::size_t node, std::size_t begin, std::size_t end) {
        const std::size_t d = rows.d;
        if (!tree.ball) {
            std::copy(low.begin(), low.end(), arrays.bounds + node * 2 * d);
            std::copy(high.begin(), high.end(), arrays.bounds + node * 2 * d + d);
            return;
        }
        double* center = arrays.bounds + node * (d + 1);
        for (std::size_t t = 0; t < d; ++t) center[t] = low[t] / 2 + high[t] / 2;  // of the box: its mean would cost a pass more
        double radius = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const Real* x = rows.row(panel::at(arrays.index[i]));
            double s = 0;
            for (std::size_t t = 0; t < d; ++t) add_term<N>(s, x[t] - center[t], tree.p);
            radius = std::max(radius, s);
        }
        center[d] = finish<N>(radius, tree.p);
    }

    // Bound the node, and split it unless it is a leaf.
    template <Norm N>
    void split(std::size_t a, std::size_t b) {
        const std::size_t begin = a * tree.capacity, end = std::min(b * tree.capacity, rows.n);
        box(begin, end);
        if (b - a == 1) {
            bound<N>(tree.leaves + a, begin, end);
            return;
        }
        const std::size_t m = (a + b + 1) / 2, middle = m * tree.capacity;
        bound<N>(m, begin, end);
        std::size_t widest = 0;
        for (std::size_t t = 1; t < rows.d; ++t)
            if (high[t] - low[t] > high[widest] - low[widest]) widest = t;
        Key* key = keys.data() + (begin - offset);
        const std::size_t count = end - begin;
        for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t row = arrays.index[begin + i];
            key[i] = {static_cast<double>(rows.row(panel::at(row))[widest]), row};
        }
        std::nth_element(key, key + (middle - begin), key + count);
        for (std::size_t i = 0; i < count; ++i) arrays.index[begin + i] = key[i].index;
        arrays.cut[m] = key[middle - begin].value;
        arrays.cut_column[m] = static_cast<std::int32_t>(widest);
    }

    template <Norm N>
    void grow(std::size_t a, std::size_t b) {
        if (b - a > 16) interrupt::poll();
        split<N>(a, b);
        if (b - a == 1) {
            pack(a);
            return;
        }
        grow<N>(a, (a + b + 1) / 2);
        grow<N>((a + b + 1) / 2, b);
    }

    void pack(std::size_t leaf) {
        const std::size_t c = tree.capacity, d = rows.d;
        for (std::size_t l = 0; l < c; ++l) {
            const std::size_t i = leaf * c + l;
            const bool there = i < rows.n;
            double* place = arrays.packed + leaf * c * d + l;
            const Real* x = there ? rows.row(panel::at(arrays.index[i])) : nullptr;
            for (std::size_t t = 0; t < d; ++t) place[t * c] = there ? static_cast<double>(x[t]) : std::numeric_limits<double>::infinity();
            if (!there) arrays.index[i] = NOBODY;
        }
    }

    template <class Work>
    void by_norm(Work work) {
        switch (norm_of(tree.p)) {
            case Norm::one: work.template operator()<Norm::one>(); break;
            case Norm::two: work.template operator()<Norm::two>(); break;
            case Norm::most: work.template operator()<Norm::most>(); break;
            case Norm::other: work.template operator()<Norm::other>(); break;
        }
    }
};

template <Norm N, int D, bool BALL>
struct FindNearest {
    template <int BYTES>
    static NOVUM_INLINE int run(const Tree& tree, Table<double> x, const std::int64_t* skip, Nearest out) {
        Top top(out.k);
        interrupt::Poller<64> poller;
        for (const auto& [home, i] : by_leaf(tree, x)) {
            const double* q = x.row(i);
            const std::int64_t not_this = skip ? skip[i] : -1;
            poller.tick();
            top.clear();
            auto look = [&](std::size_t leaf) NOVUM_LAMBDA {
                const double* packed = tree.packed + leaf * tree.capacity * tree.d;
                for (std::size_t v = 0; v < tree.capacity; v += Simd<double, BYTES>::LANES)
                    offer_lanes<BYTES>(lane_distances<N, BYTES, D>(q, packed + v, tree.d, tree.capacity, tree.p),
                                       tree.index + leaf * tree.capacity + v, not_this, top);
            };
            look(home);
            walk<N, D, BALL>(
                tree, q, [&]() NOVUM_LAMBDA { return top.worst(); },
                [&](std::size_t leaf) NOVUM_LAMBDA {
                    if (leaf != home) look(leaf);
                });
            write<N>(top, tree.p, i, out);
        }
        return 0;
    }
};

template <Norm N, int D, bool BALL>
struct FindWithin {
    template <int BYTES>
    static NOVUM_INLINE int run(const Tree& tree, Table<double> x, const double* radius, Within& out) {
        constexpr std::size_t L = Simd<double, BYTES>::LANES;
        std::vector<Found> found;
        interrupt::Poller<64> poller;
        out.begin.assign(1, 0);
        for (std::size_t i = 0; i < x.n; ++i) {
            const double* q = x.row(i);
            const double most = roomy(reduce<N>(radius[i], tree.p));
            poller.tick();
            found.clear();
            walk<N, D, BALL>(
                tree, q, [&]() NOVUM_LAMBDA { return most; },
                [&](std::size_t leaf) NOVUM_LAMBDA {
                    const double* packed = tree.packed + leaf * tree.capacity * tree.d;
                    for (std::size_t v = 0; v < tree.capacity; v += L) {
                        const auto s = lane_distances<N, BYTES, D>(q, packed + v, tree.d, tree.capacity, tree.p);
                        if (!(panel::least<static_cast<int>(L)>(s) <= most)) continue;
                        for (std::size_t l = 0; l < L; ++l) {
                            const std::int64_t j = tree.index[leaf * tree.capacity + v + l];
                            if (s[l] <= most && j != NOBODY) found.push_back({finish<N>(s[l], tree.p), j});
                        }
                    }
                });
            std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) { return a.index < b.index; });
            for (const Found& f : found)
                if (f.s <= radius[i]) out.index.push_back(f.index), out.distance.push_back(f.s);
            out.begin.push_back(static_cast<std::int64_t>(out.index.size()));
        }
        return 0;
    }
};

template <Norm N, int D, bool BALL>
struct CountWithin {
    template <int BYTES>
    static NOVUM_INLINE int run(const Tree& tree, Table<double> x, const double* radius, std::int64_t* out) {
        constexpr std::size_t L = Simd<double, BYTES>::LANES;
        interrupt::Poller<64> poller;
        for (std::size_t i = 0; i < x.n; ++i) {
            poller.tick();
            const double* q = x.row(i);
            const double most = roomy(reduce<N>(radius[i], tree.p)), sure = reduce<N>(radius[i], tree.p) / roomy(1);
            std::int64_t count = 0;
            walk<N, D, BALL>(
                tree, q, [&]() NOVUM_LAMBDA { return most; },
                [&](std::size_t leaf) NOVUM_LAMBDA {
                    const double* packed = tree.packed + leaf * tree.capacity * tree.d;
                    for (std::size_t v = 0; v < tree.capacity; v += L) {
                        const auto s = lane_distances<N, BYTES, D>(q, packed + v, tree.d, tree.capacity, tree.p);
                        for (std::size_t l = 0; l < L; ++l)
                            count += tree.index[leaf * tree.capacity + v + l] != NOBODY &&
                                     (s[l] <= sure || (s[l] <= most && finish<N>(s[l], tree.p) <= radius[i]));
                    }
                });
            out[i] = count;
        }
        return 0;
    }
};

}  // namespace

std::vector<std::pair<std::uint32_t, std::uint32_t>> by_leaf(const Tree& tree, Table<double> x) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> place(x.n);
    for (std::size_t i = 0; i < x.n; ++i) {
        std::size_t a = 0, b = tree.leaves;
        while (b - a > 1) {
            const std::size_t m = (a + b + 1) / 2;
            (x.row(i)[tree.cut_column[m]] < tree.cut[m] ? b : a) = m;
        }
        place[i] = {static_cast<std::uint32_t>(a), static_cast<std::uint32_t>(i)};
    }
    std::sort(place.begin(), place.end());
    return place;
}

template <class Real>
void split(Table<Real> rows, const Tree& tree, Growing arrays, std::size_t a, std::size_t b) {
    Builder<Real> builder(rows, tree, arrays, a, b);
    builder.by_norm([&]<Norm N>() { builder.template split<N>(a, b); });
}
template void split(Table<float>, const Tree&, Growing, std::size_t, std::size_t);
template void split(Table<double>, const Tree&, Growing, std::size_t, std::size_t);

template <class Real>
void grow(Table<Real> rows, const Tree& tree, Growing arrays, std::size_t a, std::size_t b) {
    Builder<Real> builder(rows, tree, arrays, a, b);
    builder.by_norm([&]<Norm N>() { builder.template grow<N>(a, b); });
}
template void grow(Table<float>, const Tree&, Growing, std::size_t, std::size_t);
template void grow(Table<double>, const Tree&, Growing, std::size_t, std::size_t);

void nearest_in_tree(const Tree& tree, Table<double> x, const std::int64_t* skip, Nearest out) {
    dispatch<FindNearest>(tree, x, skip, out);
}

Within within_in_tree(const Tree& tree, Table<double> x, const double* radius) {
    Within out;
    dispatch<FindWithin>(tree, x, radius, out);
    return out;
}

void count_in_tree(const Tree& tree, Table<double> x, const double* radius, std::int64_t* out) {
    dispatch<CountWithin>(tree, x, radius, out);
}

}  // namespace novum::neighbors
