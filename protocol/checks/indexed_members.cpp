#include <convene/protocol/checks/indexed_members.hpp>

#include <cstring>

namespace convene::protocol {

const json::value* indexed_members::look(std::uint8_t place,
                                         std::string_view name) const noexcept {
  if (place == crowded)
    return of_.if_contains(name);
  const auto& member = *(of_.begin() + (place - 1));
  const auto key = member.key();
  return key.size() == name.size()
             && std::memcmp(key.data(), name.data(), name.size()) == 0
           ? &member.value()
           : nullptr;
}

std::string_view text_in(const json::value* member) noexcept {
  if (member == nullptr || !member->is_string())
    return ""; // as text_of
  const auto& text = member->get_string();
  return {text.data(), text.size()};
}

std::optional<std::int64_t> integer_in(const json::value* member) noexcept {
  if (member == nullptr || !member->is_int64())
    return std::nullopt;
  return member->get_int64();
}

const json::object& object_in(const json::value* member) noexcept {
  static const json::object none;
  return member != nullptr && member->is_object() ? member->get_object() : none;
}

const json::array& array_in(const json::value* member) noexcept {
  static const json::array none;
  return member != nullptr && member->is_array() ? member->get_array() : none;
}

std::vector<std::string_view> texts_in(const json::value* member) {
  std::vector<std::string_view> texts;
  for (const auto& each : array_in(member))
    if (each.is_string())
      texts.emplace_back(each.get_string().data(), each.get_string().size());
  return texts;
}

std::optional<uuid> uuid_in(const json::value* member) noexcept {
  const auto text = text_in(member);
  return is_uuid_v4(text) ? parse_uuid(text) : std::nullopt;
}

} // namespace convene::protocol
