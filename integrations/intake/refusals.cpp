#include <boost/json/serialize.hpp>
#include <convene/integrations/intake/refusals.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/files/descriptor.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/write_all.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

std::string refusal(const error& why, std::size_t number,
                    std::string_view line) {
  return json::serialize(json::object{
           {"line", number},
           {"rule", why.rule},
           {"pointer", why.pointer},
           {"reason", sanitize_utf8(to_string(why))},
           {"text", sanitize_utf8(std::string{line.substr(
                      0, std::min(line.size(), refused_line_max))})}})
         + '\n';
}

tl::unexpected<error> refused_fault(errc code, const fs::path& file,
                                    const std::string& what) {
  return fail(file_error(code, file, what, last_error()));
}

result<descriptor> open_refused(const fs::path& folder) {
  const auto path = folder / refused_folder;
  ::mkdir(path.c_str(), 0700); // it may be there
  descriptor made{
    ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (!made)
    return refused_fault(errc::usage, path,
                         "must be a folder, and no link to one");
  return made;
}

result<void> append_reasons(const descriptor& in, const fs::path& file,
                            std::string_view lines) {
  const descriptor out{::openat(
    in.get(), file.filename().c_str(),
    O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600)};
  struct stat status {};
  if (!out || ::fstat(out.get(), &status) != 0)
    return refused_fault(errc::io_failed, file, "cannot be written");
  if (!S_ISREG(status.st_mode))
    return fail(file_error(errc::usage, file, "is not a regular file"));
  if (!write_all(out.get(), lines) || ::fdatasync(out.get()) != 0)
    return refused_fault(errc::io_failed, file, "cannot be written");
  return {};
}

/// Under a name that no file has: an earlier one stays.
result<void> keep_file(const descriptor& in, const fs::path& file,
                       const fs::path& read) {
  for (int n = 1; n <= refused_files_max; ++n) {
    const auto name = file.filename().string() + ".whole"
                      + (n == 1 ? "" : '.' + std::to_string(n));
    struct stat status {};
    if (::fstatat(in.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
      continue;
    if (::renameat(AT_FDCWD, read.c_str(), in.get(), name.c_str()) != 0)
      return refused_fault(errc::io_failed, read, "cannot be moved");
    return {};
  }
  return fail(file_error(errc::limit_reached, file,
                         "was refused " + std::to_string(refused_files_max)
                           + " times: remove what is no longer needed",
                         "refused_files_max"));
}

} // namespace

void refusals::add(const error& why, std::size_t number,
                   std::string_view line) {
  ++count_;
  if (is_full_)
    return;
  auto next = refusal(why, number, line);
  is_full_ = count_ > refusals_max
             || lines_.size() + next.size() > refused_bytes_max;
  keeps_file_ = keeps_file_ || is_full_ || line.size() > refused_line_max;
  lines_ += is_full_ ? refusal({.code = errc::limit_reached,
                                .message = "is refused, and perhaps more: "
                                           "these are too many to be listed, "
                                           "and the file is kept",
                                .rule = "refusals_max"},
                               number, {})
                     : std::move(next);
}

void refusals::add_whole(const error& why) {
  ++count_;
  keeps_file_ = true;
  lines_ += refusal(why, 0, {});
}

result<void> refusals::set_aside(const fs::path& folder,
                                 const std::string& name,
                                 const fs::path& read) const {
  if (count_ != 0) {
    const auto in = open_refused(folder);
    if (!in)
      return fail(in.error());
    const auto file = folder / refused_folder / name;
    auto done = append_reasons(*in, file, lines_);
    if (done && keeps_file_)
      return keep_file(*in, file, read);
    if (!done)
      return done;
  }
  if (::unlink(read.c_str()) != 0)
    return refused_fault(errc::io_failed, read, "cannot be removed");
  return {};
}

} // namespace convene::host
