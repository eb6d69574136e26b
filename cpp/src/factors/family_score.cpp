#include "novum/factors/family_score.h"

#include <cmath>
#include <limits>

#include "novum/factors/expectation.h"

namespace novum::factors {

double family_score(std::span<const std::int32_t* const> columns, std::span<const std::int32_t> cards, const double* weight,
                    std::size_t rows, ScoreRule rule, std::int64_t most, std::vector<double>& scratch) {
    std::int64_t cells = 1;
    for (auto card : cards) {
        cells *= card;
        if (cells > most) return -std::numeric_limits<double>::infinity();
    }
    const std::int64_t k = cards.back(), parents = cells / k;
    scratch.assign(static_cast<std::size_t>(cells), 0.0);
    count_rows(columns, cards, weight, rows, scratch.data());
    double total = 0;
    if (rule.kind == Score::likelihood) {
        for (std::int64_t u = 0; u < parents; ++u) {
            const double* row = scratch.data() + u * k;
            double mass = 0;
            for (std::int64_t x = 0; x < k; ++x) mass += row[x];
            if (mass <= 0) continue;
            const double log_mass = std::log(mass);
            for (std::int64_t x = 0; x < k; ++x)
                if (row[x] > 0) total += row[x] * (std::log(row[x]) - log_mass);
        }
        return total - rule.value * static_cast<double>((k - 1) * parents);
    }
    const double cell = rule.kind == Score::dirichlet ? rule.value : rule.value / static_cast<double>(cells);
    const double mass = cell * static_cast<double>(k);
    const double log_cell = std::lgamma(cell), log_mass = std::lgamma(mass);
    for (std::int64_t u = 0; u < parents; ++u) {
        const double* row = scratch.data() + u * k;
        double n = 0;
        for (std::int64_t x = 0; x < k; ++x)
            if (row[x] > 0) n += row[x], total += std::lgamma(cell + row[x]) - log_cell;
        if (n > 0) total += log_mass - std::lgamma(mass + n);
    }
    return total;
}

}  // namespace novum::factors
