#include "python_family.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "core/numeric.hpp"
#include "core/stop.hpp"
#include "jsdiv/error.hpp"
#include "text.hpp"

namespace nb = nanobind;

namespace jsdiv::python {
namespace {

/// Guarded by the GIL.
nb::object& first_failure() {
  static nb::object* failure = new nb::object(nb::none());  // outlives the interpreter's end
  return *failure;
}

/// A Python object that any thread may let go of.
class Shared {
 public:
  explicit Shared(nb::object object) : object_(std::move(object)) {}
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  ~Shared() {
    if (Py_IsInitialized() == 0) {
      object_.release();
      return;
    }
    const nb::gil_scoped_acquire acquired;
    object_.reset();
  }
  const nb::object& operator*() const { return object_; }

 private:
  nb::object object_;
};

/// The given rows as Python classifiers expect them: float64 in C order.
std::vector<double> gathered(MatrixView features, Rows rows) {
  std::vector<double> values(rows.size() * features.cols);
  for (std::size_t j = 0; j < features.cols; ++j) {
    const auto column = features.column(j);
    for (std::size_t i = 0; i < rows.size(); ++i)
      values[i * features.cols + j] = static_cast<double>(column[rows[i]]);
  }
  return values;
}

/// Calls Python with the GIL held; an exception there is kept and becomes one of ours.
template <typename Call>
void call_python(const std::string& name, const char* doing, const Call& call) {
  throw_if_interrupted();
  const nb::gil_scoped_acquire acquired;
  try {
    call();
  } catch (nb::python_error& error) {
    if (first_failure().is_none()) first_failure() = nb::borrow(error.value());
    const std::string type = nb::cast<std::string>(error.type().attr("__name__"));
    throw InvalidInput("the family '" + name + "' failed " + doing + ": " + type + ": " +
                       text_of(error.value()));
  }
}

class PythonModel final : public Model {
 public:
  PythonModel(std::string name, nb::object fitted, double prior_log_odds, Config config)
      : name_(std::move(name)),
        fitted_(std::move(fitted)),
        prior_log_odds_(prior_log_odds),
        config_(std::move(config)) {}

  void log_odds(MatrixView features, Rows rows, std::span<double> out) const override {
    if (rows.empty()) return;
    std::vector<double> values = gathered(features, rows);
    call_python(name_, "to predict", [&] {
      const nb::object x = matrix_of(std::move(values), rows.size(), features.cols);
      const auto posteriors = nb::cast<nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>>(
          (*fitted_).attr("predict")(x));
      std::transform(posteriors.data(), posteriors.data() + rows.size(), out.begin(), bounded_logit);
    });
  }

  double prior_log_odds() const override { return prior_log_odds_; }
  const Config& config() const override { return config_; }

 private:
  std::string name_;
  Shared fitted_;
  double prior_log_odds_;
  Config config_;
};

class PythonTrainer final : public Trainer {
 public:
  PythonTrainer(const Problem& problem, std::string name, const Shared& adapter)
      : Trainer(problem), name_(std::move(name)), adapter_(adapter) {}

  std::unique_ptr<Model> fit(Rows rows, const Config& config, const Fit& fit) const override {
    jsdiv::prior_log_odds(problem(), rows);  // throws if a class has no row
    std::vector<double> values = gathered(problem().features, rows);
    std::vector<std::int64_t> labels;
    std::vector<double> weights;
    for (const RowIndex row : rows) labels.push_back(problem().labels[row]);
    if (!problem().weights.empty()) {
      for (const RowIndex row : rows) weights.push_back(problem().weights[row]);
    }
    const std::uint32_t seed = RandomStream(fit.random).next_u32();
    std::unique_ptr<Model> model;
    call_python(name_, "to fit", [&] {
      const nb::object x = matrix_of(std::move(values), rows.size(), problem().features.cols);
      const nb::object w = weights.empty() ? nb::none() : array_of(std::move(weights));
      const nb::object fitted = (*adapter_).attr("fit")(x, array_of(std::move(labels)), w, seed);
      const double prior = nb::cast<double>(fitted.attr("prior_log_odds"));
      model = std::make_unique<PythonModel>(name_, fitted, prior, config);
    });
    return model;
  }

 private:
  std::string name_;
  const Shared& adapter_;
};

class PythonFamily final : public Family {
 public:
  explicit PythonFamily(nb::object adapter)
      : name_(nb::cast<std::string>(adapter.attr("name"))),
        description_(nb::cast<std::string>(adapter.attr("description"))),
        adapter_(std::move(adapter)) {}

  std::string_view name() const override { return name_; }
  SearchSpace search_space(const SpaceContext&) const override { return {}; }
  Config defaults(const SpaceContext&) const override {
    Config config;
    config.set("classifier", description_);
    return config;
  }
  bool stochastic() const override { return true; }
  bool needs_calibration() const override { return true; }
  bool calibrates_on_log_odds() const override { return false; }
  std::unique_ptr<Trainer> prepare(const Problem& problem) const override {
    return std::make_unique<PythonTrainer>(problem, name_, adapter_);
  }

 private:
  std::string name_;
  std::string description_;
  Shared adapter_;
};

}  // namespace

std::shared_ptr<const Family> python_family(nb::object adapter) {
  return std::make_shared<PythonFamily>(std::move(adapter));
}

nb::object take_family_failure() {
  return std::exchange(first_failure(), nb::none());
}

}  // namespace jsdiv::python
