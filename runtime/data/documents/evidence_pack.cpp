#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/documents/evidence_pack.hpp>
#include <convene/runtime/data/documents/json_files.hpp>
#include <convene/runtime/data/documents/pack_files.hpp>
#include <convene/runtime/data/documents/staging_folder.hpp>
#include <convene/runtime/data/documents/validate_files.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/event_log/session_reader.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <algorithm>
#include <array>
#include <fstream>
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
/// Without these, there is nothing to be evident.
constexpr std::array needed{"artifacts/context.json", "artifacts/trace.json"};

/// What the files of a pack come to, as they are.
struct pack_sums {
  pack::checksums files;
  std::string verdict;
  std::size_t events = 0;
};

/// Of the files with these names; what cannot be read has no checksum.
pack_sums sum_up(const fs::path& folder,
                 const std::vector<std::string>& names) {
  pack_sums made;
  digest verdict;
  for (const auto& name : names) {
    digest own;
    const auto read
      = pack::visit_bytes(folder / name, [&](std::string_view piece) {
          own.add(piece);
          if (name.starts_with(pack::artifacts))
            verdict.add(piece);
          if (name == pack::timeline)
            made.events
              += static_cast<std::size_t>(std::ranges::count(piece, '\n'));
        });
    if (read)
      made.files.emplace(name, own.finish_hex());
  }
  made.verdict = verdict.finish_hex();
  return made;
}

json::array artifacts_in(const pack::checksums& all) {
  json::array names;
  for (const auto& [name, sum] : all)
    if (name.starts_with(pack::artifacts))
      names.emplace_back(name);
  return names;
}

json::object manifest_of(const pack_sums& what) {
  return {{"evidence_pack", pack::version},
          {"protocol_version", "1.0.0"},
          {"artifacts", artifacts_in(what.files)},
          {"timeline", pack::timeline},
          {"events", what.events},
          {"verdict_hash", what.verdict}};
}

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

result<void> write_events(const fs::path& run, const fs::path& to) {
  std::ofstream out{to, std::ios::binary};
  const auto write = [&out](const log_place&, std::string_view line) {
    out << line << '\n';
    return true;
  };
  if (const auto of = one_of_many_in(run)) {
    const auto read = visit_session(of->run, of->session, write,
                                    index_writing::never);
    if (!read)
      return fail(read.error());
  } else if (const auto read = visit_log(run / "events.jsonl", write); !read) {
    return fail(read.error());
  }
  out.close();
  return out ? result<void>{}
             : fail(file_error(errc::io_failed, to, "cannot be written"));
}

result<std::vector<std::string>> copy_documents(const fs::path& run,
                                                const fs::path& to) {
  std::vector<std::string> names;
  for (const auto* name : documents) {
    const auto inside = std::string{pack::artifacts} + name;
    std::error_code failed;
    if (!fs::exists(run / name, failed)) {
      if (std::ranges::find(needed, inside) == needed.end())
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
  if (auto done = write_events(run, folder / pack::timeline); !done)
    return done;
  names->emplace_back(pack::timeline);
  auto sums = sum_up(folder, *names);
  const auto manifest = pretty(manifest_of(sums));
  sums.files.emplace(pack::manifest, hex_digest_of(manifest));
  return write_file(folder / pack::manifest, manifest).and_then([&] {
    return write_file(folder / pack::sums, pack::to_text(sums.files));
  });
}

class verification {
public:
  verification(const fs::path& folder, pack_verdict& out)
    : folder_{folder}, out_{out} {}

  /// Every file that is listed is as it was.
  void check_sums(const pack::checksums& listed) {
    std::vector<std::string> names;
    for (const auto& [name, sum] : listed)
      names.push_back(name);
    found_ = sum_up(folder_, names);
    for (const auto& [name, sum] : listed) {
      const auto now = found_.files.find(name);
      if (now == found_.files.end())
        note(name, "pack_missing", "is listed, and is not there");
      else if (now->second != sum)
        note(name, "pack_changed", "is not what it was: its SHA-256 differs");
    }
    for (const auto name :
         {std::string_view{needed[0]}, std::string_view{needed[1]},
          pack::manifest, pack::timeline})
      if (!listed.contains(std::string{name}))
        note(std::string{name}, "pack_missing", "is not among the checksums");
    out_.hashes.verdict = found_.verdict;
    out_.artifacts = artifacts_in(found_.files).size();
    out_.events = found_.events;
  }

  result<void> check_others(const pack::checksums& listed) {
    std::error_code failed;
    std::size_t seen = 0;
    fs::recursive_directory_iterator at{folder_, failed};
    for (; !failed && at != fs::recursive_directory_iterator{};
         at.increment(failed)) {
      if (++seen > folder_files_max)
        return fail(file_error(errc::limit_reached, folder_,
                               "has too many files", "folder_files_max"));
      std::error_code ignored;
      const auto name = at->path().lexically_relative(folder_).string();
      if (!fs::is_directory(at->symlink_status(ignored)) && name != pack::sums
          && !listed.contains(name))
        note(name, "pack_added", "is not among the checksums");
    }
    if (failed)
      return fail(
        file_error(errc::unreadable, folder_, "cannot be read", failed));
    return {};
  }

  void check_manifest() {
    const auto says = [&](const std::string& why) {
      note(std::string{pack::manifest}, "pack_manifest", why);
    };
    const auto text = read_file(folder_ / pack::manifest);
    if (!text)
      return; // told already
    const auto read = parse_json(*text);
    if (!read || !read->is_object())
      return says("holds no JSON object");
    const auto& is = read->get_object();
    for (const auto& [name, value] : manifest_of(found_))
      if (const auto* told = is.if_contains(name);
          told == nullptr || *told != value)
        says(std::string{name} + " is not what the pack has");
  }

  /// Of what is listed alone; what else there is has been told.
  result<void> check_documents(const rule_set& rules) {
    const validation_request how{.paths = {folder_ / "artifacts",
                                           folder_ / pack::timeline},
                                 .rules = &rules};
    return validate_files(how, [this](const file_verdict& file) {
      const auto name
        = fs::path{file.file}.lexically_relative(folder_).string();
      for (const auto& each : file.errors)
        out_.faults.push_back(
          {.code = errc::invalid_document,
           .message = each.message,
           .file = name,
           .pointer = each.instance,
           .rule = each.rule.id.empty() ? each.keyword : each.rule.id});
    });
  }

private:
  void note(const std::string& file, const char* rule, std::string what) {
    out_.faults.push_back({.code = errc::invalid_document,
                           .message = std::move(what),
                           .file = file,
                           .rule = rule});
  }

  const fs::path& folder_;
  pack_verdict& out_;
  pack_sums found_;
};

} // namespace

result<pack_verdict> verify_pack(const fs::path& folder,
                                 const rule_set& rules) {
  const auto text = read_file(folder / pack::sums);
  if (!text)
    return fail(text.error());
  pack_verdict out{.hashes = {.verdict = {}, .root = hex_digest_of(*text)}};
  const auto listed = pack::read_checksums(*text);
  if (!listed) {
    out.faults.push_back(listed.error());
    out.faults.back().file = pack::sums;
    return out;
  }
  verification of{folder, out};
  of.check_sums(*listed);
  if (auto done = of.check_others(*listed); !done)
    return fail(done.error());
  of.check_manifest();
  // What is missing or another's cannot be validated, and need not be.
  if (out.faults.empty())
    if (auto done = of.check_documents(rules); !done)
      return fail(done.error());
  return out;
}

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
