#include <boost/json/serialize.hpp>
#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/pointer.hpp>
#include <convene/runtime/data/scenario/refuse_at.hpp>
#include <convene/runtime/data/scenario/variables.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::host {
namespace {

using namespace convene::protocol;

constexpr std::string_view opening = "${";

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_name(std::string_view text) {
  return !text.empty() && is_letter(text.front())
         && std::ranges::all_of(text, [](char c) {
              return is_letter(c) || (c >= '0' && c <= '9');
            });
}

/// The name of the reference that the text begins with; empty: none.
std::string_view name_at(std::string_view text) {
  if (!text.starts_with(opening))
    return {};
  text.remove_prefix(opening.size());
  const auto end = text.find('}');
  const auto name = text.substr(0, end);
  return end != text.npos && is_name(name) ? name : std::string_view{};
}

std::size_t length_of(std::string_view name) {
  return name.size() + 3; // ${}
}

std::string text_of_value(const json::value& value) {
  return value.is_string() ? std::string{value.get_string()}
                           : json::serialize(value);
}

result<void> check_variables(const json::value& given) {
  if (!given.is_object())
    return refuse_at("/variables", "must be an object", "variables");
  if (given.get_object().size() > variables_max)
    return refuse_at("/variables", "has more than 1000 variables",
                     "variables_max");
  for (const auto& [name, value] : given.get_object()) {
    std::string pointer = "/variables";
    append_to_pointer(pointer, name);
    if (!is_name(name))
      return refuse_at(
        std::move(pointer),
        "a name has letters, digits and underscores, and does not "
        "begin with a digit",
        "variables");
    if (!value.is_string() && !value.is_number() && !value.is_bool())
      return refuse_at(std::move(pointer),
                       "must be a string, a number, true or false",
                       "variables");
    if (value.is_string() && value.get_string().size() > variable_bytes_max)
      return refuse_at(std::move(pointer), "is longer than 64 KiB",
                       "variable_bytes_max");
  }
  return {};
}

class replacer {
public:
  explicit replacer(const json::object& variables) : variables_{variables} {
    for (const auto& each : variables)
      names_.emplace_back(each.key());
  }

  result<void> replace(json::value& at, std::string& pointer) {
    const auto length = pointer.size();
    if (auto* object = at.if_object()) {
      for (auto& each : *object) {
        append_to_pointer(pointer, each.key());
        if (auto done = replace(each.value(), pointer); !done)
          return done;
        pointer.resize(length);
      }
    } else if (auto* array = at.if_array()) {
      for (std::size_t i = 0; i < array->size(); ++i) {
        append_to_pointer(pointer, std::to_string(i));
        if (auto done = replace((*array)[i], pointer); !done)
          return done;
        pointer.resize(length);
      }
    } else if (at.is_string()) {
      return replace_text(at, pointer);
    }
    return {};
  }

private:
  result<void> replace_text(json::value& at, const std::string& pointer) {
    const std::string text{at.get_string()};
    if (text.find(opening) == text.npos)
      return {};
    if (const auto name = name_at(text);
        !name.empty() && length_of(name) == text.size()) {
      const auto* value = find(name);
      if (value == nullptr)
        return unknown(name, pointer);
      at = *value;
      return count(text_of_value(*value).size(), pointer);
    }
    std::string made;
    for (std::string_view rest = text; !rest.empty();) {
      if (rest.starts_with("$${")) {
        made += opening;
        rest.remove_prefix(3);
      } else if (const auto name = name_at(rest); name.empty()) {
        made += rest.front();
        rest.remove_prefix(1);
      } else {
        const auto* value = find(name);
        if (value == nullptr)
          return unknown(name, pointer);
        const auto put = text_of_value(*value);
        if (auto fits = count(put.size(), pointer); !fits)
          return fits;
        made += put;
        rest.remove_prefix(length_of(name));
      }
    }
    at = made;
    return {};
  }

  const json::value* find(std::string_view name) const {
    return variables_.if_contains(name);
  }

  result<void> unknown(std::string_view name,
                       const std::string& pointer) const {
    return refuse_at(
      pointer,
      "unknown variable \"" + std::string{name} + '"' + suggest(name, names_)
        + ": add it to \"variables\", give it with --set variables."
        + std::string{name} + "=VALUE, or write $${" + std::string{name}
        + "} for the text itself",
      "variable_unknown");
  }

  result<void> count(std::size_t bytes, const std::string& pointer) {
    bytes_ += bytes;
    return bytes_ <= replaced_bytes_max
             ? result<void>{}
             : refuse_at(pointer, "variables replace more than 16 MiB of text",
                         "replaced_bytes_max");
  }

  const json::object& variables_;
  std::vector<std::string_view> names_;
  std::size_t bytes_ = 0;
};

/// Without variables, a reference in a text may be anything, but in these
/// settings it is a mistake.
result<void> check_settings(const json::object& scenario) {
  constexpr std::array settings{"model", "base_url", "url"};
  for (const auto& each : object_of(scenario, "behaviours")) {
    if (!each.value().is_object())
      continue;
    for (const auto* setting : settings) {
      const auto text = text_of(each.value().get_object(), setting);
      const auto at = text.find(opening);
      const auto name = at == text.npos ? std::string_view{}
                                        : name_at(text.substr(at));
      if (name.empty())
        continue;
      std::string pointer = "/behaviours";
      append_to_pointer(pointer, each.key());
      append_to_pointer(pointer, setting);
      return refuse_at(std::move(pointer),
                       "refers to the variable \"" + std::string{name}
                         + "\", and the scenario has no \"variables\": add it "
                           "there, or give --set variables."
                         + std::string{name} + "=VALUE",
                       "variable_unknown");
    }
  }
  return {};
}

} // namespace

result<void> replace_variables(json::object& scenario) {
  const auto* given = scenario.if_contains("variables");
  if (given == nullptr)
    return check_settings(scenario);
  if (auto fit = check_variables(*given); !fit)
    return fit;
  const auto variables = given->get_object();
  scenario.stable_erase("variables");
  replacer by{variables};
  for (auto& each : scenario) {
    std::string pointer;
    append_to_pointer(pointer, each.key());
    if (auto done = by.replace(each.value(), pointer); !done)
      return done;
  }
  return {};
}

} // namespace convene::host
