#include <convene/protocol/base/same_text.hpp>
#include <convene/protocol/json/json_mould.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/plain_text.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <system_error>
#include <utility>

namespace convene::protocol {
namespace {

/// Reads the string at `at` into `to`, and sets `at` behind it.
[[gnu::always_inline]] inline bool take_text(const char*& at, const char* end,
                                             json::string& to) {
  if (at == end || *at != '"')
    return false;
  const auto* const begin = ++at;
  bool wide = false;
  at = skip_plain(at, end, wide);
  if (at == end || *at != '"')
    return false;
  const auto size = static_cast<std::size_t>(at++ - begin);
  if (wide && !valid_utf8({begin, size}))
    return false;
  if (to.size() == size)
    std::memcpy(to.data(), begin, size);
  else
    to.assign(begin, size);
  return true;
}

/// Likewise of an integer: of at most 18 digits, so that it is one of 64 bits,
/// and not of zero with a sign.
[[gnu::always_inline]] inline bool
take_integer(const char*& at, const char* end, std::int64_t& to) {
  constexpr int digits_max = 18;
  const bool is_negative = at != end && *at == '-';
  const auto* const begin = at + (is_negative ? 1 : 0);
  std::int64_t number = 0;
  at = begin;
  for (; at != end && *at >= '0' && *at <= '9'; ++at) {
    if (at - begin == digits_max)
      return false;
    number = number * 10 + (*at - '0');
  }
  if (at == begin || (*begin == '0' && (at - begin > 1 || is_negative)))
    return false;
  to = is_negative ? -number : number;
  return true;
}

const char* skip_digits(const char* at, const char* end) noexcept {
  return std::find_if(at, end, [](char c) { return c < '0' || c > '9'; });
}

/// Likewise of a number with a fraction or an exponent.
bool take_double(const char*& at, const char* end, double& to) {
  const auto* const begin = at;
  at += at != end && *at == '-' ? 1 : 0;
  const auto* const whole = at;
  at = skip_digits(at, end);
  if (at == whole || (*whole == '0' && at - whole > 1))
    return false;
  const auto* const behind = at;
  if (at != end && *at == '.') {
    const auto* const fraction = ++at;
    at = skip_digits(at, end);
    if (at == fraction)
      return false;
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    at += at != end && (*at == '-' || *at == '+') ? 1 : 0;
    const auto* const exponent = at;
    at = skip_digits(at, end);
    if (at == exponent)
      return false;
  }
  const auto read = std::from_chars(begin, at, to);
  return at != behind && read.ec == std::errc{} && read.ptr == at;
}

/// Likewise of what the value is.
[[gnu::always_inline]] inline bool take_value(const char*& at, const char* end,
                                              json::value& to) {
  if (auto* const text = to.if_string())
    return take_text(at, end, *text);
  if (auto* const number = to.if_int64())
    return take_integer(at, end, *number);
  return take_double(at, end, to.get_double());
}

} // namespace

// In braces, it would be an array of one.
json_mould::json_mould(json::value like) : value_(std::move(like)) {
  add(value_);
}

bool json_mould::take(std::string_view text) {
  if (!fits_)
    return false;
  taken_bytes_ += text.size();
  const auto* at = text.data();
  const auto* const end = at + text.size();
  for (const auto& [to, begin, size] : slots_) {
    if (static_cast<std::size_t>(end - at) < size
        || !same_bytes(at, bytes_.data() + begin, size))
      return false;
    at += size;
    if (!take_value(at, end, *to))
      return false;
  }
  // Where a number ended, these bytes show that it is one.
  return std::string_view{at, end} == std::string_view{bytes_}.substr(begin_);
}

void json_mould::add(json::value& part) { // NOLINT(misc-no-recursion)
  switch (part.kind()) {
    case json::kind::object: {
      bytes_ += '{';
      for (auto& [name, value] : part.get_object()) {
        add_name({name.data(), name.size()});
        add(value);
        bytes_ += ',';
      }
      if (bytes_.back() == ',')
        bytes_.pop_back();
      bytes_ += '}';
      break;
    }
    case json::kind::array: {
      bytes_ += '[';
      for (auto& each : part.get_array()) {
        add(each);
        bytes_ += ',';
      }
      if (bytes_.back() == ',')
        bytes_.pop_back();
      bytes_ += ']';
      break;
    }
    case json::kind::string:
    case json::kind::int64:
    case json::kind::double_:
      add_slot(part);
      break;
    case json::kind::bool_:
      bytes_ += part.get_bool() ? "true" : "false";
      break;
    case json::kind::null:
      bytes_ += "null";
      break;
    case json::kind::uint64:
      fits_ = false;
  }
}

void json_mould::add_name(std::string_view name) {
  fits_ = fits_ && std::ranges::all_of(name, is_plain_byte);
  bytes_ += '"';
  bytes_ += name;
  bytes_ += "\":";
}

void json_mould::add_slot(json::value& part) {
  slots_.push_back({&part, begin_, bytes_.size() - begin_});
  begin_ = bytes_.size();
}

} // namespace convene::protocol
