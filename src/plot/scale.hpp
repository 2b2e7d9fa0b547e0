#pragma once

#include <span>
#include <string>
#include <vector>

namespace jsdiv::plot {

/// Maps values to positions between two pixels, linearly or by the logarithm.
class Scale {
 public:
  /// Covers `low` to `high`, widened to whole steps. A logarithmic scale needs low > 0.
  static Scale linear(double low, double high);
  static Scale logarithmic(double low, double high);
  /// Covers the values; 0 and less are left out of a logarithmic one. `smallest`: where it begins at the
  /// least.
  static Scale covering(std::span<const double> values, bool log, double smallest = 0);

  /// 0 at the lower end, 1 at the upper one; values outside are brought to the ends.
  double position(double value) const;
  struct Tick {
    double value;
    std::string label;
  };
  const std::vector<Tick>& ticks() const { return ticks_; }
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  double low_ = 0;
  double high_ = 1;
  bool log_ = false;
  std::vector<Tick> ticks_;
};

}  // namespace jsdiv::plot
