#include <convene/protocol/json_schema/number.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace convene::protocol::validation {
namespace {

__extension__ typedef unsigned __int128 wide;

/// `digits` times ten to the `exponent`; signs do not matter here.
struct decimal {
  std::uint64_t digits;
  int exponent;
};

std::uint64_t magnitude(std::int64_t value) noexcept {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? 0 - bits : bits;
}

/// The shortest decimal of a finite double, at most 17 digits.
decimal shortest(double value) noexcept {
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(),
                                 std::fabs(value),
                                 std::chars_format::scientific)
                     .ptr;
  decimal out{.digits = 0, .exponent = 0};
  const char* at = text.data();
  bool after_dot = false;
  for (; at != end && *at != 'e'; ++at) {
    if (*at == '.') {
      after_dot = true;
      continue;
    }
    out.digits = out.digits * 10 + static_cast<std::uint64_t>(*at - '0');
    out.exponent -= after_dot ? 1 : 0;
  }
  int exponent = 0;
  if (at != end)
    std::from_chars(at[1] == '+' ? at + 2 : at + 1, end, exponent);
  out.exponent += exponent;
  return out;
}

decimal to_decimal(const number& value) noexcept {
  switch (value.is) {
    case number::form::signed_integer:
      return {magnitude(value.i), 0};
    case number::form::unsigned_integer:
      return {value.u, 0};
    default:
      return shortest(value.d);
  }
}

std::uint64_t multiply(std::uint64_t a, std::uint64_t b,
                       std::uint64_t modulus) noexcept {
  return static_cast<std::uint64_t>(static_cast<wide>(a) * b % modulus);
}

/// Compares an integer given by sign and magnitude with a real.
std::partial_ordering compare_real(bool negative, std::uint64_t size,
                                   double real) noexcept {
  if (std::isnan(real))
    return std::partial_ordering::unordered;
  if (negative != (real < 0))
    return negative ? std::partial_ordering::less
                    : std::partial_ordering::greater;
  const double other = std::fabs(real);
  std::partial_ordering order = std::partial_ordering::less;
  if (other < 18446744073709551616.0) {
    const auto whole = static_cast<std::uint64_t>(other);
    order = size != whole               ? size <=> whole
            : other > std::floor(other) ? std::strong_ordering::less
                                        : std::strong_ordering::equal;
  }
  return negative ? 0 <=> order : order;
}

} // namespace

number number::of(std::int64_t value) noexcept {
  number out;
  out.i = value;
  return out;
}

number number::of(std::uint64_t value) noexcept {
  number out;
  out.is = form::unsigned_integer;
  out.u = value;
  return out;
}

number number::of(double value) noexcept {
  number out;
  out.is = form::real;
  out.d = value;
  return out;
}

std::partial_ordering compare(const number& a, const number& b) noexcept {
  using enum number::form;
  if (a.is == real && b.is == real)
    return a.d <=> b.d;
  if (a.is == real)
    return 0 <=> compare(b, a);
  const bool a_negative = a.is == signed_integer && a.i < 0;
  const auto a_size = a.is == signed_integer ? magnitude(a.i) : a.u;
  if (b.is == real)
    return compare_real(a_negative, a_size, b.d);
  if (a.is == signed_integer && b.is == signed_integer)
    return a.i <=> b.i;
  const bool b_negative = b.is == signed_integer && b.i < 0;
  const auto b_size = b.is == signed_integer ? magnitude(b.i) : b.u;
  if (a_negative != b_negative)
    return b_negative <=> a_negative;
  return a_size <=> b_size;
}

bool is_multiple(const number& value, const number& unit) noexcept {
  if ((value.is == number::form::real && !std::isfinite(value.d))
      || (unit.is == number::form::real && !std::isfinite(unit.d)))
    return false;
  auto [digits, exponent] = to_decimal(value);
  const auto by = to_decimal(unit);
  if (digits == 0 || by.digits == 0)
    return digits == 0;
  auto shift = exponent - by.exponent;
  for (; shift < 0 && digits % 10 == 0; ++shift)
    digits /= 10;
  if (shift < 0)
    return false;
  auto rest = digits % by.digits;
  std::uint64_t power = 10 % by.digits;
  for (; shift != 0; shift /= 2) {
    if (shift % 2 == 1)
      rest = multiply(rest, power, by.digits);
    power = multiply(power, power, by.digits);
  }
  return rest == 0;
}

bool is_whole(double value) noexcept {
  return std::isfinite(value) && std::trunc(value) == value;
}

double to_double(const number& value) noexcept {
  switch (value.is) {
    case number::form::signed_integer:
      return static_cast<double>(value.i);
    case number::form::unsigned_integer:
      return static_cast<double>(value.u);
    default:
      return value.d;
  }
}

std::string to_string(const number& value) {
  std::array<char, 40> text{};
  char* const first = text.data();
  char* const last = first + text.size();
  switch (value.is) {
    case number::form::signed_integer:
      return {first, std::to_chars(first, last, value.i).ptr};
    case number::form::unsigned_integer:
      return {first, std::to_chars(first, last, value.u).ptr};
    default:
      return {first, std::to_chars(first, last, value.d).ptr};
  }
}

} // namespace convene::protocol::validation
