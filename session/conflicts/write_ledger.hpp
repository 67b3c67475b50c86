#pragma once

#include <convene/session/conflicts/producer_book.hpp>
#include <convene/session/conflicts/writing.hpp>
#include <convene/session/journal/journal.hpp>
#include <convene/session/planning/plan_runner.hpp>
#include <convene/session/requests/request_table.hpp>
#include <convene/session/spec/membership.hpp>
#include <convene/session/workspace/workspace.hpp>
#include <convene/session/workspace/write.hpp>

namespace convene::session {

/// What a write won against, if anything.
struct won_conflict {
  protocol::uuid id;          ///< nil: there was no conflict
  std::uint64_t replaced = 0; ///< versions that the write does not build on
};

/// The writes that count. Guarantees:
/// - each is a new version of its resource, and on the log with what it changes
///   in the graph;
/// - a write of a plan's step changes the step.
class write_ledger {
public:
  /// All must outlive it. It notes the writer in `requests` and changes nothing
  /// else there.
  write_ledger(const membership& who, journal& log, request_table& requests,
               plan_runner& plan, workspace& shared)
    : who_(&who), log_(&log), requests_(&requests), plan_(&plan),
      resources_(&shared) {}

  /// `step`: that is written, or `no_step`. `claimed`: somebody holds a claim
  /// on the resource.
  void accept(const writing& by, const protocol::resource_write& what,
              const written& made, step_index step, bool claimed,
              const won_conflict& won = {});

  /// For snapshots.
  template <class Self, class F>
  static void fields(Self& x, F& f) {
    auto& [who, log, requests, plan, resources, producers] = x;
    producer_book::fields(producers, f);
  }

private:
  const membership* who_;
  journal* log_;
  request_table* requests_;
  plan_runner* plan_;
  workspace* resources_;
  producer_book producers_;
};

} // namespace convene::session
