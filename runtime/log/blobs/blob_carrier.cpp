#include <convene/protocol/base/lines.hpp>
#include <convene/runtime/log/blobs/blob_carrier.hpp>
#include <convene/runtime/log/blobs/blob_files.hpp>
#include <convene/runtime/log/files/files.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace fs = std::filesystem;

namespace {

constexpr std::size_t left_kept = 100;

} // namespace

blob_carrier::blob_carrier(fs::path from, fs::path to)
  : from_{std::move(from)}, to_{std::move(to)} {
  // nop
}

void blob_carrier::feed(std::string_view line) {
  for (const auto& each : blobs_of_line(line)) {
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
  while (!lines.empty())
    feed(cut_line(lines));
}

result<void> blob_carrier::copy(const blob& which) {
  const auto text = read_blob(from_, which);
  if (!text)
    return fail(text.error());
  if (from_ == to_)
    return {};
  std::error_code failed;
  create_private(to_, failed);
  if (failed)
    return fail(file_error(errc::io_failed, to_, "cannot be created", failed));
  return write_file(to_ / which.sha256, *text, synced::yes);
}

} // namespace convene::host
