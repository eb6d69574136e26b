"""Networks and small tables of probabilities."""

from typing import Any

import numpy as np

from novum.datasets import load_candy_bags, load_example, load_fuel_gauge, load_gene_network
from novum.graphical import DAG, ExactSearch, StructurePosterior, is_i_map
from novum.notes.stops.registry import stop


@stop("000", "8.2", "fuel gauge: P(empty | gauge empty)", printed=".257")
def fuel() -> Any:
    return float(load_fuel_gauge().query("fuel", {"gauge": "empty"})["empty"])


@stop("000", "8.2", "... and the battery is flat: explained away", printed=".111")
def explained_away() -> Any:
    return float(load_fuel_gauge().query("fuel", {"gauge": "empty", "battery": "flat"})["empty"])


@stop("000", "8.1", "gene network: P(C active)", reference=0.403, remark="by the law of total probability")
def gene() -> Any:
    return float(load_gene_network().query("C")["active"])


@stop(
    "000",
    "9.2",
    "gene network, C active: best pair, against the best of each",
    reference="A- B+ / A+ B+",
    remark="by enumeration",
)
def best_pair() -> Any:
    genes, seen = load_gene_network(), {"C": "active"}
    sign = {"active": "+", "inactive": "-"}
    together = genes.map_query(evidence=seen).values
    alone = {v: genes.query(v, seen).mode for v in "AB"}
    return " / ".join(" ".join(f"{v}{sign[found[v]]}" for v in "AB") for found in (together, alone))


@stop(
    "000",
    "8.2.3",
    "three nodes: DAGs, and what they say",
    reference="25 / 11",
    remark="by the recursion and by definition",
)
def classes_of_three() -> str:
    return f"{DAG.count(3)} / {len(DAG.equivalence_classes('ABC'))}"


@stop("000", "8.3", "gene network: I-maps among the 25 DAGs", reference=7.0, remark="by enumeration")
def gene_i_maps() -> Any:
    table = load_gene_network().query(list("ABC")).to_table()
    return float(sum(bool(is_i_map(graph, table)) for graph in DAG.enumerate("ABC")))


@stop("000", "10.1", "seven rows: P(X1 = T | X2 = R)", printed="2/3")
def seven_rows() -> Any:
    rows = load_example("seven_rows").data
    red = rows[rows[:, 1] == "R"]
    share = np.mean(red[:, 0] == "T")
    return "2/3" if abs(share - 2 / 3) < 1e-15 else float(share)


@stop(
    "000",
    "10.3",
    "seven rows: BIC of the best of 25 graphs",
    reference=-15.73824,
    remark="by enumeration: one edge, X2 - X3",
)
def best_graph() -> Any:
    rows = dict(zip(("X1", "X2", "X3"), load_example("seven_rows").data.T, strict=True))
    return ExactSearch("bic").fit(rows).score_


@stop("000", "10.3", "seven rows: P(edge X2 - X3)", reference=0.98277, remark="by enumeration, BDeu with one row")
def edge_probability() -> Any:
    rows = dict(zip(("X1", "X2", "X3"), load_example("seven_rows").data.T, strict=True))
    return StructurePosterior().fit(rows).edges_[frozenset(("X2", "X3"))]


@stop("001", "3.2", "three limes: next is lime", printed=".8")
def three_limes() -> Any:
    bags = load_candy_bags()
    joint = bags.prior * bags.lime ** len(bags.target)
    return float(joint @ bags.lime / joint.sum())


@stop("001", "3.2", "... and the bag is all lime", printed=".421")
def all_lime() -> Any:
    bags = load_candy_bags()
    joint = bags.prior * bags.lime**3
    return float(joint[-1] / joint.sum())
