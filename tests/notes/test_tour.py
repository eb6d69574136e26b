"""The tour: every stop agrees with the page or with its reference, is quick, and a difference would show."""

from time import perf_counter

import pytest

from novum.notes import errata, tour
from novum.notes.stops import Tour, stops
from novum.notes.stops.registry import Stop, agrees_with, see, value_text

QUICK = 0.2  # seconds


@pytest.mark.parametrize("stop", stops(), ids=lambda stop: f"{stop.notes}-{stop.place}-{stop.compute.__name__}")
def test_stop_agrees_and_is_quick(stop):
    stop.compute()  # imports
    times = []
    while not times or (min(times) >= QUICK and len(times) < 5):  # a busy machine makes one try slow, not five
        begin = perf_counter()
        visited = see(stop)
        times.append(perf_counter() - begin)
    assert visited.agrees, f"{stop.label}: {visited.value}, notes {stop.printed}, reference {stop.reference}"
    assert min(times) < QUICK
    assert stop.printed != "-" or stop.reference is not None
    assert not stop.erratum or stop.erratum in {e.id for e in errata()}


def test_the_whole_tour_prints():
    whole = tour()
    text = repr(whole)
    assert not whole.differing and "DIFFER" not in text
    assert "fuel gauge: P(empty | gauge empty)" in text and ".2571        notes .257" in text
    assert "notes .245, a misprint: docs/errata.md#001-2.1" in text
    assert text.splitlines()[-1].startswith(f"{len(whole.visited)} stops, ")
    printed = sum(stop.printed != "-" for stop, *_ in whole.visited)
    body = text.splitlines()[2:-1]
    assert (
        sum(f" notes {one.printed}" in line for line, (one, *_) in zip(body, whole.visited)) == printed
        and sum(" ours" in line for line in body) == len(body) - printed
    )
    assert f"{printed} numbers that the notes print (2 misprinted), {len(body) - printed} examples of ours" in text
    assert whole._repr_html_().startswith("<pre>")


def test_a_difference_is_visible():
    wrong = see(Stop("000", "1", "two and two", lambda: 5.0, "4", "", None, "", ""))
    text = repr(Tour([wrong], 0.0))
    assert not wrong.agrees and "DIFFERS" in text and "1 stop, 1 DIFFER" in text
    healed = see(Stop("000", "1", "an erratum that is none", lambda: 4.0, "4", "", None, "", "000-4"))
    assert not healed.agrees


def test_numbers_are_rounded_to_what_is_printed():
    assert agrees_with(0.2571428, ".257") and not agrees_with(0.2467, ".245") and agrees_with(2.980346, "2.98")
    assert agrees_with(3.0, "3") and agrees_with("0 0 1", "0 0 1") and not agrees_with(2.985346, "2.98")
    assert [value_text(v) for v in (0.2571428, 3.0, 2.980346, "x", -0.5)] == [".2571", "3", "2.98", "x", "-.5000"]
