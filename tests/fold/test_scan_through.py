import numpy as np
import pandas as pd
import pytest
from scanfiles import table, write
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, PolynomialFeatures, StandardScaler

import novum
from novum.exceptions import DataError, ParameterError
from novum.fold.readers.batches import batch_rows
from novum.linear_model import LinearRegression, Ridge

FEATURES = ["x0", "x1", "x2", "x3"]
MIXED = [*FEATURES, "name"]


@pytest.fixture
def frame():
    return table()


@pytest.fixture
def path(tmp_path, frame):
    return write(frame, tmp_path / "rows.parquet", rows=70)


def values(data):
    return np.concatenate(list(data.rows(lambda _, block: block.X)))


def test_scaler_with_names(path, frame):
    scaler = StandardScaler().fit(frame[FEATURES])
    data = novum.scan(path, FEATURES, "y", batch_rows=128).through(scaler)
    assert data.names == FEATURES
    assert repr(data).endswith("4 features, target 'y', through StandardScaler")
    np.testing.assert_allclose(values(data), scaler.transform(frame[FEATURES]), rtol=1e-14)
    model = Ridge().fit(data)
    inside = Ridge().fit(scaler.transform(frame[FEATURES]), frame["y"])
    np.testing.assert_allclose(model.coef_, inside.coef_, rtol=1e-10)
    assert list(model.feature_names_in_) == FEATURES
    predictions = np.concatenate(list(model.predict(data)))
    np.testing.assert_allclose(predictions, inside.predict(scaler.transform(frame[FEATURES])), rtol=1e-10)


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("ending", ["parquet", "feather", "csv"])
def test_encoder_over_text(tmp_path, frame, sparse, ending):
    path = write(frame, tmp_path / f"rows.{ending}", rows=70)
    encoder = make_column_transformer(
        (OneHotEncoder(sparse_output=sparse), ["name", "number"]),
        (StandardScaler(), FEATURES),
        sparse_threshold=float(sparse),
    ).fit(frame[[*MIXED, "number"]])
    raw = novum.scan(path, [*MIXED, "number"], "y", batch_rows=128)
    with pytest.raises(
        DataError, match=r"Ridge: column 'name' .* is .*string, not a number\. Encode it on the way, scan\.through"
    ):
        Ridge().fit(raw)
    data = raw.through(encoder)
    expected = encoder.transform(frame[[*MIXED, "number"]])
    expected = expected.toarray() if sparse else expected
    np.testing.assert_allclose(values(data), expected, rtol=1e-12)
    assert data.names == list(encoder.get_feature_names_out())
    model = Ridge().fit(data)
    np.testing.assert_allclose(model.coef_, Ridge().fit(expected, frame["y"]).coef_, rtol=1e-9)


def test_without_names_and_chained(path, frame):
    array = frame[FEATURES].to_numpy()
    scaler = StandardScaler().fit(array)
    squares = PolynomialFeatures(2, include_bias=False).fit(scaler.transform(array))
    data = novum.scan(path, FEATURES, "y", batch_rows=200).through(scaler).through(squares)
    assert data.n_features == 14 and data.names[4] == "x0^2"
    np.testing.assert_allclose(values(data), squares.transform(scaler.transform(array)), rtol=1e-12, atol=1e-14)
    named = PolynomialFeatures(2).fit(pd.DataFrame(scaler.transform(array), columns=FEATURES))
    data = novum.scan(path, FEATURES, "y").through(scaler).through(named)
    np.testing.assert_allclose(
        values(data), named.transform(pd.DataFrame(scaler.transform(array), columns=FEATURES)), rtol=1e-12
    )
    framed = StandardScaler().set_output(transform="pandas").fit(frame[FEATURES])
    data = novum.scan(path, FEATURES, "y").through(framed).through(named)
    np.testing.assert_allclose(values(data)[:, 1:5], framed.transform(frame[FEATURES]), rtol=1e-12)


def test_pipeline_of_npy(tmp_path, frame):
    array = frame[FEATURES].to_numpy(np.float32)
    np.save(tmp_path / "rows.npy", array)
    pipeline = make_pipeline(StandardScaler(), FunctionTransformer(np.tanh)).fit(array)
    data = novum.scan(tmp_path / "rows.npy", batch_rows=300).through(pipeline)
    assert data.dtype == np.float32 and data.names is None
    np.testing.assert_allclose(values(data), pipeline.transform(array), rtol=1e-6)
    with pytest.raises(DataError, match="fitted with column names"):
        novum.scan(tmp_path / "rows.npy").through(StandardScaler().fit(frame[FEATURES]))


def test_imputer_fills_gaps(tmp_path, frame):
    frame.loc[3::17, "x1"] = np.nan
    path = write(frame, tmp_path / "rows.parquet")
    data = novum.scan(path, FEATURES, "y")
    with pytest.raises(
        DataError, match=r"Input X contains NaN: column 'x1', row 3 \(row group 0\) of .*fitted_imputer"
    ):
        LinearRegression().fit(data)
    imputer = SimpleImputer().fit(frame[FEATURES])
    model = LinearRegression().fit(data.through(imputer))
    inside = LinearRegression().fit(imputer.transform(frame[FEATURES]), frame["y"])
    np.testing.assert_allclose(model.coef_, inside.coef_, rtol=1e-10)


def test_batches_shrink_with_the_columns_that_come_out(path, frame):
    wide = PolynomialFeatures(4).fit(frame[FEATURES])
    data = novum.scan(path, FEATURES, "y").through(wide)
    assert data.batch_rows == batch_rows(data.n_features) < novum.scan(path, FEATURES).batch_rows
    assert novum.scan(path, FEATURES, batch_rows=10).through(wide).batch_rows == 10


def test_head_after_a_step(path, frame):
    scaler = StandardScaler().fit(frame[FEATURES])
    head = novum.scan(path, FEATURES).through(scaler).head(3)
    np.testing.assert_allclose(head, scaler.transform(frame[FEATURES])[:3], rtol=1e-12)
    assert list(head.columns) == FEATURES


def test_what_cannot_be_a_step(path, frame):
    data = novum.scan(path, MIXED, "y")
    with pytest.raises(ParameterError, match=r"StandardScaler is not fitted. Fit it first"):
        data.through(StandardScaler())
    with pytest.raises(TypeError, match="fitted transformer with a transform method, got 3"):
        data.through(3)
    with pytest.raises(DataError, match=r"StandardScaler failed on rows 0 to 16 \(row group 0\) of .*feature names"):
        data.through(StandardScaler().fit(frame[FEATURES]))
    with pytest.raises(DataError, match="left values that are not numbers"):
        data.through(FunctionTransformer().fit(frame[MIXED]))
    with pytest.raises(DataError, match="must keep the rows"):
        data.through(FunctionTransformer(lambda X: X.iloc[:2, :2]).fit(frame[MIXED]))


def test_failure_in_a_later_batch_names_it(path, frame):
    few = frame[MIXED].iloc[:16]
    encoder = make_column_transformer((OneHotEncoder(categories=[["no", "yes"]]), ["name"])).fit(
        few[few["name"] != "perhaps"]
    )
    with pytest.raises(DataError, match="unknown categories"):  # one of the first rows already
        novum.scan(path, MIXED, "y").through(encoder)
    shifted = frame.iloc[np.argsort(frame["name"] == "perhaps", kind="stable")]
    data = novum.scan(write(shifted, path.with_name("sorted.parquet")), MIXED, "y", batch_rows=400).through(encoder)
    model = LinearRegression()
    with pytest.raises(DataError, match=r"ColumnTransformer failed on rows 400 to 800 \(row group 0\)"):
        model.fit(data)
    assert not hasattr(model, "coef_")
