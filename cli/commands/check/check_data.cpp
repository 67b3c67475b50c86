#include <convene/cli/commands/check/check_data.hpp>
#include <convene/runtime/log/event_log/log_damage.hpp>
#include <convene/runtime/log/event_log/removed_segments.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/server/a2a/push_book.hpp>
#include <convene/server/keys/token_signer.hpp>
#include <convene/server/run_callbacks/callback_files.hpp>
#include <convene/server/runs/run_audit.hpp>
#include <convene/server/sessions/session_drafts.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

namespace fs = std::filesystem;
using namespace convene::protocol;

constexpr const char* runs_folder = "runs";
constexpr const char* secret_file = "interrupt-tokens.secret";

/// The folder's files with this ending, sorted; empty without such a folder.
std::vector<fs::path> files_in(const fs::path& folder,
                               std::string_view ending) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator at{folder, failed}, end; !failed && at != end;
       at.increment(failed))
    if (ending.empty() || at->path().extension() == ending)
      files.push_back(at->path());
  std::ranges::sort(files);
  return files;
}

void note(host::agent_verdict& to, const fs::path& file, std::string rule,
          std::string message) {
  to.note({file.string(),
           0,
           {.rule = std::move(rule), .message = std::move(message)}});
}

/// What is wrong with each of a folder's JSON files.
void check_files(
  host::agent_verdict& to, const fs::path& folder, const std::string& rule,
  const std::function<result<void>(const fs::path& file)>& check) {
  for (const auto& file : files_in(folder, ".json"))
    if (auto sound = check(file); !sound)
      note(to, file, rule, sound.error().message);
}

void check_definitions(host::agent_verdict& to, const fs::path& folder) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) // else opening would create it
    return;
  auto kept = server::workflow_store::open({}, folder);
  if (!kept)
    return to.note(host::place_finding(kept.error()));
  check_files(to, folder, "workflow_digest", [&](const fs::path& file) {
    return kept->kept(file.stem().string()).map([](const auto&) {});
  });
}

void check_secrets(host::agent_verdict& to, const fs::path& folder) {
  constexpr auto others = fs::perms::group_all | fs::perms::others_all;
  for (const auto& file : files_in(folder, {})) {
    std::error_code failed;
    const auto is = fs::symlink_status(file, failed);
    if (!failed && fs::is_regular_file(is)
        && (is.permissions() & others) != fs::perms::none)
      note(to, file, "file_mode",
           "can be read or written by others than its owner: change its "
           "permissions to 600");
  }
  const auto secret = folder / secret_file;
  std::error_code failed;
  if (fs::exists(secret, failed))
    if (const auto sound = server::token_signer::open(secret); !sound)
      note(to, secret, "token_secret", sound.error().message);
}

} // namespace

result<host::agent_verdict> check_run_log(const fs::path& log) {
  host::agent_verdict all;
  server::run_audit audit{
    (fs::is_directory(log) ? log : log.parent_path()).parent_path()
      / "definitions",
    fs::is_directory(log) && host::is_trimmed(log),
    [&](const std::string& run, const error& what) {
      auto found = host::place_finding(what);
      found.what.session_id = run;
      all.note(std::move(found));
    }};
  const auto read = host::visit_log(log, [&](const host::log_place& place,
                                             std::string_view line) {
    ++all.events;
    audit.feed(place, line);
  });
  if (!read && !host::is_log_damage(read.error()))
    return fail(read.error());
  if (!read)
    all.note(host::place_finding(read.error()));
  audit.finish(read.has_value());
  all.runs = audit.runs();
  all.runs_judged = audit.judged();
  return all;
}

result<host::agent_verdict> check_data(const fs::path& folder) {
  auto all = check_run_log(folder / runs_folder);
  if (!all)
    return all;
  check_definitions(*all, folder / "definitions");
  check_files(*all, folder / "drafts", "draft", server::check_draft);
  check_files(*all, folder / "callbacks", "callback", server::check_callback);
  check_files(*all, folder / "push", "push", server::check_push);
  check_secrets(*all, folder);
  return all;
}

} // namespace convene::cli
