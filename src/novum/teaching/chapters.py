"""The map of `novum.teaching`: by chapter of the notes, the names that show its points.

A name stands once, in the chapter that it shows a point of first; `novum.notes.notes` lists all rows that it serves.
"""

__all__ = ["CHAPTERS", "chapter_of"]

CHAPTERS = {
    "Introduction": "BoardValue Checkers Game IrrelevantFeatures LinearEvaluation Overfitting SelfPlay Tournament "
    "irrelevant_features minimax overfits self_play tournament win_rate",
    "Decision Trees": "EntropyCurve entropy_curve plot_committee",
    "K-nearest neighbors": "MetricAxioms check_metric_axioms plot_voronoi",
    "Linear algebra": "AxiomCheck EigenPairs EigenReport LinearIndependence MatrixIdentities Membership angle are_independent "
    "are_orthonormal bilinear_form change_of_basis check_bilinear_form check_group check_identities "
    "check_norm check_subspace check_vector_space coordinates eigen_by_deflation eigen_report in_span "
    "is_eigenpair matrix_of_map orthonormal_extension rayleigh_quotient",
    "Probability theory": "MeanPaths StandardizedMeans chebyshev_bound mean_paths sample_mean standardized_means",
    "Evaluation": "Expectation plot_losses sampling_distribution t_table",
    "Naive Bayes": "plot_naive_bayes_graph",
    "Linear discriminant functions": "ReductionCost ThresholdNetwork logic_to_network "
    "plot_generative_vs_discriminative plot_multiclass_regions plot_risk reduction_cost",
    "Support vector machines": "plot_subgradients",
    "Non-linear SVMs": "plot_feature_lift",
    "Deep learning": "Architecture ParityNetworks aggregate_neighbors causal_mask collapse_linear convolve convolve_gradients "
    "max_pool parity_network plot_activations plot_architecture plot_norm_balls scaled_dot_attention",
    "Ensemble Methods": "out_of_bag_probability plot_attention plot_flow",
    "Unsupervised learning": "cluster_distance plot_em_steps plot_kmeans_steps",
    "Reinforcement learning": "ConnectFour Regimes TicTacToe pixel_catch pixels_of policy_regimes",
    "Linear Regression": "VarianceBias bias_of_variance plot_equivalent_kernel plot_evidence_over_datasets "
    "plot_posterior_steps plot_predictive_band",
    "Linear classification": "plot_masking plot_outlier_pull",
    "Neural Networks": "Approximation plot_universal_approximation universal_approximation",
    "Introduction to popular distributions and their properties": "InformationDiagram information_diagram",
    "Causality": "Selection Trial simulate_selection simulate_trial",
    "General description": "plot_hypothesis_space",
    "Linear models for regression": "GaussMarkov LossSplit expected_loss gauss_markov split_squared_loss",
    "Theoretical concepts": "NoFreeLunch no_free_lunch plot_bullseye",
    "Managing the bias-variance trade-off": "DimensionCurse EnsembleRivalry compare_ensembles curse_of_dimensionality",
    "Markov Decision Processes": "two_state",
    "Dynamic programming": "PlanningCost gambler garnet inventory planning_cost",
    "Model-free prediction": "blackjack random_walk",
    "Model-free control": "TimeScales check_time_scales cliff_walk windy_grid",
}


def chapter_of(name: str) -> str:
    """Return the title of the chapter that a name of `novum.teaching` belongs to.

    Examples
    --------
    >>> from novum.teaching.chapters import chapter_of
    >>> chapter_of("plot_voronoi")
    'K-nearest neighbors'
    """
    return next(title for title, names in CHAPTERS.items() if name in names.split())
