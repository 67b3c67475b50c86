// From a scenario's `end` to what can be evaluated.

#include <boost/json/array.hpp>
#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/text/written_pattern.hpp>
#include <convene/session/ending/ending.hpp>

#include <array>
#include <utility>

namespace convene::session {

using namespace protocol;

class ending_reader {
public:
  result<ending> read(const end_condition& from, std::string pointer) {
    if (auto root = add(from, pointer, 0); !root)
      return fail(std::move(root.error()));
    return std::move(made_);
  }

private:
  using kind = ending::kind;
  using node = ending::node;

  static constexpr std::array<std::string_view, 17> names{
    "all",         "any",     "not",           "turns",    "rounds",
    "duration_ms", "idle_ms", "text",          "votes",    "plan",
    "resource",    "tokens",  "cost_microusd", "failures", "no_progress",
    "stopped",     "custom"};

  static tl::unexpected<error>
  wrong(std::string message, const std::string& pointer, std::string rule,
        const json::value& found) {
    return fail({.code = errc::invalid_document,
                 .message = std::move(message),
                 .pointer = pointer,
                 .rule = std::move(rule),
                 .value = shorten_value(found)});
  }

  static tl::unexpected<error> too_much(std::string rule, std::size_t limit,
                                        const std::string& pointer) {
    return fail({.code = errc::limit_reached,
                 .message = "the session's end has too many conditions or too "
                            "many within each other",
                 .pointer = pointer,
                 .rule = std::move(rule),
                 .value = std::to_string(limit)});
  }

  result<std::size_t> add(const json::object& from, const std::string& pointer,
                          std::size_t depth) {
    if (depth > condition_depth_max)
      return too_much("condition_depth_max", condition_depth_max, pointer);
    if (made_.nodes_.size() >= conditions_max)
      return too_much("conditions_max", conditions_max, pointer);
    const auto at = made_.nodes_.size();
    made_.nodes_.emplace_back();
    node what;
    const json::value* value = nullptr;
    std::string place = pointer;
    for (const auto& [name, given] : from) {
      // `role` says more of a text; every other member is the condition.
      if (name == "role" && from.contains("text")) {
        if (!given.is_string() || given.get_string().empty())
          return wrong("write a role's id or name here", pointer + "/role",
                       "type", given);
        what.role = given.get_string();
        continue;
      }
      const auto known = std::ranges::find(names, std::string_view{name});
      auto here = pointer;
      append_to_pointer(here, name);
      if (known == names.end())
        return wrong("there is no such condition" + suggest(name, names), here,
                     "unknown_condition", given);
      if (value != nullptr)
        return wrong("a condition has one kind; put several into all or any",
                     here, "one_condition", given);
      what.kind = static_cast<kind>(known - names.begin());
      value = &given;
      place = std::move(here);
    }
    if (value == nullptr)
      return wrong("write a condition here, such as {\"turns\": 5}", pointer,
                   "required", json::value(from));
    if (auto fine = fill(what, *value, place, depth); !fine)
      return fail(std::move(fine.error()));
    made_.nodes_[at] = std::move(what);
    return at;
  }

  result<void> fill(node& what, const json::value& from,
                    const std::string& place, std::size_t depth) {
    switch (what.kind) {
      case kind::all:
      case kind::any:
        return fill_parts(what, from, place, depth);
      case kind::none:
        return fill_part(what, from, place, depth);
      case kind::text:
        return fill_text(what, from, place);
      case kind::resource:
        return fill_resource(what, from, place);
      case kind::votes:
        return fill_votes(what, from, place);
      case kind::plan:
        if (from.is_string() && from.get_string() == "complete")
          return {};
        return wrong("write \"complete\" here", place, "enum", from);
      case kind::stopped:
        made_.knows_stop_ = true;
        if (from.is_bool() && from.get_bool())
          return {};
        return wrong("write true here", place, "enum", from);
      case kind::rounds:
        return fill_rounds(what, from, place);
      case kind::custom:
        if (!from.is_string() || from.get_string().empty())
          return wrong("write the name of a condition of the application here",
                       place, "type", from);
        what.name = from.get_string();
        return {};
      case kind::duration_ms:
      case kind::idle_ms:
        return fill_limit(what, from, place, duration_ms_max);
      default:
        return fill_limit(what, from, place, count_max);
    }
  }

  result<void> fill_parts(node& what, const json::value& from,
                          const std::string& place, std::size_t depth) {
    const auto* parts = from.if_array();
    if (parts == nullptr || parts->empty())
      return wrong("write an array of conditions here", place,
                   parts == nullptr ? "type" : "minItems", from);
    for (std::size_t i = 0; i < parts->size(); ++i)
      if (auto fine = fill_part(what, (*parts)[i],
                                place + '/' + std::to_string(i), depth);
          !fine)
        return fine;
    return {};
  }

  result<void> fill_part(node& what, const json::value& from,
                         const std::string& place, std::size_t depth) {
    const auto* part = from.if_object();
    if (part == nullptr)
      return wrong("write a condition here, an object", place, "type", from);
    auto at = add(*part, place, depth + 1);
    if (!at)
      return fail(std::move(at.error()));
    what.parts.push_back(*at);
    return {};
  }

  static result<void> fill_limit(node& what, const json::value& from,
                                 const std::string& place, std::int64_t most) {
    const auto number = from.is_int64()    ? from.get_int64()
                        : from.is_uint64() ? std::int64_t{-1}
                                           : std::int64_t{0};
    if (number < 1 || number > most)
      return wrong(
        "write a whole number from 1 to " + std::to_string(most) + " here",
        place, number == 0 && !from.is_int64() ? "type" : "minimum", from);
    what.limit = number;
    return {};
  }

  /// So many rounds or, as a limit below 0, what their number is a multiple of.
  static result<void> fill_rounds(node& what, const json::value& from,
                                  const std::string& place) {
    const auto* object = from.if_object();
    if (object == nullptr)
      return fill_limit(what, from, place, count_max);
    const auto* multiple = object->if_contains("multiple_of");
    if (multiple == nullptr || object->size() != 1)
      return wrong("write a number of rounds here, or an object with "
                   "multiple_of alone",
                   place, "required", from);
    auto filled = fill_limit(what, *multiple, place + "/multiple_of",
                             count_max);
    what.limit = -what.limit;
    return filled;
  }

  static result<void> fill_text(node& what, const json::value& from,
                                const std::string& place) {
    const auto* source = from.if_string();
    if (source == nullptr || source->empty())
      return wrong("write a pattern here", place, "type", from);
    auto made
      = validation::make_written_pattern({source->data(), source->size()});
    if (!made) {
      made.error().pointer = place;
      return fail(std::move(made.error()));
    }
    what.pattern = std::make_shared<validation::pattern>(*std::move(made));
    return {};
  }

  static result<void> fill_resource(node& what, const json::value& from,
                                    const std::string& place) {
    const auto* object = from.if_object();
    if (object == nullptr)
      return wrong("write an object with resource_type, resource_id and equals "
                   "or matches here",
                   place, "type", from);
    bool compares = false;
    for (const auto& [name, value] : *object) {
      auto here = place;
      append_to_pointer(here, name);
      if (name == "resource_type" || name == "resource_id") {
        if (!value.is_string() || value.get_string().empty())
          return wrong("write a text here that is not empty", here, "type",
                       value);
        (name == "resource_type" ? what.resource.type : what.resource.id)
          = value.get_string();
      } else if ((name == "equals" || name == "matches") && compares) {
        return wrong("write equals or matches, not both", here, "one_condition",
                     value);
      } else if (name == "equals") {
        compares = true;
        what.value = value;
      } else if (name == "matches") {
        compares = true;
        if (auto fine = fill_text(what, value, here); !fine)
          return fine;
      } else {
        return wrong("a resource has no such member", here,
                     "additionalProperties", value);
      }
    }
    if (what.resource.type.empty() || what.resource.id.empty() || !compares)
      return wrong("name resource_type, resource_id and equals or matches",
                   place, "required", from);
    return {};
  }

  static result<void> fill_votes(node& what, const json::value& from,
                                 const std::string& place) {
    if (from.is_string() && from.get_string() == "all")
      what.share = 1;
    else if (from.is_string() && from.get_string() == "majority")
      what.share = 0;
    else if (from.is_number() && from.to_number<double>() > 0
             && from.to_number<double>() <= 1)
      what.share = from.to_number<double>();
    else
      return wrong("write \"all\", \"majority\" or a share above 0 and up to 1 "
                   "here",
                   place, "enum", from);
    return {};
  }

  static constexpr std::int64_t count_max = 1'000'000'000'000;

  ending made_;
};

result<ending> make_ending(const end_condition& from,
                           std::string_view pointer) {
  return ending_reader{}.read(from, std::string{pointer});
}

} // namespace convene::session
