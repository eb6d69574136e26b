"""Demonstrations, exercises, drawings of textbook points and games: what shows a point of the notes rather than does a job.

Nothing here is needed to learn from data, and no family imports it. `chapters.py` says to which chapter of the notes each name
belongs; a sub-package is a subject.
"""

from typing import TYPE_CHECKING

from novum.runtime.lazy import lazily

if TYPE_CHECKING:
    from novum.teaching.classification.generative_discriminative import (
        plot_generative_vs_discriminative,
    )
    from novum.teaching.classification.naive_bayes_graph import plot_naive_bayes_graph
    from novum.teaching.classification.voronoi import plot_voronoi
    from novum.teaching.clustering.between import cluster_distance
    from novum.teaching.clustering.em_steps import plot_em_steps
    from novum.teaching.clustering.kmeans_steps import plot_kmeans_steps
    from novum.teaching.ensembles.attention import plot_attention
    from novum.teaching.ensembles.committee import plot_committee
    from novum.teaching.ensembles.flows import plot_flow
    from novum.teaching.ensembles.rivalry import EnsembleRivalry, compare_ensembles
    from novum.teaching.games.checkers import Checkers
    from novum.teaching.games.rules import Game
    from novum.teaching.games.search import BoardValue, minimax
    from novum.teaching.games.self_play import LinearEvaluation, SelfPlay, Tournament, self_play, tournament, win_rate
    from novum.teaching.games.tic_tac_toe import ConnectFour, TicTacToe
    from novum.teaching.learning_theory.approximation import (
        Approximation,
        plot_universal_approximation,
        universal_approximation,
    )
    from novum.teaching.learning_theory.demonstrations import (
        GaussMarkov,
        IrrelevantFeatures,
        NoFreeLunch,
        gauss_markov,
        irrelevant_features,
        no_free_lunch,
    )
    from novum.teaching.learning_theory.dimensions import DimensionCurse, curse_of_dimensionality
    from novum.teaching.learning_theory.hypothesis_space import plot_hypothesis_space
    from novum.teaching.learning_theory.reductions import ReductionCost, reduction_cost
    from novum.teaching.linear_algebra.axioms import (
        AxiomCheck,
        check_bilinear_form,
        check_group,
        check_norm,
        check_subspace,
        check_vector_space,
    )
    from novum.teaching.linear_algebra.bases import (
        LinearIndependence,
        Membership,
        are_independent,
        change_of_basis,
        coordinates,
        in_span,
        matrix_of_map,
    )
    from novum.teaching.linear_algebra.eigen import (
        EigenPairs,
        eigen_by_deflation,
        orthonormal_extension,
        rayleigh_quotient,
    )
    from novum.teaching.linear_algebra.identities import MatrixIdentities, check_identities
    from novum.teaching.linear_algebra.inner_products import angle, are_orthonormal, bilinear_form
    from novum.teaching.linear_algebra.metrics import MetricAxioms, check_metric_axioms
    from novum.teaching.linear_algebra.spectrum import EigenReport, eigen_report, is_eigenpair
    from novum.teaching.linear_models.beliefs import plot_equivalent_kernel, plot_posterior_steps, plot_predictive_band
    from novum.teaching.linear_models.evidence_axis import plot_evidence_over_datasets
    from novum.teaching.linear_models.feature_lift import plot_feature_lift
    from novum.teaching.linear_models.multiclass import plot_multiclass_regions
    from novum.teaching.linear_models.norm_balls import plot_norm_balls
    from novum.teaching.linear_models.rivals import plot_masking, plot_outlier_pull
    from novum.teaching.neural_networks.activations import plot_activations
    from novum.teaching.neural_networks.aggregation import aggregate_neighbors
    from novum.teaching.neural_networks.architectures import Architecture, plot_architecture
    from novum.teaching.neural_networks.attention import causal_mask, scaled_dot_attention
    from novum.teaching.neural_networks.convolution import convolve, convolve_gradients, max_pool
    from novum.teaching.neural_networks.linear_network import collapse_linear
    from novum.teaching.neural_networks.threshold import (
        ParityNetworks,
        ThresholdNetwork,
        logic_to_network,
        parity_network,
    )
    from novum.teaching.optimization.losses import plot_losses, plot_risk
    from novum.teaching.optimization.subgradients import plot_subgradients
    from novum.teaching.optimization.time_scales import TimeScales, check_time_scales
    from novum.teaching.reinforcement.cost import PlanningCost, planning_cost
    from novum.teaching.reinforcement.game_worlds import blackjack, pixel_catch, pixels_of
    from novum.teaching.reinforcement.regimes import Regimes, policy_regimes
    from novum.teaching.reinforcement.worlds import (
        cliff_walk,
        gambler,
        garnet,
        inventory,
        random_walk,
        two_state,
        windy_grid,
    )
    from novum.teaching.statistics.bullseye import plot_bullseye
    from novum.teaching.statistics.information import (
        EntropyCurve,
        InformationDiagram,
        entropy_curve,
        information_diagram,
    )
    from novum.teaching.statistics.known_distribution import (
        Expectation,
        Overfitting,
        expected_loss,
        out_of_bag_probability,
        overfits,
        sampling_distribution,
    )
    from novum.teaching.statistics.sample_mean import (
        MeanPaths,
        StandardizedMeans,
        chebyshev_bound,
        mean_paths,
        sample_mean,
        standardized_means,
    )
    from novum.teaching.statistics.squared_loss import LossSplit, split_squared_loss
    from novum.teaching.statistics.t_table import t_table
    from novum.teaching.statistics.trials import Selection, Trial, simulate_selection, simulate_trial
    from novum.teaching.statistics.variance_bias import VarianceBias, bias_of_variance
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            ".classification.generative_discriminative": "plot_generative_vs_discriminative",
            ".classification.naive_bayes_graph": "plot_naive_bayes_graph",
            ".classification.voronoi": "plot_voronoi",
            ".clustering.between": "cluster_distance",
            ".clustering.em_steps": "plot_em_steps",
            ".clustering.kmeans_steps": "plot_kmeans_steps",
            ".ensembles.attention": "plot_attention",
            ".ensembles.committee": "plot_committee",
            ".ensembles.flows": "plot_flow",
            ".ensembles.rivalry": "EnsembleRivalry compare_ensembles",
            ".games.checkers": "Checkers",
            ".games.rules": "Game",
            ".games.search": "BoardValue minimax",
            ".games.self_play": "LinearEvaluation SelfPlay Tournament self_play tournament win_rate",
            ".games.tic_tac_toe": "ConnectFour TicTacToe",
            ".learning_theory.approximation": "Approximation plot_universal_approximation universal_approximation",
            ".learning_theory.demonstrations": "GaussMarkov IrrelevantFeatures NoFreeLunch "
            "gauss_markov irrelevant_features no_free_lunch",
            ".learning_theory.dimensions": "DimensionCurse curse_of_dimensionality",
            ".learning_theory.hypothesis_space": "plot_hypothesis_space",
            ".learning_theory.reductions": "ReductionCost reduction_cost",
            ".linear_algebra.axioms": "AxiomCheck check_bilinear_form check_group check_norm check_subspace check_vector_space",
            ".linear_algebra.bases": (
                "LinearIndependence Membership are_independent change_of_basis coordinates in_span matrix_of_map"
            ),
            ".linear_algebra.eigen": "EigenPairs eigen_by_deflation orthonormal_extension rayleigh_quotient",
            ".linear_algebra.identities": "MatrixIdentities check_identities",
            ".linear_algebra.inner_products": "angle are_orthonormal bilinear_form",
            ".linear_algebra.metrics": "MetricAxioms check_metric_axioms",
            ".linear_algebra.spectrum": "EigenReport eigen_report is_eigenpair",
            ".linear_models.beliefs": "plot_equivalent_kernel plot_posterior_steps plot_predictive_band",
            ".linear_models.evidence_axis": "plot_evidence_over_datasets",
            ".linear_models.feature_lift": "plot_feature_lift",
            ".linear_models.multiclass": "plot_multiclass_regions",
            ".linear_models.norm_balls": "plot_norm_balls",
            ".linear_models.rivals": "plot_masking plot_outlier_pull",
            ".neural_networks.activations": "plot_activations",
            ".neural_networks.aggregation": "aggregate_neighbors",
            ".neural_networks.attention": "causal_mask scaled_dot_attention",
            ".neural_networks.convolution": "convolve convolve_gradients max_pool",
            ".neural_networks.linear_network": "collapse_linear",
            ".neural_networks.architectures": "Architecture plot_architecture",
            ".neural_networks.threshold": "ParityNetworks ThresholdNetwork logic_to_network parity_network",
            ".optimization.losses": "plot_losses plot_risk",
            ".optimization.subgradients": "plot_subgradients",
            ".optimization.time_scales": "TimeScales check_time_scales",
            ".reinforcement.cost": "PlanningCost planning_cost",
            ".reinforcement.game_worlds": "blackjack pixel_catch pixels_of",
            ".reinforcement.regimes": "Regimes policy_regimes",
            ".reinforcement.worlds": "cliff_walk gambler garnet inventory random_walk two_state windy_grid",
            ".statistics.bullseye": "plot_bullseye",
            ".statistics.information": "EntropyCurve InformationDiagram entropy_curve information_diagram",
            ".statistics.known_distribution": "Expectation Overfitting "
            "expected_loss out_of_bag_probability overfits sampling_distribution",
            ".statistics.sample_mean": "MeanPaths StandardizedMeans chebyshev_bound mean_paths sample_mean standardized_means",
            ".statistics.squared_loss": "LossSplit split_squared_loss",
            ".statistics.t_table": "t_table",
            ".statistics.trials": "Selection Trial simulate_selection simulate_trial",
            ".statistics.variance_bias": "VarianceBias bias_of_variance",
        },
    )

__all__ = [
    "Approximation",
    "Architecture",
    "AxiomCheck",
    "BoardValue",
    "Checkers",
    "ConnectFour",
    "DimensionCurse",
    "EigenPairs",
    "EigenReport",
    "EnsembleRivalry",
    "EntropyCurve",
    "Expectation",
    "Game",
    "GaussMarkov",
    "InformationDiagram",
    "IrrelevantFeatures",
    "LinearEvaluation",
    "LinearIndependence",
    "LossSplit",
    "MatrixIdentities",
    "MeanPaths",
    "Membership",
    "MetricAxioms",
    "NoFreeLunch",
    "Overfitting",
    "ParityNetworks",
    "PlanningCost",
    "ReductionCost",
    "Regimes",
    "Selection",
    "SelfPlay",
    "StandardizedMeans",
    "ThresholdNetwork",
    "TicTacToe",
    "TimeScales",
    "Tournament",
    "Trial",
    "VarianceBias",
    "aggregate_neighbors",
    "angle",
    "are_independent",
    "are_orthonormal",
    "bias_of_variance",
    "bilinear_form",
    "blackjack",
    "causal_mask",
    "change_of_basis",
    "chebyshev_bound",
    "check_bilinear_form",
    "check_group",
    "check_identities",
    "check_metric_axioms",
    "check_norm",
    "check_subspace",
    "check_time_scales",
    "check_vector_space",
    "cliff_walk",
    "cluster_distance",
    "collapse_linear",
    "compare_ensembles",
    "convolve",
    "convolve_gradients",
    "coordinates",
    "curse_of_dimensionality",
    "eigen_by_deflation",
    "eigen_report",
    "entropy_curve",
    "expected_loss",
    "gambler",
    "garnet",
    "gauss_markov",
    "in_span",
    "information_diagram",
    "inventory",
    "irrelevant_features",
    "is_eigenpair",
    "logic_to_network",
    "matrix_of_map",
    "max_pool",
    "mean_paths",
    "minimax",
    "no_free_lunch",
    "orthonormal_extension",
    "out_of_bag_probability",
    "overfits",
    "parity_network",
    "pixel_catch",
    "pixels_of",
    "planning_cost",
    "plot_activations",
    "plot_architecture",
    "plot_attention",
    "plot_bullseye",
    "plot_committee",
    "plot_em_steps",
    "plot_equivalent_kernel",
    "plot_evidence_over_datasets",
    "plot_feature_lift",
    "plot_flow",
    "plot_generative_vs_discriminative",
    "plot_hypothesis_space",
    "plot_kmeans_steps",
    "plot_losses",
    "plot_masking",
    "plot_multiclass_regions",
    "plot_naive_bayes_graph",
    "plot_norm_balls",
    "plot_outlier_pull",
    "plot_posterior_steps",
    "plot_predictive_band",
    "plot_risk",
    "plot_subgradients",
    "plot_universal_approximation",
    "plot_voronoi",
    "policy_regimes",
    "random_walk",
    "rayleigh_quotient",
    "reduction_cost",
    "sample_mean",
    "sampling_distribution",
    "scaled_dot_attention",
    "self_play",
    "simulate_selection",
    "simulate_trial",
    "split_squared_loss",
    "standardized_means",
    "t_table",
    "tournament",
    "two_state",
    "universal_approximation",
    "win_rate",
    "windy_grid",
]
