// The two passes over all points that a step of sequential minimal optimisation takes: moving the slopes, with their extremes, and
// choosing the partner of the point that violates most. (3) and (4) are those of smo.h.
#pragma once
#include "novum/runtime/panels.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace novum::svm {

inline constexpr double INFINITE = std::numeric_limits<double>::infinity();
inline constexpr float NO = std::numeric_limits<float>::infinity();
inline constexpr double FLAT = 1e-12;  // curvature of a pair that is no curvature

struct Extremes {
    double least, most;           // f over what may rise, and over what may fall
    std::size_t rising, falling;  // where
};

// f += d (K_i - K_j), and the extremes of (3) afterwards. Lengths are multiples of 16.
template <class Real>
struct Update {
    template <int BYTES>
    static NOVUM_INLINE Extremes run(std::size_t count, const Real* ki, const Real* kj, double d, double* f, float* brief,
                                     const float* bar_up, const float* bar_low) {
        using S = panel::Simd<double, BYTES>;
        constexpr std::size_t L = S::LANES;
        using V = typename S::V;
        using I = typename S::I;
        typedef float F __attribute__((vector_size(BYTES / 2)));
        typedef Real K __attribute__((vector_size(BYTES / 8 * sizeof(Real))));
        V least = V{} + INFINITE, most = V{} - INFINITE;
        I rising{}, falling{}, here;
        for (std::size_t l = 0; l < L; ++l) here[l] = static_cast<std::int64_t>(l);
        for (std::size_t t = 0; t < count; t += L, here += static_cast<std::int64_t>(L)) {
            K a, b;
            F up, low;
            std::memcpy(&a, ki + t, sizeof a);
            std::memcpy(&b, kj + t, sizeof b);
            std::memcpy(&up, bar_up + t, sizeof up);
            std::memcpy(&low, bar_low + t, sizeof low);
            const V moved = S::load(f + t) + d * (__builtin_convertvector(a, V) - __builtin_convertvector(b, V));
            S::store(f + t, moved);
            const F cut = __builtin_convertvector(moved, F);
            std::memcpy(brief + t, &cut, sizeof cut);
            const V u = moved + __builtin_convertvector(up, V), w = moved - __builtin_convertvector(low, V);
            // Comparisons stand where they select: GCC takes a mask that is kept apart, lane by lane.
            rising = u < least ? here : rising;
            least = u < least ? u : least;
            falling = w > most ? here : falling;
            most = w > most ? w : most;
        }
        Extremes out{INFINITE, -INFINITE, 0, 0};
        for (std::size_t l = 0; l < L; ++l) {
            const auto at = static_cast<std::size_t>(rising[l]), to = static_cast<std::size_t>(falling[l]);
            if (least[l] < out.least || (least[l] == out.least && at < out.rising)) out.least = least[l], out.rising = at;
            if (most[l] > out.most || (most[l] == out.most && to < out.falling)) out.most = most[l], out.falling = to;
        }
        return out;
    }
};

struct Partner {
    float gain;
    std::size_t at;
};

// A vector of floats from a row of either kind.
template <class V, int BYTES>
NOVUM_INLINE V row(const float* from) {
    V v;
    std::memcpy(&v, from, sizeof v);
    return v;
}
template <class V, int BYTES>
NOVUM_INLINE V row(const double* from) {
    typedef double Wide __attribute__((vector_size(2 * BYTES)));
    Wide v;
    std::memcpy(&v, from, sizeof v);
    return __builtin_convertvector(v, V);
}

// The partner j of (4), in single precision: which pair moves need not be known to more digits.
template <class Real>
struct Choose {
    template <int BYTES>
    static NOVUM_INLINE Partner run(std::size_t count, const Real* ki, float fi, float kii, const float* brief, const float* diagonal,
                                    const float* bar_low) {
        using S = panel::Simd<float, BYTES>;
        constexpr std::size_t L = S::LANES;
        using V = typename S::V;
        using I = typename S::I;
        V best = V{} - NO;
        I where{}, here;
        for (std::size_t l = 0; l < L; ++l) here[l] = static_cast<std::int32_t>(l);
        for (std::size_t t = 0; t < count; t += L, here += static_cast<std::int32_t>(L)) {
            const V rise = S::load(brief + t) - fi - S::load(bar_low + t);
            const V bend = kii + S::load(diagonal + t) - 2.0f * row<V, BYTES>(ki + t);
            const V floor = V{} + static_cast<float>(FLAT);
            const V square = rise > V{} ? rise * rise : V{} - NO;
            const V gain = square / (bend > floor ? bend : floor);
            where = gain > best ? here : where;
            best = gain > best ? gain : best;
        }
        Partner out{-NO, 0};
        for (std::size_t l = 0; l < L; ++l) {
            const auto at = static_cast<std::size_t>(where[l]);
            if (best[l] > out.gain || (best[l] == out.gain && at < out.at)) out = {best[l], at};
        }
        return out;
    }
};

}  // namespace novum::svm
