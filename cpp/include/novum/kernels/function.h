// Kernels that are functions of a dot product and two norms, for whole vectors of pairs.
//
//   linear      k = x'z                                  (1)
//   polynomial  k = (g x'z + c)^m                        (2)
//   Gaussian    k = exp(-g |x - z|^2),  |x - z|^2 = |x|^2 + |z|^2 - 2 x'z      (3)
//   sigmoid     k = tanh(g x'z + c)                      (4)
#pragma once
#include "novum/runtime/vector_math.h"

namespace novum::kernels {

enum class Kind { linear, polynomial, gaussian, sigmoid };

struct Function {
    Kind kind;
    double gamma, offset;
    int degree;
};

/// u^m by squaring.
template <class V>
NOVUM_INLINE V power(V u, int m) {
    V out = V{} + 1.0;
    for (; m > 0; m >>= 1, u *= u)
        if (m & 1) out *= u;
    return out;
}

/// (1) to (4) of `dot` = x'z, `near` = |x|^2 and `far` = |z|^2; to single precision where `BRIEF`.
template <Kind KIND, int BYTES, bool BRIEF = false>
NOVUM_INLINE typename Doubles<BYTES>::V value(const Function& f, typename Doubles<BYTES>::V dot, typename Doubles<BYTES>::V near,
                                              typename Doubles<BYTES>::V far) {
    using V = typename Doubles<BYTES>::V;
    if constexpr (KIND == Kind::linear) return dot;
    if constexpr (KIND == Kind::polynomial) return power<V>(f.gamma * dot + f.offset, f.degree);
    if constexpr (KIND == Kind::gaussian) {
        const V square = near + far - 2.0 * dot, t = -f.gamma * square;
        return exp_nonpositive<BYTES, BRIEF ? 8 : 13>(t > 0.0 ? V{} : t);  // rounding may leave a square below zero
    }
    const V u = f.gamma * dot + f.offset, e = exp_nonpositive<BYTES, BRIEF ? 8 : 13>(-2.0 * (u < 0.0 ? -u : u)), t = (1.0 - e) / (1.0 + e);
    return u < 0.0 ? -t : t;
}

}  // namespace novum::kernels
