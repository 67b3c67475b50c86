#include <convene/lab/simulation/faults/faulty_log.hpp>
#include <convene/lab/simulation/faults/log_damage.hpp>
#include <convene/runtime/log/event_log/event_session.hpp>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

constexpr std::size_t group_bytes = std::size_t{16} << 10;
const std::filesystem::path log_name{"events.jsonl"};
const std::filesystem::path log_folder{"log"};

/// The first and the last event of a session that was on the log before.
std::string earlier_session(const uuid& id, uuid_source& ids) {
  std::string lines;
  for (const auto* type : {"MAPSessionStarted", "MAPSessionCompleted"})
    lines += R"({"event_id":")" + to_string(ids.next()) + R"(","event_type":")"
             + type + R"(","event_family":"GraphUpdateEvent","session_id":")"
             + to_string(id)
             + R"(","timestamp":"2026-01-01T00:00:00.000Z","payload":{}})"
             + '\n';
  return lines;
}

} // namespace

faulty_log::faulty_log(seed_faults& faults, std::uint64_t seed,
                       const fault_spec& what, std::string_view session)
  : faults_(faults),
    segment_bytes_(static_cast<std::uint64_t>(what.segment_bytes)),
    keep_bytes_(static_cast<std::uint64_t>(what.keep_bytes)),
    session_(parse_uuid(session)), ids_(seed), disk_(seed) {
  disk_.decide([this](frail_storage::call now) { return decide(now); });
}

frail_storage::fate faulty_log::decide(frail_storage::call what) {
  const bool is_write = what == frail_storage::call::write;
  if (!is_write && what != frail_storage::call::sync)
    return {};
  frail_storage::fate fate;
  const auto any = faults_.next(fault_operation::disk);
  const auto at = faults_.next(is_write ? fault_operation::write
                                        : fault_operation::sync);
  const auto strikes = [&](fault_kind kind, std::uint32_t number) {
    if (!faults_.strikes(kind, number))
      return false;
    faults_.count(kind);
    is_dead_ = true;
    return true;
  };
  if (strikes(fault_kind::power_cut, any))
    fate.power_goes = true;
  else if (is_write ? strikes(fault_kind::write_error, at)
                    : strikes(fault_kind::sync_error, at))
    fate.error = is_write ? ENOSPC : EIO;
  return fate;
}

log_options faulty_log::options() {
  return {.closes_by = group_end::content,
          .durability = durability::group,
          .existing = existing_log::append,
          .segment_bytes = segment_bytes_,
          .keep_bytes = keep_bytes_,
          .files = &disk_};
}

std::filesystem::path faulty_log::path() const {
  return segment_bytes_ == 0 ? log_name : log_folder;
}

result<void> faulty_log::bear_damage() {
  const auto by = std::exchange(damaged_by_, std::nullopt);
  if (!by)
    return {};
  enum purpose : std::uint8_t { segment = 4, how, place };
  const auto draw = [&](purpose what) {
    return faults_.draw(fault_kind::damage, *by, what);
  };
  const auto before = disk_.copy();
  if (!damage_log(disk_, path(), segment_bytes_ != 0,
                  {draw(segment), draw(how), draw(place)}))
    return {};
  faults_.count(fault_kind::damage);
  const auto damaged = disk_.copy();
  const auto opened = segment_writer::open(path(), options(), {});
  is_dead_ = false; // by what this has written, if it was not refused
  if (opened || opened.error().rule != "log_damaged")
    return fail(errc::invalid_document,
                "the log was damaged, and "
                  + (opened ? std::string{"was opened all the same"}
                            : "refused for another reason: "
                                + opened.error().message),
                "damage_not_noticed");
  if (disk_.copy() != damaged)
    return fail(errc::invalid_document,
                "the damaged log was refused, and yet it was changed",
                "damaged_log_changed");
  disk_.put_back(before);
  return {};
}

result<log_opening> faulty_log::open(
  const std::function<void(const log_place&, std::string_view)>& visit) {
  is_dead_ = false;
  pending_.clear();
  if (auto borne = bear_damage(); !borne)
    return fail(std::move(borne).error());
  std::string found;
  const auto seen = [&](const log_place& place, std::string_view line) {
    if (session_of(line) != session_)
      return;
    found.append(line) += '\n';
    visit(place, line);
  };
  auto opened = segment_writer::open(path(), options(), seen);
  if (!opened)
    return fail(std::move(opened).error());
  writer_.emplace(*std::move(opened));
  if (auto fits = hold_against(found); !fits)
    return fail(std::move(fits).error());
  if (keep_bytes_ > 0 && writer_->found().events == 0)
    if (auto written = write_earlier_sessions(); !written)
      return fail(std::move(written).error());
  return writer_->found();
}

/// As many as the log keeps of them, and a segment more.
result<void> faulty_log::write_earlier_sessions() {
  for (std::uint64_t bytes = 0; bytes <= keep_bytes_ + segment_bytes_;) {
    auto lines = earlier_session(ids_.next(), ids_);
    bytes += lines.size();
    if (auto written = write_group(lines); !written)
      return written;
  }
  return {};
}

result<void> faulty_log::write_group(std::string_view lines) {
  log_group group{lines};
  auto written
    = writer_->write(group).and_then([this] { return writer_->sync(); });
  if (!written)
    is_dead_ = true;
  return written;
}

result<void> faulty_log::hold_against(std::string_view found) {
  if (!text_.starts_with(found))
    return fail(errc::invalid_document,
                "the log has events that were not appended, or in another "
                "order",
                "log_not_appended");
  if (found.size() < acknowledged_)
    return fail(errc::invalid_document,
                "the log has lost what was acknowledged: "
                  + std::to_string(acknowledged_ - found.size()) + " bytes",
                "acknowledged_lost");
  text_.resize(found.size());
  acknowledged_ = opened_at_ = found.size();
  progress_ = {};
  return {};
}

void faulty_log::end_process() {
  writer_.reset();
  if (disk_.is_dead())
    disk_.power_up();
  else
    disk_.restart();
}

result<void> faulty_log::append(std::string_view lines) {
  pending_ += lines;
  text_ += lines;
  progress_.append(lines.size());
  return pending_.size() < group_bytes ? result<void>{} : flush();
}

void faulty_log::acknowledged(log_position place) {
  acknowledged_ = std::max(acknowledged_, opened_at_ + place);
}

result<void> faulty_log::flush() {
  if (pending_.empty())
    return {};
  result<void> written;
  progress_.write(
    pending_.size(), [&] { return written = write_group(pending_); },
    [&](const log_progress::news& what) {
      if (what.until)
        acknowledged(*what.until);
      what.make();
    });
  pending_.clear();
  return written;
}

void faulty_log::call_when_kept(when_kept then) {
  const auto place = progress_.appended();
  when_kept told = [this, place, then = std::move(then)](result<void> kept) {
    if (kept)
      acknowledged(place);
    then(std::move(kept));
  };
  if (progress_.call_later(place, told))
    static_cast<void>(flush()); // whose outcome is told
  else
    told(progress_.outcome(place));
}

result<void> faulty_log::close() {
  return flush().and_then([this] { return writer_->close(); });
}

std::string faulty_log::file() const {
  return segment_bytes_ == 0 ? disk_.content(log_name) : std::string{};
}

} // namespace convene::host
