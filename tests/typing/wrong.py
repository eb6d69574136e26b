"""Sixty wrong uses over all families: every type checker must report each line marked `# wrong`. It is read, not run."""

import numpy as np

import novum
import novum.cluster
import novum.linear_model
from novum.bandits import UCB1, BernoulliBandit, EpsilonGreedy
from novum.cluster import DBSCAN, AgglomerativeClustering, KMeans, KMedoids, k_means, linkage
from novum.decision_theory import GenerativeClassifier
from novum.decomposition import PCA
from novum.discriminant_analysis import LinearDiscriminantAnalysis
from novum.distributions import Beta, Normal
from novum.ensemble import IsolationForest, RandomForestClassifier
from novum.evaluation import cross_validate, t_test
from novum.gaussian_process import GaussianProcessRegressor
from novum.graphical import DAG, BayesianNetwork
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
from novum.mixture import GaussianMixture
from novum.neighbors import KNeighborsClassifier
from novum.neural_network import GAN, MLPClassifier
from novum.reinforcement import QLearning
from novum.sequence import GaussianHMM
from novum.study import Study
from novum.svm import SVC, LinearSVC
from novum.theory import hoeffding
from novum.tree import DecisionTreeClassifier

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
