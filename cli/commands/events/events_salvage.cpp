#include <convene/cli/commands/events/events_arguments.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/blobs/blob_carrier.hpp>
#include <convene/runtime/log/blobs/blob_files.hpp>
#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/log/event_log/salvage.hpp>
#include <fmt/format.h>

namespace convene::cli {
namespace {

using namespace convene::protocol;

/// Copies what the new log names to it.
result<host::blob_carrier> carry_blobs(const std::string& from,
                                       const std::string& to) {
  const auto folder = host::blob_folder_of(from);
  if (!folder)
    return fail(folder.error());
  host::blob_carrier carrier{*folder, host::blob_folder_for(to)};
  const auto read = host::visit_sessions(to, [&](const auto&, auto line) {
    carrier.feed(line);
  });
  if (!read)
    return fail(read.error());
  return carrier;
}

void print_text(const std::string& out, const host::salvage_report& all,
                const host::blob_carrier& blobs, bool quiet) {
  for (const auto& [file, offset, bytes, why] : all.damage)
    print_line(
      fmt::format("{}: bytes {} to {}: {}", file, offset, offset + bytes, why));
  if (all.damage_total > all.damage.size())
    print(fmt::format("{} more damaged places\n",
                      all.damage_total - all.damage.size()));
  for (const auto& one : all.broken)
    print(fmt::format("session {}: {}, {} behind a gap left out\n",
                      to_string(one.session),
                      one.kept == 0
                        ? std::string{"its beginning is lost"}
                        : plural(one.kept, "event") + " kept, its end is lost",
                      one.left_out));
  if (all.broken_total > all.broken.size())
    print(fmt::format("{} more sessions with a gap\n",
                      all.broken_total - all.broken.size()));
  for (const auto& one : blobs.left())
    print_line(line_of(one));
  if (quiet)
    return;
  print_line(fmt::format(
    "{}: {} of {} in {} kept, {} left out{}{}", out, plural(all.kept, "event"),
    plural(all.sessions, "session"), plural(all.groups, "intact group"),
    plural(all.left_out, "event"),
    blobs.carried().empty() && blobs.left().empty()
      ? ""
      : fmt::format(", {} kept, {} lost",
                    plural(blobs.carried().size(), "blob"), blobs.left_total()),
    all.unacknowledged_bytes == 0
      ? ""
      : fmt::format(", {} bytes at the end were never acknowledged",
                    all.unacknowledged_bytes)));
}

json::object to_json(const std::string& out, const host::salvage_report& all,
                     const host::blob_carrier& blobs) {
  json::array lost;
  for (const auto& one : blobs.left())
    lost.push_back({{"file", sanitize_utf8(one.file)},
                    {"rule", one.rule},
                    {"message", sanitize_utf8(one.message)}});
  json::array damage;
  for (const auto& [file, offset, bytes, why] : all.damage)
    damage.push_back({{"file", sanitize_utf8(file)},
                      {"offset", offset},
                      {"bytes", bytes},
                      {"why", why}});
  json::array broken;
  for (const auto& one : all.broken)
    broken.push_back({{"session_id", to_string(one.session)},
                      {"kept", one.kept},
                      {"left_out", one.left_out}});
  return {{"out", sanitize_utf8(out)},
          {"undamaged", all.undamaged()},
          {"groups", all.groups},
          {"kept", all.kept},
          {"left_out", all.left_out},
          {"sessions", all.sessions},
          {"unacknowledged_bytes", all.unacknowledged_bytes},
          {"blobs", blobs.carried().size()},
          {"blobs_lost_total", blobs.left_total()},
          {"blobs_lost", std::move(lost)},
          {"damage_total", all.damage_total},
          {"damage", std::move(damage)},
          {"broken_total", all.broken_total},
          {"broken", std::move(broken)}};
}

} // namespace

result<int> salvage(const events_arguments& arguments,
                    const common_options& common) {
  const auto done = host::salvage_log(arguments.log, arguments.salvage);
  if (!done)
    return fail(done.error());
  const auto blobs = carry_blobs(arguments.log, arguments.salvage);
  if (!blobs)
    return fail(blobs.error());
  if (common.json)
    print_json(to_json(arguments.salvage, *done, *blobs));
  else
    print_text(arguments.salvage, *done, *blobs, common.quiet);
  return done->undamaged() && blobs->left().empty() ? exit_good : exit_no;
}

} // namespace convene::cli
