#include <convene/runtime/log/blobs/blob_carrier.hpp>
#include <convene/runtime/log/blobs/blob_files.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

namespace convene::host {

namespace fs = std::filesystem;
using protocol::blob;
using protocol::errc;
using protocol::fail;
using protocol::result;

namespace {

constexpr std::size_t left_kept = 100;

} // namespace

blob_carrier::blob_carrier(fs::path from, fs::path to)
  : from_{std::move(from)}, to_{std::move(to)} {
  // nop
}

void blob_carrier::feed(std::string_view line) {
  for (const auto& each : protocol::blobs_of_line(line)) {
    if (!seen_.insert(each).second)
      continue;
    if (auto done = copy(each)) {
      carried_.insert(each);
    } else {
      ++total_;
      if (left_.size() < left_kept)
        left_.push_back(std::move(done).error());
    }
  }
}

void blob_carrier::feed_all(std::string_view lines) {
  while (!lines.empty()) {
    const auto line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    feed(line);
  }
}

result<void> blob_carrier::copy(const blob& which) {
  const auto text = read_blob(from_, which);
  if (!text)
    return fail(text.error());
  if (from_ == to_)
    return {};
  std::error_code failed;
  fs::create_directories(to_, failed);
  if (failed)
    return fail(file_error(errc::io_failed, to_,
                           "cannot be created: " + failed.message()));
  return write_file(to_ / which.sha256, *text, synced::yes);
}

} // namespace convene::host
