#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/documents/evidence_pack.hpp>
#include <convene/runtime/data/documents/pack_contents.hpp>
#include <convene/runtime/data/documents/staging_folder.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/event_log/session_reader.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/json_file.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

namespace fs = std::filesystem;
using namespace convene::protocol;

/// The documents of a folder that are packed, in the order of their names.
constexpr std::array documents{"collab.json", "confirm.json", "context.json",
                               "core.json",   "dialog.json",  "network.json",
                               "plan.json",   "trace.json"};

/// A session of a run of many, whose events are in the run's log.
struct one_of_many {
  fs::path run;
  uuid session;
};

/// Of the folder of such a session, `sessions/ID` of its run.
std::optional<one_of_many> one_of_many_in(const fs::path& folder) {
  std::error_code failed;
  auto whole = fs::absolute(folder, failed).lexically_normal();
  if (!whole.has_filename()) // it ended in a slash
    whole = whole.parent_path();
  const auto session = parse_uuid(whole.filename().string());
  auto run = whole.parent_path().parent_path();
  if (!session || whole.parent_path().filename() != "sessions"
      || fs::exists(folder / "events.jsonl", failed)
      || !fs::is_directory(run / "log", failed))
    return std::nullopt;
  return one_of_many{std::move(run), *session};
}

result<pack::timeline_facts> write_events(const fs::path& run,
                                          const fs::path& to) {
  pack::timeline_writer out{to};
  result<void> added;
  const auto write = [&](const log_place&, std::string_view line) {
    added = out.add(line);
    return added.has_value();
  };
  if (const auto of = one_of_many_in(run)) {
    const auto read = visit_session(of->run, of->session, write,
                                    index_writing::never);
    if (!read)
      return fail(read.error());
  } else if (const auto read = visit_log(run / "events.jsonl", write); !read) {
    return fail(read.error());
  }
  if (!added)
    return fail(std::move(added).error());
  return out.finish();
}

/// A session that is suspended has documents, too.
result<void> has_ended(const fs::path& run) {
  const auto collab = read_json(run / "collab.json");
  if (!collab || !collab->is_object()
      || text_of(collab->get_object(), "status") != "suspended")
    return {};
  return fail(file_error(errc::usage, run,
                         "its session is suspended; resume it first, with "
                         "convene resume",
                         "pack_missing"));
}

result<std::vector<std::string>> copy_documents(const fs::path& run,
                                                const fs::path& to) {
  if (auto ended = has_ended(run); !ended)
    return fail(std::move(ended).error());
  std::vector<std::string> names;
  for (const auto* name : documents) {
    const auto inside = std::string{pack::artifacts} + name;
    std::error_code failed;
    if (!fs::exists(run / name, failed)) {
      if (std::ranges::find(pack::needed, inside) == pack::needed.end())
        continue;
      return fail(file_error(errc::usage, run,
                             "has no " + std::string{name}
                               + "; name the folder of one session that has "
                                 "ended, with its documents",
                             "pack_missing"));
    }
    fs::copy_file(run / name, to / inside, failed);
    if (failed)
      return fail(
        file_error(errc::io_failed, run / name, "cannot be copied", failed));
    names.push_back(inside);
  }
  return names;
}

result<void> fill(const fs::path& run, const fs::path& folder) {
  for (const auto* each : {"artifacts", "timeline", "integrity"}) {
    std::error_code failed;
    fs::create_directories(folder / each, failed);
    if (failed)
      return fail(file_error(errc::io_failed, folder / each,
                             "cannot be created", failed));
  }
  auto names = copy_documents(run, folder);
  if (!names)
    return fail(std::move(names).error());
  auto events = write_events(run, folder / pack::timeline);
  if (!events)
    return fail(std::move(events).error());
  names->emplace_back(pack::timeline);
  auto made = pack::sum_up(folder, *names);
  made.events = *std::move(events);
  for (const auto& [name, is] : pack::derived_files(made)) {
    const auto text = pretty(is);
    if (auto done = write_file(folder / name, text); !done)
      return done;
    made.files.emplace(name, hex_digest_of(text));
  }
  return write_file(folder / pack::sums, pack::to_text(made.files))
    .and_then([&] {
      return write_file(folder / pack::root, pack::root_of(made.files) + "\n");
    });
}

} // namespace

result<pack_verdict> write_pack(const fs::path& run, const fs::path& to,
                                const rule_set& rules,
                                const std::stop_token& stop) {
  staging_folder staging{to};
  auto made = staging.make()
                .and_then([&] { return fill(run, staging.path()); })
                .and_then([&] { return verify_pack(staging.path(), rules); });
  if (stop.stop_requested())
    return fail(interrupted(to));
  if (!made || !made->faults.empty())
    return made;
  if (auto moved = staging.become_target(); !moved)
    return fail(moved.error());
  return made;
}

} // namespace convene::host
