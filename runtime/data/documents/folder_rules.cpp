#include <convene/protocol/events/schema_guess.hpp>
#include <convene/protocol/invariants/scope.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/documents/folder_rules.hpp>
#include <convene/runtime/data/documents/json_files.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/written_document.hpp>
#include <convene/schemas/catalog.hpp>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

/// What is no JSON, or of no known kind, is told when the file is validated.
result<void> note(related_documents& related, std::string_view text,
                  const std::string& schema) {
  const auto document = parse_json(text, {.bytes = written_document_bytes_max});
  if (!document)
    return {};
  const auto* named = schema.empty() ? nullptr : schemas::find(schema);
  const auto name = named == nullptr ? guess_schema(*document)
                                     : schemas::name(*named);
  const auto scope = scope_of(name, *document);
  return scope ? related.add(*scope, *document) : result<void>{};
}

} // namespace

folder_rules::folder& folder_rules::folder_of(const fs::path& file) {
  const auto name = (fs::path{"."} / file).lexically_normal().parent_path();
  return folders_.try_emplace(name, rules_).first->second;
}

result<void> folder_rules::add(const fs::path& file,
                               const std::string& schema) {
  auto& here = folder_of(file);
  if (!is_json_lines(file)) {
    const auto text = read_file(file, written_document_bytes_max);
    return text ? note(here.related, *text, schema) : fail(text.error());
  }
  ++here.logs_left;
  bool is_log = false; // has events only, which nothing refers to
  return visit_lines(file, [&](std::string_view line, std::size_t number) {
    is_log = is_log || (number == 1 && line.starts_with("{\"log_opened\":"));
    return is_log ? result<void>{} : note(here.related, line, schema);
  });
}

invariant_rules folder_rules::open(const fs::path& file) {
  auto& here = folder_of(file);
  return {.rules = &rules_,
          .related = &here.related,
          .sessions = is_json_lines(file) ? &here.sessions : nullptr,
          .lines_before = here.lines};
}

void folder_rules::close(const fs::path& file, std::size_t lines,
                         file_verdict& out) {
  auto& here = folder_of(file);
  if (!is_json_lines(file))
    return;
  if (--here.logs_left == 0)
    finish_session_rules(open(file), lines,
                         rests_ && rests_(file.parent_path()), out);
  here.lines += lines;
}

} // namespace convene::host
