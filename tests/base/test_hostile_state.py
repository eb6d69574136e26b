"""Model files whose objects hold what their classes do not declare: refused by name before anything is predicted."""

import io
import json
import zipfile

import numpy as np
import pytest
from hostile import NOTHING, attributes, listing, node, put, refused, rewrite
from sklearn.feature_extraction.text import CountVectorizer as TheirCounts
from sklearn.feature_extraction.text import TfidfVectorizer as TheirTfidf
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier as TheirTree

from novum.exceptions import FileFormatError, ParameterError
from novum.feature_extraction.text import CountVectorizer
from novum.linear_model import Ridge
from novum.naive_bayes import GaussianNB
from novum.persistence.attributes import check_declared
from novum.persistence.files import load, save
from novum.tree import DecisionTreeClassifier

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
label = np.where(X[:, 0] + X[:, 1] > 0, "yes", "no")
TEXTS = ["a bb cc dd", "dd ee ff aa"] * 10


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.novum"


def plain(value):
    return node("builtins", "str", "JsonNode", content=json.dumps(value), is_json=True)


def with_attribute(name, value):
    """Return an edit that gives the object one more attribute."""

    def edit(schema):
        attributes(schema)[name] = value
        schema["content"]["key_types"]["content"].append(node("builtins", "str", "TypeNode"))

    return edit


@pytest.mark.parametrize("model", [TheirTree(max_depth=2), DecisionTreeClassifier(max_depth=2), GaussianNB()], ids=repr)
@pytest.mark.parametrize("name", ["predict", "_validate_X_predict", "fit", "__class__", "n_features", "unheard_of_"])
def test_attributes_that_the_class_does_not_declare(model, name, path):
    rewrite(path, model.fit(X, label), schema=with_attribute(name, plain(3)))
    refused(path, f"has an attribute '{name}'")


@pytest.mark.parametrize("model", [StandardScaler(), Ridge()], ids=repr)
def test_no_class_where_data_belong(model, path):
    model = model.fit(X, X[:, 0])
    first = next(iter(k for k in vars(model) if k.endswith("_")))
    rewrite(path, model, schema=lambda schema: attributes(schema).update({first: node("builtins", "int", "TypeNode")}))
    refused(path, "is a class, not data")


@pytest.mark.parametrize("name, value", [("theta_", "text"), ("var_", {}), ("classes_", 3), ("n_features_in_", "3")])
def test_kinds(name, value, path):
    model = GaussianNB().fit(X, label)
    setattr(model, name, value)
    with pytest.raises(FileFormatError, match=f"attribute '{name}' of its GaussianNB is .*declares"):
        save(model, path)


@pytest.mark.parametrize("model, name", [(GaussianNB(), "theta_"), (Ridge(), "coef_"), (GaussianNB(), "class_prior_")])
def test_shapes(model, name, path):
    model = model.fit(X, label if isinstance(model, GaussianNB) else X[:, 0])
    setattr(model, name, getattr(model, name)[..., :-1])
    with pytest.raises(FileFormatError, match=f"attribute '{name}' .*of shape"):
        check_declared(model)


def test_parameters_outside_their_domains(path):
    rewrite(path, Ridge(), schema=put(plain("text")))
    refused(path, "parameter 'alpha' of its Ridge must be")
    rewrite(path, TheirLogistic(), schema=lambda schema: attributes(schema).update(max_iter=plain(-3)))
    refused(path, "parameters that the class refuses")


VOCABULARIES = [CountVectorizer(), TheirCounts(), make_pipeline(TheirTfidf(), TheirLogistic())]


@pytest.mark.parametrize("model", VOCABULARIES, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("column", [200_000_000, -1, 0, "1", 1.5])
def test_vocabularies(model, column, path):
    rewrite(path, model.fit(TEXTS, [0, 1] * 10))
    assert load(path)

    def edit(value):
        if isinstance(value, dict):
            if "vocabulary_" in value:
                value["vocabulary_"]["content"]["bb"] = plain(column)
            value.pop("__id__", None)
            value = list(value.values())
        for item in value if isinstance(value, list) else ():
            edit(item)

    rewrite(path, model, schema=edit)
    refused(path, "vocabulary_ of its .* a column that is not there")


def test_one_hot_codes_beyond_the_width(path):
    encoder = OneHotEncoder(max_categories=3, handle_unknown="infrequent_if_exist").fit(np.round(X).astype(int))
    np.testing.assert_array_equal(
        load(save(encoder, path)).transform([[1, 0, 7]]).toarray(), encoder.transform([[1, 0, 7]]).toarray()
    )
    for name, spoil in {
        "_n_features_outs": lambda value: [1] * len(value),
        "_default_to_infrequent_mappings": lambda value: [m if m is None else m + 10**6 for m in value],
        "_infrequent_indices": lambda value: [v if v is None else v + 10**6 for v in value],
    }.items():
        forged = OneHotEncoder(max_categories=3, handle_unknown="infrequent_if_exist").fit(np.round(X).astype(int))
        setattr(forged, name, spoil(getattr(forged, name)))
        with pytest.raises(FileFormatError, match="column that is not there"):
            save(forged, path)
    binned = KBinsDiscretizer(quantile_method="averaged_inverted_cdf").fit(X)
    binned._encoder._n_features_outs = [1, 1, 1]
    with pytest.raises(FileFormatError, match="column that is not there"):
        save(binned, path)


def test_classes_whose_compiled_code_trusts_the_file(path):
    model = make_pipeline(StandardScaler(), SVC()).fit(X, label)
    save(model, path)
    refused(
        path, r"sklearn\.svm\._classes\.SVC, whose state cannot be checked.*trusted=\['sklearn\.svm\._classes\.SVC'\]"
    )
    for trusted in ([SVC], "sklearn.svm._classes.SVC", SVC):
        np.testing.assert_array_equal(load(path, trusted=trusted).predict(X), model.predict(X))
    for wrong in (["os.system"], [3], [Ridge]):
        with pytest.raises(ParameterError, match="is not a class of scikit-learn"):
            load(path, trusted=wrong)


@pytest.mark.parametrize("cls", ["bytes_", "void", "float64"])
def test_scalars_that_take_memory_by_their_value(cls, path):
    """numpy.bytes_ of the number 3e9 makes three gigabytes."""
    data = io.BytesIO()
    np.save(data, np.array(3_000_000_000) if cls != "float64" else np.zeros(9))
    scalar = node("numpy", cls, "NdArrayNode", type="numpy", file="1.npy")
    rewrite(path, schema=put(scalar), add=[("1.npy", data.getvalue())])
    refused(path)


@pytest.mark.parametrize(
    "text", ["[" + "[]," * 3_000_000 + "[]]", "\\u005b" + "[]," * 3_000_000 + "[]]"], ids=["plain", "escaped"]
)
def test_descriptions_are_counted_before_they_are_built(text, path):
    rewrite(path, schema=put(plain(0)))
    with zipfile.ZipFile(path) as old:
        members = {name: old.read(name) for name in old.namelist()}
    forged = json.dumps(node("builtins", "list", "JsonNode", content="@", is_json=True)).replace("@", text)
    at_alpha = members["schema.json"].decode().replace('"alpha": {', '"alpha": ' + forged + ', "other": {', 1)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in members.items():
            new.writestr(name, at_alpha if name == "schema.json" else content)
    assert path.stat().st_size < 2**21
    refused(path, "bytes of memory")


def test_types_of_keys(path):
    table = node(
        "builtins",
        "dict",
        "DictNode",
        content={"8": plain(1)},
        key_types=listing(node("builtins", "bytearray", "TypeNode")),
    )
    rewrite(path, schema=put(table))
    refused(path, "bytearray")
    rewrite(path, schema=put(NOTHING))
    refused(path, "parameter 'alpha'")
