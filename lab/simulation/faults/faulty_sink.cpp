#include <caf/send.hpp>
#include <convene/lab/simulation/faults/faulty_sink.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

/// What is drawn for a fault besides its delay.
enum purpose : std::uint8_t { delay = 1, first, second, third };

tl::unexpected<protocol::error> process_ended() {
  return fail(errc::io_failed, "the process has ended", "process_ended");
}

} // namespace

bool faulty_sink::strikes(fault_kind kind, std::uint32_t at) {
  if (!world_.faults.strikes(kind, at))
    return false;
  world_.faults.count(kind);
  return true;
}

result<void> faulty_sink::append(std::string_view, std::string_view lines,
                                 std::size_t /*count*/) {
  if (has_ended_ || log_.is_dead())
    return process_ended();
  if (auto may = may_log_(log_.text().size() + lines.size()); !may)
    return may;
  if (world_.faults.is_full())
    return fail(errc::limit_reached,
                "more than " + std::to_string(seed_faults_max)
                  + " faults struck the seed: give lower rates",
                "seed_faults_max");
  const auto at = world_.faults.next(fault_operation::append);
  disturb(at);
  if (strikes(fault_kind::kill, at))
    return die(fault_kind::kill, at, lines);
  if (world_.faults.strikes(fault_kind::damage, at)) { // counts once it is done
    log_.damage(at);
    return die(fault_kind::damage, at, lines);
  }
  auto kept = log_.append(lines);
  // A real log writes what has waited for some milliseconds.
  if (kept && world_.faults.draw(fault_kind::kill, at, third) < 0.5)
    kept = log_.flush();
  return kept;
}

bool faulty_sink::is_durable(actors::when_kept&& then) {
  if (has_ended_ || log_.is_dead())
    then(process_ended());
  else
    log_.call_when_kept(std::move(then));
  return false;
}

void faulty_sink::disturb(std::uint32_t at) {
  if (strikes(fault_kind::clock_jump, at)) {
    const auto share = world_.faults.draw(fault_kind::clock_jump, at, first);
    world_.wall_ahead_ms += static_cast<std::int64_t>(
      (2 * share - 1) * static_cast<double>(world_.clock_jump_ms));
  }
  if (strikes(fault_kind::cancel_storm, at))
    storm(at);
  if (strikes(fault_kind::suspension, at))
    suspend(at);
}

/// Several who cancel at nearly the same time.
void faulty_sink::storm(std::uint32_t at) {
  constexpr double most = 8;
  constexpr double longest_ms = 100;
  constexpr auto kind = fault_kind::cancel_storm;
  const auto times = 2
                     + static_cast<std::uint8_t>(
                       (most - 1) * world_.faults.draw(kind, at, first));
  for (std::uint8_t i = 0; i < times; ++i)
    tell({.what = actors::control::verb::cancel, .reason = "a cancel storm"},
         static_cast<std::int64_t>(
           longest_ms
           * world_.faults.draw(kind, at,
                                static_cast<std::uint8_t>(second + i))));
}

void faulty_sink::suspend(std::uint32_t at) {
  world_.owes_resume = true;
  tell({.what = actors::control::verb::suspend, .reason = "a fault"}, 0);
  tell({.what = actors::control::verb::resume},
       world_.faults.delay(fault_kind::suspension, at, delay));
}

/// Before these events, or after them, which may be on disk then.
result<void> faulty_sink::die(fault_kind how, std::uint32_t at,
                              std::string_view lines) {
  const auto& faults = world_.faults;
  if (faults.draw(how, at, first) < 0.5)
    static_cast<void>(log_.append(lines));
  if (faults.draw(how, at, second) < 0.5)
    static_cast<void>(log_.flush());
  log_.kill();
  return process_ended();
}

void faulty_sink::tell(actors::control what, std::int64_t delay_ms) {
  if (!actor_)
    return;
  if (delay_ms > 0)
    caf::delayed_anon_send(actor_, std::chrono::milliseconds{delay_ms},
                           std::move(what));
  else
    caf::anon_send(actor_, std::move(what));
}

} // namespace convene::host
