#pragma once

#include <convene/cli/common/serve_arguments.hpp>
#include <convene/integrations/webhooks/outside_log.hpp>
#include <convene/integrations/webhooks/webhook_secrets.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/runtime.hpp>
#include <convene/server/a2a/agent_routes.hpp>
#include <convene/server/http/route.hpp>
#include <convene/server/keys/token_signer.hpp>
#include <convene/server/metrics/work_counts.hpp>
#include <convene/server/run_callbacks/run_callbacks.hpp>
#include <convene/server/runs/run_host.hpp>
#include <convene/server/sessions/session_host.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace convene::cli {

/// The sessions and runs of a server, in its data folder.
class served_data {
public:
  /// Goes on with those that have not ended. `on_failure` is told, on any
  /// thread, that nothing more can be stored.
  [[nodiscard]] static protocol::result<served_data>
  open(const serve_arguments& arguments, runtime_options how,
       const std::function<void(const protocol::error&)>& on_failure);

  [[nodiscard]] convene::runtime& runtime() const {
    return sessions_->runtime();
  }

  /// Those that show and change them, and the page for people.
  [[nodiscard]] server::routes endpoints() const;

  /// Sessions that have not ended.
  [[nodiscard]] std::size_t open_sessions() const {
    return sessions_->events()->sessions().open();
  }

  /// Of those who are told of the ends of runs.
  [[nodiscard]] server::callback_counts callbacks() const {
    return callbacks_->counts();
  }

  /// Of their logs, and of what waits for a thread.
  [[nodiscard]] server::work_counts work() const;

  /// Leaves runs and sessions where they are, for the next `open`; streams end.
  /// Runs first: to them, a session that cannot go on would have failed. The
  /// endpoints are not to be called any more.
  void suspend_all() {
    callbacks_->stop();
    runs_.reset();
    sessions_->suspend_all();
  }

private:
  served_data(std::unique_ptr<server::session_host> sessions,
              std::shared_ptr<server::run_callbacks> callbacks,
              std::unique_ptr<server::run_host> runs,
              server::token_signer signer, server::agent_options agent,
              std::shared_ptr<const server::task_index> tasks,
              std::shared_ptr<server::outside_log> outside,
              std::optional<server::webhook_secrets> secrets)
    : sessions_{std::move(sessions)}, callbacks_{std::move(callbacks)},
      runs_{std::move(runs)}, signer_{std::move(signer)},
      agent_{std::move(agent)}, tasks_{std::move(tasks)}, outside_{std::move(
                                                            outside)},
      secrets_{std::move(secrets)}, stops_callbacks_{callbacks_.get()} {}

  struct stop_callbacks {
    void operator()(server::run_callbacks* of) const {
      of->stop();
    }
  };

  std::unique_ptr<server::session_host> sessions_;
  std::shared_ptr<server::run_callbacks> callbacks_;
  std::unique_ptr<server::run_host> runs_; ///< goes first: it uses sessions
  server::token_signer signer_;            ///< of interrupts' tokens
  server::agent_options agent_; ///< without skills: there is no agent
  std::shared_ptr<const server::task_index> tasks_;
  std::shared_ptr<server::outside_log> outside_;   ///< null: none
  std::optional<server::webhook_secrets> secrets_; ///< of sources that sign
  /// Goes before all else: the callbacks' thread looks at runs.
  std::unique_ptr<server::run_callbacks, stop_callbacks> stops_callbacks_;
};

} // namespace convene::cli
