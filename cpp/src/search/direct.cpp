// Search through all rows in any Minkowski norm: rows side by side in vectors of doubles, no product, no cancellation.
#include "novum/runtime/interrupt.h"
#include "novum/search/norms.h"

namespace novum::neighbors {

// Euclidean, by products: neighbors_scan.cpp. False where they do not pay or could overflow.
template <class Real>
bool swept(Table<Real> x, Table<Real> y, Frame frame, Nearest out);
template <class Real>
bool swept_within(Table<Real> x, Table<Real> y, Frame frame, const double* radius, Within& out);
template <class Real>
bool swept_sums(Table<Real> x, Table<Real> y, Frame frame, const double* radius, const Sums& out);

namespace {

constexpr std::size_t GROUP = 16;              // rows side by side: two vectors of AVX-512
constexpr std::size_t CHUNK_VALUES = 1 << 15;  // packed at a time: a quarter of the second-level cache

// Rows of floats or doubles, read as doubles: a test per row, where a copy of every search for each took twice as long to compile.
struct Rows {
    const float* single;
    const double* twice;
    std::size_t n, d;
    Rows(Table<float> t) : single(t.data), twice(nullptr), n(t.n), d(t.d) {}
    Rows(Table<double> t) : single(nullptr), twice(t.data), n(t.n), d(t.d) {}

    void read(std::size_t i, double* to, std::size_t stride) const {
        if (twice)
            for (std::size_t t = 0; t < d; ++t) to[t * stride] = twice[i * d + t];
        else
            for (std::size_t t = 0; t < d; ++t) to[t * stride] = static_cast<double>(single[i * d + t]);
    }
};

// Rows [start, stop) of y in groups side by side, the last one filled up with infinity.
void pack(const Rows& y, std::size_t start, std::size_t stop, double* packed, std::int64_t* index) {
    const std::size_t groups = (stop - start + GROUP - 1) / GROUP;
    for (std::size_t i = 0; i < groups * GROUP; ++i) {
        const bool there = start + i < stop;
        double* place = packed + i / GROUP * GROUP * y.d + i % GROUP;
        if (there)
            y.read(start + i, place, GROUP);
        else
            for (std::size_t t = 0; t < y.d; ++t) place[t * GROUP] = std::numeric_limits<double>::infinity();
        index[i] = there ? static_cast<std::int64_t>(start + i) : NOBODY;
    }
}

// Call use(i, j, s): (1) between query i and the GROUP rows from j on, for all chunks of y.
template <Norm N, int BYTES, class Use>
NOVUM_INLINE void all_groups(const Rows& x, const Rows& y, double p, Use use) {
    using S = Simd<double, BYTES>;
    const std::size_t rows = std::max<std::size_t>(1, CHUNK_VALUES / (GROUP * std::max<std::size_t>(1, y.d))) * GROUP;
    std::vector<double> packed(std::min(rows, (y.n + GROUP - 1) / GROUP * GROUP) * y.d), q(x.d);
    std::vector<std::int64_t> index(rows);
    interrupt::Poller<16> poller;
    for (std::size_t start = 0; start < y.n; start += rows) {
        const std::size_t stop = std::min(start + rows, y.n);
        pack(y, start, stop, packed.data(), index.data());
        for (std::size_t i = 0; i < x.n; ++i) {
            poller.tick();
            x.read(i, q.data(), 1);
            for (std::size_t j = 0; start + j < stop; j += GROUP) {
                typename S::V s[GROUP / S::LANES] = {};
                const double* group = packed.data() + j * y.d;
                for (std::size_t t = 0; t < y.d; ++t)
#pragma GCC unroll 8
                    for (std::size_t v = 0; v < GROUP / S::LANES; ++v)
                        add_terms<N, BYTES>(s[v], S::load(group + t * GROUP + v * S::LANES) - q[t], p);
                use(i, start + j, s, index.data() + j);
            }
        }
    }
}

template <Norm N>
struct Fill {
    template <int BYTES>
    static NOVUM_INLINE int run(const Rows& x, const Rows& y, double p, double* out) {
        constexpr std::size_t L = Simd<double, BYTES>::LANES;
        all_groups<N, BYTES>(x, y, p, [&](std::size_t i, std::size_t j, const auto& s, const std::int64_t*) NOVUM_LAMBDA {
            for (std::size_t l = 0; l < GROUP && j + l < y.n; ++l) out[i * y.n + j + l] = finish<N>(s[l / L][l % L], p);
        });
        return 0;
    }
};

template <Norm N>
struct Find {
    template <int BYTES>
    static NOVUM_INLINE int run(const Rows& x, const Rows& y, double p, Nearest out) {
        constexpr std::size_t L = Simd<double, BYTES>::LANES;
        std::vector<Top> tops(x.n, Top(out.k));
        for (Top& top : tops) top.clear();
        all_groups<N, BYTES>(x, y, p, [&](std::size_t i, std::size_t, const auto& s, const std::int64_t* index) NOVUM_LAMBDA {
            for (std::size_t v = 0; v < GROUP / L; ++v) offer_lanes<BYTES>(s[v], index + v * L, -1, tops[i]);
        });
        for (std::size_t i = 0; i < x.n; ++i) write<N>(tops[i], p, i, out);
        return 0;
    }
};

template <Norm N>
struct Gather {
    template <int BYTES>
    static NOVUM_INLINE int run(const Rows& x, const Rows& y, double p, const double* radius, Within& out) {
        constexpr std::size_t L = Simd<double, BYTES>::LANES;
        std::vector<std::vector<Found>> found(x.n);
        all_groups<N, BYTES>(x, y, p, [&](std::size_t i, std::size_t j, const auto& s, const std::int64_t* index) NOVUM_LAMBDA {
            for (std::size_t l = 0; l < GROUP && j + l < y.n; ++l) {
                const double distance = finish<N>(s[l / L][l % L], p);
                if (distance <= radius[i]) found[i].push_back({distance, index[l]});
            }
        });
        out.begin.assign(1, 0);
        for (const auto& list : found) {
            for (const Found& f : list) out.index.push_back(f.index), out.distance.push_back(f.s);
            out.begin.push_back(static_cast<std::int64_t>(out.index.size()));
        }
        return 0;
    }
};

template <Norm N>
struct AddUp {
    template <int BYTES>
    static NOVUM_INLINE int run(const Rows& x, const Rows& y, double p, const double* radius, const Sums& out) {
        constexpr std::size_t L = Simd<double, BYTES>::LANES;
        std::fill_n(out.sum, x.n * out.m, 0.0);
        std::fill_n(out.count, x.n, 0);
        all_groups<N, BYTES>(x, y, p, [&](std::size_t i, std::size_t j, const auto& s, const std::int64_t*) NOVUM_LAMBDA {
            double distance[GROUP];
            for (std::size_t v = 0; v < GROUP / L; ++v) Simd<double, BYTES>::store(distance + v * L, s[v]);
            for (std::size_t l = 0; l < GROUP; ++l) distance[l] = finish<N>(distance[l], p);
            for (std::size_t l = 0; l < GROUP && j + l < y.n; ++l) {
                if (!(distance[l] <= radius[i])) continue;
                ++out.count[i];
                for (std::size_t m = 0; m < out.m; ++m) out.sum[i * out.m + m] += out.value[(j + l) * out.m + m];
            }
        });
        return 0;
    }
};

template <template <Norm> class Search, class... A>
void dispatch(const Rows& x, const Rows& y, double p, A&&... a) {
    switch (norm_of(p)) {
        case Norm::one: widest<Search<Norm::one>>(x, y, p, a...); return;
        case Norm::two: widest<Search<Norm::two>>(x, y, p, a...); return;
        case Norm::most: widest<Search<Norm::most>>(x, y, p, a...); return;
        case Norm::other: Search<Norm::other>::template run<16>(x, y, p, a...); return;  // a power for every cell: no vectors to be had
    }
}

}  // namespace

template <class Real>
void distances(Table<Real> x, Table<Real> y, double p, double* out) {
    dispatch<Fill>(x, y, p, out);
}

template <class Real>
void nearest_by_scan(Table<Real> x, Table<Real> y, double p, Frame frame, Nearest out) {
    if (p == 2 && swept(x, y, frame, out)) return;
    dispatch<Find>(x, y, p, out);
}

template <class Real>
Within within_by_scan(Table<Real> x, Table<Real> y, double p, Frame frame, const double* radius) {
    Within out;
    if (p != 2 || !swept_within(x, y, frame, radius, out)) dispatch<Gather>(x, y, p, radius, out);
    return out;
}

template <class Real>
void sums_by_scan(Table<Real> x, Table<Real> y, double p, Frame frame, const double* radius, Sums out) {
    if (p != 2 || !swept_sums(x, y, frame, radius, out)) dispatch<AddUp>(x, y, p, radius, out);
}

template void distances(Table<float>, Table<float>, double, double*);
template void distances(Table<double>, Table<double>, double, double*);
template void nearest_by_scan(Table<float>, Table<float>, double, Frame, Nearest);
template void nearest_by_scan(Table<double>, Table<double>, double, Frame, Nearest);
template Within within_by_scan(Table<float>, Table<float>, double, Frame, const double*);
template Within within_by_scan(Table<double>, Table<double>, double, Frame, const double*);
template void sums_by_scan(Table<float>, Table<float>, double, Frame, const double*, Sums);
template void sums_by_scan(Table<double>, Table<double>, double, Frame, const double*, Sums);

}  // namespace novum::neighbors
