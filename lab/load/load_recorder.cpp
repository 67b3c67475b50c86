#include <convene/lab/load/load_recorder.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {
namespace {

constexpr std::array<std::string_view, load_measures> measure_words{
  "session", "start", "turn", "wait", "log", "end", "conflict", "lag"};

constexpr std::array<std::string_view, load_tallies> tally_words{
  "started",      "completed", "cancelled", "failed",    "turns",
  "turns_failed", "events",    "bytes",     "conflicts", "writes_refused"};

std::uint64_t nanoseconds_of(load_time how_long) noexcept {
  return static_cast<std::uint64_t>(std::max(how_long, load_time{}).count());
}

load_tally tally_of(load_ending::status how) noexcept {
  using enum load_ending::status;
  return how == completed   ? load_tally::completed
         : how == cancelled ? load_tally::cancelled
                            : load_tally::failed;
}

} // namespace

std::string_view to_word(load_measure what) noexcept {
  return measure_words[static_cast<std::size_t>(what)];
}

std::string_view to_word(load_tally what) noexcept {
  return tally_words[static_cast<std::size_t>(what)];
}

void load_figures::add(const load_figures& other) noexcept {
  for (std::size_t i = 0; i < load_measures; ++i)
    times[i].add(other.times[i]);
  for (std::size_t i = 0; i < load_tallies; ++i)
    counts[i] += other.counts[i];
}

void load_recorder::shared_figures::read(load_figures& into) const noexcept {
  for (std::size_t i = 0; i < load_measures; ++i)
    times[i].read(into.times[i]);
  for (std::size_t i = 0; i < load_tallies; ++i)
    into.counts[i] = counts[i].load(std::memory_order_relaxed);
}

load_recorder::load_recorder(std::size_t kinds, std::size_t stages,
                             load_time from, load_time until)
  : from_{from}, until_{until} {
  for (std::size_t i = 0; i < kinds; ++i)
    kinds_.push_back(std::make_unique<shared_figures>());
  for (std::size_t i = 0; i < stages; ++i)
    stages_.push_back(std::make_unique<shared_figures>());
}

void load_recorder::time(const load_order& order, load_measure what,
                         load_time how_long) noexcept {
  const auto index = static_cast<std::size_t>(what);
  const auto value = nanoseconds_of(how_long);
  kinds_[order.kind]->times[index].record(value);
  stages_[order.stage]->times[index].record(value);
}

void load_recorder::begun(const load_order& order) noexcept {
  if (!order.measured)
    return;
  constexpr auto index = static_cast<std::size_t>(load_tally::started);
  ++kinds_[order.kind]->counts[index];
  ++stages_[order.stage]->counts[index];
}

void load_recorder::ended(const load_ending& what) {
  const auto& order = what.order;
  if (counts_at(what.ended)) {
    const auto index = static_cast<std::size_t>(tally_of(what.how));
    ++kinds_[order.kind]->counts[index];
    ++stages_[stage_]->counts[index];
  }
  if (!order.measured)
    return;
  time(order, load_measure::session, what.ended - order.intended);
  time(order, load_measure::lag, what.began - order.intended);
  if (what.how == load_ending::status::completed)
    return;
  const std::lock_guard held{mutex_};
  note(session_errors_, what.reason);
}

void load_recorder::unfinished(const load_order& order, load_time begun,
                               load_time now) noexcept {
  if (!order.measured)
    return;
  ++unfinished_;
  time(order, load_measure::session, now - order.intended);
  time(order, load_measure::lag, begun - order.intended);
}

void load_recorder::took(std::size_t kind, load_measure what,
                         load_time how_long, load_time now) noexcept {
  if (now < from_)
    return;
  const auto index = static_cast<std::size_t>(what);
  const auto value = nanoseconds_of(how_long);
  kinds_[kind]->times[index].record(value);
  stages_[stage_]->times[index].record(value);
}

void load_recorder::count(std::size_t kind, load_tally what, std::uint64_t more,
                          load_time now) noexcept {
  if (!counts_at(now))
    return;
  const auto index = static_cast<std::size_t>(what);
  kinds_[kind]->counts[index].fetch_add(more, std::memory_order_relaxed);
  stages_[stage_]->counts[index].fetch_add(more, std::memory_order_relaxed);
}

void load_recorder::turn_failed(std::size_t kind, std::string_view status,
                                load_time now) {
  if (status != "cancelled")
    ++turns_failed_;
  if (!counts_at(now))
    return;
  count(kind, load_tally::turns_failed, 1, now);
  const std::lock_guard held{mutex_};
  note(turn_errors_, status);
}

void load_recorder::write_refused(std::size_t kind, load_time now) noexcept {
  ++writes_refused_;
  count(kind, load_tally::writes_refused, 1, now);
}

void load_recorder::note(reason_counts& into, std::string_view reason) {
  // A server may give any text.
  auto told = protocol::shorten(reason);
  auto found = into.find(told);
  if (found == into.end())
    found
      = into.emplace(into.size() < reasons_max ? std::move(told) : "others", 0)
          .first;
  ++found->second;
}

std::unique_ptr<load_figures> load_recorder::of_kind(std::size_t kind) const {
  auto made = std::make_unique<load_figures>();
  kinds_[kind]->read(*made);
  return made;
}

std::unique_ptr<load_figures> load_recorder::of_stage(std::size_t stage) const {
  auto made = std::make_unique<load_figures>();
  stages_[stage]->read(*made);
  return made;
}

std::unique_ptr<load_figures> load_recorder::total() const {
  auto made = of_kind(0);
  for (std::size_t i = 1; i < kinds_.size(); ++i)
    made->add(*of_kind(i));
  return made;
}

reason_counts load_recorder::session_errors() const {
  const std::lock_guard held{mutex_};
  return session_errors_;
}

reason_counts load_recorder::turn_errors() const {
  const std::lock_guard held{mutex_};
  return turn_errors_;
}

} // namespace convene::host
