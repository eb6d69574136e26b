#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/simd.h"
#include "novum/sequence/kalman.h"
#include "novum/sequence/observed_cells.h"
#include "novum/sequence/rounding.h"
#include "novum/sequence/small_matrices.h"

namespace novum::kalman {

namespace {

const double LOG_2PI = std::log(2 * std::numbers::pi);
constexpr std::size_t MANY = 16;  // states whose steps take long enough to look at every one whether to stop

/// root = L sqrt(D) of a positive semidefinite matrix.
NOVUM_INLINE void root_of(std::size_t s, const double* matrix, std::vector<double>& work, std::vector<double>& diagonal, double* root) {
    std::memcpy(work.data(), matrix, s * s * sizeof(double));
    factor<0>(s, work.data(), diagonal.data());
    for (std::size_t i = 0; i < s; ++i)
        for (std::size_t j = 0; j < s; ++j) {
            const double scale = std::sqrt(work[j * s + j]);
            root[i * s + j] = j > i ? 0 : j == i ? scale : work[i * s + j] * scale;
        }
}

/// Reflections of the columns of W (s x width) that turn it into a lower triangle with the same W W'. What is left in row i of W is the
/// vector of its reflection from column i on; the triangle goes to `root` (s x s). A row of which the rows before leave nothing but
/// rounding has no reflection: scale[i] is 0, and so is its pivot, or what an exact observation has fixed would come back as noise.
/// The reflection is I - u u' scale with u = v / |v| of a size near one: no square is formed of what may under- or overflow.
NOVUM_INLINE void triangle(std::size_t s, std::size_t width, double* W, double* root, double* scale) {
    for (std::size_t i = 0; i < s; ++i) {
        scale[i] = 0;
        for (std::size_t k = 0; k < width; ++k) scale[i] = std::max(scale[i], std::abs(W[i * width + k]));
    }
    for (std::size_t i = 0; i < s; ++i) {
        double* v = W + i * width;
        double largest = 0, norm = 0;
        const double rounding = 4 * static_cast<double>(s) * EPS * scale[i];
        for (std::size_t k = i; k < width; ++k) largest = std::max(largest, std::abs(v[k]));
        scale[i] = 0;
        for (std::size_t j = 0; j < s; ++j) root[i * s + j] = j < i ? v[j] : 0;
        if (!(largest > rounding)) {
            std::fill(v + i, v + width, 0.0);
            continue;
        }
        for (std::size_t k = i; k < width; ++k) norm += (v[k] / largest) * (v[k] / largest);
        norm = std::sqrt(norm) * largest;
        const double value = v[i] > 0 ? -norm : norm;
        root[i * s + i] = value;
        v[i] -= value;
        for (std::size_t k = i; k < width; ++k) v[k] /= norm;
        scale[i] = 1 / std::abs(v[i]);
        for (std::size_t j = i + 1; j < s; ++j) {
            double *row = W + j * width, along = 0;
            for (std::size_t k = i; k < width; ++k) along += row[k] * v[k];
            along *= scale[i];
            for (std::size_t k = i; k < width; ++k) row[k] -= along * v[k];
        }
    }
}

/// B <- Theta B for the reflections that `triangle` left in W, [A S, Q^{1/2}] Theta = [S_next, 0]; B has `width` rows.
NOVUM_INLINE void reflect(std::size_t s, std::size_t width, const double* W, const double* scale, double* B, std::size_t columns,
                          double* along) {
    for (std::size_t i = s; i-- > 0;) {
        if (scale[i] == 0) continue;
        const double* v = W + i * width;
        std::fill(along, along + columns, 0.0);
        for (std::size_t k = i; k < width; ++k)
            for (std::size_t j = 0; j < columns; ++j) along[j] += v[k] * B[k * columns + j];
        for (std::size_t j = 0; j < columns; ++j) along[j] *= scale[i];
        for (std::size_t k = i; k < width; ++k)
            for (std::size_t j = 0; j < columns; ++j) B[k * columns + j] -= v[k] * along[j];
    }
}

/// Copy a block of s columns into W at `column`.
NOVUM_INLINE void place(std::size_t s, const double* block, double* W, std::size_t width, std::size_t column) {
    for (std::size_t i = 0; i < s; ++i) std::memcpy(W + i * width + column, block + i * s, s * sizeof(double));
}

/// Potter's update of m and S by the cells of a row, and what it was made of: w = gain[i] + (I - shrink[i] along[i] along[i]') w_next
/// leads from the coordinates after cell i to those before it, z = m + S w.
struct RowUpdate {
    std::vector<double> along, gain, shrink, K;  // p x s, p x s, p, s; shrink is 0 for a cell without information
    RowUpdate(std::size_t s, std::size_t p) : along(p * s), gain(p * s), shrink(p), K(s) {}

    /// Returns the log-density of the row. With `rounding` the doubts of the cells are written, without it those of the filter are read: a
    /// smoother passes over the cells without information.
    NOVUM_INLINE double apply(std::size_t s, ObservedCells& cells, const double* x, double* m, double* S, double* doubt,
                              Rounding* rounding) {
        const double* values = cells.transformed(x);
        double total = 0;
        for (std::size_t i = 0; i < cells.count(); ++i) {
            const double *c = cells.row(i), noise = cells.variance(i);
            double variance = noise, innovation = values[i], *phi = along.data() + i * s, *a_i = gain.data() + i * s;
            std::fill(phi, phi + s, 0.0);
            shrink[i] = 0;
            for (std::size_t a = 0; a < s; ++a) {
                innovation -= c[a] * m[a];
                if (c[a] != 0)
                    for (std::size_t b = 0; b < s; ++b) phi[b] += c[a] * S[a * s + b];
            }
            for (std::size_t b = 0; b < s; ++b) variance += phi[b] * phi[b];
            double reach = 0;
            if (rounding) {
                reach = rounding->reach(c, S);
                const double factor = rounding->of_factor(c), error = factor + rounding->of_mean(c, m, cells.magnitude(i));
                double& found = doubt[cells.cell(i)];
                found = std::sqrt(error / variance);
                if (noise == 0 && !(variance > Doubt::FAR * Doubt::FAR * factor)) {
                    const double off = std::abs(innovation), rounded = Doubt::FAR * std::sqrt(error);
                    found = off <= rounded                                        ? Doubt::REDUNDANT
                            : off <= Doubt::AGREES * (reach + cells.magnitude(i)) ? Doubt::DISAGREES
                                                                                  : Doubt::CONTRADICTS;
                    if (found == Doubt::CONTRADICTS) total = -std::numeric_limits<double>::infinity();
                    continue;
                }
            } else if (!(variance > 0) || (doubt && doubt[cells.cell(i)] < 0)) {
                continue;
            }
            shrink[i] = 1 / (variance + std::sqrt(noise * variance));
            for (std::size_t b = 0; b < s; ++b) a_i[b] = phi[b] / variance * innovation;
            for (std::size_t a = 0; a < s; ++a) {
                double sum = 0;
                for (std::size_t b = 0; b < s; ++b) sum += S[a * s + b] * phi[b];
                K[a] = sum / variance;
                m[a] += K[a] * innovation;
                for (std::size_t b = 0; b < s; ++b) S[a * s + b] -= shrink[i] * sum * phi[b];
            }
            if (rounding) {
                rounding->cell(c, K.data(), m, S, reach, cells.magnitude(i), innovation / std::sqrt(variance), variance);
                if (noise == 0)  // a row that an exact cell fixes is zero, not rounding
                    for (std::size_t a = 0; a < s; ++a)
                        if (rounding->is_nothing(S, a)) std::fill(S + a * s, S + a * s + s, 0.0);
            }
            total -= 0.5 * (LOG_2PI + std::log(variance) + innovation * innovation / variance);
        }
        return total;
    }

    /// The distribution N(mean, root root') of the coordinates after the row becomes that of the coordinates before it.
    NOVUM_INLINE void undo(std::size_t s, std::size_t count, double* mean, double* root, double* work) const {
        for (std::size_t i = count; i-- > 0;) {
            if (shrink[i] == 0) continue;
            const double *phi = along.data() + i * s, *a_i = gain.data() + i * s;
            double dot = 0;
            std::fill(work, work + s, 0.0);
            for (std::size_t a = 0; a < s; ++a) {
                dot += phi[a] * mean[a];
                for (std::size_t b = 0; b < s; ++b) work[b] += phi[a] * root[a * s + b];
            }
            for (std::size_t a = 0; a < s; ++a) {
                mean[a] += a_i[a] - shrink[i] * dot * phi[a];
                for (std::size_t b = 0; b < s; ++b) root[a * s + b] -= shrink[i] * phi[a] * work[b];
            }
        }
    }
};

struct FilterRoot {
    template <int BYTES>
    static NOVUM_INLINE void run(const System& system, const double* X, const double* mean, const double* start, const Filtered& out) {
        const std::size_t s = system.s, p = system.p, square = s * s;
        std::vector<double> m(mean, mean + s), next(s), S(start, start + square), Q(square), work(square), scale(s), W(2 * square);
        ObservedCells cells(system);
        RowUpdate update(s, p);
        std::optional<Rounding> rounding;
        if (out.doubt) rounding.emplace(s, out.start_error, mean, start);
        interrupt::Poller<1024> poller;
        const bool same_noise = system.observation.step == 0 && system.observation_covariance.step == 0;
        for (std::size_t t = 0; t < system.n; ++t) {
            poller.tick();
            if (s > MANY) interrupt::poll();
            const double *A = system.transition.at(t), *x = X + t * p;
            const bool fresh = cells.changed(x);
            if (fresh || !same_noise) cells.prepare(system.observation.at(t), system.observation_covariance.at(t));
            std::memcpy(out.predicted_mean + t * s, m.data(), s * sizeof(double));
            std::memcpy(out.predicted_covariance + t * square, S.data(), square * sizeof(double));
            double* doubt = out.doubt ? out.doubt + t * (p + 1) : nullptr;
            out.log_likelihood[t] = update.apply(s, cells, x, m.data(), S.data(), doubt, rounding ? &*rounding : nullptr);
            if (rounding) {
                doubt[p] = rounding->of_states(m.data(), S.data());
                rounding->step(A, system.offset.data ? system.offset.at(t) : nullptr, system.transition_covariance.at(t), m.data(),
                               S.data());
            }
            std::memcpy(out.mean + t * s, m.data(), s * sizeof(double));
            std::memcpy(out.covariance + t * square, S.data(), square * sizeof(double));
            if (t == 0 || system.transition_covariance.step) root_of(s, system.transition_covariance.at(t), work, scale, Q.data());
            times_vector<0>(s, A, m.data(), next.data());
            for (std::size_t i = 0; i < s; ++i) m[i] = next[i] + (system.offset.data ? system.offset.at(t)[i] : 0);
            product<0>(s, A, S.data(), work.data());
            place(s, work.data(), W.data(), 2 * s, 0);
            place(s, Q.data(), W.data(), 2 * s, s);
            triangle(s, 2 * s, W.data(), S.data(), scale.data());
        }
        std::memcpy(out.last_mean, m.data(), s * sizeof(double));
        std::memcpy(out.last_covariance, S.data(), square * sizeof(double));
    }
};

struct SmoothRoot {
    template <int BYTES>
    static NOVUM_INLINE void run(const System& system, const double* X, const Passed& in, const double* doubt, double* mean,
                                 double* covariance, double* lag_one, double* first_mean, double* first_root) {
        const std::size_t s = system.s, p = system.p, square = s * s, last = system.n - 1, twice = 2 * s;
        // (w, W): the distribution of w with z = m + S w, for the row at hand; Z = S W: a factor of the state's covariance.
        std::vector<double> w(twice, 0.0), W(square, 0.0), S(square), m(s), Q(square), work(square), scale(s), along(twice), Z(square),
            later(square), moved(2 * square), both(4 * square), flat(2 * square), half(square), row_doubt(p + 1);
        ObservedCells cells(system);
        RowUpdate update(s, p);
        interrupt::Poller<1024> poller;
        for (std::size_t i = 0; i < s; ++i) W[i * s + i] = 1;
        for (std::size_t t = system.n; t-- > 0;) {
            poller.tick();
            if (s > MANY) interrupt::poll();
            const double *A = system.transition.at(t), *V = in.covariance + t * square;
            if (t < last) {
                if (t + 1 == last || system.transition_covariance.step)
                    root_of(s, system.transition_covariance.at(t), work, scale, Q.data());
                product<0>(s, A, V, work.data());
                place(s, work.data(), moved.data(), twice, 0);
                place(s, Q.data(), moved.data(), twice, s);
                triangle(s, twice, moved.data(), work.data(), scale.data());
                std::fill(w.begin() + static_cast<std::ptrdiff_t>(s), w.end(), 0.0);
                reflect(s, twice, moved.data(), scale.data(), w.data(), 1, along.data());
                std::fill(both.begin(), both.end(), 0.0);
                place(s, W.data(), both.data(), twice, 0);
                for (std::size_t i = s; i < twice; ++i) both[i * twice + i] = 1;
                reflect(s, twice, moved.data(), scale.data(), both.data(), twice, along.data());
                if (lag_one) {
                    for (std::size_t i = 0; i < s; ++i) std::memcpy(half.data() + i * s, both.data() + i * twice, s * sizeof(double));
                    product<0>(s, V, half.data(), work.data());
                    product_transposed<0>(s, later.data(), work.data(), lag_one + t * square);
                }
                std::memcpy(flat.data(), both.data(), 2 * square * sizeof(double));  // the upper half: s x 2 s
                triangle(s, twice, flat.data(), W.data(), scale.data());
            }
            times_vector<0>(s, V, w.data(), mean + t * s);
            for (std::size_t i = 0; i < s; ++i) mean[t * s + i] += in.mean[t * s + i];
            product<0>(s, V, W.data(), Z.data());
            product_transposed<0>(s, Z.data(), Z.data(), covariance + t * square);
            later.swap(Z);
            const double* x = X + t * p;
            const bool fresh = cells.changed(x);
            if (fresh || system.observation.step || system.observation_covariance.step)
                cells.prepare(system.observation.at(t), system.observation_covariance.at(t));
            const double* P = in.predicted_covariance + t * square;
            std::memcpy(S.data(), P, square * sizeof(double));
            std::memcpy(m.data(), in.predicted_mean + t * s, s * sizeof(double));
            if (doubt) std::memcpy(row_doubt.data(), doubt + t * (p + 1), (p + 1) * sizeof(double));
            update.apply(s, cells, x, m.data(), S.data(), doubt ? row_doubt.data() : nullptr, nullptr);
            update.undo(s, cells.count(), w.data(), W.data(), work.data());
        }
        std::memcpy(first_mean, w.data(), s * sizeof(double));
        std::memcpy(first_root, W.data(), square * sizeof(double));
    }
};

}  // namespace

void filter_root(const System& system, const double* X, const double* mean, const double* root, const Filtered& out) {
    widest<FilterRoot>(system, X, mean, root, out);
}

void smooth_root(const System& system, const double* X, const Passed& passed, const double* doubt, double* mean, double* covariance,
                 double* lag_one, double* first_mean, double* first_root) {
    if (system.n > 0) widest<SmoothRoot>(system, X, passed, doubt, mean, covariance, lag_one, first_mean, first_root);
}

}  // namespace novum::kalman
