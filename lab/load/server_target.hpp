#pragma once

#include <convene/lab/load/load_recorder.hpp>
#include <convene/lab/load/session_maker.hpp>
#include <convene/lab/load/waiting_target.hpp>
#include <convene/runtime/outside/client/client.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace convene::host {

/// Sessions of a server that are followed at the same time.
inline constexpr std::size_t load_connections_max = 512;

/// How long one of several servers is waited for before another one follows its
/// sessions.
inline constexpr std::int64_t load_server_away_ms = 5'000;

/// Has servers run the sessions in turn, and follows their events. Each of its
/// threads starts one session and follows it until it has ended; where all are
/// busy, an order waits, and that is the generator's lag.
class server_target final : public waiting_target {
public:
  /// `recorder` must outlive it. Of what `make` makes the scenario is sent.
  server_target(std::vector<client> to, session_maker make,
                load_recorder& recorder, std::size_t connections);
  ~server_target() override;

  void start(const load_order& order) override;

  /// No session is followed any more; on the server they go on.
  void abandon() override;

private:
  void follow_sessions();
  [[nodiscard]] load_ending follow(const load_order& order);
  /// `at`: of the servers, the one that has it.
  [[nodiscard]] protocol::result<std::string> begin(const load_order& order,
                                                    std::size_t& at);
  [[nodiscard]] protocol::result<observed>
  observe(const std::string& id, std::size_t at,
          const client::event_function& on_event);

  std::vector<client> clients_;
  session_maker make_;
  load_recorder& recorder_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::condition_variable_any ordered_;
  std::deque<load_order> orders_; ///< guarded by mutex
  std::vector<std::jthread> threads_;
};

} // namespace convene::host
