"""What a student types leads to a scene: words of the notes, of the chapters, of the scenes themselves."""

import pytest


@pytest.mark.parametrize(
    ("question", "scene"),
    [
        ("Minkowski", "distances"),  # of the chapter, where no scene shows the row itself
        ("distance metrics", "distances"),
        ("tied covariance", "em"),  # of the scene's own words
        ("variational inference", "variational"),
        ("causal inference", "causality"),
        ("off-policy", "grid-learn"),
        ("model-free prediction", "walk-predict"),
        ("inferenza variazionale", "variational"),
        ("programmazione dinamica", "grid-plan"),
        ("causalità", "causality"),
    ],
)
def test_words_of_the_notes_lead_to_a_scene(question, scene):
    from novum.lab.server.requests import found

    assert scene in [hit["scene"] for hit in found(question)]
