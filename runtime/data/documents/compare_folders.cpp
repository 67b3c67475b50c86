#include <convene/protocol/base/lines.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/documents/compare_folders.hpp>
#include <convene/runtime/data/documents/json_files.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/written_document.hpp>

#include <map>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

/// The document; of a JSON Lines file, an array of what stands on its lines
/// without what frames the groups of a log.
result<json::value> parse_file(const fs::path& file, std::string_view text) {
  if (!is_json_lines(file))
    return parse_json(text, {.bytes = written_document_bytes_max});
  json::array lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto line = cut_line(text);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos
        || line.starts_with("{\"log_opened\":")
        || line.starts_with("{\"log_group\":"))
      continue;
    auto one = parse_json(line);
    if (!one) {
      one.error().line += number - 1;
      return one;
    }
    lines.push_back(std::move(*one));
  }
  return lines;
}

result<json::value> read_expected(const fs::path& file) {
  const auto text = read_file(file, written_document_bytes_max);
  if (!text)
    return fail(text.error());
  auto document = parse_file(file, *text);
  if (!document)
    document.error().file = file.string();
  return document;
}

void add_difference(file_comparison& out, std::string expected,
                    std::string message) {
  ++out.differences_total;
  out.differences.push_back({.what = {.path = {},
                                      .pointer = {},
                                      .expected = std::move(expected),
                                      .actual = {},
                                      .message = std::move(message)},
                             .at = {}});
}

/// Compares one file; the actual one need not be there, or be JSON.
result<void> compare_file(const fs::path& expected, const fs::path& actual,
                          file_comparison& out) {
  const auto wanted = read_expected(expected);
  if (!wanted)
    return fail(wanted.error());
  std::error_code ignored;
  if (!fs::exists(actual, ignored)) {
    add_difference(out, "a file", "the file is missing");
    return {};
  }
  const auto text = read_file(actual, written_document_bytes_max);
  if (!text)
    return fail(text.error());
  const auto document = parse_file(actual, *text);
  if (!document) {
    add_difference(out, "JSON", "is not JSON: " + document.error().message);
    return {};
  }
  auto found = compare_documents(*wanted, *document);
  out.differences_total = found.total;
  const bool lines = is_json_lines(actual); // pointers are not into the text
  for (auto& one : found.differences) {
    const auto at = lines ? text_place{} : locate(*text, one.pointer);
    out.differences.push_back({.what = std::move(one), .at = at});
  }
  return {};
}

} // namespace

result<void> compare_folders(const fs::path& expected, const fs::path& actual,
                             const rule_set& rules,
                             const comparison_visitor& visit) {
  const auto files = json_files(expected);
  if (!files)
    return fail(files.error());
  if (files->empty())
    return fail(file_error(errc::unreadable, expected,
                           "has no JSON files to compare with"));
  std::map<std::string, file_comparison> all;
  for (const auto& file : *files) {
    const auto name = file.lexically_relative(expected);
    auto& out = all[name.string()];
    out.file = name.string();
    if (auto done = compare_file(file, actual / name, out); !done)
      return done;
  }
  bool all_valid = true;
  const auto judge = [&](bool strict) {
    const auto keep = [&](const file_verdict& verdict) {
      const auto name = fs::path{verdict.file}.lexically_relative(actual);
      const auto found = all.find(name.string());
      if (found == all.end() || (strict && !verdict.valid()))
        return;
      found->second.verdict = verdict;
      all_valid = all_valid && verdict.valid();
    };
    return validate_files(
      {.paths = {actual}, .strict = strict, .rules = &rules}, keep);
  };
  auto validated = judge(false);
  // Or as a strict export: its events are valid by the official schemas alone.
  if (validated && !all_valid)
    validated = judge(true);
  if (!validated)
    return validated;
  for (const auto& [name, out] : all)
    visit(out);
  return {};
}

} // namespace convene::host
