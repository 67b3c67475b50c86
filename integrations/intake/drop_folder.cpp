#include <convene/integrations/drift/file_updates.hpp>
#include <convene/integrations/intake/drop_folder.hpp>
#include <convene/protocol/base/lines.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/files/descriptor.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/read_blocks.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

/// How the name of a file begins that is being read.
constexpr std::string_view taken_prefix = ".taken-";

bool is_dropped(std::string_view name) {
  return !name.starts_with('.') && name.size() <= drop_name_max
         && (name.ends_with(".jsonl") || name.ends_with(".json"));
}

/// Adds a name; of too many the last one goes.
void add_name(std::set<std::string>& to, std::string_view name) {
  to.emplace(name);
  if (to.size() > drop_files_max)
    to.erase(std::prev(to.end()));
}

/// All of a regular file that is no link, and was called `file`. Unset: there
/// is none of this name, or it is something else.
std::optional<result<std::string>> read_taken_file(const fs::path& taken,
                                                   const fs::path& file) {
  const descriptor in{
    ::open(taken.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  const auto unreadable = [&file](const std::error_code& why) {
    return fail(file_error(errc::unreadable, file, "cannot be read", why));
  };
  if (!in && errno == EACCES)
    return unreadable(last_error());
  struct stat status {};
  if (!in || ::fstat(in.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  std::string text;
  const auto failed = read_blocks(in.get(), [&text](std::string_view next) {
    text += next;
    return text.size() <= drop_bytes_max;
  });
  if (failed)
    return unreadable(failed);
  if (text.size() > drop_bytes_max)
    return fail(
      file_error(errc::limit_reached, file,
                 "is larger than " + std::to_string(drop_bytes_max) + " bytes",
                 "drop_bytes_max"));
  return text;
}

timestamp_ms clock_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
           std::chrono::system_clock::now().time_since_epoch())
    .count();
}

/// Whether all of a file is one event, in several lines.
bool is_one_event(std::string_view name, std::string_view text) {
  const auto last = text.find_last_not_of(" \t\r\n");
  if (!name.ends_with(".json") || text.size() > event_bytes_max
      || last == text.npos || text.find('\n') > last)
    return false;
  const auto whole = parse_json(text);
  return whole && whole->is_object();
}

} // namespace

result<drop_folder> drop_folder::open(fs::path folder, std::string source) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed))
    return fail(file_error(errc::usage, folder, "is not a folder: create it"));
  return drop_folder{std::move(folder), std::move(source)};
}

result<drop_folder::listing> drop_folder::list() const {
  listing found;
  std::error_code failed;
  for (fs::directory_iterator each{folder_, failed}, end;
       !failed && each != end; each.increment(failed)) {
    const auto name = each->path().filename().string();
    const std::string_view taken
      = std::string_view{name}.starts_with(taken_prefix)
          ? std::string_view{name}.substr(taken_prefix.size())
          : std::string_view{};
    std::error_code ignored;
    if ((!is_dropped(name) && !is_dropped(taken)) || each->is_symlink(ignored)
        || !each->is_regular_file(ignored))
      continue;
    if (taken.empty())
      add_name(found.dropped, name);
    else
      add_name(found.taken, taken);
  }
  if (failed)
    return fail(
      file_error(errc::unreadable, folder_, "cannot be read", failed));
  return found;
}

result<void> drop_folder::read(const taker& take, const keeper& keep) {
  const auto found = list();
  if (!found)
    return fail(found.error());
  for (const auto& name : found->taken)
    if (auto done = read_taken(name, take, keep); !done)
      return done;
  for (const auto& name : found->dropped) {
    const auto taken = folder_ / (std::string{taken_prefix} + name);
    std::error_code failed;
    if (fs::exists(fs::symlink_status(taken, failed)))
      return fail(file_error(errc::usage, taken,
                             "is in the way of a file that is to be taken: "
                             "remove it"));
    fs::rename(folder_ / name, taken, failed);
    if (failed == std::errc::no_such_file_or_directory)
      continue; // somebody was faster
    if (failed)
      return fail(
        file_error(errc::io_failed, folder_ / name, "cannot be taken", failed));
    if (auto done = read_taken(name, take, keep); !done)
      return done;
  }
  return {};
}

result<void> drop_folder::read_taken(const std::string& name, const taker& take,
                                     const keeper& keep) {
  const auto taken = folder_ / (std::string{taken_prefix} + name);
  const auto text = read_taken_file(taken, folder_ / name);
  if (!text)
    return {};
  refusals refused;
  if (!*text)
    refused.add_whole(text->error());
  std::string_view rest = *text ? std::string_view{**text} : std::string_view{};
  const auto now = clock_now();
  if (is_one_event(name, rest)) {
    if (auto read = read_dropped(rest, source_, now); !read)
      refused.add_whole(read.error());
    else if (auto done = take(*std::move(read)); !done)
      return done;
    rest = {};
  }
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const auto line = cut_line(rest);
    if (line.find_first_not_of(" \t\r") == line.npos)
      continue;
    if (auto read = read_dropped(line, source_, now); !read)
      refused.add(read.error(), number, line);
    else if (auto done = take(*std::move(read)); !done)
      return done;
  }
  auto done = keep();
  if (done)
    done = refused.set_aside(folder_, name, taken);
  if (!done)
    return done;
  ++counts_.files;
  counts_.refused += refused.count();
  return {};
}

} // namespace convene::host
