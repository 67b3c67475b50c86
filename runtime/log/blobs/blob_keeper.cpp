#include <convene/runtime/log/blobs/blob_keeper.hpp>
#include <convene/runtime/log/event_log/existing_log.hpp>
#include <convene/runtime/log/event_log/log_file.hpp>

#include <utility>
#include <vector>

namespace convene::host {

using namespace protocol;

namespace fs = std::filesystem;

blob_keeper::blob_keeper(fs::path folder, const log_options& how)
  : folder_{std::move(folder)}, files_{how.files != nullptr ? how.files
                                                            : &posix_storage()},
    shared_{shared_of(how.companions)},
    syncs_{how.durability != durability::none}, removes_{how.segment_bytes != 0
                                                         && how.removes()} {
  // nop
}

result<blob> blob_keeper::put(std::string_view text) {
  if (shared_ != nullptr)
    if (auto taken = shared_->take_blob(name_blob(text).sha256, text); !taken)
      return fail(std::move(taken).error());
  return put_shared(text);
}

result<blob> blob_keeper::put_shared(std::string_view text) {
  auto made = name_blob(text);
  const auto file = folder_ / made.sha256;
  {
    // The same value is written once, however many have it at once.
    std::unique_lock held{mutex_};
    written_.wait(held, [&] { return !under_way_.contains(made.sha256); });
    under_way_.insert(made.sha256);
    ++uses_[made.sha256].pending;
  }
  auto done = write(file, text);
  {
    const std::lock_guard held{mutex_};
    under_way_.erase(made.sha256);
    const auto found = uses_.find(made.sha256);
    if (!done)
      --found->second.pending;
    found->second.bytes = text.size();
    const auto& of = found->second;
    if ((of.segment == 0 && of.pending == 0) || !removes_) // nobody asks
      uses_.erase(found);
  }
  written_.notify_all();
  if (!done)
    return fail(std::move(done).error());
  return made;
}

/// What is there already may be torn, or in memory only: of a process that
/// died, or whose durability was `none`. Its blob may have a name on the log.
result<void> blob_keeper::write(const fs::path& path, std::string_view text) {
  if (const auto made = files_->make_folder(folder_); !made)
    return storage_failed(folder_, "making the folder", made.error());
  auto file = log_file::open(*files_, path);
  if (!file)
    return fail(std::move(file).error());
  const bool is_new = file->size() == 0;
  bool is_there = false;
  if (file->size() == text.size()) {
    const auto found = file->read(0, text.size());
    if (!found)
      return fail(found.error());
    is_there = *found == text;
  }
  auto done = result<void>{};
  if (is_there && syncs_)
    done = file->write_again(0);
  else if (!is_there)
    done = (is_new ? result<void>{} : file->cut(0)).and_then([&] {
      return file->write(text);
    });
  if (done && syncs_)
    done = sync(*file);
  if (done)
    return file->close();
  if (is_new)
    static_cast<void>(files_->remove(path));
  return done;
}

/// The folder is synced in its own, and that one too, the first time.
result<void> blob_keeper::sync(log_file& file) {
  if (auto synced = file.sync(); !synced)
    return synced;
  if (!is_folder_kept_) {
    if (auto synced = sync_names(*files_, file.path()); !synced)
      return synced;
    is_folder_kept_ = true;
    return {};
  }
  if (const auto synced = files_->sync_folder(folder_); !synced)
    return storage_failed(folder_, "syncing the folder", synced.error());
  return {};
}

std::size_t blob_keeper::swept() const {
  const std::lock_guard held{mutex_};
  return swept_;
}

void blob_keeper::saw(std::uint32_t segment, std::string_view line) {
  const auto named = blobs_of_line(line);
  const std::lock_guard held{mutex_};
  has_events_ = true;
  for (const auto& each : named) {
    auto& of = uses_[each.sha256];
    of.segment = segment;
    of.bytes = each.bytes;
    if (of.pending != 0)
      --of.pending;
  }
}

/// Beside a log without events may be what belongs to one that was moved away.
void blob_keeper::opened() {
  const std::lock_guard held{mutex_};
  const auto names = has_events_ ? files_->list(folder_)
                                 : io_result<std::vector<std::string>>{};
  if (names)
    for (const auto& name : *names)
      if (is_blob_name(name) && !uses_.contains(name)
          && files_->remove(folder_ / name))
        ++swept_;
  if (!removes_)
    uses_.clear();
}

void blob_keeper::add_bytes(
  std::map<std::uint32_t, std::uint64_t>& by_segment) const {
  const std::lock_guard held{mutex_};
  for (const auto& [name, of] : uses_)
    if (of.segment != 0)
      by_segment[of.segment] += of.bytes;
}

void blob_keeper::removed(std::uint32_t through) {
  const std::lock_guard held{mutex_};
  std::erase_if(uses_, [&](const auto& each) {
    const auto& [name, of] = each;
    // What cannot be removed now is at the next start.
    return of.segment != 0 && of.segment <= through && of.pending == 0
           && files_->remove(folder_ / name);
  });
}

} // namespace convene::host
