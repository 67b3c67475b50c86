#include <convene/cli/view/text.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace convene::cli {
namespace {

/// In quotes in which every byte that is not printable ASCII has an escape.
std::string escaped_word(std::string_view text) {
  std::string quoted = "$'";
  for (const char c : text) {
    if (c == '\'' || c == '\\')
      quoted += '\\';
    if (c >= ' ' && c <= '~')
      quoted += c;
    else
      quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return quoted + '\'';
}

} // namespace

std::string spent(std::int64_t tokens, std::int64_t microusd) {
  auto words = tokens > 0 ? plural(tokens, "token") : std::string{};
  if (microusd <= 0)
    return words;
  constexpr std::int64_t million = 1'000'000;
  auto money = fmt::format("${}.{:06}", microusd / million, microusd % million);
  const auto least = money.find('.') + 3;
  money.resize(std::max(money.find_last_not_of('0') + 1, least));
  return words + (words.empty() ? "" : ", ") + money;
}

std::string column(std::string_view text, std::size_t columns) {
  auto fitted = fit(text, columns);
  fitted.append(columns - width(fitted), ' ');
  return fitted;
}

std::string shell_word(const std::string& text) {
  constexpr std::string_view plain
    = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
      "_-./:=,@%+";
  if (!text.empty() && text.find_first_not_of(plain) == text.npos)
    return text;
  // What a terminal or JSON cannot show is never changed, but escaped.
  if (neutral(text) != text)
    return escaped_word(text);
  std::string quoted = "'";
  for (const char c : text)
    quoted += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return quoted + '\'';
}

} // namespace convene::cli
