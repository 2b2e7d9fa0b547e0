#pragma once

#include <optional>
#include <span>
#include <vector>

#include "jsdiv/table.hpp"
#include "measure/held_out.hpp"

namespace jsdiv {

/// What a classifier's held-out log-odds z(x) at equal priors say about other divergences. e^z is the density
/// ratio p/q. KL, chi2 and Hellinger are the dual (variational) forms of their f-divergences,
///     E_P[g(z)] - E_Q[f*(g(z))],   f* the convex conjugate of f,
/// in which any z gives a value that is too low in expectation, never too high, and the true log-ratio gives
/// the divergence itself (Nguyen, Wainwright & Jordan, IEEE Trans. Inf. Theory 2010). They are sums of two
/// means: unbiased for a frozen classifier, and their influence is exact. Donsker and Varadhan's form of KL
/// is tighter, but the logarithm of a mean over few heavy-tailed rows is biased upwards, so that it bounds
/// nothing on held-out rows. Values are not cut off: near P = Q they may be slightly below 0.
struct Divergences {
  std::optional<Measured> kl_pq;  ///< KL(P || Q) in bits: mean over P of z - mean over Q of (e^z - 1)
  std::optional<Measured> kl_qp;  ///< KL(Q || P) in bits, the same with -z
  std::optional<Measured> total_variation;  ///< 2 * accuracy - 1
  std::optional<Measured> hellinger;  ///< squared: 1 - (mean over P of e^(-z/2) + mean over Q of e^(z/2)) / 2
  std::optional<Measured> chi2;       ///< chi2(P || Q): 2 * mean over P of e^z - mean over Q of e^(2z) - 1
  std::optional<Measured> auc;        ///< Mann-Whitney, ties half; error of DeLong et al. (Biometrics 1988)
  std::optional<Measured> accuracy;   ///< each table counts half, z = 0 counts half
  std::optional<Measured> pmse;   ///< mean (D - 1/2)^2, each table counts half (Snoke et al., JRSS A 2018)
  std::vector<Warning> warnings;  ///< why a value is missing
};

/// KL(P || Q) and chi2 are missing where the supports look disjoint: the AUC is above 0.999, or at least half
/// of P's weight lies at z >= cap; KL(Q || P) likewise with Q's weight at z <= -cap. Then the ratio that the
/// rows can show ends at the cap, and so would the value. `cap` is what |z| was limited to; infinite if it
/// was not.
///
/// KL and chi2 live on rows where one density is many times the other. They are "at least" (and their errors
/// mean nothing) where more than 1 % of the table's weight lies at the cap, or where the terms that are
/// averaged, e^z over Q (KL of P and Q), e^-z over P (KL of Q and P), e^2z over Q and e^z over P (chi2), have
/// a tail beyond largest_trusted_shape: the mean then rests on rows that are not in the sample.
Divergences divergences_from_log_odds(std::span<const double> log_odds, const HeldOutRows& rows, double cap);

/// AUC with the standard error of DeLong, DeLong & Clarke-Pearson (1988); with groups, that of Obuchowski
/// (1997).
Measured auc_with_error(std::span<const double> scores, const HeldOutRows& rows);

}  // namespace jsdiv
