#include <convene/runtime/data/state_store/sqlite_schema.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/system_fault.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

namespace fs = std::filesystem;

/// The version of these tables; another layout gets another one.
constexpr std::uint32_t version = 1;
/// "conv": what a file is known by.
constexpr std::uint32_t application = 0x636f6e76;

/// Of SQLite's own header.
constexpr std::size_t header_bytes = 100;

/// An event is one row, which its two keys share; `number` is its place.
constexpr std::array schema{
  "CREATE TABLE entry(key TEXT PRIMARY KEY, value TEXT NOT NULL)",
  "CREATE TABLE event(number INTEGER PRIMARY KEY, event_id TEXT NOT NULL, "
  "trace_id TEXT, context_id TEXT, value TEXT NOT NULL, "
  "global_key TEXT AS ('events/global/' || event_id), "
  "trace_key TEXT AS ('events/trace/' || trace_id || '/' || event_id))",
  "CREATE UNIQUE INDEX event_global ON event(global_key)",
  "CREATE UNIQUE INDEX event_trace ON event(trace_key)",
  "CREATE INDEX event_by_trace ON event(trace_id)",
  "CREATE INDEX event_by_context ON event(context_id)",
  "CREATE TABLE snapshot(number INTEGER PRIMARY KEY, name TEXT NOT NULL "
  "UNIQUE)",
  "CREATE TABLE snapshot_entry(snapshot INTEGER NOT NULL, key TEXT NOT NULL, "
  "value TEXT NOT NULL, PRIMARY KEY(snapshot, key))",
  "CREATE VIEW state AS SELECT key, value FROM entry UNION ALL SELECT "
  "global_key, value FROM event UNION ALL SELECT trace_key, value FROM event "
  "WHERE trace_id IS NOT NULL"};

error io_error(const fs::path& file, int number) {
  const std::error_code why{number, std::generic_category()};
  return file_error(is_system_fault(why) ? errc::io_failed : errc::usage, file,
                    "the state store cannot be opened", why, "store_io");
}

error foreign(const fs::path& file, const std::string& why) {
  return file_error(errc::usage, file,
                    "is not a state store of convene: " + why
                      + "; name another file",
                    "store_foreign");
}

/// Big-endian, as SQLite's header has them.
std::uint32_t number_at(std::string_view header, std::size_t place) {
  std::uint32_t made = 0;
  for (const auto byte : header.substr(place, 4))
    made = made << 8 | static_cast<unsigned char>(byte);
  return made;
}

/// Whether the file is a store by its first bytes. SQLite is not asked, as it
/// would change what a stranger's program left unfinished.
result<void> check_header(const fs::path& file, std::string_view header) {
  constexpr std::string_view magic{"SQLite format 3\0", 16};
  if (header.empty())
    return {};
  if (header.size() < header_bytes || !header.starts_with(magic))
    return fail(foreign(file, "it is not an SQLite file"));
  if (number_at(header, 68) != application)
    return fail(foreign(file, "it is another program's SQLite file"));
  if (const auto found = number_at(header, 60); found != version)
    return fail(file_error(errc::unsupported, file,
                           "is a state store of version "
                             + std::to_string(found)
                             + ", and this program "
                               "reads version "
                             + std::to_string(version),
                           "store_version"));
  return {};
}

/// The files that this process has open as stores. A file that it has open may
/// not be opened and closed once more, which would release SQLite's locks.
class file_claims {
public:
  using id = std::pair<dev_t, ino_t>;

  static file_claims& all() {
    // Never destroyed: a static object may own a store.
    static auto& only = *new file_claims;
    return only;
  }

  /// Creates the file if it is missing, claims it and reads its first bytes.
  result<std::shared_ptr<const void>> take(const fs::path& file,
                                           std::string& header) {
    const std::lock_guard held{mutex_};
    struct stat about {};
    if (::stat(file.c_str(), &about) == 0
        && claimed_.contains({about.st_dev, about.st_ino}))
      return fail(store_locked(file));
    const int descriptor
      = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600);
    if (descriptor == -1)
      return fail(io_error(file, errno));
    header.resize(header_bytes);
    const bool is_known = ::fstat(descriptor, &about) == 0;
    const auto got = ::pread(descriptor, header.data(), header.size(), 0);
    const int failed = errno;
    ::close(descriptor);
    if (is_known && !S_ISREG(about.st_mode))
      return fail(foreign(file, "it is not a regular file"));
    if (!is_known || got < 0)
      return fail(io_error(file, failed));
    header.resize(static_cast<std::size_t>(got));
    const id which{about.st_dev, about.st_ino};
    claimed_.insert(which);
    return std::shared_ptr<const void>{nullptr, [which](const void*) {
                                         all().release(which);
                                       }};
  }

private:
  void release(const id& which) {
    const std::lock_guard held{mutex_};
    claimed_.erase(which);
  }

  std::mutex mutex_;
  std::set<id> claimed_;
};

result<void> create_tables(sqlite_database& in) {
  // Not with a WAL: the header is in the file before anything is stored.
  return in.in_transaction([&]() -> result<void> {
    for (const auto* each : schema)
      if (auto made = in.run(each); !made)
        return made;
    const auto marks = "PRAGMA application_id = " + std::to_string(application)
                       + "; PRAGMA user_version = " + std::to_string(version);
    return in.run(marks.c_str());
  });
}

/// Nothing is run that this program would not have written: a file may be made
/// to look like a store.
result<void> check_tables(sqlite_database& in, const fs::path& file) {
  auto rows = in.query("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL "
                       "ORDER BY rowid");
  for (const auto* each : schema) {
    const auto found = rows.step();
    if (!found)
      return fail(found.error());
    if (!*found || rows.text(0) != each)
      return fail(foreign(file, "its tables are not those of a state store"));
  }
  const auto other = rows.step();
  if (!other)
    return fail(other.error());
  if (*other)
    return fail(foreign(file, "it has tables of its own"));
  return {};
}

result<void> check_content(sqlite_database& in, const fs::path& file) {
  const auto verdict = in.text_of("PRAGMA quick_check(1)");
  if (!verdict)
    return fail(verdict.error());
  if (*verdict != "ok")
    return fail(file_error(errc::unreadable, file,
                           "the state store is damaged: " + *verdict
                             + "; put a copy of it in its place, or name "
                               "another file",
                           "store_damaged"));
  return {};
}

result<void> write_ahead(sqlite_database& in, const fs::path& file) {
  const auto mode = in.text_of("PRAGMA journal_mode = WAL");
  if (!mode)
    return fail(mode.error());
  if (*mode != "wal")
    return fail(file_error(errc::io_failed, file,
                           "the state store cannot have a write-ahead log "
                           "here (its journal is "
                             + *mode + "); name a file on a local disk",
                           "store_io"));
  return in.run("PRAGMA journal_size_limit = 67108864");
}

} // namespace

result<sqlite_database> open_store_file(const fs::path& file) {
  std::string header;
  auto claim = file_claims::all().take(file, header);
  if (!claim)
    return fail(std::move(claim).error());
  if (auto fit = check_header(file, header); !fit)
    return fail(std::move(fit).error());
  auto made = sqlite_database::open(file, *std::move(claim));
  if (!made)
    return made;
  const auto tables = made->text_of("SELECT count(*) FROM sqlite_schema");
  auto ready = !tables          ? result<void>{fail(tables.error())}
               : *tables == "0" ? create_tables(*made)
                                : result<void>{};
  ready = ready.and_then([&] { return check_tables(*made, file); })
            .and_then([&] { return check_content(*made, file); })
            .and_then([&] { return write_ahead(*made, file); });
  if (!ready)
    return fail(std::move(ready).error());
  return made;
}

} // namespace convene::host
