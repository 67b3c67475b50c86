#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <string_view>

namespace convene::c_api {

/// Reads a value of a described type. Errors name the pointer.
template <class T>
protocol::result<T> read_as(const protocol::json::value& from) {
  protocol::reading r;
  T made;
  if (!protocol::read(r, from, protocol::place{}, protocol::anything, made))
    return protocol::fail(*std::move(r.fault));
  return made;
}

/// The same from text.
template <class T>
protocol::result<T> read_text_as(std::string_view text) {
  return protocol::parse_json(text).and_then(
    [](const protocol::json::value& from) { return read_as<T>(from); });
}

} // namespace convene::c_api
