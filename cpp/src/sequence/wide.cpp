// (3) to (6) for many states: vectors of states, the products of (6) made for eight steps at a time.
#include "novum/runtime/interrupt.h"
#include "novum/sequence/forward_backward.h"

namespace novum::sequence {

namespace {

// The rows of b lie k apart and are read in whole vectors: beyond k they meet zeros.
struct Forward {
    template <int BYTES>
    static NOVUM_INLINE Outcome run(const Chain& chain, const Densities& densities, Work& w, std::size_t begin, std::size_t end,
                                    double* out, double& log_likelihood) {
        using D = Doubles<BYTES>;
        const std::size_t k = w.k, width = w.width;
        Total total;
        double last = 1;
        bool lost = false;
        std::fill(w.predicted.begin(), w.predicted.end(), 0.0);
        std::copy_n(chain.start, k, w.predicted.data());
        for (std::size_t first = begin; first < end; first += CHUNK) {
            interrupt::poll();
            const std::size_t n = std::min(CHUNK, end - first);
            double* shift = w.shift.data() + (first - begin);
            load_densities(densities, w, first, n, shift, false);
            for (std::size_t t = 0; t < n; ++t) {
                if (first + t > begin) combine_rows<BYTES>(w.u.data(), w.forth.data(), k, width, w.predicted.data());
                if (lost && w.loss_matters(chain)) return Outcome::repeat;
                const double* b = w.b.data() + t * k;
                typename D::V sum{}, least = D::splat(1.0);
                for (std::size_t j = 0; j < width; j += D::LANES) {
                    const typename D::V predicted = D::load(w.predicted.data() + j), share = predicted * D::load(b + j);
                    D::store(w.u.data() + j, share);
                    sum += share;
                    const typename D::V there = predicted > 0.0 ? share : D::splat(1.0);
                    least = there < least ? there : least;
                }
                double mass = sum_of<BYTES>(sum);
                if (!(mass >= FAINT)) {
                    if (mass == mass) mass = w.rescaled_step(densities, first + t, shift[t]);
                    if (mass != mass) return Outcome::not_a_number;
                    if (!(mass >= FAINT)) return Outcome::repeat;
                    least = D::splat(0.0);
                }
                total.add(shift[t]);
                if (mass < SMALL) {
                    total.add(std::log(mass));
                    for (std::size_t j = 0; j < k; ++j) w.u[j] /= mass;
                    mass = 1;
                }
                last = mass;
                lost = min_of<BYTES>(least) < LOST && w.drop_lost(densities, first + t);
                if (out) std::copy_n(w.u.data(), k, out + (first + t) * k);
            }
        }
        total.add(std::log(last));
        log_likelihood = total.value();
        return Outcome::done;
    }
};

// Adds before' v of n steps to the products of (6): eight steps share each load and store of a product.
template <int BYTES>
NOVUM_INLINE void add_products(Work& w, std::size_t n) {
    using D = Doubles<BYTES>;
    constexpr std::size_t TOGETHER = 8;
    std::size_t t = 0;
    for (; t + TOGETHER <= n; t += TOGETHER) {
        const double *before = w.before.data() + t * w.width, *v = w.v.data() + t * w.width;
        for (std::size_t j = 0; j < w.width; j += D::LANES) {
            typename D::V carried[TOGETHER];
            for (std::size_t s = 0; s < TOGETHER; ++s) carried[s] = D::load(v + s * w.width + j);
            for (std::size_t i = 0; i < w.k; ++i) {
                double* to = w.products.data() + i * w.width + j;
                typename D::V even = D::load(to), odd{};
                for (std::size_t s = 0; s < TOGETHER; s += 2) {
                    even += before[s * w.width + i] * carried[s];
                    odd += before[(s + 1) * w.width + i] * carried[s + 1];
                }
                D::store(to, even + odd);
            }
        }
    }
    for (; t < n; ++t)
        for (std::size_t i = 0; i < w.k; ++i) {
            double* to = w.products.data() + i * w.width;
            for (std::size_t j = 0; j < w.width; j += D::LANES)
                D::store(to + j, D::load(to + j) + w.before[t * w.width + i] * D::load(w.v.data() + t * w.width + j));
        }
}

struct Backward {
    template <int BYTES>
    static NOVUM_INLINE void run(const Densities& densities, Work& w, std::size_t begin, std::size_t end, double weight,
                                 const Answers& answers) {
        using D = Doubles<BYTES>;
        const std::size_t k = w.k, width = w.width;
        double* gamma = answers.smoothed;
        std::fill(w.beta.begin(), w.beta.end(), 0.0);
        std::fill_n(w.beta.data(), k, 1.0);
        std::fill(w.u.begin(), w.u.end(), 0.0);
        const std::size_t chunks = (end - begin + CHUNK - 1) / CHUNK;
        std::size_t held = 0;  // steps of (6) that wait; the newest still lacks its u_{t-1}
        for (std::size_t chunk = chunks; chunk-- > 0;) {
            interrupt::poll();
            const std::size_t first = begin + chunk * CHUNK, n = std::min(CHUNK, end - first);
            load_densities(densities, w, first, n, w.shift.data() + (first - begin), true);
            for (std::size_t t = n; t-- > 0;) {
                const std::size_t row = first + t;
                std::copy_n(gamma + row * k, k, w.u.data());
                typename D::V sum{};
                for (std::size_t j = 0; j < width; j += D::LANES) {
                    const typename D::V u = D::load(w.u.data() + j);
                    const typename D::V beta = u > 0.0 ? D::load(w.beta.data() + j) : D::splat(0.0);
                    D::store(w.beta.data() + j, beta);
                    sum += u * beta;
                }
                const double N = sum_of<BYTES>(sum), inverse = 1 / N;
                if (answers.pairs && row + 1 < end) {
                    double* before = w.before.data() + held * width;
                    for (std::size_t j = 0; j < width; j += D::LANES) D::store(before + j, D::load(w.u.data() + j) * (inverse * weight));
                    if (++held == CHUNK) {
                        add_products<BYTES>(w, held);
                        held = 0;
                    }
                }
                for (std::size_t j = 0; j < k; ++j) gamma[row * k + j] = w.u[j] * w.beta[j] * inverse;
                if (answers.emitted && densities.index[row] >= 0) {
                    double* to = answers.emitted + static_cast<std::size_t>(densities.index[row]) * k;
                    for (std::size_t j = 0; j < k; ++j) to[j] += weight * gamma[row * k + j];
                }
                if (row == begin) break;
                const double factor = N < LEAST_N || N > MOST_N ? inverse : 1.0;
                double* v = w.v.data() + held * width;
                for (std::size_t j = 0; j < width; j += D::LANES)
                    D::store(v + j, D::load(w.b.data() + t * k + j) * factor * D::load(w.beta.data() + j));
                combine_rows<BYTES>(v, w.back.data(), k, width, w.beta.data());
            }
        }
        if (answers.pairs) add_products<BYTES>(w, held);
    }
};

}  // namespace

Outcome forward_wide(const Chain& chain, const Densities& densities, Work& w, std::size_t begin, std::size_t end, double* out,
                     double& log_likelihood) {
    return widest<Forward>(chain, densities, w, begin, end, out, log_likelihood);
}

void backward_wide(const Densities& densities, Work& w, std::size_t begin, std::size_t end, double weight, const Answers& answers) {
    widest<Backward>(densities, w, begin, end, weight, answers);
}

}  // namespace novum::sequence
