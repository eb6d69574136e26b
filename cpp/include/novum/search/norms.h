// Reduced distances of rows packed side by side, and the best k of them: shared by the searches.
#pragma once
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "novum/runtime/panels.h"
#include "novum/search/search.h"

namespace novum::neighbors {

using panel::Simd;

enum class Norm { one, two, most, other };

inline Norm norm_of(double p) { return p == 2 ? Norm::two : p == 1 ? Norm::one : std::isinf(p) ? Norm::most : Norm::other; }

/// The distance that (1) reduces.
template <Norm N>
NOVUM_INLINE double finish(double s, double p) {
    if constexpr (N == Norm::two) return std::sqrt(s);
    if constexpr (N == Norm::other) return std::pow(s, 1 / p);
    return s;
}

template <Norm N>
NOVUM_INLINE double reduce(double distance, double p) {
    if constexpr (N == Norm::two) return distance * distance;
    if constexpr (N == Norm::other) return std::pow(distance, p);
    return distance;
}

template <Norm N>
NOVUM_INLINE void add_term(double& s, double u, double p) {
    if constexpr (N == Norm::two) s += u * u;
    if constexpr (N == Norm::one) s += std::fabs(u);
    if constexpr (N == Norm::most) s = std::max(s, std::fabs(u));
    if constexpr (N == Norm::other) s += std::pow(std::fabs(u), p);
}

template <Norm N, int BYTES>
NOVUM_INLINE void add_terms(typename Simd<double, BYTES>::V& s, typename Simd<double, BYTES>::V u, double p) {
    if constexpr (N == Norm::two) {
        s += u * u;
    } else if constexpr (N == Norm::other) {
        for (int l = 0; l < Simd<double, BYTES>::LANES; ++l) s[l] += std::pow(std::fabs(u[l]), p);
    } else {
        const auto size = u < 0 ? -u : u;
        if constexpr (N == Norm::one)
            s += size;
        else
            s = size > s ? size : s;
    }
}

/// (1) between a query and LANES rows that lie `stride` apart per column. D: columns where known at compile time, else 0.
template <Norm N, int BYTES, int D = 0>
NOVUM_INLINE typename Simd<double, BYTES>::V lane_distances(const double* q, const double* packed, std::size_t d, std::size_t stride,
                                                            double p) {
    using S = Simd<double, BYTES>;
    typename S::V s{};
    const std::size_t columns = D ? D : d;
#pragma GCC unroll 8
    for (std::size_t t = 0; t < columns; ++t) add_terms<N, BYTES>(s, S::load(packed + t * stride) - q[t], p);
    return s;
}

struct Found {
    double s;
    std::int64_t index;
    bool operator<(const Found& other) const { return s < other.s || (s == other.s && index < other.index); }
};

/// The k best of what is offered. Few are kept sorted; of many, a buffer of twice as many is thinned out when full.
class Top {
  public:
    explicit Top(std::size_t k) : k(k), sorted(k <= FEW) { kept.reserve(sorted ? k + 1 : 2 * k); }

    void clear() {
        kept.clear();
        if (sorted) kept.assign(k, Found{std::numeric_limits<double>::infinity(), NOBODY});
        last = {std::numeric_limits<double>::infinity(), NOBODY};
    }
    double worst() const { return last.s; }

    void offer(double s, std::int64_t index) {
        const Found found{s, index};
        if (!(found < last)) return;
        if (sorted) {
            std::size_t place = k - 1;
            for (; place > 0 && found < kept[place - 1]; --place) kept[place] = kept[place - 1];
            kept[place] = found;
            last = kept[k - 1];
        } else {
            kept.push_back(found);
            if (kept.size() == 2 * k) thin();
        }
    }

    /// The best, in order; fewer than k where fewer were offered.
    const std::vector<Found>& finish_up() {
        if (!sorted) {
            if (kept.size() > k) thin();
            std::sort(kept.begin(), kept.end());
        }
        return kept;
    }

  private:
    static constexpr std::size_t FEW = 64;  // beyond, shifting a sorted list costs more than thinning a buffer
    std::size_t k;
    bool sorted;
    Found last{};
    std::vector<Found> kept;

    void thin() {
        std::nth_element(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(k - 1), kept.end());
        kept.resize(k);
        last = kept[k - 1];
    }
};

/// Offer the lanes of `s` that may be among the best.
template <int BYTES>
NOVUM_INLINE void offer_lanes(typename Simd<double, BYTES>::V s, const std::int64_t* index, std::int64_t skip, Top& top) {
    constexpr int L = Simd<double, BYTES>::LANES;
    if (!(panel::least<L>(s) <= top.worst())) return;
    for (int l = 0; l < L; ++l)
        if (s[l] <= top.worst() && index[l] != skip) top.offer(s[l], index[l]);
}

/// Write the best of a query into row i.
template <Norm N>
inline void write(Top& top, double p, std::size_t i, Nearest out) {
    const auto& found = top.finish_up();
    for (std::size_t j = 0; j < out.k; ++j) {
        const bool there = j < found.size() && found[j].index != NOBODY;
        out.distance[i * out.k + j] = there ? finish<N>(found[j].s, p) : std::numeric_limits<double>::infinity();
        out.index[i * out.k + j] = there ? found[j].index : 0;
    }
}

}  // namespace novum::neighbors
