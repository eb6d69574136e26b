#include "novum/gaussians/mixture.h"

#include "novum/gaussians/chunk.h"
#include "novum/runtime/interrupt.h"

namespace novum::mixture {

namespace {

struct Score {
    double log_likelihood, information;
};

// (3) of a chunk, from l (k, CHUNK) into r. Whole vectors are read: rows beyond n have weight zero.
struct Normalize {
    template <int BYTES>
    static NOVUM_INLINE Score run(const double* l, std::size_t k, std::size_t n, const double* weight, double* r, double* total) {
        using S = Doubles<BYTES>;
        typename S::V likelihood{}, information{};
        for (std::size_t i = 0; i < n; i += S::LANES) {
            typename S::V top = S::load(l + i);
            for (std::size_t c = 1; c < k; ++c) {
                const typename S::V v = S::load(l + c * CHUNK + i);
                top = v > top ? v : top;
            }
            typename S::V sum{};
            for (std::size_t c = 0; c < k; ++c) {
                const typename S::V e = exp_nonpositive<BYTES>(S::load(l + c * CHUNK + i) - top);
                S::store(r + c * CHUNK + i, e);
                sum += e;
            }
            const typename S::V log_sum = log_above_one<BYTES>(sum), share = 1.0 / sum, w = S::load(weight + i);
            S::store(total + i, top + log_sum);
            likelihood += w * (top + log_sum);
            typename S::V own{};
            for (std::size_t c = 0; c < k; ++c) {
                const typename S::V p = S::load(r + c * CHUNK + i) * share, t = (S::load(l + c * CHUNK + i) - top) - log_sum;
                S::store(r + c * CHUNK + i, p);
                own += p * (t < 2 * LEAST_EXPONENT ? S::splat(2 * LEAST_EXPONENT) : t);  // p is zero there: keeps 0 log 0 from being NaN
            }
            information += w * own;
        }
        Score out{0, 0};
        for (std::size_t lane = 0; lane < S::LANES; ++lane) {
            out.log_likelihood += likelihood[lane];
            out.information += information[lane];
        }
        return out;
    }
};

// Memory for (2) and (3) of a chunk.
struct Scratch {
    Buffer columns, l, r, weight, total;
    Scratch(std::size_t k, std::size_t d) : columns(d * CHUNK), l(k * CHUNK), r(k * CHUNK), weight(CHUNK), total(CHUNK) {}
    void weigh(const double* given, std::size_t n) {
        if (given)
            std::copy_n(given, n, weight.data());
        else
            std::fill_n(weight.data(), n, 1.0);
        std::fill(weight.data() + n, weight.data() + CHUNK, 0.0);
    }
    // Whatever a row without weight holds, its densities are finite: zero times them is zero.
    void silence(std::size_t k, std::size_t n) {
        for (std::size_t i = 0; i < n; ++i)
            if (weight.data()[i] == 0)
                for (std::size_t c = 0; c < k; ++c) l.data()[c * CHUNK + i] = 0;
    }
};

}  // namespace

template <class Real>
void statistics(Rows<Real> rows, const Gaussians& g, Sums& sums) {
    Densities densities(g);
    Moments moments(g.kind, g.k, g.d, g.mean);
    Scratch s(g.k, g.d);
    for (std::size_t start = 0; start < rows.n; start += CHUNK) {
        interrupt::poll();
        const std::size_t n = std::min(CHUNK, rows.n - start);
        const Real* x = rows.x + start * g.d;
        s.weigh(rows.weight ? rows.weight + start : nullptr, n);
        transpose(x, n, g.d, s.columns.data());
        densities.chunk(s.columns.data(), n, s.l.data());
        if (rows.weight) s.silence(g.k, n);
        const Score score = widest<Normalize>(s.l.data(), g.k, n, s.weight.data(), s.r.data(), s.total.data());
        sums.log_likelihood += score.log_likelihood;
        sums.information += score.information;
        moments.chunk(x, s.columns.data(), n, s.weight.data(), s.r.data());
    }
    moments.add_to(sums);
}

template <class Real>
void moments(Rows<Real> rows, Kind kind, std::size_t k, std::size_t d, const double* shift, const double* responsibility, Sums& sums) {
    Moments moments(kind, k, d, shift);
    Scratch s(k, d);
    for (std::size_t start = 0; start < rows.n; start += CHUNK) {
        interrupt::poll();
        const std::size_t n = std::min(CHUNK, rows.n - start);
        const Real* x = rows.x + start * d;
        s.weigh(rows.weight ? rows.weight + start : nullptr, n);
        transpose(x, n, d, s.columns.data());
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t c = 0; c < k; ++c) s.r.data()[c * CHUNK + i] = responsibility[(start + i) * k + c];
        moments.chunk(x, s.columns.data(), n, s.weight.data(), s.r.data());
    }
    moments.add_to(sums);
}

template <class Real>
void evaluate(Rows<Real> rows, const Gaussians& g, Answers<Real> out) {
    Densities densities(g);
    Scratch s(g.k, g.d);
    for (std::size_t start = 0; start < rows.n; start += CHUNK) {
        interrupt::poll();
        const std::size_t n = std::min(CHUNK, rows.n - start);
        s.weigh(nullptr, n);
        transpose(rows.x + start * g.d, n, g.d, s.columns.data());
        densities.chunk(s.columns.data(), n, s.l.data());
        if (out.posterior || out.total) widest<Normalize>(s.l.data(), g.k, n, s.weight.data(), s.r.data(), s.total.data());
        const double *l = s.l.data(), *r = s.r.data();
        if (out.total) std::transform(s.total.data(), s.total.data() + n, out.total + start, [](double v) { return static_cast<Real>(v); });
        for (std::size_t c = 0; c < g.k; ++c)
            for (std::size_t i = 0; i < n; ++i) {
                const std::size_t place = (start + i) * g.k + c;
                if (out.joint) out.joint[place] = static_cast<Real>(l[c * CHUNK + i]);
                if (out.posterior) out.posterior[place] = static_cast<Real>(r[c * CHUNK + i]);
            }
        for (std::size_t i = 0; out.label && i < n; ++i) {
            std::size_t best = 0;
            for (std::size_t c = 1; c < g.k; ++c)
                if (l[c * CHUNK + i] > l[best * CHUNK + i]) best = c;
            out.label[start + i] = static_cast<std::int64_t>(best);
        }
    }
}

#define NOVUM_MIXTURE(Real)                                                                                 \
    template void statistics(Rows<Real>, const Gaussians&, Sums&);                                          \
    template void moments(Rows<Real>, Kind, std::size_t, std::size_t, const double*, const double*, Sums&); \
    template void evaluate(Rows<Real>, const Gaussians&, Answers<Real>);
NOVUM_MIXTURE(float)
NOVUM_MIXTURE(double)
#undef NOVUM_MIXTURE

}  // namespace novum::mixture
