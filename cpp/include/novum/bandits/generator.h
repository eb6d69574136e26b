// Random numbers of one simulated run: a small fast state, seeded by Philox from (seed, policy, run), so that no run knows of another.
//
//     bits      xoshiro256++ (Blackman and Vigna 2021), its four words from two Philox blocks                              (1)
//     normal    128 boxes of equal area (Marsaglia and Tsang 2000, in Doornik's form of 2005: box and place from own bits)  (2)
//     gamma     d v, v = (1 + z / sqrt(9 d))^3, d = shape - 1/3, accepted by Marsaglia and Tsang's test (2000)              (3)
//     beta      X / (X + Y), X and Y gamma                                                                                  (4)
#pragma once
#include <array>
#include <cmath>
#include <cstdint>

#include "novum/runtime/rng.h"

namespace novum::bandits {

inline constexpr int BOXES = 128;
inline constexpr double TAIL = 3.442619855899;           // where the last box ends
inline constexpr double BOX_AREA = 9.91256303526217e-3;  // of every box under exp(-x^2 / 2)

// Marsaglia and Tsang accept u < 1 - 0.0331 z^4 without logarithms, which holds at shape one, c^2 = 1/6. The exact test, exp(d phi(c z)),
// and 1 - 0.1986 c^2 z^4 are compared there, and for larger d the first falls linearly in its exponent while the logarithm of the second is
// concave in d and zero at zero: so it holds for all, and hardly a draw of a large shape needs logarithms.
inline constexpr double SQUEEZE = 6 * 0.0331;

struct Boxes {
    std::array<double, BOXES + 1> edge;
    std::array<double, BOXES> ratio;
    Boxes() {
        double height = std::exp(-0.5 * TAIL * TAIL);
        edge[0] = BOX_AREA / height;
        edge[1] = TAIL;
        edge[BOXES] = 0;
        for (int i = 2; i < BOXES; ++i) {
            edge[i] = std::sqrt(-2 * std::log(BOX_AREA / edge[i - 1] + height));
            height = std::exp(-0.5 * edge[i] * edge[i]);
        }
        for (int i = 0; i < BOXES; ++i) ratio[i] = edge[i + 1] / edge[i];
    }
};

inline const Boxes boxes;

class Generator {
  public:
    Generator(std::uint64_t seed, std::uint32_t purpose, std::uint64_t run) {
        const rng::Stream stream{seed, purpose, 0};
        for (std::size_t k = 0; k < 4; ++k) word[k] = rng::bits(stream, run, k);
        word[3] |= 1;  // never all zero
    }

    /// (1)
    NOVUM_INLINE std::uint64_t bits() {
        const std::uint64_t out = rotate(word[0] + word[3], 23) + word[0], shifted = word[1] << 17;
        word[2] ^= word[0];
        word[3] ^= word[1];
        word[1] ^= word[2];
        word[0] ^= word[3];
        word[2] ^= shifted;
        word[3] = rotate(word[3], 45);
        return out;
    }
    double uniform() { return rng::uniform<double>(bits()); }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(rng::below(bits(), n)); }

    /// (2)
    double normal() { return normal_from(bits()); }

    /// (2), from bits that were drawn elsewhere.
    double normal_from(std::uint64_t all) {
        for (;; all = bits()) {
            const std::size_t i = all & (BOXES - 1);
            const double u = 2 * rng::uniform<double>(all) - 1;  // its 53 bits are others than the seven of i
            if (std::fabs(u) < boxes.ratio[i]) return u * boxes.edge[i];
            if (i == 0) return u < 0 ? -beyond_tail() : beyond_tail();
            const double x = u * boxes.edge[i];
            if (below_curve(x, i)) return x;
        }
    }

    /// (3), for a shape of one or more, given as d = shape - 1/3 and c = 1 / sqrt(9 d).
    double gamma(double d, double c) { return gamma_from(bits(), bits(), d, c); }

    /// (3), from bits for the normal and for the test that were drawn elsewhere.
    double gamma_from(std::uint64_t for_normal, std::uint64_t for_test, double d, double c) {
        for (;; for_normal = bits(), for_test = bits()) {
            const double z = normal_from(for_normal), root = 1 + c * z;
            if (root <= 0) continue;
            const double v = root * root * root, u = rng::open_uniform(for_test), squared = z * z;
            if (u < 1 - SQUEEZE * c * c * squared * squared) return d * v;
            if (std::log(u) < 0.5 * squared + d * (1 - v + std::log(v))) return d * v;
        }
    }

  private:
    std::array<std::uint64_t, 4> word;

    static std::uint64_t rotate(std::uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }

    // Whether x, which lies in the part of box i that the curve crosses, is kept.
    __attribute__((noinline)) bool below_curve(double x, std::size_t i) {
        const double low = std::exp(-0.5 * (boxes.edge[i] * boxes.edge[i] - x * x));
        const double high = std::exp(-0.5 * (boxes.edge[i + 1] * boxes.edge[i + 1] - x * x));
        return high + uniform() * (low - high) < 1.0;
    }

    // Marsaglia's tail (1964): an exponential that is thinned.
    __attribute__((noinline)) double beyond_tail() {
        for (;;) {
            const double x = rng::exponential(bits()) / TAIL, y = rng::exponential(bits());
            if (y + y >= x * x) return TAIL + x;
        }
    }
};

/// The parameters of (3); `power` is 1 / shape where the shape is below one and U^(1/shape) corrects a draw of shape + 1, else 0.
struct Gamma {
    double d, c, power;
    explicit Gamma(double shape)
        : d((shape < 1 ? shape + 1 : shape) - 1.0 / 3), c(1 / std::sqrt(9 * d)), power(shape < 1 ? 1 / shape : 0) {}
};

}  // namespace novum::bandits
