#include <convene/protocol/base/error.hpp>

#include <array>

namespace convene::protocol {

std::string_view to_word(errc code) noexcept {
  static constexpr std::array<std::string_view, 11> words{
    "none",          "unreadable",
    "invalid_json",  "invalid_document",
    "limit_reached", "activation_refused",
    "unsupported",   "not_allowed",
    "io_failed",     "usage",
    "internal"};
  return words[static_cast<std::size_t>(code)];
}

std::string to_string(const error& what) {
  std::string text = what.file;
  if (what.line != 0 && text.empty())
    text = "line " + std::to_string(what.line) + ", column "
           + std::to_string(what.column);
  else if (what.line != 0)
    text += ':' + std::to_string(what.line) + ':' + std::to_string(what.column);
  if (!text.empty())
    text += ": ";
  if (!what.pointer.empty())
    text += what.pointer + ": ";
  text += what.message;
  if (!what.value.empty())
    text += " (found " + what.value + ')';
  return text;
}

} // namespace convene::protocol
