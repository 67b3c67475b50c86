#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ssl/context.hpp>
#include <convene/server/http/answer_budget.hpp>
#include <convene/server/http/dispatcher.hpp>
#include <convene/server/http/http_limits.hpp>
#include <convene/server/http/request_record.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace convene::server {

class connection;

/// What all connections of a server share. Connections are read and written on
/// the threads of `io`, where nothing takes long; what handlers and streams do
/// is done on those of `work`.
struct server_core {
  boost::asio::io_context io;
  boost::asio::io_context work;
  http_limits limits;
  host_rules hosts;
  std::shared_ptr<dispatcher> endpoints;
  std::shared_ptr<boost::asio::ssl::context> tls; ///< null: without
  request_observer observe;                       ///< may be empty
  /// Whether somebody's key still counts; empty: nobody has one.
  std::function<bool(const caller&)> is_caller;
  /// See `http_server_options`.
  std::function<void(std::string_view, std::string_view)> tls_refused;
  std::string id_prefix; ///< of request ids, another one for each start

  std::atomic<std::uint64_t> requests = 0;
  std::atomic<std::size_t> body_bytes = 0; ///< of requests without an answer
  std::atomic<std::size_t> streams = 0;
  std::shared_ptr<answer_budget> answers; ///< that are not taken yet
  std::atomic<bool> is_stopping = false;

  std::mutex mutex;
  std::map<connection*, std::weak_ptr<connection>> connections;
  /// How many of them come from an address, as it is counted.
  std::map<std::string, std::size_t, std::less<>> addresses;
  /// The same by the key that was used last on each.
  std::map<std::string, std::size_t, std::less<>> keys;
  /// Those beyond `connections_max` and `address_connections_max`, which only
  /// vital routes are answered on, the oldest first.
  std::deque<std::weak_ptr<connection>> reserve;

  /// With the mutex held.
  static void uncount(std::map<std::string, std::size_t, std::less<>>& in,
                      const std::string& what) {
    const auto counted = in.find(what);
    if (--counted->second == 0)
      in.erase(counted);
  }

  [[nodiscard]] std::string next_id() {
    return id_prefix + std::to_string(++requests);
  }

  [[nodiscard]] std::vector<std::shared_ptr<connection>> open_connections() {
    std::vector<std::shared_ptr<connection>> out;
    const std::scoped_lock lock{mutex};
    for (const auto& [at, one] : connections)
      if (auto held = one.lock())
        out.push_back(std::move(held));
    return out;
  }
};

} // namespace convene::server
