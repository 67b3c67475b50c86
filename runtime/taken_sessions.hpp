#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/blob.hpp>
#include <convene/runtime/runtime.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

// Sessions of a log that several processes share (a `shared_log` among
// `runtime_options::log_companions`): each is continued by one of them at a
// time.

namespace convene::host {

/// A session that another process had. Its events are on the shared log, and
/// the first ones may be on the own log, too.
struct taken_session {
  std::string id;
  /// So many of its events are on the own log; unset: none, unless it has
  /// ended there (rule `session_on_log`).
  std::optional<std::uint64_t> known;
  /// Some of the events from the n-th on, n counted from 0, as lines without
  /// their ends; none: there are no more.
  std::function<result<std::vector<std::string>>(std::uint64_t n)> lines;
  std::function<result<std::string>(const protocol::blob&)> blob;
};

/// Puts what the own log lacks on it and continues the session, as opening the
/// log would (`recovery_options`): `await` on the handle says why it could not
/// be resumed. Errors are those of reading and of the log, and what an observer
/// throws; it can be repeated after those of reading. The shared log must know
/// the session before, and let these lines pass. Not while the session runs,
/// nor for one session twice at a time.
[[nodiscard]] result<session_handle>
take_over(runtime& by, const taken_session& from, const recovery_options& with);

/// Whether the session has an actor here.
[[nodiscard]] bool runs(runtime& in, const std::string& session_id);

/// Other processes have these sessions: they stop here, without an event, and
/// participants are not notified. `await` returns `session_elsewhere`.
/// Does not wait.
void let_go(runtime& by, const std::vector<std::string>& sessions);

/// Refuses options that do not fit a shared log: durability `none`, virtual
/// time, a log in one file; and a log that was written with a shared one
/// (`log_is_shared`) or, except for an empty one, without (`log_not_shared`).
[[nodiscard]] result<void> check_shared(const runtime_options& how);

/// Marks a log as one that is written with a shared one. To be called while it
/// is locked, before anything is written.
[[nodiscard]] result<void> mark_shared(const runtime_options& how);

} // namespace convene::host
