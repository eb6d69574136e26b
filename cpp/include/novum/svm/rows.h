// Where the solver gets rows of the kernel matrix from: points in memory, sparse points, or a matrix that somebody else computed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "novum/kernels/points.h"
#include "novum/runtime/team.h"

namespace novum::svm {

class Rows {
  public:
    virtual ~Rows() = default;
    virtual std::size_t size() const = 0;
    virtual double diagonal(std::size_t i) const = 0;
    /// Threads that may help, or null.
    virtual Team* helpers() { return nullptr; }
    /// Write the kernels of points index[0..count-1] with all points to out[0..count-1].
    virtual void compute(const std::int32_t* index, std::size_t count, float* const* out) = 0;
    virtual void compute(const std::int32_t* index, std::size_t count, double* const* out) = 0;
    /// The same for some of the points only.
    virtual std::unique_ptr<Rows> some(std::span<const std::int32_t> points) const = 0;
    /// out[t] = sum over s of weight[s] k(target_t, source_s), in double precision.
    virtual void weigh(std::span<const std::int32_t> target, std::span<const std::int32_t> source, const double* weight, double* out) = 0;
};

/// Rows of dense points, by both the caller and the helpers of a team.
class DenseRows final : public Rows {
  public:
    DenseRows(const kernels::Function& f, const double* x, std::size_t n, std::size_t columns, Team& team);
    DenseRows(const kernels::Function& f, std::vector<double> x, std::size_t columns, Team& team);
    std::size_t size() const override { return points.count; }
    double diagonal(std::size_t i) const override;
    Team* helpers() override { return &team; }
    void compute(const std::int32_t* index, std::size_t count, float* const* out) override { write(index, count, out); }
    void compute(const std::int32_t* index, std::size_t count, double* const* out) override { write(index, count, out); }
    std::unique_ptr<Rows> some(std::span<const std::int32_t> points) const override;
    void weigh(std::span<const std::int32_t> target, std::span<const std::int32_t> source, const double* weight, double* out) override;

  private:
    template <class Out>
    void write(const std::int32_t* index, std::size_t count, Out* const* out);

    kernels::Function f;
    std::vector<double> own;
    const double* x;
    kernels::Points points;
    Team& team;
    std::vector<double> block, squares;
};

/// Points in compressed rows.
struct Compressed {
    const double* values;
    const std::int32_t* columns;
    const std::int64_t* starts;  // one more than there are points
    std::size_t count, width;
};

/// Rows of points in compressed rows, `chosen` of them.
class SparseRows final : public Rows {
  public:
    SparseRows(const kernels::Function& f, const Compressed& x, std::vector<std::int32_t> chosen, Team& team);
    std::size_t size() const override { return chosen.size(); }
    double diagonal(std::size_t i) const override;
    Team* helpers() override { return &team; }
    void compute(const std::int32_t* index, std::size_t count, float* const* out) override { write(index, count, out); }
    void compute(const std::int32_t* index, std::size_t count, double* const* out) override { write(index, count, out); }
    std::unique_ptr<Rows> some(std::span<const std::int32_t> points) const override;
    void weigh(std::span<const std::int32_t> target, std::span<const std::int32_t> source, const double* weight, double* out) override;

  private:
    template <class Out>
    void write(const std::int32_t* index, std::size_t count, Out* const* out);
    template <class Take>
    void pass(const std::int32_t* index, std::size_t count, std::span<const std::int32_t> others, Take&& take);

    kernels::Function f;
    Compressed x;
    std::vector<std::int32_t> chosen;
    Team& team;
    std::vector<double> squares, scattered;
    std::vector<std::int32_t> every;
};

/// Rows of a matrix in memory, of the `chosen` points.
class GramRows final : public Rows {
  public:
    GramRows(const double* gram, std::size_t n, std::vector<std::int32_t> chosen) : gram(gram), n(n), chosen(std::move(chosen)) {}
    std::size_t size() const override { return chosen.size(); }
    double diagonal(std::size_t i) const override { return entry(i, i); }
    void compute(const std::int32_t* index, std::size_t count, float* const* out) override { write(index, count, out); }
    void compute(const std::int32_t* index, std::size_t count, double* const* out) override { write(index, count, out); }
    std::unique_ptr<Rows> some(std::span<const std::int32_t> points) const override;
    void weigh(std::span<const std::int32_t> target, std::span<const std::int32_t> source, const double* weight, double* out) override;

  private:
    template <class Out>
    void write(const std::int32_t* index, std::size_t count, Out* const* out);
    double entry(std::size_t i, std::size_t j) const {
        return gram[static_cast<std::size_t>(chosen[i]) * n + static_cast<std::size_t>(chosen[j])];
    }

    const double* gram;
    std::size_t n;
    std::vector<std::int32_t> chosen;
};

}  // namespace novum::svm
