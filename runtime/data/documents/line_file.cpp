#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/documents/line_file.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

namespace convene::host {

using namespace convene::protocol;

namespace {

/// Until the last copy of the descriptor is closed. Where the file system
/// cannot lock files, nobody is kept out.
result<void> lock(int descriptor, const std::filesystem::path& file) {
  int locked = 0;
  do
    locked = ::flock(descriptor, LOCK_EX | LOCK_NB);
  while (locked == -1 && errno == EINTR);
  if (locked == -1 && errno == EWOULDBLOCK)
    return fail(file_error(errc::usage, file,
                           "another program is writing this file; wait until "
                           "it has ended, or name another file",
                           line_file_locked));
  return {};
}

} // namespace

result<line_file> line_file::open(const std::filesystem::path& file,
                                  std::string_view start,
                                  const line_visitor& visit) {
  const auto target = append_file::open(file);
  if (!target)
    return fail(target.error());
  if (auto held = lock(target->get(), file); !held)
    return fail(std::move(held).error());
  // Whoever held the file before may have written.
  const auto bytes = ::lseek(target->get(), 0, SEEK_END);
  line_file opened;
  opened.name_ = file;
  opened.file_ = *target;
  off_t whole = 0;
  const auto take = [&](std::string_view line,
                        std::size_t number) -> result<void> {
    const auto end = whole + static_cast<off_t>(line.size()) + 1;
    const bool is_torn = end > bytes && !parse_json(line);
    const bool begins = is_torn ? start.starts_with(
                          line.substr(0, std::min(line.size(), start.size())))
                                : line.starts_with(start);
    auto done = begins ? result<void>{}
                       : fail(errc::usage,
                              "is a line of something else; name another "
                              "file, or a new one",
                              "line_file");
    if (done && !is_torn)
      done = visit(line, number);
    if (!done) {
      auto why = std::move(done).error();
      why.file = file.string();
      why.line = number;
      why.column = std::max<std::size_t>(1, why.column);
      return fail(std::move(why));
    }
    whole = is_torn ? whole : end;
    return {};
  };
  if (const auto read = visit_lines(file, take); !read)
    return fail(read.error());
  auto mended = whole > bytes   ? target->append("\n", synced::no)
                : whole < bytes ? target->cut(whole)
                                : result<void>{};
  if (!mended)
    return fail(std::move(mended).error());
  return opened;
}

result<void> line_file::append(std::string_view lines) const {
  return file_.append(lines);
}

} // namespace convene::host
