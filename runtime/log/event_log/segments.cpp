#include <convene/runtime/log/event_log/removed_segments.hpp>
#include <convene/runtime/log/event_log/segments.hpp>
#include <convene/runtime/log/files/descriptor_limit.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

namespace fs = std::filesystem;

auto unreadable(const fs::path& path, std::string message) {
  return fail(file_error(errc::unreadable, path, std::move(message)));
}

auto unreadable_because(const fs::path& path, std::string what) {
  return fail(
    file_error(errc::unreadable, path, std::move(what), last_error()));
}

std::uint32_t number_of(const fs::path& path) {
  const auto name = path.stem().string();
  std::uint32_t number = 0;
  const auto* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, number);
  return error == std::errc{} && stop == end && number != 0 ? number : 1;
}

/// Where the segments of the log at `path` are.
fs::path folder_of(const fs::path& path) {
  std::error_code code;
  return fs::is_directory(path / "log", code) ? path / "log" : path;
}

/// What there is of a log.
struct listed_files {
  std::vector<log_segment> files;
  bool numbered = false; // in a folder of segments
};

result<listed_files> list_files(const fs::path& path) {
  std::error_code code;
  const auto status = fs::status(path, code);
  if (fs::is_regular_file(status))
    return listed_files{{{number_of(path), path, {}}}};
  if (!fs::exists(status))
    return unreadable(path, "no such file or folder");
  if (!fs::is_directory(status))
    return unreadable(path, "neither a regular file nor a folder");
  if (fs::is_regular_file(path / "events.jsonl", code))
    return listed_files{{{1, path / "events.jsonl", {}}}};
  listed_files found{.numbered = true};
  fs::directory_iterator entry{folder_of(path), code};
  for (; !code && entry != fs::directory_iterator{}; entry.increment(code))
    if (entry->path().extension() == ".jsonl"
        && fs::is_regular_file(entry->path(), code))
      found.files.push_back({number_of(entry->path()), entry->path(), {}});
  if (code)
    return unreadable(path, "the folder cannot be listed: " + code.message());
  if (found.files.empty())
    return unreadable(path,
                      "the folder has neither events.jsonl nor log/*.jsonl");
  std::ranges::sort(found.files, {}, &log_segment::number);
  return found;
}

/// Leaves out what was removed, and is there still or there again.
void leave_out(std::vector<log_segment>& files,
               const removed_segments& removed) {
  if (removed.through == 0)
    return;
  std::erase_if(files, [&](const log_segment& file) {
    return file.number <= removed.through;
  });
  if (!files.empty() && files.front().number == removed.through + 1)
    files.front().after_removed = removed.last_crc;
}

/// An error unless all numbers behind `before` are there, each once.
result<void> check_numbers(const std::vector<log_segment>& files,
                           std::uint32_t before) {
  for (const auto& [number, file, after] : files) {
    if (number != before + 1) {
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
    before = number;
  }
  return {};
}

} // namespace

result<std::vector<log_segment>> found_segments(const fs::path& path) {
  auto found = list_files(path);
  if (!found)
    return fail(std::move(found).error());
  if (!found->numbered)
    return std::move(found->files);
  auto left = found->files;
  if (const auto removed = read_removed(folder_of(path)))
    leave_out(left, *removed);
  // What was removed and is there still is better than nothing.
  return left.empty() ? std::move(found->files) : std::move(left);
}

result<std::vector<log_segment>> log_segments(const fs::path& path) {
  // Who writes may remove what was just listed.
  constexpr int looks_max = 3;
  removed_segments removed;
  for (int look = 0; look < looks_max; ++look) {
    auto found = list_files(path);
    if (!found)
      return fail(std::move(found).error());
    // A segment may be read by itself, but not a log without its beginning.
    if (!found->numbered)
      return std::move(found->files);
    // Read behind the list: of what the list lacks, the record is there.
    const auto read = read_removed(folder_of(path));
    if (!read)
      return fail(read.error());
    removed = *read;
    leave_out(found->files, removed);
    if (found->files.empty())
      continue;
    if (auto ok = check_numbers(found->files, removed.through); !ok)
      return fail(std::move(ok).error());
    return std::move(found->files);
  }
  return fail({.code = errc::invalid_document,
               .message = "segment " + std::to_string(removed.through + 1)
                          + " of the log is missing: those before were removed",
               .file = folder_of(path).string(),
               .rule = "log_damaged",
               .line = 1,
               .column = 1});
}

bool was_removed(const fs::path& path, std::uint32_t number) {
  std::error_code code;
  if (!fs::is_directory(path, code))
    return false;
  const auto removed = read_removed(folder_of(path));
  return removed && removed->through >= number;
}

result<input_file> input_file::open(const fs::path& path) {
  // Not to wait for the other end of a pipe.
  input_file file{path, open_reserved(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (!file.file_)
    return unreadable_because(path, "the file cannot be opened");
  struct stat about {};
  if (::fstat(file.file_.get(), &about) != 0 || !S_ISREG(about.st_mode))
    return unreadable(path, "this is not a regular file");
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
    const auto count = ::pread(file_.get(), into.data() + have,
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
  if (::fstat(file_.get(), &about) != 0)
    return unreadable_because(path_, "the file's size cannot be read");
  return static_cast<std::uint64_t>(about.st_size);
}

} // namespace convene::host
