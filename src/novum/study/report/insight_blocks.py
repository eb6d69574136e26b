"""What was found about the kept model as blocks of the report: sentences, pictures, tables."""

from typing import Any

from novum.evaluation import clopper_pearson_interval
from novum.report.numbers import counted, decimal, num, number, percent
from novum.study.insight.findings import OTHERS
from novum.study.plots.insight import calibration_picture, curve_picture, threshold_picture
from novum.study.plots.svg import bars
from novum.study.report.blocks import Block, Cell
from novum.study.report.dependence_block import dependence_block
from novum.study.scoring.measures import probability

__all__ = ["ends_of", "failing_blocks", "growing_blocks", "sure_blocks", "using_blocks"]

MOST_BARS = 20


def sure_blocks(result: Any) -> list[Block]:
    """Return calibration, coverage and threshold."""
    found = result.findings
    blocks = [calibration_block(found.calibration)] if found.calibration is not None else []
    blocks.append(coverage_block(result))
    if found.thresholds is not None:
        blocks.append(threshold_block(found.thresholds))
    return blocks


def calibration_block(calibrated: Any) -> Block:
    """Return how probabilities agree with what happens."""
    found = calibrated.curve
    about = "" if calibrated.two else " The probability judged is that of the class that was said."
    expected = f"with so many rows chance alone makes it up to {decimal(calibrated.by_chance)}"
    verdict = (
        f"That is more than chance ({expected}): take the probabilities as an order, not as shares."
        if calibrated.off
        else f"Nothing speaks against the probabilities: {expected}."
    )
    words = [
        f"Do rows that are said to be so with some probability turn out so in that share of the cases? Expected calibration error"
        f" {decimal(found.expected_error)}, largest of a bin {decimal(found.largest_error)}, Brier score"
        f" {decimal(found.brier)}.{about} {verdict}"
    ]
    rows = [
        [
            Cell(decimal(q), float(q)),
            Cell(decimal(o), float(o)),
            Cell(f"{decimal(low)} to {decimal(high)}", float(low)),
            Cell(f"{num(n):,.0f}", float(n)),
        ]
        for q, o, low, high, n in zip(found.predicted, found.observed, found.lower, found.upper, found.weight)
    ]
    caption = "On the dashed line shares are as said; bins of equal numbers of rows, with Wilson's 95 % intervals"
    return Block(
        "calibration",
        "Calibration",
        words,
        [(caption, calibration_picture(found, f"expected error {num(found.expected_error):.3f}"))],
        "Bins of the calibration curve",
        ["said", "was so", "95 % interval", "rows"],
        rows,
        folded=True,
    )


def coverage_block(result: Any) -> Block:
    """Return how often intervals or sets hold the truth."""
    found = result.findings
    sets = bool(result.task.labels)
    kind = "A set of classes" if sets else "An interval"
    n = len(found.scores)
    how = (
        f"the errors of {counted(n, 'row')} that a model had not seen, by {counted(found.folds, 'fold')} and the rows put away"
        if found.folds
        else f"the errors of the {counted(n, 'row')} put away"
    )
    words = [
        f"{kind} that holds the truth with a stated probability is made from {how} (conformal prediction):"
        f" novum predict --interval writes it beside every prediction."
    ]
    if not n:
        return Block("coverage", "Conformal sets", ["The model gives no probabilities, so it has no sets of classes."])
    if not found.coverages:
        words.append("There was no time to measure how often they hold the truth; what is stated is their theory.")
    else:
        at = next((one for one in found.coverages if one.level == 0.9), found.coverages[-1])
        size = f"{num(at.size):.2f} classes on average" if sets else f"± {number(at.size / 2)} {result.task.target}"
        fine = at.interval.lower <= at.level
        words.append(
            f"Stated {percent(at.level, 0)}, measured {percent(at.measured)} of the {counted(result.n_held, 'row')} put away"
            f" (95 % interval {percent(at.interval.lower)} to {percent(at.interval.upper)}), with {size}."
            + ("" if at.interval.upper >= at.level else " That is too few: do not rely on the stated level.")
            + ("" if fine else " They hold more than they promise.")
        )
    rows = [
        [
            Cell(percent(one.level, 0), one.level),
            Cell(percent(one.measured), one.measured),
            Cell(f"{percent(one.interval.lower)} to {percent(one.interval.upper)}", one.interval.lower),
            Cell(f"{num(one.size):.2f}" if sets else number(one.size), one.size),
        ]
        for one in found.coverages
    ]
    return Block(
        "coverage",
        "Conformal sets" if sets else "Conformal intervals",
        words,
        [],
        "Stated and measured coverage of the rows put away",
        ["stated", "measured", "95 % interval", "mean number of classes" if sets else "width"],
        rows,
    )


def ends_of(share: float, n: float) -> str:
    """Return the interval of a share of so many rows, that of Clopper and Pearson."""
    low, high = clopper_pearson_interval(round(float(share * n)), int(n))
    return f"{percent(low)} to {percent(high)}"


def threshold_block(found: Any) -> Block:
    """Return the measures along the threshold."""
    caption = (
        f"{found.measure}; found: share of the {found.positive} rows that are said to be {found.positive}; right: share of those"
        f" said to be {found.positive} that are. Dashed: the best threshold"
    )
    rows = [
        [
            Cell(decimal(t), float(t)),
            Cell(decimal(score) if abs(score) <= 1 else number(score), float(score)),
            Cell(percent(a), float(a)),
            Cell(ends_of(a, n)),
            Cell("-" if b != b else percent(b), "" if b != b else float(b)),
            Cell("-" if b != b else ends_of(b, m)),
        ]
        for t, score, a, n, b, m in list(
            zip(found.at, found.score, found.found, found.positives, found.right, found.called)
        )[4::5]
    ]
    return Block(
        "threshold",
        f"From which probability on to say {found.positive}",
        [found.sentence],
        [(caption, threshold_picture(found))],
        "Measures along the threshold",
        ["threshold", found.measure, "found", "95 % interval", "right", "95 % interval "],
        rows,
        folded=True,
    )


def failing_blocks(result: Any) -> list[Block]:
    """Return the slices where the model fails."""
    found = result.findings.slices
    wrong = bool(result.task.labels)
    text = percent if wrong else number
    rows = [
        [
            Cell(one.words),
            Cell(f"{one.rows:,}", one.rows),
            Cell(text(one.loss), one.loss),
            Cell(text(one.elsewhere), one.elsewhere),
            Cell(f"{text(one.interval.lower)} to {text(one.interval.upper)}", one.interval.lower),
            Cell(probability(one.p_value), one.p_value),
        ]
        for one in found.found
    ]
    rest = "Each row was predicted by a model that had not seen it." if result.findings.folds else ""
    return [
        Block(
            "slices",
            "",
            [f"{found.sentence()} {rest}".strip()],
            [],
            "Slices where the model errs more",
            ["slice", "rows", found.unit, "elsewhere", "95 % interval of the difference", "p (Holm)"],
            rows,
            wide=(0,),
        )
    ]


def output_name(result: Any, place: int) -> str:
    """Return what a prediction is called: the target, or the probability of a class."""
    labels = result.task.labels
    return f"the probability of {labels[place]}" if labels else result.task.target


def using_blocks(result: Any) -> list[Block]:
    """Return contributions, dependence and the model in words."""
    found = result.findings
    blocks = []
    if found.attributions:
        blocks.append(contribution_block(result))
    if found.dependences:
        blocks.append(dependence_block(found.dependences, lambda place: output_name(result, place)))
    if result.limited:
        said = [f"{one[:1].upper()}{one[1:]}." for one in result.limited]
        blocks.append(Block("limits", "Limits that it keeps to", said))
    if found.readable is not None:
        blocks.append(readable_block(result))
    return blocks


def contribution_block(result: Any) -> Block:
    """Return the mean size of the columns' contributions."""
    found = result.findings
    labels = result.task.labels
    of = result.task.target if not labels else "the probability" if len(labels) == 2 else "the probabilities"
    shown = [
        (
            one.column,
            one.mean,
            (one.interval.upper - one.interval.lower) / 2,
            f"{one.column}: {num(one.mean):.4g} ({num(one.interval.lower):.3g} to {num(one.interval.upper):.3g})",
        )
        for one in found.attributions
    ]
    rows = [
        [
            Cell(one.column),
            Cell(f"{num(one.mean):.4g}", one.mean),
            Cell(f"{num(one.interval.lower):.3g} to {num(one.interval.upper):.3g}", one.interval.lower),
        ]
        for one in found.attributions
    ]
    how = "computed exactly" if found.exact else "sampled"
    rest = " The least important columns are taken together." if any(row[0].text == OTHERS for row in rows) else ""
    words = [
        f"How far a column moves {of} away from the mean prediction, as the mean size of its Shapley values over"
        f" {found.attributed} of the unseen rows ({how}; those of a row add up to its prediction less the mean one).{rest}"
        f" novum explain shows them for single rows."
    ]
    return Block(
        "contributions",
        "Contributions (Shapley values)",
        words,
        [
            (
                "Mean size of the contribution; whiskers: 95 % interval over rows",
                bars(shown[:MOST_BARS], f"Mean size of the contributions to {of}", f"contribution to {of}"),
            )
        ],
        "Mean size of contributions",
        ["column", "mean |contribution|", "95 % interval"],
        rows,
        folded=True,
    )


def readable_block(result: Any) -> Block:
    """Return the model itself: coefficients with inference, or rules."""
    found = result.findings.readable
    if found.rules:
        words = ["The model in words: a row follows the conditions that it meets, from the left to the right."]
        return Block("rules", "Rules of the tree", words, text=found.rules)
    if not found.effects:
        return Block("coefficients", "Coefficients with standard errors", [f"{found.about}."])
    rows = [
        [
            Cell(one.name),
            Cell(f"{num(one.value):.4g}", one.value),
            Cell(f"{num(one.error):.3g}", one.error),
            Cell(f"{num(one.lower):.4g} to {num(one.upper):.4g}", one.lower),
            Cell(probability(one.p_value), one.p_value),
        ]
        for one in found.effects
    ]
    words = [
        f"{found.about}. A category is compared with its most frequent level. The p-values are those of a model chosen before"
        f" looking; after a choice among many they are a guide, no proof."
    ]
    return Block(
        "coefficients",
        "Coefficients with standard errors",
        words,
        [],
        "Coefficients in the table's own units",
        ["term", "coefficient", "standard error", "95 % interval", "p"],
        rows,
    )


def growing_blocks(result: Any) -> list[Block]:
    """Return the learning curve."""
    curve = result.findings.curve
    if curve is None or len(curve.sizes) < 2:
        said = curve.verdict if curve is not None else "There was no time for a learning curve; give a larger budget."
        return [Block("curve", "", [said])]
    text = result.scoring.text
    rows = [
        [
            Cell(f"{n:,}", n),
            Cell(text(mean), mean),
            Cell(f"{text(min(scores))} to {text(max(scores))}", min(scores)),
            Cell(str(len(scores)), len(scores)),
        ]
        for n, mean, scores in zip(curve.sizes, curve.means, curve.scores)
    ]
    caption = (
        f"{result.scoring.title} on the same unseen rows; whiskers: from the worst to the best draw of so many rows"
    )
    return [
        Block(
            "curve",
            "",
            [curve.verdict],
            [(caption, curve_picture(curve, result.scoring.title))],
            "Learning curve",
            ["training rows", result.scoring.title, "draws from", "draws"],
            rows,
            folded=True,
        )
    ]
