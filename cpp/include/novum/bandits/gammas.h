// Gamma distributions drawn side by side: eight generators in step, (1) to (3) of generator.h for whole vectors.
//
// Nearly all draws end at the first test of Marsaglia and Tsang with a normal from the inner part of its box; a lane that does not is
// finished alone, from the same bits, so that the distribution is exact. O(1) a draw.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "novum/bandits/generator.h"
#include "novum/runtime/simd.h"

namespace novum::bandits {

class Gammas {
  public:
    static constexpr std::size_t LANES = 8;

    explicit Gammas(std::size_t n)
        : n(n), width((n + LANES - 1) / LANES * LANES), d(width, 1.0), c(width, 0.0), power(width, 0.0), x(width) {}

    void set(std::size_t k, double shape) {
        const Gamma one(shape);
        d[k] = one.d;
        c[k] = one.c;
        power[k] = one.power;
        corrected = corrected || one.power > 0;
    }

    /// Draw from all of them once; the result stays valid until the next call.
    const double* draw(Generator& g) {
        if (!seeded) seed(g);
        for (std::size_t first = 0; first < width; first += LANES) {
            alignas(64) std::uint64_t for_normal[LANES], for_test[LANES];
            const unsigned late = quick(first, for_normal, for_test);
            if (late)
                for (std::size_t l = 0; l < LANES; ++l)
                    if (late >> l & 1) x[first + l] = g.gamma_from(for_normal[l], for_test[l], d[first + l], c[first + l]);
        }
        if (corrected)
            for (std::size_t k = 0; k < n; ++k)
                if (power[k] > 0) x[k] *= std::pow(rng::open_uniform(g.bits()), power[k]);
        return x.data();
    }

  private:
    std::size_t n, width;
    std::vector<double> d, c, power, x;
    alignas(64) std::uint64_t word[4][LANES] = {};
    bool seeded = false, corrected = false;

    void seed(Generator& g) {
        for (auto& row : word)
            for (std::uint64_t& each : row) each = g.bits();
        for (std::uint64_t& each : word[3]) each |= 1;  // never all zero
        seeded = true;
    }

    /// Draw one vector; return which lanes are not finished.
    unsigned quick(std::size_t first, std::uint64_t* for_normal, std::uint64_t* for_test);
};

}  // namespace novum::bandits
