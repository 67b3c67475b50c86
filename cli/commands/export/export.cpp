#include <convene/cli/commands/export/export_formats.hpp>
#include <convene/cli/commands/export/export_output.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/reading_progress.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/documents/strict_export.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct export_arguments {
  std::string path;
  std::string out;
  std::string format;
  bool strict = false;
  bool scrub = false;
};

void add_options(const command_line& command, export_arguments& arguments) {
  command.add("PATH", arguments.path).required();
  command.add("--strict", arguments.strict);
  command.add("--format", arguments.format, one_of(export_formats()));
  command.add("--scrub", arguments.scrub);
  command.add("--out", arguments.out);
}

std::string sentence_of(const host::export_note& note) {
  return to_string(error{.message = note.what.message,
                         .file = note.file,
                         .pointer = note.what.pointer,
                         .line = note.line,
                         .column = note.line == 0 ? 0U : 1U});
}

json::object to_json(const host::export_report& all) {
  json::array files;
  for (const auto& one : all.files)
    files.push_back({{"from", sanitize_utf8(one.from)},
                     {"file", sanitize_utf8(one.file)},
                     {"documents", one.documents},
                     {"twins", one.derived}});
  json::array left_out;
  for (const auto& file : all.left_out)
    left_out.emplace_back(sanitize_utf8(file));
  json::array blobs_lost;
  for (const auto& one : all.blobs_lost)
    blobs_lost.emplace_back(sanitize_utf8(to_string(one)));
  json::array notes;
  for (const auto& one : all.notes)
    notes.push_back({{"file", sanitize_utf8(one.file)},
                     {"line", one.line},
                     {"instance", sanitize_utf8(one.what.pointer)},
                     {"rule", one.what.rule},
                     {"message", sanitize_utf8(one.what.message)}});
  return {{"files", std::move(files)},
          {"left_out", std::move(left_out)},
          {"blobs_lost", std::move(blobs_lost)},
          {"aliases", all.aliases.at("aliases")},
          {"notes_total", all.notes_total},
          {"notes", std::move(notes)}};
}

void print_notes(const host::export_report& all, const common_options& common) {
  if (common.quiet)
    return;
  if (common.verbose)
    for (const auto& note : all.notes)
      print_note(sentence_of(note));
  else if (all.notes_total != 0)
    print_note(
      fmt::format("{}; --verbose shows them", plural(all.notes_total, "note")));
  for (const auto& one : all.blobs_lost)
    print_note(line_of(one));
  for (const auto& file : all.left_out)
    print_note(file + ": has no strict form, left out");
}

result<int> export_to_folder(const export_arguments& arguments,
                             const common_options& common) {
  const auto done = host::export_strict_to(arguments.path, arguments.out);
  if (!done)
    return fail(done.error());
  if (common.json) {
    auto whole = to_json(*done);
    whole["out"] = sanitize_utf8(arguments.out);
    print_json(whole);
    return exit_good;
  }
  print_notes(*done, common);
  std::size_t documents = 0;
  for (const auto& one : done->files)
    documents += one.documents + one.derived;
  if (!common.quiet)
    print_line(fmt::format("{}: {}, {} documents and events, {} ids with an "
                           "alias",
                           arguments.out, plural(done->files.size(), "file"),
                           documents,
                           done->aliases.at("aliases").as_object().size()));
  return exit_good;
}

/// One document or log, on standard output, once all of it is known to be good.
result<int> export_to_output(const export_arguments& arguments,
                             const common_options& common) {
  host::spool text;
  const auto done = host::export_strict(
    arguments.path, [&text](const std::string& file, std::string_view piece) {
      return file == "aliases.json" ? result<void>{} : text.write(piece);
    });
  if (!done)
    return fail(done.error());
  if (common.json) {
    const auto printed = print_json_with_text(to_json(*done), "text", text);
    return printed.map([] { return exit_good; });
  }
  print_notes(*done, common);
  if (!common.quiet && !done->aliases.at("aliases").as_object().empty())
    print_note("the table of ids is written only with --out");
  return text.read(print_json_text).map([] { return exit_good; });
}

result<int> run_export(const export_arguments& arguments,
                       const common_options& common) {
  const auto usage = [&common](std::string message) {
    return fail({.code = errc::usage, .message = std::move(message)});
  };
  if (arguments.strict == !arguments.format.empty())
    return usage("give either --strict or --format");
  if (arguments.scrub && arguments.format != "learning")
    return usage("--scrub is about --format learning");
  // Beside text that a terminal shows there is no room.
  const reading_progress shown{
    !common.quiet && (!arguments.out.empty() || ::isatty(STDOUT_FILENO) == 0),
    "exporting"};
  if (!arguments.strict)
    return export_format({.format = arguments.format,
                          .path = arguments.path,
                          .out = arguments.out,
                          .scrub = arguments.scrub},
                         common);
  std::error_code ignored;
  if (!arguments.out.empty())
    return export_to_folder(arguments, common);
  if (std::filesystem::is_directory(arguments.path, ignored))
    return usage("a folder is exported to a folder: name one with --out");
  return export_to_output(arguments, common);
}

} // namespace

void add_export(const command_line& program) {
  program.add<export_arguments>("export", run_export, add_options);
}

} // namespace convene::cli
