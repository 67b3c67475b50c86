#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/spool.hpp>
#include <convene/runtime/log/files/temporary_folder.hpp>
#include <convene/runtime/log/files/write_all.hpp>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace convene::host {
namespace {

using namespace convene::protocol;
namespace fs = std::filesystem;

constexpr std::size_t piece_bytes = std::size_t{64} << 10U;

auto refused(const char* what, const std::error_code& why) {
  return fail(file_error(errc::io_failed, temporary_folder(), what, why));
}

/// How much of the text are whole characters of UTF-8, if it is that.
std::size_t whole_characters(std::string_view text) noexcept {
  const auto byte = [text](std::size_t back) {
    return static_cast<unsigned char>(text[text.size() - back]);
  };
  constexpr std::size_t longest = 4;
  for (std::size_t back = 1; back < longest && back <= text.size(); ++back) {
    if ((byte(back) & 0xc0U) == 0x80U)
      continue;
    const std::size_t length = byte(back) >= 0xf0U   ? 4
                               : byte(back) >= 0xe0U ? 3
                               : byte(back) >= 0xc0U ? 2
                                                     : 1;
    return length > back ? text.size() - back : text.size();
  }
  return text.size();
}

} // namespace

result<void> spool::open() {
  auto name = (temporary_folder() / "convene-XXXXXX").string();
  file_ = descriptor{::mkostemp(name.data(), O_CLOEXEC)};
  if (!file_)
    return refused("a temporary file cannot be created in it; set TMPDIR to "
                   "another folder",
                   last_error());
  if (::unlink(name.c_str()) != 0)
    return refused("a temporary file in it cannot be unlinked", last_error());
  return {};
}

result<void> spool::write(std::string_view text) {
  if (memory_.size() + text.size() <= memory_bytes_max_) {
    memory_ += text;
    return {};
  }
  if (!file_)
    if (auto opened = open(); !opened)
      return opened;
  for (const auto each : {std::string_view{memory_}, text}) {
    if (!write_all(file_.get(), each))
      return refused("a temporary file in it cannot be written; set TMPDIR to "
                     "another folder",
                     last_error());
    in_file_ += each.size();
  }
  memory_.clear();
  return {};
}

result<void> spool::read_some(std::uint64_t from, std::string& into) const {
  std::size_t got = 0;
  while (got < into.size() && from + got < in_file_) {
    const auto bytes = ::pread(file_.get(), into.data() + got,
                               std::min<std::uint64_t>(into.size() - got,
                                                       in_file_ - from - got),
                               static_cast<off_t>(from + got));
    if (bytes <= 0 && (bytes == 0 || errno != EINTR))
      return refused("a temporary file in it cannot be read", last_error());
    got += bytes > 0 ? static_cast<std::size_t>(bytes) : 0;
  }
  const auto in_memory = std::max(from + got, in_file_) - in_file_;
  if (in_memory < memory_.size())
    got += memory_.copy(into.data() + got, into.size() - got, in_memory);
  into.resize(got);
  return {};
}

result<void> spool::read(const piece_taker& take, std::uint64_t from,
                         std::uint64_t bytes_max) const {
  std::string piece;
  const auto end = from
                   + std::min(bytes_max, bytes() - std::min(from, bytes()));
  while (from < end) {
    piece.resize(std::min<std::uint64_t>(piece_bytes, end - from));
    if (auto done = read_some(from, piece); !done)
      return done;
    if (from + piece.size() < end)
      piece.resize(whole_characters(piece));
    take(piece);
    from += piece.size();
  }
  return {};
}

result<void> write_new_file(
  const fs::path& file,
  const std::function<result<void>(const spool::piece_taker&)>& read) {
  result<void> all;
  auto done = write_file(file, [&](const spool::piece_taker& take) {
    all = read(take);
  });
  if (done && !all) {
    std::error_code ignored;
    fs::remove(file, ignored);
    return all;
  }
  return done;
}

} // namespace convene::host
