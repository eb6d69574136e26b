"""Naive Bayes on text: every score counted by hand, the last frame against a plain fit."""

import re
from math import exp, log

import pytest
from lab.runs import refusal_of, run_of

from novum.feature_extraction.text import CountVectorizer
from novum.naive_bayes import MultinomialNB

OWN = [["a", "red red green"], ["b", "green blue"], ["b", "blue blue sky"]]
STATES = [{}, {"alpha": 0.1, "equal": True, "sentence": "a fast goal, the shares of the team"}]
STATES.append({"documents": OWN, "sentence": "red sky green unheard green", "alpha": 2.5})


@pytest.fixture(scope="module", params=STATES)
def run(request):
    return run_of("naive-bayes-text", **request.param)


def words_of(text):
    return re.findall(r"\w\w+", text.lower())


def score(run, topic, words):
    """Return ln P(c) + sum of ln P(w | c), counted."""
    s = run.state
    texts = {c: [words_of(text) for name, text in s.documents if name == c] for c, _ in s.documents}
    vocabulary = {word for listed in texts.values() for text in listed for word in text}
    own = [word for text in texts[topic] for word in text]
    prior = 1 / 2 if s.equal else len(texts[topic]) / len(s.documents)
    each = [
        (own.count(word) + s.alpha) / (len(own) + s.alpha * len(vocabulary)) for word in words if word in vocabulary
    ]
    return log(prior) + sum(map(log, each))


def test_every_score_is_counted(run):
    first, second = sorted({row[0] for row in run.state.documents})
    words = words_of(run.state.sentence)
    assert len(run.frames) == len(words) + 1
    for frame in run.frames:
        scores = score(run, first, words[: frame.n]), score(run, second, words[: frame.n])
        assert (frame.values["first"], frame.values["second"]) == pytest.approx(scores, rel=1e-12)
        assert frame.values["odds"] == pytest.approx(scores[0] - scores[1], rel=1e-10, abs=1e-12)
        assert frame.values["posterior"] == pytest.approx(1 / (1 + exp(scores[1] - scores[0])), rel=1e-10)
        assert sum(frame.arrays["terms"]) == pytest.approx(frame.values["odds"], rel=1e-9, abs=1e-12)


def test_the_last_frame_is_the_fit(run):
    s, counter = run.state, CountVectorizer()
    topics, texts = zip(*s.documents)
    model = MultinomialNB(alpha=s.alpha, fit_prior=not s.equal).fit(counter.fit_transform(texts), topics)
    counts = counter.transform([s.sentence])
    assert run.last.values["posterior"] == model.predict_proba(counts)[0, 0]
    joint = model.predict_joint_log_proba(counts)[0]
    assert run.last.values["odds"] == joint[0] - joint[1]


def test_a_word_that_no_text_has_changes_nothing():
    run = run_of("naive-bayes-text", **STATES[-1])
    (unknown,) = [frame for frame in run.frames if frame.say[0] == "unknown"]
    assert unknown.say[1]["word"] == "unheard"
    assert unknown.values["odds"] == run.at(unknown.n - 1).values["odds"]


def test_other_than_two_topics_are_refused():
    assert "two topics" in refusal_of("naive-bayes-text", documents=[["a", "one two"]])[0]
    assert refusal_of("naive-bayes-text", documents=[["a", "b c"], ["b", "d"]])[1] == "documents"
