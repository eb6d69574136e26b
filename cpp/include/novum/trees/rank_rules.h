// What the coded grower computes of a node's rows, by kind of target: two classes in whole numbers, classes with any weights, numbers.
//
// `load` reads the rows of a node; `search` finds its best cut of a column, `split` judges a given one. Gains of one node compare with each
// other if they differ by more than `margin`, which is rounding; `decrease` makes of a gain the fall of weight times impurity.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "novum/trees/rank_kernels.h"
#include "novum/trees/ranks.h"

namespace novum::coded {

inline constexpr double ROUNDING = 1e-12;  // thousands of roundings

// The largest weight of a row, so that PAIRS of them sum up in 16 bits, rounded down.
inline constexpr double MOST_COUNT = 0xFFFF / PAIRS;  // NOLINT(bugprone-integer-division)

/// Whether sums of these weights (null: ones) are exact: whole numbers below 2^53. What is right of a cut is then a difference, too.
bool add_exactly(const double* weight, std::size_t n);

/// Codes up to `limit` go left.
struct Cut {
    double gain = -1;
    std::uint16_t limit = 0;
    bool found() const { return gain >= 0; }
};

struct Node {
    std::size_t rows = 0;
    double weight = 0, impurity = 0;
    bool pure = true;
};

/// How a range of codes is cut into bins.
struct Binning {
    std::uint16_t low;
    int shift;
    std::size_t bins;
    explicit Binning(Range range);
    std::size_t bin(std::uint16_t c) const { return static_cast<std::size_t>(c - low) >> shift; }
    std::uint16_t limit(std::size_t b) const { return static_cast<std::uint16_t>(low + ((b + 1) << shift) - 1); }
};

/// Two classes whose rows have whole weights: counts in one word.
class TwoClasses {
  public:
    static bool fits(const Target& target, const double* weight);
    TwoClasses(const Target& target, const double* weight, std::size_t most_rows, Least least);
    Node load(const std::uint32_t* row, std::size_t m);
    Cut search(const std::uint16_t* c, Range range);
    Cut split(const std::uint16_t* c, std::uint16_t limit) const;
    double decrease(double gain) const;
    double margin() const;
    void value(double* out) const;
    std::size_t width() const { return 2; }

  private:
    template <class Count>
    std::ptrdiff_t choose(const Count* left, const Count* left_s, const Count* left_rows, std::size_t k, const std::uint16_t* c,
                          double& gain) const;
    double entropy_gain(double left, double left_s) const;

    const Target& target;
    const Least least;
    const bool entropy;
    std::vector<std::uint32_t> tag;     // per row of the table: weight << 1 | class
    std::vector<std::uint64_t> packed;  // per row of the node: rows, weight, weight of the second class
    std::vector<std::uint64_t> bins;
    std::uint16_t w[PAIRS], p[PAIRS];
    Node node;
    double second = 0;
};

/// A few classes whose rows have whole weights, and Gini's impurity: counts of every class left of all cuts at once.
class FewClasses {
  public:
    static constexpr std::size_t MOST = 32;  // classes: every one costs a pass over the cuts
    static bool fits(const Target& target, const double* weight);
    FewClasses(const Target& target, const double* weight, std::size_t most_rows, Least least);
    Node load(const std::uint32_t* row, std::size_t m);
    Cut search(const std::uint16_t* c, Range range);
    Cut split(const std::uint16_t* c, std::uint16_t limit) const;
    double decrease(double gain) const { return gain; }
    double margin() const { return ROUNDING * node.weight; }
    void value(double* out) const;
    std::size_t width() const { return target.classes; }

  private:
    const Target& target;
    const Least least;
    std::vector<std::uint32_t> tag;          // per row of the table: weight << 8 | class
    std::vector<std::uint32_t> tags;         // per row of the node
    std::vector<std::uint32_t> bins;         // (bins, classes): weights
    std::vector<std::uint32_t> counts;       // (bins,): rows, where they matter
    std::vector<std::int32_t> left;          // (classes, bins): weights left of the cuts
    std::uint16_t order[PAIRS], w[PAIRS];    // rows of a small node by class, and their weights
    std::uint16_t left_pairs[MOST * PAIRS];  // (classes, rows): weights left of the cuts
    std::vector<std::size_t> start;          // per class: its first place in `order`
    std::vector<double> total;               // per class
    double all_term = 0;                     // sum of the squares of the totals
    Node node;
};

/// Any number of classes, any weights.
class Classes {
  public:
    Classes(const Target& target, const double* weight, std::size_t most_rows, Least least);
    Node load(const std::uint32_t* row, std::size_t m);
    Cut search(const std::uint16_t* c, Range range);
    Cut split(const std::uint16_t* c, std::uint16_t limit);
    double decrease(double gain) const;
    double margin() const;
    void value(double* out) const;
    std::size_t width() const { return target.classes; }

  private:
    struct Sums {
        double weight, term;  // terms: sums over the classes of squares, or of x log x
    };
    void begin();
    void move(std::size_t k, double w);
    void add_right(std::size_t k, double w);
    void take_right(std::size_t at);
    double gain(std::size_t rows) const;

    const Target& target;
    const double* weight;
    const Least least;
    const bool entropy, whole;  // whole weights subtract exactly; others are added up from both ends
    std::vector<double> w;
    std::vector<std::int32_t> code;
    std::vector<std::uint32_t> keys, counts;
    std::vector<double> total, left, right, bins;
    Node node;
    std::vector<Sums> beyond;  // right of the cuts
    double left_weight = 0, right_weight = 0, left_term = 0, right_term = 0, all_term = 0;
};

/// Numbers and the squared error. Targets are rounded to whole multiples of a power of two, fine enough and coarse enough that sums of
/// them with whole weights are exact: rows that count twice and rows that are there twice give the same bits. Leaves hold the mean of
/// the targets as they are.
class Numbers {
  public:
    Numbers(const Target& target, const double* weight, std::size_t most_rows, Least least);
    Node load(const std::uint32_t* row, std::size_t m);
    Cut search(const std::uint16_t* c, Range range);
    Cut split(const std::uint16_t* c, std::uint16_t limit) const;
    double decrease(double gain) const;
    double margin() const;
    void value(double* out) const { *out = mean; }
    std::size_t width() const { return 1; }

  private:
    struct Cell {
        double w, wy;
    };
    const Target& target;
    const double* weight;
    const Least least;
    const bool whole;  // weights, as for classes
    std::vector<Cell> cell;
    std::vector<double> w, wy;
    std::vector<Cell> bins;
    std::vector<std::uint32_t> counts;
    Node node;
    double mean = 0, sum = 0, center = 0, scale = 1;
};

}  // namespace novum::coded
