// (3) to (6) for few states: all of them in one vector that never leaves its register.
#include "novum/runtime/interrupt.h"
#include "novum/sequence/forward_backward.h"
#include "novum/sequence/lanes.h"

namespace novum::sequence {

namespace {

// b of step t of a chunk: of a table the row itself, which a copy would only move; else what load_densities made.
template <int K>
NOVUM_INLINE typename States<K>::V density_of_step(const Densities& densities, Work& w, std::size_t first, std::size_t t, double* shift,
                                                   bool known) {
    if (!densities.index) return States<K>::load(w.b.data() + t * K);
    const std::int64_t row = densities.index[first + t];
    if (row < 0) {
        shift[t] = 0;
        return States<K>::splat(1.0);
    }
    const auto r = static_cast<std::size_t>(row);
    if (known && shift[t] != w.table_shift[r]) {
        for (std::size_t j = 0; j < K; ++j) w.b[j] = std::exp(std::min(0.0, densities.log[r * K + j] - shift[t]));
        return States<K>::load(w.b.data());
    }
    shift[t] = w.table_shift[r];
    return States<K>::load(w.table.data() + r * K);
}

template <int K>
struct Forward {
    template <int BYTES>
    static NOVUM_INLINE Outcome run(const Chain& chain, const Densities& densities, Work& w, std::size_t begin, std::size_t end,
                                    double* out, double& log_likelihood) {
        using S = States<K>;
        typename S::V A[K], u{};
        for (int i = 0; i < K; ++i) A[i] = S::load(w.forth.data() + static_cast<std::size_t>(i) * w.width);
        double start[8] = {};
        std::copy_n(chain.start, K, start);
        typename S::V predicted = S::load(start);
        Total total;
        double last = 1;
        bool lost = false;
        for (std::size_t first = begin; first < end; first += CHUNK) {
            interrupt::poll();
            const std::size_t n = std::min(CHUNK, end - first);
            double* shift = w.shift.data() + (first - begin);
            if (!densities.index) load_densities(densities, w, first, n, shift, false);
            double shifts = 0;  // of the chunk: a sum that waits for nobody
            for (std::size_t t = 0; t < n; ++t) {
                if (first + t > begin) predicted = S::combine(u, A);
                if (lost) {
                    S::store_padded(w.predicted.data(), predicted);
                    if (w.loss_matters(chain)) return Outcome::repeat;
                }
                u = predicted * density_of_step<K>(densities, w, first, t, shift, false);
                const typename S::V there = predicted > 0.0 ? u : S::splat(1.0);
                double mass = S::sum(u);
                bool some_lost = S::least(there) < LOST;
                if (!(mass >= SMALL) || some_lost) {
                    S::store_padded(w.predicted.data(), predicted);
                    S::store_padded(w.u.data(), u);
                    if (!(mass >= FAINT)) {
                        if (mass == mass) mass = w.rescaled_step(densities, first + t, shift[t]);
                        if (mass != mass) return Outcome::not_a_number;
                        if (!(mass >= FAINT)) return Outcome::repeat;
                        some_lost = true;
                    }
                    if (mass < SMALL) {
                        total.add(std::log(mass));
                        for (int j = 0; j < K; ++j) w.u[static_cast<std::size_t>(j)] /= mass;
                        mass = 1;
                    }
                    lost = some_lost && w.drop_lost(densities, first + t);
                    u = S::load(w.u.data());
                } else {
                    lost = false;
                }
                shifts += shift[t];
                last = mass;
                if (out) S::store(out + (first + t) * K, u);
            }
            total.add(shifts);
        }
        total.add(std::log(last));
        log_likelihood = total.value();
        return Outcome::done;
    }
};

template <int K>
struct Backward {
    template <int BYTES>
    static NOVUM_INLINE void run(const Densities& densities, Work& w, std::size_t begin, std::size_t end, double weight,
                                 const Answers& answers) {
        using S = States<K>;
        using V = typename S::V;
        V A[K], products[K];
        for (int i = 0; i < K; ++i) {
            A[i] = S::load(w.back.data() + static_cast<std::size_t>(i) * w.width);
            products[i] = S::load(w.products.data() + static_cast<std::size_t>(i) * w.width);
        }
        double one[8] = {};
        std::fill_n(one, K, 1.0);
        V beta = S::load(one), v{};
        double* gamma = answers.smoothed;
        const std::size_t chunks = (end - begin + CHUNK - 1) / CHUNK;
        for (std::size_t chunk = chunks; chunk-- > 0;) {
            interrupt::poll();
            const std::size_t first = begin + chunk * CHUNK, n = std::min(CHUNK, end - first);
            double* shift = w.shift.data() + (first - begin);
            if (!densities.index) load_densities(densities, w, first, n, shift, true);
            for (std::size_t t = n; t-- > 0;) {
                const std::size_t row = first + t;
                const V u = S::load_exact(gamma + row * K);
                beta = u > 0.0 ? beta : S::splat(0.0);
                const V both = u * beta;
                const double N = S::sum(both), inverse = 1 / N;
                if (answers.pairs && row + 1 < end) S::add_outer(u * (inverse * weight), v, products);
                const V share = both * inverse;
                S::store(gamma + row * K, share);
                if (answers.emitted && densities.index[row] >= 0) {
                    double* to = answers.emitted + static_cast<std::size_t>(densities.index[row]) * K;
                    S::store(to, S::load_exact(to) + weight * share);
                }
                if (N < LEAST_N || N > MOST_N) beta *= inverse;
                v = density_of_step<K>(densities, w, first, t, shift, true) * beta;
                beta = S::combine(v, A);
            }
        }
        for (int i = 0; i < K; ++i) S::store_padded(w.products.data() + static_cast<std::size_t>(i) * w.width, products[i]);
    }
};

}  // namespace

Outcome forward_narrow(const Chain& chain, const Densities& densities, Work& w, std::size_t begin, std::size_t end, double* out,
                       double& log_likelihood) {
    return by_states(chain.k, [&](auto states) {
        return widest<Forward<decltype(states)::value>>(chain, densities, w, begin, end, out, log_likelihood);
    });
}

void backward_narrow(const Densities& densities, Work& w, std::size_t begin, std::size_t end, double weight, const Answers& answers) {
    by_states(w.k, [&](auto states) {
        widest<Backward<decltype(states)::value>>(densities, w, begin, end, weight, answers);
        return 0;
    });
}

}  // namespace novum::sequence
