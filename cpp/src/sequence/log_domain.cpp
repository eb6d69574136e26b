// (3) to (6) in logarithms, for sequences in which a state that scaling had to drop comes back: log a_t keeps what no double holds.
#include "novum/runtime/interrupt.h"
#include "novum/sequence/forward_backward.h"

namespace novum::sequence {

namespace {

struct LogWork {
    std::size_t k, width;
    std::vector<double> forth, back;         // log A and its transpose, padded with minus infinity
    std::vector<double> log_row, now, next;  // (width,)
    std::vector<double> pairs;               // (k, width): sums of xi
    std::vector<double> log_c;               // per step

    LogWork(const Chain& chain, std::size_t steps)
        : k(chain.k),
          width(padded(chain.k)),
          forth(padded_matrix(chain.trans, k, false, NEVER, log_or_never)),
          back(padded_matrix(chain.trans, k, true, NEVER, log_or_never)),
          log_row(width),
          now(width, NEVER),
          next(width, NEVER),
          pairs(k * width),
          log_c(steps) {}
};

// out_j = log sum_i exp(x_i + m_ij), a vector of columns at a time.
template <int BYTES>
NOVUM_INLINE void log_combine(const double* x, const double* m, std::size_t k, std::size_t width, double* out) {
    using D = Doubles<BYTES>;
    for (std::size_t j = 0; j < width; j += D::LANES) {
        typename D::V top = D::splat(NEVER), sum{};
        for (std::size_t i = 0; i < k; ++i) {
            const typename D::V value = x[i] + D::load(m + i * width + j);
            top = value > top ? value : top;
        }
        const typename D::V about = top > NEVER ? top : D::splat(0.0);
        for (std::size_t i = 0; i < k; ++i) sum += exp_nonpositive<BYTES>(x[i] + D::load(m + i * width + j) - about);
        const typename D::V whole = sum < 1.0 ? D::splat(1.0) : sum;
        D::store(out + j, top > NEVER ? about + log_above_one<BYTES>(whole) : D::splat(NEVER));
    }
}

double log_sum(const double* x, std::size_t k) {
    const double top = *std::max_element(x, x + k);
    if (!(top > NEVER)) return top;
    double sum = 0;
    for (std::size_t j = 0; j < k; ++j) sum += std::exp(x[j] - top);
    return top + std::log(sum);
}

struct Run {
    template <int BYTES>
    static NOVUM_INLINE Failure run(const Chain& chain, const Densities& densities, LogWork& w, std::size_t begin, std::size_t end,
                                    double weight, Answers& answers, double& log_likelihood) {
        using D = Doubles<BYTES>;
        const std::size_t k = w.k, width = w.width;
        double* out = answers.smoothed ? answers.smoothed : answers.filtered;
        Total total;
        for (std::size_t t = begin; t < end; ++t) {
            interrupt::poll();
            if (t == begin)
                for (std::size_t j = 0; j < k; ++j) w.next[j] = log_or_never(chain.start[j]);
            else
                log_combine<BYTES>(w.now.data(), w.forth.data(), k, width, w.next.data());
            densities.copy(t, width, NEVER, w.log_row.data());
            for (std::size_t j = 0; j < k; ++j) {
                if (w.log_row[j] != w.log_row[j]) return {Trouble::not_a_number, t};
                w.next[j] = w.next[j] > NEVER ? w.next[j] + w.log_row[j] : NEVER;
            }
            const double c = log_sum(w.next.data(), k);
            if (!(c > NEVER)) return {Trouble::impossible, t};
            total.add(c);
            w.log_c[t - begin] = c;
            for (std::size_t j = 0; j < k; ++j) w.now[j] = w.next[j] - c;
            if (out) std::copy_n(w.now.data(), k, out + t * k);
        }
        log_likelihood = total.value();
        if (!answers.smoothed) {
            if (out) std::transform(out + begin * k, out + end * k, out + begin * k, [](double l) { return std::exp(l); });
            return {};
        }
        // w.now is log beta from here on, w.next what beta carries back, x_t included.
        std::fill(w.now.begin(), w.now.end(), NEVER);
        std::fill_n(w.now.data(), k, 0.0);
        for (std::size_t t = end; t-- > begin;) {
            interrupt::poll();
            double* gamma = answers.smoothed + t * k;
            double sum = 0;
            for (std::size_t j = 0; j < k; ++j) sum += gamma[j] = gamma[j] > NEVER ? std::exp(gamma[j] + w.now[j]) : 0.0;
            for (std::size_t j = 0; j < k; ++j) gamma[j] /= sum;
            if (t == begin) break;
            densities.copy(t, width, NEVER, w.log_row.data());
            for (std::size_t j = 0; j < width; ++j) w.next[j] = w.now[j] + w.log_row[j] - w.log_c[t - begin];
            if (answers.pairs)
                for (std::size_t i = 0; i < k; ++i) {
                    const double before = answers.smoothed[(t - 1) * k + i];
                    if (!(before > NEVER)) continue;
                    for (std::size_t j = 0; j < width; j += D::LANES) {
                        const typename D::V log = before + D::load(w.forth.data() + i * width + j) + D::load(w.next.data() + j);
                        double* to = w.pairs.data() + i * width + j;
                        // a state that cannot be there may have any beta; before it stands A_ij = 0, so the sum is minus infinity
                        D::store(to, D::load(to) + weight * exp_nonpositive<BYTES>(log > 0.0 ? D::splat(0.0) : log));
                    }
                }
            log_combine<BYTES>(w.next.data(), w.back.data(), k, width, w.now.data());
        }
        if (answers.pairs)
            for (std::size_t i = 0; i < k; ++i)
                for (std::size_t j = 0; j < k; ++j) answers.pairs[i * k + j] += w.pairs[i * width + j];
        return {};
    }
};

}  // namespace

Failure forward_backward_log(const Chain& chain, const Densities& densities, std::size_t begin, std::size_t end, double weight,
                             Answers& answers, double& log_likelihood) {
    LogWork w(chain, end - begin);
    return widest<Run>(chain, densities, w, begin, end, weight, answers, log_likelihood);
}

}  // namespace novum::sequence
