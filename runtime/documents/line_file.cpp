#include <convene/runtime/documents/line_file.hpp>
#include <convene/runtime/files/append_target.hpp>
#include <convene/runtime/files/write_all.hpp>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

namespace convene::host {

using namespace convene::protocol;

result<line_file> line_file::open(const std::filesystem::path& file,
                                  std::string_view start,
                                  const line_visitor& visit) {
  const auto target = open_to_append(file);
  if (!target)
    return fail(target.error());
  line_file opened;
  opened.file_ = file;
  opened.descriptor_ = target->descriptor;
  off_t whole = 0;
  const auto take = [&](std::string_view line,
                        std::size_t number) -> result<void> {
    const auto end = whole + static_cast<off_t>(line.size()) + 1;
    const bool is_torn = end > target->bytes;
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
  if (whole != target->bytes && ::ftruncate(*target->descriptor, whole) != 0)
    return fail(cannot_write(errc::io_failed, file));
  return opened;
}

result<void> line_file::append(std::string_view lines) const {
  if (!write_all(*descriptor_, lines) || ::fdatasync(*descriptor_) != 0)
    return fail(cannot_write(errc::io_failed, file_));
  return {};
}

} // namespace convene::host
