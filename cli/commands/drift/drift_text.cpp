#include <convene/cli/commands/drift/drift_text.hpp>
#include <convene/cli/view/text.hpp>
#include <fmt/format.h>

namespace convene::cli {
namespace {

using namespace protocol;

constexpr std::size_t type_columns = 10;
constexpr std::size_t severity_columns = 8;

std::string difference(const drift_record& of) {
  switch (of.type) {
    case drift_type::added:
      return plural(of.actual.bytes, "byte");
    case drift_type::deleted:
      return "expected " + plural(of.expected.bytes, "byte");
    case drift_type::renamed:
      return "now " + neutral(of.new_path);
    case drift_type::modified:
      break;
  }
  if (of.actual.bytes == of.expected.bytes)
    return plural(of.actual.bytes, "byte") + ", other content";
  return fmt::format("{}, expected {}", plural(of.actual.bytes, "byte"),
                     of.expected.bytes);
}

std::string hashes_of(const drift_record& of) {
  std::string text;
  if (of.expected.exists)
    text += "    expected sha256 " + of.expected.sha256 + '\n';
  if (of.actual.exists)
    text += "    found    sha256 " + of.actual.sha256 + '\n';
  return text;
}

} // namespace

std::string drift_row(const drift_record& record, bool hashes) {
  return fmt::format(
    "  {}{}{}: {}\n{}", column(to_word(record.type), type_columns),
    column(to_word(severity_of(record.type)), severity_columns),
    neutral(record.path), difference(record), hashes ? hashes_of(record) : "");
}

std::string drift_change_row(drift_change how, const drift_record& record,
                             bool hashes) {
  const auto time = format_timestamp(record.at);
  if (how == drift_change::resolved)
    return fmt::format("{}  {}{}{}\n", time, column("resolved", type_columns),
                       column("", severity_columns), neutral(record.path));
  return time + drift_row(record, hashes);
}

} // namespace convene::cli
