#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/base/invisible.hpp>
#include <convene/protocol/drift/drift.hpp>
#include <convene/protocol/drift/writable_path.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace convene::protocol {
namespace {

/// Their settings name programs that the next command runs.
constexpr std::array version_control{".git", ".hg", ".svn",   ".bzr",
                                     ".jj",  ".sl", "_darcs", ".pijul"};

/// With a number behind it, it is still a device: COM1.
constexpr std::array numbered_devices{"com", "lpt"};
constexpr std::array devices{"con",    "prn",    "aux",    "nul",
                             "clock$", "conin$", "conout$"};

bool is_any_of(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool has_control(std::string_view text) {
  while (!text.empty())
    if (is_control_character(take_character(text)))
      return true;
  return false;
}

/// The character as names that differ only by case have it; of those beyond
/// ASCII, the ones that fold into it.
std::string_view folded(char32_t c, std::string_view as_it_is) {
  switch (c) {
    case 0x17f:
      return "s";
    case 0x130:
    case 0x131:
      return "i";
    case 0x212a:
      return "k";
    default:
      return as_it_is;
  }
}

/// What every file system that could read the name this way takes it for.
std::string plain_name(std::string_view name) {
  std::string made;
  while (!name.empty()) {
    auto rest = name;
    const auto c = take_character(rest);
    const auto same = name.substr(0, name.size() - rest.size());
    name = rest;
    if (c == U':') // the rest is a stream's name
      break;
    if (c >= U'A' && c <= U'Z')
      made += static_cast<char>(c - U'A' + U'a');
    else if (!is_invisible(c))
      made += folded(c, same);
  }
  made.resize(made.find_last_not_of(". ") + 1);
  return made;
}

/// "git~1", "docume~2.txt": the name that DOS had for another one.
bool is_short_name(std::string_view name) {
  constexpr std::size_t stem_max = 8;
  const auto stem = name.substr(0, name.find('.'));
  const auto tilde = stem.rfind('~');
  return tilde != stem.npos && tilde > 0 && stem.size() <= stem_max
         && tilde + 1 < stem.size()
         && std::ranges::all_of(stem.substr(tilde + 1), is_digit);
}

bool is_device(std::string_view name) {
  auto stem = name.substr(0, name.find('.'));
  stem = stem.substr(0, stem.find_last_not_of(' ') + 1);
  if (is_any_of(devices, stem))
    return true;
  constexpr std::size_t letters = 3;
  if (!is_any_of(numbered_devices, stem.substr(0, letters)))
    return false;
  const auto number = stem.substr(std::min(letters, stem.size()));
  return (number.size() == 1 && is_digit(number.front()))
         || number == "\xc2\xb9" || number == "\xc2\xb2" // superscripts, too
         || number == "\xc2\xb3";
}

std::string_view why_no_part(std::string_view part, bool last) {
  if (has_control(part))
    return "has a control character";
  if (part.find('\\') != part.npos)
    return "has a backslash, which separates folders on other systems";
  const auto name = plain_name(part);
  if (name.empty())
    return "has a part that some systems read as no name at all";
  if (is_any_of(version_control, name))
    return "leads into the folder of a version control system, whose settings "
           "and hooks are executed";
  if (last && name == "head")
    return "is the file that makes a folder a Git repository, whose settings "
           "are executed";
  if (name.starts_with(".convene") || name == "convene-out")
    return "has one of convene's own names";
  if (is_short_name(name))
    return "has a part that is the short name of another file on some systems";
  if (is_device(name))
    return "has the name of a device on some systems";
  return {};
}

} // namespace

std::string_view why_not_written(std::string_view path) {
  if (const auto why = why_not_below(path); !why.empty())
    return why;
  if (!valid_utf8(path))
    return "is not UTF-8";
  for (;;) {
    const auto end = path.find('/');
    if (const auto why = why_no_part(path.substr(0, end), end == path.npos);
        !why.empty() || end == path.npos)
      return why;
    path.remove_prefix(end + 1);
  }
}

} // namespace convene::protocol
