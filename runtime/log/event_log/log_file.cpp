#include <convene/runtime/log/event_log/log_file.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

/// Handed to the disk at once, while more of the same group is copied.
constexpr std::size_t piece_bytes = std::size_t{512} << 10;

} // namespace

tl::unexpected<protocol::error>
storage_failed(const std::filesystem::path& path, std::string_view doing,
               int number) {
  return fail(file_error(errc::io_failed, path,
                         std::string{doing} + " failed: "
                           + std::generic_category().message(number)));
}

log_file::log_file(std::filesystem::path path,
                   std::unique_ptr<stored_file> file)
  : path_{std::move(path)}, file_{std::move(file)} {
  // nop
}

result<log_file> log_file::open(storage& files,
                                const std::filesystem::path& path) {
  auto opened = files.open(path);
  if (!opened && opened.error() == EINVAL)
    return fail(file_error(errc::io_failed, path,
                           "a log can only be written to a regular file",
                           "log_exists"));
  if (!opened)
    return storage_failed(path, "opening the log", opened.error());
  log_file file{path, *std::move(opened)};
  const auto size = file.file_->size();
  if (!size)
    return storage_failed(path, "looking at the log", size.error());
  file.size_ = *size;
  return file;
}

result<std::size_t> log_file::read(std::uint64_t offset, std::span<char> into) {
  std::size_t used = 0;
  while (used < into.size()) {
    const auto count = file_->read_at(offset + used, into.subspan(used));
    if (!count)
      return storage_failed(path_, "reading the log", count.error());
    if (*count == 0)
      break;
    used += *count;
  }
  return used;
}

result<std::string> log_file::read(std::uint64_t offset, std::size_t length) {
  std::string bytes(length, '\0');
  const auto used = read(offset, std::span{bytes});
  if (!used)
    return tl::unexpected(used.error());
  bytes.resize(*used);
  return bytes;
}

result<void> log_file::write_at(std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = file_->write_at(offset, bytes);
    if (!count)
      return storage_failed(path_, "writing the log", count.error());
    if (*count == 0)
      return storage_failed(path_, "writing the log", ENOSPC);
    offset += *count;
    bytes.remove_prefix(*count);
  }
  return {};
}

result<void> log_file::write(std::string_view bytes) {
  auto done = write_at(size_, bytes);
  if (done)
    size_ += bytes.size();
  return done;
}

result<void> log_file::write_over(std::uint64_t offset,
                                  std::string_view bytes) {
  auto done = write_at(offset, bytes);
  if (done)
    size_ = std::max(size_, offset + bytes.size());
  return done;
}

result<void> log_file::write_again(std::uint64_t offset) {
  constexpr std::size_t piece = std::size_t{1} << 20;
  while (offset < size_) {
    const auto bytes = read(offset,
                            std::min<std::uint64_t>(piece, size_ - offset));
    if (!bytes)
      return fail(bytes.error());
    if (bytes->empty())
      break;
    if (auto done = write_at(offset, *bytes); !done)
      return done;
    offset += bytes->size();
  }
  return {};
}

result<void> log_file::cut(std::uint64_t size) {
  if (const auto done = file_->truncate(size); !done)
    return storage_failed(path_, "cutting the log", done.error());
  size_ = size;
  return {};
}

result<void> log_file::sync() {
  if (const auto done = file_->sync(); !done)
    return storage_failed(path_, "syncing the log", done.error());
  return {};
}

result<void> log_file::write_to_sync(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto piece = bytes.substr(0, piece_bytes);
    const auto from = size_;
    if (auto done = write(piece); !done)
      return done;
    bytes.remove_prefix(piece.size());
    if (!bytes.empty())
      file_->begin_sync(from, piece.size());
  }
  return {};
}

void log_file::reserve(std::size_t bytes, std::uint64_t ahead) {
  if (size_ + bytes <= reserved_)
    return;
  const auto from = std::max(size_, reserved_);
  reserved_ = size_ + bytes + ahead;
  static_cast<void>(file_->preallocate(from, reserved_));
}

void log_file::release() {
  if (std::exchange(reserved_, 0) != 0)
    static_cast<void>(file_->truncate(size_));
}

result<void> log_file::close() {
  if (const auto file = std::exchange(file_, nullptr))
    if (const auto done = file->close(); !done)
      return storage_failed(path_, "closing the log", done.error());
  return {};
}

} // namespace convene::host
