#include "log_history.hpp"

#include <convene/runtime/log/event_log/existing_log.hpp>

#include <algorithm>

namespace convene::tests {

using namespace host;
using namespace std::chrono_literals;

namespace {

const std::filesystem::path folder = "data/log";

} // namespace

log_history::log_history(std::uint64_t seed, bool segmented)
  : disk{seed}, random{~seed} {
  options_ = {.group_bytes = 1 + random() % 4096,
              .group_interval = 1h,
              .durability = protocol::durability::group,
              .existing = existing_log::append,
              .segment_bytes = segmented ? 1 + random() % 8192 : 0,
              .files = &disk};
}

std::filesystem::path log_history::newest_file() const {
  if (options_.segment_bytes == 0)
    return folder / "events.jsonl";
  std::uint32_t number = 1;
  while (!disk.content(folder / segment_name(number + 1)).empty())
    ++number;
  return folder / segment_name(number);
}

std::string log_history::next_line() {
  const auto choice = random() % 8;
  const auto padding = choice < 5 ? random() % 200 : random() % 3000;
  return "{\"event_id\":" + std::to_string(next_++) + ",\"x\":\""
         + std::string(padding, 'x') + "\"}\n";
}

void log_history::look_at(const std::vector<std::string>& found) {
  if (found.size() < acknowledged_)
    complaint_ = "of " + std::to_string(acknowledged_)
                 + " acknowledged lines only " + std::to_string(found.size())
                 + " are there";
  else if (found.size() > appended_.size()
           || !std::equal(found.begin(), found.end(), appended_.begin()))
    complaint_ = "what is there is not what was appended";
  // From here on it is: whoever has opened the log can count on it.
  appended_ = found;
  on_log_ = acknowledged_ = found.size();
}

void log_history::live(std::size_t batches) {
  error_.reset();
  std::vector<std::string> found;
  auto writer = event_log_writer::open(
    options_.segment_bytes != 0 ? folder : folder / "events.jsonl", options_,
    [&](const log_place&, std::string_view line) {
      found.push_back(std::string{line} + '\n');
    });
  if (!writer) {
    error_ = std::move(writer).error();
    return;
  }
  look_at(found);
  for (std::size_t i = 0; i < batches && write_batch(**writer); ++i)
    ;
  if (auto closed = (*writer)->close(); !closed && !error_)
    error_ = std::move(closed).error();
  else if (closed && error_)
    complaint_ = "closing went well after an error";
}

bool log_history::write_batch(event_log_writer& writer) {
  const auto count = 1 + random() % 4;
  for (std::size_t i = 0; i < count; ++i) {
    appended_.push_back(next_line());
    const auto place = writer.append(appended_.back());
    if (!place) {
      error_ = place.error();
      return false;
    }
    const auto all = appended_.size();
    if (random() % 2 == 0)
      writer.call_when_kept(*place, [this, all](protocol::result<void> kept) {
        const std::lock_guard lock{mutex_};
        if (kept)
          acknowledged_ = std::max(acknowledged_, all);
      });
  }
  if (random() % 4 == 0)
    return true;
  const auto flushed = writer.flush();
  if (!flushed) {
    error_ = flushed.error();
    // A failure is final.
    if (writer.flush() || writer.append("{}\n"))
      complaint_ = "the log was written after an error";
    return false;
  }
  const std::lock_guard lock{mutex_};
  acknowledged_ = appended_.size();
  return true;
}

} // namespace convene::tests
