// Euclidean search through all rows: products in registers choose candidates, exact distances decide.
//
//   score_j(x) = |c_j|^2 / 2 - x . c_j = (|x - c_j|^2 - |x|^2) / 2        coordinates about the origin, over the scale          (2)
//   |computed - true| <= u ((|x| + r)^2 + (d + 2)(r^2 / 2 + |x| r)) = margin / 2,   r >= |c_j|, u the unit roundoff              (3)
//
// A row whose score exceeds the k-th least by more than the margin is farther than k others: it is no candidate.
#include "novum/runtime/interrupt.h"
#include "novum/search/frame.h"
#include "novum/search/norms.h"

namespace novum::neighbors {

namespace {

constexpr std::size_t CHUNK_BYTES = 1 << 18;        // of packed rows: they stay in the second-level cache while all queries pass
constexpr std::size_t SPARE = 4, LEAST_SPACE = 64;  // room for candidates: as a multiple of k, and at least
constexpr std::size_t FEW = 32;    // neighbors for which the limit falls with every candidate; for more, whenever the room is full
constexpr double DOUBTFUL = 0.02;  // share of rows that single precision may leave to exact distances before double takes over

template <class Scan>
struct Candidate {
    Scan score;
    std::int32_t index;
};

// Squared distances from q to up to four rows, each summed in the order of the columns.
template <class Real>
NOVUM_INLINE void exact(const Real* q, const Table<Real>& rows, const std::size_t (&which)[4], double (&s)[4]) {
    const Real* y[4];
    for (int r = 0; r < 4; ++r) y[r] = rows.row(which[r]), s[r] = 0;
    for (std::size_t t = 0; t < rows.d; ++t)
        for (int r = 0; r < 4; ++r) {
            const double u = static_cast<double>(y[r][t]) - static_cast<double>(q[t]);
            s[r] += u * u;
        }
}

/// The queries of a sweep, whatever their rows are stored as.
template <class Scan>
struct Scores {
    std::size_t d;
    std::vector<Scan> limit;    // (queries,): scores beyond are of no interest
    std::vector<Scan> shifted;  // (queries, d)
    Scores(std::size_t n, std::size_t d) : d(d), limit(n, std::numeric_limits<Scan>::infinity()), shifted(n * d) {}
    virtual void take(std::size_t i, const Scan* lanes, std::size_t count, std::size_t start) = 0;

  protected:
    ~Scores() = default;
};

/// Scores of all queries against packed rows; what is below a limit is offered.
template <class Scan>
struct Pass {
    template <int BYTES>
    static NOVUM_INLINE int run(Scores<Scan>& sweep, const Scan* panels, std::size_t count, std::size_t start) {
        using S = Simd<Scan, BYTES>;
        const std::size_t d = sweep.d, n = sweep.limit.size();
        for (std::size_t top = 0; top < n; top += S::ROWS) {
            const Scan* x[S::ROWS];
            for (std::size_t r = 0; r < S::ROWS; ++r) x[r] = sweep.shifted.data() + std::min(top + r, n - 1) * d;
            for (std::size_t p = 0; p < count; p += S::PANELS) {
                typename S::V s[S::ROWS][S::PANELS];
                panel::scores<Scan, BYTES, S::ROWS, S::PANELS>(x, panels + p * (d + 1) * S::LANES, d, s);
#pragma GCC unroll 6
                for (std::size_t r = 0; r < S::ROWS; ++r) {
                    auto low = s[r][0];
#pragma GCC unroll 4
                    for (int v = 1; v < S::PANELS; ++v) low = s[r][v] < low ? s[r][v] : low;
                    if (!(panel::least<S::LANES>(low) <= sweep.limit[std::min(top + r, n - 1)]) || top + r >= n) continue;
                    Scan lanes[S::PANELS * S::LANES];
                    for (int v = 0; v < S::PANELS; ++v) S::store(lanes + v * S::LANES, s[r][v]);
                    sweep.take(top + r, lanes, S::PANELS * S::LANES, start + p * S::LANES);
                }
            }
        }
        return 0;
    }
};

template <class Real, class Scan>
struct Sweep final : Scores<Scan> {
    using Scores<Scan>::limit, Scores<Scan>::shifted;
    struct Query {
        std::vector<Candidate<Scan>> kept;
        Scan margin;
        std::size_t refined = 0;
    };

    const Table<Real>& x;
    const Table<Real>& y;
    const Frame& frame;
    std::size_t k;  // 0: the limits stand, and all rows below them are kept
    double scale;
    std::vector<Query> queries;
    std::vector<Scan> least;  // (x.n, k): the k least scores so far, sorted; only for few neighbors
    const double* radius;     // (x.n,): where k is 0
    const Sums* sums;         // what rows within the radius are added to, in place of being kept; null: nothing
    std::vector<Scan> sure;   // (x.n,): scores up to here are of rows within the radius for certain

    Sweep(const Table<Real>& x, const Table<Real>& y, const Frame& frame, std::size_t k, const double* radius, const Sums* sums = nullptr)
        : Scores<Scan>(x.n, x.d),
          x(x),
          y(y),
          frame(frame),
          k(k),
          scale(panel::unit<double>(frame.reach)),
          queries(x.n),
          least(k <= FEW ? x.n * k : 0, std::numeric_limits<Scan>::infinity()),
          radius(radius),
          sums(sums),
          sure(sums ? x.n : 0, -std::numeric_limits<Scan>::infinity()) {
        const double r = frame.reach * scale, u = std::numeric_limits<Scan>::epsilon() / 2;
        for (std::size_t i = 0; i < x.n; ++i) {
            double square = 0;
            for (std::size_t t = 0; t < x.d; ++t) {
                const double value = (static_cast<double>(x.row(i)[t]) - frame.origin[t]) * scale;
                shifted[i * x.d + t] = static_cast<Scan>(value);
                square += value * value;
            }
            const double size = std::sqrt(square);
            const double margin = 2.1 * u * ((size + r) * (size + r) + (static_cast<double>(x.d) + 2) * (r * r / 2 + size * r));
            queries[i].margin = static_cast<Scan>(margin) + std::numeric_limits<Scan>::min();
            if (k == 0) {
                const double within = radius[i] * scale;
                const double most = (within * within - square) / 2 + margin + 1e-14 * (square + within * within);
                if (most < std::numeric_limits<Scan>::max() / 2)
                    limit[i] = std::nextafter(static_cast<Scan>(most), std::numeric_limits<Scan>::max());
                if (sums) {  // the rounding of the exact distance, too
                    const double slack = static_cast<double>(x.d + 8) * std::numeric_limits<double>::epsilon() * (square + within * within);
                    sure[i] = static_cast<Scan>((within * within - square) / 2 - margin - slack);
                }
            } else {
                queries[i].kept.reserve(space());
            }
        }
    }

    std::size_t space() const { return std::max(SPARE * k, LEAST_SPACE); }

    // Exact squared distances of the candidates of a query.
    NOVUM_INLINE void measure(std::size_t i, std::vector<Found>& found) const {
        const auto& kept = queries[i].kept;
        found.resize(kept.size());
        for (std::size_t first = 0; first < kept.size(); first += 4) {
            std::size_t which[4];
            double s[4];
            for (std::size_t r = 0; r < 4; ++r) which[r] = panel::at(kept[std::min(first + r, kept.size() - 1)].index);
            exact(x.row(i), y, which, s);
            for (std::size_t r = 0; r < 4 && first + r < kept.size(); ++r) found[first + r] = {s[r], kept[first + r].index};
        }
    }

    // Leave out candidates that k others beat for certain; if most remain, let exact distances decide.
    NOVUM_INLINE void thin(std::size_t i) {
        Query& q = queries[i];
        auto& kept = q.kept;
        if (kept.size() <= k) return;
        auto less = [](const Candidate<Scan>& a, const Candidate<Scan>& b) { return a.score < b.score; };
        std::nth_element(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(k - 1), kept.end(), less);
        limit[i] = std::min(limit[i], kept[k - 1].score + q.margin);
        kept.erase(std::remove_if(kept.begin() + static_cast<std::ptrdiff_t>(k), kept.end(),
                                  [&](const auto& c) { return !(c.score <= limit[i]); }),
                   kept.end());
        if (kept.size() <= space() / 2) return;
        std::vector<Found> found;
        measure(i, found);
        q.refined += found.size();
        std::vector<std::pair<Found, Scan>> both(found.size());
        for (std::size_t j = 0; j < found.size(); ++j) both[j] = {found[j], kept[j].score};
        std::nth_element(both.begin(), both.begin() + static_cast<std::ptrdiff_t>(k - 1), both.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        kept.resize(k);
        for (std::size_t j = 0; j < k; ++j) kept[j] = {both[j].second, static_cast<std::int32_t>(both[j].first.index)};
    }

    void take(std::size_t i, const Scan* lanes, std::size_t count, std::size_t start) override {
        const std::size_t there = std::min(count, y.n - std::min(y.n, start));  // beyond are padding lanes
        if (sums) return add(i, lanes, there, start);
        Query& q = queries[i];
        for (std::size_t l = 0; l < there; ++l) {
            if (!(lanes[l] <= limit[i])) continue;
            q.kept.push_back({lanes[l], static_cast<std::int32_t>(start + l)});
            if (!least.empty()) {
                Scan* best = least.data() + i * k;
                if (lanes[l] < best[k - 1]) {
                    std::size_t place = k - 1;
                    for (; place > 0 && lanes[l] < best[place - 1]; --place) best[place] = best[place - 1];
                    best[place] = lanes[l];
                    limit[i] = std::min(limit[i], best[k - 1] + q.margin);
                }
            }
            if (k && q.kept.size() >= space()) thin(i);
        }
    }

    // Add the rows of these lanes that are within the radius; where scores leave doubt, exact distances decide.
    void add(std::size_t i, const Scan* lanes, std::size_t count, std::size_t start) const {
        const std::size_t m = sums->m;
        const double* value = sums->value + start * m;
        double *sum = sums->sum + i * m, first = m ? sum[0] : 0.0;  // one column is the rule: it stays in a register
        const Scan most = limit[i], certain = sure[i];
        std::int64_t found = 0;
        for (std::size_t l = 0; l < count; ++l, value += m) {
            if (!(lanes[l] <= most)) continue;
            if (!(lanes[l] <= certain)) {
                const std::size_t j = start + l;
                double s[4];
                exact(x.row(i), y, {j, j, j, j}, s);
                if (!(std::sqrt(s[0]) <= radius[i])) continue;
            }
            ++found;
            if (m) first += value[0];
            for (std::size_t c = 1; c < m; ++c) sum[c] += value[c];
        }
        if (m) sum[0] = first;
        sums->count[i] += found;
    }

    // Rows [start, stop) in panels of `lanes`, filled up with rows of infinite score.
    void pack(std::size_t start, std::size_t stop, std::size_t lanes, std::size_t count, Scan* panels) const {
        const std::size_t d = y.d;
        for (std::size_t p = 0; p < count; ++p) {
            Scan* panel = panels + p * (d + 1) * lanes;
            for (std::size_t l = 0; l < lanes; ++l) {
                const std::size_t j = start + p * lanes + l;
                if (j >= stop) {
                    panel[l] = std::numeric_limits<Scan>::infinity();
                    for (std::size_t t = 0; t < d; ++t) panel[(t + 1) * lanes + l] = 0;
                    continue;
                }
                double square = 0;
                for (std::size_t t = 0; t < d; ++t) {
                    const Scan value = static_cast<Scan>((static_cast<double>(y.row(j)[t]) - frame.origin[t]) * scale);
                    panel[(t + 1) * lanes + l] = -value;
                    square += static_cast<double>(value) * static_cast<double>(value);
                }
                panel[l] = static_cast<Scan>(square / 2);
            }
        }
    }

    // Look at all rows; false if too many had to be measured exactly, and then the rest was left out.
    bool look(double doubtful) {
        const std::size_t lanes = static_cast<std::size_t>(simd_bytes()) / sizeof(Scan);
        const std::size_t group = simd_bytes() == 64 ? 4 : 2;  // panels taken at once, see Simd::PANELS
        std::size_t rows = std::max<std::size_t>(1, CHUNK_BYTES / ((y.d + 1) * sizeof(Scan) * lanes * group)) * lanes * group;
        rows = std::min(rows, (y.n + lanes * group - 1) / (lanes * group) * lanes * group);
        std::vector<Scan> panels(rows * (y.d + 1));
        for (std::size_t start = 0; start < y.n; start += rows) {
            const std::size_t stop = std::min(start + rows, y.n), count = (stop - start + lanes * group - 1) / (lanes * group) * group;
            interrupt::poll();
            pack(start, stop, lanes, count, panels.data());
            widest<Pass<Scan>>(static_cast<Scores<Scan>&>(*this), static_cast<const Scan*>(panels.data()), count, start);
            std::size_t refined = 0;
            for (const Query& q : queries) refined += q.refined;
            if (static_cast<double>(refined) > doubtful * static_cast<double>(x.n) * static_cast<double>(y.n)) return false;
        }
        return true;
    }

    struct Decide {
        template <int BYTES>
        static NOVUM_INLINE int run(Sweep& sweep, Nearest out) {
            std::vector<Found> found;
            interrupt::Poller<64> poller;
            for (std::size_t i = 0; i < sweep.x.n; ++i) {
                poller.tick();
                sweep.thin(i);
                sweep.measure(i, found);
                std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(std::min(out.k, found.size())), found.end());
                for (std::size_t j = 0; j < out.k; ++j) {
                    out.distance[i * out.k + j] = std::sqrt(found[j].s);
                    out.index[i * out.k + j] = found[j].index;
                }
            }
            return 0;
        }
    };

    struct Collect {
        template <int BYTES>
        static NOVUM_INLINE int run(Sweep& sweep, const double* radius, Within& out) {
            std::vector<Found> found;
            interrupt::Poller<64> poller;
            for (std::size_t i = 0; i < sweep.x.n; ++i) {
                poller.tick();
                sweep.measure(i, found);  // candidates come in the order of the rows
                for (const Found& f : found)
                    if (std::sqrt(f.s) <= radius[i]) out.index.push_back(f.index), out.distance.push_back(std::sqrt(f.s));
                out.begin.push_back(static_cast<std::int64_t>(out.index.size()));
                std::vector<Candidate<Scan>>().swap(sweep.queries[i].kept);
            }
            return 0;
        }
    };
};

}  // namespace

template <class Real, class Scan>
bool nearest_swept(Table<Real> x, Table<Real> y, Frame frame, double doubtful, Nearest out) {
    Sweep<Real, Scan> sweep(x, y, frame, out.k, nullptr);
    if (!sweep.look(doubtful)) return false;
    widest<typename Sweep<Real, Scan>::Decide>(sweep, out);
    return true;
}

template <class Real>
bool swept(Table<Real> x, Table<Real> y, Frame frame, Nearest out) {
    if (!can_sweep(x, y, frame)) return false;
    return nearest_swept<Real, float>(x, y, frame, DOUBTFUL, out) || nearest_swept<Real, double>(x, y, frame, 2.0, out);
}
template bool swept(Table<float>, Table<float>, Frame, Nearest);
template bool swept(Table<double>, Table<double>, Frame, Nearest);

template <class Real>
bool swept_within(Table<Real> x, Table<Real> y, Frame frame, const double* radius, Within& out) {
    if (!can_sweep(x, y, frame)) return false;
    if (!reachable(radius, x.n, frame)) return false;
    Sweep<Real, double> sweep(x, y, frame, 0, radius);
    sweep.look(2.0);
    out.begin.assign(1, 0);
    widest<typename Sweep<Real, double>::Collect>(sweep, radius, out);
    return true;
}
template <class Real>
bool swept_sums(Table<Real> x, Table<Real> y, Frame frame, const double* radius, const Sums& out) {
    if (!can_sweep(x, y, frame)) return false;
    if (!reachable(radius, x.n, frame)) return false;
    std::fill_n(out.sum, x.n * out.m, 0.0);
    std::fill_n(out.count, x.n, 0);
    Sweep<Real, double> sweep(x, y, frame, 0, radius, &out);
    sweep.look(2.0);
    return true;
}
template bool swept_sums(Table<float>, Table<float>, Frame, const double*, const Sums&);
template bool swept_sums(Table<double>, Table<double>, Frame, const double*, const Sums&);
template bool swept_within(Table<float>, Table<float>, Frame, const double*, Within&);
template bool swept_within(Table<double>, Table<double>, Frame, const double*, Within&);

}  // namespace novum::neighbors
