"""Vectorizers against scikit-learn's, entry by entry, on any text; the compiled counter against its definition."""

import re
import sys
import unicodedata
import warnings
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.feature_extraction import text as peers
from sklearn.pipeline import make_pipeline

import novum
from novum import _core
from novum.feature_extraction import term_counts, text
from novum.naive_bayes import GaussianNB

DOCUMENTS = [
    "The quick brown fox jumps over the lazy dog.",
    "THE DOG barks; the_fox runs 42 times (x1, y2)!",
    "",
    "Übergröße, ΣΑΛΟΣ, İstanbul, naïve café -- ﬁne ™ K",
    "日本語 テキスト mixed-with ASCII and 𝐦𝐚𝐭𝐡 ١٢٣",
    "a b c",
]
words = st.text(alphabet=st.characters(), max_size=30) | st.text("aAbB_1 éÉßẞσΣİıǅ-.", max_size=30)


def same(ours, peer):
    assert ours.shape == peer.shape and ours.dtype == peer.dtype and type(ours) is type(peer)
    assert ours.indices.dtype == peer.indices.dtype
    difference = abs(ours - peer)
    assert difference.nnz == 0 or difference.max() <= 2e-16
    assert ours.nnz == peer.nnz


OPTIONS = [
    {},
    {"lowercase": False},
    {"ngram_range": (1, 3)},
    {"ngram_range": (2, 2), "stop_words": ["the", "fox"]},
    {"stop_words": "english", "strip_accents": "unicode"},
    {"strip_accents": "ascii", "binary": True},
    {"token_pattern": r"(?u)\b\w+\b", "dtype": np.float32},
    {"analyzer": "char_wb", "ngram_range": (2, 3)},
    {"token_pattern": r"[a-z]+"},
    {"tokenizer": str.split, "token_pattern": None},
    {"preprocessor": str.upper},
]
LIMITS = [{"min_df": 2}, {"max_df": 0.3}, {"max_features": 5}, {"min_df": 2, "max_features": 3, "ngram_range": (1, 2)}]


@pytest.mark.notes("000-b", "bag-of-words")
@pytest.mark.notes("001", "bag-of-words")
@pytest.mark.notes("001", "text-vocabulary")
@pytest.mark.parametrize("options", [*OPTIONS, *LIMITS], ids=str)
@pytest.mark.parametrize("name", ["CountVectorizer", "TfidfVectorizer"])
def test_vectorizers_equal_scikit_learn(name, options):
    ours, peer = getattr(text, name)(**options), getattr(peers, name)(**options)
    same(ours.fit_transform(DOCUMENTS), peer.fit_transform(DOCUMENTS))
    assert ours.vocabulary_ == peer.vocabulary_
    assert_array_equal(ours.get_feature_names_out(), peer.get_feature_names_out())
    same(ours.transform(DOCUMENTS[::-1] * 40), peer.transform(DOCUMENTS[::-1] * 40))


@pytest.mark.parametrize(
    "options", [{}, {"alternate_sign": False, "norm": None}, {"norm": "l1", "binary": True}, *OPTIONS[2:6]], ids=str
)
def test_hashing_equals_scikit_learn(options):
    ours, peer = (
        text.HashingVectorizer(n_features=2**10, **options),
        peers.HashingVectorizer(n_features=2**10, **options),
    )
    same(ours.transform(DOCUMENTS), peer.transform(DOCUMENTS))
    same(ours.fit_transform(DOCUMENTS * 200), peer.fit_transform(DOCUMENTS * 200))


@settings(max_examples=150, deadline=None)
@given(st.lists(words, min_size=1, max_size=5), st.booleans(), st.integers(1, 3))
def test_any_text_is_split_as_the_pattern_splits_it(documents, lowercase, n):
    options = {"lowercase": lowercase, "ngram_range": (1, n)}
    try:
        peer = peers.CountVectorizer(**options).fit(documents)
    except ValueError as error:
        with pytest.raises(ValueError, match=re.escape(str(error))):
            text.CountVectorizer(**options).fit(documents)
        return
    ours = text.CountVectorizer(**options)
    same(ours.fit_transform(documents), peer.transform(documents))
    assert ours.vocabulary_ == peer.vocabulary_


@settings(max_examples=150, deadline=None)
@given(st.lists(words, min_size=1, max_size=5), st.integers(1, 3), st.integers(0, 3), st.booleans())
def test_any_text_gives_the_pieces_that_scikit_learn_finds(documents, least, more, binary):
    options = {"analyzer": "char_wb", "ngram_range": (least, least + more), "binary": binary}
    try:
        peer = peers.CountVectorizer(**options).fit(documents)
    except ValueError as error:
        with pytest.raises(ValueError, match=re.escape(str(error))):
            text.CountVectorizer(**options).fit(documents)
        return
    ours = text.CountVectorizer(**options)
    same(ours.fit_transform(documents), peer.transform(documents))
    assert ours.vocabulary_ == peer.vocabulary_
    same(ours.transform(documents[::-1] + ["of the fox"]), peer.transform(documents[::-1] + ["of the fox"]))


def test_every_code_point_is_classed_and_lowered_as_python_does():
    points = [chr(c) for c in range(sys.maxunicode + 1)]
    texts = ["a" + "".join(points[start : start + 4096]) for start in range(0, len(points), 4096)]
    rules, none = _core.feature_extraction.text.Rules(True, 1, 1, 1), _core.feature_extraction.text.terms([])
    plan = term_counts.Plan(
        [t.lower() if any(p in t for p in term_counts.PYTHON_LOWERS) else t for t in texts], rules, none
    )
    terms, _ = term_counts.counts(plan, np.int64)
    expected = Counter(token for t in texts for token in re.findall(r"\b\w+\b", t.lower()))
    assert list(terms) == sorted(expected)


@pytest.mark.notes("001", "text-vocabulary")
@pytest.mark.notes("001", "bag-of-words")
@pytest.mark.notes("000-b", "bag-of-words")
def test_a_document_is_its_counts():
    """The vocabulary is the distinct words in a fixed order; a row counts them, order lost, unknown words left out."""
    training = ["machine learning learns machines", "math proves, machine counts: machine!"]
    vectorizer = text.CountVectorizer()
    X = vectorizer.fit_transform(training).toarray()
    assert list(vectorizer.vocabulary_) == ["counts", "learning", "learns", "machine", "machines", "math", "proves"]
    assert_array_equal(X, [[0, 1, 1, 1, 1, 0, 0], [1, 0, 0, 2, 0, 1, 1]])
    shuffled = vectorizer.transform(["machines learns unknown learning machine"] * 20).toarray()
    assert_array_equal(shuffled, np.repeat(X[:1], 20, axis=0))


def test_threads_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    documents = [" ".join(f"w{i}" for i in rng.zipf(1.5, 30) % 500) for _ in range(700)]
    results = []
    for n in (1, 2, 5):
        monkeypatch.setattr(term_counts, "thread_count", lambda n=n: n)
        vectorizer = text.CountVectorizer(ngram_range=(1, 2))
        results.append(
            (vectorizer.fit_transform(documents), list(vectorizer.vocabulary_), vectorizer.transform(documents))
        )
    for X, terms, again in results[1:]:
        assert terms == results[0][1]
        for part in ("data", "indices", "indptr"):
            assert_array_equal(getattr(X, part), getattr(results[0][0], part))
            assert_array_equal(getattr(again, part), getattr(X, part))


@pytest.mark.parametrize("name", ["CountVectorizer", "TfidfVectorizer", "HashingVectorizer"])
@pytest.mark.parametrize(
    "documents, options",
    [
        ("one string", {}),
        (["ok", np.nan], {}),
        (["ok", None], {}),
        (["ok", 3], {}),
        ([b"bytes \xff"], {}),
        (["fine"], {"ngram_range": (3, 1)}),
        (["fine"], {"strip_accents": "gothic"}),
        (["fine"], {"stop_words": "klingon"}),
    ],
    ids=str,
)
def test_errors_are_those_of_scikit_learn(name, documents, options):
    with pytest.raises(Exception) as expected:
        getattr(peers, name)(**options).fit_transform(documents)
    with pytest.raises(expected.type, match=re.escape(str(expected.value)[:60])):
        getattr(text, name)(**options).fit_transform(documents)


def test_empty_vocabulary_and_unpaired_surrogates():
    with pytest.raises(ValueError, match="empty vocabulary"):
        text.CountVectorizer().fit(["a", "."])
    lone = ["ab\ud800cd abc", "abc"]
    assert "abc" in text.CountVectorizer().fit(lone).vocabulary_
    same(text.CountVectorizer().fit_transform(lone), peers.CountVectorizer().fit_transform(lone))
    with pytest.raises(ValueError, match="0 sample"):
        text.HashingVectorizer().transform([])
    assert text.HashingVectorizer(norm=None).transform([]).shape == (0, 2**20)


def test_files_and_bytes(tmp_path):
    for i, document in enumerate(DOCUMENTS):
        (tmp_path / f"{i}.txt").write_text(document, encoding="utf-8")
    paths = sorted(tmp_path.glob("*.txt"))
    from_files = text.CountVectorizer(input="filename").fit_transform(paths)
    same(from_files, text.CountVectorizer().fit_transform(DOCUMENTS))
    latin = [document.encode("utf-16") for document in DOCUMENTS]
    same(text.CountVectorizer(encoding="utf-16").fit_transform(latin), from_files)


def test_given_vocabulary_and_subclasses():
    fixed = {"dog": 1, "fox": 0, "lazy dog": 2}
    ours, peer = (cls.CountVectorizer(vocabulary=fixed, ngram_range=(1, 2)) for cls in (text, peers))
    same(ours.fit_transform(DOCUMENTS), peer.fit_transform(DOCUMENTS))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        text.CountVectorizer(vocabulary=["Dog"]).fit_transform(DOCUMENTS)
    assert "Upper case" in str(caught[0].message)

    class Letters(text.CountVectorizer):
        def build_tokenizer(self):
            return list

    assert set(Letters().fit(["ab"]).vocabulary_) == {"a", "b"}


def test_clone_pipeline_and_file(tmp_path):
    vectorizer = text.TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    X = vectorizer.fit_transform(DOCUMENTS)
    assert clone(vectorizer).get_params() == vectorizer.get_params()
    novum.save(vectorizer, tmp_path / "words.novum")
    same(novum.load(tmp_path / "words.novum").transform(DOCUMENTS), X)
    dense = make_pipeline(text.CountVectorizer(), Dense(), GaussianNB()).fit(DOCUMENTS[:4], [0, 1, 0, 1])
    assert dense.predict(DOCUMENTS[:2]).shape == (2,)


class Dense:
    """Makes a sparse matrix dense."""

    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X.toarray()

    def fit_transform(self, X, y=None):
        return X.toarray()


def test_accents_are_stripped_by_unicode():
    accents = "éÅñç"
    plain = "".join(c for c in unicodedata.normalize("NFKD", accents.lower()) if not unicodedata.combining(c))
    assert list(text.CountVectorizer(strip_accents="unicode").fit([accents]).vocabulary_) == [plain]
    tfidf = text.TfidfTransformer().fit_transform(text.CountVectorizer().fit_transform(DOCUMENTS))
    assert_allclose(tfidf.toarray(), text.TfidfVectorizer().fit_transform(DOCUMENTS).toarray(), rtol=1e-15)


VECTORIZERS = [text.CountVectorizer, text.TfidfVectorizer, text.HashingVectorizer]


@pytest.mark.parametrize("kind", VECTORIZERS)
@pytest.mark.parametrize("grams", [(0, 1), (0, 0), (-2, 2), (1, 10**12), (3, 10**30)])
def test_terms_of_no_words_and_of_very_many(kind, grams):
    peer = getattr(peers, kind.__name__)
    same(kind(ngram_range=grams).fit_transform(["a bb cc dd"]), peer(ngram_range=grams).fit_transform(["a bb cc dd"]))


@pytest.mark.parametrize("width", [0, -1, 2**31, 10**30, 2.5])
def test_hashes_need_a_column(width):
    with pytest.raises(ValueError, match="'n_features' parameter of HashingVectorizer"):
        text.HashingVectorizer(n_features=width).transform(["bb"])


@pytest.mark.parametrize("analyzer", ["word", "char"])
def test_counts_that_do_not_fit_are_refused(analyzer):
    many = ["bb " * 300, "bb"]
    with pytest.raises(ValueError, match="dtype=uint8 cannot hold counts"):
        text.CountVectorizer(dtype=np.uint8, analyzer=analyzer).fit_transform(many)
    with pytest.raises(ValueError, match="dtype=uint8 cannot hold counts"):
        text.HashingVectorizer(dtype=np.uint8, norm=None, analyzer=analyzer, alternate_sign=False).transform(many)
    assert text.CountVectorizer(dtype=np.uint8, analyzer=analyzer, binary=True).fit_transform(many).data.max() == 1
    assert text.CountVectorizer(dtype=np.uint8, analyzer=analyzer).fit_transform(["bb bb"]).dtype == np.uint8
    normed = text.HashingVectorizer(dtype=np.uint8, analyzer=analyzer, alternate_sign=False).transform(many)
    assert_allclose(
        normed.toarray(), text.HashingVectorizer(analyzer=analyzer, alternate_sign=False).transform(many).toarray()
    )


@pytest.mark.parametrize("place", [200_000_000, -1, 10**30])
@pytest.mark.parametrize("document", ["bb", "bb cc " * 50])
def test_a_vocabulary_with_a_column_that_is_not_there_is_refused(place, document):
    model = text.CountVectorizer().fit(["bb cc dd"])
    model.vocabulary_["bb"] = place
    with pytest.raises((ValueError, OverflowError, TypeError)):
        model.transform([document])


def test_kernels_refuse_what_they_would_index_out_of_range():
    with pytest.raises(ValueError, match="at least one part"):
        _core.feature_extraction.text.Rules(True, 2, 0, 1)
    rules, none = _core.feature_extraction.text.Rules(True, 2, 1, 1), _core.feature_extraction.text.terms([])
    with pytest.raises(ValueError, match="columns must be at least 1"):
        _core.feature_extraction.text.hash(["bb"], rules, none, 0, True)
    with pytest.raises(ValueError, match="place is shorter"):
        _core.feature_extraction.text.rows(
            _core.feature_extraction.text.count(["bb cc"], rules, none), np.zeros(1, np.int32)
        )


@pytest.mark.parametrize("cls", [text.CountVectorizer, text.TfidfVectorizer])
@pytest.mark.parametrize("method", ["fit", "fit_transform"])
def test_a_learned_vocabulary_is_plain_and_can_be_saved(cls, method, tmp_path):
    documents = ["red apple pie", "green apple", "sky is blue"]
    vectorizer = cls()
    getattr(vectorizer, method)(documents)
    assert type(vectorizer.vocabulary_) is dict
    loaded = novum.load(novum.save(vectorizer, tmp_path / "words.novum"))
    np.testing.assert_array_equal(loaded.transform(documents).toarray(), vectorizer.transform(documents).toarray())
