"""Hidden Markov models against hmmlearn at its faster implementation, scaling: same parameters, one thread of ours unless the name
says two; quality: log-likelihood to twelve digits. Ragged sequences have 50 to 150 rows."""

import logging
import warnings

import numpy as np
from hmmlearn import hmm

from benchmarks.harness import Case
from novum import sequence

logging.getLogger("hmmlearn").setLevel(logging.ERROR)
FEATURES, SYMBOLS = 4, 8


def maker(kind, k, ragged):
    def make(n):
        rng = np.random.default_rng(0)
        lengths = rng.integers(50, 151, n // 100) if ragged else np.array([n])
        total = int(lengths.sum())
        start, trans = rng.dirichlet(np.ones(k)), rng.dirichlet(np.ones(k), k)
        X = rng.integers(0, SYMBOLS, (total, 1)) if kind == "categorical" else rng.normal(size=(total, FEATURES))
        given = {"startprob_": start, "transmat_": trans}
        if kind == "categorical":
            given["emissionprob_"] = rng.dirichlet(np.ones(SYMBOLS), k)
        else:
            given["means_"] = rng.normal(size=(k, FEATURES))
            given["covars_"] = np.ones((k, FEATURES)) if kind == "diag" else np.tile(np.eye(FEATURES), (k, 1, 1))
        return X, lengths, given

    return make


def model_of(module, kind, k, given, **options):
    prior = {"covars_prior": 0.01 * np.eye(FEATURES)} if kind == "full" else {}
    name = "CategoricalHMM" if kind == "categorical" else "GaussianHMM"
    form = {} if kind == "categorical" else {"covariance_type": kind, **prior}
    model = getattr(module, name)(
        k, init_params="", **{"n_iter" if module is hmm else "max_iter": 1}, **form, **options
    )
    if module is hmm and kind == "categorical":
        model.n_features = SYMBOLS
    for attribute, value in given.items():
        setattr(model, attribute, value.copy())
    return model


def runner(module, kind, k, job, **options):
    def run(data):
        X, lengths, given = data
        model = model_of(module, kind, k, given, **options)
        if job == "baum-welch":
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return model.fit(X, lengths)
        if job == "score_samples":  # hmmlearn's: the posteriors of all rows
            return model.predict_proba(X, lengths)[:, 0].sum()
        return getattr(model, job)(X, lengths)[0]

    return run


def quality(found, data):
    X, lengths, _ = data
    return float(f"{float(found.score(X, lengths) if hasattr(found, 'score') else found):.12g}")


def case(job, kind, k, ragged, threads, rows):
    ours = runner(sequence, kind, k, job, n_jobs=threads)
    theirs = runner(hmm, kind, k, job, implementation="scaling")
    name = f"{job} {kind} {k} states, {'ragged' if ragged else 'one sequence'}, {threads} thread{'s' if threads > 1 else ''}"
    bar = {"hmmlearn": 8.0 if threads == 2 else 5.0}
    return Case(name, maker(kind, k, ragged), {"novum": ours, "hmmlearn": theirs}, quality, rows, bar)


CASES = [
    case(job, kind, k, ragged, threads, (25_000, 100_000) if k == 64 else (100_000, 1_000_000))
    for job in ("score_samples", "decode", "baum-welch")
    for kind in ("diag", "full", "categorical")
    for k in (2, 8, 64)
    for ragged in (False, True)
    for threads in ((1, 2) if ragged else (1,))
]
