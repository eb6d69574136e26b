"""Numbers as people write them: signs, money, per cent, thousands, units, limits and marks of footnotes.

`1,234` is a thousand where no cell of the column contradicts it, `(1,200)` and `1,200-` are negative, `1.5D+03` is Fortran's
1500, `<5` is read as 5 and `1.5*` as 1.5 where most cells are plain. `1.2K` beside `3M` or `900` is scaled; a unit that all
cells share is left out.
"""

import re
from typing import NamedTuple

from novum.fold.readers.cells.form import NEARLY_ALL, NUMBER, Form, enough

__all__ = ["SCALED", "is_qualified", "number_form", "number_in", "several_units"]

MONEY = "$€£¥₹₽₩₺¢฿₫₴₦₪"
CURRENCIES = "USD EUR GBP CHF JPY CNY RMB INR BRL CAD AUD NZD SEK NOK DKK PLN CZK HUF RON RUB UAH TRY ILS MXN ZAR KRW SGD HKD THB"
BEFORE = rf"(?:{'|'.join(CURRENCIES.split())}|Fr\.?|Rs\.?|kr\.?|(?:US|CA|AU|NZ|HK|S|R|C|A)(?=[{MONEY}]))"
GAPS = "'’\u00a0\u2009\u202f "  # marks of thousands that are no decimal mark in any country
EXPONENT = r"(?:[eEdD][-+]?\d+)?"
POINT = re.compile(
    rf"[-+]?(?:\d{{1,3}}(?:[,{GAPS}]\d{{3}})+|\d{{1,2}}(?:,\d{{2}})+,\d{{3}}|\d+)?(?:\.\d*)?{EXPONENT}"
)  # 1,234.5
COMMA = re.compile(rf"[-+]?(?:\d{{1,3}}(?:[.{GAPS}]\d{{3}})+|\d+)?(?:,\d*)?{EXPONENT}")  # 1.234,5
SIMPLE = re.compile(r"-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?", re.ASCII)
THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(?:,\d{3})+|[-+]?[1-9]\d?(?:,\d{2})+,\d{3}")
POWER = r"(?:[²³]|\^[23]|(?<=[cdkm]m)[23]|(?<=\sm)[23]|(?<=/m)[23])?"
TRAILING = re.compile(rf"\s*((?:[^\W\d_]|µ)[^\W\d_]{{0,9}}{POWER}(?:/[^\W\d_]{{1,9}}{POWER})?|%|‰|°[CFK]?)$")
LEADING = re.compile(rf"^([-+(]*)\s*(?:{BEFORE}\s*)?")
LIMIT = re.compile(r"^(?:<=|>=|[<>≤≥~≈])\s*(?=[-+.\d])")
FOOTNOTE = re.compile(r"(?<=[\d.%])(?:\s?[*†‡]+|\s?\[\w{1,3}\]|[¹²³⁴⁵])$")
MOST_QUALIFIED = 0.5  # share of limits and marks above which they are labels, such as <=50K and >50K
SCALES = {"k": 1e3, "tsd": 1e3, "mn": 1e6, "mio": 1e6, "bn": 1e9, "mrd": 1e9, "bln": 1e9}
LARGE = {"M": 1e6, "B": 1e9, "T": 1e12}  # small letters may be units of length
SCALED = "K, M"  # the unit of a column whose cells have several of these


class NumberParts(NamedTuple):
    """What a cell is made of."""

    bare: str
    unit: str


def scale_of(unit: str) -> float | None:
    """Return what K, M and others multiply by."""
    return LARGE.get(unit) or SCALES.get(unit.casefold().rstrip("."))


def is_qualified(cell: str) -> bool:
    """Return whether a number carries a sign of a limit or a mark of a footnote."""
    return bool(LIMIT.match(cell) or FOOTNOTE.search(cell)) and any(mark.isdigit() for mark in cell)


def plain(cell: str) -> str:
    """Return a cell without signs of limits and marks of footnotes."""
    return FOOTNOTE.sub("", LIMIT.sub("", cell.strip()))


def parts_of(cell: str) -> NumberParts:
    """Return a number without money and brackets, and the unit it ends in; a bracketed amount is negative, as bookkeepers
    write it."""
    text = plain(cell).replace("−", "-").strip(MONEY + " ")
    text = re.sub(r"[.,]\s*[-–—]+$", "", text)  # 12.- is a Swiss price
    money = re.search(rf"\d\s*({'|'.join(CURRENCIES.split())})\)?$", text)
    unit = "" if money else match[1] if (match := TRAILING.search(text.rstrip(")"))) else ""
    if unit and re.search(r"\d\s*$", text.rstrip(")").removesuffix(unit)) is None:
        unit = ""
    for end in (unit, money[1] if money else ""):
        if end:
            closing = ")" if text.endswith(")") else ""
            text = text.removesuffix(")").removesuffix(end).rstrip() + closing
    text = LEADING.sub(r"\1", text)
    text = "".join(mark for mark in text if mark not in MONEY).strip()
    if text.startswith("(") and text.endswith(")"):
        text = "-" + text[1:-1].strip()
    elif text.endswith("-") and text[:1].isdigit():
        text = "-" + text[:-1]
    sign, rest = (text[:1], text[1:].strip()) if text[:1] in "+-" else ("", text)
    return NumberParts(sign + rest, unit)


def number_form(known: list[str], every: int) -> Form | None:
    """Return the form of numbers, None where the cells are none."""
    digits = [cell for cell in known if any(mark.isdigit() for mark in cell)]
    if not enough(len(digits), len(known), every):
        return None
    if sum(map(is_qualified, digits)) > MOST_QUALIFIED * len(digits):
        return None
    parts = [parts_of(cell) for cell in digits]
    unit = common_unit([part.unit for part in parts])
    if unit is None:
        return None
    bare = [part.bare for part in parts if fits(part, unit)]
    best = max(".,", key=lambda mark: (sum(is_number(cell, mark) for cell in bare), mark == "."))
    commas = [cell for cell in bare if "," in cell and "." not in cell]
    if best == "." and commas and not all(THOUSANDS.fullmatch(cell) for cell in commas):
        best = "," if sum(is_number(cell, ",") for cell in bare) >= NEARLY_ALL * len(bare) else best
    readable = sum(is_number(cell, best) for cell in bare)
    return Form(NUMBER, best, unit) if enough(readable, len(known), every) else None


def common_unit(units: list[str]) -> str | None:
    """Return the unit of a column: that of nearly all cells, SCALED where K and M are mixed; None where there are several."""
    different = set(units)
    if len(different) > 1 and all(not unit or scale_of(unit) for unit in different):
        return SCALED
    unit = max(sorted(different), key=units.count)
    if unit and units.count(unit) < NEARLY_ALL * len(units) and unit not in "%‰":
        return None
    return unit


def fits(part: NumberParts, unit: str) -> bool:
    """Return whether a cell has the unit of its column or none; per cent is understood without a sign."""
    return not part.unit or part.unit == unit or part.unit in "%‰" or unit == SCALED


def several_units(known: list[str]) -> list[str]:
    """Return the units of numbers that have different ones, nothing where the cells are no numbers or have one."""
    parts = [parts_of(cell) for cell in known]
    units = sorted({part.unit for part in parts if part.unit})
    readable = sum(is_number(part.bare, ".") or is_number(part.bare, ",") for part in parts if part.unit)
    return units if 1 < len(units) <= 5 and readable >= NEARLY_ALL * len(parts) and len(parts) > 2 * len(units) else []


def is_number(text: str, mark: str) -> bool:
    return any(letter.isdigit() for letter in text) and bool((POINT if mark == "." else COMMA).fullmatch(text))


def number_in(cell: str, form: Form) -> float:
    """Return the number of a cell, NaN where it is none."""
    text = cell.strip().removesuffix(form.unit).strip(MONEY + " ")
    if form.how == "." and SIMPLE.fullmatch(text):  # most cells, and ten times as fast
        return float(text.replace(",", ""))
    text, unit = parts_of(cell)
    if not is_number(text, form.how) or not fits(NumberParts(text, unit), form.unit):
        return float("nan")
    for gap in GAPS + ("," if form.how == "." else "."):
        text = text.replace(gap, "")
    text = re.sub(r"[dD]", "e", text)
    try:
        return float(text.replace(",", ".")) * ((scale_of(unit) or 1.0) if form.unit == SCALED and unit else 1.0)
    except ValueError:
        return float("nan")
