"""Right uses over all families: no type checker may report a line of this file (tools/check_types.py). It is read, not run."""

import numpy as np

import novum
import novum.cluster
from novum.activations import softmax
from novum.bandits import EXP3, UCB1, BernoulliBandit, EpsilonGreedy, ThompsonSampling, simulate
from novum.causal import adjust, backdoor_sets
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
from novum.datasets import load_network, make_sine
from novum.decision_theory import GenerativeClassifier
from novum.decomposition import PCA, FactorAnalysis, FastICA
from novum.discriminant_analysis import LinearDiscriminantAnalysis
from novum.distributions import Beta, Categorical, MultivariateNormal, Normal, NormalGamma, Uniform
from novum.ensemble import AdaBoostClassifier, HistGradientBoostingRegressor, IsolationForest, RandomForestClassifier
from novum.evaluation import (
    ConformalRegressor,
    LearningCurveDisplay,
    RocCurveDisplay,
    bootstrap,
    compare,
    cross_validate,
    evaluate,
    t_test,
)
from novum.exceptions import DataError, NotConverged
from novum.feature_extraction.text import CountVectorizer
from novum.gaussian_process import GaussianProcessRegressor
from novum.graphical import DAG, BayesianNetwork, ChowLiu, HillClimb
from novum.information import entropy, mutual_information
from novum.kernel_approximation import Nystroem
from novum.kernel_ridge import KernelRidge
from novum.kernels import RBF, Matern
from novum.linalg import covariance, is_psd
from novum.linear_model import (
    ElasticNet,
    HuberRegressor,
    Lasso,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    Ridge,
)
from novum.losses import HuberLoss, QuantileLoss, SquaredLoss
from novum.manifold import MDS, Isomap
from novum.mixture import BernoulliMixture, GaussianMixture
from novum.naive_bayes import CategoricalNB, GaussianNB
from novum.neighbors import KernelDensity, KNeighborsClassifier, NearestNeighbors
from novum.neural_network import (
    GAN,
    ConvNetClassifier,
    MLPClassifier,
    MLPRegressor,
    RecurrentClassifier,
    RestrictedBoltzmannMachine,
    VariationalAutoencoder,
)
from novum.optimize import SGD, Adam, L2Penalty, PowerSchedule, gradient_descent, minimize_risk, newton, solve_qp
from novum.preprocessing import DropDependentFeatures, GaussianBasis
from novum.reinforcement import SARSA, QLearning, grid_world, returns, room_4x3, value_iteration
from novum.sampling import MetropolisHastings, monte_carlo, rejection_sample
from novum.sequence import CategoricalHMM, GaussianHMM, MarkovChain, kalman_filter
from novum.study import Study
from novum.svm import SVC, SVR, LinearSVC
from novum.teaching import TicTacToe, angle
from novum.theory import hoeffding, pac_sample_size, vc_dimension
from novum.tree import DecisionTreeClassifier, DecisionTreeRegressor, export_text
from novum.variational import elbo, laplace, vb_normal

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
process_of_states = QLearning(random_state=0).fit(grid_world("..+\nS.-"))  # 55
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
    novum.describe_task(X, y),
)  # 60
novum.show_versions()  # 61
effect = adjust(BayesianNetwork({"b": ["a"]}), "a", "b"), backdoor_sets([("a", "b")], "a", "b")  # 62
chains = MetropolisHastings(lambda x: -0.5 * x @ x, scale=0.5).sample(100, start=[0.0, 0.0], random_state=0)  # 63
drawn = rejection_sample(lambda x: 0.5, Uniform(0.0, 1.0), 10, random_state=rng).acceptance_rate  # 64
expectation = monte_carlo(Normal(0.0, 1.0), lambda x: x**2, 100, level=0.9)  # 65
bound = elbo([0.1, 0.2], [0.5, 0.5]), laplace(lambda x: -0.5 * x @ x, [0.0, 0.0]).covariance  # 66
factorized = vb_normal([1.0, 2.0, 3.0], NormalGamma(0.0, 1.0, 1.0, 1.0))  # 67
minimum = gradient_descent(lambda x: x @ x, [1.0, 1.0], gradient=lambda x: 2 * x, learning_rate=0.1).x  # 68
quadratic = solve_qp(np.eye(2), [0.0, 0.0], lower=0.0), newton(lambda x: x @ x, [1.0])  # 69
rule = Adam(0.01), SGD(PowerSchedule(0.1), momentum=0.9), minimize_risk(X, y, SquaredLoss(), L2Penalty(0.1))  # 70
guarantee = hoeffding(n=100, delta=0.05), pac_sample_size(0.1, 0.05, hypotheses=100), vc_dimension("lines")  # 71
report = Study("rows.csv", target="y", models=["Ridge"], time_limit=60).run()  # 72
planned = value_iteration(room_4x3(), tol=1e-6).policy, returns([1.0, 2.0], 0.9)  # 73
rewarded = SARSA(100, learning_rate=0.1, exploration=0.2, random_state=0).fit(room_4x3())  # 74
simulated = simulate(BernoulliBandit([0.2, 0.8]), [UCB1(), EpsilonGreedy(0.1)], 100, random_state=0)  # 75
filtered = kalman_filter(X, np.eye(2), np.eye(2), np.eye(2), np.eye(2), initial_mean=[0.0, 0.0])  # 76
markov = MarkovChain(1, smoothing=1.0).fit([["a", "b", "a"]])  # 77
learned = ChowLiu(root="a").fit({"a": [0, 1], "b": [1, 0]}), DAG({"b": ["a"]}).d_separated("a", "b", given=["c"])  # 78
answer = BayesianNetwork({"b": ["a"]}).query("a", {"b": 1}), network.sample(5, random_state=0)  # 79
curve = (
    RocCurveDisplay.from_predictions([0, 1], [0.2, 0.8], ax=None).ax_,
    LearningCurveDisplay.from_estimator(Ridge(), X, y).diagnose(),
)  # 80
recurrent = RecurrentClassifier(8, cell="gru"), VariationalAutoencoder(2, likelihood="bernoulli")  # 81
spread = covariance(X), is_psd(np.eye(2)), softmax([0.1, 0.2]), QuantileLoss(0.9).value(y, y)  # 82
basis = GaussianBasis(5).fit_transform(X), DropDependentFeatures().fit(X).get_support()  # 83
sine = make_sine(20, random_state=0), load_network("alarm")  # 84
shown = angle([1.0, 0.0], [0.0, 1.0]), TicTacToe()  # 85
fold = compare({"ridge": Ridge(), "lasso": Lasso()}, X, y, random_state=0), bootstrap(np.mean, [1.0, 2.0])  # 86


def own(model: LinearRegression, error: DataError | NotConverged) -> bool:
    return model.fit_intercept
