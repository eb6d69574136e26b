// The index of the compiled core: novum._core.<noun>.<mechanism>, each bound in bindings/<noun>/<mechanism>.cpp.
#include <nanobind/nanobind.h>

#include <initializer_list>
#include <string>

#include "novum/runtime/build.h"

namespace nb = nanobind;

void bind_runtime_blas(nb::module_& m);
void bind_runtime_build(nb::module_& m);
void bind_runtime_random(nb::module_& m);
void bind_runtime_threads(nb::module_& m);
void bind_runtime_tiles(nb::module_& m);
void bind_moments_design(nb::module_& m);
void bind_moments_diagonal(nb::module_& m);
void bind_moments_exact_sums(nb::module_& m);
void bind_moments_scatter(nb::module_& m);
void bind_classes_counts(nb::module_& m);
void bind_classes_posterior(nb::module_& m);
void bind_products_narrow(nb::module_& m);
void bind_products_quadratic(nb::module_& m);
void bind_distributions_density(nb::module_& m);
void bind_linear_model_descent(nb::module_& m);
void bind_linear_model_logistic(nb::module_& m);
void bind_linear_model_logistic_dual(nb::module_& m);
void bind_linear_model_newton(nb::module_& m);
void bind_linear_model_proximal(nb::module_& m);
void bind_linear_model_sgd(nb::module_& m);
void bind_gaussians_mixture(nb::module_& m);
void bind_decomposition_factor_model(nb::module_& m);
void bind_decomposition_independent(nb::module_& m);
void bind_kmeans_dense(nb::module_& m);
void bind_kmeans_seeding(nb::module_& m);
void bind_kmeans_sparse(nb::module_& m);
void bind_search_neighbors(nb::module_& m);
void bind_trees_bins(nb::module_& m);
void bind_trees_boosting(nb::module_& m);
void bind_trees_exact(nb::module_& m);
void bind_trees_passes(nb::module_& m);
void bind_trees_ranks(nb::module_& m);
void bind_trees_traversal(nb::module_& m);
void bind_manifold_geodesics(nb::module_& m);
void bind_manifold_polyline(nb::module_& m);
void bind_manifold_placement(nb::module_& m);
void bind_manifold_stress(nb::module_& m);
void bind_manifold_units(nb::module_& m);
void bind_factors_network(nb::module_& m);
void bind_feature_extraction_text(nb::module_& m);
void bind_evaluation_resampling(nb::module_& m);
void bind_kernels_points(nb::module_& m);
void bind_svm_crammer_singer(nb::module_& m);
void bind_svm_dual_descent(nb::module_& m);
void bind_svm_smo(nb::module_& m);
void bind_sequence_kalman(nb::module_& m);
void bind_sampling_alias(nb::module_& m);
void bind_sampling_chains(nb::module_& m);
void bind_sampling_densities(nb::module_& m);
void bind_bandits_simulation(nb::module_& m);
void bind_kernels_counts(nb::module_& m);
void bind_kernels_gram(nb::module_& m);
void bind_kernels_waves(nb::module_& m);
void bind_sequence_forward_backward(nb::module_& m);
void bind_sequence_viterbi(nb::module_& m);
void bind_decisions_control(nb::module_& m);
void bind_decisions_episodes(nb::module_& m);
void bind_decisions_sweeps(nb::module_& m);
void bind_cluster_density(nb::module_& m);
void bind_cluster_hierarchy(nb::module_& m);
void bind_cluster_medoids(nb::module_& m);
void bind_cluster_silhouette(nb::module_& m);
void bind_kmeans_online(nb::module_& m);
void bind_neural_network_perceptron(nb::module_& m);

namespace {

using Bind = void (*)(nb::module_&);

struct Mechanism {
    const char* name;
    const char* doc;
    Bind bind;
};

void add(nb::module_& core, const char* noun, const char* doc, std::initializer_list<Mechanism> mechanisms) {
    nb::module_ package = core.def_submodule(noun, doc);
    for (const Mechanism& each : mechanisms) {
        nb::module_ module = package.def_submodule(each.name, each.doc);
        each.bind(module);
    }
}

}  // namespace

NB_MODULE(_core, m) {
    if (const std::string reason = novum::why_not_here(); !reason.empty()) throw nb::import_error(reason.c_str());
#ifndef NOVUM_SANITIZE
    nb::set_leak_warnings(false);  // a model in a global or a cache outlives the module; the sanitizers look for real leaks
#endif
    m.doc() = "Compiled kernels. Private: call them through the Python modules that own them.";
    add(m, "runtime", "Threads, draws, tiles, and how the core was built.",
        {{"blas", "Threads of BLAS libraries.", bind_runtime_blas},
         {"build", "How the core was built.", bind_runtime_build},
         {"random", "Counter-based random numbers.", bind_runtime_random},
         {"threads", "Forks and loaded libraries.", bind_runtime_threads},
         {"tiles", "Row-major tiles.", bind_runtime_tiles}});
    add(m, "decisions", "Sweeps and episodes of finite decision processes.",
        {{"episodes", "Episodes of a policy and what they teach.", bind_decisions_episodes},
         {"control", "Action values learned by acting.", bind_decisions_control},
         {"sweeps", "Bellman's operators over a process.", bind_decisions_sweeps}});
    add(m, "moments", "Sums over rows.",
        {{"design", "The design matrix of a linear model, block by block.", bind_moments_design},
         {"diagonal", "Moments and densities of axis-aligned Gaussian classes.", bind_moments_diagonal},
         {"exact_sums", "Sums of floats without rounding.", bind_moments_exact_sums},
         {"scatter", "Second moments of labelled rows.", bind_moments_scatter}});
    add(m, "classes", "Counts and posteriors of classes.",
        {{"counts", "Counts of labelled rows and the scores they give.", bind_classes_counts},
         {"posterior", "Softmax and best class of rows of scores.", bind_classes_posterior}});
    add(m, "products", "Rows times small matrices.",
        {{"narrow", "Rows times a narrow matrix.", bind_products_narrow},
         {"quadratic", "Quadratic forms of rows.", bind_products_quadratic}});
    add(m, "distributions", "Densities.", {{"density", "Log-densities of the standard families.", bind_distributions_density}});
    add(m, "linear_model", "Descent for linear models.",
        {{"descent", "Coordinate descent for penalised least squares.", bind_linear_model_descent},
         {"logistic", "Losses, gradients and Hessians of logistic regression.", bind_linear_model_logistic},
         {"logistic_dual", "Coordinate descent on the dual of logistic regression.", bind_linear_model_logistic_dual},
         {"newton", "Losses of a line with their gradients and Hessians, in one read of the rows.", bind_linear_model_newton},
         {"proximal", "Coordinate descent on the quadratic models of proximal Newton steps.", bind_linear_model_proximal},
         {"sgd", "Stochastic gradient descent for linear functions.", bind_linear_model_sgd}});
    add(m, "gaussians", "Gaussian components.", {{"mixture", "Gaussian mixtures on a block of rows.", bind_gaussians_mixture}});
    add(m, "decomposition", "Factor models and independent components.",
        {{"factor_model", "Factor models of rows with missing cells.", bind_decomposition_factor_model},
         {"independent", "Sums over sources of independent components.", bind_decomposition_independent}});
    add(m, "manifold", "Maps of rows.",
        {{"geodesics", "Shortest paths in a graph.", bind_manifold_geodesics},
         {"polyline", "Projections on a polygonal line.", bind_manifold_polyline},
         {"placement", "New points among fixed ones.", bind_manifold_placement},
         {"stress", "Stress of points against dissimilarities.", bind_manifold_stress},
         {"units", "Units of self-organising maps.", bind_manifold_units}});
    add(m, "kmeans", "k-means on blocks of rows.",
        {{"dense", "k-means on a block of rows.", bind_kmeans_dense},
         {"online", "k-means one row at a time.", bind_kmeans_online},
         {"seeding", "k-means++ on a block of rows.", bind_kmeans_seeding},
         {"sparse", "k-means on a block of sparse rows.", bind_kmeans_sparse}});
    add(m, "search", "Nearest rows.", {{"neighbors", "Nearest rows and sums of kernels.", bind_search_neighbors}});
    add(m, "trees", "Decision trees.",
        {{"bins", "Numbers into one-byte codes.", bind_trees_bins},
         {"boosting", "Gradients of losses, and trees grown on them.", bind_trees_boosting},
         {"exact", "Trees of binary splits, grown and walked.", bind_trees_exact},
         {"passes", "Passes over blocks of coded rows for trees that grow elsewhere.", bind_trees_passes},
         {"ranks", "Trees of forests, grown from ranks.", bind_trees_ranks},
         {"traversal", "Values of many trees for many rows.", bind_trees_traversal}});
    add(m, "factors", "Products of tables.", {{"network", "Marginals and maxima of products of tables.", bind_factors_network}});
    add(m, "feature_extraction", "Texts.", {{"text", "Words of texts, counted.", bind_feature_extraction_text}});
    add(m, "svm", "Support vector machines.",
        {{"crammer_singer", "Linear machines of all classes at once.", bind_svm_crammer_singer},
         {"dual_descent", "Coordinate descent on the duals of linear machines.", bind_svm_dual_descent},
         {"smo", "Sequential minimal optimisation.", bind_svm_smo}});
    add(m, "evaluation", "Resampling.", {{"resampling", "Bootstrap resamples of rows.", bind_evaluation_resampling}});
    add(m, "sampling", "Draws from distributions known by their densities.",
        {{"alias", "Alias tables of discrete distributions.", bind_sampling_alias},
         {"densities", "Compiled log densities.", bind_sampling_densities},
         {"chains", "Markov chains that ask a function for the log density.", bind_sampling_chains}});
    add(m, "bandits", "Bandits.", {{"simulation", "Runs of policies in bandits.", bind_bandits_simulation}});
    add(m, "kernels", "Kernels.",
        {{"counts", "Counts of what structured objects are made of.", bind_kernels_counts},
         {"gram", "Gram matrices of kernel programs, and their derivatives.", bind_kernels_gram},
         {"points", "Points packed for kernels with many rows.", bind_kernels_points},
         {"waves", "Random Fourier features.", bind_kernels_waves}});
    add(m, "sequence", "Sequences.",
        {{"forward_backward", "Likelihoods and posteriors of the states of hidden Markov models.", bind_sequence_forward_backward},
         {"kalman", "Filters and smoothers of linear dynamical systems.", bind_sequence_kalman},
         {"viterbi", "Most probable paths.", bind_sequence_viterbi}});
    add(m, "neural_network", "Neural networks.",
        {{"perceptron", "Multilayer perceptrons, batch by batch.", bind_neural_network_perceptron}});
    add(m, "cluster", "Clusters.",
        {{"density", "Clusters as regions of density.", bind_cluster_density},
         {"hierarchy", "Merges of clusters.", bind_cluster_hierarchy},
         {"medoids", "Rows that stand for clusters.", bind_cluster_medoids},
         {"silhouette", "Distances between rows and clusters.", bind_cluster_silhouette}});
}
