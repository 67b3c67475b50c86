#include <convene/protocol/documents/protocol_version.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>

namespace convene::protocol {
namespace {

/// The numbers that a version's compatibility depends on.
struct leading_numbers {
  std::uint64_t major = 0;
  std::uint64_t minor = 0;

  bool operator==(const leading_numbers&) const = default;
};

/// Reads a number from the beginning; what overflows is like no version.
bool take_number(std::string_view& text, std::uint64_t& number) {
  const auto* begin = text.data();
  const auto [end, failed] = std::from_chars(begin, begin + text.size(),
                                             number);
  if (end == begin)
    return false;
  if (failed != std::errc{})
    number = ~std::uint64_t{0};
  text.remove_prefix(static_cast<std::size_t>(end - begin));
  return true;
}

std::optional<leading_numbers> read_version(std::string_view text) {
  leading_numbers made;
  if (!take_number(text, made.major))
    return std::nullopt;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    take_number(text, made.minor);
  }
  return made;
}

/// "1.0.0", or "1.0.0 and 1.1.0".
std::string told_versions() {
  std::string text;
  for (const auto one : supported_protocol_versions)
    text.append(text.empty() ? "" : " and ").append(one);
  return text;
}

result<void> check_version(std::string_view version, std::string pointer) {
  if (is_supported_protocol_version(version))
    return {};
  return fail({.code = errc::unsupported,
               .message = "is of protocol version " + quote(version)
                          + ", and this program reads " + told_versions()
                          + "; convert the document, or use a program that "
                            "reads its version",
               .pointer = std::move(pointer),
               .rule = "protocol_version_unsupported",
               .value = shorten(version)});
}

} // namespace

bool is_supported_protocol_version(std::string_view version) {
  const auto asked = read_version(version);
  return !asked
         || std::ranges::find(supported_protocol_versions, asked, read_version)
              != supported_protocol_versions.end();
}

result<void> check_protocol_version(const json::object& document,
                                    std::string_view pointer) {
  const auto version = text_of(object_of(document, "meta"), "protocol_version");
  if (auto ok = check_version(version,
                              std::string{pointer} + "/meta/protocol_version");
      !ok)
    return ok;
  return check_version(text_of(document, "protocol_version"),
                       std::string{pointer} + "/protocol_version");
}

result<void> check_scenario_versions(const json::object& scenario) {
  for (const std::string name :
       {"context", "collab", "plan", "confirm", "core", "network"})
    if (auto ok = check_protocol_version(object_of(scenario, name), '/' + name);
        !ok)
      return ok;
  for (const std::string name : {"roles", "extensions", "extension_confirms"}) {
    const auto& all = items_of(scenario, name);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (const auto* document = all[i].if_object())
        if (auto ok = check_protocol_version(*document, '/' + name + '/'
                                                          + std::to_string(i));
            !ok)
          return ok;
  }
  return {};
}

} // namespace convene::protocol
