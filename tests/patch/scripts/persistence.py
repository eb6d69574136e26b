"""clone, pickle, joblib, set_params, get_params, repr, check_is_fitted, sparse and text."""

import io
import pickle

import joblib
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LinearRegression, LogisticRegression, SGDClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

X, y = load_iris(return_X_y=True)
model = LogisticRegression(C=2.0, max_iter=500).fit(X, y)
assert isinstance(model, LogisticRegression) and is_classifier(model) and is_regressor(LinearRegression())
check_is_fitted(model)
again = pickle.loads(pickle.dumps(model))
assert (again.predict(X) == model.predict(X)).all() and clone(model).get_params() == model.get_params()
file = io.BytesIO()
joblib.dump(KMeans(2, random_state=0).fit(X), file)
file.seek(0)
assert joblib.load(file).cluster_centers_.shape == (2, 4)
text = Pipeline([("vect", CountVectorizer()), ("tfidf", TfidfTransformer()), ("clf", MultinomialNB())])
text.fit(["god is love", "opengl on the gpu is fast", "love of god", "gpu"], [0, 1, 0, 1])
assert text.predict(["the gpu"]) == [1]
text.set_params(clf=SGDClassifier(loss="hinge", random_state=42, max_iter=5, tol=None)).fit(
    ["love of god", "gpu fast"], [0, 1]
)
assert "C=2.0" in repr(model)
