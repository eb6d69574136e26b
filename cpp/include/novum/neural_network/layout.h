// How matrices of a network lie in memory while it is trained: weights in panels of columns that fill vector registers.
//
// A matrix (rows, columns) is cut into panels of one to a few vectors of columns; within a panel a row's columns lie side by side, so
// that a product reads its weights as one stream. Columns are padded with zeros to whole units and rows to eights: no loop has a tail.
#pragma once
#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace novum::neural_network {

constexpr std::size_t TILE = 8;    // rows of a product that are kept in registers together
constexpr std::size_t WIDEST = 3;  // vectors of columns beside them: 24 sums, three columns and a broadcast fit 32 registers
constexpr std::size_t CACHE_LINE = 64;

constexpr std::size_t up_to(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

/// Numbers at an address that whole vectors may be read from; zero at first.
template <class Real>
class Aligned {
  public:
    Aligned() = default;
    explicit Aligned(std::size_t n) : count(n), data_(static_cast<Real*>(::operator new[](n * sizeof(Real) + CACHE_LINE, ALIGN))) {
        std::fill_n(data_.get(), n + CACHE_LINE / sizeof(Real), Real(0));
    }
    Real* data() const { return data_.get(); }
    std::size_t size() const { return count; }
    Real& operator[](std::size_t i) const { return data_[i]; }

  private:
    static constexpr std::align_val_t ALIGN{CACHE_LINE};
    struct Free {
        void operator()(Real* p) const { ::operator delete[](p, ALIGN); }
    };
    std::size_t count = 0;
    std::unique_ptr<Real[], Free> data_;
};

struct Panel {
    std::size_t first, width;  // columns; the width is whole vectors
};

/// Columns cut into panels.
struct Columns {
    std::size_t count = 0, padded = 0;
    std::vector<Panel> panels;
    Columns() = default;
    /// `lanes` numbers make a vector.
    Columns(std::size_t count, std::size_t lanes);
};

/// A row length that holds `columns` and does not put every row on the same lines of the cache.
std::size_t pitch_of(std::size_t padded, std::size_t lanes, std::size_t bytes);

/// Where a layer's weights (in, out) lie, and where their transpose lies that carries errors back.
struct Shape {
    std::size_t in, out, rows, back_rows;  // `rows`: in, up to eights; `back_rows`: out, with the padding of its columns
    Columns columns, back;                 // of the weights and of their transpose
    Shape(std::size_t in, std::size_t out, std::size_t lanes);
    std::size_t size() const { return rows * columns.padded; }
    std::size_t back_size() const { return back_rows * back.padded; }
};

/// Copy weights (in, out), row by row, into panels, and back.
template <class Real>
void into_panels(const Real* weights, const Shape& shape, Real* panels);
template <class Real>
void out_of_panels(const Real* panels, const Shape& shape, Real* weights);

/// Fill the panels of the transpose from those of the weights.
template <class Real>
void transpose_panels(const Real* panels, const Shape& shape, Real* back);

}  // namespace novum::neural_network
