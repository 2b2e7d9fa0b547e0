#pragma once

namespace jsdiv {

/// Quantile of the standard normal distribution, 0 < probability < 1.
double normal_quantile(double probability);

/// Quantile of Student's t distribution, 0 < probability < 1, degrees of freedom > 0.
double student_t_quantile(double probability, double degrees_of_freedom);

}  // namespace jsdiv
