#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/files/files.hpp>
#include <convene/runtime/files/write_all.hpp>
#include <convene/runtime/integrations/intake/drop_folder.hpp>
#include <convene/runtime/processes/descriptor.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

/// What of a refused line is kept.
constexpr std::size_t refused_text_max = 64 << 10;

bool is_dropped(const fs::path& name) {
  const auto text = name.string();
  return !text.starts_with('.')
         && (name.extension() == ".jsonl" || name.extension() == ".json");
}

std::string refusal(const error& why, std::size_t number,
                    std::string_view line) {
  return json::serialize(json::object{
           {"line", number},
           {"rule", why.rule},
           {"pointer", why.pointer},
           {"reason", sanitize_utf8(to_string(why))},
           {"text", sanitize_utf8(std::string{line.substr(
                      0, std::min(line.size(), refused_text_max))})}})
         + '\n';
}

/// All of a regular file that is no link. Unset: there is none of this name, or
/// it is something else.
std::optional<result<std::string>> read_dropped(const fs::path& file) {
  const descriptor in{
    ::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  if (!in && errno == EACCES)
    return fail(
      file_error(errc::unreadable, file,
                 "cannot be read: " + std::generic_category().message(errno)));
  struct stat status {};
  if (!in || ::fstat(in.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  std::string text;
  std::array<char, 1 << 16> block;
  for (;;) {
    const auto count = ::read(in.get(), block.data(), block.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return fail(file_error(errc::unreadable, file,
                             "cannot be read: "
                               + std::generic_category().message(errno)));
    if (count == 0)
      return text;
    text.append(block.data(), static_cast<std::size_t>(count));
    if (text.size() > drop_bytes_max)
      return fail(file_error(errc::limit_reached, file,
                             "is larger than " + std::to_string(drop_bytes_max)
                               + " bytes",
                             "drop_bytes_max"));
  }
}

result<void> set_aside(const fs::path& file, const std::string& refusals) {
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  const descriptor out{
    ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
           0666)};
  if (!out || !write_all(out.get(), refusals) || ::fdatasync(out.get()) != 0)
    return fail(file_error(errc::io_failed, file,
                           "cannot be written: "
                             + std::generic_category().message(errno)));
  return {};
}

} // namespace

result<drop_folder> drop_folder::open(fs::path folder) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed))
    return fail(file_error(errc::usage, folder, "is no folder: create it"));
  return drop_folder{std::move(folder)};
}

result<std::vector<std::string>> drop_folder::names() const {
  std::vector<std::string> found;
  std::error_code failed;
  for (fs::directory_iterator each{folder_, failed}, end;
       !failed && each != end; each.increment(failed))
    if (is_dropped(each->path().filename()) && found.size() < drop_files_max)
      found.push_back(each->path().filename().string());
  if (failed)
    return fail(file_error(errc::unreadable, folder_,
                           "cannot be read: " + failed.message()));
  std::ranges::sort(found);
  return found;
}

result<void> drop_folder::read(const taker& take, const keeper& keep) {
  const auto found = names();
  if (!found)
    return fail(found.error());
  for (const auto& name : *found)
    if (auto done = read_file(name, take, keep); !done)
      return done;
  return {};
}

result<void> drop_folder::read_file(const std::string& name, const taker& take,
                                    const keeper& keep) {
  const auto file = folder_ / name;
  const auto text = read_dropped(file);
  if (!text)
    return {};
  std::string refusals;
  std::uint64_t refused = 0;
  if (!*text) {
    refusals = refusal(text->error(), 0, "");
    ++refused;
  }
  std::string_view rest = *text ? std::string_view{**text} : std::string_view{};
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const auto end = std::min(rest.find('\n'), rest.size() - 1);
    auto line = rest.substr(0, end + 1);
    rest.remove_prefix(end + 1);
    if (line.ends_with('\n'))
      line.remove_suffix(1);
    if (line.find_first_not_of(" \t\r") == line.npos)
      continue;
    auto read = read_incoming_line(line);
    if (!read) {
      refusals += refusal(read.error(), number, line);
      ++refused;
    } else if (auto done = take(*std::move(read)); !done) {
      return done;
    }
  }
  const auto aside = folder_ / refused_folder / name;
  auto done = keep();
  if (done && refused != 0)
    done = set_aside(aside, refusals);
  if (!done)
    return done;
  std::error_code failed;
  // A file that cannot be read whole is moved, so that nothing is lost.
  if (*text)
    fs::remove(file, failed);
  else
    fs::rename(file, aside.string() + ".whole", failed);
  if (failed)
    return fail(file_error(errc::io_failed, file,
                           "cannot be removed: " + failed.message()));
  ++counts_.files;
  counts_.refused += refused;
  return {};
}

} // namespace convene::host
