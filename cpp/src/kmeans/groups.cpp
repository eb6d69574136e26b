// Assignment with a bound per row and group: a row looks at a group of 16 centers only where the group may hold a nearer one.
//
//   skip g : lower_g >= T or gap[label, g] >= 2 T                                                                          (7)
// with T of (5) in chunk.h; lower_g is below the distance to every center of g but the row's own, gap is below the distance from
// its center to them. Either way the computed scores are ordered as those of a full search would be.
#include <cmath>

#include "novum/kmeans/chunk.h"

namespace novum::kmeans {

namespace {

using panel::at;
using panel::GROUP;
using panel::Simd;

template <class Real>
struct Found {
    Real least, second;
    std::int32_t index;
};

// The least score of a group.
template <class Real, int BYTES, int P>
NOVUM_INLINE Real least_of(const typename Simd<Real, BYTES>::V* s) {
    typename Simd<Real, BYTES>::V low = s[0];
    for (int p = 1; p < P; ++p) low = s[p] < low ? s[p] : low;
    return panel::least<Simd<Real, BYTES>::LANES>(low);
}

// The least score, whose it is (the lowest index among equals), and the least of the others.
template <class Real, int BYTES, int P>
NOVUM_INLINE Found<Real> two_least_of(const typename Simd<Real, BYTES>::V* s, const typename Simd<Real, BYTES>::Int* lane) {
    using S = Simd<Real, BYTES>;
    const typename S::I nobody = typename S::I{} + std::numeric_limits<typename S::Int>::max();
    const typename S::V infinite = typename S::V{} + std::numeric_limits<Real>::infinity();
    const Real least = least_of<Real, BYTES, P>(s);
    typename S::I who = nobody;
    for (int p = 0; p < P; ++p) {
        const typename S::I candidate = s[p] == least ? S::load_int(lane + p * S::LANES) : nobody;
        who = candidate < who ? candidate : who;
    }
    const typename S::Int winner = panel::least<S::LANES>(who);  // of no center where scores are not numbers
    typename S::V others = infinite;
    for (int p = 0; p < P; ++p) {
        const typename S::V other = S::load_int(lane + p * S::LANES) == winner ? infinite : s[p];
        others = other < others ? other : others;
    }
    return {least, panel::least<S::LANES>(others), static_cast<std::int32_t>(winner)};
}

typedef float Eight __attribute__((vector_size(32), aligned(4), may_alias));
typedef std::int32_t EightInts __attribute__((vector_size(32), aligned(4), may_alias));

// Write scale (x - origin), return its squared length.
template <class Real, int BYTES>
NOVUM_INLINE Real shift_row(const Real* x, const Real* origin, Real scale, std::size_t d, Real* out) {
    using S = Simd<Real, BYTES>;
    typename S::V sum{};
    std::size_t t = 0;
    for (; t + S::LANES <= d; t += S::LANES) {
        const typename S::V v = (S::load(x + t) - S::load(origin + t)) * scale;
        S::store(out + t, v);
        sum += v * v;
    }
    Real tail = 0;
    for (; t < d; ++t) {
        out[t] = (x[t] - origin[t]) * scale;
        tail += out[t] * out[t];
    }
    return panel::total<S::LANES>(sum) + tail;
}

// Queue for scoring every row that (7) does not settle: its own group, and the others that may hold a nearer center.
template <class Real, int BYTES>
NOVUM_INLINE void queue_rows(const Packed<Real>& centers, const Motion& motion, const Real* x, std::size_t rows, const Bounds& bounds,
                             GroupScratch<Real>& scratch) {
    const std::size_t d = centers.d, groups = scratch.groups, width = motion.width;
    std::fill(scratch.count.begin(), scratch.count.end(), 0);
    std::fill(scratch.own_count.begin(), scratch.own_count.end(), 0);
    std::size_t flagged = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        const float T = scratch.threshold[i];
        const std::size_t label = at(bounds.label[i]);
        const float *lower = bounds.lower + i * width, *gap = motion.gap + label * width;
        std::int32_t look = 0;
        for (std::size_t g = 0; g < width; g += 8) {
            EightInts near = *reinterpret_cast<const Eight*>(gap + g) < 2 * T;
            near &= *reinterpret_cast<const Eight*>(lower + g) - *reinterpret_cast<const Eight*>(scratch.drift.data() + g) < T;
            *reinterpret_cast<EightInts*>(scratch.near.data() + g) = near;
            look |= panel::least<8>(near);
        }
        if (!look) continue;
        const std::size_t own = at(scratch.slot[label]) / GROUP;
        std::fill_n(scratch.raw.data() + flagged * width, width, std::numeric_limits<Real>::infinity());
        scratch.own_list[own * scratch.rows + at(scratch.own_count[own]++)] = static_cast<std::int32_t>(flagged);
        scratch.near[own] = 0;
        // No branch: which groups are near is as good as random to the processor.
        for (std::size_t g = 0; g < groups; ++g) {
            scratch.list[g * scratch.rows + at(scratch.count[g])] = static_cast<std::int32_t>(flagged);
            scratch.count[g] -= scratch.near[g];  // a true comparison is -1
        }
        scratch.square[flagged] =
            shift_row<Real, BYTES>(x + i * d, centers.origin.data(), centers.scale, d, scratch.shifted.data() + flagged * d);
        scratch.row[flagged++] = static_cast<std::int32_t>(i);
    }
    scratch.flagged = flagged;
}

// Score the queued pairs of one group, R rows at a time, and hand the scores of each to `visit`.
template <class Real, int BYTES, class Visit>
NOVUM_INLINE void score_list(const Packed<Real>& centers, std::size_t g, const std::int32_t* list, std::size_t count,
                             const GroupScratch<Real>& scratch, Visit visit) {
    using S = Simd<Real, BYTES>;
    constexpr int P = static_cast<int>(GROUP) / S::LANES, R = BYTES == 64 ? 8 : P >= 8 ? 1 : 12 / P;
    for (std::size_t top = 0; top < count; top += R) {
        const Real* x[R];
        for (std::size_t r = 0; r < R; ++r) x[r] = scratch.shifted.data() + at(list[std::min(top + r, count - 1)]) * centers.d;
        typename S::V s[R][P];
        panel::scores<Real, BYTES, R, P>(x, centers.panel(g * P), centers.d, s);
        for (std::size_t r = 0; r < R; ++r)
            if (top + r < count) visit(at(list[top + r]), s[r]);
    }
}

// Turn the scores of a looking row into bounds: |x - c|^2 = |x|^2 + 2 score, less the errors of both; in scaled units.
template <class Real>
NOVUM_INLINE void renew_bounds(const Packed<Real>& centers, std::size_t width, std::size_t f, const GroupScratch<Real>& scratch,
                               float* lower) {
    const Margin<Real> margin(centers);
    const double square = static_cast<double>(scratch.square[f]), scale = static_cast<double>(centers.scale);
    const double reach = centers.reach * scale, rounding = static_cast<double>(centers.d + 4) * std::numeric_limits<Real>::epsilon();
    const double error = 2 * (margin.constant * scale * scale + margin.slope * (2 * square + 2 * reach * reach)) + rounding * square;
    const Real base = static_cast<Real>(square - error);
    const float size = static_cast<float>(1 / scale * DOWN);
    const Real* raw = scratch.raw.data() + f * width;
    for (std::size_t g = 0; g < width; g += 8) {
        float fresh[8];
        for (int l = 0; l < 8; ++l) fresh[l] = static_cast<float>(base + 2 * raw[g + at(l)]);
        for (int l = 0; l < 8; ++l) fresh[l] = std::sqrt(fresh[l] > 0 ? fresh[l] : 0.0f);
        const Eight drift = *reinterpret_cast<const Eight*>(scratch.drift_down.data() + g);
        const Eight bound = (*reinterpret_cast<const Eight*>(fresh) * size + drift) * float(DOWN);
        const Eight old = *reinterpret_cast<const Eight*>(lower + g);
        *reinterpret_cast<Eight*>(lower + g) = bound < std::numeric_limits<float>::infinity() ? bound : old;
    }
}

template <class Real>
struct Search {
    template <int BYTES>
    static NOVUM_INLINE std::size_t run(const Packed<Real>& centers, const Motion& motion, const Real* x, std::size_t rows,
                                        const Bounds& bounds, GroupScratch<Real>& scratch) {
        using S = Simd<Real, BYTES>;
        constexpr int P = static_cast<int>(GROUP) / S::LANES;
        const std::size_t width = motion.width;
        queue_rows<Real, BYTES>(centers, motion, x, rows, bounds, scratch);

        std::size_t scored = 0;
        for (std::size_t g = 0; g < scratch.groups; ++g) {
            const std::size_t count = at(scratch.own_count[g]);
            scored += count;
            score_list<Real, BYTES>(centers, g, scratch.own_list.data() + g * scratch.rows, count, scratch,
                                    [&](std::size_t f, const typename S::V* s) NOVUM_LAMBDA {
                                        const Found<Real> found = two_least_of<Real, BYTES, P>(s, centers.index.data() + g * GROUP);
                                        scratch.best[f] = found.least;
                                        scratch.winner[f] = at(found.index) < centers.k ? found.index : bounds.label[scratch.row[f]];
                                        scratch.raw[f * width + g] = found.second;
                                    });
        }
        for (std::size_t g = 0; g < scratch.groups; ++g) {
            const std::size_t count = at(scratch.count[g]);
            scored += count;
            score_list<Real, BYTES>(centers, g, scratch.list.data() + g * scratch.rows, count, scratch,
                                    [&](std::size_t f, const typename S::V* s) NOVUM_LAMBDA {
                                        const Real least = least_of<Real, BYTES, P>(s);
                                        scratch.raw[f * width + g] = least;
                                        if (least > scratch.best[f]) return;
                                        const Found<Real> found = two_least_of<Real, BYTES, P>(s, centers.index.data() + g * GROUP);
                                        if ((least == scratch.best[f] && found.index > scratch.winner[f]) || at(found.index) >= centers.k)
                                            return;
                                        const std::size_t before = at(scratch.slot[at(scratch.winner[f])]) / GROUP;
                                        scratch.raw[f * width + before] = scratch.best[f];
                                        scratch.raw[f * width + g] = found.second;
                                        scratch.best[f] = least;
                                        scratch.winner[f] = found.index;
                                    });
        }
        for (std::size_t f = 0; f < scratch.flagged; ++f)
            renew_bounds(centers, width, f, scratch, bounds.lower + at(scratch.row[f]) * width);
        return scored;
    }
};

}  // namespace

template <class Real>
GroupScratch<Real>::GroupScratch(const Packed<Real>& centers, const Motion& motion, std::size_t rows)
    : rows(rows),
      groups(centers.index.size() / GROUP),
      list(rows * groups),
      own_list(rows * groups),
      count(groups),
      own_count(groups),
      row(rows),
      winner(rows),
      slot(centers.k),
      near(motion.width),
      threshold(rows),
      shifted(rows * centers.d),
      raw(rows * motion.width),
      best(rows),
      square(rows) {
    for (std::size_t s = 0; s < centers.k; ++s) slot[at(centers.index[s])] = static_cast<std::int32_t>(s);
    for (std::size_t g = 0; g < motion.width; ++g) {
        drift.push_back(static_cast<float>(motion.drift[g] * UP));
        drift_down.push_back(static_cast<float>(motion.drift[g] * DOWN));
    }
}
template struct GroupScratch<float>;
template struct GroupScratch<double>;

template <class Real>
std::size_t grouped_chunk(const Packed<Real>& centers, const Motion& motion, const Real* x, std::size_t rows, Bounds bounds,
                          GroupScratch<Real>& scratch, double* distance) {
    distance_chunk(centers, x, rows, bounds.label, distance);
    thresholds(centers, rows, distance, scratch.threshold.data());
    const std::size_t scored = widest<Search<Real>>(centers, motion, x, rows, bounds, scratch);
    for (std::size_t f = 0; f < scratch.flagged; ++f) {
        const std::size_t i = at(scratch.row[f]);
        if (scratch.winner[f] == bounds.label[i]) continue;
        bounds.label[i] = scratch.winner[f];
        distance_chunk(centers, x + i * centers.d, 1, bounds.label + i, distance + i);
    }
    return scored;
}
template std::size_t grouped_chunk(const Packed<float>&, const Motion&, const float*, std::size_t, Bounds, GroupScratch<float>&, double*);
template std::size_t grouped_chunk(const Packed<double>&, const Motion&, const double*, std::size_t, Bounds, GroupScratch<double>&,
                                   double*);

}  // namespace novum::kmeans
