#include "novum/kernels/points.h"

#include <algorithm>
#include <cstring>

namespace novum::kernels {

namespace {

constexpr std::size_t GROUP = Points::GROUP;
constexpr int ROWS = 6;  // rows at once: with four vectors of points they fill the registers of AVX-512, with two those of AVX2

// x_r'z_j of R rows with a group's lanes from `lane` on, P vectors of them.
template <int BYTES, int R, int P>
NOVUM_INLINE void dots(const double* const* x, const double* panel, std::size_t columns, typename Doubles<BYTES>::V (&s)[R][P]) {
    using D = Doubles<BYTES>;
    for (int r = 0; r < R; ++r)
        for (int p = 0; p < P; ++p) s[r][p] = typename D::V{};
    for (std::size_t t = 0; t < columns; ++t, panel += GROUP) {
        typename D::V z[P];
        for (int p = 0; p < P; ++p) z[p] = D::load(panel + p * D::LANES);
        for (int r = 0; r < R; ++r)
            for (int p = 0; p < P; ++p) s[r][p] += x[r][t] * z[p];
    }
}

// s(r, p) -> kernel, one switch for all products of a call of `dots`: a copy of all loops for each kind took three times as long to
// compile.
template <int BYTES, int R, int P, bool BRIEF>
NOVUM_INLINE void kernels_of(const Function& f, const double* squares, const double* far, typename Doubles<BYTES>::V (&s)[R][P]) {
    using D = Doubles<BYTES>;
    const auto each = [&]<Kind KIND>() NOVUM_LAMBDA {
        for (int p = 0; p < P; ++p) {
            const typename D::V z = D::load(far + p * D::LANES);
            for (int r = 0; r < R; ++r) s[r][p] = value<KIND, BYTES, BRIEF>(f, s[r][p], D::splat(squares[r]), z);
        }
    };
    switch (f.kind) {
        case Kind::linear: return each.template operator()<Kind::linear>();
        case Kind::polynomial: return each.template operator()<Kind::polynomial>();
        case Kind::gaussian: return each.template operator()<Kind::gaussian>();
        case Kind::sigmoid: return each.template operator()<Kind::sigmoid>();
    }
}

// Calls take(row, lane, vector of kernels) for R rows and the whole group g.
template <int BYTES, int R, bool BRIEF, class Take>
NOVUM_INLINE void group(const Function& f, const double* x, const double* squares, const Points& points, std::size_t g, Take&& take) {
    using D = Doubles<BYTES>;
    constexpr int P = BYTES == 64 ? 4 : 2;
    constexpr std::size_t WIDTH = P * D::LANES;
    const double* at[R];
    for (int r = 0; r < R; ++r) at[r] = x + r * points.columns;
    for (std::size_t lane = 0; lane < GROUP; lane += WIDTH) {
        typename D::V s[R][P];
        dots<BYTES, R, P>(at, points.panels.data() + g * points.columns * GROUP + lane, points.columns, s);
        kernels_of<BYTES, R, P, BRIEF>(f, squares, points.squares.data() + g * GROUP + lane, s);
        for (int p = 0; p < P; ++p)
            for (int r = 0; r < R; ++r) take(r, lane + p * D::LANES, s[r][p]);
    }
}

template <class Out>
struct Evaluate {
    template <int BYTES, int R>
    static NOVUM_INLINE void several(const Function& f, const double* x, const double* squares, const Points& points, std::size_t g,
                                     Out* const* out) {
        using D = Doubles<BYTES>;
        const std::size_t start = g * GROUP, left = std::min(GROUP, points.count - start);
        group<BYTES, R, sizeof(Out) == 4>(f, x, squares, points, g, [&](int r, std::size_t lane, typename D::V k) NOVUM_LAMBDA {
            if (lane + D::LANES <= left) {
                typedef Out Rounded __attribute__((vector_size(BYTES / 8 * sizeof(Out))));
                const Rounded rounded = __builtin_convertvector(k, Rounded);
                std::memcpy(out[r] + start + lane, &rounded, sizeof rounded);
            } else {
                for (std::size_t l = 0; lane + l < left; ++l) out[r][start + lane + l] = static_cast<Out>(k[l]);
            }
        });
    }

    template <int BYTES>
    static NOVUM_INLINE void run(const Function& f, const double* x, const double* squares, std::size_t rows, const Points& points,
                                 std::size_t first, std::size_t last, Out* const* out) {
        for (std::size_t g = first; g < last; ++g) {
            std::size_t r = 0;
            for (; r + ROWS <= rows; r += ROWS) several<BYTES, ROWS>(f, x + r * points.columns, squares + r, points, g, out + r);
            for (; r + 2 <= rows; r += 2) several<BYTES, 2>(f, x + r * points.columns, squares + r, points, g, out + r);
            for (; r < rows; ++r) several<BYTES, 1>(f, x + r * points.columns, squares + r, points, g, out + r);
        }
    }
};

struct Weigh {
    template <int BYTES, int R>
    static NOVUM_INLINE void several(const Function& f, const double* x, const double* squares, const Points& points, std::size_t g,
                                     const double* coefficient, std::size_t stride, std::size_t outputs, double* sums) {
        using D = Doubles<BYTES>;
        double k[R][GROUP];
        group<BYTES, R, false>(f, x, squares, points, g,
                               [&](int r, std::size_t lane, typename D::V v) NOVUM_LAMBDA { D::store(k[r] + lane, v); });
        for (std::size_t o = 0; o < outputs; ++o) {
            const double* c = coefficient + o * stride + g * GROUP;
            for (int r = 0; r < R; ++r) {
                typename D::V total{};
                for (std::size_t l = 0; l < GROUP; l += D::LANES) total += D::load(c + l) * D::load(k[r] + l);
                double sum = 0;
                for (std::size_t l = 0; l < D::LANES; ++l) sum += total[l];
                sums[r * outputs + o] += sum;
            }
        }
    }

    template <int BYTES>
    static NOVUM_INLINE void run(const Function& f, const double* x, const double* squares, std::size_t rows, const Points& points,
                                 std::size_t first, std::size_t last, const double* coefficient, std::size_t stride, std::size_t outputs,
                                 double* sums) {
        const std::size_t d = points.columns;
        for (std::size_t g = first; g < last; ++g) {
            std::size_t r = 0;
            for (; r + ROWS <= rows; r += ROWS)
                several<BYTES, ROWS>(f, x + r * d, squares + r, points, g, coefficient, stride, outputs, sums + r * outputs);
            for (; r < rows; ++r) several<BYTES, 1>(f, x + r * d, squares + r, points, g, coefficient, stride, outputs, sums + r * outputs);
        }
    }
};

}  // namespace

template <class Real>
Points::Points(const Real* z, std::size_t count, std::size_t columns, const double* origin)
    : count(count), columns(columns), panels((count + GROUP - 1) / GROUP * GROUP * columns), squares((count + GROUP - 1) / GROUP * GROUP) {
    for (std::size_t j = 0; j < count; ++j) {
        double* to = panels.data() + j / GROUP * columns * GROUP + j % GROUP;
        double square = 0;
        for (std::size_t t = 0; t < columns; ++t) {
            const double value = static_cast<double>(z[j * columns + t]) - (origin ? origin[t] : 0.0);
            to[t * GROUP] = value;
            square += value * value;
        }
        squares[j] = square;
    }
}

template Points::Points(const float*, std::size_t, std::size_t, const double*);
template Points::Points(const double*, std::size_t, std::size_t, const double*);

template <class Out>
void evaluate(const Function& f, const double* x, const double* squares, std::size_t rows, const Points& points, std::size_t first,
              std::size_t last, Out* const* out) {
    widest<Evaluate<Out>>(f, x, squares, rows, points, first, last, out);
}

template void evaluate(const Function&, const double*, const double*, std::size_t, const Points&, std::size_t, std::size_t, float* const*);
template void evaluate(const Function&, const double*, const double*, std::size_t, const Points&, std::size_t, std::size_t, double* const*);

void weigh(const Function& f, const double* x, const double* squares, std::size_t rows, const Points& points, std::size_t first,
           std::size_t last, const double* coefficient, std::size_t stride, std::size_t outputs, double* sums) {
    widest<Weigh>(f, x, squares, rows, points, first, last, coefficient, stride, outputs, sums);
}

}  // namespace novum::kernels
