#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_bytes.hpp>

#include <cstdint>
#include <string_view>

namespace convene::protocol {
namespace {

namespace json = boost::json;

std::size_t digits_of(std::uint64_t number) {
  std::size_t count = 1;
  for (; number >= 10; number /= 10)
    ++count;
  return count;
}

/// With its quotes; what JSON has a letter for takes two bytes, other control
/// characters six.
std::size_t text_bytes(std::string_view text) {
  auto count = text.size() + 2;
  for (const char c : text)
    if (c == '"' || c == '\\')
      count += 1;
    else if (static_cast<unsigned char>(c) < 0x20)
      count += c == '\b' || c == '\t' || c == '\n' || c == '\f' || c == '\r'
                 ? 1
                 : 5;
  return count;
}

/// The brackets and the commas of so many items.
std::size_t frame_of(std::size_t items) {
  return items == 0 ? 2 : items + 1;
}

} // namespace

std::size_t json_bytes(const json::value& what) { // NOLINT(misc-no-recursion)
  switch (what.kind()) {
    case json::kind::null:
      return 4;
    case json::kind::bool_:
      return what.get_bool() ? 4 : 5;
    case json::kind::int64: {
      const auto number = what.get_int64();
      return number < 0 ? 1 + digits_of(0 - static_cast<std::uint64_t>(number))
                        : digits_of(static_cast<std::uint64_t>(number));
    }
    case json::kind::uint64:
      return digits_of(what.get_uint64());
    case json::kind::double_:
      return json::serialize(what).size();
    case json::kind::string:
      return text_bytes(what.get_string());
    case json::kind::array: {
      auto count = frame_of(what.get_array().size());
      for (const auto& each : what.get_array())
        count += json_bytes(each);
      return count;
    }
    case json::kind::object: {
      auto count = frame_of(what.get_object().size());
      for (const auto& [name, value] : what.get_object())
        count += text_bytes(name) + 1 + json_bytes(value);
      return count;
    }
  }
  return 0;
}

} // namespace convene::protocol
