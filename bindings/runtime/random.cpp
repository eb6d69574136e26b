#include "novum/runtime/random.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>

namespace nb = nanobind;
using namespace nb::literals;
namespace rng = novum::rng;

namespace {

// One number per row, or rows x columns.
template <class T>
using Out = nb::ndarray<T, nb::c_contig, nb::device::cpu>;

template <class T>
std::size_t columns_of(const Out<T>& out, std::uint64_t start_row) {
    if (out.ndim() != 1 && out.ndim() != 2) throw nb::value_error("random: `out` must have one dimension or two");
    const std::size_t columns = out.ndim() == 2 ? out.shape(1) : 1;
    if (columns > rng::MAX_COLUMNS) throw nb::value_error("random: at most 2^21 columns");
    if (start_row > rng::MAX_ROWS || out.shape(0) > rng::MAX_ROWS - start_row) throw nb::value_error("random: at most 2^44 rows");
    return columns;
}

template <class T, void (*Fill)(const rng::Stream&, std::uint64_t, std::size_t, std::span<T>)>
void fill(std::uint64_t seed, std::uint32_t purpose, std::uint32_t iteration, std::uint64_t start_row, Out<T> out) {
    const std::size_t columns = columns_of(out, start_row);
    nb::gil_scoped_release release;
    Fill({seed, purpose, iteration}, start_row, columns, {out.data(), out.size()});
}

void below(std::uint64_t seed, std::uint32_t purpose, std::uint32_t iteration, std::uint64_t start_row, std::uint64_t n,
           Out<std::int64_t> out) {
    const std::size_t columns = columns_of(out, start_row);
    if (n == 0 || n > (std::uint64_t(1) << 63)) throw nb::value_error("below: n must be between 1 and 2^63");
    nb::gil_scoped_release release;
    rng::fill_below({seed, purpose, iteration}, start_row, columns, n, {out.data(), out.size()});
}

void permutation(std::uint64_t seed, std::uint32_t purpose, std::uint32_t iteration,
                 nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> out) {
    if (out.size() > rng::MAX_ROWS) throw nb::value_error("random: at most 2^44 rows");
    nb::gil_scoped_release release;
    rng::permutation({seed, purpose, iteration}, {out.data(), out.size()});
}

}  // namespace

void bind_runtime_random(nb::module_& m) {
    m.def("philox", &rng::philox, "counter"_a, "key"_a, "Return the four words of the Philox4x32-10 block of a counter.");
    m.def("normal_quantile", &rng::normal_quantile, "p"_a, "Return the quantile of the standard normal at 0 < p < 1.");
#define NOVUM_FILL(name, T, fill_name, ...)                                                    \
    m.def(name, &fill<T, rng::fill_name>, "seed"_a, "purpose"_a, "iteration"_a, "start_row"_a, \
          "out"_a.noconvert() __VA_OPT__(, ) __VA_ARGS__)
    NOVUM_FILL("bits", std::uint64_t, fill_bits, "Fill `out` with 64 random bits per place.");
    NOVUM_FILL("uniform", double, fill_uniform<double>, "Fill `out` with uniform numbers from [0, 1).");
    NOVUM_FILL("uniform", float, fill_uniform<float>);
    NOVUM_FILL("normal", double, fill_normal<double>, "Fill `out` with standard normal numbers.");
    NOVUM_FILL("normal", float, fill_normal<float>);
    NOVUM_FILL("exponential", double, fill_exponential<double>, "Fill `out` with standard exponential numbers.");
    NOVUM_FILL("exponential", float, fill_exponential<float>);
#undef NOVUM_FILL
    m.def("below", &below, "seed"_a, "purpose"_a, "iteration"_a, "start_row"_a, "n"_a, "out"_a.noconvert(),
          "Fill `out` with integers 0, ..., n - 1.");
    m.def("permutation", &permutation, "seed"_a, "purpose"_a, "iteration"_a, "out"_a.noconvert(),
          "Fill `out` with a permutation of 0, ..., out.size - 1.");
}
