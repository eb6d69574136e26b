"""The evidence lower bound: a posterior of independent factors, sweep by sweep, and EM, whose halves raise the same bound."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from novum.lab.calls import literal, python_script
from novum.lab.controls import Choice, Matrix, Slider
from novum.lab.frames import Frame
from novum.lab.geometry import ellipse_of
from novum.lab.maps import level_map
from novum.lab.scene import Scene, State
from novum.lab.views import curve, number, plane

BOXES = {
    "gaussian": [[-4.0, 4.0], [-3.0, 3.0]],
    "normal": [[-2.0, 4.0], [0.0, 3.0]],
    "mixture": [[-4.0, 4.0], [-4.0, 4.0]],
}
SWEEPS = 60
TOLERANCE = 1e-6
LOG_2PI = float(np.log(2 * np.pi))
GAUSSIAN = """from novum.distributions import Normal
from novum.variational import mean_field
LOG_2PI, rho = float(np.log(2 * np.pi)), {rho!r}
updates = {{
    "x": lambda q: Normal(rho * q["y"].mean, 1 - rho**2),
    "y": lambda q: Normal(rho * q["x"].mean, 1 - rho**2),
}}
def bound(q):
    x, y = q["x"], q["y"]
    square = x.mean**2 + x.var - 2 * rho * x.mean * y.mean + y.mean**2 + y.var
    log_p = -LOG_2PI - 0.5 * np.log(1 - rho**2) - 0.5 * square / (1 - rho**2)
    return float(log_p + x.entropy() + y.entropy())
start = {{"x": Normal({x!r}, 1.0), "y": Normal({y!r}, 1.0)}}
found = mean_field(updates, start=start, bound=bound, max_iter={most}, tol={tol!r})"""


class Bounds(Scene):
    name = "variational"
    family = "sampling"
    rows = ("002/P2.3/mean-field", "002/P2.3/vb-gaussian", "002/P2.3/elbo", "002/P2.3/em")
    model = Choice(("gaussian", "normal", "mixture"), "gaussian")
    rho = Slider(-0.99, 0.99, 0.9, hidden_when={"model": ["normal", "mixture"]})
    start = Matrix(1, 2, -4.0, 4.0, default=((-3.0, 2.5),), drag="plane")
    n = Slider(2, 100, 8, integer=True, hidden_when={"model": "gaussian"})
    spread = Slider(0.1, 3.0, 1.0, hidden_when={"model": "gaussian"})
    parts = ("M", "E")
    rising = "up"
    views = (
        plane(
            points="means", map="map", map_kind="level", map_scale="sequential", ellipses="ellipses", lines="lines",
            crosses="cross", drag="start", domain="box",
        ),
        number("elbo", r"L(q) = \ln p(x) - KL(q \Vert p)"),
        number("log_p"),
        number("kl"),
        curve(series=[{"value": "elbo", "label": "value.elbo"}, {"value": "log_p", "label": "value.log_p", "role": "truth"}]),
        curve(id="gap", series=[{"value": "kl", "label": "value.kl"}]),
    )  # fmt: skip

    def frames(self, s: State) -> Iterator[Frame]:
        fixed = {"box": BOXES[s.model], "cross": np.array(s.start) if s.model != "normal" else np.empty((0, 2))}
        yield from {"gaussian": self.gaussian, "normal": self.normal, "mixture": self.mixture}[s.model](s, fixed)

    def data(self, s: State) -> tuple[Any, str]:
        """Return the data of the normal, or of the two groups of the mixture, and the lines that make them."""
        two = s.model == "mixture"
        rng = np.random.default_rng(s.seed)
        noise = rng.normal(0.0, s.spread, s.n)
        x = (noise + (2.0 * rng.choice([-1, 1], s.n) if two else 1.0)).round(3)
        shift = f"2.0 * rng.choice([-1, 1], {s.n})" if two else "1.0"
        made = f"noise = rng.normal(0.0, {s.spread!r}, {s.n})\nx = (noise + {shift}).round(3)"
        return x, f"rng = np.random.default_rng({s.seed})\n{made}"

    def gaussian(self, s: State, fixed: Any) -> Iterator[Frame]:
        from novum.distributions import Normal
        from novum.variational import mean_field

        rho, (x0, y0) = s.rho, s.start[0]
        covariance = np.array([[1.0, rho], [rho, 1.0]])
        inverse = np.linalg.inv(covariance)

        def bound(q: Any) -> float:
            x, y = q["x"], q["y"]
            square = x.mean**2 + x.var - 2 * rho * x.mean * y.mean + y.mean**2 + y.var
            log_p = -LOG_2PI - 0.5 * np.log(1 - rho**2) - 0.5 * square / (1 - rho**2)
            return float(log_p + x.entropy() + y.entropy())

        updates = {
            "x": lambda q: Normal(rho * q["y"].mean, 1 - rho**2),
            "y": lambda q: Normal(rho * q["x"].mean, 1 - rho**2),
        }
        start = {"x": Normal(x0, 1.0), "y": Normal(y0, 1.0)}
        shade = level_map(lambda at: np.exp(-0.5 * np.einsum("ni,ij,nj->n", at, inverse, at)), BOXES["gaussian"])
        path = [[x0, y0]]
        for n in range(SWEEPS + 1):
            found = mean_field(updates, start=start, bound=bound, max_iter=max(n, 1), tol=TOLERANCE)
            if n > found.n_iter:
                return
            q = found.factors if n else start
            mean = np.array([float(q["x"].mean), float(q["y"].mean)])
            spread = np.diag([float(q["x"].var), float(q["y"].var)])
            path = [*path, mean.tolist()] if n else path
            drawn = {
                "map": shade,
                "means": mean[None],
                "ellipses": np.array([ellipse_of(mean, spread), ellipse_of(np.zeros(2), covariance)]),
                "lines": [{"p": path, "role": "path"}],
            }
            elbo = float(found.bounds[n])
            said = {"n": n, "kl": -elbo, "sd": float(np.sqrt(spread[0, 0]))}
            values = {"elbo": elbo, "log_p": 0.0, "kl": -elbo}
            yield Frame(n, values, {**fixed, **drawn}, ("sweep" if n else "start", said))

    def normal(self, s: State, fixed: Any) -> Iterator[Frame]:
        from novum.distributions import NormalGamma
        from novum.variational import vb_normal

        x, _ = self.data(s)
        prior = NormalGamma(mean=0, strength=1, shape=2, rate=1)
        shade: Any = None
        path: list[Any] = []
        for n in range(1, SWEEPS + 1):
            found = vb_normal(x, prior, max_iter=n, tol=TOLERANCE)
            if n > found.n_iter:
                return
            if shade is None:
                shade = level_map(partial(relative, found.exact), BOXES["normal"])
            mean = np.array([float(found.mean.mean), float(found.precision.mean)])
            spread = np.diag([float(found.mean.var), float(found.precision.var)])
            path = [*path, mean.tolist()]
            drawn = {
                "map": shade,
                "means": mean[None],
                "ellipses": np.array([ellipse_of(mean, spread)]),
                "lines": [{"p": path, "role": "path"}],
            }
            values = {"elbo": found.elbo, "log_p": found.log_evidence, "kl": found.kl}
            said = {"n": n, "kl": found.kl, "sd": float(np.sqrt(spread[0, 0]))}
            yield Frame(n, values, {**fixed, **drawn}, ("sweep", said))

    def mixture(self, s: State, fixed: Any) -> Iterator[Frame]:
        from novum.variational import em

        x, _ = self.data(s)

        def log_joint(mu: Any) -> Any:
            return -0.5 * (x[:, None] - mu) ** 2 - 0.5 * LOG_2PI + np.log(0.5)

        def m_step(q: Any, mu: Any) -> Any:
            return q.T @ x / q.sum(axis=0)

        def surface(at: Any) -> Any:
            log_p = np.logaddexp(*(-0.5 * (x[:, None] - at[:, k]) ** 2 for k in range(2))).sum(axis=0)
            return np.exp((log_p - log_p.max()) / 4)

        shade = level_map(surface, BOXES["mixture"])
        start = np.array(s.start[0])
        last = em(start, m_step, log_joint=log_joint, max_iter=SWEEPS, tol=1e-6)
        path = [start.tolist()]
        for n in range(last.n_iter + 1):
            if n:
                mu = em(start, m_step, log_joint=log_joint, max_iter=n, tol=1e-6).parameters
                path = [*path, mu.tolist()]
            drawn = {
                "map": shade,
                "means": np.array(path[-1:]),
                "ellipses": np.empty((0, 5)),
                "lines": [{"p": path, "role": "path"}],
            }
            log_p = float(last.log_likelihood[n])
            if n:
                elbo, kl = float(last.bound_after_m[n - 1]), float(last.kl_after_m[n - 1])
                said = {"by": elbo - float(last.bound_after_e[n - 1]), "kl": kl, "log_p": log_p}
                yield Frame(n, {"elbo": elbo, "log_p": log_p, "kl": kl}, {**fixed, **drawn}, ("moved", said), "M")
            elbo, kl = float(last.bound_after_e[n]), float(last.kl_after_e[n])
            yield Frame(
                n, {"elbo": elbo, "log_p": log_p, "kl": kl}, {**fixed, **drawn}, ("closed", {"log_p": log_p}), "E"
            )

    def script(self, s: State, n: int, part: str) -> str:
        if s.model == "gaussian":
            x, y = s.start[0]
            code = GAUSSIAN.format(rho=s.rho, x=x, y=y, most=max(n, 1), tol=TOLERANCE)
            return python_script([code, f"print(float(found.bounds[{n}]))"])
        lines = [self.data(s)[1]]
        if s.model == "normal":
            lines += [
                "from novum.distributions import NormalGamma\nfrom novum.variational import vb_normal",
                "prior = NormalGamma(mean=0, strength=1, shape=2, rate=1)",
                f"print(vb_normal(x, prior, max_iter={n}, tol={TOLERANCE!r}).elbo)",
            ]
        else:
            lines += [
                "from novum.variational import em",
                "log_joint = lambda mu: -0.5 * (x[:, None] - mu) ** 2 - 0.5 * float(np.log(2 * np.pi)) + np.log(0.5)",
                "m_step = lambda q, mu: q.T @ x / q.sum(axis=0)",
                f"found = em({literal(np.array(s.start[0]))}, m_step, log_joint=log_joint, max_iter={SWEEPS}, tol=1e-6)",
                f"print(float(found.bound_after_{part.lower()}[{n - (part == 'M')}]))",
            ]
        return python_script(lines)


def relative(exact: Any, at: Any) -> Any:
    """Return a density of mean and precision as a share of its largest on the grid."""
    log_p = exact.log_prob(at)
    return np.exp(log_p - log_p.max())
