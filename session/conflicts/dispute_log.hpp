#pragma once

#include <convene/protocol/events/workspace_event.hpp>
#include <convene/session/conflicts/objection.hpp>
#include <convene/session/conflicts/write_conflict.hpp>
#include <convene/session/conflicts/writing.hpp>
#include <convene/session/journal/journal.hpp>
#include <convene/session/spec/membership.hpp>

#include <span>
#include <string_view>

namespace convene::session {

/// How events name the writer and what it wrote or claimed.
[[nodiscard]] protocol::resource_act act_of(const membership& who,
                                            const writing& by,
                                            const resource_name& what) noexcept;

/// Puts writes and claims that do not count, and conflicts, on the log.
/// Guarantees:
/// - each conflict is logged as detected, and once as resolved;
/// - whoever loses a write or a claim is notified.
class dispute_log {
public:
  /// All must outlive it.
  dispute_log(const membership& who, journal& log, const workspace& shared)
    : who_(&who), log_(&log), resources_(&shared) {}

  /// A write does not count: a conflict that is resolved at once against the
  /// writer, or a refusal.
  void object(const writing& by, const protocol::resource_write& what,
              const objection& why);
  /// A conflict about a write or a claim, resolved at once against `by`.
  void reject(const writing& by, const protocol::resource_write& what,
              const objection& why);
  void reject(const writing& by, const protocol::claim& what,
              const objection& why);
  /// The writes of a reply to a request that gives no right to write.
  void reject_writes(participant_index from, const protocol::uuid& token,
                     const protocol::reply& reply,
                     participant_index turn_holder);

  /// A conflict, to be resolved later by `keep` or `replace`. `asked` decide.
  [[nodiscard]] protocol::uuid
  detect(const writing& by, const protocol::resource_write& what,
         std::string_view kind, std::span<const author> others,
         std::span<const participant_index> asked = {});
  /// The current version stays, and `by` loses.
  void keep(const protocol::uuid& conflict, const writing& by,
            const protocol::resource_write& what, const write_conflict& found,
            const resolution& ruled,
            std::span<const protocol::vote_cast> votes = {});
  /// The write counts; unless it was joined, those it replaces lose.
  void replace(const protocol::uuid& conflict, const writing& by,
               const protocol::resource_write& what,
               const write_conflict& found, const resolution& ruled,
               std::span<const protocol::vote_cast> votes = {});

private:
  void refuse(const writing& by, const protocol::resource_write& what,
              const objection& why);
  void notify_lost(const writing& by, const protocol::resource_write& what,
                   std::string_view why);

  const membership* who_;
  journal* log_;
  const workspace* resources_;
};

/// The same for an answer, normalised, that names no live request of its
/// sender; it is not notified. `late`: its request has closed.
void reject_answer(const membership& who, journal& log, participant_index from,
                   const protocol::uuid& token, const protocol::reply& reply,
                   bool late, participant_index turn_holder);

} // namespace convene::session
