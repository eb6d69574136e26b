"""A public call for every kind of result, as a user would make it."""

from functools import cache, lru_cache

import numpy as np
from report.result_calls_algebra import ALGEBRA
from report.result_calls_networks import NETWORKS
from report.result_calls_random import APPROXIMATIONS, CLUSTERS, DECISIONS, DRAWS, PLAYS, SEQUENCES
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV

import novum
from novum import (
    causal,
    decision_theory,
    distributions,
    evaluation,
    graphical,
    kernel_ridge,
    linear_model,
    notes,
    optimize,
    svm,
    teaching,
    theory,
    tree,
)
from novum.datasets import (
    load_candy_bags,
    load_factors,
    load_fuel_gauge,
    load_play_tennis,
    load_tenfold_scores,
)
from novum.decomposition import ProbabilisticPCA
from novum.discriminant_analysis import LinearDiscriminantAnalysis
from novum.ensemble import RandomForestClassifier
from novum.linear_model import LinearRegression, LogisticRegression, PoissonRegressor
from novum.linear_model.logistic.separation import SeparatingDirection
from novum.naive_bayes import GaussianNB, MultinomialNB
from novum.neighbors import KNeighborsClassifier, KNeighborsRegressor
from novum.patch.devices import CallPlace, CallPlaces
from novum.study.comparison.compare import EnsembleMember, Joint
from novum.study.data.source import Source
from novum.study.insight.contributions import explain_table
from novum.teaching import compare_ensembles

TABLES = {"h": [0.5, 0.5], "x": [[0.8, 0.2], [0.3, 0.7]], "y": [[[0.9, 0.1], [0.6, 0.4]], [[0.5, 0.5], [0.2, 0.8]]]}
XOR = [[0, 0], [0, 1], [1, 0], [1, 1]]
WORTH = {0: 3.0, 1: 2.5, 2: -1.0}


def waves():
    """Return a series that changes its level."""
    return np.repeat([0.0, 4.0, 0.0], 20) + np.sin(np.arange(60))


def iris():
    return load_iris(return_X_y=True)


def tennis():
    return load_play_tennis(return_X_y=True, as_frame=True)


def two_classes():
    X, y = iris()
    return X[:100], y[:100]


def numbers(n=60, d=3):
    X = np.random.default_rng(0).normal(size=(n, d))
    return X, X[:, 0] - X[:, 1] + 0.3 * np.random.default_rng(1).normal(size=n)


def counts_inference():
    X, y = numbers()
    return PoissonRegressor(alpha=0).fit(X, np.exp(y)).inference(X, np.exp(y))


@lru_cache
def network():
    return graphical.BayesianNetwork({"h": [], "x": ["h"], "y": ["h", "x"]}, TABLES)


@lru_cache
def chain():
    return graphical.FactorGraph({"fa": (("a", "b"), [[1, 2], [3, 4]]), "fb": (("b", "c"), [[2, 1], [1, 3]])})


@lru_cache
def effect():
    return causal.adjust(network().sample(400, random_state=0), "x", "y", graph=network().dag, outcome_state="yes")


@lru_cache
def dose():
    rng = np.random.default_rng(0)
    h, t = rng.normal(size=300), rng.normal(size=300)
    columns = {"h": h, "x": h + t, "y": 2 * h + (h + t) + rng.normal(size=300)}
    return causal.adjust(columns, "x", "y", ["h"])


@lru_cache
def comparison():
    A, B = load_tenfold_scores().data.T
    return evaluation.compare({"A": A, "B": B})


@lru_cache
def judged():
    truth = np.arange(200) % 2
    return evaluation.evaluate_predictions(truth, np.where(np.arange(200) % 7 < 2, 1 - truth, truth))


@lru_cache
def study():
    frame = load_iris(as_frame=True).frame
    return novum.study.Study(frame, "target", models=["GaussianNB", "LDA"], folds=3, repeats=1).run()


@lru_cache
def table():
    return distributions.JointTable([[0.1, 0.2], [0.3, 0.4]], names=("x", "<y>"))


@lru_cache
def estimate():
    density = lambda x, mean, var: distributions.Normal(mean, var).log_prob(x)  # noqa: E731
    x = np.array([1.0, 2.0, 3.0, 4.0, 10.0])
    return distributions.maximum_likelihood(density, x, {"mean": 0.0, "var": 1.0}, bounds={"var": (0, None)})


@lru_cache
def problem():
    return optimize.Problem(lambda x: x @ x, gradient=lambda x: 2 * x, inequalities=[lambda x: x[0] + x[1] - 2])


def real_network():
    nodes = {
        "a": graphical.LinearGaussian(0.0, variance=1.0),
        "b": graphical.LinearGaussian(1.0, {"a": 2.0}, variance=1.0),
    }
    return graphical.BayesianNetwork([("a", "b")], nodes)


CAUSES = {
    "Effect": effect,
    "DoseEffect": dose,
    "Intervention": lambda: causal.adjust(network(), "x", "y"),
    "CriterionCheck": lambda: causal.is_backdoor_set([("h", "x"), ("h", "y"), ("x", "y")], "x", "y", "h"),
    "Refutation": lambda: effect().refute(n_repeats=10, random_state=0),
    "RefutationTest": lambda: effect().refute(n_repeats=10, random_state=0).tests[0],
    "Sensitivity": lambda: effect().sensitivity(),
    "Trial": lambda: teaching.simulate_trial(network(), "x", "y", 200, random_state=0),
    "Selection": lambda: teaching.simulate_selection(200, random_state=0),
}

DENSITIES = {
    "Normal": lambda: distributions.Normal([0.0, 1.0], [1.0, 2.0]),
    "Bernoulli": lambda: distributions.Bernoulli(0.3),
    "Beta": lambda: distributions.Beta(2.0, 3.0),
    "Binomial": lambda: distributions.Binomial(5, 0.3),
    "Categorical": lambda: distributions.Categorical([0.2, 0.3, 0.5]),
    "Dirichlet": lambda: distributions.Dirichlet([2.0, 3.0, 4.0]),
    "Exponential": lambda: distributions.Exponential(2.0),
    "Gamma": lambda: distributions.Gamma(2.0, 3.0),
    "Multinomial": lambda: distributions.Multinomial(3, [0.5, 0.5]),
    "MultivariateNormal": lambda: distributions.MultivariateNormal([0.0, 1.0], np.eye(2)),
    "MultivariateStudentT": lambda: distributions.MultivariateStudentT(5.0, [0.0, 1.0], np.eye(2)),
    "NormalGamma": lambda: distributions.NormalGamma(0.0, 1.0, 2.0, 2.0),
    "NormalInverseWishart": lambda: distributions.NormalInverseWishart([0.0, 0.0], 1.0, 4.0, np.eye(2)),
    "Poisson": lambda: distributions.Poisson(3.0),
    "StudentT": lambda: distributions.StudentT(4.0, 0.0, 1.0),
    "Uniform": lambda: distributions.Uniform(0.0, 1.0),
    "Continuous": lambda: distributions.Continuous(lambda x: 2 * x, support=(0.0, 1.0)),
    "Discrete": lambda: distributions.Discrete([1, 2, 3]),
    "MixtureDistribution": lambda: distributions.MixtureDistribution(
        [0.3, 0.7], distributions.Normal([-1.0, 2.0], [1.0, 0.25])
    ),
    "Predictive": lambda: distributions.Beta(2.0, 3.0).predictive(distributions.Binomial(5, 0.5)),
    "Support": lambda: distributions.Beta(2.0, 3.0).support,
    "ConjugatePairs": lambda: distributions.conjugate_pairs,
    "ConjugatePair": lambda: distributions.conjugate_prior(distributions.Bernoulli),
    "PosteriorSequence": lambda: distributions.posterior_sequence(
        distributions.Normal(0, 1), [1.0, 2.0, 3.0], (0, 1, 3), likelihood=distributions.Normal(var=1.0)
    ),
    "LikelihoodRanking": lambda: distributions.rank_by_likelihood(
        [0.1, 0.2], {"a": distributions.Normal(0.0, 1.0), "b": distributions.Normal(1.0, 1.0)}
    ),
    "GridPosterior": lambda: distributions.posterior_grid(
        lambda x, p: distributions.Bernoulli(p).log_prob(x), [1, 0, 1], {"p": np.linspace(0.01, 0.99, 21)}
    ),
    "Profile": lambda: estimate().profile("mean"),
    "Estimate": estimate,
    "MeanPaths": lambda: teaching.mean_paths(distributions.Bernoulli(0.3), n=50, n_paths=3, random_state=0),
    "StandardizedMeans": lambda: teaching.standardized_means(
        distributions.Exponential(1.0), 5, size=50, random_state=0
    ),
    "LinearGaussianModel": lambda: distributions.linear_gaussian(
        distributions.MultivariateNormal([0.5], [[0.5]]), A=[[3]], noise=0.25, y=[2], b=[1]
    ),
    "JointTable": table,
    "ConditionalTable": lambda: table().conditional("x", "<y>"),
    "Statement": lambda: distributions.JointTable(np.full((2, 2), 0.25), names=("x", "y")).independencies()[0],
    "IndependenceCheck": lambda: table().independence("x", "<y>"),
    "IndependenceTest": lambda: distributions.JointTable.from_counts([[5, 7], [9, 4]]).test_independence("x0", "x1"),
    "HypothesisPosterior": lambda: decision_theory.HypothesisPosterior(
        load_candy_bags().prior, [[1 - lime, lime] for lime in load_candy_bags().lime], ["cherry", "lime"]
    ),
    "Decisions": lambda: decision_theory.least_loss([[0.2, 0.8], [0.9, 0.1]], [[0, 1], [5, 0]]),
}

JUDGEMENTS = {
    "DelongTest": lambda: evaluation.delong_test(
        [0, 0, 0, 1, 1, 1], [0.1, 0.3, 0.6, 0.35, 0.7, 0.9], [0.5, 0.2, 0.6, 0.3, 0.1, 0.7]
    ),
    "Comparison": comparison,
    "Design": lambda: comparison().design,
    "Verdict": lambda: next(iter(comparison().verdicts)),
    "Pair": lambda: comparison().pair("A", "B"),
    "BayesianComparison": lambda: comparison().pair("A", "B").posterior,
    "LeaveOneOutPath": lambda: kernel_ridge.KernelRidge(kernel="rbf").fit(*numbers()).leave_one_out([0.1, 1.0]),
    "KKTReport of a machine": lambda: svm.kkt_report(svm.SVC().fit(*two_classes()), *two_classes()),
    "Margins": lambda: svm.margins([1.0, 1.0], 0.0, [[1.0, 1.0], [-1.0, 0.0]], [1, -1]),
    "Criteria": lambda: evaluation.model_criteria(LinearRegression().fit(*numbers()), *numbers()),
    "CrossValidation": lambda: evaluation.cross_validate(GaussianNB(), *iris(), cv=3),
    "LearningCurveDisplay": lambda: evaluation.LearningCurveDisplay.from_estimator(
        GaussianNB(), *iris(), shuffle=True, random_state=0
    ),
    "ValidationCurveDisplay": lambda: evaluation.ValidationCurveDisplay.from_estimator(
        KNeighborsClassifier(), *iris(), param_name="n_neighbors", param_range=[1, 3, 5]
    ),
    "Diagnosis": lambda: JUDGEMENTS["LearningCurveDisplay"]().diagnose(),
    "Failure of a fold": lambda: evaluation.resampling.folds.FoldFailure(0, 10, 5, "ValueError: no"),
    "Failure of a model": lambda: evaluation.comparison.result.ModelFailure("<A>", "fold 1", "ValueError: no"),
    "BootstrapError": lambda: evaluation.bootstrap_error(GaussianNB(), *iris(), n_resamples=20, random_state=0),
    "Evaluation": judged,
    "ClassScores": lambda: judged().per_class[0],
    "Score": lambda: next(iter(judged().scores.values())),
    "TestResult": lambda: evaluation.t_test([1.2, 0.4, 2.1, 1.9], mean=1),
    "Expectation": lambda: teaching.expected_loss(lambda x: 0, {(x, x % 2): 1 / 6 for x in range(6)}),
    "Overfitting": lambda: teaching.overfits(
        lambda x: 0, lambda x: int(x > 2), [0, 2, 5], [0, 1, 1], {(x, int(x > 2)): 1 / 6 for x in range(6)}
    ),
    "NestedCrossValidation": lambda: evaluation.nested_cross_validate(
        GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5]}, cv=3), *iris(), cv=3
    ),
    "Interval": lambda: evaluation.wilson_interval(60, 100),
    "CurveBand": lambda: evaluation.RocCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).band,
    "RocCurveDisplay": lambda: evaluation.RocCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]),
    "PrecisionRecallDisplay": lambda: evaluation.PrecisionRecallDisplay.from_predictions(
        [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    ),
    "Calibration": lambda: evaluation.calibration([0, 0, 1, 0, 1, 1], [0.1, 0.1, 0.1, 0.6, 0.6, 0.9], n_bins=3),
    "ResampledTest": lambda: evaluation.corrected_test([0.9, 0.94, 0.92], [0.88, 0.93, 0.9], test_over_train=0.5),
    "BootstrapResult": lambda: evaluation.bootstrap(np.median, numbers()[1], n_resamples=100, random_state=0),
    "SelectionPath": lambda: evaluation.forward_selection(LinearRegression(), *numbers()),
    "BiasVariance": lambda: evaluation.bias_variance_decomposition(
        LinearRegression(), numbers()[0], X_test=numbers(5)[0], truth=lambda x: x[:, 0], noise=0.3, method="exact"
    ),
    "BiasVarianceCurve": lambda: evaluation.bias_variance_decomposition(
        KNeighborsRegressor(), *numbers(), n_repeats=5, parameter="n_neighbors", values=[1, 5]
    ),
    "OutOfBagCurve": lambda: RandomForestClassifier(60, oob_score=True, random_state=0).fit(*iris()).oob_curve(*iris()),
    "StudyResult": study,
    "HoldOut": lambda: study().hold_out,
    "Leader": lambda: study().leaders[0],
    "Scores": lambda: study().scores,
    "EnsembleMember": lambda: EnsembleMember(study().scores.candidates[0], 0.5),
    "Joint": lambda: Joint([EnsembleMember(study().scores.candidates[0], 1.0)], []),
    "Frames": lambda: novum.lab.record(LogisticRegression(), *two_classes()),
    "Source": lambda: Source("rows.csv", 120, "0" * 64, separator=";"),
    "StudyRows": lambda: novum.study.Study(load_iris(as_frame=True).frame, "target").rows(),
    "Dependence": lambda: study().findings.dependences[0],
    "Card": lambda: study().card,
    "ColumnCard": lambda: study().card.columns[0],
    "Predictions": lambda: novum.study.predict_table(study().model, load_iris(as_frame=True).frame[:3]),
    "Reach": lambda: novum.study.predict_table(study().model, load_iris(as_frame=True).frame[:3], level=0.9).reach,
    "Contributions": lambda: explain_table(study().model, load_iris(as_frame=True).frame[:2]),
    "EnsembleRivalry": lambda: compare_ensembles(*load_iris(return_X_y=True), sizes=(2,), n_splits=1, random_state=0),
}

GRAPHS = {
    "GraphScore": lambda: network().dag.score(network().sample(200, random_state=0)),
    "ArcSupport": lambda: graphical.HillClimb().fit(network().sample(200, random_state=0)).bootstrap(3, random_state=0),
    "EquivalenceClasses": lambda: graphical.DAG.equivalence_classes(3),
    "EquivalenceClass": lambda: graphical.DAG.equivalence_classes(3)[0],
    "EssentialGraph": lambda: network().dag.essential_graph(),
    "DSeparation": lambda: network().dag.d_separated("x", "y", "h"),
    "Path": lambda: next(network().dag.d_separated("x", "y", "h").paths()),
    "Connection": lambda: graphical.DAG([("a", "b"), ("b", "c")]).d_separated("a", "c").path.connections[0],
    "Independence": lambda: graphical.DAG([("a", "b"), ("b", "c")]).independences()[0],
    "DAG": lambda: network().dag,
    "FactorGraph": chain,
    "SumProduct": lambda: chain().sum_product(),
    "MaxProduct": lambda: chain().max_product(),
    "MapCheck": lambda: graphical.is_i_map(
        load_fuel_gauge().dag, load_fuel_gauge().query(("battery", "fuel", "gauge")).to_table()
    ),
    "Findings": lambda: graphical.BayesianNetwork([("a", "b")]).lint(),
    "Finding": lambda: graphical.BayesianNetwork([("a", "b")]).lint()[0],
    "MarkovNetwork": lambda: graphical.MarkovNetwork([(("a", "b"), [[2, 1], [1, 3]])]),
    "BayesianNetwork": network,
    "Posterior": lambda: network().query("y"),
    "Marginals": lambda: network().marginals(),
    "MostProbable": lambda: network().map_query({"y": "yes"}),
    "ExplainingAway": lambda: load_fuel_gauge().explaining_away(
        ("fuel", "empty"), {"gauge": "empty"}, {"battery": "flat"}
    ),
    "Cost": lambda: network().cost(),
    "FitReport": lambda: network().fit(network().sample(100, random_state=0)).report_,
    "RealPosterior": lambda: real_network().query("b", {"a": 1.0}),
    "UndirectedGraph": lambda: graphical.UndirectedGraph(["ac", "ab"]),
    "Separation": lambda: graphical.UndirectedGraph(["ac", "ab"]).separated("b", "c", given="a"),
    "FactorTables": lambda: load_factors("star"),
}

REST = {
    "CallPlaces": lambda: CallPlaces(
        [
            CallPlace("KMeans.fit", "cuda", "", 2, 800_000, 0.3),
            CallPlace("PCA.fit", "processor", "few cells", 1, 40, 0.1),
        ]
    ),
    "TaskDescription": lambda: novum.describe_task(*load_play_tennis(return_X_y=True)),
    "Learning": lambda: novum.describe_task(*iris()).learning(GaussianNB(), *iris()),
    "WithinClusterError": lambda: novum.cluster.within_cluster_error([[1], [2], [8], [9]], list("aabb")),
    "Posterior of factors": lambda: ProbabilisticPCA(1).fit(numbers()[0]).posterior(numbers(5)[0]),
    "LinearForm": lambda: LinearDiscriminantAnalysis().fit(*iris()).linear_form(),
    "LinearForm of counts": lambda: MultinomialNB().fit(*iris()).linear_form(),
    "EntropyCurve": lambda: teaching.entropy_curve(),
    "InformationDiagram": lambda: teaching.information_diagram([[0.3, 0.2], [0.1, 0.4]]),
    "EvidenceComparison": lambda: linear_model.compare_evidence({"<fair>": -6.9, "any": -7.2}),
    "Hyperplane": lambda: linear_model.Hyperplane([1.0, 2.0], -1.0),
    "Inference": lambda: LinearRegression().fit(*numbers()).inference(),
    "LogisticInference": lambda: LogisticRegression(C=np.inf).fit(numbers()[0], numbers()[1] > 0.5).inference(),
    "SeparatingDirection": lambda: SeparatingDirection(np.array([[0.8, -0.6]]), True, 1.0),
    "Backpropagation": lambda: novum.neural_network.backpropagate([[[0.5], [-0.6]]], None, [[1.0, 2.0]], [1.0]),
    "Separability": lambda: linear_model.is_linearly_separable(XOR, [0, 1, 1, 0]),
    "MistakeBound": lambda: linear_model.perceptron_mistake_bound(XOR, [0, 0, 0, 1]),
    "LossSplit": lambda: novum.teaching.split_squared_loss([0.0, 2.0, 5.0], [1.5, 1.5, 4.0], ["a", "a", "b"]),
    "MetricAxioms": lambda: novum.teaching.check_metric_axioms("euclidean", [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]),
    "Listing": lambda: notes.notes("003"),
    "Tour": lambda: notes.stops.Tour([notes.stops.registry.VisitedStop(notes.stops.stops()[0], 0.5, True)], 0.1),
    "Stop": lambda: notes.stops.stops()[0],
    "VisitedStop": lambda: notes.stops.registry.VisitedStop(notes.stops.stops()[0], 0.5, True),
    "Erratum": lambda: notes.errata()[0],
    "Row": lambda: notes.ledger()[0],
    "Chapter": lambda: notes.chapters()[0],
    "Solution": lambda: optimize.gradient_descent(
        lambda t: (t - 1) ** 2, 4.0, gradient=lambda t: 2 * (t - 1), learning_rate=0.1
    ),
    "ConstrainedSolution": lambda: optimize.solve(problem(), [2.0, 2.0]),
    "LagrangeSolution": lambda: optimize.lagrange(lambda x: x @ x, [1.0, 0.0], [lambda x: x[0] + x[1] - 1]),
    "GreedyResult": lambda: optimize.greedy_search(
        frozenset(), optimize.subset_neighbors(3), lambda s: sum(WORTH[i] for i in s), maximize=True
    ),
    "KKTReport": lambda: optimize.check_kkt(problem(), [1.0, 1.0]),
    "QPSolution": lambda: optimize.solve_qp(np.eye(2), [-1.0, -1.0], lower=[0.0, 0.0]),
    "RiskMinimum": lambda: optimize.minimize_risk(*numbers(), novum.losses.SquaredLoss()),
    "LinearParameters": lambda: optimize.LinearParameters(np.array([1.0, 2.0]), 0.5),
    "RobbinsMonro": lambda: optimize.PowerSchedule(1.0).satisfies_robbins_monro(),
    "Subdifferential": lambda: optimize.subdifferential(abs, 0.0),
    "TimeScales": lambda: teaching.check_time_scales(
        optimize.PowerSchedule(1.0), optimize.PowerSchedule(1.0, 0.6), n_steps=100
    ),
    "Replacements": lambda: novum.patch.Replacements(["sklearn.linear_model.Ridge"]),
    "History": lambda: novum.cluster.KMeans(3, random_state=0, n_init=1).fit(iris()[0]).history_,
    "StateChoice": lambda: novum.sequence.compare_states(novum.sequence.GaussianHMM(random_state=0), waves(), (1, 2)),
    "Forecast": lambda: novum.sequence.GaussianHMM(2, random_state=0).fit(waves()).forecast(waves(), 3),
    "Trellis": lambda: novum.sequence.GaussianHMM(2, random_state=0).fit(waves()).trellis(waves()),
    "Proposal": lambda: novum.sampling.MetropolisHastings(lambda x: -0.5 * float(x @ x), scale=1.0).propose(
        np.zeros(2), np.random.default_rng(0)
    ),
    "OnlineFilter": lambda: novum.sequence.GaussianHMM(2, random_state=0).fit(waves()).online(),
    "ErrorBound": lambda: theory.error_bound(n=1000, training_error=0.1, vc=3),
    "VCDimension": lambda: theory.vc_dimension("linear", 2),
    "MeanInterval": lambda: theory.clt_interval([0.1, 0.4, 0.3, 0.2, 0.5], std=0.2),
    "ConjunctionSpace": lambda: theory.candidate_elimination([["sunny", "warm"], ["rainy", "cold"]], ["yes", "no"]),
    "Boundaries": lambda: REST["ConjunctionSpace"]().boundaries,
    "VersionSpace": lambda: theory.VersionSpace({"<even>": lambda x: x % 2 == 0, "all": lambda x: True}, range(5)),
    "GaussMarkov": lambda: teaching.gauss_markov([[1, 0], [1, 1], [1, 2], [1, 3]], weights=[1, 1, 1, 9]),
    "IrrelevantFeatures": lambda: teaching.irrelevant_features(
        KNeighborsClassifier(), *iris(), n_noise=(0, 5), n_repeats=2, random_state=0
    ),
    "NoFreeLunch": lambda: teaching.no_free_lunch({"always": lambda X, y, unseen: [True] * len(unseen)}),
    "StructuralRisk": lambda: theory.structural_risk_minimization(
        {"line": LogisticRegression()}, numbers(200)[0], numbers(200)[1] > 0
    ),
    "GeneralizedInference": counts_inference,
    "IntervalPrediction": lambda: LinearRegression().fit(*numbers()).predict(numbers()[0], interval="prediction"),
    "LinearHypothesis": lambda: counts_inference().hypothesis(["x0", "x1"]),
    "Shattering": lambda: theory.shatters("lines", [[0, 0], [1, 0], [0, 1]]),
    "PruningCurve": lambda: tree.DecisionTreeClassifier(random_state=0).fit(*iris()).pruning_curve(*iris()),
    "GainTable": lambda: tree.information_gain_table(*tennis()),
    "Partition": lambda: tree.information_gain_table(*tennis()).partition("Wind"),
    "ThresholdTable": lambda: tree.information_gain_table(*iris()).thresholds("feature_0"),
    "RuleSet": lambda: tree.export_rules(tree.ID3().fit(*tennis())),
    "Rule": lambda: tree.export_rules(tree.ID3().fit(*tennis()))[0],
    "Formulas": lambda: tree.export_dnf(tree.ID3().fit(*tennis())),
    "Formula": lambda: tree.export_dnf(tree.ID3().fit(*tennis()))["Yes"],
}

CALLS = {
    **CAUSES,
    **DENSITIES,
    **JUDGEMENTS,
    **GRAPHS,
    **SEQUENCES,
    **DRAWS,
    **REST,
    **APPROXIMATIONS,
    **DECISIONS,
    **PLAYS,
    **CLUSTERS,
    **ALGEBRA,
    **NETWORKS,
}


@cache
def made(name):
    """Return the result of a call, made once."""
    return CALLS[name]()
