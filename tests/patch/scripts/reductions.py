"""PCA against LDA, kernel PCA, biplots, a pipeline of PCA and a regression."""

from sklearn.datasets import load_digits, load_iris
from sklearn.decomposition import PCA, FactorAnalysis, FastICA, IncrementalPCA, KernelPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.manifold import MDS, Isomap, trustworthiness
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import StandardScaler

X, y = load_iris(return_X_y=True)
assert PCA(2).fit(X).explained_variance_ratio_.sum() > 0.95
assert LinearDiscriminantAnalysis(n_components=2).fit_transform(X, y).shape == (150, 2)
union = FeatureUnion([("pca", PCA(1)), ("kernel", KernelPCA(2, kernel="rbf"))])
assert Pipeline([("f", union), ("s", StandardScaler()), ("c", LogisticRegression())]).fit(X, y).score(X, y) > 0.8
digits = load_digits().data[:150]
assert trustworthiness(digits, Isomap(n_neighbors=10).fit_transform(digits)) > 0.7
IncrementalPCA(2, batch_size=50).fit(digits)
assert cross_val_score(FactorAnalysis(2), X).shape == (5,)
FastICA(2, random_state=0, whiten="unit-variance").fit(X)
MDS(2, n_init=1, random_state=0).fit(X[:30])
pipe = Pipeline([("pca", PCA()), ("lr", LogisticRegression(max_iter=1000))])
assert GridSearchCV(pipe, {"pca__n_components": [1, 2], "lr__C": [1.0]}, cv=3).fit(X, y).best_score_ > 0.8
