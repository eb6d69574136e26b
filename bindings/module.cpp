#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_bins(nb::module_& m);
void bind_boosting(nb::module_& m);
void bind_build(nb::module_& m);
void bind_cart(nb::module_& m);
void bind_coded(nb::module_& m);
void bind_counts(nb::module_& m);
void bind_density(nb::module_& m);
void bind_descent(nb::module_& m);
void bind_proximal(nb::module_& m);
void bind_design(nb::module_& m);
void bind_dual(nb::module_& m);
void bind_factors(nb::module_& m);
void bind_gaussian(nb::module_& m);
void bind_growth(nb::module_& m);
void bind_kmeans(nb::module_& m);
void bind_kmeans_sparse(nb::module_& m);
void bind_logistic(nb::module_& m);
void bind_mixture(nb::module_& m);
void bind_latent(nb::module_& m);
void bind_neighbors(nb::module_& m);
void bind_product(nb::module_& m);
void bind_posterior(nb::module_& m);
void bind_quadratic(nb::module_& m);
void bind_random(nb::module_& m);
void bind_resampling(nb::module_& m);
void bind_scatter(nb::module_& m);
void bind_seeding(nb::module_& m);
void bind_sgd(nb::module_& m);
void bind_text(nb::module_& m);
void bind_threads(nb::module_& m);
void bind_tile(nb::module_& m);
void bind_traversal(nb::module_& m);

NB_MODULE(_core, m) {
    m.doc() = "Compiled kernels. Private: call them through the Python modules that own them.";
    auto add = [&m](const char* name, const char* doc, void (*bind)(nb::module_&)) {
        nb::module_ topic = m.def_submodule(name, doc);
        bind(topic);
    };
    add("bins", "Numbers into one-byte codes.", bind_bins);
    add("boosting", "Gradients of losses, and trees grown on them.", bind_boosting);
    add("build", "How the core was built.", bind_build);
    add("cart", "Trees of binary splits, grown and walked.", bind_cart);
    add("coded", "Trees of forests, grown from ranks.", bind_coded);
    add("counts", "Counts of labelled rows and the scores they give.", bind_counts);
    add("density", "Log-densities of the standard families.", bind_density);
    add("descent", "Coordinate descent for penalised least squares.", bind_descent);
    add("proximal", "Coordinate descent on the quadratic models of proximal Newton steps.", bind_proximal);
    add("design", "The design matrix of a linear model, block by block.", bind_design);
    add("dual", "Coordinate descent on the dual of logistic regression.", bind_dual);
    add("factors", "Marginals and maxima of products of tables.", bind_factors);
    add("gaussian", "Moments and densities of axis-aligned Gaussian classes.", bind_gaussian);
    add("growth", "Passes over blocks of coded rows for trees that grow elsewhere.", bind_growth);
    add("kmeans", "k-means on a block of rows.", bind_kmeans);
    add("kmeans_sparse", "k-means on a block of sparse rows.", bind_kmeans_sparse);
    add("logistic", "Losses, gradients and Hessians of logistic regression.", bind_logistic);
    add("mixture", "Gaussian mixtures on a block of rows.", bind_mixture);
    add("latent", "Factor models of rows with missing cells.", bind_latent);
    add("neighbors", "Nearest rows and sums of kernels.", bind_neighbors);
    add("product", "Rows times a narrow matrix.", bind_product);
    add("posterior", "Softmax and best class of rows of scores.", bind_posterior);
    add("quadratic", "Quadratic forms of rows.", bind_quadratic);
    add("random", "Counter-based random numbers.", bind_random);
    add("resampling", "Bootstrap resamples of rows.", bind_resampling);
    add("scatter", "Second moments of labelled rows.", bind_scatter);
    add("seeding", "k-means++ on a block of rows.", bind_seeding);
    add("sgd", "Stochastic gradient descent for linear functions.", bind_sgd);
    add("text", "Words of texts, counted.", bind_text);
    add("threads", "Forks and loaded libraries.", bind_threads);
    add("tile", "Row-major tiles.", bind_tile);
    add("traversal", "Values of many trees for many rows.", bind_traversal);
}
