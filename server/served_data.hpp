#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/runtime.hpp>
#include <convene/server/a2a/agent_routes.hpp>
#include <convene/server/http/route.hpp>
#include <convene/server/keys/token_signer.hpp>
#include <convene/server/metrics/work_counts.hpp>
#include <convene/server/run_callbacks/run_callbacks.hpp>
#include <convene/server/runs/run_host.hpp>
#include <convene/server/server.hpp>
#include <convene/server/sessions/session_host.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace convene::server {

/// The sessions and runs of a server, in its data folder.
class served_data {
public:
  /// Resumes those that have not ended. `on_failure` is called, on any thread,
  /// when nothing more can be stored.
  [[nodiscard]] static protocol::result<served_data>
  open(const server_options& how,
       const std::function<void(const protocol::error&)>& on_failure);

  [[nodiscard]] convene::runtime& runtime() const {
    return sessions_->runtime();
  }

  [[nodiscard]] session_host& sessions() const {
    return *sessions_;
  }

  /// Those that show and change them, and the page for people.
  [[nodiscard]] routes endpoints() const;

  /// Sessions that have not ended.
  [[nodiscard]] std::size_t open_sessions() const {
    return sessions_->events()->sessions().open();
  }

  /// The calls that report the end of a run.
  [[nodiscard]] callback_counts callbacks() const {
    return callbacks_->counts();
  }

  /// Of their logs, and of what waits for a thread.
  [[nodiscard]] work_counts work() const;

  /// Leaves runs and sessions where they are, for the next `open`; streams end.
  /// Runs first: to them, a session that cannot continue would have failed. The
  /// endpoints must not be called any more.
  void suspend_all() {
    callbacks_->stop();
    if (push_)
      push_->stop();
    runs_.reset();
    sessions_->suspend_all();
  }

  /// How many files of the workflows' folder no run can be made of.
  [[nodiscard]] std::size_t refused_workflows() const {
    return runs_->workflows().refused().size();
  }

private:
  served_data(std::unique_ptr<session_host> sessions,
              std::shared_ptr<run_callbacks> callbacks,
              std::unique_ptr<run_host> runs, token_signer signer,
              agent_options agent, std::shared_ptr<const task_index> tasks,
              std::shared_ptr<push_desk> push)
    : sessions_{std::move(sessions)}, callbacks_{std::move(callbacks)},
      runs_{std::move(runs)}, signer_{std::move(signer)},
      agent_{std::move(agent)}, tasks_{std::move(tasks)}, push_{std::move(
                                                            push)},
      stops_callbacks_{callbacks_.get()}, stops_push_{push_.get()} {}

  struct stopping {
    void operator()(auto* of) const {
      of->stop();
    }
  };

  std::unique_ptr<session_host> sessions_;
  std::shared_ptr<run_callbacks> callbacks_;
  std::unique_ptr<run_host> runs_; ///< goes first: it uses sessions
  token_signer signer_;            ///< of interrupts' tokens
  agent_options agent_;            ///< without skills: there is no agent
  std::shared_ptr<const task_index> tasks_;
  std::shared_ptr<push_desk> push_; ///< null: there is no agent
  /// Go before all else: their threads look at runs and sessions.
  std::unique_ptr<run_callbacks, stopping> stops_callbacks_;
  std::unique_ptr<push_desk, stopping> stops_push_;
};

} // namespace convene::server
