#include <algorithm>
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

/// Turn W (s x width) into a lower triangle with the same W W', by reflections of its columns; it is copied to `root` (s x s).
NOVUM_INLINE void triangle(std::size_t s, std::size_t width, double* W, double* root) {
    for (std::size_t i = 0; i < s; ++i) {
        double* v = W + i * width;
        double largest = 0, norm = 0;
        for (std::size_t k = i; k < width; ++k) largest = std::max(largest, std::abs(v[k]));
        if (largest == 0) continue;
        for (std::size_t k = i; k < width; ++k) norm += (v[k] / largest) * (v[k] / largest);
        norm = std::sqrt(norm) * largest;
        const double head = v[i] > 0 ? v[i] + norm : v[i] - norm, value = v[i] > 0 ? -norm : norm;
        // The reflection is I - u u' / (norm |head|) with u = (head, rest of v): no square is formed of what may under- or overflow.
        for (std::size_t j = i + 1; j < s; ++j) {
            double* row = W + j * width;
            double along = row[i] * (head / norm);
            for (std::size_t k = i + 1; k < width; ++k) along += row[k] * (v[k] / norm);
            along /= std::abs(head);
            row[i] -= along * head;
            for (std::size_t k = i + 1; k < width; ++k) row[k] -= along * v[k];
        }
        v[i] = value;
        for (std::size_t k = i + 1; k < width; ++k) v[k] = 0;
    }
    for (std::size_t i = 0; i < s; ++i)
        for (std::size_t j = 0; j < s; ++j) root[i * s + j] = j > i ? 0 : W[i * width + j];
}

/// Copy a block of s columns into W at `column`.
NOVUM_INLINE void place(std::size_t s, const double* block, double* W, std::size_t width, std::size_t column) {
    for (std::size_t i = 0; i < s; ++i) std::memcpy(W + i * width + column, block + i * s, s * sizeof(double));
}

struct FilterRoot {
    template <int BYTES>
    static NOVUM_INLINE void run(const System& system, const double* X, const double* mean, const double* covariance, const Filtered& out) {
        const std::size_t s = system.s, p = system.p, square = s * s;
        std::vector<double> m(mean, mean + s), next(s), S(square), Q(square), work(square), diagonal(s), along(s), column(s), W(2 * square);
        ObservedCells cells(system);
        interrupt::Now<1024> now;
        root_of(s, covariance, work, diagonal, S.data());
        const bool same_noise = system.observation.step == 0 && system.observation_covariance.step == 0;
        for (std::size_t t = 0; t < system.n; ++t) {
            now.and_then();
            if (s > MANY) interrupt::poll();
            const double *A = system.transition.at(t), *x = X + t * p;
            const bool fresh = cells.changed(x);
            if (fresh || !same_noise) cells.prepare(system.observation.at(t), system.observation_covariance.at(t));
            std::memcpy(out.predicted_mean + t * s, m.data(), s * sizeof(double));
            std::memcpy(out.predicted_covariance + t * square, S.data(), square * sizeof(double));
            const double* values = cells.transformed(x);
            double total = 0;
            for (std::size_t i = 0; i < cells.count(); ++i) {  // Potter's update, a cell at a time
                const double *c = cells.row(i), noise = cells.variance(i);
                double variance = noise, innovation = values[i], before = 0;
                std::fill(along.begin(), along.end(), 0.0);
                for (std::size_t a = 0; a < s; ++a) {
                    innovation -= c[a] * m[a];
                    if (c[a] != 0)
                        for (std::size_t b = 0; b < s; ++b) along[b] += c[a] * S[a * s + b];
                }
                for (std::size_t b = 0; b < s; ++b) variance += along[b] * along[b];
                if (noise == 0) {
                    const double* P = out.predicted_covariance + t * square;
                    for (std::size_t b = 0; b < s; ++b) {
                        double sum = 0;
                        for (std::size_t a = 0; a < s; ++a) sum += c[a] * P[a * s + b];
                        before += sum * sum;
                    }
                    if (!(variance > Exact::NOTHING * Exact::NOTHING * before)) {
                        if (Exact::contradicts(innovation, values[i], before)) total = -std::numeric_limits<double>::infinity();
                        continue;
                    }
                }
                const double shrink = 1 / (variance + std::sqrt(noise * variance));
                for (std::size_t a = 0; a < s; ++a) {
                    double sum = 0;
                    for (std::size_t b = 0; b < s; ++b) sum += S[a * s + b] * along[b];
                    m[a] += sum / variance * innovation;
                    for (std::size_t b = 0; b < s; ++b) S[a * s + b] -= shrink * sum * along[b];
                }
                total -= 0.5 * (LOG_2PI + std::log(variance) + innovation * innovation / variance);
            }
            out.log_likelihood[t] = total;
            std::memcpy(out.mean + t * s, m.data(), s * sizeof(double));
            std::memcpy(out.covariance + t * square, S.data(), square * sizeof(double));
            if (t == 0 || system.transition_covariance.step) root_of(s, system.transition_covariance.at(t), work, diagonal, Q.data());
            times_vector<0>(s, A, m.data(), next.data());
            for (std::size_t i = 0; i < s; ++i) m[i] = next[i] + (system.offset.data ? system.offset.at(t)[i] : 0);
            product<0>(s, A, S.data(), work.data());
            place(s, work.data(), W.data(), 2 * s, 0);
            place(s, Q.data(), W.data(), 2 * s, s);
            triangle(s, 2 * s, W.data(), S.data());
        }
        std::memcpy(out.last_mean, m.data(), s * sizeof(double));
        std::memcpy(out.last_covariance, S.data(), square * sizeof(double));
    }
};

/// B <- L^{-1} B and, where `again`, L'^{-1} of that; a pivot that is rounding noise beside its row counts as zero.
NOVUM_INLINE void solve_triangle(std::size_t s, const double* L, double* B) {
    std::vector<double> inverse(s);
    for (std::size_t i = 0; i < s; ++i) {
        double row = 0;
        for (std::size_t k = 0; k <= i; ++k) row += std::abs(L[i * s + k]);
        inverse[i] = std::abs(L[i * s + i]) > 8 * static_cast<double>(s) * EPS * row ? 1 / L[i * s + i] : 0;
    }
    for (std::size_t i = 0; i < s; ++i) {
        for (std::size_t k = 0; k < i; ++k)
            for (std::size_t j = 0; j < s; ++j) B[i * s + j] -= L[i * s + k] * B[k * s + j];
        for (std::size_t j = 0; j < s; ++j) B[i * s + j] *= inverse[i];
    }
    for (std::size_t i = s; i-- > 0;) {
        for (std::size_t k = i + 1; k < s; ++k)
            for (std::size_t j = 0; j < s; ++j) B[i * s + j] -= L[k * s + i] * B[k * s + j];
        for (std::size_t j = 0; j < s; ++j) B[i * s + j] *= inverse[i];
    }
}

struct SmoothRoot {
    template <int BYTES>
    static NOVUM_INLINE void run(const System& system, const Passed& in, double* mean, double* roots, double* lag_one) {
        const std::size_t s = system.s, square = s * s, last = system.n - 1;
        std::vector<double> turned(square), J(square), half(square), rest(square), Q(square), work(square), diagonal(s), difference(s);
        std::vector<double> W(3 * square);
        interrupt::Now<1024> now;
        std::memcpy(mean + last * s, in.mean + last * s, s * sizeof(double));
        std::memcpy(roots + last * square, in.covariance + last * square, square * sizeof(double));
        for (std::size_t t = last; t-- > 0;) {
            now.and_then();
            if (s > MANY) interrupt::poll();
            const double *A = system.transition.at(t), *V = in.covariance + t * square, *P = in.predicted_covariance + (t + 1) * square;
            product<0>(s, A, V, half.data());
            solve_triangle(s, P, half.data());                        // P^{-1} A S
            product_transposed<0>(s, half.data(), V, turned.data());  // P^{-1} A S S' = J'
            transpose<0>(s, turned.data(), J.data());
            for (std::size_t i = 0; i < s; ++i) difference[i] = mean[(t + 1) * s + i] - in.predicted_mean[(t + 1) * s + i];
            times_vector<0>(s, J.data(), difference.data(), mean + t * s);
            for (std::size_t i = 0; i < s; ++i) mean[t * s + i] += in.mean[t * s + i];
            product<0>(s, J.data(), A, rest.data());
            for (std::size_t i = 0; i < square; ++i) rest[i] = -rest[i];
            for (std::size_t i = 0; i < s; ++i) rest[i * s + i] += 1;
            product<0>(s, rest.data(), V, half.data());
            place(s, half.data(), W.data(), 3 * s, 0);
            if (t + 1 == last || system.transition_covariance.step)
                root_of(s, system.transition_covariance.at(t), work, diagonal, Q.data());
            product<0>(s, J.data(), Q.data(), half.data());
            place(s, half.data(), W.data(), 3 * s, s);
            const double* later = roots + (t + 1) * square;
            product<0>(s, J.data(), later, half.data());
            place(s, half.data(), W.data(), 3 * s, 2 * s);
            if (lag_one) product_transposed<0>(s, later, half.data(), lag_one + t * square);
            triangle(s, 3 * s, W.data(), roots + t * square);
        }
    }
};

}  // namespace

void filter_root(const System& system, const double* X, const double* mean, const double* covariance, const Filtered& out) {
    widest<FilterRoot>(system, X, mean, covariance, out);
}

void smooth_root(const System& system, const Passed& passed, double* mean, double* covariance, double* lag_one) {
    if (system.n > 0) widest<SmoothRoot>(system, passed, mean, covariance, lag_one);
}

}  // namespace novum::kalman
