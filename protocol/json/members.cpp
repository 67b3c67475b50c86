#include <convene/protocol/base/same_text.hpp>
#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/json/members.hpp>

namespace convene::protocol {
namespace {

/// As `if_contains`. Where an object has no table of its names, they are
/// compared here, without two calls into the library.
const json::value* find_member(const json::object& from,
                               std::string_view name) noexcept {
  constexpr std::size_t without_table = 18;
  if (from.size() > without_table || name.empty())
    return from.if_contains(name);
  // Names of the same length mostly differ in their last letters.
  const char last = name.back();
  for (const auto& member : from) {
    const auto key = member.key();
    if (key.size() == name.size() && key.back() == last
        && same_bytes(key.data(), name.data(), name.size()))
      return &member.value();
  }
  return nullptr;
}

} // namespace

std::string_view text_of(const json::object& from,
                         std::string_view name) noexcept {
  const auto* member = find_member(from, name);
  if (member == nullptr || !member->is_string())
    return ""; // not a null pointer: Boost.JSON copies from keys that are empty
  const auto& text = member->get_string();
  return {text.data(), text.size()};
}

std::optional<std::int64_t> integer_of(const json::object& from,
                                       std::string_view name) noexcept {
  const auto* member = find_member(from, name);
  if (member == nullptr || !member->is_int64())
    return std::nullopt;
  return member->get_int64();
}

const json::object& object_of(const json::object& from,
                              std::string_view name) noexcept {
  static const json::object none;
  const auto* member = find_member(from, name);
  return member != nullptr && member->is_object() ? member->get_object() : none;
}

std::vector<std::string_view> texts_of(const json::object& from,
                                       std::string_view name) {
  std::vector<std::string_view> texts;
  const auto* member = find_member(from, name);
  if (member == nullptr || !member->is_array())
    return texts;
  for (const auto& each : member->get_array())
    if (each.is_string())
      texts.emplace_back(each.get_string().data(), each.get_string().size());
  return texts;
}

std::optional<uuid> uuid_of(const json::object& from,
                            std::string_view name) noexcept {
  const auto text = text_of(from, name);
  return is_uuid_v4(text) ? parse_uuid(text) : std::nullopt;
}

std::string quote(std::string_view text) {
  constexpr std::size_t most = 60;
  const bool cut = text.size() > most;
  text = cut_utf8(text, most);
  std::string quoted = "\"";
  for (auto c : text)
    quoted += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  return quoted + (cut ? "...\"" : "\"");
}

} // namespace convene::protocol
