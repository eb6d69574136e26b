#include <cmath>
#include <cstring>
#include <vector>

#include "novum/runtime/interrupt.h"
#include "novum/runtime/simd.h"
#include "novum/sequence/kalman.h"
#include "novum/sequence/small_matrices.h"

namespace novum::kalman {

namespace {

constexpr std::size_t LARGE = 20;  // states from which a product is BLAS's
// Share of its variance that a state must keep given those before it: errors grow by the inverse. Large states pay more for factors.
constexpr double SAFE = 1e-2, SAFE_LARGE = 1e-5;

struct Buffers {
    std::vector<double> gain, turned, moved, factor, diagonal, rest, work, other, fixed, next, difference;
    explicit Buffers(std::size_t s)
        : gain(s * s),
          turned(s * s),
          moved(s * s),
          factor(s * s),
          diagonal(s),
          rest(s * s),
          work(s * s),
          other(s * s),
          fixed(s * s),
          next(s * s),
          difference(s) {}
};

/// out = A B, or A B' where `flipped`.
template <int S>
NOVUM_INLINE void multiply(std::size_t runtime, const Library& library, const double* A, const double* B, bool flipped, double* out,
                           double* spare) {
    const std::size_t s = size_of<S>(runtime);
    if (S > 0) {
        if (flipped)
            product_transposed<S>(s, A, B, out);
        else
            product<S>(s, A, B, out);
    } else if (s >= LARGE && library.gemm) {
        const int d = static_cast<int>(s);
        const double one = 1, zero = 0;
        library.gemm(flipped ? "T" : "N", "N", &d, &d, &d, &one, B, &d, A, &d, &zero, out, &d);
    } else if (flipped) {
        transpose<0>(s, B, spare);
        product<0>(s, A, spare, out);
    } else {
        product<0>(s, A, B, out);
    }
}

/// Whether a pivot is no small share of its diagonal; a state without any variance needs none.
NOVUM_INLINE bool sound(double pivot, double diagonal, double share) { return pivot > share * diagonal || diagonal == 0; }

/// gain = V A' P^{-1}, J of (7); moved = A V. Returns false if P is too near to singular.
template <int S>
NOVUM_INLINE bool gain(std::size_t runtime, const Library& library, const double* A, const double* V, const double* P, Buffers& b) {
    const std::size_t s = size_of<S>(runtime);
    multiply<S>(s, library, A, V, false, b.moved.data(), b.work.data());
    std::memcpy(b.factor.data(), P, s * s * sizeof(double));
    if (S == 0 && s >= LARGE && library.potrf && library.potrs) {
        const int d = static_cast<int>(s);
        int info = 0;
        library.potrf("L", &d, b.factor.data(), &d, &info);
        if (info != 0) return false;
        for (std::size_t j = 0; j < s; ++j)
            if (!sound(b.factor[j * s + j] * b.factor[j * s + j], P[j * s + j], SAFE_LARGE)) return false;
        transpose<0>(s, b.moved.data(), b.gain.data());  // rows are Fortran's columns: what comes back is J as it is
        library.potrs("L", &d, &d, b.factor.data(), &d, b.gain.data(), &d, &info);
        return true;
    }
    std::memcpy(b.turned.data(), b.moved.data(), s * s * sizeof(double));
    factor<S>(s, b.factor.data(), b.diagonal.data());
    for (std::size_t j = 0; j < s; ++j)
        if (!sound(b.factor[j * s + j], b.diagonal[j], s < LARGE ? SAFE : SAFE_LARGE)) return false;
    solve<S>(s, b.factor.data(), b.turned.data());
    transpose<S>(s, b.turned.data(), b.gain.data());
    return true;
}

/// fixed = (I - J A) V (I - J A)' + J Q J': what the later rows cannot remove.
template <int S>
NOVUM_INLINE void fixed_part(std::size_t runtime, const Library& library, const double* A, const double* V, const double* Q, Buffers& b) {
    const std::size_t s = size_of<S>(runtime);
    multiply<S>(s, library, b.gain.data(), A, false, b.rest.data(), b.work.data());
    for (std::size_t i = 0; i < s * s; ++i) b.rest[i] = -b.rest[i];
    for (std::size_t i = 0; i < s; ++i) b.rest[i * s + i] += 1;
    multiply<S>(s, library, b.rest.data(), V, false, b.other.data(), b.work.data());
    multiply<S>(s, library, b.other.data(), b.rest.data(), true, b.fixed.data(), b.work.data());
    multiply<S>(s, library, b.gain.data(), Q, false, b.other.data(), b.work.data());
    multiply<S>(s, library, b.other.data(), b.gain.data(), true, b.rest.data(), b.work.data());
    for (std::size_t i = 0; i < s * s; ++i) b.fixed[i] += b.rest[i];
}

template <int S>
struct Pass {
    template <int BYTES>
    static NOVUM_INLINE bool run(const System& system, const Passed& in, const Library& library, double* mean, double* covariance,
                                 double* lag_one) {
        const std::size_t s = size_of<S>(system.s), square = s * s, bytes = square * sizeof(double);
        Buffers b(s);
        interrupt::Poller<1024> poller;
        const bool constant = system.transition.step == 0 && system.transition_covariance.step == 0;
        // Large states: V^ = V + J (V^_next - P) J', the same in exact arithmetic at half the products of the form that stays positive.
        const bool plain = S == 0 && s >= LARGE && library.gemm;
        std::memcpy(mean + (system.n - 1) * s, in.mean + (system.n - 1) * s, s * sizeof(double));
        std::memcpy(covariance + (system.n - 1) * square, in.covariance + (system.n - 1) * square, bytes);
        bool known = false, frozen = false;
        for (std::size_t t = system.n - 1; t-- > 0;) {
            poller.tick();
            if (s > LARGE) interrupt::poll();
            const double *A = system.transition.at(t), *V = in.covariance + t * square, *P = in.predicted_covariance + (t + 1) * square;
            const bool same = known && constant && std::memcmp(V, V + square, bytes) == 0 && std::memcmp(P, P + square, bytes) == 0;
            if (!same) {
                if (!gain<S>(s, library, A, V, P, b)) return false;
                if (!plain) fixed_part<S>(s, library, A, V, system.transition_covariance.at(t), b);
            }
            known = true;
            const double* later = covariance + (t + 1) * square;
            double* here = covariance + t * square;
            for (std::size_t i = 0; i < s; ++i) b.difference[i] = mean[(t + 1) * s + i] - in.predicted_mean[(t + 1) * s + i];
            times_vector<S>(s, b.gain.data(), b.difference.data(), mean + t * s);
            for (std::size_t i = 0; i < s; ++i) mean[t * s + i] += in.mean[t * s + i];
            if (same && frozen) {
                std::memcpy(here, later, bytes);
                if (lag_one) std::memcpy(lag_one + t * square, lag_one + (t + 1) * square, bytes);
                continue;
            }
            if (plain) {
                for (std::size_t i = 0; i < square; ++i) b.rest[i] = later[i] - P[i];
                multiply<S>(s, library, b.rest.data(), b.gain.data(), true, b.other.data(), b.work.data());
                multiply<S>(s, library, b.gain.data(), b.other.data(), false, here, b.work.data());
                for (std::size_t i = 0; i < square; ++i) here[i] += V[i];
                symmetrize<S>(s, here);
                if (lag_one)  // (V^ - P) J' + P J', and P J' = A V
                    for (std::size_t i = 0; i < square; ++i) lag_one[t * square + i] = b.other[i] + b.moved[i];
                frozen = same && settled<S>(s, here, later);
                continue;
            }
            multiply<S>(s, library, later, b.gain.data(), true, b.other.data(), b.work.data());  // cov(z[t+1], z[t]), (8)
            multiply<S>(s, library, b.gain.data(), b.other.data(), false, here, b.work.data());
            for (std::size_t i = 0; i < square; ++i) here[i] += b.fixed[i];
            symmetrize<S>(s, here);
            if (lag_one) std::memcpy(lag_one + t * square, b.other.data(), bytes);
            frozen = same && settled<S>(s, here, later);
        }
        return true;
    }
};

}  // namespace

bool smooth(const System& system, const Passed& passed, const Library& library, double* mean, double* covariance, double* lag_one) {
    if (system.n == 0) return true;
    switch (system.s) {
        case 1: return widest<Pass<1>>(system, passed, library, mean, covariance, lag_one);
        case 2: return widest<Pass<2>>(system, passed, library, mean, covariance, lag_one);
        case 3: return widest<Pass<3>>(system, passed, library, mean, covariance, lag_one);
        case 4: return widest<Pass<4>>(system, passed, library, mean, covariance, lag_one);
        case 6: return widest<Pass<6>>(system, passed, library, mean, covariance, lag_one);
        default: return widest<Pass<0>>(system, passed, library, mean, covariance, lag_one);
    }
}

}  // namespace novum::kalman
