#include <convene/cli/common/report.hpp>
#include <convene/cli/sessions/rollback_run.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;
using session::compensation_status;

constexpr std::array<std::string_view, 4> end_words{"executed", "nothing_to_do",
                                                    "failed", "suspended"};

std::string_view word_of(rollback_end end) {
  return end_words[static_cast<std::size_t>(end)];
}

json::array text_array(const std::vector<std::string>& all) {
  json::array made;
  for (const auto& each : all)
    made.emplace_back(sanitize_utf8(each));
  return made;
}

json::array files_json(const host::restored_files& files) {
  json::array made;
  for (const auto& [path, kept] : files.restored)
    made.push_back({{"path", sanitize_utf8(path)},
                    {"kept", kept.empty() ? json::value{}
                                          : json::value(sanitize_utf8(kept))}});
  return made;
}

json::array failed_files(const host::restored_files& files) {
  json::array made;
  for (const auto& each : files.errors)
    made.push_back(error_json(each).at("error"));
  return made;
}

std::size_t completed_in(const session::rollback& what) {
  return static_cast<std::size_t>(
    std::ranges::count(what.compensations, compensation_status::completed,
                       &session::compensation::status));
}

std::string stage_words(std::string_view stage) {
  return stage == session::start_stage ? "the start"
                                       : "step " + std::string{stage};
}

void print_rows(const rollback_report& what) {
  for (const auto& each : what.what.compensations)
    if (each.status != compensation_status::completed)
      print_line(fmt::format(
        "  {:9} {} {}{}", to_word(each.status), each.step_id, each.description,
        each.failure.code.empty()
          ? ""
          : fmt::format(": {} {}", each.failure.code, each.failure.message)));
}

void print_files(const host::restored_files& files) {
  for (const auto& [path, kept] : files.restored)
    print_line("  restored  " + path
               + (kept.empty() ? "" : ", what was there is " + kept));
  for (const auto& path : files.skipped)
    print_line("  skipped   " + path + ": its value is not text");
}

} // namespace

json::object to_json(const rollback_report& what) {
  json::array compensations;
  for (const auto& each : what.what.compensations) {
    json::object one{{"step_id", each.step_id},
                     {"agent_role", each.agent_role},
                     {"description", each.description},
                     {"status", to_word(each.status)}};
    if (!each.failure.code.empty())
      one.emplace("error", json::object{{"code", each.failure.code},
                                        {"message", each.failure.message}});
    compensations.push_back(std::move(one));
  }
  json::object made{{"status", word_of(what.end)},
                    {"to", what.what.to},
                    {"compensations", std::move(compensations)},
                    {"without_compensation",
                     text_array(what.without_compensation)},
                    {"may_have_happened", text_array(what.may_have_happened)}};
  if (!what.what.compensation_id.empty())
    made.emplace("compensation_id", what.what.compensation_id);
  if (what.files) {
    made.emplace("files", files_json(*what.files));
    made.emplace("files_skipped", text_array(what.files->skipped));
    made.emplace("files_errors", failed_files(*what.files));
  }
  if (!what.hash.empty())
    made.emplace("graph", json::object{{"node_delta", what.node_delta},
                                       {"edge_delta", what.edge_delta},
                                       {"hash", what.hash}});
  return made;
}

void print_rollback(const rollback_report& what, const std::string& run,
                    const common_options& common) {
  if (what.files)
    for (const auto& each : what.files->errors)
      print_note(line_of(each));
  if (common.quiet)
    return;
  const auto all = what.what.compensations.size();
  const auto to = stage_words(what.what.to);
  if (what.end == rollback_end::nothing)
    print_line(fmt::format("Nothing to roll back: {} stands at {}", run, to));
  else if (what.end == rollback_end::executed)
    print_line(fmt::format(
      "Rolled back {} to {}: {}; the graph has {:+} nodes, {:+} edges", run, to,
      plural(all, "compensation"), what.node_delta, what.edge_delta));
  else
    print_line(fmt::format(
      "Rollback of {} to {} {}: {} of {} done; "
      "continue with convene rollback {}",
      run, to, what.end == rollback_end::failed ? "failed" : "suspended",
      completed_in(what.what), plural(all, "compensation"), run));
  print_rows(what);
  if (what.files)
    print_files(*what.files);
  for (const auto& step : what.without_compensation)
    print_line("  nothing undoes step " + step);
  for (const auto& step : what.may_have_happened)
    print_line("  step " + step + " was being executed and may have happened");
}

int exit_code_of(const rollback_report& what) noexcept {
  if (what.end == rollback_end::suspended)
    return exit_signal + what.signal;
  return what.end == rollback_end::failed ? exit_no : exit_good;
}

} // namespace convene::cli
