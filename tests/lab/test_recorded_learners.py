"""Every learner that tells its passes can be recorded and shown, and what its pages say is what the protocol allows."""

import json
import re
import warnings
from base64 import urlsafe_b64decode
from html import unescape
from zlib import decompress

import numpy as np
import pytest
from sklearn.utils import get_tags

from novum.exceptions import DataError
from novum.lab import record
from novum.lab.notebook import MOST_BYTES
from tests.contract.test_passes import AT_ONCE, NOT_YET, RUNS, case, names

HEARD = sorted(set(names()) - {*AT_ONCE.split(), *NOT_YET.split(), *RUNS})


@pytest.mark.parametrize("name", HEARD)
def test_a_learner_that_tells_its_passes_is_shown(name):
    model, arguments = case(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frames = record(model, *arguments)
        text = frames._repr_html_()
    assert len(text.encode()) <= MOST_BYTES
    page = unescape(re.search(r'srcdoc="([^"]*)"', text)[1])
    packed = re.search(r'<script type="text/plain" id="events">([^<]*)</script>', page)[1]
    events = json.loads(decompress(urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), wbits=-15))
    shown = [content for kind, content in events if kind == "frame"]
    heard = {one.n_iter: one for one in frames.passes}
    assert shown[0]["n"] == frames.passes[0].n_iter and shown[-1]["n"] == frames.passes[-1].n_iter
    for frame in shown:
        objective = heard[frame["n"]].objective
        expected = objective if objective is not None and np.isfinite(objective) else None
        assert frame["values"]["objective"] == expected
    bound = next((view for view in events[0][1]["scene_info"]["views"] if view["kind"] == "plane"), {})
    assert not {"map", "lines"} & set(bound) or get_tags(model).input_tags.two_d_array


@pytest.mark.parametrize("name", sorted(RUNS))
def test_a_learner_that_tells_passes_without_a_model_is_refused(name):
    model, arguments = case(name)
    with pytest.raises(DataError, match=f"record: {name} reports passes without a model"):
        record(model, *arguments)
