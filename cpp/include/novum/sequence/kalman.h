// Linear dynamical systems: z[t+1] = A z[t] + b + N(0, Q), x[t] = C z[t] + N(0, R). docs/theory/linear_dynamical_systems.md, eq. (1) to
// (9).
#pragma once
#include <cstddef>

namespace novum::kalman {

/// Fortran's routines for large states, or null: then every product is done here.
struct Library {
    void (*gemm)(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*, const double*,
                 const int*, const double*, double*, const int*) = nullptr;
    void (*potrf)(const char*, const int*, double*, const int*, int*) = nullptr;
    void (*potrs)(const char*, const int*, const int*, const double*, const int*, double*, const int*, int*) = nullptr;
};

/// A matrix of every step, or one for all: `step` is 0 then.
struct Series {
    const double* data;
    std::size_t step;
    const double* at(std::size_t t) const { return data + t * step; }
};

/// `n` steps of `p` cells and a state of size `s`. Entry t of A, Q and b leads from t to t + 1.
struct System {
    std::size_t n, p, s;
    Series transition, transition_covariance, offset;  // offset.data may be null
    Series observation, observation_covariance;
};

/// Where a pass over the data writes; null pointers are left out. Means n x s, covariances n x s x s.
struct Filtered {
    double *predicted_mean, *predicted_covariance, *mean, *covariance;
    double* log_likelihood;  // (n): of every row given those before
    double* last_mean;       // (s): prediction for row n
    double* last_covariance;
    double* doubt = nullptr;              // filter_root, n x (p + 1), or null: what rounding may have done, `rounding.h`
    const double* start_error = nullptr;  // 2 x s x s: covariances of the errors of the first factor's rows and of the first mean
};

/// Filter rows X (n x p, NaN: not observed) from the distribution N(mean, covariance) of the first state, cell by cell (4) to (6). With
/// constant matrices the gains are kept once the covariance no longer changes; returns the first row at which they were (n: never).
/// O(p s^2 + s^3) a row, O(p s + s^2) once they are kept.
std::size_t filter(const System& system, const double* X, const double* mean, const double* covariance, const Library& library,
                   const Filtered& out);

/// The same with factors S of the covariances, P = S S', from a factor of the first: never indefinite, whatever the conditioning (9). The
/// factors are written where the covariances would be; those of predictions are lower triangles.
void filter_root(const System& system, const double* X, const double* mean, const double* root, const Filtered& out);

/// What the smoother reads, all of them n x s or n x s x s.
struct Passed {
    const double *predicted_mean, *predicted_covariance, *mean, *covariance;
};

/// Rauch, Tung and Striebel's pass (7), (8): means and covariances given all rows; if `lag_one` is not null also
/// cov(z[t+1], z[t]) ((n - 1) x s x s). O(s^3) a row. Returns false, with nothing to be used, where a predicted covariance is too near to
/// singular for its inverse: then `smooth_root` does without.
bool smooth(const System& system, const Passed& passed, const Library& library, double* mean, double* covariance, double* lag_one);

/// The same from the factors that `filter_root` wrote, by reflections alone: nothing is inverted or subtracted (9a), (9b). Also the
/// distribution of the first row's coordinates w, z = m + S w with m and S predicted: its mean (s) and a factor of its covariance (s x s).
/// `doubt` is what the filter wrote, or null.
void smooth_root(const System& system, const double* X, const Passed& passed, const double* doubt, double* mean, double* covariance,
                 double* lag_one, double* first_mean, double* first_root);

}  // namespace novum::kalman
