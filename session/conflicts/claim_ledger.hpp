#pragma once

#include <convene/session/conflicts/claim_book.hpp>
#include <convene/session/conflicts/dispute_log.hpp>
#include <convene/session/conflicts/permission.hpp>
#include <convene/session/requests/request_slot.hpp>

#include <optional>
#include <string_view>

namespace convene::session {

/// Claims: who alone may write a resource for a while. They are taken with a
/// reply or in the middle of a turn, expire, and can be given back or on.
/// Guarantees:
/// - a resource has at most one holder, who may write it;
/// - all that becomes of a claim is on the log;
/// - of claims that are taken together, all are or none is.
class claim_ledger {
public:
  /// All must outlive it.
  claim_ledger(const membership& who, journal& log, const workspace& shared,
               permissions& allowed, dispute_log& disputes)
    : who_(&who), log_(&log), resources_(&shared), allowed_(&allowed),
      disputes_(&disputes) {}

  /// The holder, or `no_participant`.
  [[nodiscard]] participant_index holder(const resource_name& what) const {
    return claims_.holder(what);
  }

  /// The claims of a reply. False: it takes all or nothing, and took nothing.
  [[nodiscard]] bool take(const writing& by, const protocol::reply& reply);
  void attempt(const writing& by, const protocol::claim& what);
  /// Claims go with a turn that is handed on, as far as the receiver may write.
  void pass(participant_index from, participant_index to,
            const open_request& held);
  void end_all_of(participant_index lost);
  void expire() {
    if (claims_.size() != 0)
      end_expired();
  }
  /// `next`, or when a claim expires before that.
  [[nodiscard]] protocol::timestamp_ms
  deadline(protocol::timestamp_ms next) const;

  /// For snapshots.
  template <class Self, class F>
  static void fields(Self& x, F& f) {
    auto& [who, log, resources, allowed, disputes, claims] = x;
    f("claims", claims);
  }

private:
  [[nodiscard]] std::optional<objection> why_not(const writing& by,
                                                 const protocol::claim& what,
                                                 std::size_t claims_before);
  [[nodiscard]] bool can_take_all(const writing& by,
                                  const protocol::reply& reply);
  void refuse(const writing& by, const protocol::claim& what,
              const objection& why);
  void carry_out(const writing& by, const protocol::claim& what);
  [[nodiscard]] participant_index
  receiver_of(const writing& by, const protocol::claim& what) const;
  void append(const writing& by, const protocol::claim& what,
              protocol::claim_event event);
  [[nodiscard]] protocol::timestamp_ms end_of_new() const;
  void end(const resource_key& what, std::string_view reason);
  void end_expired();
  void pass_one(const resource_key& what, participant_index from,
                participant_index to, const open_request& held);

  const membership* who_;
  journal* log_;
  const workspace* resources_;
  permissions* allowed_;
  dispute_log* disputes_;
  claim_book claims_;
};

} // namespace convene::session
