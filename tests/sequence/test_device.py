"""Hidden Markov models on tensors that count as elsewhere, and the compiled recursions interpreted, against those of memory."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from novum.exceptions import DataError
from novum.runtime.devices import has_triton
from novum.sequence import CategoricalHMM, GaussianHMM

torch = pytest.importorskip("torch")
from elsewhere import elsewhere  # noqa: E402  needs PyTorch

pytestmark = [pytest.mark.deep, pytest.mark.filterwarnings("ignore:.*still gained after max_iter")]
RNG = np.random.default_rng(0)
LENGTHS = np.array([12, 1, 9, 20, 20, 10])
N, K = int(LENGTHS.sum()), 3
START, TRANS = RNG.dirichlet(np.ones(K)), (RNG.dirichlet(np.ones(K), K) + np.eye(K)) / 2
X = RNG.normal(size=(N, 2)) + np.repeat(RNG.normal(0, 2, (9, 2)), N // 9, axis=0)
SYMBOLS = RNG.integers(0, 5, (N, 1))
QUESTIONS = ("predict", "predict_proba", "filter", "score_samples", "score", "decode")


def gaussian(form, **settings):
    model = GaussianHMM(K, form, init_params="", max_iter=3, tol=-1, **settings)
    model.startprob_, model.transmat_ = START, TRANS
    model.means_ = np.array([[0.0, 1.0], [2.0, -1.0], [-2.0, 0.0]])
    model.covars_ = {
        "diag": np.ones((K, 2)),
        "spherical": np.ones(K),
        "tied": np.eye(2),
        "full": np.tile(np.eye(2), (K, 1, 1)),
    }[form]
    return model


def categorical(**settings):
    model = CategoricalHMM(K, init_params="", max_iter=3, tol=-1, **settings)
    model.startprob_, model.transmat_, model.emissionprob_ = (
        START,
        TRANS,
        np.random.default_rng(1).dirichlet(np.ones(5), K),
    )
    return model


def compared(make, rows, weight=None):
    here = make().fit(rows, LENGTHS, sequence_weight=weight)
    with elsewhere():
        there = make().fit(torch.as_tensor(rows), LENGTHS, sequence_weight=weight)
        found = {name: getattr(there, name)(torch.as_tensor(rows), LENGTHS) for name in QUESTIONS}
    for name, attribute in {"s": "startprob_", "t": "transmat_", **here._letters}.items():
        assert_allclose(getattr(there, attribute), getattr(here, attribute), rtol=1e-10, atol=1e-12, err_msg=name)
    assert_allclose(there.history_, here.history_, rtol=1e-11)
    assert here.bic_one_state_ is None or there.bic_one_state_ == pytest.approx(here.bic_one_state_, rel=1e-11)
    for name, answer in found.items():
        expected, answer = getattr(here, name)(rows, LENGTHS), answer
        for one, other in zip(*(value if isinstance(value, tuple) else (value,) for value in (expected, answer))):
            assert np.ndim(one) == 0 or isinstance(other, torch.Tensor), name
            assert_allclose(np.asarray(other), one, rtol=1e-9, atol=1e-10, err_msg=name)


@pytest.mark.parametrize("form", ["diag", "spherical", "tied", "full"])
def test_gaussian_states(form):
    compared(lambda: gaussian(form), X)


def test_gaps_and_weights():
    rows = X.copy()
    rows[5, 0] = rows[60, 1] = np.nan
    rows[33] = np.nan
    for form in ("diag", "full"):
        compared(lambda: gaussian(form), rows, np.array([1.0, 2.0, 0.5, 1.0, 3.0, 1.0]))  # noqa: B023


def test_symbols():
    compared(categorical, SYMBOLS)
    missing = SYMBOLS.astype(float)
    missing[7] = np.nan
    compared(categorical, missing)


def test_single_precision_is_read_as_such():
    with elsewhere():
        found = gaussian("diag").fit(torch.as_tensor(X, dtype=torch.float32), LENGTHS)
    assert_allclose(found.means_, gaussian("diag").fit(X.astype(np.float32), LENGTHS).means_, rtol=1e-10)


def test_groups_lists_and_the_other_algorithm():
    groups = np.argsort(RNG.random(N)) % 4
    known = gaussian("diag", algorithm="map").fit(X, groups=groups)
    parts = np.split(X, np.cumsum(LENGTHS)[:-1])
    with elsewhere():
        found = gaussian("diag", algorithm="map").fit(torch.as_tensor(X), groups=groups)
        path = found.predict(torch.as_tensor(X), groups=groups)
        listed = found.score([torch.as_tensor(part) for part in parts])
    assert_allclose(found.means_, known.means_, rtol=1e-10)
    assert_array_equal(path.numpy(), known.predict(X, groups=groups))
    assert listed == pytest.approx(known.score(parts), rel=1e-11)


def test_a_start_is_made_from_a_sample():
    with elsewhere(N * 2):
        found = GaussianHMM(K, random_state=0, n_init=2, max_iter=4).fit(torch.as_tensor(X), LENGTHS)
        banded = GaussianHMM(K, random_state=0, n_init=1, max_iter=4, topology="banded").fit(
            torch.as_tensor(X), LENGTHS
        )
        symbols = CategoricalHMM(K, random_state=0, n_init=2, max_iter=4).fit(torch.as_tensor(SYMBOLS), LENGTHS)
    known = GaussianHMM(K, random_state=0, n_init=2, max_iter=4).fit(X, LENGTHS)
    assert_allclose(found.means_, known.means_, rtol=1e-8)
    known = CategoricalHMM(K, random_state=0, n_init=2, max_iter=4).fit(SYMBOLS, LENGTHS)
    assert_allclose(symbols.emissionprob_, known.emissionprob_, rtol=1e-8)
    known = GaussianHMM(K, random_state=0, n_init=1, max_iter=4, topology="banded").fit(X, LENGTHS)
    assert_allclose(banded.means_, known.means_, rtol=1e-8)


def test_what_is_refused_in_the_words_of_memory():
    impossible = categorical()
    impossible.emissionprob_ = np.eye(3, 5)
    wrong = [
        (lambda X: categorical().fit(X), torch.as_tensor(SYMBOLS) - 1, "nonnegative; the least is -1"),
        (lambda X: categorical().fit(X), torch.as_tensor(SYMBOLS) + 0.5, "Symbols should be integers"),
        (lambda X: categorical().fit(X), torch.as_tensor(SYMBOLS).double(), "Symbols should be integers"),
        (lambda X: categorical().fit(X), torch.as_tensor(SYMBOLS) + 3, "Largest symbol is 7 but"),
        (lambda X: categorical().fit(X), torch.as_tensor(np.tile(SYMBOLS, 2)), "must be one column of symbols"),
        (impossible.predict_proba, torch.tensor([[0], [1], [4], [0]]), "row 2 has probability zero"),
        (impossible.predict, torch.tensor([[0], [1], [4], [0]]), "row 2 has probability zero"),
    ]
    for call, rows, words in wrong:
        with elsewhere(), pytest.raises(DataError, match=words):
            call(rows)
    with elsewhere():
        assert impossible.score(torch.tensor([[0], [1], [4], [0]])) == -np.inf
        with pytest.raises(DataError, match="known states are for rows in memory"):
            gaussian("diag").fit(torch.as_tensor(X), LENGTHS, states=np.full(N, -1))


@pytest.mark.skipif(not has_triton(), reason="Triton is not installed")
@pytest.mark.filterwarnings("default")
def test_the_kernels_are_the_recursions_of_memory():
    script = """
        import warnings
        import numpy as np, torch
        from numpy.testing import assert_allclose
        from novum.runtime import devices
        from novum.sequence.hmm import recursions as r
        warnings.simplefilter("ignore")  # the interpreter's, of zeros that a GPU divides by
        devices.runs_kernels = lambda tensor: True
        rng, weight = np.random.default_rng(0), np.array([1.0, 2.0, 0.0, 0.5])
        offsets = np.array([0, 7, 8, 20, 31])
        for k, spread, topology in ((1, 1, 0), (3, 1, 1), (3, 400, 0), (3, 400, 1), (5, 30, 0)):
            trans = rng.dirichlet(np.ones(k), k)
            start = rng.dirichlet(np.ones(k))
            if topology:  # left to right: a state that is lost may be the only one that was possible
                trans, start = np.triu(trans) / np.triu(trans).sum(1, keepdims=True), np.eye(k)[0]
            log, chain = spread * rng.normal(size=(31, k)), r.Chain(start, trans)
            here, there = r.Densities(log), r.Densities(torch.as_tensor(log))
            for function in (r.smooth, r.filter_states):
                for one, other in zip(function(chain, here, offsets)[:3], function(chain, there, offsets)[:3]):
                    assert_allclose(other, one, rtol=1e-10, atol=1e-11)
            assert_allclose(r.smooth(chain, there, offsets, weight).pairs, r.smooth(chain, here, offsets, weight).pairs, atol=1e-11)
            rows = r.row_log_likelihoods(chain, here, offsets, "test")
            assert_allclose(r.row_log_likelihoods(chain, there, offsets, "test"), rows, rtol=1e-9, atol=1e-11)
            found, known = r.decode(chain, there, offsets), r.decode(chain, r.Densities(log.copy()), offsets)
            assert_allclose(found[0], known[0], rtol=1e-13)
            assert (found[1].numpy() == known[1]).all()
    """
    run = [sys.executable, "-c", textwrap.dedent(script)]
    subprocess.run(run, check=True, env={**os.environ, "TRITON_INTERPRET": "1"}, timeout=200)
