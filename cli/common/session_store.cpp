#include <convene/cli/common/session_store.hpp>
#include <convene/runtime/data/learning/stored_samples.hpp>
#include <convene/runtime/data/postgres/postgres_url.hpp>
#include <convene/runtime/data/state_store/postgres_store.hpp>
#include <convene/runtime/data/state_store/sqlite_store.hpp>
#include <convene/runtime/data/stored_sessions/stored_sessions.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/single_agent/stored_run.hpp>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace convene::cli {

using protocol::errc;
using protocol::error;
using protocol::fail;
using protocol::result;

namespace {

constexpr std::string_view sqlite = "sqlite:";

error bad_store() { // not shown: it may have a password
  return {.code = errc::usage,
          .message
          = "--store: give it as sqlite:FILE or postgres://HOST/DATABASE",
          .rule = "store"};
}

/// Whether a file can be made there. Only trying says so of each file system.
std::error_code try_file(const std::filesystem::path& folder) {
  auto name = (folder / "convene-store.XXXXXX").string();
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0)
    return {errno, std::generic_category()};
  ::close(file);
  ::unlink(name.c_str());
  return {};
}

} // namespace

std::string session_store::file_of(const std::string& where) {
  return where.starts_with(sqlite) ? where.substr(sqlite.size())
                                   : std::string{};
}

result<std::shared_ptr<session_store>>
session_store::open(const std::string& where) {
  if (where.empty())
    return nullptr;
  if (where == "memory")
    return fail(errc::usage,
                "--store memory: what is in memory is gone when the program "
                "ends; give it as sqlite:FILE or postgres://HOST/DATABASE",
                "store");
  const auto file = file_of(where);
  const bool is_url = host::is_postgres_url(where);
  if (file.empty() && !is_url)
    return fail(bad_store());
  auto opened = is_url ? host::open_postgres_store(where)
                       : host::open_sqlite_store(file);
  if (!opened)
    return fail(std::move(opened).error());
  return std::make_shared<session_store>(*std::move(opened));
}

result<bool> session_store::is_there(const std::string& where) {
  if (host::is_postgres_url(where))
    return host::has_postgres_store(where);
  const auto file = file_of(where);
  if (file.empty() && !where.empty())
    return fail(bad_store());
  std::error_code failed;
  if (file.empty() || std::filesystem::exists(file, failed))
    return !file.empty();
  // SQLite creates the file, but no folder.
  const auto folder = std::filesystem::absolute(file, failed).parent_path();
  if (!failed && !std::filesystem::is_directory(folder, failed))
    failed = std::make_error_code(std::errc::no_such_file_or_directory);
  if (!failed)
    failed = try_file(folder);
  if (failed)
    return fail(host::file_error(errc::usage, file,
                                 "the state store cannot be created", failed));
  return false;
}

bool session_store::has(const std::string& session_id) {
  if (failure_)
    return false;
  auto found = host::has_documents(*store_, session_id);
  if (!found) {
    note(std::move(found).error());
    return false;
  }
  return *found;
}

void session_store::put(const host::session_documents& documents,
                        const std::vector<protocol::role>& roles,
                        host::session_owner whose) {
  if (failure_)
    return;
  if (auto done = host::store_documents(*store_, documents, roles, whose);
      !done)
    note(std::move(done).error());
}

void session_store::put(const host::agent_run& run,
                        const std::vector<std::string>& of_session) {
  if (failure_)
    return;
  if (auto done = host::store_agent_run(*store_, run, of_session); !done)
    note(std::move(done).error());
}

void session_store::put(const std::vector<host::kept_sample>& samples) {
  if (failure_)
    return;
  if (auto done = host::store_samples(*store_, samples); !done)
    note(std::move(done).error());
}

void session_store::put_events(const std::filesystem::path& log) {
  if (failure_)
    return;
  if (auto done = host::store_events(*store_, log); !done)
    note(std::move(done).error());
}

void session_store::note(protocol::error why) {
  why.message = "--store: " + why.message;
  failure_ = std::move(why);
}

void add_store(const command_line& command, std::string& where) {
  command.add("--store", where);
}

result<void> check_store(const std::string& where,
                         protocol::kept_documents documents,
                         const host::log_upkeep& upkeep) {
  if (where.empty())
    return {};
  if (documents == protocol::kept_documents::none)
    return fail(errc::usage,
                "--store keeps documents, and --documents none writes none; "
                "leave one out",
                "store");
  if (upkeep.keep_bytes)
    return fail(errc::usage,
                "--store takes the events from the log when the run ends, and "
                "--log-keep-bytes removes some before; leave one out",
                "store");
  return {};
}

} // namespace convene::cli
