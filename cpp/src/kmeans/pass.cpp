#include "novum/kmeans/pass.h"

#include <optional>

#include "novum/kmeans/chunk.h"
#include "novum/runtime/interrupt.h"

namespace novum::kmeans {

namespace {

constexpr std::size_t PARTS = 8;  // partial sums of the inertia by row number: hides the latency of an add, fixed for every width

// A row without weight is absent, however far away: zero times an infinite distance would be NaN.
inline double weighted(const double* weight, const double* distance, std::size_t i) {
    if (!weight) return distance[i];
    return weight[i] > 0 ? weight[i] * distance[i] : 0.0;
}

struct Inertia {
    double part[PARTS] = {};
    void add(const double* distance, const double* weight, std::size_t rows) {
        std::size_t i = 0;
        for (; i + PARTS <= rows; i += PARTS)
            for (std::size_t p = 0; p < PARTS; ++p) part[p] += weighted(weight, distance, i + p);
        for (; i < rows; ++i) part[i % PARTS] += weighted(weight, distance, i);
    }
    double total() const { return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7])); }
};

std::size_t lanes(std::size_t bytes) { return static_cast<std::size_t>(simd_bytes()) / bytes; }

template <class Real, class Visit>
void chunks(const Rows<Real>& rows, Visit visit) {
    const std::size_t size = chunk_rows(rows.d, sizeof(Real));
    for (std::size_t top = 0; top < rows.n; top += size) {
        interrupt::poll();
        visit(top, std::min(size, rows.n - top));
    }
}

}  // namespace

namespace {

// One pass: `assign(top, size, distance)` brings the labels of a chunk up to date, and returns whether the distances are too.
template <class Real, class Assign>
double pass(const Rows<Real>& rows, const Packed<Real>& packed, const std::int32_t* label, Totals totals, Assign assign) {
    std::vector<double> distance(chunk_rows(rows.d, sizeof(Real)));
    Inertia inertia;
    chunks(rows, [&](std::size_t top, std::size_t size) {
        const double* weight = rows.weight ? rows.weight + top : nullptr;
        const Real* x = rows.x + top * rows.d;
        if (assign(top, size, distance.data()))
            gather_chunk(packed, x, weight, size, label + top, totals);
        else
            settle_chunk(packed, x, weight, size, label + top, distance.data(), totals);
        inertia.add(distance.data(), weight, size);
    });
    return inertia.total();
}

// Assignment without state.
template <class Real>
struct Full {
    const Rows<Real>& rows;
    const Packed<Real> packed;
    std::int32_t* label;
    std::vector<Real> tile;
    Full(const Rows<Real>& rows, Centers centers, std::int32_t* label)
        : rows(rows), packed(centers.c, centers.k, rows.d, nullptr, lanes(sizeof(Real))), label(label) {}
    bool operator()(std::size_t top, std::size_t size, double*) {
        nearest_chunk(packed, rows.x + top * rows.d, size, label + top, tile);
        return false;
    }
};

}  // namespace

template <class Real>
void nearest(Rows<Real> rows, Centers centers, std::int32_t* label) {
    Full<Real> full(rows, centers, label);
    chunks(rows, [&](std::size_t top, std::size_t size) { full(top, size, nullptr); });
}

template <class Real>
void distances(Rows<Real> rows, Centers centers, const std::int32_t* label, double* out) {
    const Packed<Real> packed(centers.c, centers.k, rows.d, nullptr, lanes(sizeof(Real)));
    distance_chunk(packed, rows.x, rows.n, label, out);
}

template <class Real>
double step(Rows<Real> rows, Centers centers, std::int32_t* label, Totals totals) {
    Full<Real> full(rows, centers, label);
    return pass(rows, full.packed, label, totals, full);
}

template <class Real>
Work grouped_step(Rows<Real> rows, Centers centers, Motion motion, Bounds bounds, std::size_t known, Totals totals) {
    std::optional<Full<Real>> full;
    if (known < rows.n) full.emplace(rows, centers, bounds.label);
    const Packed<Real> packed(centers.c, centers.k, rows.d, motion.order, lanes(sizeof(Real)));
    GroupScratch<Real> scratch(packed, motion, chunk_rows(rows.d, sizeof(Real)));
    std::size_t looked = 0;
    const double inertia = pass(rows, packed, bounds.label, totals, [&](std::size_t top, std::size_t size, double* distance) {
        if (top >= known) return (*full)(top, size, distance);
        const Bounds here{bounds.label + top, bounds.lower + top * motion.width};
        looked += grouped_chunk(packed, motion, rows.x + top * rows.d, size, here, scratch, distance);
        return true;
    });
    return {inertia, looked};
}

template <class Real>
Work neighbor_step(Rows<Real> rows, Centers centers, Neighbors neighbors, std::int32_t* label, std::size_t known, Totals totals) {
    Full<Real> full(rows, centers, label);
    NeighborScratch<Real> scratch(full.packed, neighbors, chunk_rows(rows.d, sizeof(Real)));
    std::size_t looked = 0;
    const double inertia = pass(rows, full.packed, label, totals, [&](std::size_t top, std::size_t size, double* distance) {
        if (top >= known) return full(top, size, distance);
        looked += neighbor_chunk(full.packed, neighbors, rows.x + top * rows.d, size, label + top, scratch, distance);
        return true;
    });
    return {inertia, looked};
}

#define NOVUM_KMEANS(Real)                                                                \
    template void nearest(Rows<Real>, Centers, std::int32_t*);                            \
    template void distances(Rows<Real>, Centers, const std::int32_t*, double*);           \
    template double step(Rows<Real>, Centers, std::int32_t*, Totals);                     \
    template Work grouped_step(Rows<Real>, Centers, Motion, Bounds, std::size_t, Totals); \
    template Work neighbor_step(Rows<Real>, Centers, Neighbors, std::int32_t*, std::size_t, Totals);
NOVUM_KMEANS(float)
NOVUM_KMEANS(double)
#undef NOVUM_KMEANS

}  // namespace novum::kmeans
