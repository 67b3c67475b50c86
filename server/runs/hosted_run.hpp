#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/server/runs/alarms.hpp>
#include <convene/server/runs/run_chunks.hpp>
#include <convene/server/runs/run_record.hpp>
#include <convene/server/shares/work_shares.hpp>
#include <convene/session/workflow/run_machine.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace convene::server {

/// A run in memory: its machine, and its events for readers.
struct hosted_run {
  hosted_run(const protocol::uuid& named,
             std::shared_ptr<const protocol::workflow> of,
             const session::run_options& how)
    : id{named}, workflow{std::move(of)}, machine{to_string(named), workflow,
                                                  how} {}

  const protocol::uuid id;
  const std::shared_ptr<const protocol::workflow> workflow;
  const std::shared_ptr<run_record> record = std::make_shared<run_record>();
  const std::shared_ptr<run_listeners> listeners
    = std::make_shared<run_listeners>();
  /// Whose run it is (`run_claim`); set before others see the run.
  std::string claim;
  bool is_child = false; ///< of a run that has the same claim; likewise

  /// Why it takes nothing any more, if so.
  [[nodiscard]] std::optional<protocol::error> fault() {
    const std::lock_guard lock{mutex};
    return failure;
  }

  /// Null: of no key, as it was there before. Set before anybody else knows the
  /// run.
  std::shared_ptr<work_shares::share> share;
  std::string key; ///< that began it; empty: none, or unknown

  std::mutex mutex; ///< guards what follows
  session::run_machine machine;
  std::optional<alarms::key> alarm; ///< at the machine's next deadline
  /// Why it takes nothing any more: its log cannot be written or read.
  std::optional<protocol::error> failure;
};

/// The events as they are kept and sent.
[[nodiscard]] std::vector<event_text>
texts_of(const std::vector<protocol::run_event>& events);

/// The events as values; those of our own log, which were read before.
[[nodiscard]] std::vector<protocol::run_event>
events_of(const std::vector<event_text>& texts);

/// Tenant and scope of a run, by its metadata: what X-Dedup compares. A member
/// that is missing, or is no text, counts as an empty one.
[[nodiscard]] std::string run_claim(const boost::json::object& metadata);

/// Has the run's machine take its events, and the record show them; sets
/// `failure` if it does not, and the run's claim. The run is nobody else's yet.
void restore(hosted_run& run, std::vector<event_text> events);

/// The definition that a run was made of, by its first event. Empty: it does
/// not say.
[[nodiscard]] std::string digest_of(const std::vector<event_text>& events);

/// Whether the event is the first one of a run.
[[nodiscard]] bool is_first_event(std::string_view event);

/// Whether the event is the last one of its run.
[[nodiscard]] bool is_last_event(std::string_view event);

} // namespace convene::server
