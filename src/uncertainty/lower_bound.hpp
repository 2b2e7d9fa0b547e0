#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "measure/held_out.hpp"

namespace jsdiv {

/// Two numbers that the divergence is not below, each with probability `level`, whatever the classifier: the
/// expected held-out value of any frozen classifier is at most the divergence, and clipping its posteriors
/// only makes another classifier of it. Spans are [rows]; `folds` holds each row's fold.

/// The pooled cross-fitted value with D clipped to [0.01, 0.99] minus z times its clustered standard error,
/// z the normal quantile of the level; at least 0. Given the models of the folds the value is centred on the
/// mean of their expected values, none of which exceeds the divergence; that the folds share training rows
/// does not change the normal limit (Bayle, Bayle, Janson & Mackey, NeurIPS 2020). Without the clip a few
/// rows at the wrong end of a wide range decide the value, and the normal law needs more rows than most
/// tables have.
///
/// The terms are skewed: where few rows are on the wrong side, the value is high and its error low at once.
/// So each table is given one misclassified cluster more, with the mean of what the other table's rows would
/// cost under its label. With the true log-ratio of two normal laws, 60 to 1,000 rows a side and divergences
/// of 0.01 to 0.78, coverage is 95 - 98 %, where it is 91 - 95 % without.
double divergence_lower_bound(std::span<const double> log_odds, const HeldOutRows& rows, double level);

/// A bound that needs no normal limit, by betting (Waudby-Smith & Ramdas, JRSS B 2024).
///
/// One fold: its models are frozen and its held-out rows independent. Each pair of a row of P and a row of Q
/// gives Y = 1/2 (term of P + term of Q), with D clipped to [eta, 1 - eta], so that Y >= a = log2(2 eta), and
/// with E Y at most the divergence J. For any share 0 < c < 1 the capital
///     prod_i (1 + c (Y_i - m) / (m - a))
/// of a gambler who stakes that share against "J <= m" has an expectation of at most 1 if J <= m: it is an
/// e-value. So is the mean over several c and eta, which spares choosing them; and it does not depend on the
/// order of the rows.
///
/// Several folds: their models have seen each other's rows, so the e-values must not be multiplied. But the
/// mean of e-values is an e-value whatever their dependence, since each has an expectation of at most 1. By
/// Markov's inequality the mean reaches 1 / (1 - level) at m = J with a probability of at most 1 - level; it
/// falls as m grows, so that the bound is the m where it crosses. A fold bets with its own rows alone, which
/// makes the bound about as wide as one from a single fold.
///
/// Where a table has fewer rows, each of its rows is paired with the mean of a block of the other's. Under
/// groups the draws are groups: means over a group's rows of either table stand for the terms, and a group
/// with rows of both tables is a pair by itself; this takes for granted that a row's term does not depend on
/// the size of its group. Not for weighted rows, whose means are ratios.
///
/// The value is a multiple of 1/8192 bits, rounded down.
double betting_lower_bound(std::span<const double> log_odds, const HeldOutRows& rows,
                           std::span<const std::uint32_t> folds, double level);

/// log of the mean over the shares c of the capital after betting on each of `values`, all at least `lowest`,
/// against a mean of at most m > lowest.
double log_betting_capital(std::span<const double> values, double lowest, double m);

}  // namespace jsdiv
