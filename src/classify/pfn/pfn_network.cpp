#include "classify/pfn/pfn_network.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "classify/pfn/experts.hpp"
#include "classify/tabpfn/safetensors.hpp"
#include "core/assert.hpp"
#include "core/embedded_files.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv::pfn {
namespace {

using Eigen::Index;
using Eigen::MatrixXf;
using Eigen::RowVectorXf;

constexpr const char* embedded_name = "src/classify/pfn/weights.safetensors";
constexpr Index facts = 4;

MatrixXf positive_part(const MatrixXf& x) {
  return x.cwiseMax(0);
}

/// log(1 + exp(x))
MatrixXf softplus(const MatrixXf& x) {
  return x.array().cwiseMax(0) + (-x.array().abs()).exp().log1p();
}

/// [inputs, outputs] of a tensor that is stored by outputs, then inputs; a bias is one row.
MatrixXf read(const tabpfn::SafetensorsView& file, const std::string& name, Index inputs, Index outputs,
              bool bias) {
  const auto found = file.tensors().find(name);
  const std::vector<std::size_t> shape =
      bias ? std::vector<std::size_t>{static_cast<std::size_t>(outputs)}
           : std::vector<std::size_t>{static_cast<std::size_t>(outputs), static_cast<std::size_t>(inputs)};
  if (found == file.tensors().end() || found->second.shape != shape) {
    throw InvalidInput("pfn: the weights have no tensor '" + name + "' of the expected shape");
  }
  const auto values = found->second.values();
  return Eigen::Map<const MatrixXf>(values.data(), bias ? 1 : inputs, outputs);
}

}  // namespace

Network::Network(std::span<const std::byte> bytes) {
  const tabpfn::SafetensorsView file(bytes, "pfn: the weights");
  const auto found = file.tensors().find("rows.1.bias");
  if (found == file.tensors().end()) throw InvalidInput("pfn: the weights have no tensor 'rows.1.bias'");
  const auto width = static_cast<Index>(found->second.count());
  const auto layer = [&](const std::string& name, Index inputs, Index outputs, bool has_bias = true) {
    return Layer{read(file, name + ".weight", inputs, outputs, false),
                 has_bias ? RowVectorXf(read(file, name + ".bias", inputs, outputs, true))
                          : RowVectorXf::Zero(outputs)};
  };
  rows_0_ = layer("rows.0", expert_count, width);
  rows_1_ = layer("rows.1", width, width);
  table_0_ = layer("table.0", width + 2 * expert_count + facts, width);
  table_1_ = layer("table.1", width, width);
  head_scores_ = layer("head.scores", expert_count, width, false);
  head_table_ = layer("head.table", width, width);
  head_1_ = layer("head.1", width, width);
  head_2_ = layer("head.2", width, expert_count + 1);
}

const Network& Network::embedded() {
  static const Network network = [] {
    const auto files = embedded_files();
    const auto file = std::ranges::find(files, embedded_name, &EmbeddedFile::name);
    JSDIV_ASSERT(file != files.end());
    return Network(std::as_bytes(std::span(file->content)));
  }();
  return network;
}

RowVectorXf Network::summarise(const Eigen::MatrixXd& scores, const Eigen::VectorXd& labels,
                               const Eigen::VectorXd& weights, std::size_t columns) const {
  const auto in_p = static_cast<double>((labels.array() > 0).count());
  const double in_q = static_cast<double>(labels.size()) - in_p;
  const double weight_p = (labels.array() > 0).select(weights, 0).sum();
  const double weight_q = weights.sum() - weight_p;
  const Eigen::RowVectorXd halves =
      (labels.array() > 0).select(weights / (2 * weight_p), weights / (2 * weight_q)).transpose();
  // Scores times labels: the same whichever table is called P.
  const MatrixXf margins = (labels.asDiagonal() * scores).cast<float>();
  const MatrixXf learnt = positive_part(rows_1_(positive_part(rows_0_(margins))));
  RowVectorXf described(learnt.cols() + 2 * margins.cols() + facts);
  const RowVectorXf shares = halves.cast<float>();
  described << shares * learnt, shares * margins, shares * softplus(-margins),
      static_cast<float>(std::log(std::min(in_p, in_q)) / 4 - 1),
      static_cast<float>(std::log(std::max(in_p, in_q)) / 4 - 1),
      static_cast<float>(std::log(static_cast<double>(columns)) / 3),
      static_cast<float>(std::log((in_p + in_q) / static_cast<double>(columns)) / 4);
  return positive_part(table_1_(positive_part(table_0_(described))));
}

Eigen::VectorXd Network::log_odds(const RowVectorXf& summary, const Eigen::MatrixXd& scores) const {
  const MatrixXf of_rows = scores.cast<float>();
  const RowVectorXf of_table = head_table_(summary);
  const MatrixXf of_scores = head_scores_(of_rows);
  const auto gates = [&](const MatrixXf& signed_scores) {
    return head_2_(positive_part(head_1_(positive_part(signed_scores.rowwise() + of_table))));
  };
  const MatrixXf here = gates(of_scores), mirrored = gates(-of_scores);
  const Index experts = of_rows.cols();
  const MatrixXf weights = 0.5F * (here + mirrored).leftCols(experts);
  const Eigen::VectorXf result =
      weights.cwiseProduct(of_rows).rowwise().sum() + 0.5F * (here - mirrored).col(experts);
  return result.cast<double>();
}

}  // namespace jsdiv::pfn
