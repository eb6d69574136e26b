// The two halves of a mixture's pass on a chunk of rows: log-densities (2), moments (4). Rows are lanes in the first, columns in the
// second.
#pragma once
#include <algorithm>
#include <vector>

#include "novum/gaussians/mixture.h"
#include "novum/runtime/vector_math.h"

namespace novum::mixture {

constexpr std::size_t CHUNK = 256;  // rows: with 64 columns they and their packed copy fill half of a second-level cache
constexpr std::size_t PANEL = 8;    // columns side by side: one AVX-512 vector of doubles

/// Responsibilities below this are left out of (4). Masses enter the parameters as mass + 10 eps, so 1e9 of them move no bit.
constexpr double NEGLIGIBLE = 1e-45;

/// Columns up to which full moments keep rows in lanes: packing so few columns would cost more than multiplying them.
constexpr std::size_t FEW_COLUMNS = 8;

/// Zeros that begin at a cache line.
class Buffer {
    std::vector<double> store;
    double* begin = nullptr;

  public:
    Buffer() = default;
    explicit Buffer(std::size_t n) { allocate(n); }
    void allocate(std::size_t n) {
        store.assign(n + 8, 0.0);
        begin = store.data();
        while (reinterpret_cast<std::uintptr_t>(begin) % 64) ++begin;
    }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    double* data() const { return begin; }
};

/// The columns of up to CHUNK rows, (d, CHUNK); up to a whole vector beyond the last row they repeat it.
template <class Real>
void transpose(const Real* x, std::size_t n, std::size_t d, double* columns);

/// The densities (2), packed for columns taken COLUMNS at a time, and memory for a chunk.
class Densities {
  public:
    static constexpr std::size_t COLUMNS = 4;  // of a factor that share a pass over the rows' coordinates

    explicit Densities(const Gaussians& gaussians);
    /// Writes l[k * CHUNK + i] for `n` rows, and for those up to a whole vector.
    void chunk(const double* columns, std::size_t n, double* l);

  private:
    const Gaussians& g;
    std::size_t packed_size;       // of one factor
    Buffer factor, whitened_mean;  // packed; tied: U' (mean - center) (k, d)
    Buffer offset;                 // (d, 64): a few rows about a mean, or whitened
};

/// Accumulators of (4), and memory for a chunk.
class Moments {
  public:
    Moments(Kind kind, std::size_t k, std::size_t d, const double* shift);
    /// Adds rows, given also as columns, with weights (zero beyond n) and responsibilities r[k * CHUNK + i].
    template <class Real>
    void chunk(const Real* x, const double* columns, std::size_t n, const double* weight, const double* r);
    void add_to(Sums& sums) const;

  private:
    Kind kind;
    std::size_t k, d, width;  // width: d rounded up to whole panels
    bool packs;               // full with many columns: columns in lanes; else rows in lanes, and PANEL partial sums of everything
    std::size_t size;         // of the second moments of a component
    const double* shift;
    Buffer packed, root;  // (CHUNK, width): sqrt(w r) (x - shift), or (d, CHUNK): x - shift; (CHUNK,): sqrt(w r), or w r
    Buffer mass, first, second;
    std::vector<std::uint32_t> index;
};

}  // namespace novum::mixture
