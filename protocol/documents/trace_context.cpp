#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/documents/trace_context.hpp>
#include <convene/protocol/documents/trace_ids.hpp>

#include <algorithm>
#include <vector>

namespace convene::protocol {
namespace {

constexpr std::string_view own_key = "mplp";
constexpr std::uint8_t sampled = 1;
constexpr std::uint8_t known_flags = 3;

bool is_key_letter(char c, bool first) noexcept {
  if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
    return true;
  constexpr std::string_view others = "_-*/@";
  return !first && others.find(c) != others.npos;
}

bool is_key(std::string_view text) noexcept {
  constexpr std::size_t bytes_max = 256;
  if (text.empty() || text.size() > bytes_max
      || std::ranges::count(text, '@') > 1)
    return false;
  return is_key_letter(text.front(), true)
         && std::ranges::all_of(text,
                                [](char c) { return is_key_letter(c, false); });
}

bool is_value(std::string_view text) noexcept {
  constexpr std::size_t bytes_max = 256;
  return !text.empty() && text.size() <= bytes_max && text.back() != ' '
         && std::ranges::all_of(text, [](char c) {
              return c >= ' ' && c <= '~' && c != ',' && c != '=';
            });
}

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t";
  const auto first = text.find_first_not_of(blanks);
  if (first == text.npos)
    return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

/// The key of "key=value"; empty: it is no member.
std::string_view key_of(std::string_view member) noexcept {
  const auto equals = member.find('=');
  if (equals == member.npos || !is_key(member.substr(0, equals))
      || !is_value(member.substr(equals + 1)))
    return {};
  return member.substr(0, equals);
}

/// The members that are not empty, in their order.
std::vector<std::string_view> members_of(std::string_view text) {
  std::vector<std::string_view> all;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(',', at), text.size());
    if (const auto member = trimmed(text.substr(at, end - at)); !member.empty())
      all.push_back(member);
    at = end + 1;
  }
  return all;
}

} // namespace

std::optional<trace_parent> parse_traceparent(std::string_view text) noexcept {
  constexpr std::size_t size = 55; // of 00-<32>-<16>-<2>
  if (text.size() < size || text.size() > traceparent_bytes_max)
    return std::nullopt;
  const auto version = text.substr(0, 2);
  const auto high = text.substr(3, 16);
  const auto low = text.substr(19, 16);
  const auto span = text.substr(36, 16);
  const auto flags = text.substr(53, 2);
  for (const auto digits : {version, high, low, span, flags})
    if (!is_lower_hex(digits, digits.size()))
      return std::nullopt;
  if (text[2] != '-' || text[35] != '-' || text[52] != '-' || version == "ff")
    return std::nullopt;
  if (text.size() > size && (version == "00" || text[size] != '-'))
    return std::nullopt;
  const trace_parent made{
    .trace = {.high = *parse_hex(high), .low = *parse_hex(low)},
    .span = *parse_hex(span),
    .flags = static_cast<std::uint8_t>(*parse_hex(flags) & known_flags)};
  if (made.trace == uuid{} || made.span == 0)
    return std::nullopt;
  return made;
}

std::string to_traceparent(const trace_parent& what) {
  return "00-" + hex_of(what.trace.high, 16) + hex_of(what.trace.low, 16) + '-'
         + hex_of(what.span, 16) + '-' + hex_of(what.flags, 2);
}

bool is_tracestate(std::string_view text) {
  if (text.size() > tracestate_bytes_max)
    return false;
  const auto all = members_of(text);
  if (all.size() > tracestate_members_max)
    return false;
  std::vector<std::string_view> keys;
  for (const auto member : all)
    keys.push_back(key_of(member));
  std::ranges::sort(keys);
  return std::ranges::adjacent_find(keys) == keys.end()
         && (keys.empty() || !keys.front().empty());
}

result<void> check_trace_context(const trace_context& what,
                                 std::string_view pointer) {
  const auto refuse = [pointer](std::string_view member, std::string message,
                                std::string_view value) {
    constexpr std::size_t shown_max = 80;
    return fail({.code = errc::invalid_document,
                 .message = std::move(message),
                 .pointer = std::string{pointer} + '/' + std::string{member},
                 .rule = std::string{member},
                 .value = std::string{value.substr(0, shown_max)}});
  };
  if (!parse_traceparent(what.traceparent))
    return refuse("traceparent",
                  "is not a traceparent of W3C Trace Context: write "
                  "00-<32 hex digits>-<16 hex digits>-<2 hex digits>, in lower "
                  "case; neither of the first two is all zeros",
                  what.traceparent);
  if (!is_tracestate(what.tracestate))
    return refuse("tracestate",
                  "is not a tracestate of W3C Trace Context: write at most 32 "
                  "members key=value with commas between them, each key once",
                  what.tracestate);
  return {};
}

std::uint64_t action_span(std::string_view session_id,
                          const traced_attempt& which) {
  std::string key{"action\n"};
  for (const auto part :
       {session_id, which.token, which.participant, which.position}) {
    key += part;
    key += '\n';
  }
  const auto hash = hashed_uuid(key + std::to_string(which.number));
  return hash.high; // of a version 4 UUID, so it is not 0
}

trace_context trace_context_of(std::string_view session_id,
                               const std::optional<trace_context>& caller,
                               const traced_attempt& which) {
  const auto own = trace_ids{session_id}.trace();
  trace_parent parent{.trace = own, .flags = sampled};
  if (caller)
    parent = parse_traceparent(caller->traceparent).value_or(parent);
  parent.span = action_span(session_id, which);
  trace_context made{.traceparent = to_traceparent(parent),
                     .tracestate = std::string{own_key} + '=' + to_string(own)};
  if (!caller)
    return made;
  std::size_t count = 1;
  for (const auto member : members_of(caller->tracestate))
    if (key_of(member) != own_key && count < tracestate_members_max) {
      made.tracestate.append(",").append(member);
      ++count;
    }
  return made;
}

} // namespace convene::protocol
