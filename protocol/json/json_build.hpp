#pragma once

// simdjson documents as values; for sources in this folder only, since nothing
// else needs simdjson.

#include <convene/protocol/json/json_text.hpp>
#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace convene::protocol {

/// Copies a simdjson document; false if it breaks one of our own rules.
class json_builder {
public:
  explicit json_builder(const json_limits& limits) : limits_{limits} {
    // nop
  }

  bool build(simdjson::dom::element from,
             json::value& to) { // NOLINT(misc-no-recursion)
    using simdjson::dom::element_type;
    switch (from.type()) {
      case element_type::ARRAY:
        return build_array(simdjson::dom::array(from), to.emplace_array());
      case element_type::OBJECT:
        return build_object(simdjson::dom::object(from), to.emplace_object());
      case element_type::STRING: {
        const auto text = std::string_view(from);
        to.emplace_string() = text;
        return text.size() <= limits_.string_bytes;
      }
      case element_type::INT64:
        to = std::int64_t(from);
        return true;
      case element_type::UINT64:
        to = std::uint64_t(from);
        return true;
      case element_type::DOUBLE:
        to = double(from);
        return true;
      case element_type::BOOL:
        to = bool(from);
        return true;
      case element_type::NULL_VALUE:
        to = nullptr;
        return true;
    }
    return false;
  }

private:
  bool build_array(simdjson::dom::array from, json::array& to) {
    if (++depth_ > limits_.depth)
      return false;
    to.reserve(from.size());
    for (auto item : from)
      if (!build(item, to.emplace_back(nullptr)))
        return false;
    --depth_;
    return true;
  }

  bool build_object(simdjson::dom::object from, json::object& to) {
    if (++depth_ > limits_.depth)
      return false;
    to.reserve(from.size());
    for (auto [key, member] : from) {
      if (member.is_string()) {
        // Most members are: they are made in their place.
        const auto text = std::string_view(member);
        if (!to.emplace(key, text).second || key.size() > limits_.string_bytes
            || text.size() > limits_.string_bytes)
          return false;
        continue;
      }
      const auto [at, is_new] = to.emplace(key, nullptr);
      if (!is_new || key.size() > limits_.string_bytes
          || !build(member, at->value()))
        return false;
    }
    --depth_;
    return true;
  }

  const json_limits& limits_;
  std::size_t depth_ = 0;
};

} // namespace convene::protocol
