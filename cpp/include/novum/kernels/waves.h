// Random Fourier features: cosines of phases, in place.
//
//   out = scale cos(phase + offset)                                                                                        (1)
//
// A phase is brought to |r| <= pi/4 by whole quarter turns n, pi/2 in three parts of 33 bits so that n times each is exact up to
// |phase| of a million; there Taylor-like polynomials (fdlibm's) leave about one unit in the last place. Larger phases go to the library.
#pragma once
#include <cstddef>

namespace novum {

/// (1) of phases (rows, m); sums in Real. O(rows m).
template <class Real>
void cosines(Real* phase, std::size_t rows, std::size_t m, const Real* offset, double scale);

}  // namespace novum
