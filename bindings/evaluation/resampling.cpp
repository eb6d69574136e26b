#include "novum/evaluation/resampling.h"
#include "../arrays.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>
#include <vector>

using namespace nb::literals;
namespace rs = novum::resampling;

namespace {

using Weights = std::optional<Vector<const double>>;

template <class T>
std::span<const T> span(const Vector<const T>& v) {
    return {v.data(), v.size()};
}

std::span<const double> span(const Weights& w) { return w ? span<double>(*w) : std::span<const double>(); }

void check_rows(std::size_t n) {
    if (n == 0 || n >= rs::MAX_ROWS) throw nb::value_error("resampling: between 1 and 2^31 - 1 rows");
}

void rows(std::uint64_t seed, std::uint32_t purpose, std::uint32_t resample, Vector<std::int64_t> out) {
    check_rows(out.size());
    nb::gil_scoped_release release;
    rs::rows({seed, purpose, resample}, {out.data(), out.size()});
}

void counts(std::uint64_t seed, std::uint32_t purpose, std::uint32_t first, Matrix<rs::Count> out) {
    check_rows(out.shape(1));
    nb::gil_scoped_release release;
    for (std::uint32_t r = 0; r < out.shape(0); ++r) rs::counts({seed, purpose, first + r}, {out.data() + r * out.shape(1), out.shape(1)});
}

void sums(std::uint64_t seed, std::uint32_t purpose, std::uint32_t first, Matrix<const double> columns, Matrix<double> out) {
    check_rows(columns.shape(1));
    if (out.shape(1) != columns.shape(0)) throw nb::value_error("resampling: one sum per column");
    nb::gil_scoped_release release;
    std::vector<rs::Count> scratch(columns.shape(1));
    rs::sums({seed, purpose, first}, static_cast<std::uint32_t>(out.shape(0)), {columns.data(), columns.size()}, columns.shape(1), scratch,
             out.data());
}

void cells(std::uint64_t seed, std::uint32_t purpose, std::uint32_t first, Vector<const std::int32_t> code, Weights weight,
           Matrix<double> out) {
    check_rows(code.size());
    if (weight && weight->size() != code.size()) throw nb::value_error("resampling: one weight per row");
    const auto coded = span<std::int32_t>(code);
    const auto [least, most] = std::minmax_element(coded.begin(), coded.end());
    if (*least < 0 || static_cast<std::size_t>(*most) >= out.shape(1)) throw nb::value_error("resampling: a code outside of the cells");
    nb::gil_scoped_release release;
    rs::cells({seed, purpose, first}, static_cast<std::uint32_t>(out.shape(0)), coded, span(weight), out.shape(1), out.data());
}

struct Ranked {
    Vector<const std::int32_t> order;
    Vector<const std::uint8_t> positive, last;
    Weights weight;

    rs::Ranking checked() const {
        const std::size_t n = order.size();
        check_rows(n);
        if (positive.size() != n || last.size() != n || (weight && weight->size() != n))
            throw nb::value_error("resampling: one place, label, end and weight per row");
        const auto placed = span<std::int32_t>(order);
        const auto [least, most] = std::minmax_element(placed.begin(), placed.end());
        if (*least < 0 || static_cast<std::size_t>(*most) >= n) throw nb::value_error("resampling: a place outside of the rows");
        return {placed, span<std::uint8_t>(positive), span<std::uint8_t>(last), span(weight)};
    }
};

void check_areas(const Matrix<double>& out) {
    if (out.shape(1) != 3) throw nb::value_error("resampling: three areas per line");
}

void ranking(std::uint64_t seed, std::uint32_t purpose, std::uint32_t first, Vector<const std::int32_t> order,
             Vector<const std::uint8_t> positive, Vector<const std::uint8_t> last, Weights weight, bool precision, Matrix<double> out) {
    const Ranked given{order, positive, last, weight};
    const rs::Ranking ranked = given.checked();
    check_areas(out);
    nb::gil_scoped_release release;
    std::vector<rs::Count> scratch(order.size());
    rs::ranking({seed, purpose, first}, static_cast<std::uint32_t>(out.shape(0)), ranked, precision, scratch, out.data());
}

void areas(Matrix<const rs::Count> counts, Vector<const std::int32_t> order, Vector<const std::uint8_t> positive,
           Vector<const std::uint8_t> last, Weights weight, bool precision, Matrix<double> out) {
    const Ranked given{order, positive, last, weight};
    const rs::Ranking ranked = given.checked();
    check_areas(out);
    if (counts.shape(0) != out.shape(0) || counts.shape(1) != order.size())
        throw nb::value_error("resampling: a count per row, a line per result");
    nb::gil_scoped_release release;
    rs::areas({counts.data(), counts.size()}, ranked, precision, out.data());
}

}  // namespace

void bind_evaluation_resampling(nb::module_& m) {
    m.def("rows", &rows, "seed"_a, "purpose"_a, "resample"_a, "out"_a.noconvert(), "Write the rows of a resample, as drawn.");
    m.def("counts", &counts, "seed"_a, "purpose"_a, "first"_a, "out"_a.noconvert(),
          "Write how often each row is drawn, a resample per line.");
    m.def("sums", &sums, "seed"_a, "purpose"_a, "first"_a, "columns"_a.noconvert(), "out"_a.noconvert(),
          "Write the sum of every column (a line each) over the rows of every resample.");
    m.def("cells", &cells, "seed"_a, "purpose"_a, "first"_a, "code"_a.noconvert(), "weight"_a.none().noconvert(), "out"_a.noconvert(),
          "Write the weight that every resample has in every cell.");
    m.def("ranking", &ranking, "seed"_a, "purpose"_a, "first"_a, "order"_a.noconvert(), "positive"_a.noconvert(), "last"_a.noconvert(),
          "weight"_a.none().noconvert(), "precision"_a, "out"_a.noconvert(),
          "Write the areas under ROC and (with `precision`) under PR by steps and by trapezoids, a resample per line.");
    m.def("areas", &areas, "counts"_a.noconvert(), "order"_a.noconvert(), "positive"_a.noconvert(), "last"_a.noconvert(),
          "weight"_a.none().noconvert(), "precision"_a, "out"_a.noconvert(),
          "Write the same areas for given counts of the rows, a line each.");
}
