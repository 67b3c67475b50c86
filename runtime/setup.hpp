#pragma once

#include <convene/actors/behaviours/async_function.hpp>
#include <convene/actors/behaviours/executor.hpp>
#include <convene/actors/behaviours/function.hpp>
#include <convene/actors/ports/custom_condition.hpp>
#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/durability.hpp>
#include <convene/protocol/base/validation_level.hpp>
#include <convene/session/machine/report.hpp>
#include <convene/session/spec/spec.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

// The vocabulary of the C++ API, in namespace convene.

namespace convene {

using actors::action_responder;
using actors::async_reply_function;
using actors::condition_function;
using actors::executor;
using actors::reply_function;
using actors::responder;
using actors::retry_policy;
using actors::turn_request;
using protocol::action;
using protocol::action_result;
using protocol::action_status;
using protocol::collab_status;
using protocol::durability;
using protocol::error;
using protocol::handoff;
using protocol::mode;
using protocol::participant_kind;
using protocol::reply;
using protocol::result;
using protocol::task;
using protocol::validation_level;
using session::initial_resource;
using session::options;
namespace when = session::when; ///< conditions for `options.end`

/// A reply, and how long the participant took to think of it: under virtual
/// time that passes at once, else the reply is delivered after it.
struct timed_reply {
  protocol::reply reply;
  std::int64_t delay_ms = 0;
};

using timed_reply_function = std::function<timed_reply(const turn_request&)>;

/// A participant and the function that answers for it: one of the three. A
/// session with a participant that has none does not start
/// (`participant_unbound`).
struct participant {
  std::string participant_id;
  std::string role_id;
  participant_kind kind = participant_kind::agent;
  reply_function respond;
  /// Whether `respond` may take long. If so, it runs on the runtime's thread
  /// pool, otherwise in the participant's actor, which is much faster.
  actors::blocking blocks = actors::blocking::yes;
  /// Instead of `respond`: answers later; called in the participant's actor.
  async_reply_function respond_later = {};
  /// Instead of `respond`: called in the participant's actor.
  timed_reply_function respond_timed = {};

  /// Whether it has a function.
  [[nodiscard]] bool is_bound() const noexcept {
    return respond || respond_later || respond_timed;
  }
};

/// An agent whose function may take long: it runs on a thread pool. The
/// function may still be running when its turn is over (it timed out, or the
/// session ended), and after `runtime::close()` and the runtime's destructor:
/// it must own what it uses, or the application calls `close` with a time.
[[nodiscard]] inline participant agent(std::string id, std::string role,
                                       reply_function respond) {
  return {.participant_id = std::move(id),
          .role_id = std::move(role),
          .respond = std::move(respond)};
}

/// An agent whose function returns at once: it runs in the agent's actor.
[[nodiscard]] inline participant quick_agent(std::string id, std::string role,
                                             reply_function respond) {
  return {.participant_id = std::move(id),
          .role_id = std::move(role),
          .respond = std::move(respond),
          .blocks = actors::blocking::no};
}

/// An agent whose function returns at once and names the time that its answer
/// took, as a simulated agent does.
[[nodiscard]] inline participant timed_agent(std::string id, std::string role,
                                             timed_reply_function respond) {
  return {.participant_id = std::move(id),
          .role_id = std::move(role),
          .respond_timed = std::move(respond)};
}

/// An agent whose function begins to work and returns at once; the responder
/// takes the answer, now or later, on any thread, and knows when nobody waits
/// for it any more. Virtual time stands still while such an agent works, unless
/// a timeout is due in less time than the work really takes.
[[nodiscard]] inline participant async_agent(std::string id, std::string role,
                                             async_reply_function respond) {
  return {.participant_id = std::move(id),
          .role_id = std::move(role),
          .respond_later = std::move(respond)};
}

/// A session to be started. Unset members get the defaults of a scenario file.
struct session_setup {
  std::string title;   ///< empty: the task
  std::string purpose; ///< empty: the task
  convene::mode mode = convene::mode::round_robin;
  std::vector<participant> participants;
  std::string task;
  std::optional<protocol::plan> plan;
  std::vector<protocol::role> roles;
  std::vector<convene::task> tasks;
  std::vector<initial_resource> workspace; ///< shared resources at version 1
  /// By name: the conditions that `when::custom` in `options.end` refers to.
  std::map<std::string, condition_function> conditions;
  convene::options options;
  /// The caller's place in a trace (W3C Trace Context), which goes on in the
  /// session; `start` refuses one that is not valid.
  std::optional<protocol::trace_context> trace_context = std::nullopt;
};

/// Why a session ended.
struct stop_reason {
  std::string condition;
  std::string observed;
  std::int64_t limit = -1; ///< below 0: none
};

/// The result of a session.
struct session_result {
  collab_status status = collab_status::completed; ///< or cancelled
  convene::stop_reason stop_reason;
  std::uint32_t turns = 0;
  std::uint32_t broadcasts = 0;
  std::uint32_t conflicts = 0;
  std::uint32_t handoffs = 0;
  std::int64_t duration_ms = 0;
  protocol::usage usage; ///< of all replies and actions
  /// The same by participant id, of those that used anything.
  std::map<std::string, protocol::usage> usage_by_participant;
  protocol::collab collab;
  protocol::context context;
  std::shared_ptr<const protocol::plan> plan; ///< null: no plan
  std::optional<protocol::confirm> confirm;

  /// The session's messages as a Dialog; built anew by each call.
  [[nodiscard]] protocol::dialog dialog() const {
    return make_dialog(*report);
  }

  std::shared_ptr<const session::report> report; ///< the data behind the rest
};

/// The scenario equivalent to a setup. Its ids are drawn from `ids`.
[[nodiscard]] CONVENE_API session::spec make_spec(const session_setup& setup,
                                                  protocol::uuid_source& ids,
                                                  protocol::timestamp_ms now);

[[nodiscard]] CONVENE_API session_result make_result(session::report&& report);

} // namespace convene
