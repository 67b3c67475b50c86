#pragma once

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// The rules of OTLP's JSON, as strictly as one session's trace can be judged.

namespace convene::test {

class otlp_rules {
public:
  using object = protocol::json::object;
  using value = protocol::json::value;

  /// What is wrong with the body of a POST to /v1/traces; empty: nothing.
  static std::vector<std::string> broken(const value& request) {
    otlp_rules all;
    all.check_request(request);
    return all.found_;
  }

  /// The spans of a request that keeps the rules.
  static const protocol::json::array& spans(const value& request) {
    return request.at("resourceSpans")
      .at(0)
      .at("scopeSpans")
      .at(0)
      .at("spans")
      .as_array();
  }

  /// An attribute's value as text; empty: there is none.
  static std::string attribute(const value& of, std::string_view key) {
    for (const auto& each : of.at("attributes").as_array())
      if (each.at("key").as_string() == key) {
        const auto& [kind, is] = *each.at("value").as_object().begin();
        return kind == "arrayValue" || !is.is_string()
                 ? protocol::json::serialize(is)
                 : std::string{is.as_string()};
      }
    return {};
  }

private:
  void expect(bool holds, const std::string& what) {
    if (!holds && found_.size() < 20)
      found_.push_back(what);
  }

  /// An object with these members, the first `required` of them at least.
  const object& members(const value& of, const std::string& what,
                        std::size_t required,
                        std::initializer_list<std::string_view> names) {
    static const object none;
    expect(of.is_object(), what + " is no object");
    if (!of.is_object())
      return none;
    const auto& is = of.get_object();
    for (const auto* name = names.begin(); name != names.begin() + required;
         ++name)
      expect(is.contains(*name), what + " lacks " + std::string{*name});
    for (const auto& [name, member] : is)
      expect(std::ranges::find(names, std::string_view{name}) != names.end(),
             what + " has " + std::string{name});
    return is;
  }

  const protocol::json::array& list(const object& of, std::string_view name) {
    static const protocol::json::array none;
    const auto* is = of.if_contains(name);
    if (is == nullptr)
      return none;
    expect(is->is_array(), std::string{name} + " is no array");
    return is->is_array() ? is->get_array() : none;
  }

  std::string hex(const object& of, std::string_view name, std::size_t digits) {
    const auto text = std::string{protocol::text_of(of, name)};
    expect(text.size() == digits
             && text.find_first_not_of("0123456789abcdef") == text.npos
             && text.find_first_not_of('0') != text.npos,
           std::string{name} + " is " + text);
    return text;
  }

  static bool is_decimal(std::string_view text, bool is_signed) {
    if (is_signed && text.starts_with('-'))
      text.remove_prefix(1);
    return !text.empty() && text.size() <= 20
           && text.find_first_not_of("0123456789") == text.npos
           && (text == "0" || text[0] != '0');
  }

  /// Padded, so that times compare as texts.
  std::string time(const object& of, std::string_view name) {
    const auto text = std::string{protocol::text_of(of, name)};
    expect(is_decimal(text, false)
             && (text.size() < 20 || text <= "18446744073709551615"),
           std::string{name} + " is " + text);
    return std::string(20 - std::min<std::size_t>(text.size(), 20), '0') + text;
  }

  void number(const object& of, std::string_view name, std::int64_t most) {
    const auto is = protocol::integer_of(of, name);
    expect(is && *is >= 0 && *is <= most, std::string{name} + " is no number");
  }

  void check_value(const value& of, bool in_array) {
    const auto& is = members(of, "a value", 0,
                             {"stringValue", "intValue", "boolValue",
                              "doubleValue", "arrayValue"});
    expect(is.size() == 1, "a value has not one member");
    if (is.size() != 1)
      return;
    const auto& [kind, what] = *is.begin();
    if (kind == "arrayValue") {
      expect(!in_array, "an array in an array");
      for (const auto& each :
           list(members(what, "arrayValue", 1, {"values"}), "values"))
        check_value(each, true);
    } else if (kind == "intValue") {
      expect(what.is_string() && is_decimal(what.get_string(), true),
             "intValue is no decimal text");
    } else {
      expect(kind == "boolValue"     ? what.is_bool()
             : kind == "doubleValue" ? what.is_double()
                                     : what.is_string(),
             std::string{kind} + " is of another type");
    }
  }

  void check_attributes(const object& of) {
    std::set<std::string> keys;
    for (const auto& each : list(of, "attributes")) {
      const auto& one = members(each, "an attribute", 2, {"key", "value"});
      const auto key = std::string{protocol::text_of(one, "key")};
      expect(!key.empty() && keys.insert(key).second, "twice: " + key);
      if (const auto* is = one.if_contains("value"))
        check_value(*is, false);
    }
  }

  void check_span(const value& of) {
    const auto& is = members(
      of, "a span", 8,
      {"traceId", "spanId", "name", "kind", "startTimeUnixNano",
       "endTimeUnixNano", "attributes", "status", "parentSpanId", "events",
       "droppedEventsCount", "links", "flags", "traceState"});
    // W3C's eight bits, and whether the parent is known to be elsewhere.
    constexpr std::int64_t is_remote = 0x200;
    if (is.contains("flags"))
      number(is, "flags", 0x3ff);
    const bool has_caller
      = (protocol::integer_of(is, "flags").value_or(0) & is_remote) != 0;
    expect(has_caller == (ids_.empty() && is.contains("parentSpanId")),
           "a parent elsewhere that is not of the root");
    const auto trace = hex(is, "traceId", 32);
    if (trace_.empty())
      trace_ = trace;
    expect(trace == trace_, "another traceId");
    const auto start = time(is, "startTimeUnixNano");
    const auto end = time(is, "endTimeUnixNano");
    expect(start <= end, "ends before it starts");
    if (ids_.empty()) {
      if (has_caller)
        hex(is, "parentSpanId", 16);
      start_ = start;
      end_ = end;
    } else {
      expect(ids_.contains(hex(is, "parentSpanId", 16)), "an unknown parent");
      expect(start >= start_ && end <= end_, "not within the root");
    }
    const auto id = hex(is, "spanId", 16);
    expect(ids_.insert(id).second, "twice: " + id);
    expect(!protocol::text_of(is, "name").empty(), "no name");
    number(is, "kind", 5);
    check_attributes(is);
    for (const auto& each : list(is, "events")) {
      const auto& one = members(each, "an event", 3,
                                {"timeUnixNano", "name", "attributes"});
      const auto at = time(one, "timeUnixNano");
      expect(at >= start && at <= end, "an event outside of its span");
      expect(!protocol::text_of(one, "name").empty(), "an event has no name");
      check_attributes(one);
    }
    for (const auto& each : list(is, "links")) {
      const auto& one = members(each, "a link", 2,
                                {"traceId", "spanId", "attributes"});
      expect(hex(one, "traceId", 32) == trace_, "a link elsewhere");
      expect(ids_.contains(hex(one, "spanId", 16)), "a link to nothing");
      check_attributes(one);
    }
    if (is.contains("droppedEventsCount"))
      number(is, "droppedEventsCount", 4'294'967'295);
    static const value none;
    const auto* found = is.if_contains("status");
    const auto& status = members(found == nullptr ? none : *found, "status", 1,
                                 {"code", "message"});
    number(status, "code", 2);
    expect(status.contains("message")
             == (protocol::integer_of(status, "code") == 2),
           "a message without an error, or an error without a message");
  }

  void check_request(const value& of) {
    const auto& request = members(of, "the request", 1, {"resourceSpans"});
    for (const auto& each : list(request, "resourceSpans")) {
      const auto& one = members(each, "resourceSpans", 2,
                                {"resource", "scopeSpans"});
      for (const auto& scoped : list(one, "scopeSpans")) {
        const auto& all = members(scoped, "scopeSpans", 2, {"scope", "spans"});
        for (const auto& span : list(all, "spans"))
          check_span(span);
      }
      if (one.contains("resource"))
        check_attributes(
          members(one.at("resource"), "resource", 1, {"attributes"}));
    }
    expect(!ids_.empty(), "no span");
  }

  std::vector<std::string> found_;
  std::set<std::string> ids_;
  std::string trace_;
  std::string start_;
  std::string end_;
};

} // namespace convene::test
