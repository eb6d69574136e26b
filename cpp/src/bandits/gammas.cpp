#include "novum/bandits/gammas.h"

#include <cmath>
#include <cstring>

namespace novum::bandits {

namespace {

constexpr std::size_t LANES = Gammas::LANES;

struct Lanes {
    alignas(64) std::uint64_t word[4][LANES];
};

NOVUM_INLINE void step(Lanes& state, std::uint64_t* __restrict out) {
    for (std::size_t l = 0; l < LANES; ++l) {
        const std::uint64_t a = state.word[0][l], b = state.word[1][l], sum = a + state.word[3][l];
        const std::uint64_t e = state.word[2][l] ^ a, f = state.word[3][l] ^ b;
        out[l] = ((sum << 23) | (sum >> 41)) + a;
        state.word[1][l] = b ^ e;
        state.word[0][l] = a ^ f;
        state.word[2][l] = e ^ (b << 17);
        state.word[3][l] = (f << 45) | (f >> 19);
    }
}

// The steps of a vector stand in loops of their own: where the tables are read no vectors are made, and elsewhere nothing keeps them away.
NOVUM_CLONES unsigned draw_vector(std::uint64_t (*word)[LANES], const double* __restrict d, const double* __restrict c,
                                  double* __restrict x, std::uint64_t* __restrict for_normal, std::uint64_t* __restrict for_test) {
    Lanes state;
    std::memcpy(state.word, word, sizeof state.word);
    step(state, for_normal);
    step(state, for_test);
    std::memcpy(word, state.word, sizeof state.word);
    alignas(64) double edge[LANES], ratio[LANES], late[LANES];
    for (std::size_t l = 0; l < LANES; ++l) {
        const std::size_t box = for_normal[l] & (BOXES - 1);
        edge[l] = boxes.edge[box];
        ratio[l] = boxes.ratio[box];
    }
    for (std::size_t l = 0; l < LANES; ++l) {
        const double u = 2 * rng::uniform<double>(for_normal[l]) - 1;
        const double z = u * edge[l], root = 1 + c[l] * z, squared = z * z;
        x[l] = d[l] * (root * root * root);
        const double outside = std::fabs(u) < ratio[l] ? 0.0 : 1.0, failed = root > 0 ? 0.0 : 1.0;
        late[l] = outside + failed + (rng::open_uniform(for_test[l]) < 1 - SQUEEZE * c[l] * c[l] * squared * squared ? 0.0 : 1.0);
    }
    double any = 0;
    for (std::size_t l = 0; l < LANES; ++l) any += late[l];
    if (any == 0) return 0;
    unsigned mask = 0;
    for (std::size_t l = 0; l < LANES; ++l) mask |= static_cast<unsigned>(late[l] > 0) << l;
    return mask;
}

}  // namespace

unsigned Gammas::quick(std::size_t first, std::uint64_t* for_normal, std::uint64_t* for_test) {
    return draw_vector(word, d.data() + first, c.data() + first, x.data() + first, for_normal, for_test);
}

}  // namespace novum::bandits
