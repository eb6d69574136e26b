"""Wrong uses over all families: type checkers must report every statement with the mark (tools/check_types.py). It is read, not run."""

import numpy as np

import novum
import novum.cluster
import novum.linear_model
from novum.activations import softmax
from novum.bandits import UCB1, BernoulliBandit, EpsilonGreedy, simulate
from novum.causal import adjust, backdoor_sets
from novum.cluster import DBSCAN, AgglomerativeClustering, KMeans, KMedoids, k_means, linkage
from novum.datasets import make_sine
from novum.decision_theory import GenerativeClassifier
from novum.decomposition import PCA
from novum.discriminant_analysis import LinearDiscriminantAnalysis
from novum.distributions import Beta, Normal, Uniform
from novum.ensemble import IsolationForest, RandomForestClassifier
from novum.evaluation import LearningCurveDisplay, RocCurveDisplay, cross_validate, t_test
from novum.feature_extraction.text import CountVectorizer
from novum.gaussian_process import GaussianProcessRegressor
from novum.graphical import DAG, BayesianNetwork, HillClimb
from novum.information import entropy
from novum.kernel_ridge import KernelRidge
from novum.kernels import RBF
from novum.linear_model import (
    ElasticNet,
    HuberRegressor,
    Lasso,
    LinearRegression,
    LogisticRegression,
    PoissonRegressor,
    QuantileRegressor,
    Ridge,
)
from novum.losses import QuantileLoss
from novum.mixture import GaussianMixture
from novum.neighbors import KNeighborsClassifier, NearestNeighbors
from novum.neural_network import GAN, MLPClassifier, RecurrentClassifier, VariationalAutoencoder
from novum.optimize import SGD, Adam, gradient_descent, minimize_risk, newton
from novum.preprocessing import DropDependentFeatures, GaussianBasis
from novum.reinforcement import SARSA, QLearning, returns, room_4x3, value_iteration
from novum.sampling import MetropolisHastings, importance_sample, monte_carlo, rejection_sample
from novum.sequence import GaussianHMM, MarkovChain, kalman_filter
from novum.study import Study
from novum.svm import SVC, LinearSVC
from novum.teaching import TicTacToe
from novum.theory import hoeffding, pac_sample_size, vc_dimension
from novum.tree import DecisionTreeClassifier, plot_tree
from novum.variational import elbo, laplace, vb_normal

X, y = np.ones((4, 2)), np.ones(4)
novum.nothing  # wrong
novum.linear_model.nonsense  # wrong
novum.load("model.novum", modul=3)  # wrong
novum.scan("rows.csv", targt="y")  # wrong
LinearRegression(nonsense=3)  # wrong
LinearRegression().fit(X, y, 1, 2, 3, 4)  # wrong
LinearRegression().fit(X, y).coeff_typo_  # wrong
LinearRegression().fit()  # wrong
LinearRegression().fit(3, y)  # wrong
text: str = LinearRegression().fit(X, y).score(X, y)  # wrong
Ridge(alpha=None)  # wrong
Ridge(1.0, 2, 3, 4)  # wrong
Ridge(random_state="one")  # wrong
Lasso(aplha=0.1)  # wrong
Lasso(selection="cyclical")  # wrong
ElasticNet().fit(X, y).predcit(X)  # wrong
LogisticRegression(C=[1.0])  # wrong
LogisticRegression(solver="newton")  # wrong
LogisticRegression().predict_probability(X)  # wrong
HuberRegressor(epsilon="1.35")  # wrong
PoissonRegressor().fit(X, y).inference(X, y, covarience="sandwich")  # wrong
QuantileRegressor(quantile=None)  # wrong
KMeans(n_cluster=3)  # wrong
KMeans("three")  # wrong
KMeans(3).fit(X).labels  # wrong
KMeans(3).fit_predict()  # wrong
KMeans(3).fit(X).inertia_.shape  # wrong
DBSCAN(eps="wide")  # wrong
AgglomerativeClustering(3, linkage="wards")  # wrong
linkage(X, methode="ward")  # wrong
k_means(X)  # wrong
KMedoids(2).fit(X, y, 1, 2, 3)  # wrong
PCA(2, svd_solver="fast")  # wrong
PCA(2).fit(X).explained_variance_ratios_  # wrong
LinearDiscriminantAnalysis(shrink=0.1)  # wrong
GenerativeClassifier().fit(X, y).predikt(X)  # wrong
Normal(0.0, 1.0, 2.0, 3.0)  # wrong
Normal(0.0, 1.0).logprob(0.5)  # wrong
Beta(2.0)  # wrong
RandomForestClassifier(n_trees=10)  # wrong
RandomForestClassifier().fit(X, y).feature_importance_  # wrong
IsolationForest(contamination="none")  # wrong
cross_validate(Ridge(), X, y, folds=3)  # wrong
t_test([1.0, 2.0]).pvalu  # wrong
GaussianProcessRegressor(alpha=1e-6).fit(X, y).kernel_function_  # wrong
BayesianNetwork(DAG([("a", "b")])).ask("a")  # wrong
KernelRidge(gama=1.0)  # wrong
RBF(1.0).grams(X)  # wrong
GaussianMixture(2, covariance_type="round")  # wrong
GaussianMixture(2).fit(X).mean_  # wrong
KNeighborsClassifier("three")  # wrong
MLPClassifier(activation=3)  # wrong
GAN(latent=3)  # wrong
EpsilonGreedy("often")  # wrong
BernoulliBandit([0.2, 0.8]).pul(0, 0)  # wrong
UCB1(explore=2.0)  # wrong
QLearning(alpah=0.1)  # wrong
QLearning().fitt("FrozenLake-v1")  # wrong
GaussianHMM(2, covariance_type="round")  # wrong
GaussianHMM(2).fit(X).transmatrix_  # wrong
Study(X, goal="y")  # wrong
SVC(kernel="radial")  # wrong
LinearSVC(loss="hinged")  # wrong
hoeffding(n=10, epsilon=0.1, delt=0.1)  # wrong
DecisionTreeClassifier(criterion="entropie")  # wrong
DecisionTreeClassifier().fit(X, y).depth  # wrong
adjust(BayesianNetwork({"b": ["a"]}), "a", "b", methode="ipw")  # wrong
backdoor_sets([("a", "b")], "a")  # wrong
MetropolisHastings(lambda x: 0.0, scales=0.5)  # wrong
rejection_sample(lambda x: 0.5, Uniform(0.0, 1.0), "many")  # wrong
rejection_sample(lambda x: 0.5, Uniform(0.0, 1.0), 10).rate_of_acceptance  # wrong
monte_carlo(3.0)  # wrong
importance_sample(lambda x: 0.0, "normal")  # wrong
laplace(lambda x: 0.0, [0.0]).covariances  # wrong
vb_normal([1.0, 2.0], Normal(0.0, 1.0))  # wrong
elbo([0.1], [0.5], samples=3)  # wrong
gradient_descent(lambda x: x @ x, [1.0], learning_rate="slow")  # wrong
gradient_descent("x^2", [1.0])  # wrong
newton(lambda x: x @ x, [1.0]).minimum  # wrong
Adam(beta1=0.9)  # wrong
SGD("fast")  # wrong
minimize_risk(X, y, "squared")  # wrong
vc_dimension(concept="lines")  # wrong
pac_sample_size(0.1)  # wrong
hoeffding(n=10, delta=0.1).bound  # wrong
Study(X, "y", time_limit="one hour")  # wrong
Study("rows.csv", target="y").start()  # wrong
value_iteration(room_4x3(), tol="small")  # wrong
value_iteration(room_4x3()).value  # wrong
SARSA(exploration="much")  # wrong
returns(1.0)  # wrong
simulate("bernoulli", UCB1())  # wrong
kalman_filter(X, np.eye(2))  # wrong
MarkovChain(order="first")  # wrong
HillClimb(scoring=3)  # wrong
DAG([("a", "b")]).d_seperated("a", "b")  # wrong
RocCurveDisplay.from_predictions([0, 1], [0.2, 0.8], colour="red")  # wrong
LearningCurveDisplay.from_estimator(Ridge(), X, y).diagnosis()  # wrong
RecurrentClassifier(cell="grus")  # wrong
VariationalAutoencoder(2).samples(3)  # wrong
softmax()  # wrong
QuantileLoss("upper")  # wrong
GaussianBasis(centers="ten")  # wrong
DropDependentFeatures().fit(X).supports  # wrong
make_sine(n=20, random_state="one")  # wrong
TicTacToe().moove(3)  # wrong
entropy(base=None)  # wrong
NearestNeighbors(2).fit(X).neighbors(X)  # wrong
CountVectorizer(stopwords="english")  # wrong
KNeighborsClassifier(3).fit(X, y).predict(X, y)  # wrong
plot_tree("tree")  # wrong
KMeans(3).fit(X).get_parameters()  # wrong
