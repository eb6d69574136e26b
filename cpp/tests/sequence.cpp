// States in the lanes of one vector, and square matrices of sizes known and unknown, against plain loops.
#include <algorithm>

#include "check.h"
#include "novum/sequence/lanes.h"
#include "novum/sequence/small_matrices.h"

using namespace novum;
using namespace novum::test;

namespace {

template <int K>
void check_states(Draws& draws) {
    using S = sequence::States<K>;
    const auto x = draws.numbers(K), y = draws.numbers(K);
    std::vector<typename S::V> m(K), outer(K);
    std::vector<double> plain(K * K);
    for (int i = 0; i < K; ++i) {
        const auto row = draws.numbers(K);
        m[i] = S::load_exact(row.data());
        outer[i] = m[i];
        std::copy(row.begin(), row.end(), plain.begin() + i * K);
    }
    const typename S::V v = S::load_exact(x.data());  // x has K numbers and no more
    for (int l = K; l < S::LANES; ++l) CHECK(v[l] == 0);
    double product[K + 1] = {}, sum = 0;
    product[K] = 42;
    S::store(product, S::combine(v, m.data()));
    CHECK(product[K] == 42);  // K numbers are written and no more
    S::add_outer(v, S::load_exact(y.data()), outer.data());
    for (int j = 0; j < K; ++j) {
        double expected = 0;
        for (int i = 0; i < K; ++i) {
            expected += x[i] * plain[i * K + j];
            CHECK(std::fabs(outer[i][j] - (plain[i * K + j] + x[i] * y[j])) < 1e-15);
        }
        CHECK(std::fabs(product[j] - expected) < 1e-14);
        sum += x[j];
    }
    CHECK(std::fabs(S::sum(v) - sum) < 1e-14);
    CHECK(S::least(v) == std::min(*std::min_element(x.begin(), x.end()), K < S::LANES ? 0.0 : INF));
    CHECK(S::template lane<K - 1>(v)[0] == x[K - 1]);
}

/// Runs the matrices of one size, known when compiled or not.
template <int S>
void check_matrices(std::size_t s, Draws& draws) {
    const auto A = draws.numbers(s * s), B = draws.numbers(s * s), x = draws.numbers(s);
    std::vector<double> AB(s * s), ABt(s * s), At(s * s), Ax(s), same = A;
    kalman::product<S>(s, A.data(), B.data(), AB.data());
    kalman::product_transposed<S>(s, A.data(), B.data(), ABt.data());
    kalman::transpose<S>(s, A.data(), At.data());
    kalman::times_vector<S>(s, A.data(), x.data(), Ax.data());
    kalman::symmetrize<S>(s, same.data());
    for (std::size_t i = 0; i < s; ++i) {
        double ax = 0;
        for (std::size_t j = 0; j < s; ++j) {
            double ab = 0, abt = 0;
            for (std::size_t k = 0; k < s; ++k) ab += A[i * s + k] * B[k * s + j], abt += A[i * s + k] * B[j * s + k];
            CHECK(std::fabs(AB[i * s + j] - ab) < 1e-14 && std::fabs(ABt[i * s + j] - abt) < 1e-14);
            CHECK(At[j * s + i] == A[i * s + j] && same[i * s + j] == 0.5 * (A[i * s + j] + A[j * s + i]));
            ax += A[i * s + j] * x[j];
        }
        CHECK(std::fabs(Ax[i] - ax) < 1e-14);
    }
    // P = A A' and a singular one, its last row that of the first: what a solve gives is a generalised inverse, P X P = P.
    for (const bool singular : {false, true}) {
        std::vector<double> root = A, P(s * s), L, X(s * s), diagonal(s), half(s * s), back(s * s);
        if (singular)
            for (std::size_t j = 0; j < s; ++j) root[(s - 1) * s + j] = s > 1 ? root[j] : 0;
        kalman::product_transposed<S>(s, root.data(), root.data(), P.data());
        L = P;
        kalman::factor<S>(s, L.data(), diagonal.data());
        for (std::size_t i = 0; i < s; ++i) X[i * s + i] = 1;
        kalman::solve<S>(s, L.data(), X.data());
        kalman::product<S>(s, P.data(), X.data(), half.data());
        kalman::product<S>(s, half.data(), P.data(), back.data());
        for (std::size_t i = 0; i < s * s; ++i) CHECK(std::fabs(back[i] - P[i]) < 1e-7);
        CHECK(kalman::settled<S>(s, P.data(), P.data()));
        std::vector<double> broken = P;
        broken[s * s - 1] = NOT_A_NUMBER;
        CHECK(!kalman::settled<S>(s, P.data(), broken.data()) && !kalman::settled<S>(s, broken.data(), P.data()));
    }
}

}  // namespace

TEST(states_in_lanes) {
    Draws draws(1);
    for (std::size_t k = 1; k <= 8; ++k)
        sequence::by_states(k, [&](auto states) {
            CHECK(static_cast<std::size_t>(states) == k);
            check_states<states>(draws);
        });
}

TEST(small_matrices) {
    Draws draws(2);
    for (std::size_t s = 1; s <= 6; ++s) check_matrices<0>(s, draws);
    check_matrices<1>(1, draws);
    check_matrices<2>(2, draws);
    check_matrices<3>(3, draws);
    check_matrices<4>(4, draws);
}

TEST(rows_of_densities) {
    const double log[] = {-1, -2, -3, -4};
    const std::int64_t index[] = {1, -1, 0};
    const sequence::Densities direct{log, nullptr, 2}, table{log, index, 2};
    double out[4];
    CHECK(direct.row(1) == log + 2 && table.row(0) == log + 2 && table.row(1) == nullptr && table.row(2) == log);
    table.copy(1, 4, sequence::NEVER, out);  // a missing step says nothing; padding is never
    CHECK(out[0] == 0 && out[1] == 0 && out[2] == -INF && out[3] == -INF);
    table.copy(0, 3, 0, out);
    CHECK(out[0] == -3 && out[1] == -4 && out[2] == 0);
}

TEST(long_sums_keep_what_rounding_takes) {
    sequence::Total total;
    double plain = 1;
    total.add(1);
    for (int i = 0; i < 1000000; ++i) total.add(1e-16), plain += 1e-16;
    CHECK(plain == 1);
    CHECK(close(total.value(), 1 + 1e-10, 1));
}
