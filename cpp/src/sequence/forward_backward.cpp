#include "novum/sequence/forward_backward.h"

namespace novum::sequence {

Work::Work(const Chain& chain, std::size_t longest)
    : k(chain.k),
      width(padded(chain.k)),
      forth(padded_matrix(chain.trans, k, false, 0.0, [](double p) { return p; })),
      back(padded_matrix(chain.trans, k, true, 0.0, [](double p) { return p; })),
      b(CHUNK * k + width),
      log_row(CHUNK * k + width),
      predicted(width),
      u(width),
      beta(width),
      before(CHUNK * width),
      v(CHUNK * width),
      products(k * width),
      shift(longest) {}

double Work::rescaled_step(const Densities& densities, std::size_t row, double& m) {
    std::vector<double> log(k);
    densities.copy(row, k, NEVER, log.data());
    m = NEVER;
    for (std::size_t j = 0; j < k; ++j)
        if (predicted[j] > 0) m = log[j] > m || log[j] != log[j] ? log[j] : m;
    if (!(m > NEVER)) return m != m ? m : 0.0;
    double sum = 0;
    for (std::size_t j = 0; j < k; ++j) sum += u[j] = predicted[j] > 0 ? predicted[j] * std::exp(log[j] - m) : 0.0;
    return sum;
}

bool Work::drop_lost(const Densities& densities, std::size_t row) {
    const double* log = densities.row(row);
    lost.clear();
    for (std::size_t j = 0; j < k; ++j)
        if (u[j] < LOST) {
            if (predicted[j] > 0 && (!log || log[j] > NEVER)) lost.push_back(j);
            u[j] = 0;
        }
    return !lost.empty();
}

bool Work::loss_matters(const Chain& chain) const {
    for (std::size_t i : lost)
        for (std::size_t j = 0; j < k; ++j)
            if (chain.trans[i * k + j] > 0 && predicted[j] < SAFE) return true;
    return false;
}

namespace {

// exp of rows of k log-densities about their maxima, which `shift` gets; the rows lie flat.
struct Exponentials {
    template <int BYTES>
    static NOVUM_INLINE void run(const double* log, std::size_t k, std::size_t n, double* shift, double* scratch, double* b) {
        using D = Doubles<BYTES>;
        for (std::size_t t = 0; t < n; ++t) {
            const double* row = log + t * k;
            double m = row[0];
            std::size_t j = 1;
            if (k >= D::LANES) {
                typename D::V top = D::load(row);
                for (j = D::LANES; j + D::LANES <= k; j += D::LANES) {
                    const typename D::V l = D::load(row + j);
                    top = l > top ? l : top;
                }
                m = max_of<BYTES>(top);
            }
            for (; j < k; ++j) m = row[j] > m ? row[j] : m;
            if (m == NEVER) m = 0;
            shift[t] = m;
            for (j = 0; j < k; ++j) scratch[t * k + j] = row[j] - m;
        }
        for (std::size_t i = 0; i < n * k; i += D::LANES) D::store(b + i, exp_nonpositive<BYTES>(D::load(scratch + i)));
    }
};

// The same about known maxima. What exceeds them belongs to states that cannot be there, whose beta is zero.
struct ExponentialsAbout {
    template <int BYTES>
    static NOVUM_INLINE void run(const double* log, std::size_t k, std::size_t n, const double* shift, double* scratch, double* b) {
        using D = Doubles<BYTES>;
        for (std::size_t t = 0; t < n; ++t)
            for (std::size_t j = 0; j < k; ++j) {
                const double l = log[t * k + j] - shift[t];
                scratch[t * k + j] = l > 0 ? 0.0 : l;
            }
        for (std::size_t i = 0; i < n * k; i += D::LANES) D::store(b + i, exp_nonpositive<BYTES>(D::load(scratch + i)));
    }
};

void make_table(const Densities& densities, Work& w, std::size_t rows) {
    w.table.resize(rows * w.k + w.width);
    w.table_shift.resize(rows);
    std::vector<double> scratch(rows * w.k + w.width);
    widest<Exponentials>(densities.log, w.k, rows, w.table_shift.data(), scratch.data(), w.table.data());
}

// The first row with NaN among its log-densities.
std::size_t nan_row(const Densities& densities, std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t)
        if (const double* row = densities.row(t))
            for (std::size_t j = 0; j < densities.k; ++j)
                if (row[j] != row[j] || row[j] == -NEVER) return t;
    return begin;
}

void normalize_rows(double* rows, std::size_t n, std::size_t k) {
    for (std::size_t t = 0; t < n; ++t, rows += k) {
        double sum = 0;
        for (std::size_t j = 0; j < k; ++j) sum += rows[j];
        for (std::size_t j = 0; j < k; ++j) rows[j] /= sum;
    }
}

void add_emitted(const Densities& densities, std::size_t begin, std::size_t end, double weight, const Answers& answers) {
    const std::size_t k = densities.k;
    for (std::size_t t = begin; t < end; ++t) {
        if (densities.index[t] < 0) continue;
        double* to = answers.emitted + static_cast<std::size_t>(densities.index[t]) * k;
        for (std::size_t j = 0; j < k; ++j) to[j] += weight * answers.smoothed[t * k + j];
    }
}

}  // namespace

void load_densities(const Densities& densities, Work& w, std::size_t first, std::size_t n, double* shift, bool known) {
    const std::size_t k = w.k;
    if (!densities.index) {
        const double* log = densities.log + first * k;
        if (known)
            widest<ExponentialsAbout>(log, k, n, shift, w.log_row.data(), w.b.data());
        else
            widest<Exponentials>(log, k, n, shift, w.log_row.data(), w.b.data());
        return;
    }
    for (std::size_t t = 0; t < n; ++t) {
        double* b = w.b.data() + t * k;
        const std::int64_t row = densities.index[first + t];
        if (row < 0) {
            std::fill_n(b, k, 1.0);
            shift[t] = 0;
        } else if (const auto r = static_cast<std::size_t>(row); !known || shift[t] == w.table_shift[r]) {
            std::copy_n(w.table.data() + r * k, k, b);
            shift[t] = w.table_shift[r];
        } else {
            for (std::size_t j = 0; j < k; ++j) b[j] = std::exp(std::min(0.0, densities.log[r * k + j] - shift[t]));
        }
    }
}

Failure forward_backward(const Chain& chain, const Densities& densities, const Bundle& bundle, Answers& answers) {
    Work w(chain, bundle.longest());
    const bool narrow = chain.k <= NARROW;
    if (densities.index && bundle.count) {
        std::int64_t last = -1;
        for (std::size_t t = bundle.begin(0); t < bundle.end(bundle.count - 1); ++t) last = std::max(last, densities.index[t]);
        make_table(densities, w, static_cast<std::size_t>(last + 1));
    }
    Failure failure;
    double* out = answers.smoothed ? answers.smoothed : answers.filtered;
    for (std::size_t s = 0; s < bundle.count; ++s) {
        const std::size_t begin = bundle.begin(s), end = bundle.end(s);
        double& log_likelihood = answers.log_likelihood[s];
        log_likelihood = 0;
        if (begin == end) continue;
        const Outcome outcome = narrow ? forward_narrow(chain, densities, w, begin, end, out, log_likelihood)
                                       : forward_wide(chain, densities, w, begin, end, out, log_likelihood);
        Failure own;
        if (outcome == Outcome::repeat) {
            ++answers.repeated;
            own = forward_backward_log(chain, densities, begin, end, bundle.share(s), answers, log_likelihood);
            if (answers.emitted && own.trouble == Trouble::none) add_emitted(densities, begin, end, bundle.share(s), answers);
        } else if (outcome == Outcome::not_a_number) {
            own = {Trouble::not_a_number, nan_row(densities, begin, end)};
        } else if (answers.smoothed) {
            (narrow ? backward_narrow : backward_wide)(densities, w, begin, end, bundle.share(s), answers);
        } else if (answers.filtered) {
            normalize_rows(answers.filtered + begin * chain.k, end - begin, chain.k);
        }
        if (own.trouble != Trouble::none) {
            log_likelihood = NEVER;
            if (out) std::fill(out + begin * chain.k, out + end * chain.k, 0.0);
            if (failure.trouble == Trouble::none) failure = own;
        }
    }
    if (answers.pairs)
        for (std::size_t i = 0; i < chain.k; ++i)
            for (std::size_t j = 0; j < chain.k; ++j)
                answers.pairs[i * chain.k + j] += chain.trans[i * chain.k + j] * w.products[i * w.width + j];
    return failure;
}

}  // namespace novum::sequence
