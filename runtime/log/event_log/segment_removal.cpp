#include <convene/runtime/log/event_log/mutant.hpp>
#include <convene/runtime/log/event_log/segment_removal.hpp>

#include <utility>

namespace convene::host {

using namespace protocol;

namespace fs = std::filesystem;

segment_removal::segment_removal(storage& files, fs::path folder,
                                 const segment_files& found)
  : files_{&files}, folder_{std::move(folder)}, removals_{found.removals} {
  // nop
}

result<void> segment_removal::finish(const segment_files& found) {
  if (!found.has_removals)
    return {};
  auto records = log_file::open(*files_, folder_ / removed_file_name);
  if (!records)
    return fail(std::move(records).error());
  // Synced, so that what was cut cannot come back in front of a record.
  if (records->size() > removals_.bytes) {
    if (auto cut = records->cut(removals_.bytes); !cut)
      return cut;
    if (auto synced = records->sync(); !synced)
      return synced;
  }
  if (found.leftovers.empty())
    return records->close();
  // The last record may be in memory only: after a sync that failed.
  if (auto again = records->write_again(removals_.bytes - removal_bytes);
      !again)
    return again;
  if (auto settled = settle(*records); !settled)
    return settled;
  for (const auto& file : found.leftovers)
    if (auto gone = take_away(file); !gone)
      return gone;
  return {};
}

result<void> segment_removal::remove(const removed_segments& now) {
  auto records = log_file::open(*files_, folder_ / removed_file_name);
  if (!records)
    return fail(std::move(records).error());
  if (auto written = records->write(to_record(now)); !written)
    return written;
  if (auto settled = settle(*records); !settled)
    return settled;
  const auto first = removals_.last.through + 1;
  removals_ = {now, records->size()};
  // What cannot be taken away is left over: no event is in doubt, and the next
  // start takes it away or says why it cannot.
  for (auto number = first; number <= now.through; ++number)
    for (const auto& name : {segment_name(number), index_name(number)})
      if (!take_away(folder_ / name))
        return {};
  return {};
}

/// Nothing is taken away before the disk knows that it was.
result<void> segment_removal::settle(log_file& records) {
  if (!off(log_mutant::removal_sync)) {
    if (auto synced = records.sync(); !synced)
      return synced;
    if (const auto done = files_->sync_folder(folder_); !done)
      return storage_failed(folder_, "syncing the log's folder", done.error());
  }
  return records.close();
}

result<void> segment_removal::take_away(const fs::path& file) {
  if (const auto gone = files_->remove(file); !gone)
    return storage_failed(file, "removing a segment", gone.error());
  return {};
}

} // namespace convene::host
