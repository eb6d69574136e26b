// The losses of novum/linear_model/sgd.h: value and slope at f for a target y; labels are -1 and +1. O(1).
#pragma once
#include <cmath>

#include "novum/runtime/simd.h"

namespace novum::sgd {

struct Hinge {
    double edge;  // 1: support vector machine, 0: perceptron
    NOVUM_INLINE double value(double f, double y) const { return y * f <= edge ? edge - y * f : 0.0; }
    NOVUM_INLINE double slope(double f, double y) const { return y * f <= edge ? -y : 0.0; }
};

/// The perceptron that counts f = 0 as a prediction of +1, where Hinge at edge 0 counts it as a mistake.
struct Sign {
    double edge;
    NOVUM_INLINE double value(double f, double y) const { return (f >= 0) == (y > 0) ? 0.0 : std::fabs(f); }
    NOVUM_INLINE double slope(double f, double y) const { return (f >= 0) == (y > 0) ? 0.0 : -y; }
};

struct SquaredHinge {
    double edge;
    NOVUM_INLINE double value(double f, double y) const { return y * f < edge ? (edge - y * f) * (edge - y * f) : 0.0; }
    NOVUM_INLINE double slope(double f, double y) const { return y * f < edge ? -2 * y * (edge - y * f) : 0.0; }
};

struct Log {
    double edge;
    NOVUM_INLINE double value(double f, double y) const {
        const double z = y * f;
        return z > 0 ? std::log1p(std::exp(-z)) : std::log1p(std::exp(z)) - z;
    }
    NOVUM_INLINE double slope(double f, double y) const { return -y / (1 + std::exp(y * f)); }
};

struct ModifiedHuber {
    double edge;
    NOVUM_INLINE double value(double f, double y) const {
        const double z = y * f;
        return z >= 1 ? 0.0 : z >= -1 ? (1 - z) * (1 - z) : -4 * z;
    }
    NOVUM_INLINE double slope(double f, double y) const {
        const double z = y * f;
        return z >= 1 ? 0.0 : z >= -1 ? -2 * y * (1 - z) : -4 * y;
    }
};

struct Squared {
    double edge;
    NOVUM_INLINE double value(double f, double y) const { return (f - y) * (f - y) / 2; }
    NOVUM_INLINE double slope(double f, double y) const { return f - y; }
};

struct Huber {
    double edge;
    NOVUM_INLINE double value(double f, double y) const {
        const double r = std::fabs(f - y);
        return r <= edge ? r * r / 2 : edge * (r - edge / 2);
    }
    NOVUM_INLINE double slope(double f, double y) const {
        const double r = f - y;
        return std::fabs(r) <= edge ? r : std::copysign(edge, r);
    }
};

struct Insensitive {
    double edge;
    NOVUM_INLINE double value(double f, double y) const { return std::fmax(std::fabs(y - f) - edge, 0.0); }
    NOVUM_INLINE double slope(double f, double y) const { return y - f > edge ? -1.0 : f - y > edge ? 1.0 : 0.0; }
};

struct SquaredInsensitive {
    double edge;
    NOVUM_INLINE double value(double f, double y) const {
        const double r = std::fmax(std::fabs(y - f) - edge, 0.0);
        return r * r;
    }
    NOVUM_INLINE double slope(double f, double y) const {
        const double r = f - y;
        return r > edge ? 2 * (r - edge) : r < -edge ? 2 * (r + edge) : 0.0;
    }
};

}  // namespace novum::sgd
