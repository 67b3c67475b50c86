#include <convene/runtime/event_log/segments.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

namespace fs = std::filesystem;
using protocol::errc;
using protocol::fail;
using protocol::result;

auto unreadable(const fs::path& path, std::string message) {
  return fail({.code = errc::unreadable,
               .message = std::move(message),
               .file = path.string()});
}

auto unreadable_because(const fs::path& path, const std::string& what) {
  return unreadable(path, what + ": " + std::generic_category().message(errno));
}

std::uint32_t number_of(const fs::path& path) {
  const auto name = path.stem().string();
  std::uint32_t number = 0;
  const auto* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, number);
  return error == std::errc{} && stop == end && number != 0 ? number : 1;
}

} // namespace

result<std::vector<log_segment>> found_segments(const fs::path& path) {
  std::error_code code;
  const auto status = fs::status(path, code);
  if (fs::is_regular_file(status))
    return std::vector{log_segment{number_of(path), path}};
  if (!fs::exists(status))
    return unreadable(path, "there is no such file or folder");
  if (!fs::is_directory(status))
    return unreadable(path, "neither a regular file nor a folder");
  if (fs::is_regular_file(path / "events.jsonl", code))
    return std::vector{log_segment{1, path / "events.jsonl"}};
  std::vector<log_segment> files;
  const bool inside = fs::is_directory(path / "log", code);
  fs::directory_iterator entry{inside ? path / "log" : path, code};
  for (; !code && entry != fs::directory_iterator{}; entry.increment(code))
    if (entry->path().extension() == ".jsonl"
        && fs::is_regular_file(entry->path(), code))
      files.push_back({number_of(entry->path()), entry->path()});
  if (files.empty())
    return unreadable(path,
                      "the folder has neither events.jsonl nor log/*.jsonl");
  std::ranges::sort(files, {}, &log_segment::number);
  return files;
}

result<std::vector<log_segment>> log_segments(const fs::path& path) {
  auto all = found_segments(path);
  // A segment may be read by itself, but not a log without its beginning.
  const bool alone = all && all->front().path == path;
  for (std::size_t i = alone ? 1 : 0; all && i < all->size(); ++i) {
    const auto& [number, file] = (*all)[i];
    const auto before = i == 0 ? 0 : (*all)[i - 1].number;
    if (number == before + 1)
      continue;
    const bool twice = number == before;
    return fail({.code = errc::invalid_document,
                 .message = twice
                              ? "segment " + std::to_string(before)
                                  + " of the log is there twice"
                              : "segment " + std::to_string(before + 1)
                                  + " of the log is missing before this one",
                 .file = file.string(),
                 .rule = "log_damaged",
                 .line = 1,
                 .column = 1});
  }
  return all;
}

input_file::input_file(fs::path path, int descriptor)
  : path_{std::move(path)}, descriptor_{descriptor} {
  // nop
}

input_file::input_file(input_file&& other) noexcept
  : path_{std::move(other.path_)}, descriptor_{
                                     std::exchange(other.descriptor_, -1)} {
  // nop
}

input_file& input_file::operator=(input_file&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

input_file::~input_file() {
  if (descriptor_ != -1)
    ::close(descriptor_);
}

result<input_file> input_file::open(const fs::path& path) {
  // Not to wait for the other end of a pipe.
  input_file file{path,
                  ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.descriptor_ == -1)
    return unreadable_because(path, "the file cannot be opened");
  struct stat about {};
  if (::fstat(file.descriptor_, &about) != 0 || !S_ISREG(about.st_mode))
    return unreadable(path, "this is no regular file");
  return file;
}

result<std::string_view> input_file::read(std::uint64_t offset,
                                          std::size_t bytes,
                                          std::string& into) const {
  if (into.size() < bytes)
    into.resize(bytes);
  return read(offset, std::span{into}.first(bytes)).map([&](std::size_t have) {
    return std::string_view{into.data(), have};
  });
}

result<std::size_t> input_file::read(std::uint64_t offset,
                                     std::span<char> into) const {
  std::size_t have = 0;
  while (have < into.size()) {
    const auto count = ::pread(descriptor_, into.data() + have,
                               into.size() - have,
                               static_cast<off_t>(offset + have));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return unreadable_because(path_, "the file cannot be read to its end");
    if (count == 0)
      break;
    have += static_cast<std::size_t>(count);
  }
  return have;
}

result<std::uint64_t> input_file::size() const {
  struct stat about {};
  if (::fstat(descriptor_, &about) != 0)
    return unreadable_because(path_, "the file's size cannot be read");
  return static_cast<std::uint64_t>(about.st_size);
}

} // namespace convene::host
