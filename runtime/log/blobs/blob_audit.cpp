#include <convene/runtime/log/blobs/blob_audit.hpp>
#include <convene/runtime/log/blobs/blob_files.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {

namespace {

constexpr std::size_t blob_findings_kept = 100;

} // namespace

blob_audit::blob_audit(const std::filesystem::path& log) {
  if (auto folder = blob_folder_of(log))
    folder_ = *std::move(folder);
}

void blob_audit::feed(const log_place& place, std::string_view line) {
  for (auto& each : protocol::blobs_of_line(line)) {
    const auto [which, is_new] = named_.insert(std::move(each));
    if (!is_new)
      continue;
    auto text = read_blob(folder_, *which);
    if (text)
      continue;
    auto what = std::move(text).error();
    what.message = what.file + ": " + what.message;
    what.file = place.file;
    what.line = place.number;
    note(std::move(what));
  }
}

void blob_audit::note(protocol::error what) {
  ++total_;
  if (findings_.size() < blob_findings_kept)
    findings_.push_back(std::move(what));
}

void blob_audit::finish(bool is_whole) {
  if (!is_whole)
    return;
  const auto names = blob_names_in(folder_);
  if (!names)
    return note(names.error());
  const auto is_unnamed = [this](const std::string& name) {
    const auto next = named_.lower_bound({.sha256 = name});
    return next == named_.end() || next->sha256 != name;
  };
  unnamed_
    = static_cast<std::size_t>(std::ranges::count_if(*names, is_unnamed));
}

} // namespace convene::host
