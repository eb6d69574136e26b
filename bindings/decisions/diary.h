// The diary of a learner from experience, as arrays.
#pragma once
#include <string_view>
#include <vector>

#include "../arrays.h"
#include "novum/decisions/diary.h"

template <class T>
nb::ndarray<nb::numpy, T> copied(const std::vector<T>& from, std::initializer_list<std::size_t> shape) {
    auto* kept = new std::vector<T>(from);
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T>(kept->data(), shape, owner);
}

template <class T>
nb::ndarray<nb::numpy, T> copied(const std::vector<T>& from) {
    return copied(from, {from.size()});
}

/// (entries, cells); no entries, no cells.
template <class T>
nb::ndarray<nb::numpy, T> by_entry(const novum::decisions::Diary& diary, const std::vector<T>& from) {
    const std::size_t entries = diary.episodes.size();
    return copied(from, {from.empty() ? 0 : entries, from.empty() ? 0 : from.size() / entries});
}

inline void bind_diary(nb::module_& m) {
    using novum::decisions::Diary;
    using nb::literals::operator""_a;
    nb::class_<Diary>(m, "Diary", "What a learner lived through, and what it knew on the way.")
        .def(
            "__init__",
            [](Diary* self, std::int64_t every, std::size_t most) {
                require(every > 0, "diary: at least an episode between two entries");
                new (self) Diary{every, most, {}, {}, {}, {}, {}, {}, {}, {}, {}};
            },
            "every"_a, "most"_a)
        .def_prop_ro(
            "episodes", [](const Diary& d) { return copied(d.episodes); }, "Episodes that were over at each entry.")
        .def_prop_ro(
            "values", [](const Diary& d) { return by_entry(d, d.values); }, "The values at each entry.")
        .def_prop_ro(
            "counts", [](const Diary& d) { return by_entry(d, d.counts); }, "The visits at each entry.")
        .def_prop_ro(
            "episode", [](const Diary& d) { return copied(d.episode); }, "Of each transition.")
        .def_prop_ro(
            "state", [](const Diary& d) { return copied(d.state); }, "Where each began.")
        .def_prop_ro(
            "action", [](const Diary& d) { return copied(d.action); }, "What was done.")
        .def_prop_ro(
            "reward", [](const Diary& d) { return copied(d.reward); }, "What it paid.")
        .def_prop_ro(
            "next", [](const Diary& d) { return copied(d.next); }, "Where it led.")
        .def_prop_ro("ended", [](const Diary& d) { return copied(d.ended); }, "Whether the episode was over.");
}
