#include <convene/protocol/compare/compare.hpp>
#include <convene/protocol/invariants/path.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/same_value.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace convene::protocol {
namespace {

constexpr std::array<std::string_view, 19> ignored{"context_id",
                                                   "plan_id",
                                                   "confirm_id",
                                                   "trace_id",
                                                   "step_id",
                                                   "span_id",
                                                   "target_id",
                                                   "role_id",
                                                   "meta.created_at",
                                                   "meta.updated_at",
                                                   "requested_at",
                                                   "started_at",
                                                   "finished_at",
                                                   "timestamp",
                                                   "root_span.trace_id",
                                                   "root_span.span_id",
                                                   "root_span.context_id",
                                                   "run_id",
                                                   "correlation_id"};

std::string_view name_of(json::kind kind) {
  switch (kind) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return "a boolean";
    case json::kind::string:
      return "a text";
    case json::kind::array:
      return "an array";
    case json::kind::object:
      return "an object";
    default:
      return "a number";
  }
}

class walk {
public:
  comparison found;

  // No deeper than JSON text may be, which the parser bounds.
  // NOLINTNEXTLINE(misc-no-recursion)
  void compare(const json::value& expected, const json::value& actual,
               const place& at) {
    if (expected.is_object() && actual.is_object())
      return compare_members(expected.get_object(), actual.get_object(), at);
    if (expected.is_array() && actual.is_array())
      return compare_items(expected.get_array(), actual.get_array(), at);
    if (same_value(expected, actual))
      return;
    const bool same_kind = name_of(expected.kind()) == name_of(actual.kind());
    const auto wanted = shorten_value(expected);
    const auto is = shorten_value(actual);
    report(at, wanted, is,
           same_kind ? "expected " + wanted + ", found " + is
                     : "expected " + std::string{name_of(expected.kind())}
                         + ", found " + std::string{name_of(actual.kind())});
  }

private:
  // NOLINTNEXTLINE(misc-no-recursion)
  void compare_members(const json::object& expected, const json::object& actual,
                       const place& at) {
    for (const auto& member : expected) {
      const std::string_view name{member.key()};
      if (is_ignored(at, name) || (at.parent == nullptr && name == "$comment"))
        continue;
      const place here{&at, name, {}};
      if (const auto* other = actual.if_contains(name))
        compare(member.value(), *other, here);
      else
        report(here, shorten_value(member.value()), "", "is missing");
    }
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  void compare_items(const json::array& expected, const json::array& actual,
                     const place& at) {
    if (expected.size() != actual.size()) {
      const auto count = [](const json::array& list) {
        return std::to_string(list.size());
      };
      return report(
        at, count(expected) + " elements", count(actual) + " elements",
        "expected " + count(expected) + " elements, found " + count(actual));
    }
    for (std::size_t i = 0; i < expected.size(); ++i)
      compare(expected[i], actual[i], {&at, {}, i});
  }

  /// Two names of one part each decide; no path needs to be built.
  static bool is_ignored(const place& parent, std::string_view name) {
    return std::ranges::any_of(ignored, [&](std::string_view path) {
      const auto dot = path.find('.');
      if (dot == std::string_view::npos)
        return path == name;
      return parent.name == path.substr(0, dot) && name == path.substr(dot + 1);
    });
  }

  void report(const place& at, std::string expected, std::string actual,
              std::string message) {
    if (++found.total <= differences_kept)
      found.differences.push_back({.path = to_path(at),
                                   .pointer = to_pointer(at),
                                   .expected = std::move(expected),
                                   .actual = std::move(actual),
                                   .message = std::move(message)});
  }
};

} // namespace

std::span<const std::string_view> ignored_members() noexcept {
  return ignored;
}

comparison compare_documents(const json::value& expected,
                             const json::value& actual) {
  walk both;
  both.compare(expected, actual, {});
  return std::move(both.found);
}

} // namespace convene::protocol
