#include "report/summary.hpp"

#include <algorithm>

#include "core/format.hpp"

namespace jsdiv {
namespace {

/// A divergence with the digits that its size deserves: 0.31, 0.0042.
std::string number(double value) {
  return format(value != 0 && value < 0.01 && value > -0.01 ? "%.4f" : "%.3f", value);
}

std::string number(const Maybe& value) {
  return value ? number(*value) : "-";
}

/// The number of characters on screen of a UTF-8 text without wide or combining characters.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t columns) {
  return text + std::string(columns > width(text) ? columns - width(text) : 0, ' ');
}

std::string headline(const Result& result) {
  std::string text = "Jensen-Shannon divergence  " + number(result.jsd);
  if (const auto& interval = result.confidence_interval) {
    text += format("   %.4g %% interval ", 100 * interval->level) + number(interval->low) + " to " +
            number(interval->high);
  }
  return text + "\n";
}

/// The best classifier is right in (1 + total variation) / 2 of the rows: it knows that share of them and
/// guesses at the rest. Without it: the divergence in bits is the mutual information between a row and its
/// table.
std::string meaning(const Result& result) {
  if (result.jsd <= 0) return "Nothing was found that tells the two tables apart.\n";
  if (result.divergences) {
    for (const auto& [name, value] : result.divergences->values) {
      if (name != "total_variation" || !value) continue;
      const std::string share = format("%.0f", 100 * std::clamp(value->value, 0.0, 1.0));
      if (share == "100") return "An ideal judge would tell of any row which table it comes from.\n";
      return "An ideal judge would tell of " + share +
             " % of the rows which table they come from, and guess at the rest.\n";
    }
  }
  return format(
      "One row reveals on average %.3g of the 1 bit that names its table (0: same distribution, 1: "
      "disjoint).\n",
      result.jsd);
}

std::string family_table(const Result& result) {
  const bool stacked = result.selected_family.empty();
  std::size_t name_width = 8;
  for (const FamilyResult& family : result.families) name_width = std::max(name_width, width(family.name));
  std::string text = "\n  " + padded("family", name_width) + "   JSD       ± error   log-loss   AUC     " +
                     (stacked ? "weight   " : "") + "seconds\n";
  for (const FamilyResult& family : result.families) {
    text += (family.name == result.selected_family ? "> " : "  ") + padded(family.name, name_width) + "   " +
            padded(number(family.jsd), 9) + " " + padded(number(family.standard_error), 9) + " " +
            padded(number(family.validation_log_loss), 10) + " " + padded(number(family.auc), 7) + " " +
            (stacked ? padded(format("%.2f", family.weight.value_or(0)), 8) + " " : "") +
            format("%.2f", family.seconds) + "\n";
  }
  if (stacked) return text + "  (each alone; the number above is that of their stack, with these weights)\n";
  if (result.families.size() > 1)
    text += "  (> has the lowest log-loss on the validation rows; the number above is its)\n";
  return text;
}

/// What else is known about the number: the test of P = Q, the bound, what extrapolation added.
std::string evidence(const Result& result) {
  std::string text;
  if (result.p_value) {
    text += "If both tables had one distribution, 95 % of such estimates would be at most " +
            number(result.noise_floor) + format("; p = %.2g.\n", *result.p_value);
  }
  if (result.lower_bound) {
    text += "Whatever the classifiers missed, the divergence is at least " + number(*result.lower_bound) +
            format(" (%.4g %% sure).\n", 100 * result.protocol.options.level);
  }
  if (result.held_out && number(result.held_out->value) != number(result.jsd)) {
    text +=
        "On held-out rows " + number(result.held_out->value) + "; the rest is the learning curve's limit.\n";
  }
  return text;
}

std::string support_lines(const SupportResult& support) {
  constexpr std::size_t most_lines = 6;
  std::string values;
  std::string repeats;
  std::size_t columns = 0;
  for (const SupportMismatch& mismatch : support.mismatches) {
    const std::string line = "  - " + mismatch.message + "\n";
    if (mismatch.column.empty()) {
      repeats += line;
    } else if (++columns <= most_lines) {
      values += line;
    }
  }
  std::string text;
  if (columns > 0) text += "\nThe tables cannot hold the same values:\n" + values;
  if (columns > most_lines)
    text += format("  - and %zu more (--json lists them all)\n", columns - most_lines);
  if (support.harmonised_jsd) {
    text += "With both tables on the same grids the divergence is " + number(*support.harmonised_jsd) + ".\n";
  }
  return text + (repeats.empty() ? repeats : "\nRows that occur more than once:\n" + repeats);
}

std::string marginal_line(const MarginalResult& marginal) {
  return "\nEach column on its own (blind to dependence): syndat " + number(marginal.syndat) +
         ", synthcity " + number(marginal.synthcity) + "\n";
}

std::string protocol_line(const ProtocolRecord& protocol) {
  if (protocol.options.protocol == Protocol::automatic) return "Protocol: auto; " + protocol.split + "\n";
  std::string text =
      format("Protocol: paper, %d seed%s; ", protocol.seeds, protocol.seeds == 1 ? "" : "s") + protocol.split;
  if (protocol.corrected) text += format("; corrected for |Q|/|P| = %.3g", protocol.r.value_or(1));
  return text + "\n";
}

}  // namespace

std::string summary(const Result& result) {
  std::string text = headline(result) + meaning(result) + evidence(result) + family_table(result);
  if (result.support) text += support_lines(*result.support);
  if (result.marginal) text += marginal_line(*result.marginal);
  return text + protocol_line(result.protocol);
}

std::string summary(const MarginalResult& marginal) {
  std::size_t name_width = 7;
  for (const MarginalColumn& column : marginal.columns) name_width = std::max(name_width, width(column.name));
  name_width = std::min<std::size_t>(name_width, 40);
  const auto row = [&](const std::string& name, const Maybe& a, const Maybe& b, const Maybe& c) {
    return padded(name, name_width) + "   " + padded(number(a), 8) + " " + padded(number(b), 11) + " " +
           number(c) + "\n";
  };
  std::string text = padded("column", name_width) + "   syndat   synthcity   synthcity_upstream\n";
  for (const MarginalColumn& column : marginal.columns) {
    text += row(column.name, column.syndat, column.synthcity, column.synthcity_upstream);
  }
  return text + row("average", marginal.syndat, marginal.synthcity, marginal.synthcity_upstream) +
         "\nEach column on its own: dependence between columns is not seen. `jsdiv estimate` sees it.\n";
}

}  // namespace jsdiv
