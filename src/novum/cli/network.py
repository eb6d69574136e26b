"""novum network: query, learn and draw Bayesian networks in files."""

from pathlib import Path
from typing import Annotated, Any

import typer

from novum.cli.errors import refusing
from novum.report.numbers import counted, num

__all__ = ["group"]

group = typer.Typer(help="Query, learn and draw Bayesian networks.", no_args_is_help=True)

PICTURES = (".png", ".svg", ".pdf")
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
        list[str] | None, typer.Option("--query", "-q", help="Variables to ask for (default: all).")
    ] = None,
) -> None:
    """Print probabilities before and after evidence: novum network query alarm.bif --evidence BP=LOW HR=HIGH --query LVFAILURE"""
    with refusing("network"):
        from novum.graphical import BayesianNetwork

        network = BayesianNetwork.read(model)
        seen = read_evidence([*(evidence or []), *(w for w in words or [] if "=" in w)], network)
        requested = [*(wanted or []), *(w for w in words or [] if "=" not in w)]
        names = [by_word(network, word) for word in requested] or [v for v in network.states if v not in seen]
        for line in answer(network, names, seen):
            typer.echo(line)


@group.command("learn")
def learn(
    table: Annotated[Path, typer.Argument(help="A CSV or Parquet file with a header; numbers are cut into states.")],
    method: Annotated[str, typer.Option(help="hill-climb, exact, pc or chow-liu.")] = "hill-climb",
    scoring: Annotated[
        str | None, typer.Option(help="bic, aic, bdeu, k2 or log_likelihood; of hill-climb and exact (default: bic).")
    ] = None,
    max_parents: Annotated[int | None, typer.Option(min=0, help="Of hill-climb and exact.")] = None,
    significance: Annotated[float | None, typer.Option(help="Of the tests of pc (default: 0.01).")] = None,
    drop: Annotated[list[str] | None, typer.Option(help="A column to leave out; may be repeated.")] = None,
    prior: Annotated[float, typer.Option(min=0, help="Added to every count of the tables.")] = 1.0,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write: .bif, .xmlbif, .uai or .json.")
    ] = None,
) -> None:
    """Learn structure and tables from a table: novum network learn rows.csv --out model.bif"""
    with refusing("network"):
        from novum.cli.learn_network import learn_network, states_of_table
        from novum.exceptions import ParameterError
        from novum.graphical.formats.files import ending
        from novum.study.data.files import read_table

        if out is not None:
            ending("--out", out)  # before the work, not after it
        rows = read_table(table)
        unknown = [name for name in drop or [] if name not in rows.columns]
        if unknown:
            raise ParameterError(f"--drop {unknown[0]}: no such column; the columns are {', '.join(rows.columns)}.")
        rows = rows._replace(
            columns={name: column for name, column in rows.columns.items() if name not in (drop or [])}
        )
        columns, notes = states_of_table(rows)
        given = {"scoring": scoring, "max_parents": max_parents, "significance": significance}
        found = learn_network(columns, method, {k: v for k, v in given.items() if v is not None}, prior)
        found.network.name = table.stem
        for line in [*notes, *found.notes]:
            typer.echo(f"novum network: {line}", err=True)
        for line in network_lines(found.learner, found.network, rows.n_rows):
            typer.echo(line)
        if out is not None:
            found.network.write(out)
            typer.echo(f"written to {out}")


def network_lines(learner: Any, network: Any, n_rows: int) -> list[str]:
    """Return the lines that tell a learned network: its size, its score, its arcs in words."""
    graph = getattr(learner, "graph_", None)
    value = (
        f"{counted(learner.n_tests_, 'test')} of independence"
        if graph is not None
        else f"{learner.scoring.replace('_', '-')} {num(learner.score_):.6g}"
    )
    lines = [
        f"{counted(len(network.nodes), 'variable')}, {counted(n_rows, 'row')}, {counted(len(network.arcs), 'arc')}, "
        f"{network.n_parameters} free parameters; {value}",
        f"variables: {', '.join(f'{v} ({len(network.states[v])})' for v in network.nodes)}",
    ]
    for child, parents in network.parents.items():
        if parents:
            listed = " and ".join([", ".join(parents[:-1]), parents[-1]] if len(parents) > 1 else parents)
            lines.append(f"  {child} depends on {listed}")
    alone = [v for v in network.nodes if not network.parents[v] and not network.dag.children[v]]
    if alone:
        lines.append(f"  on their own: {', '.join(alone)}")
    if graph is not None and graph.edges:
        lines.append(f"either way round: {', '.join(f'{a} - {b}' for a, b in graph.edges)}")
    return lines


@group.command("draw")
def draw(
    model: Annotated[Path, typer.Argument(help="A .bif, .xmlbif, .uai or .json file, also with .gz.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="Picture to write: .png, .svg or .pdf.")],
    evidence: Annotated[list[str] | None, typer.Option("--evidence", "-e", help="Fill what was seen: A=yes.")] = None,
    tables: Annotated[bool, typer.Option("--tables", help="Write the tables beside the nodes.")] = False,
) -> None:
    """Draw a network in layers: novum network draw alarm.bif --out alarm.png"""
    with refusing("network"):
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        from novum.exceptions import ParameterError
        from novum.graphical import BayesianNetwork

        network = BayesianNetwork.read(model)
        if out.suffix.lower() not in PICTURES:
            raise ParameterError(f"--out {out}: the name must end in {', '.join(PICTURES)}.")
        size = 5 + len(network.nodes) ** 0.5
        figure = Figure(figsize=(1.4 * size, size), layout="constrained")
        FigureCanvasAgg(figure)
        network.plot(figure.add_subplot(), evidence=read_evidence(evidence or [], network), tables=tables)
        figure.savefig(out, dpi=150)
        drawn = f"{counted(len(network.nodes), 'variable')} and {counted(len(network.arcs), 'arc')} drawn in {out}"
        typer.echo(drawn)


def read_evidence(pairs: list[str], network: Any) -> dict[str, Any]:
    """Return variable -> state from words A=yes; states that are not text are found by how they print."""
    from novum.exceptions import ParameterError

    found = {}
    for pair in pairs:
        word, equals, value = pair.partition("=")
        if not equals:
            raise ParameterError(f"--evidence {pair}: write it as variable=state.")
        name = by_word(network, word)
        states = network.states.get(name, ())
        found[name] = next((s for s in states if str(s) == value), value)
    return found


def by_word(network: Any, word: str) -> Any:
    """Return the variable that prints as a word; names of JSON files may be numbers."""
    return next((v for v in network.nodes if str(v) == word), word)


def answer(network: Any, names: list[str], seen: dict[str, Any]) -> list[str]:
    """Return the lines of the answer: the network, and a row for every state requested."""
    from novum.engines.factors.plan import in_bytes
    from novum.graphical.inference.result import short

    cost = network.cost(evidence=seen)
    head = (
        f"{network.name or 'network'}: {counted(len(network.nodes), 'variable')}, {counted(len(network.arcs), 'arc')}, "
        f"{network.n_parameters} free parameters; largest clique {cost.treewidth + 1}, "
        f"exact inference fits in {in_bytes(max(cost.bytes, 1e6))}"
    )
    before = network.marginals(variables=names)
    after = network.marginals(seen, variables=names) if seen else before
    rows = []
    for name in names:
        for state in printed_states(network.states[name]):
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


def printed_states(states: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the states to print: of two, the one that says yes, or the first."""
    if len(states) != 2:
        return states
    return tuple(s for s in states if str(s).lower() in ("true", "yes", "1", "on", "present"))[:1] or states[:1]


def remark(network: Any, name: str, state: Any, seen: dict[str, Any], before: float, now: float) -> str:
    """Return which piece of evidence explains the variable away: without it the probability would be above both."""
    from novum.graphical.inference.result import short

    best, without = "", now
    for key in seen if len(seen) > 1 else ():
        p = float(network.query(name, {k: v for k, v in seen.items() if k != key})[state])
        if p > max(without, before):
            best, without = key, p
    if without - now < NOTABLE:
        return ""
    return f"({short(without, 3)} without {best}={seen[best]}: explained away)"
