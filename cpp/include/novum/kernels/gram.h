// Gram matrices of a kernel program, and what can be had without storing them. All in double, O(n m (d + nodes)); serial: threads run
// over ranges of rows [begin, end).
#pragma once
#include "novum/kernels/program.h"

namespace novum::kernels {

/// out[i, j] = k(x_i, z_j), rows begin..end of an (n, m) matrix. Where `same`, only j <= i is computed, and written to (j, i) as well.
template <class Real>
void gram(const Program& k, std::size_t begin, std::size_t end, Real* out);

/// out[q, :] = k(x_index[q], z_:), shape (count, m).
template <class Real>
void gram_rows(const Program& k, const std::int64_t* index, std::size_t count, Real* out);

/// out[i, q] = sum_j k(x_i, z_j) v[q, j] for rows begin..end; v has shape (width, m), out (n, width).
void gram_times(const Program& k, const double* v, std::size_t width, std::size_t begin, std::size_t end, double* out);

/// What weighs pairs in a trace: scale * a[i, j] (lower triangle of a symmetric matrix, null for none) + sum_q v[i, q] v[j, q].
struct Weights {
    const double* a;
    double scale;
    const double* v;
    std::size_t width;
};

/// out[s] += sum over pairs (i, j), i in begin..end and j < n counted with both orders, of weight_ij dk(x_i, x_j) / dtheta_s.
/// Each pair is visited once; no derivative is stored. Where rows and columns differ, all pairs weigh scale * a[i, j], a of shape (n, m).
void gradient_trace(const Program& k, const Weights& weights, std::size_t begin, std::size_t end, double* out);

/// out[i, j, s] = dk(x_i, x_j) / dtheta_s, rows begin..end, shape (n, m, slots).
void gradient(const Program& k, std::size_t slots, std::size_t begin, std::size_t end, double* out);

}  // namespace novum::kernels
