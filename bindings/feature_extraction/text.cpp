#include "novum/feature_extraction/text.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <tuple>

namespace nb = nanobind;
using namespace nb::literals;
namespace tx = novum::text;

namespace {

template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

constexpr std::size_t POINTS = 0x110000;

// Bit c: whether Python's re takes code point c for \w.
const std::uint64_t* word_points() {
    static const std::vector<std::uint64_t> bits = [] {
        std::vector<std::uint64_t> out(POINTS / 64);
        for (std::size_t c = 0; c < POINTS; ++c)
            if (c == '_' || Py_UNICODE_ISALNUM(static_cast<Py_UCS4>(c))) out[c / 64] |= std::uint64_t(1) << (c % 64);
        return out;
    }();
    return bits.data();
}

// What Python's str.lower makes of a code point, but for the two (see `PYTHON_LOWERS`) whose case depends on more than themselves.
const std::uint32_t* lower_points() {
    static const std::vector<std::uint32_t> points = [] {
        std::vector<std::uint32_t> out(tx::CASED);
        for (std::uint32_t c = 0; c < tx::CASED; ++c) out[c] = Py_UNICODE_TOLOWER(c);
        return out;
    }();
    return points.data();
}

// The strings' own memory: immutable, and alive as long as the list that the caller holds.
std::vector<tx::Text> texts_of(const nb::list& documents) {
    std::vector<tx::Text> out;
    out.reserve(documents.size());
    for (nb::handle document : documents) {
        PyObject* text = document.ptr();
        if (!PyUnicode_Check(text)) throw nb::type_error("text: documents are str");
        out.push_back({PyUnicode_DATA(text), static_cast<std::size_t>(PyUnicode_GET_LENGTH(text)), static_cast<int>(PyUnicode_KIND(text)),
                       PyUnicode_IS_ASCII(text) != 0});
    }
    return out;
}

template <class T>
Array<T> array_of(std::vector<T>&& values) {
    auto* owned = new std::vector<T>(std::move(values));
    nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Array<T>(owned->data(), {owned->size()}, owner);
}

nb::str string_of(std::string_view term) {
    return nb::steal<nb::str>(PyUnicode_DecodeUTF8(term.data(), static_cast<Py_ssize_t>(term.size()), "surrogatepass"));
}

std::unique_ptr<tx::Terms> terms_of(const nb::list& words) {
    auto out = std::make_unique<tx::Terms>();
    for (nb::handle word : words) {
        PyObject* text = word.ptr();
        if (!PyUnicode_Check(text)) throw nb::type_error("text: terms are str");
        if (PyUnicode_IS_ASCII(text)) {
            out->add({static_cast<const char*>(PyUnicode_DATA(text)), static_cast<std::size_t>(PyUnicode_GET_LENGTH(text))});
            continue;
        }
        nb::object bytes = nb::steal(PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass"));
        if (!bytes.is_valid()) throw nb::python_error();
        out->add({PyBytes_AS_STRING(bytes.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.ptr()))});
    }
    return out;
}

struct Rules {
    bool lower;
    std::size_t shortest, least, most;
    tx::Rules native() const { return {word_points(), lower ? lower_points() : nullptr, shortest, least, most}; }
};

struct Counted {
    tx::Terms terms;  // empty where the terms are given
    std::vector<std::uint32_t> order;
    tx::Counts counts;
};

std::unique_ptr<Counted> count(const nb::list& documents, const Rules& rules, const tx::Terms& stop) {
    const auto texts = texts_of(documents);
    const auto native = rules.native();
    auto out = std::make_unique<Counted>();
    nb::gil_scoped_release release;
    tx::count(texts, native, stop, false, out->terms, out->counts);
    out->order = out->terms.order();
    return out;
}

std::unique_ptr<Counted> count_known(const nb::list& documents, const Rules& rules, const tx::Terms& stop, tx::Terms& terms) {
    const auto texts = texts_of(documents);
    const auto native = rules.native();
    auto out = std::make_unique<Counted>();
    nb::gil_scoped_release release;
    tx::count(texts, native, stop, true, terms, out->counts);
    return out;
}

// The terms of all blocks with their places in the order, and for each block the places of its own.
std::tuple<nb::dict, nb::list> merge(const nb::list& counted) {
    std::vector<tx::Sorted> blocks;
    for (nb::handle item : counted) {
        const Counted* block = nb::cast<const Counted*>(item);
        blocks.push_back({&block->terms, &block->order});
    }
    tx::Merged merged;
    {
        nb::gil_scoped_release release;
        merged = tx::merge(blocks);
    }
    nb::dict words;
    nb::list places;
    std::int64_t place = 0;
    for (const auto& [block, i] : merged.order) {
        nb::object term = string_of((*blocks[block].terms)[i]), number = nb::steal(PyLong_FromLongLong(place++));
        if (!term.is_valid() || !number.is_valid() || PyDict_SetItem(words.ptr(), term.ptr(), number.ptr())) throw nb::python_error();
    }
    for (auto& renumber : merged.renumber) places.append(array_of(std::move(renumber)));
    return {words, places};
}

// The rows of one block, whose counts this takes away.
std::tuple<Array<std::int64_t>, Array<std::int32_t>, Array<std::int32_t>> rows(
    Counted& counted, nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig> place) {
    for (const std::int32_t term : counted.counts.term)
        if (term < 0 || static_cast<std::size_t>(term) >= place.size()) throw nb::value_error("text.rows: place is shorter than the terms");
    {
        nb::gil_scoped_release release;
        counted.counts.renumber(place.data());
    }
    return {array_of(std::move(counted.counts.end)), array_of(std::move(counted.counts.term)), array_of(std::move(counted.counts.count))};
}

std::tuple<Array<std::int64_t>, Array<std::int32_t>, Array<double>, bool> hash(const nb::list& documents, const Rules& rules,
                                                                               const tx::Terms& stop, std::int32_t columns,
                                                                               bool alternate) {
    if (columns < 1) throw nb::value_error("text.hash: columns must be at least 1");
    const auto texts = texts_of(documents);
    const auto native = rules.native();
    tx::Hashed out;
    {
        nb::gil_scoped_release release;
        tx::hash(texts, native, stop, columns, alternate, out);
    }
    return {array_of(std::move(out.end)), array_of(std::move(out.column)), array_of(std::move(out.value)), out.surrogate};
}

}  // namespace

void bind_feature_extraction_text(nb::module_& m) {
    nb::class_<Rules>(m, "Rules", "What counts as a word, and how many words make a term.")
        .def(
            "__init__",
            [](Rules* self, bool lower, std::size_t shortest, std::size_t least, std::size_t most) {
                if (least < 1 || shortest < 1) throw nb::value_error("text.Rules: tokens and terms have at least one part");
                new (self) Rules{lower, shortest, least, most};
            },
            "lower"_a, "shortest"_a, "least"_a, "most"_a);
    nb::class_<tx::Terms>(m, "Terms", "A set of terms.").def("__len__", &tx::Terms::size);
    nb::class_<Counted>(m, "Counted", "Terms of a block of documents, and how often each occurs in each.");
    m.def("terms", &terms_of, "words"_a, "Return a set of words, numbered in their order.");
    m.def("count", &count, "documents"_a, "rules"_a, "stop"_a, "Count the terms of documents.");
    m.def("count_known", &count_known, "documents"_a, "rules"_a, "stop"_a, "terms"_a, "Count those terms of documents that are in a set.");
    m.def("merge", &merge, "counted"_a,
          "Return the terms of all blocks, sorted, with their places, and for each block the places of its own.");
    m.def("rows", &rows, "counted"_a, "place"_a,
          "Take the rows of counts out of a block: ends, columns, counts; `place`: the column of a term.");
    m.def("hash", &hash, "documents"_a, "rules"_a, "stop"_a, "columns"_a, "alternate"_a,
          "Return rows of hashed terms: ends, columns, values; and whether a text cannot be encoded.");
}
