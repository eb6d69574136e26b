// Up to eight states in the lanes of one vector: the recursions of small hidden Markov models, unrolled.
#pragma once
#include <type_traits>
#include <utility>

#include "novum/sequence/chain.h"

namespace novum::sequence {

template <int K>
struct States {
    static constexpr int LANES = K <= 2 ? 2 : K <= 4 ? 4 : 8, BYTES = LANES * 8;
    using V = typename Doubles<K <= 2 ? 16 : K <= 4 ? 32 : 64>::V;

    /// LANES numbers; those beyond K may be anything finite.
    static NOVUM_INLINE V load(const double* from) {
        V v;
        std::memcpy(&v, from, sizeof v);
        return v;
    }
    /// K numbers, and zeros: reads nothing beyond them.
    static NOVUM_INLINE V load_exact(const double* from) {
        V v{};
        std::memcpy(&v, from, K * sizeof(double));
        return v;
    }
    static NOVUM_INLINE void store(double* to, V v) { std::memcpy(to, &v, K * sizeof(double)); }
    static NOVUM_INLINE void store_padded(double* to, V v) { std::memcpy(to, &v, sizeof v); }
    static NOVUM_INLINE V splat(double x) { return V{} + x; }

    template <int I_, int... J>
    static NOVUM_INLINE V broadcast(V v, std::integer_sequence<int, J...>) {
        return __builtin_shufflevector(v, v, (J * 0 + I_)...);
    }
    /// Lane I_ in every lane.
    template <int I_>
    static NOVUM_INLINE V lane(V v) {
        return broadcast<I_>(v, std::make_integer_sequence<int, LANES>{});
    }

    template <int I_>
    static NOVUM_INLINE void add_terms(V x, const V* m, V& even, V& odd) {
        if constexpr (I_ < K) {
            (I_ % 2 ? odd : even) += lane<I_>(x) * m[I_];
            add_terms<I_ + 1>(x, m, even, odd);
        }
    }
    /// sum_i x_i m_i.
    static NOVUM_INLINE V combine(V x, const V* m) {
        V even{}, odd{};
        add_terms<0>(x, m, even, odd);
        return K > 1 ? even + odd : even;
    }

    template <int I_ = 0>
    static NOVUM_INLINE void add_outer(V x, V y, V* to) {
        if constexpr (I_ < K) {
            to[I_] += lane<I_>(x) * y;
            add_outer<I_ + 1>(x, y, to);
        }
    }

    static NOVUM_INLINE double sum(V v) { return sum_of<BYTES>(v); }
    static NOVUM_INLINE double least(V v) { return min_of<BYTES>(v); }
};

/// Call `body` with the number of states, 1 to 8, as a constant.
template <class Body>
auto by_states(std::size_t k, Body&& body) {
    switch (k) {
        case 1: return body(std::integral_constant<int, 1>{});
        case 2: return body(std::integral_constant<int, 2>{});
        case 3: return body(std::integral_constant<int, 3>{});
        case 4: return body(std::integral_constant<int, 4>{});
        case 5: return body(std::integral_constant<int, 5>{});
        case 6: return body(std::integral_constant<int, 6>{});
        case 7: return body(std::integral_constant<int, 7>{});
        default: return body(std::integral_constant<int, 8>{});
    }
}

}  // namespace novum::sequence
