#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <vector>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/simd.h"
#include "novum/sequence/kalman.h"
#include "novum/sequence/observed_cells.h"
#include "novum/sequence/small_matrices.h"

namespace novum::kalman {

namespace {

const double LOG_2PI = std::log(2 * std::numbers::pi);
constexpr double PRECISE = 0.01;        // noise below this share of the innovation's variance: cancellation is repaired
constexpr std::size_t LARGE = 20;       // states from which a dense product is BLAS's
constexpr std::size_t DENSE_SHARE = 4;  // A is dense if more than one cell in so many is not zero

/// What a row changes, and the buffers for it.
struct State {
    std::size_t s, p;
    std::vector<double> mean, covariance, column, residual, next_mean, half, turned, next;
    std::vector<double> gains, variances;  // of the cells of the last row: p x s, p
    State(std::size_t s_, std::size_t p_)
        : s(s_),
          p(p_),
          mean(s),
          covariance(s * s),
          column(s),
          residual(s),
          next_mean(s),
          half(s * s),
          turned(s * s),
          next(s * s),
          gains(p * s),
          variances(p) {}
};

template <int S>
NOVUM_INLINE double dot(std::size_t runtime, const double* a, const double* b) {
    const std::size_t s = size_of<S>(runtime);
    double sum = 0;
    for (std::size_t j = 0; j < s; ++j) sum += a[j] * b[j];
    return sum;
}

/// column = P c.
template <int S>
NOVUM_INLINE void column_of(std::size_t runtime, const double* P, const double* c, double* column) {
    const std::size_t s = size_of<S>(runtime);
    for (std::size_t i = 0; i < s; ++i) column[i] = 0;
    for (std::size_t j = 0; j < s; ++j) {
        const double weight = c[j];
        if (S == 0 && weight == 0) continue;
        for (std::size_t i = 0; i < s; ++i) column[i] += weight * P[j * s + i];  // P is symmetric: row j is column j
    }
}

/// Condition on the observed cells one by one (4), (5); returns the log-density of the row.
template <int S>
NOVUM_INLINE double update(std::size_t runtime, ObservedCells& cells, const double* x, State& state) {
    const std::size_t s = size_of<S>(runtime), k = cells.count();
    const double* values = cells.transformed(x);
    double *m = state.mean.data(), *P = state.covariance.data(), *M = state.column.data(), *r = state.residual.data();
    double total = 0, factors = 1;
    bool start_known = false, ready = false;  // ready: M is already P c of this cell
    for (std::size_t i = 0; i < k; ++i) {
        const double *c = cells.row(i), noise = cells.variance(i);
        double* K = state.gains.data() + i * s;
        if (!ready) column_of<S>(s, P, c, M);
        ready = false;
        const double variance = dot<S>(s, c, M) + noise, innovation = values[i] - dot<S>(s, c, m);
        if (noise == 0 && !start_known) {  // the variance before any cell of this row says what is rounding
            std::memcpy(state.half.data(), P, s * s * sizeof(double));
            start_known = true;
        }
        if (noise == 0) {
            column_of<S>(s, state.half.data(), c, r);
            const double before = dot<S>(s, c, r);
            if (!(variance > Exact::NOTHING * before)) {
                if (Exact::contradicts(innovation, cells.magnitude(i), before)) total = -std::numeric_limits<double>::infinity();
                std::fill(K, K + s, 0.0);
                state.variances[i] = 0;
                continue;
            }
        }
        const double inverse = 1 / variance;
        state.variances[i] = variance;
        for (std::size_t a = 0; a < s; ++a) {
            K[a] = M[a] * inverse;
            m[a] += K[a] * innovation;
        }
        const double root = std::sqrt(inverse);  // products of one scaled column: what is written stays symmetric to the bit
        for (std::size_t a = 0; a < s; ++a) M[a] *= root;
        ready = S == 0 && i + 1 < k && !(noise < PRECISE * variance);
        if (ready) {  // one pass over a large P updates it and multiplies it with the next cell's row
            const double* next = cells.row(i + 1);
            std::fill(r, r + s, 0.0);
            for (std::size_t a = 0; a < s; ++a) {
                const double scale = M[a], weight = next[a];
                double* row = P + a * s;
                for (std::size_t b = 0; b < s; ++b) {
                    const double value = row[b] - scale * M[b];
                    row[b] = value;
                    r[b] += weight * value;
                }
            }
            std::memcpy(M, r, s * sizeof(double));
        } else {
            for (std::size_t a = 0; a < s; ++a)
                for (std::size_t b = 0; b < s; ++b) P[a * s + b] -= M[a] * M[b];
        }
        if (noise < PRECISE * variance) {  // P c = noise K holds exactly; what is left of it was cancellation
            column_of<S>(s, P, c, r);
            for (std::size_t a = 0; a < s; ++a) r[a] -= noise * K[a];
            const double along = dot<S>(s, c, r);
            for (std::size_t a = 0; a < s; ++a)
                for (std::size_t b = 0; b < s; ++b) P[a * s + b] += (along * K[a] - r[a]) * K[b] - K[a] * r[b];
            symmetrize<S>(s, P);
        }
        total -= 0.5 * (LOG_2PI + innovation * innovation * inverse);
        factors *= variance;
        if (!(factors > 1e-250 && factors < 1e250)) {
            total -= 0.5 * std::log(factors);
            factors = 1;
        }
    }
    return total - 0.5 * std::log(factors);
}

/// The same with the gains of the row before, which have settled: the mean alone changes.
template <int S>
NOVUM_INLINE double update_mean(std::size_t runtime, ObservedCells& cells, const double* x, State& state) {
    const std::size_t s = size_of<S>(runtime), k = cells.count();
    const double* values = cells.transformed(x);
    double *m = state.mean.data(), total = 0;
    for (std::size_t i = 0; i < k; ++i) {
        const double* K = state.gains.data() + i * s;
        const double innovation = values[i] - dot<S>(s, cells.row(i), m);
        for (std::size_t a = 0; a < s; ++a) m[a] += K[a] * innovation;
        total -= 0.5 * innovation * innovation / state.variances[i];
    }
    return total;
}

/// mean = A mean + b.
template <int S>
NOVUM_INLINE void predict_mean(std::size_t runtime, const double* A, const double* b, State& state) {
    const std::size_t s = size_of<S>(runtime);
    times_vector<S>(s, A, state.mean.data(), state.next_mean.data());
    for (std::size_t i = 0; i < s; ++i) state.mean[i] = state.next_mean[i] + (b ? b[i] : 0);
}

bool is_dense(const double* A, std::size_t s) {
    std::size_t cells = 0;
    for (std::size_t i = 0; i < s * s; ++i) cells += A[i] != 0;
    return cells * DENSE_SHARE > s * s;
}

/// next = A P A' + Q, (6).
template <int S>
NOVUM_INLINE void predict_covariance(std::size_t runtime, const double* A, const double* Q, const Library& library, bool dense,
                                     State& state) {
    const std::size_t s = size_of<S>(runtime);
    const double* P = state.covariance.data();
    double *half = state.half.data(), *next = state.next.data();
    if (S > 0) {
        product<S>(s, A, P, half);
        product_transposed<S>(s, half, A, next);
        for (std::size_t i = 0; i < s * s; ++i) next[i] += Q[i];
    } else if (dense && s >= LARGE && library.gemm) {
        const int d = static_cast<int>(s);
        const double one = 1, zero = 0;
        library.gemm("N", "N", &d, &d, &d, &one, P, &d, A, &d, &zero, half, &d);  // Fortran reads rows as columns: half = A P
        std::memcpy(next, Q, s * s * sizeof(double));
        library.gemm("T", "N", &d, &d, &d, &one, A, &d, half, &d, &one, next, &d);  // next += half A'
    } else {
        product<0>(s, A, P, half);
        transpose<0>(s, half, state.turned.data());
        product<0>(s, A, state.turned.data(), next);
        for (std::size_t i = 0; i < s * s; ++i) next[i] += Q[i];
    }
    symmetrize<S>(s, next);
}

NOVUM_INLINE void put(double* to, const double* from, std::size_t cells) {
    if (to) std::memcpy(to, from, cells * sizeof(double));
}

template <int S>
struct Pass {
    template <int BYTES>
    static NOVUM_INLINE std::size_t run(const System& system, const double* X, const double* mean, const double* covariance,
                                        const Library& library, const Filtered& out) {
        const std::size_t s = size_of<S>(system.s), p = system.p, square = s * s;
        State state(s, p);
        ObservedCells cells(system);
        interrupt::Poller<1024> poller;
        std::memcpy(state.mean.data(), mean, s * sizeof(double));
        std::memcpy(state.covariance.data(), covariance, square * sizeof(double));
        const bool same_noise = system.observation.step == 0 && system.observation_covariance.step == 0;
        const bool constant = same_noise && system.transition.step == 0 && system.transition_covariance.step == 0;
        std::vector<double> predicted(square), updated(square);
        bool frozen = false, dense = false;
        double constants = 0;  // of the log-density of a row, while frozen
        std::size_t first = system.n;
        for (std::size_t t = 0; t < system.n; ++t) {
            poller.tick();
            if (s > LARGE) interrupt::poll();
            const double *A = system.transition.at(t), *x = X + t * p;
            const bool fresh = cells.changed(x);
            if (fresh || !same_noise) cells.prepare(system.observation.at(t), system.observation_covariance.at(t));
            frozen = frozen && !fresh;
            if (out.predicted_mean) put(out.predicted_mean + t * s, state.mean.data(), s);
            if (frozen) {
                if (out.predicted_covariance) put(out.predicted_covariance + t * square, predicted.data(), square);
                out.log_likelihood[t] = constants + update_mean<S>(s, cells, x, state);
                if (out.mean) put(out.mean + t * s, state.mean.data(), s);
                if (out.covariance) put(out.covariance + t * square, updated.data(), square);
                predict_mean<S>(s, A, system.offset.data ? system.offset.at(t) : nullptr, state);
                continue;
            }
            if (out.predicted_covariance) put(out.predicted_covariance + t * square, state.covariance.data(), square);
            if (constant) put(predicted.data(), state.covariance.data(), square);
            out.log_likelihood[t] = update<S>(s, cells, x, state);
            if (out.mean) put(out.mean + t * s, state.mean.data(), s);
            if (out.covariance) put(out.covariance + t * square, state.covariance.data(), square);
            if (constant) put(updated.data(), state.covariance.data(), square);
            if (t == 0 || system.transition.step) dense = S == 0 && is_dense(A, s);
            predict_mean<S>(s, A, system.offset.data ? system.offset.at(t) : nullptr, state);
            predict_covariance<S>(s, A, system.transition_covariance.at(t), library, dense, state);
            state.covariance.swap(state.next);
            if (constant && !fresh && cells.count() == p && settled<S>(s, state.covariance.data(), predicted.data())) {
                bool regular = true;
                constants = -0.5 * LOG_2PI * static_cast<double>(p);
                for (std::size_t i = 0; i < p; ++i) {
                    regular = regular && state.variances[i] > 0;
                    constants -= 0.5 * std::log(state.variances[i]);
                }
                frozen = regular;
                if (frozen) {
                    first = std::min(first, t);
                    std::memcpy(state.covariance.data(), predicted.data(), square * sizeof(double));
                }
            }
        }
        put(out.last_mean, state.mean.data(), s);
        put(out.last_covariance, state.covariance.data(), square);
        return first;
    }
};

}  // namespace

std::size_t filter(const System& system, const double* X, const double* mean, const double* covariance, const Library& library,
                   const Filtered& out) {
    switch (system.s) {
        case 1: return widest<Pass<1>>(system, X, mean, covariance, library, out);
        case 2: return widest<Pass<2>>(system, X, mean, covariance, library, out);
        case 3: return widest<Pass<3>>(system, X, mean, covariance, library, out);
        case 4: return widest<Pass<4>>(system, X, mean, covariance, library, out);
        case 6: return widest<Pass<6>>(system, X, mean, covariance, library, out);
        default: return widest<Pass<0>>(system, X, mean, covariance, library, out);
    }
}

}  // namespace novum::kalman
