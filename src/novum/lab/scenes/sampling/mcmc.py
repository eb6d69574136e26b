"""Four Markov chains that draw from a density: Metropolis' proposals, taken or refused, or Gibbs' moves along the axes."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from novum.lab.calls import literal, python_script
from novum.lab.controls import Choice, Matrix, Refusal, Slider
from novum.lab.frames import Frame
from novum.lab.maps import level_map
from novum.lab.scene import Scene, State
from novum.lab.views import curve, number, plane

BOX = [[-6.0, 6.0], [-4.5, 4.5]]
CHAINS = 4
LEAST = 4  # draws of a chain from which R-hat is known
RECENT = 40  # steps of the first chain that are drawn as a path

Density = Callable[[Any], Any]


def banana(x: Any) -> Any:
    """Return the log density of a bent ridge."""
    return -0.5 * ((x[0] / 2) ** 2 + (2 * (x[1] + 2 - x[0] ** 2 / 4)) ** 2)


def hills(a: float) -> Density:
    """Return the log density of two hills, at (a, a) and (-a, -a)."""
    return lambda x: np.logaddexp(
        -0.5 * ((x[0] - a) ** 2 + (x[1] - a) ** 2), -0.5 * ((x[0] + a) ** 2 + (x[1] + a) ** 2)
    )


def ridge(rho: float) -> Density:
    """Return the log density of two normals with a correlation."""
    return lambda x: -0.5 * (x[0] ** 2 - 2 * rho * x[0] * x[1] + x[1] ** 2) / (1 - rho**2)


def on_ridge(rho: float) -> Callable[[float, Any], float]:
    """Return how a coordinate is drawn given the other."""
    return lambda other, rng: rho * other + (1 - rho**2) ** 0.5 * rng.normal()


def on_hills(a: float) -> Callable[[float, Any], float]:
    """Return how a coordinate is drawn given the other."""
    return lambda other, rng: (a if rng.random() < 1 / (1 + np.exp(-2 * a * other)) else -a) + rng.normal()


LOG_PROB = {
    "banana": "log_prob = lambda x: -0.5 * ((x[0] / 2) ** 2 + (2 * (x[1] + 2 - x[0] ** 2 / 4)) ** 2)",
    "hills": """a = {0!r}
log_prob = lambda x: np.logaddexp(
    -0.5 * ((x[0] - a) ** 2 + (x[1] - a) ** 2), -0.5 * ((x[0] + a) ** 2 + (x[1] + a) ** 2)
)""",
    "ridge": "rho = {0!r}\nlog_prob = lambda x: -0.5 * (x[0] ** 2 - 2 * rho * x[0] * x[1] + x[1] ** 2) / (1 - rho**2)",
}
DRAW = {
    "hills": "a = {0!r}\ndraw = lambda other, rng: "
    "(a if rng.random() < 1 / (1 + np.exp(-2 * a * other)) else -a) + rng.normal()",
    "ridge": "rho = {0!r}\ndraw = lambda other, rng: rho * other + (1 - rho**2) ** 0.5 * rng.normal()",
}


class Walks(Scene):
    name = "mcmc"
    family = "sampling"
    rows = ("002/P2.4/metropolis-hastings", "002/P2.4/gibbs")
    density = Choice(("banana", "hills", "ridge"), "banana")
    sampler = Choice(("metropolis", "gibbs"), "metropolis")
    scale = Slider(0.05, 10.0, 1.0, log=True, hidden_when={"sampler": "gibbs"})
    apart = Slider(0.0, 4.0, 2.5, hidden_when={"density": ["banana", "ridge"]})
    rho = Slider(-0.99, 0.99, 0.9, hidden_when={"density": ["banana", "hills"]})
    steps = Slider(10, 800, 300, integer=True)
    starts = Matrix(CHAINS, 2, -6.0, 6.0, default=((-4.0, 3.0), (4.0, 3.0), (-4.0, -3.0), (4.0, -3.0)), drag="plane")
    views = (
        plane(
            points="draws", classes="chains", map="map", map_kind="level", map_scale="sequential", lines="lines",
            crosses="crosses", drag="starts", domain="box",
        ),
        number("r_hat"),
        number("acceptance", r"\min\left(1, \frac{p(x^*)}{p(x)}\right)"),
        number("ess"),
        curve(id="trace", series=[{"array": f"trace{k}", "label": f"value.chain{k}"} for k in range(CHAINS)], x="times"),
        curve(series=[{"value": "r_hat", "label": "value.r_hat"}], levels="usual"),
    )  # fmt: skip

    def check(self, s: State) -> None:
        if s.sampler == "gibbs" and s.density == "banana":
            sentence = (
                "Gibbs draws from conditionals, and those of the banana have no closed form: take another density."
            )
            raise Refusal(f"sampler='gibbs': {sentence}", "sampler")

    def log_prob(self, s: State) -> Density:
        """Return the log density."""
        return banana if s.density == "banana" else hills(s.apart) if s.density == "hills" else ridge(s.rho)

    def walk(self, s: State) -> Any:
        from novum.sampling import GibbsSampler, MetropolisHastings

        if s.sampler == "metropolis":
            return MetropolisHastings(self.log_prob(s), scale=s.scale, adapt=False)
        draw = on_hills(s.apart) if s.density == "hills" else on_ridge(s.rho)
        return GibbsSampler({"x": lambda v, rng: draw(v["y"], rng), "y": lambda v, rng: draw(v["x"], rng)})

    def frames(self, s: State) -> Iterator[Frame]:
        walk, log_prob = self.walk(s), self.log_prob(s)
        metropolis = s.sampler == "metropolis"
        generators = [np.random.default_rng([s.seed, k]) for k in range(CHAINS)]
        starts = np.array(s.starts)
        states: list[Any] = list(starts) if metropolis else [dict(zip("xy", map(float, one))) for one in starts]
        path = np.empty((CHAINS, s.steps + 1, 2))
        path[:, 0] = starts
        fixed = {
            "map": level_map(lambda grid: density_of(log_prob, grid), BOX),
            "box": BOX,
            "crosses": starts,
            "usual": [{"y": 1.01, "label": "1.01"}],
        }
        yield Frame(0, {"r_hat": None, "acceptance": None, "ess": None}, {**fixed, **drawn(path, 0, [])}, ("start", {}))
        taken = 0
        for n in range(1, s.steps + 1):
            for k in range(CHAINS):
                if metropolis:
                    found = walk.propose(states[k], generators[k])
                    states[k] = path[k, n] = found.state
                    taken += found.accepted
                else:
                    states[k] = walk.step(states[k], generators[k])
                    path[k, n] = list(states[k].values())
                if k == 0:
                    first = found if metropolis else None
            before = path[0, n - 1]
            if first is None:
                turn = [path[0, n, 0], before[1]]
                moves = [{"p": [before.tolist(), turn, path[0, n].tolist()], "role": "now"}]
            else:
                role = "now" if first.accepted else "before"
                moves = [{"p": [before.tolist(), first.proposed.tolist()], "role": role}]
            if n > 100 and n % 10 and n < s.steps:  # of long runs not every step is shown
                continue
            yield Frame(n, self.values(path, n, taken, metropolis), {**fixed, **drawn(path, n, moves)}, said(first, n))

    def values(self, path: Any, n: int, taken: int, metropolis: bool) -> dict[str, float | None]:
        """Return what is said of the draws so far, those of the start left out."""
        from novum.sampling import diagnose

        share = taken / (CHAINS * n) if metropolis else 1.0
        if n < LEAST:
            return {"r_hat": None, "acceptance": share, "ess": None}
        judged = diagnose(path[:, 1 : n + 1])
        r_hat, ess = float(judged.r_hat[0]), float(judged.ess_bulk[0])
        known = bool(np.isfinite(r_hat))
        return {"r_hat": r_hat if known else None, "acceptance": share, "ess": ess if np.isfinite(ess) else None}

    def script(self, s: State, n: int, part: str) -> str:
        metropolis = s.sampler == "metropolis"
        value = {"hills": s.apart, "ridge": s.rho}.get(s.density)
        made = (
            [
                LOG_PROB[s.density].format(value),
                "from novum.sampling import MetropolisHastings",
                f"walk = MetropolisHastings(log_prob, scale={s.scale!r}, adapt=False)",
                f"states = list({literal(np.array(s.starts))})",
            ]
            if metropolis
            else [
                DRAW[s.density].format(value),
                "from novum.sampling import GibbsSampler",
                'walk = GibbsSampler({"x": lambda v, rng: draw(v["y"], rng), "y": lambda v, rng: draw(v["x"], rng)})',
                f'states = [{{"x": x, "y": y}} for x, y in {[list(map(float, one)) for one in s.starts]!r}]',
            ]
        )
        keep = "states[k]" if metropolis else "list(states[k].values())"
        return python_script(
            [
                *made,
                "from novum.sampling import diagnose",
                f"generators = [np.random.default_rng([{s.seed}, k]) for k in range({CHAINS})]",
                f"draws = np.empty(({CHAINS}, {n}, 2))",
                f"for n in range({n}):",
                f"    for k in range({CHAINS}):",
                "        states[k] = walk.step(states[k], generators[k])",
                f"        draws[k, n] = {keep}",
                "print(float(diagnose(draws).r_hat[0]))",
            ]
        )


def density_of(log_prob: Density, grid: Any) -> Any:
    """Return the density at the pixels, as a share of its largest."""
    values = log_prob(grid.T)
    return np.exp(values - values.max())


def drawn(path: Any, n: int, moves: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the draws of all chains so far, the last steps of the first, and the traces of x."""
    recent = {"p": path[0, max(0, n - RECENT) : n + 1].tolist(), "role": "faint"}
    return {
        "draws": path[:, 1 : n + 1].reshape(-1, 2).astype(np.float32),
        "chains": np.repeat(np.arange(CHAINS, dtype=np.uint8), n),
        "lines": [recent, *moves],
        "times": np.arange(n + 1),
        **{f"trace{k}": path[k, : n + 1, 0].astype(np.float32) for k in range(CHAINS)},
    }


def said(first: Any, n: int) -> tuple[str, dict[str, Any]]:
    """Return what the first chain did."""
    if first is None:
        return "gibbs", {"n": n}
    probability = float(np.exp(min(0.0, first.log_ratio)))
    return "taken" if first.accepted else "refused", {"n": n, "chance": probability}
