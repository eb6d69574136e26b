// Tests without a library: TEST registers a function, CHECK says where a condition fails and lets the test go on.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <vector>

#include "novum/runtime/simd.h"

namespace novum::test {

struct Entry {
    const char* name;
    void (*run)();
};

inline std::vector<Entry>& entries() {
    static std::vector<Entry> all;
    return all;
}

struct Register {
    Register(const char* name, void (*run)()) { entries().push_back({name, run}); }
};

inline long checks = 0, failures = 0;

inline void check(bool holds, const char* condition, const char* file, int line) {
    ++checks;
    if (holds) return;
    if (++failures <= 20) std::printf("%s:%d: %s\n", file, line, condition);
}

constexpr double INF = std::numeric_limits<double>::infinity(), NOT_A_NUMBER = std::numeric_limits<double>::quiet_NaN();
constexpr double LEAST_NUMBER = std::numeric_limits<double>::denorm_min(), MOST_NUMBER = std::numeric_limits<double>::max();

/// Whether two numbers agree to `units` of the last place of the second; NaN agrees with NaN.
template <class Real>
bool close(Real a, Real b, double units) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (a == b) return true;
    const Real size = std::fmax(std::fabs(b), std::numeric_limits<Real>::min());
    return static_cast<double>(std::fabs(a - b)) <= units * static_cast<double>(std::numeric_limits<Real>::epsilon() * size);
}

/// Numbers that are the same in every run: a linear congruence is random enough for tests.
class Draws {
  public:
    explicit Draws(std::uint64_t seed) : state(seed * 2862933555777941757u + 3037000493u) {}
    std::uint64_t bits() {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return (state >> 32 << 32) | (state * 0x9E3779B97F4A7C15u >> 32);
    }
    double uniform(double low, double high) { return low + (high - low) * static_cast<double>(bits() >> 11) * 0x1p-53; }
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(bits() >> 33) % n; }
    std::vector<double> numbers(std::size_t n, double low = -1, double high = 1) {
        std::vector<double> out(n);
        for (double& x : out) x = uniform(low, high);
        return out;
    }

  private:
    std::uint64_t state;
};

/// Call Kernel::run<BYTES> for every width of vectors that this processor has, whatever the library would choose.
template <class Kernel, class... A>
void every_width(A&&... a) {
    run_at<16, Kernel>(a...);
    if (processor_bytes() >= 32) run_at<32, Kernel>(a...);
    if (processor_bytes() >= 64) run_at<64, Kernel>(a...);
}

}  // namespace novum::test

#define TEST(name)                                                  \
    static void name();                                             \
    static const ::novum::test::Register added_##name{#name, name}; \
    static void name()
#define CHECK(...) ::novum::test::check(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)
