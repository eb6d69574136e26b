"""novum network: query, learn and draw Bayesian networks in files."""

from pathlib import Path
from typing import Annotated, Any

import typer

from novum.cli._refuse import refusing

__all__ = ["group"]

group = typer.Typer(help="Query, learn and draw Bayesian networks.", no_args_is_help=True)

NOTABLE = 0.05  # change of a probability that is worth a remark


@group.command("query")
def query(
    model: Annotated[Path, typer.Argument(help="A .bif, .xmlbif, .uai or .json file, also with .gz.")],
    words: Annotated[
        list[str] | None, typer.Argument(help="Further evidence (A=yes) and variables to ask for (B).")
    ] = None,
    evidence: Annotated[
        list[str] | None, typer.Option("--evidence", "-e", help="What was seen: A=yes; several may follow.")
    ] = None,
    wanted: Annotated[
        list[str] | None, typer.Option("--query", "-q", help="Variables to ask for [default: all].")
    ] = None,
) -> None:
    """Print probabilities before and after evidence: novum network query alarm.bif --evidence BP=LOW HR=HIGH --query LVFAILURE"""
    with refusing("network"):
        from novum.graphical import BayesianNetwork

        network = BayesianNetwork.read(model)
        seen = read_evidence([*(evidence or []), *(w for w in words or [] if "=" in w)], network)
        names = [*(wanted or []), *(w for w in words or [] if "=" not in w)] or [
            v for v in network.states if v not in seen
        ]
        for line in answer(network, names, seen):
            typer.echo(line)


def read_evidence(pairs: list[str], network: Any) -> dict[str, Any]:
    """Return variable -> state from words A=yes; states that are not text are found by how they print."""
    from novum.exceptions import ParameterError

    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals:
            raise ParameterError(f"--evidence {pair}: write it as variable=state.")
        states = network.states.get(name, ())
        found[name] = next((s for s in states if str(s) == value), value)
    return found


def answer(network: Any, names: list[str], seen: dict[str, Any]) -> list[str]:
    """Return the lines of the answer: the network, and a row for every state asked for."""
    from novum.graphical._engine import in_bytes
    from novum.graphical.result import short

    cost = network.cost(evidence=seen)
    head = (
        f"{network.name or 'network'}: {len(network.nodes)} variables, {len(network.arcs)} arcs, "
        f"{network.n_parameters} free parameters; largest clique {cost.treewidth + 1}, "
        f"exact inference fits in {in_bytes(max(cost.bytes, 1e6))}"
    )
    before = network.marginals(variables=names)
    after = network.marginals(seen, variables=names) if seen else before
    rows = []
    for name in names:
        for state in shown(network.states[name]):
            cells = [f"{name}={state}", short(float(before[name][state]), 3)]
            if seen:
                cells.append(short(float(after[name][state]), 3))
                cells.append(remark(network, name, state, seen, float(before[name][state]), float(after[name][state])))
            rows.append(cells)
    width = max(len(row[0]) for row in rows)
    title = " ".join(f"{k}={v}" for k, v in seen.items())
    lines = [head, f"{'':{width}} before" + (f"    given {title}" if seen else "")]
    for row in rows:
        tail = f"     {row[2]}" + (f"     {row[3]}" if row[3] else "") if seen else ""
        lines.append(f"{row[0]:{width}}  {row[1]}{tail}")
    return lines


def shown(states: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the states to print: of two, the one that says yes, or the first."""
    if len(states) != 2:
        return states
    return tuple(s for s in states if str(s).lower() in ("true", "yes", "1", "on", "present"))[:1] or states[:1]


def remark(network: Any, name: str, state: Any, seen: dict[str, Any], before: float, now: float) -> str:
    """Return which piece of evidence explains the variable away: without it the probability would be above both."""
    from novum.graphical.result import short

    best, without = "", now
    for key in seen if len(seen) > 1 else ():
        p = float(network.query(name, {k: v for k, v in seen.items() if k != key})[state])
        if p > max(without, before):
            best, without = key, p
    if without - now < NOTABLE:
        return ""
    return f"({short(without, 3)} without {best}={seen[best]}: explained away)"
