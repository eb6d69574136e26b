"""Labels that differ only in how they are written are one class: "YES", "Yes" and " yes".

Two labels are one where they are equal after Unicode's compatibility form, without blanks at the ends or twice inside, in lower
case. The class is called as most of its rows write it. Not merged, since there the case may be the meaning, and noted instead:

    single letters (a and A may be two letters), but for those of yes and no and true and false;
    labels of which only one class would be left (the genotypes AA, Aa and aa).
"""

import unicodedata

import numpy as np

__all__ = ["find_label", "one_spelling"]

ANSWERS = set("yntfjos")  # first letters of yes, no, true, false in several languages
MOST_NAMED = 3


def plain(label: str) -> str:
    """Return what two spellings of a label share."""
    return " ".join(unicodedata.normalize("NFKC", label).split()).casefold()


def one_spelling(y: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Return labels of text with one spelling for every class, and sentences about those that had several."""
    labels, codes, counts = np.unique(y, return_inverse=True, return_counts=True)
    forms: dict[str, list[int]] = {}
    for place, label in enumerate(labels):
        forms.setdefault(plain(str(label)), []).append(place)
    several = {form: places for form, places in forms.items() if len(places) > 1}
    if not several:
        return y, []
    letters = {form for form in forms if len(form) == 1}
    if len(forms) < 2 or (letters & set(several) and not letters <= ANSWERS):
        places = next(iter(several.values()))
        return y, [f"{named(labels, places)} differ only in how they are written and count as different classes"]
    chosen, notes = labels.copy(), []
    for places in several.values():
        usual = max(places, key=lambda place: int(counts[place]))
        chosen[places] = labels[usual]
        notes.append(f"{named(labels, places)} differ only in how they are written: one class, {str(labels[usual])!r}")
    return chosen[codes], notes


def named(labels: np.ndarray, places: list[int]) -> str:
    """Return some labels for a sentence."""
    words = [repr(str(labels[place])) for place in places[:MOST_NAMED]]
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


def find_label(wanted: object, labels: list[str]) -> int | None:
    """Return the place of a label as a user writes it: exactly, or else the one that differs only in the spelling."""
    if str(wanted) in labels:
        return labels.index(str(wanted))
    alike = [place for place, label in enumerate(labels) if plain(label) == plain(str(wanted))]
    return alike[0] if len(alike) == 1 else None
