#include <convene/session/workspace/size.hpp>

#include <algorithm>

namespace convene::session {
namespace {

constexpr std::size_t number_bytes = 8;
constexpr std::size_t punctuation = 4;

void add(const json::value& what, std::size_t depth, value_size& to) {
  to.depth = std::max(to.depth, depth);
  if (!to.fits())
    return;
  if (const auto* text = what.if_string()) {
    to.bytes += text->size() + punctuation;
  } else if (const auto* array = what.if_array()) {
    to.bytes += punctuation;
    for (const auto& element : *array) {
      add(element, depth + 1, to);
      if (!to.fits())
        return;
    }
  } else if (const auto* object = what.if_object()) {
    to.bytes += punctuation;
    for (const auto& [name, member] : *object) {
      to.bytes += name.size() + punctuation;
      add(member, depth + 1, to);
      if (!to.fits())
        return;
    }
  } else {
    to.bytes += number_bytes;
  }
}

} // namespace

value_size measure(const json::value& what) {
  value_size size;
  add(what, 1, size);
  return size;
}

protocol::result<void> check_fits(const value_size& size) {
  if (size.depth > value_depth_max)
    return protocol::fail(protocol::errc::limit_reached,
                          "the value would nest deeper than "
                            + std::to_string(value_depth_max),
                          "value_depth_max");
  if (size.bytes > value_bytes_max)
    return protocol::fail(protocol::errc::limit_reached,
                          "the value would be larger than "
                            + std::to_string(value_bytes_max) + " bytes",
                          "value_bytes_max");
  return {};
}

} // namespace convene::session
