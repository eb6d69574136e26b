#include "novum/kernels/counts.h"

#include "../arrays.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>

#include <tuple>
#include <utility>
#include <vector>

namespace kn = novum::kernels;
using namespace nb::literals;

namespace {

template <class T>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
Out<T> array_of(std::vector<T>&& values) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Out<T>(owned->data(), {owned->size()}, owner);
}

std::tuple<Out<std::int64_t>, Out<std::int64_t>, Out<double>, std::size_t> words(Vector<const std::uint32_t> symbols,
                                                                                 Vector<const std::int64_t> ends,
                                                                                 Matrix<const std::int32_t> patterns, int bits) {
    require(patterns.shape(0) > 0 && patterns.shape(1) > 0 && bits > 0 && bits <= 32, "counts: a pattern of at least one place");
    for (std::size_t p = 0; p < patterns.shape(0); ++p)
        for (std::size_t d = 0; d < patterns.shape(1); ++d) {
            const std::int32_t* row = patterns.data() + p * patterns.shape(1);
            require(d ? row[d] > row[d - 1] : row[0] == 0, "counts: places from zero on, in order");
        }
    std::int64_t last = 0;
    for (std::size_t i = 0; i < ends.shape(0); ++i) {
        require(ends.data()[i] >= last, "counts: sequences one behind the other");
        last = ends.data()[i];
    }
    require(static_cast<std::size_t>(last) <= symbols.shape(0), "counts: sequences end within the symbols");
    for (std::size_t s = 0; bits < 32 && s < symbols.shape(0); ++s)
        require(symbols.data()[s] >> bits == 0, "counts: symbols of the given bits");
    kn::Counts found;
    {
        nb::gil_scoped_release release;
        found = kn::words(symbols.data(), ends.data(), ends.shape(0), patterns.data(), patterns.shape(0), patterns.shape(1), bits);
    }
    return {array_of(std::move(found.pointer)), array_of(std::move(found.column)), array_of(std::move(found.count)), found.vocabulary};
}

/// Raise unless pointers describe rows of entries whose other index is below `limit`.
void rows_fit(const Vector<const std::int64_t>& pointer, const Vector<const std::int64_t>& index, std::size_t limit) {
    require(pointer.shape(0) > 0 && pointer.data()[0] == 0, "counts: pointers from zero on");
    for (std::size_t i = 1; i < pointer.shape(0); ++i) require(pointer.data()[i] >= pointer.data()[i - 1], "counts: pointers in order");
    require(static_cast<std::size_t>(pointer.data()[pointer.shape(0) - 1]) == index.shape(0), "counts: pointers to every entry");
    for (std::size_t e = 0; e < index.shape(0); ++e)
        require(index.data()[e] >= 0 && static_cast<std::size_t>(index.data()[e]) < limit, "counts: entries within the table");
}

void products(Vector<const std::int64_t> pointer, Vector<const std::int64_t> column, Vector<const double> count,
              Vector<const std::int64_t> by_pointer, Vector<const std::int64_t> by_row, Vector<const double> by_count, bool same,
              Matrix<double> out) {
    const std::size_t n = out.shape(0), m = out.shape(1);
    require(pointer.shape(0) == n + 1 && by_pointer.shape(0) > 0 && (!same || n == m), "counts: a row of results per object");
    rows_fit(pointer, column, by_pointer.shape(0) - 1);
    rows_fit(by_pointer, by_row, m);
    require(count.shape(0) == column.shape(0) && by_count.shape(0) == by_row.shape(0), "counts: a count per entry");
    nb::gil_scoped_release release;
    kn::products(pointer.data(), column.data(), count.data(), n, by_pointer.data(), by_row.data(), by_count.data(), m, same, out.data());
}

std::uint32_t refine(Vector<const std::int64_t> pointer, Vector<const std::int64_t> neighbor, Vector<const std::uint32_t> label,
                     Vector<std::uint32_t> refined) {
    const std::size_t n = label.shape(0);
    require(pointer.shape(0) == n + 1 && refined.shape(0) == n, "counts: a label per node");
    rows_fit(pointer, neighbor, n);
    nb::gil_scoped_release release;
    return kn::refine(pointer.data(), neighbor.data(), n, label.data(), refined.data());
}

}  // namespace

void bind_kernels_counts(nb::module_& m) {
    m.def("words", &words, "symbols"_a.noconvert(), "ends"_a.noconvert(), "patterns"_a.noconvert(), "bits"_a,
          "Count the words of sequences: pointers, columns, counts, size of the vocabulary.");
    m.def("products", &products, "pointer"_a.noconvert(), "column"_a.noconvert(), "count"_a.noconvert(), "by_pointer"_a.noconvert(),
          "by_row"_a.noconvert(), "by_count"_a.noconvert(), "same"_a, "out"_a.noconvert(), "Inner products of sparse rows.");
    m.def("refine", &refine, "pointer"_a.noconvert(), "neighbor"_a.noconvert(), "label"_a.noconvert(), "refined"_a.noconvert(),
          "One round of relabelling; returns the number of labels.");
}
