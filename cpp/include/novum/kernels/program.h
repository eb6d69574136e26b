// A kernel as a short program over pairs of points: leaves compare two points, operations combine what leaves say.
//
//   constant  c            white  s [same point]          linear  x'z + c
//   rbf  exp(-r^2 / 2)     matern12  exp(-r)              matern32  (1 + a) exp(-a), a = sqrt(3) r
//   matern52  (1 + a + a^2 / 3) exp(-a), a = sqrt(5) r    laplacian  exp(-sum_j |x_j - z_j| / l_j)
//   rational  (1 + r^2 / (2 alpha))^-alpha                periodic  exp(-2 sin^2(pi d / p) / l^2), d the plain distance
//   sum, product, power k^e, exponential e^k, polynomial (g k + c)^e, sigmoid tanh(g k + c)                                  (1)
//
// r^2 = sum_j (x_j - z_j)^2 / l_j^2, taken from differences: no digits cancel where points are near each other and far from the origin.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace novum::kernels {

enum class Op : std::int32_t {
    constant,
    white,
    linear,
    rbf,
    matern12,
    matern32,
    matern52,
    laplacian,
    rational,
    periodic,
    sum,
    product,
    power,
    exponential,
    polynomial,
    sigmoid,
};
inline constexpr std::int32_t OPS = 16;

inline constexpr std::size_t ROWS = 8, COLUMNS = 64, TILE = ROWS * COLUMNS;  // pairs that are computed together, in first-level cache

/// One step of (1). Operations stand behind what they combine.
struct Node {
    Op op;
    std::int32_t left, right;  // operands, by place
    std::int32_t source;       // which points a leaf compares
    std::size_t first;         // of its numbers: see `numbers_of`
    std::int32_t slot[2];      // where derivatives go, or -1: of the scale or first number, and of the second
    std::int32_t each_column;  // whether slot[0] is the first of a slot per column
};

/// LeafPoints of one leaf, divided by its length scales: rows as they are, columns in panels of COLUMNS.
struct LeafPoints {
    std::size_t d = 0;
    std::vector<double> rows;    // (n, d)
    std::vector<double> panels;  // (panels, d, COLUMNS), zero behind the last point
};

/// What a leaf compares: n rows with m columns; no columns means the rows with themselves.
struct Source {
    const double* rows;
    const double* columns;
    std::size_t d;
};

class Program {
  public:
    /// Pack the points of every leaf. O((n + m) d) per leaf.
    Program(std::vector<Node> nodes, std::vector<double> numbers, const std::vector<Source>& sources, std::size_t n, std::size_t m,
            bool same);

    std::vector<Node> nodes;
    std::vector<double> numbers;
    std::vector<LeafPoints> points;  // by node
    std::size_t n, m;
    bool same;  // rows and columns are the same points: white noise shows on the diagonal

    std::size_t panels() const { return (m + COLUMNS - 1) / COLUMNS; }
};

/// Return how many numbers a node has before its length scales (`scales` says whether d of those follow).
std::size_t numbers_of(Op op, bool& scales);

}  // namespace novum::kernels
