#include <convene/protocol/checks/indexed_members.hpp>

namespace convene::protocol {

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
