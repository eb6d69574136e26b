// Log densities that are compiled: chains call them without Python, one thread each.
//
//     log p(theta) = -sum_i w_i loss(y_i, [x_i, c] theta) - precision |theta|^2/2                logistic regression             (1)
#pragma once
#include <cstddef>
#include <cstdint>

#include "novum/linear_model/logistic.h"
#include "novum/sampling/walker.h"

namespace novum::sampling {

class Density {
  public:
    virtual ~Density() = default;
    /// The log density at x, up to a constant, and its gradient. Called by several threads at once.
    virtual double operator()(const double* x, double* gradient) const = 0;
    virtual std::size_t dimension() const = 0;
};

/// A function of somebody else's: value from (d, x, gradient to fill, data).
class ForeignDensity : public Density {
  public:
    using Function = double (*)(int, double*, double*, void*);
    ForeignDensity(Function function, void* data, std::size_t d) : function(function), data(data), d(d) {}
    double operator()(const double* x, double* gradient) const override {
        return function(static_cast<int>(d), const_cast<double*>(x), gradient, data);
    }
    std::size_t dimension() const override { return d; }

  private:
    Function function;
    void* data;
    std::size_t d;
};

/// (1), with the intercept last where there is one.
template <class Real>
class LogisticDensity : public Density {
  public:
    LogisticDensity(const Real* X, Labels labels, std::size_t rows, std::size_t p, bool intercept, double precision)
        : X(X), labels(labels), rows(rows), p(p), intercept(intercept), precision(precision) {}
    double operator()(const double* x, double* gradient) const override;
    std::size_t dimension() const override { return p + intercept; }

  private:
    const Real* X;
    Labels labels;
    std::size_t rows, p;
    bool intercept;
    double precision;
};

/// Run a chain to its end; false where the density was +inf. Polls for interrupts.
bool drive(Walker& walker, const Density& density);

/// Pass a density to a chain; NaN counts as outside the support. False where the density is +inf, which no density is in its bulk.
bool tell(Walker& walker, double log_prob, const double* gradient);

}  // namespace novum::sampling
