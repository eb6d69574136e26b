// Points packed for products with many rows: a panel holds LANES points side by side, one line of coordinates per dimension, so that
// the kernels of a few rows with a few panels are sums of broadcast coordinates that never leave the registers.
//
//   out[r, j] = k(x_r, z_j)        k of function.h                                                   (1)
//
// A pair adds its terms in the order of the dimensions whatever the blocking: k(x, z) has the same bits wherever it is computed.
#pragma once
#include <cstddef>
#include <vector>

#include "novum/kernels/function.h"

namespace novum::kernels {

struct Points {
    static constexpr std::size_t GROUP = 32;  // points that are padded to whole groups: four vectors of eight doubles

    std::size_t count, columns;
    std::vector<double> panels;   // (groups, columns, GROUP)
    std::vector<double> squares;  // (groups * GROUP,): |z_j|^2; zero in the padding

    /// Pack `count` rows of `columns` numbers less `origin` (or null).
    template <class Real>
    Points(const Real* z, std::size_t count, std::size_t columns, const double* origin);

    std::size_t groups() const { return (count + GROUP - 1) / GROUP; }
};

/// (1) of `rows` rows x (less the origin of the points, row-major; `squares` their |x|^2) with the points of groups first..last-1;
/// row r goes to out[r] at the number of the point, padding left out. O(rows points columns).
template <class Out>
void evaluate(const Function& f, const double* x, const double* squares, std::size_t rows, const Points& points, std::size_t first,
              std::size_t last, Out* const* out);

/// sums[r * outputs + o] += sum over the points of groups first..last-1 of coefficient[o * stride + j] k(x_r, z_j); the kernels are not
/// kept. `coefficient` is padded with zeros to whole groups. O(rows points (columns + outputs)).
void weigh(const Function& f, const double* x, const double* squares, std::size_t rows, const Points& points, std::size_t first,
           std::size_t last, const double* coefficient, std::size_t stride, std::size_t outputs, double* sums);

}  // namespace novum::kernels
