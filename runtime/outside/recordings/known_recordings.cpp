#include <convene/runtime/log/event_log/reader.hpp>
#include <convene/runtime/outside/recordings/known_recordings.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <mutex>
#include <string>
#include <system_error>
#include <utility>

namespace convene::host {

using protocol::fail;
using protocol::result;

namespace {

namespace fs = std::filesystem;
using participant_ids = std::set<std::string, std::less<>>;

/// What a log's files were like when they were read.
struct file_stamp {
  fs::path file;
  std::uintmax_t bytes = 0;
  fs::file_time_type written;

  bool operator==(const file_stamp&) const = default;
};

result<std::vector<file_stamp>> stamps_of(const fs::path& log) {
  const auto files = log_files(log);
  if (!files)
    return fail(files.error());
  std::vector<file_stamp> made;
  for (const auto& file : *files) {
    // A file that is not there is the reader's to complain of.
    std::error_code failed;
    const auto bytes = fs::file_size(file, failed);
    made.push_back({file, bytes, fs::last_write_time(file, failed)});
  }
  return made;
}

/// At most so much of a log is kept: all of it, if that is less.
std::size_t bytes_kept_of(const std::vector<file_stamp>& stamps) {
  constexpr std::size_t least = 4096; // of one without a byte
  std::size_t bytes = least;
  for (const auto& file : stamps)
    bytes += std::min<std::uintmax_t>(file.bytes, recording_bytes_max);
  return std::min(bytes, recording_bytes_max);
}

struct known_log {
  recorded_settings from;
  std::vector<file_stamp> stamps;
  participant_ids participants; ///< whose answers were looked for
  std::shared_ptr<const recordings> all;
};

class log_table {
public:
  result<std::shared_ptr<const recordings>>
  find(const recorded_settings& from, const participant_ids& participants) {
    auto stamps = stamps_of(from.log);
    if (!stamps)
      return fail(std::move(stamps).error());
    const std::lock_guard held{mutex_};
    const auto at = std::ranges::find(logs_, from, &known_log::from);
    auto wanted = participants;
    if (at != logs_.end()) {
      if (at->stamps == *stamps
          && std::ranges::all_of(participants, [&](const std::string& id) {
               return at->participants.contains(id);
             })) {
        logs_.splice(logs_.begin(), logs_, at);
        return at->all;
      }
      if (at->stamps == *stamps)
        wanted.insert(at->participants.begin(), at->participants.end());
      give_up(at);
    }
    auto read = read_recordings(from.log, from.session, wanted);
    if (!read)
      return fail(std::move(read).error());
    bytes_ += bytes_kept_of(*stamps);
    while (bytes_ > known_recordings_bytes_max)
      give_up(std::prev(logs_.end()));
    logs_.push_front({from, *std::move(stamps), std::move(wanted),
                      std::make_shared<const recordings>(*std::move(read))});
    return logs_.front().all;
  }

private:
  void give_up(std::list<known_log>::iterator at) {
    bytes_ -= bytes_kept_of(at->stamps);
    logs_.erase(at);
  }

  // Guarded by the mutex.
  std::mutex mutex_;
  std::list<known_log> logs_; ///< the latest wanted first
  std::size_t bytes_ = 0;     ///< of all that are kept
};

} // namespace

result<std::shared_ptr<const recordings>>
known_recordings(const recorded_settings& from,
                 const participant_ids& participants) {
  // Never destroyed: a runtime may use it while the program ends.
  static auto& table = *new log_table;
  return table.find(from, participants);
}

} // namespace convene::host
