"""Sixty right uses over all families: no type checker may report a line of this file. It is read, not run."""

import numpy as np

import novum
import novum.cluster
from novum.bandits import EXP3, UCB1, BernoulliBandit, EpsilonGreedy, ThompsonSampling
from novum.cluster import (
    DBSCAN,
    HDBSCAN,
    AgglomerativeClustering,
    KMeans,
    KMedoids,
    MiniBatchKMeans,
    linkage,
    silhouette_score,
)
from novum.decision_theory import GenerativeClassifier
from novum.decomposition import PCA, FactorAnalysis, FastICA
from novum.discriminant_analysis import LinearDiscriminantAnalysis
from novum.distributions import Beta, Categorical, MultivariateNormal, Normal
from novum.ensemble import AdaBoostClassifier, HistGradientBoostingRegressor, IsolationForest, RandomForestClassifier
from novum.evaluation import ConformalRegressor, cross_validate, evaluate, t_test
from novum.exceptions import DataError, NotConverged
from novum.feature_extraction.text import CountVectorizer
from novum.gaussian_process import GaussianProcessRegressor
from novum.graphical import DAG, BayesianNetwork, HillClimb
from novum.information import entropy, mutual_information
from novum.kernel_approximation import Nystroem
from novum.kernel_ridge import KernelRidge
from novum.kernels import RBF, Matern
from novum.linear_model import (
    ElasticNet,
    HuberRegressor,
    Lasso,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
)
from novum.losses import HuberLoss, SquaredLoss
from novum.manifold import MDS, Isomap
from novum.mixture import BernoulliMixture, GaussianMixture
from novum.naive_bayes import CategoricalNB, GaussianNB
from novum.neighbors import KernelDensity, KNeighborsClassifier, NearestNeighbors
from novum.neural_network import GAN, ConvNetClassifier, MLPClassifier, MLPRegressor, RestrictedBoltzmannMachine
from novum.reinforcement import QLearning, grid_world
from novum.sequence import CategoricalHMM, GaussianHMM
from novum.svm import SVC, SVR, LinearSVC
from novum.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text

X, y, rng = np.ones((4, 2)), np.ones(4), np.random.default_rng(0)
coef = LinearRegression(fit_intercept=False).fit(X, y).coef_.shape  # 1
share: float = LinearRegression().fit(X, y).score(X, y)  # 2
ridge = Ridge(alpha=2.0).fit(X, y, sample_weight=y).predict(X)  # 3
again = Ridge(2.0).set_params(alpha=1.0).fit(X, y).intercept_  # 4
steps = Lasso(0.1, selection="random").fit(X, y).n_iter_  # 5
mixed = ElasticNet(alpha=0.1, l1_ratio=0.5).fit([[1.0], [2.0]], [1.0, 2.0]).coef_  # 6
proba = LogisticRegression(C=1.0, solver="newton-cholesky").fit(X, y).predict_proba(X)  # 7
scale = HuberRegressor(epsilon=1.5).fit(X, y).scale_  # 8
counts = PoissonRegressor(alpha=0).fit(X, y).n_features_in_ + 1  # 9
names = Ridge().fit(X, y).feature_names_in_.tolist()  # 10
labels = KMeans(3, random_state=0, init="random").fit(X).labels_.max()  # 11
groups = KMeans(n_clusters=3, n_init="auto").fit_predict(X)  # 12
centers = MiniBatchKMeans(2, random_state=rng).partial_fit(X).cluster_centers_  # 13
core = DBSCAN(eps=0.3).fit(X).core_sample_indices_  # 14
chance = HDBSCAN(min_cluster_size=5).fit(X).probabilities_  # 15
children = AgglomerativeClustering(3, linkage="ward").fit(X).children_  # 16
medoids = KMedoids(2).fit(X).medoid_indices_  # 17
merged = linkage(X, method="ward")  # 18
width: float = silhouette_score(X, [0, 0, 1, 1])  # 19
number: int = novum.cluster.KMeans(2).n_clusters  # 20
axes = PCA(2, svd_solver="full").fit(X).explained_variance_ratio_  # 21
factors = FactorAnalysis(n_components=1).fit(X).noise_variance_  # 22
sources = FastICA(n_components=2, random_state=0).fit_transform(X)  # 23
means = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y).means_  # 24
generative = GenerativeClassifier().fit(X, y).predict(X)  # 25
density = Normal(0.0, 1.0).log_prob([0.5, 1.0])  # 26
middle = Beta(2.0, 3.0).mean  # 27
draws = MultivariateNormal([0.0, 0.0], np.eye(2)).sample(10, random_state=0)  # 28
biased = Categorical([0.2, 0.8]).prob(1)  # 29
forest = RandomForestClassifier(10, max_features="sqrt").fit(X, y).feature_importances_  # 30
boosted = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=5).fit(X, y).estimators_  # 31
trees = HistGradientBoostingRegressor(max_iter=10).fit(X, y).predict(X)  # 32
odd = IsolationForest(contamination="auto").fit(X).offset_  # 33
band = ConformalRegressor(Ridge()).fit(X, y)  # 34
table = cross_validate(Ridge(), X, y, cv=3)  # 35
verdict = evaluate(Ridge().fit(X, y), X, y)  # 36
test = t_test([1.0, 2.0, 3.0])  # 37
words = CountVectorizer().fit_transform(["a b", "b c"])  # 38
process = GaussianProcessRegressor(RBF(1.0), alpha=1e-6, random_state=0).fit(X, y).predict(X)  # 39
network = BayesianNetwork(DAG([("a", "b")])).fit({"a": [0, 1], "b": [1, 0]})  # 40
found = HillClimb(max_parents=2).fit(X)  # 41
bits = entropy([0.5, 0.5]), mutual_information([[0.25, 0.25], [0.25, 0.25]])  # 42
features = Nystroem(n_components=2, random_state=0).fit_transform(X)  # 43
kernel = KernelRidge(alpha=1.0, kernel="rbf").fit(X, y).dual_coef_  # 44
gram = (RBF(1.0) + Matern(1.0))(X)  # 45
losses = HuberLoss().value(y, y) + SquaredLoss().gradient(y, y)  # 46
embedded = MDS(2, init="classical_mds").fit(X).embedding_, Isomap(n_neighbors=2).fit_transform(X)  # 47
weights = GaussianMixture(2, covariance_type="diag", random_state=0).fit(X).weights_.sum()  # 48
ones = BernoulliMixture(2).fit(X).probabilities_  # 49
bayes = GaussianNB().fit(X, y).theta_, CategoricalNB(alpha=1.0).fit([[0], [1]], [0, 1]).classes_  # 50
near = (
    KNeighborsClassifier(3, weights="distance").fit(X, y).predict(X),
    NearestNeighbors(n_neighbors=2).fit(X).kneighbors(X),
)  # 51
smooth = KernelDensity(bandwidth=0.5, kernel="gaussian").fit(X).score_samples(X)  # 52
layers = (
    MLPClassifier((10,), activation="relu", solver="adam").fit(X, y).coefs_,
    MLPRegressor(batch_size="auto").fit(X, y).loss_,
)  # 53
pictures = ConvNetClassifier(random_state=0), GAN(random_state=0), RestrictedBoltzmannMachine(2, random_state=0)  # 54
process_of_states = QLearning(random_state=0).fit(grid_world())  # 55
chain = GaussianHMM(2, random_state=0).fit(X).transmat_, CategoricalHMM(2).fit([[0], [1]]).emissionprob_  # 56
machine = (
    SVC(C=1.0, kernel="rbf").fit(X, y).support_,
    SVR(epsilon=0.1).fit(X, y).predict(X),
    LinearSVC(loss="hinge").fit(X, y).coef_,
)  # 57
rules = (
    export_text(DecisionTreeClassifier(criterion="entropy").fit(X, y)),
    DecisionTreeRegressor(max_depth=2).fit(X, y).get_depth(),
)  # 58
policy = UCB1(), EpsilonGreedy(0.1), EXP3(anytime=True), ThompsonSampling(), BernoulliBandit([0.2, 0.8])  # 59
everything = (
    novum.load("model.novum"),
    novum.save(Ridge(), "model.novum"),
    novum.scan("rows.csv", target="y"),
    novum.show_versions(),
)  # 60


def own(model: LinearRegression, error: DataError | NotConverged) -> bool:
    return model.fit_intercept
