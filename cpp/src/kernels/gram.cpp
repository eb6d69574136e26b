#include "novum/kernels/gram.h"

#include <algorithm>

#include "novum/kernels/tiles.h"
#include "novum/runtime/interrupt.h"

namespace novum::kernels {

namespace {

constexpr std::size_t STRIP = 64, PITCH = COLUMNS + 8;  // rows written together; a pitch that spreads columns over the cache

struct Fill {
    // Write a block of values, and its mirror image where rows and columns are the same points.
    template <class Real>
    static NOVUM_INLINE void put(const Program& k, const double* block, std::size_t i, std::size_t rows, std::size_t first, Real* out) {
        const std::size_t width = std::min(COLUMNS, k.m - first);
        for (std::size_t r = 0; r < rows; ++r) {
            const std::size_t upto = k.same ? std::min(width, i + r + 1 - std::min(first, i + r + 1)) : width;
            for (std::size_t c = 0; c < upto; ++c) out[(i + r) * k.m + first + c] = static_cast<Real>(block[r * PITCH + c]);
        }
        for (std::size_t c = 0; k.same && c < width; ++c) {
            const std::size_t from = first + c < i ? 0 : first + c - i + 1;  // rows below the diagonal
            for (std::size_t r = from; r < rows; ++r) out[(first + c) * k.m + i + r] = static_cast<Real>(block[r * PITCH + c]);
        }
    }

    template <int BYTES, class Real>
    static NOVUM_INLINE int run(const Program& k, std::size_t begin, std::size_t end, Real* out) {
        Tile t(k);
        std::vector<double> block(STRIP * PITCH);
        interrupt::Poller<64> poller;
        for (std::size_t i = begin; i < end; i += STRIP) {
            const std::size_t rows = std::min(STRIP, end - i);
            const std::size_t last = k.same ? (i + rows - 1) / COLUMNS + 1 : k.panels();
            for (t.panel = 0; t.panel < last; ++t.panel) {
                poller.tick();
                for (std::size_t r = 0; r < rows; r += ROWS) {
                    t.take(i + r, i + rows);
                    const double* value = forward(t);
                    for (std::size_t l = 0; l < t.count; ++l)
                        std::memcpy(block.data() + (r + l) * PITCH, value + l * COLUMNS, COLUMNS * sizeof(double));
                }
                put(k, block.data(), i, rows, t.panel * COLUMNS, out);
            }
        }
        return 0;
    }
};

struct Rows {
    template <int BYTES, class Real>
    static NOVUM_INLINE int run(const Program& k, const std::int64_t* index, std::size_t count, Real* out) {
        Tile t(k);
        interrupt::Poller<64> poller;
        for (std::size_t q = 0; q < count; q += ROWS) {
            t.count = std::min(ROWS, count - q);
            for (std::size_t r = 0; r < ROWS; ++r) t.row[r] = static_cast<std::size_t>(index[q + std::min(r, t.count - 1)]);
            for (t.panel = 0; t.panel < k.panels(); ++t.panel) {
                poller.tick();
                const double* value = forward(t);
                const std::size_t first = t.panel * COLUMNS, width = std::min(COLUMNS, k.m - first);
                for (std::size_t r = 0; r < t.count; ++r)
                    for (std::size_t c = 0; c < width; ++c) out[(q + r) * k.m + first + c] = static_cast<Real>(value[r * COLUMNS + c]);
            }
        }
        return 0;
    }
};

struct Times {
    template <int BYTES>
    static NOVUM_INLINE int run(const Program& k, const double* v, std::size_t width, std::size_t begin, std::size_t end, double* out) {
        Tile t(k);
        interrupt::Poller<64> poller;
        std::fill(out + begin * width, out + end * width, 0.0);
        for (std::size_t i = begin; i < end; i += ROWS) {
            t.take(i, end);
            for (t.panel = 0; t.panel < k.panels(); ++t.panel) {
                poller.tick();
                const double* value = forward(t);
                const std::size_t first = t.panel * COLUMNS, columns = std::min(COLUMNS, k.m - first);
                for (std::size_t q = 0; q < width; ++q)
                    for (std::size_t r = 0; r < t.count; ++r) {
                        double part[8] = {};  // eight sums side by side
                        const double *a = value + r * COLUMNS, *b = v + q * k.m + first;
                        std::size_t c = 0;
                        for (; c + 8 <= columns; c += 8)
                            for (std::size_t l = 0; l < 8; ++l) part[l] += a[c + l] * b[c + l];
                        for (; c < columns; ++c) part[c % 8] += a[c] * b[c];
                        out[t.row[r] * width + q] +=
                            ((part[0] + part[4]) + (part[1] + part[5])) + ((part[2] + part[6]) + (part[3] + part[7]));
                    }
            }
        }
        return 0;
    }
};

}  // namespace

template <class Real>
void gram(const Program& k, std::size_t begin, std::size_t end, Real* out) {
    widest<Fill>(k, begin, end, out);
}
template void gram<float>(const Program&, std::size_t, std::size_t, float*);
template void gram<double>(const Program&, std::size_t, std::size_t, double*);

template <class Real>
void gram_rows(const Program& k, const std::int64_t* index, std::size_t count, Real* out) {
    widest<Rows>(k, index, count, out);
}
template void gram_rows<float>(const Program&, const std::int64_t*, std::size_t, float*);
template void gram_rows<double>(const Program&, const std::int64_t*, std::size_t, double*);

void gram_times(const Program& k, const double* v, std::size_t width, std::size_t begin, std::size_t end, double* out) {
    widest<Times>(k, v, width, begin, end, out);
}

}  // namespace novum::kernels
