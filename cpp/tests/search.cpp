// Distances of lanes, the best k of what is offered, and the working set of support vector machines.
#include <algorithm>

#include "check.h"
#include "novum/search/norms.h"
#include "novum/svm/working_set.h"

using namespace novum;
using namespace novum::test;
using neighbors::Norm;

namespace {

template <Norm N, int D>
struct Distances {
    template <int BYTES>
    static NOVUM_INLINE int run(Draws& draws, double p) {
        using S = panel::Simd<double, BYTES>;
        for (std::size_t d = D ? D : 0; d <= (D ? D : 9); ++d) {
            const std::size_t stride = S::LANES + 3;
            const auto q = draws.numbers(d + 1), rows = draws.numbers(stride * (d + 1));
            const auto s = neighbors::lane_distances<N, BYTES, D>(q.data(), rows.data(), d, stride, p);
            for (std::size_t l = 0; l < S::LANES; ++l) {
                double plain = 0;
                for (std::size_t t = 0; t < d; ++t) {
                    const double gap = std::fabs(rows[t * stride + l] - q[t]);
                    plain = N == Norm::most ? std::max(plain, gap) : plain + (N == Norm::one ? gap : std::pow(gap, N == Norm::two ? 2 : p));
                }
                CHECK(close(static_cast<double>(s[l]), plain, 20));
                double scalar = 0;
                for (std::size_t t = 0; t < d; ++t) neighbors::add_term<N>(scalar, rows[t * stride + l] - q[t], p);
                CHECK(close(scalar, plain, 20));
                CHECK(close(neighbors::reduce<N>(neighbors::finish<N>(plain, p), p), plain, 20));
            }
        }
        return 0;
    }
};

}  // namespace

TEST(distances_of_lanes) {
    Draws draws(1);
    every_width<Distances<Norm::one, 0>>(draws, 1.0);
    every_width<Distances<Norm::two, 0>>(draws, 2.0);
    every_width<Distances<Norm::two, 1>>(draws, 2.0);
    every_width<Distances<Norm::two, 4>>(draws, 2.0);
    every_width<Distances<Norm::most, 0>>(draws, INF);
    every_width<Distances<Norm::other, 0>>(draws, 3.5);
    CHECK(neighbors::norm_of(1) == Norm::one && neighbors::norm_of(2) == Norm::two);
    CHECK(neighbors::norm_of(INF) == Norm::most && neighbors::norm_of(1.5) == Norm::other);
}

TEST(best_of_what_is_offered) {
    Draws draws(2);
    for (std::size_t k : {1, 2, 63, 64, 65, 200})  // sorted up to 64, a buffer beyond
        for (std::size_t count : {0, 1, 50, 64, 1000}) {
            std::vector<neighbors::Found> offered;
            neighbors::Top top(k);
            for (int round = 0; round < 2; ++round) {  // the second time from a used one
                offered.clear();
                top.clear();
                for (std::size_t i = 0; i < count; ++i) {
                    offered.push_back({static_cast<double>(draws.below(40)), static_cast<std::int64_t>(i)});  // many ties
                    top.offer(offered.back().s, offered.back().index);
                }
                top.offer(NOT_A_NUMBER, 7777);  // is never among the best
                std::sort(offered.begin(), offered.end());
                const auto& best = top.finish_up();
                for (std::size_t j = 0; j < std::min(k, count); ++j) CHECK(best[j].s == offered[j].s && best[j].index == offered[j].index);
                for (std::size_t j = count; j < best.size(); ++j) CHECK(best[j].index == neighbors::NOBODY);
            }
        }
}

namespace {

struct Offers {
    template <int BYTES>
    static NOVUM_INLINE int run(Draws& draws) {
        using S = panel::Simd<double, BYTES>;
        neighbors::Top lanes(3), single(3);
        lanes.clear(), single.clear();
        for (int block = 0; block < 40; ++block) {
            double s[S::LANES];
            std::int64_t index[S::LANES];
            for (int l = 0; l < S::LANES; ++l) s[l] = draws.uniform(0, 1), index[l] = block * S::LANES + l;
            if (block == 0) s[0] = -1;  // would be the best, were it not left out
            neighbors::offer_lanes<BYTES>(S::load(s), index, 0, lanes);
            for (int l = 0; l < S::LANES; ++l)
                if (index[l] != 0) single.offer(s[l], index[l]);
        }
        for (std::size_t j = 0; j < 3; ++j) CHECK(lanes.finish_up()[j].index == single.finish_up()[j].index);
        return 0;
    }
};

template <class Real>
struct WorkingSet {
    template <int BYTES>
    static NOVUM_INLINE int run(Draws& draws) {
        for (std::size_t count : {16, 32, 176}) {
            std::vector<Real> ki(count), kj(count);
            std::vector<double> f = draws.numbers(count), moved(count);
            std::vector<float> brief(count), up(count), low(count), diagonal(count);
            for (std::size_t i = 0; i < count; ++i) {
                ki[i] = static_cast<Real>(draws.uniform(-1, 1)), kj[i] = static_cast<Real>(draws.uniform(-1, 1));
                up[i] = draws.below(3) ? 0 : svm::NO, low[i] = draws.below(3) ? 0 : svm::NO;  // infinity bars a point
                diagonal[i] = static_cast<float>(draws.uniform(1, 2));
                moved[i] = f[i] + 0.3 * (static_cast<double>(ki[i]) - static_cast<double>(kj[i]));
            }
            const svm::Extremes found =
                svm::Update<Real>::template run<BYTES>(count, ki.data(), kj.data(), 0.3, f.data(), brief.data(), up.data(), low.data());
            double least = INF, most = -INF;
            for (std::size_t i = 0; i < count; ++i) {
                CHECK(std::fabs(f[i] - moved[i]) < 1e-15 && brief[i] == static_cast<float>(f[i]));
                if (up[i] == 0) least = std::min(least, f[i]);
                if (low[i] == 0) most = std::max(most, f[i]);
            }
            CHECK(found.least == least && found.most == most);
            if (least < INF) CHECK(f[found.rising] == least && up[found.rising] == 0);
            if (most > -INF) CHECK(f[found.falling] == most && low[found.falling] == 0);

            const float fi = -0.1f;
            const svm::Partner partner =
                svm::Choose<Real>::template run<BYTES>(count, ki.data(), fi, 1.5f, brief.data(), diagonal.data(), low.data());
            double best = -INF;
            for (std::size_t i = 0; i < count; ++i) {
                const double rise = static_cast<double>(brief[i]) - static_cast<double>(fi);
                const double bend = std::max(1.5 + static_cast<double>(diagonal[i]) - 2 * static_cast<double>(ki[i]), svm::FLAT);
                if (low[i] == 0 && rise > 0) best = std::max(best, rise * rise / bend);
            }
            CHECK(best == -INF ? partner.gain == -svm::NO : std::fabs(static_cast<double>(partner.gain) - best) <= 1e-4 * best);
        }
        return 0;
    }
};

}  // namespace

TEST(offers_of_lanes) {
    Draws draws(3);
    every_width<Offers>(draws);
}

TEST(working_set_against_plain_loops) {
    Draws draws(4);
    every_width<WorkingSet<float>>(draws);
    every_width<WorkingSet<double>>(draws);
}

TEST(ties_of_the_working_set_go_to_the_first) {
    const std::vector<double> k(32, 0.5);
    std::vector<double> f(32, 1.0);
    std::vector<float> brief(32), bar(32, 0.0f);
    const svm::Extremes found = widest<svm::Update<double>>(32, k.data(), k.data(), 1.0, f.data(), brief.data(), bar.data(), bar.data());
    CHECK(found.rising == 0 && found.falling == 0 && found.least == 1 && found.most == 1);
}
