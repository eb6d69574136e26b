// (2) for a chunk: rows in lanes, so that a factor's entry is broadcast and nothing is added across lanes.
#include <cmath>

#include "novum/gaussians/chunk.h"

namespace novum::mixture {

namespace {

constexpr std::size_t COLUMNS = Densities::COLUMNS;

template <int BYTES>
struct Shape : Doubles<BYTES> {
    static constexpr std::size_t VECTORS = BYTES == 64 ? 4 : 2;  // of rows at a time: with COLUMNS they fill the registers
    static constexpr std::size_t ROWS = VECTORS * Doubles<BYTES>::LANES;
};

// y = U' t for VECTORS vectors of rows, handed over COLUMNS columns at a time: done(first column, y).
template <int BYTES, class Done>
NOVUM_INLINE void whiten(const double* offset, const double* packed, std::size_t d, Done done) {
    using S = Shape<BYTES>;
    for (std::size_t c = 0; c < d; c += COLUMNS) {
        const std::size_t depth = std::min(c + COLUMNS, d);
        typename S::V y[COLUMNS][S::VECTORS] = {};
        for (std::size_t j = 0; j < depth; ++j, packed += COLUMNS) {
            typename S::V t[S::VECTORS];
#pragma GCC unroll 4
            for (std::size_t v = 0; v < S::VECTORS; ++v) t[v] = S::load(offset + j * S::ROWS + v * S::LANES);
#pragma GCC unroll 4
            for (std::size_t l = 0; l < COLUMNS; ++l) {
#pragma GCC unroll 4
                for (std::size_t v = 0; v < S::VECTORS; ++v) y[l][v] += packed[l] * t[v];
            }
        }
        done(c, y);
    }
}

template <int BYTES>
NOVUM_INLINE void subtract(const double* columns, const double* mean, std::size_t d, double* offset) {
    using S = Shape<BYTES>;
    for (std::size_t j = 0; j < d; ++j) {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < S::VECTORS; ++v)
            S::store(offset + j * S::ROWS + v * S::LANES, S::load(columns + j * CHUNK + v * S::LANES) - mean[j]);
    }
}

template <int BYTES, class V>
NOVUM_INLINE void finish(const V* square, double constant, double* l) {
    using S = Shape<BYTES>;
#pragma GCC unroll 4
    for (std::size_t v = 0; v < S::VECTORS; ++v) S::store(l + v * S::LANES, constant - 0.5 * square[v]);
}

struct Full {
    template <int BYTES>
    static NOVUM_INLINE int run(const Gaussians& g, const double* packed, std::size_t size, const double* columns, std::size_t n,
                                double* offset, double* l) {
        using S = Shape<BYTES>;
        for (std::size_t k = 0; k < g.k; ++k, packed += size)
            for (std::size_t i = 0; i < n; i += S::ROWS) {
                subtract<BYTES>(columns + i, g.mean + k * g.d, g.d, offset);
                typename S::V square[S::VECTORS] = {};
                whiten<BYTES>(offset, packed, g.d, [&](std::size_t, auto& y) NOVUM_LAMBDA {
#pragma GCC unroll 4
                    for (std::size_t c = 0; c < COLUMNS; ++c) {
#pragma GCC unroll 4
                        for (std::size_t v = 0; v < S::VECTORS; ++v) square[v] += y[c][v] * y[c][v];
                    }
                });
                finish<BYTES>(square, g.constant[k], l + k * CHUNK + i);
            }
        return 0;
    }
};

// One factor: the rows are whitened once about the center, and compared with the whitened means.
struct Tied {
    template <int BYTES>
    static NOVUM_INLINE int run(const Gaussians& g, const double* packed, const double* mean, const double* columns, std::size_t n,
                                double* offset, double* l) {
        using S = Shape<BYTES>;
        double* white = offset + g.d * S::ROWS;
        const std::size_t padded = (g.d + COLUMNS - 1) / COLUMNS * COLUMNS;
        for (std::size_t i = 0; i < n; i += S::ROWS) {
            subtract<BYTES>(columns + i, g.center, g.d, offset);
            whiten<BYTES>(offset, packed, g.d, [&](std::size_t c, auto& y) NOVUM_LAMBDA {
#pragma GCC unroll 4
                for (std::size_t j = 0; j < COLUMNS; ++j) {
#pragma GCC unroll 4
                    for (std::size_t v = 0; v < S::VECTORS; ++v) S::store(white + (c + j) * S::ROWS + v * S::LANES, y[j][v]);
                }
            });
            for (std::size_t k = 0; k < g.k; ++k) {
                typename S::V square[S::VECTORS] = {};
                for (std::size_t j = 0; j < padded; ++j) {
                    const double m = mean[k * padded + j];
#pragma GCC unroll 4
                    for (std::size_t v = 0; v < S::VECTORS; ++v) {
                        const typename S::V t = S::load(white + j * S::ROWS + v * S::LANES) - m;
                        square[v] += t * t;
                    }
                }
                finish<BYTES>(square, g.constant[k], l + k * CHUNK + i);
            }
        }
        return 0;
    }
};

struct Diagonal {
    template <int BYTES>
    static NOVUM_INLINE int run(const Gaussians& g, const double* columns, std::size_t n, double* l) {
        using S = Shape<BYTES>;
        for (std::size_t k = 0; k < g.k; ++k) {
            const double *mean = g.mean + k * g.d, *root = g.factor + k * g.d;
            for (std::size_t i = 0; i < n; i += S::ROWS) {
                typename S::V square[S::VECTORS] = {};
                for (std::size_t j = 0; j < g.d; ++j) {
#pragma GCC unroll 4
                    for (std::size_t v = 0; v < S::VECTORS; ++v) {
                        const typename S::V t = (S::load(columns + j * CHUNK + i + v * S::LANES) - mean[j]) * root[j];
                        square[v] += t * t;
                    }
                }
                finish<BYTES>(square, g.constant[k], l + k * CHUNK + i);
            }
        }
        return 0;
    }
};

template <class Real>
struct Transpose {
    template <int BYTES>
    static NOVUM_INLINE int run(const Real* x, std::size_t n, std::size_t d, double* columns) {
        constexpr std::size_t AT_A_TIME = 8;
        std::size_t i = 0;
        for (; i + AT_A_TIME <= n; i += AT_A_TIME) {
            const Real* row = x + i * d;
            for (std::size_t j = 0; j < d; ++j) {
#pragma GCC unroll 8
                for (std::size_t r = 0; r < AT_A_TIME; ++r) columns[j * CHUNK + i + r] = static_cast<double>(row[r * d + j]);
            }
        }
        for (; i < n; ++i)
            for (std::size_t j = 0; j < d; ++j) columns[j * CHUNK + i] = static_cast<double>(x[i * d + j]);
        const std::size_t whole = std::min(CHUNK, (n + Shape<BYTES>::ROWS - 1) / Shape<BYTES>::ROWS * Shape<BYTES>::ROWS);
        for (; i < whole; ++i)
            for (std::size_t j = 0; j < d; ++j) columns[j * CHUNK + i] = columns[j * CHUNK + n - 1];
        return 0;
    }
};

void pack(const double* factor, std::size_t d, double* out) {
    for (std::size_t c = 0; c < d; c += COLUMNS)
        for (std::size_t j = 0; j < std::min(c + COLUMNS, d); ++j, out += COLUMNS)
            for (std::size_t l = 0; l < COLUMNS; ++l) out[l] = c + l < d && j <= c + l ? factor[j * d + c + l] : 0.0;
}

}  // namespace

Densities::Densities(const Gaussians& gaussians) : g(gaussians), packed_size(0) {
    const std::size_t d = g.d, padded = (d + COLUMNS - 1) / COLUMNS * COLUMNS, most_rows = Shape<64>::ROWS;
    for (std::size_t c = 0; c < d; c += COLUMNS) packed_size += std::min(c + COLUMNS, d) * COLUMNS;
    if (g.kind == Kind::diagonal) return;
    offset.allocate((d + padded) * most_rows);
    const std::size_t factors = g.kind == Kind::full ? g.k : 1;
    factor.allocate(factors * packed_size);
    for (std::size_t k = 0; k < factors; ++k) pack(g.factor + k * d * d, d, factor.data() + k * packed_size);
    if (g.kind == Kind::full) return;
    whitened_mean.allocate(g.k * padded);
    for (std::size_t k = 0; k < g.k; ++k)
        for (std::size_t c = 0; c < d; ++c)
            for (std::size_t j = 0; j <= c; ++j)
                whitened_mean.data()[k * padded + c] += g.factor[j * d + c] * (g.mean[k * d + j] - g.center[j]);
}

void Densities::chunk(const double* columns, std::size_t n, double* l) {
    switch (g.kind) {
        case Kind::full: widest<Full>(g, factor.data(), packed_size, columns, n, offset.data(), l); break;
        case Kind::tied: widest<Tied>(g, factor.data(), whitened_mean.data(), columns, n, offset.data(), l); break;
        case Kind::diagonal: widest<Diagonal>(g, columns, n, l); break;
    }
}

template <class Real>
void transpose(const Real* x, std::size_t n, std::size_t d, double* columns) {
    widest<Transpose<Real>>(x, n, d, columns);
}
template void transpose(const float*, std::size_t, std::size_t, double*);
template void transpose(const double*, std::size_t, std::size_t, double*);

}  // namespace novum::mixture
