// The frame of a scan.
#include <algorithm>
#include <cmath>

#include "novum/search/search.h"

namespace novum::neighbors {

template <class Real>
double frame_of(Table<Real> rows, double* origin) {
    std::fill(origin, origin + rows.d, 0.0);
    for (std::size_t i = 0; i < rows.n; ++i)
        for (std::size_t t = 0; t < rows.d; ++t) origin[t] += static_cast<double>(rows.row(i)[t]) / static_cast<double>(rows.n);
    double reach = 0;
    for (std::size_t i = 0; i < rows.n; ++i) {
        double s = 0;
        for (std::size_t t = 0; t < rows.d; ++t) {
            const double u = static_cast<double>(rows.row(i)[t]) - origin[t];
            s += u * u;
        }
        reach = std::max(reach, s);
    }
    return std::sqrt(reach);
}
template double frame_of(Table<float>, double*);
template double frame_of(Table<double>, double*);

}  // namespace novum::neighbors
