#include "options.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <concepts>
#include <vector>

#include "core/message.hpp"
#include "protocol/option_fields.hpp"
#include "simulate/scenario_fields.hpp"

namespace nb = nanobind;

namespace jsdiv::python {
namespace {

template <typename T>
concept Enumeration = std::is_enum_v<T>;
template <typename T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;

/// A visitor of fields that passes the group on: visit(group, name, field, help).
template <typename Visitor>
auto in_group(std::string_view group, Visitor& visit) {
  return [&visit, group](std::string_view name, auto& field, std::string_view help) {
    visit(group, name, field, help);
  };
}

template <typename Options, typename Visitor>
void visit_estimate(Options& options, Visitor&& visit) {
  visit_estimate_fields(options, in_group("estimate", visit));
  visit_run_fields(options, in_group("estimate", visit));
  visit_load_fields(options.load, in_group("columns", visit));
  visit_paper_fields(options.paper, in_group("paper", visit));
  visit_family_fields(options.family, in_group("families", visit));
}

template <typename Options, typename Visitor>
void visit_score(Options& options, Visitor&& visit) {
  visit_estimate(options,
                 [&visit](std::string_view group, std::string_view name, auto& field, std::string_view help) {
                   // What belongs to the paper's protocol elsewhere concerns the one model here.
                   if (std::ranges::count(unused_by_score, name) == 0)
                     visit(group == "paper" ? "estimate" : group, name, field, help);
                 });
}

template <typename Arguments, typename Visitor>
void visit_guide(Arguments& arguments, Visitor&& visit) {
  visit_load_fields(arguments.load, in_group("columns", visit));
  visit_family_fields(arguments.family, in_group("families", visit));
  visit_run_fields(arguments, in_group("estimate", visit));
}

template <typename Arguments, typename Visitor>
void visit_marginal(Arguments& arguments, Visitor&& visit) {
  visit_load_fields(arguments.load, in_group("columns", visit));
  visit_run_fields(arguments, in_group("estimate", visit));
}

template <typename Arguments, typename Visitor>
void visit_simulate(Arguments& arguments, Visitor&& visit) {
  visit_simulate_fields(arguments.options, in_group("scenario", visit));
  visit_run_fields(arguments, in_group("estimate", visit));
}

std::string name_of_type(nb::handle value) {
  return nb::cast<std::string>(value.type().attr("__name__"));
}

nb::builtin_exception wrong_type(const std::string& name, const char* expected, nb::handle value) {
  return nb::type_error((name + " must be " + expected + ", not " + name_of_type(value)).c_str());
}

/// Assigns the arguments to fields, and knows which of them no field took.
class FieldSetter {
 public:
  explicit FieldSetter(const nb::dict& arguments) : arguments_(arguments) {}

  template <typename T>
  void operator()(std::string_view group, std::string_view name, T& field, std::string_view) {
    const std::string key = field_name(name);
    names_.push_back(key);
    if (!arguments_.contains(key.c_str())) return;
    const nb::object value = arguments_[key.c_str()];
    ++taken_;
    if (value.is_none()) return;
    assign(key, value, field);
    if (group == "paper") paper_only_.push_back(key);
  }

  void finish(const char* function) const {
    if (taken_ == arguments_.size()) return;
    for (const auto& [key, value] : arguments_) {
      const auto name = nb::cast<std::string>(nb::str(key));
      if (std::ranges::count(names_, name) > 0) continue;
      throw nb::type_error(
          (std::string(function) + "() has no option " + quoted(name) + did_you_mean(name, names_)).c_str());
    }
  }

  void refuse_paper_only() const {
    if (!paper_only_.empty())
      throw InvalidInput(mention(paper_only_[0]) + " needs " + mention("protocol", "paper"),
                         {.option = paper_only_[0]});
  }

 private:
  template <Enumeration Enum>
  static void assign(const std::string& name, nb::handle value, Enum& field) {
    if (!nb::isinstance<nb::str>(value)) throw wrong_type(name, "a string", value);
    const auto text = nb::cast<std::string>(value);
    std::string choices;
    for (const auto& [spelling, candidate] : Spelling<Enum>::values) {
      if (spelling == text) {
        field = candidate;
        return;
      }
      choices += (choices.empty() ? "'" : ", '") + std::string(spelling) + "'";
    }
    throw InvalidInput(mention(name) + " is " + quoted(text) + "; choose from " + choices, {.option = name});
  }

  template <typename T>
  static void assign(const std::string& name, nb::handle value, std::optional<T>& field) {
    T plain{};
    assign(name, value, plain);
    field = plain;
  }

  static void assign(const std::string& name, nb::handle value, std::vector<std::string>& field) {
    field.clear();
    if (nb::isinstance<nb::str>(value)) {
      field.push_back(nb::cast<std::string>(value));
      return;
    }
    if (!nb::isinstance<nb::iterable>(value)) throw wrong_type(name, "a string or a list of strings", value);
    for (const nb::handle item : nb::iter(value)) {
      if (!nb::isinstance<nb::str>(item)) throw wrong_type("every item of " + name, "a string", item);
      field.push_back(nb::cast<std::string>(item));
    }
  }

  static void assign(const std::string& name, nb::handle value, std::string& field) {
    // Names of columns, and paths of any kind.
    if (!nb::isinstance<nb::str>(value) && !nb::hasattr(value, "__fspath__"))
      throw wrong_type(name, "a string", value);
    field = nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(value));
  }

  static void assign(const std::string& name, nb::handle value, bool& field) {
    if (!PyBool_Check(value.ptr())) throw wrong_type(name, "True or False", value);
    field = nb::cast<bool>(value);
  }

  static void assign(const std::string& name, nb::handle value, double& field) {
    if (PyBool_Check(value.ptr()) || nb::isinstance<nb::str>(value))
      throw wrong_type(name, "a number", value);
    field = PyFloat_AsDouble(value.ptr());
    if (PyErr_Occurred() == nullptr) return;
    PyErr_Clear();
    throw wrong_type(name, "a number", value);
  }

  template <Integer T>
  static void assign(const std::string& name, nb::handle value, T& field) {
    if (PyBool_Check(value.ptr()) || PyIndex_Check(value.ptr()) == 0) {
      throw wrong_type(name, "a whole number", value);
    }
    const nb::object whole = nb::steal(PyNumber_Index(value.ptr()));
    if (!nb::try_cast<T>(whole, field)) {
      throw InvalidInput(
          mention(name) + " is " + nb::cast<std::string>(nb::str(whole)) + ", which is out of range",
          {.option = name});
    }
  }

  nb::dict arguments_;
  std::vector<std::string> names_;
  std::vector<std::string> paper_only_;
  std::size_t taken_ = 0;
};

/// Describes each field for signatures, type stubs and documentation.
class FieldDescriber {
 public:
  template <typename T>
  void operator()(std::string_view group, std::string_view name, const T& field, std::string_view help) {
    nb::dict row;
    row["name"] = field_name(name);
    row["group"] = std::string(group);
    row["choices"] = nb::list();
    row["optional"] = false;
    row["help"] = std::string(help);
    describe(row, field);
    rows.append(row);
  }

  nb::list rows;

 private:
  template <Enumeration Enum>
  static void describe(nb::dict& row, Enum value) {
    nb::list choices;
    for (const auto& [spelling, candidate] : Spelling<Enum>::values) choices.append(std::string(spelling));
    row["kind"] = "choice";
    row["choices"] = choices;
    row["default"] = std::string(spell(value));
  }
  template <typename T>
  static void describe(nb::dict& row, const std::optional<T>& value) {
    describe(row, value.value_or(T{}));
    row["optional"] = true;
    if (!value) row["default"] = nb::none();
  }
  static void describe(nb::dict& row, const std::vector<std::string>&) {
    row["kind"] = "texts";
    row["default"] = nb::none();
  }
  static void describe(nb::dict& row, const std::string& value) {
    row["kind"] = "text";
    row["default"] = nb::none();
    if (!value.empty()) row["default"] = value;
  }
  static void describe(nb::dict& row, bool value) {
    row["kind"] = "flag";
    row["default"] = value;
  }
  static void describe(nb::dict& row, double value) {
    row["kind"] = "number";
    row["default"] = value;
  }
  template <Integer T>
  static void describe(nb::dict& row, T value) {
    row["kind"] = "integer";
    row["default"] = value;
  }
};

}  // namespace

EstimateOptions estimate_options(const nb::dict& arguments, bool refuse_paper_only) {
  EstimateOptions options;
  FieldSetter set(arguments);
  visit_estimate(options, set);
  set.finish("estimate");
  if (refuse_paper_only && options.protocol == Protocol::automatic) set.refuse_paper_only();
  return options;
}

EstimateOptions score_options(const nb::dict& arguments) {
  EstimateOptions options;
  FieldSetter set(arguments);
  visit_score(options, set);
  set.finish("score");
  return options;
}

GuideArguments guide_options(const nb::dict& arguments) {
  GuideArguments result;
  FieldSetter set(arguments);
  visit_guide(result, set);
  set.finish("guide");
  return result;
}

MarginalArguments marginal_options(const nb::dict& arguments) {
  MarginalArguments result;
  FieldSetter set(arguments);
  visit_marginal(result, set);
  set.finish("marginal");
  return result;
}

SimulateArguments simulate_options(const nb::dict& arguments) {
  SimulateArguments result;
  FieldSetter set(arguments);
  visit_simulate(result, set);
  set.finish("simulate");
  return result;
}

nb::list option_table(const std::string& function) {
  FieldDescriber describer;
  if (function == "estimate") {
    const EstimateOptions defaults;
    visit_estimate(defaults, describer);
  } else if (function == "score") {
    const EstimateOptions defaults;
    visit_score(defaults, describer);
  } else if (function == "guide") {
    const GuideArguments defaults;
    visit_guide(defaults, describer);
  } else if (function == "marginal") {
    const MarginalArguments defaults;
    visit_marginal(defaults, describer);
  } else if (function == "simulate") {
    const SimulateArguments defaults;
    visit_simulate(defaults, describer);
  } else {
    throw InvalidInput("there is no function " + quoted(function) + " with options");
  }
  return describer.rows;
}

std::string in_python_terms(const Message& message) {
  return message.worded([](const OptionMention& mention) {
    const std::string argument = mention.name + "=";
    if (mention.value.empty() || mention.is_number) return argument + mention.value;
    return argument + nb::cast<std::string>(nb::repr(nb::cast(mention.value)));
  });
}

}  // namespace jsdiv::python
