#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/strict/alias_table.hpp>

#include <algorithm>
#include <optional>

namespace convene::protocol {
namespace {

constexpr std::size_t uuid_bytes = 36;

/// The v4 UUID that `native` ends in, whatever its case.
std::optional<uuid> stem_of(std::string_view native) {
  if (native.size() < uuid_bytes)
    return std::nullopt;
  const auto stem = parse_uuid(native.substr(native.size() - uuid_bytes));
  if (!stem || as_v4(*stem) != *stem)
    return std::nullopt;
  return stem;
}

std::string_view find_in(const auto& texts, std::string_view text) noexcept {
  const auto found = texts.find(text);
  return found == texts.end() || found->second.empty()
           ? text
           : std::string_view{found->second};
}

error refused(std::string message, std::string_view rule,
              std::string_view native) {
  std::string pointer = "/aliases";
  append_to_pointer(pointer, native);
  return {.code = errc::invalid_document,
          .message = std::move(message),
          .pointer = std::move(pointer),
          .rule = std::string{rule},
          .value = shorten(native)};
}

} // namespace

void alias_table::collect(std::string_view native) {
  if (native.empty() || native.size() > native_id_bytes_max)
    return;
  if (is_uuid_v4(native))
    taken_.insert(*parse_uuid(native));
  else if (!strict_.contains(native))
    strict_.emplace(native, std::string{});
}

void alias_table::collect_reference(std::string_view text) {
  if (is_uuid_v4(text))
    taken_.insert(*parse_uuid(text));
}

bool alias_table::assign(const std::string& native, const uuid& strict) {
  if (!taken_.insert(strict))
    return false;
  auto text = to_string(strict);
  native_.emplace(text, native);
  strict_[native] = std::move(text);
  return true;
}

result<void> alias_table::settle() {
  std::map<uuid, std::size_t> claims;
  for (const auto& [native, strict] : strict_)
    if (const auto stem = stem_of(native))
      ++claims[*stem];
  // One that cannot have its stem gets a hash, as those without a stem do.
  for (const auto& [native, strict] : strict_)
    if (const auto stem = stem_of(native); stem && claims[*stem] == 1)
      static_cast<void>(assign(native, *stem));
  for (const auto& [native, strict] : strict_)
    if (strict.empty() && !assign(native, hashed_uuid(native)))
      return fail({.code = errc::invalid_document,
                   .message = "would become the id "
                              + to_string(hashed_uuid(native))
                              + ", which is there already; rename one of them",
                   .rule = "alias_collision",
                   .value = shorten(native)});
  return {};
}

std::string_view
alias_table::strict_of(std::string_view native) const noexcept {
  return find_in(strict_, native);
}

std::string_view
alias_table::native_of(std::string_view strict) const noexcept {
  return find_in(native_, strict);
}

boost::json::object alias_table::to_json() const {
  boost::json::object all;
  for (const auto& [native, strict] : strict_)
    all.emplace(native, strict);
  return {{"aliases", std::move(all)}};
}

result<alias_table> alias_table::from_json(const boost::json::value& from) {
  const auto* whole = from.if_object();
  const auto* all = whole == nullptr ? nullptr : whole->if_contains("aliases");
  if (all == nullptr || !all->is_object())
    return fail({.code = errc::invalid_document,
                 .message = "must hold an object \"aliases\"",
                 .pointer = "/aliases",
                 .rule = "type"});
  alias_table table;
  for (const auto& [native, strict] : all->get_object()) {
    const auto text = text_of(all->get_object(), native);
    if (!is_uuid_v4(text))
      return fail(refused("must be a lower-case v4 UUID", "pattern", native));
    if (native.empty() || is_uuid_v4(native))
      return fail(refused("stands for itself and needs no alias",
                          "alias_needless", native));
    table.strict_.emplace(native, std::string{});
    if (!table.assign(native, *parse_uuid(text)))
      return fail(refused("has an alias that another id has too",
                          "alias_collision", native));
  }
  return table;
}

std::string strict_id(std::string_view native) {
  alias_table alone;
  alone.collect(native);
  if (!alone.settle())
    return std::string{native};
  return std::string{alone.strict_of(native)};
}

} // namespace convene::protocol
