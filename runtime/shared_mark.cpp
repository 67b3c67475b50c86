// Whether a log may be written with or without a shared one.

#include <convene/runtime/log/event_log/shared_log.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/taken_sessions.hpp>

#include <filesystem>
#include <system_error>

namespace convene::host {

using protocol::errc;
using protocol::fail;

namespace {

/// Beside the segments.
constexpr const char* mark_name = "shared";

result<void> refuse(std::string why) {
  return fail(errc::usage, std::move(why), "log_shared_options");
}

/// Whether no process has got as far as to write there: the lock and the first
/// segment may be there, empty.
bool is_unused(const std::filesystem::path& folder) {
  std::error_code failed;
  for (std::filesystem::directory_iterator each{folder, failed}, end;
       !failed && each != end; each.increment(failed))
    if (!std::filesystem::is_empty(each->path(), failed))
      return false;
  return !failed;
}

} // namespace

result<void> check_shared(const runtime_options& how) {
  std::error_code none;
  const bool is_folder = std::filesystem::is_directory(how.log, none);
  const bool is_marked = is_folder
                         && std::filesystem::exists(how.log / mark_name, none);
  if (shared_of(how.log_companions) == nullptr)
    return is_marked
             ? fail(file_error(errc::usage, how.log,
                               "this log is the copy of a node of a cluster, "
                               "which may have given its sessions to other "
                               "nodes: continue it with convene serve "
                               "--cluster",
                               "log_is_shared"))
             : result<void>{};
  if (!is_folder)
    return refuse("a log that shares its events is a folder of segments");
  if (how.seed)
    return refuse("under virtual time a log shares no events");
  if (how.durability == durability::none)
    return refuse("a log that shares its events needs the durability group "
                  "or strict");
  if (is_marked)
    return {};
  if (is_unused(how.log))
    return {};
  return fail(file_error(errc::usage, how.log,
                         "this log was written without a cluster, whose nodes "
                         "do not know its sessions: use another folder",
                         "log_not_shared"));
}

result<void> mark_shared(const runtime_options& how) {
  if (shared_of(how.log_companions) == nullptr)
    return {};
  return write_file(how.log / mark_name, "shared\n", synced::yes);
}

} // namespace convene::host
