// The lanes of vectors: loads at any address, reductions, scores and products of panels, all against plain loops.
#include "novum/runtime/panels.h"

#include <algorithm>

#include "check.h"
#include "novum/moments/column_panels.h"

using namespace novum;
using namespace novum::test;

namespace {

template <class Real>
struct Reductions {
    template <int BYTES>
    static NOVUM_INLINE int run(Draws& draws) {
        using S = panel::Simd<Real, BYTES>;
        constexpr int L = S::LANES;
        for (int offset = 0; offset < 9; ++offset) {
            Real room[L + 16], back[L + 16] = {};
            for (Real& x : room) x = static_cast<Real>(draws.uniform(-1, 1));
            const Real* from = room + offset;  // no address is aligned for vectors
            const typename S::V v = S::load(from);
            double sum = 0;
            for (int l = 0; l < L; ++l) sum += static_cast<double>(from[l]);
            CHECK(panel::least<L>(v) == *std::min_element(from, from + L));
            CHECK(std::fabs(static_cast<double>(panel::total<L>(v)) - sum) < (sizeof(Real) == 4 ? 1e-6 : 1e-14));
            S::store(back + offset, v);
            for (int l = 0; l < L; ++l) CHECK(back[offset + l] == from[l]);
            CHECK(back[offset + L] == 0 && (offset == 0 || back[offset - 1] == 0));  // nothing beside is written
            for (int l = 0; l < L; ++l) {  // the least is found in every lane, infinities included
                typename S::V w = typename S::V{} + std::numeric_limits<Real>::infinity();
                CHECK(panel::least<L>(w) == std::numeric_limits<Real>::infinity());
                w[l] = -std::numeric_limits<Real>::infinity();
                CHECK(panel::least<L>(w) == -std::numeric_limits<Real>::infinity());
                CHECK(std::isnan(panel::total<L>(w)));  // inf - inf
            }
        }
        return 0;
    }
};

/// (12) of panels.h: the same bits for one row and one panel as for all that fill the registers.
template <class Real>
struct Scores {
    template <int BYTES>
    static NOVUM_INLINE int run(Draws& draws) {
        using S = panel::Simd<Real, BYTES>;
        constexpr int R = S::ROWS, P = S::PANELS;
        for (std::size_t d : {0, 1, 2, 7, 33}) {
            const std::size_t stride = (d + 1) * S::LANES;
            std::vector<Real> panels(P * stride), rows(R * d + 1);
            for (Real& x : panels) x = static_cast<Real>(draws.uniform(-1, 1));
            for (Real& x : rows) x = static_cast<Real>(draws.uniform(-1, 1));
            const Real* x[R];
            for (int r = 0; r < R; ++r) x[r] = rows.data() + static_cast<std::size_t>(r) * d;
            typename S::V all[R][P], one[1][1];
            panel::scores<Real, BYTES, R, P>(x, panels.data(), d, all);
            for (int r = 0; r < R; ++r)
                for (int p = 0; p < P; ++p) {
                    const Real* here = panels.data() + static_cast<std::size_t>(p) * stride;
                    panel::scores<Real, BYTES, 1, 1>(x + r, here, d, one);
                    for (int l = 0; l < S::LANES; ++l) {
                        double plain = static_cast<double>(here[l]);
                        for (std::size_t t = 0; t < d; ++t)
                            plain += static_cast<double>(x[r][t]) * static_cast<double>(here[(t + 1) * S::LANES + l]);
                        CHECK(all[r][p][l] == one[0][0][l]);
                        CHECK(std::fabs(static_cast<double>(all[r][p][l]) - plain) < (sizeof(Real) == 4 ? 1e-5 : 1e-14));
                    }
                }
        }
        return 0;
    }
};

template <class Real>
struct ColumnProducts {
    template <int BYTES>
    static NOVUM_INLINE int run(Draws& draws) {
        constexpr std::size_t PANEL = panels::PANEL_OF<Real>;
        for (std::size_t columns : {1, 2, 7, 8, 9, 16, 17, 25, 33, 49})
            for (std::size_t rows : {1, 2, 5, 31}) {
                const std::size_t count = (columns + PANEL - 1) / PANEL, width = count * PANEL;
                std::vector<Real> packed(count * rows * PANEL);
                for (Real& x : packed) x = static_cast<Real>(draws.uniform(-1, 1));
                std::vector<double> sums(width * width, 0.25);  // added to, not overwritten
                panels::Products::run<BYTES, Real>(packed.data(), rows, columns, sums.data());
                auto cell = [&](std::size_t row, std::size_t column) {
                    return static_cast<double>(packed[column / PANEL * rows * PANEL + row * PANEL + column % PANEL]);
                };
                for (std::size_t i = 0; i < columns; ++i)
                    for (std::size_t j = i; j < columns; ++j) {
                        double plain = 0.25;
                        for (std::size_t r = 0; r < rows; ++r) plain += cell(r, i) * cell(r, j);
                        CHECK(std::fabs(sums[i * width + j] - plain) < (sizeof(Real) == 4 ? 1e-5 : 1e-13));
                    }
            }
        return 0;
    }
};

}  // namespace

TEST(reductions_of_lanes) {
    Draws draws(1);
    every_width<Reductions<float>>(draws);
    every_width<Reductions<double>>(draws);
}

TEST(scores_of_panels) {
    Draws draws(2);
    every_width<Scores<float>>(draws);
    every_width<Scores<double>>(draws);
}

TEST(products_of_columns) {
    Draws draws(3);
    every_width<ColumnProducts<float>>(draws);
    every_width<ColumnProducts<double>>(draws);
}

TEST(unit_is_a_power_of_two_near_the_inverse) {
    for (double size : {1.0, 0.75, 3.0, 1e-300, 1e300, 1e-30, 1e30}) {
        const double unit = panel::unit<double>(size);
        int exponent;
        CHECK(std::frexp(unit, &exponent) == 0.5);
        CHECK(size * unit >= 0.5 && size * unit < 2);
    }
    for (double size : {0.0, -1.0, INF, NOT_A_NUMBER}) CHECK(panel::unit<double>(size) == 1 && panel::unit<float>(size) == 1);
    for (double size : {LEAST_NUMBER, MOST_NUMBER, 1e-60, 1e60}) {  // what no power can bring near one is clamped, and stays finite
        CHECK(std::isfinite(panel::unit<float>(size)) && panel::unit<float>(size) > 0);
        CHECK(std::isfinite(panel::unit<double>(size)) && panel::unit<double>(size) > 0);
    }
}
