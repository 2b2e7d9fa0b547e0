#include "split/group_assignment.hpp"

#include <algorithm>

#include "core/assert.hpp"

namespace jsdiv {
namespace {

struct Group {
  std::uint32_t id = 0;
  std::array<double, 2> rows{};
  double size = 0;  // squared shares of the two classes
};

std::vector<Group> groups_by_size(Rows rows, std::span<const std::uint8_t> labels,
                                  std::span<const std::uint32_t> groups,
                                  const std::array<double, 2>& class_rows, RandomStream random) {
  std::uint32_t largest_id = 0;
  for (const RowIndex row : rows) largest_id = std::max(largest_id, groups[row]);
  std::vector<Group> result(std::size_t{largest_id} + 1);
  for (std::size_t id = 0; id < result.size(); ++id) result[id].id = static_cast<std::uint32_t>(id);
  for (const RowIndex row : rows) result[groups[row]].rows[labels[row]] += 1;
  std::erase_if(result, [](const Group& group) { return group.rows[0] + group.rows[1] == 0; });
  for (Group& group : result) {
    for (std::size_t label = 0; label < 2; ++label) {
      const double share = class_rows[label] > 0 ? group.rows[label] / class_rows[label] : 0;
      group.size += share * share;
    }
  }
  random.shuffle(std::span(result));
  std::ranges::stable_sort(result, std::ranges::greater{}, &Group::size);
  return result;
}

}  // namespace

std::vector<std::size_t> assign_groups(Rows rows, std::span<const std::uint8_t> labels,
                                       std::span<const std::uint32_t> groups,
                                       std::span<const std::array<double, 2>> targets, RandomStream random) {
  JSDIV_ASSERT(!targets.empty() && !rows.empty());
  std::array<double, 2> class_rows{};
  for (const RowIndex row : rows) class_rows[labels[row]] += 1;

  const std::vector<Group> ordered = groups_by_size(rows, labels, groups, class_rows, random);
  std::vector<std::array<double, 2>> filled(targets.size(), {0, 0});
  std::uint32_t largest_id = 0;
  for (const Group& group : ordered) largest_id = std::max(largest_id, group.id);
  std::vector<std::size_t> part_of_group(std::size_t{largest_id} + 1);

  for (const Group& group : ordered) {
    // By how much the chi-square distance sum((x - t)^2 / t) of the filled rows x from their targets t
    // changes.
    const auto cost = [&](std::size_t part) {
      double sum = 0;
      for (std::size_t label = 0; label < 2; ++label) {
        if (class_rows[label] == 0) continue;
        const double target = targets[part][label];
        sum += group.rows[label] * (2 * (filled[part][label] - target) + group.rows[label]) /
               (class_rows[label] * std::max(target, 0.5));
      }
      return sum;
    };
    std::size_t best = 0;
    for (std::size_t part = 1; part < targets.size(); ++part) {
      if (cost(part) < cost(best)) best = part;
    }
    for (std::size_t label = 0; label < 2; ++label) filled[best][label] += group.rows[label];
    part_of_group[group.id] = best;
  }

  std::vector<std::size_t> part_of_row(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) part_of_row[i] = part_of_group[groups[rows[i]]];
  return part_of_row;
}

}  // namespace jsdiv
