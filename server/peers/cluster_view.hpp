#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/cluster/cluster_database.hpp>
#include <convene/runtime/data/cluster/cluster_member.hpp>
#include <convene/runtime/data/cluster/cluster_node.hpp>
#include <convene/runtime/data/cluster/session_owners.hpp>
#include <convene/runtime/data/postgres/postgres_connection.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace convene::server {

/// Where sessions are, and which nodes there are, by the cluster's database. It
/// is asked on one thread, where the answers are given too: they must not
/// block. Thread-safe.
class cluster_view {
public:
  using clock = std::chrono::steady_clock;
  using when_found
    = std::function<void(protocol::result<std::optional<host::session_place>>)>;
  using when_listed
    = std::function<void(protocol::result<std::vector<host::cluster_node>>)>;

  /// How long an answer is used again. While no database answers, also an older
  /// one, at once: a node that does not have a session says so.
  static constexpr std::chrono::seconds fresh{2};
  /// How often a mute database is asked. In between, what is remembered is the
  /// answer, or there is none.
  static constexpr std::chrono::seconds probe_pause{3};
  static constexpr std::size_t places_max = 20'000; ///< that are remembered
  static constexpr std::size_t waiting_max = 10'000;

  explicit cluster_view(host::postgres_options database);
  cluster_view(const cluster_view&) = delete;
  cluster_view& operator=(const cluster_view&) = delete;
  /// Stops.
  ~cluster_view();

  /// Ends the statement that is running; what waits gets an error.
  void stop();

  /// `session_id` is a UUID in lower case. Unset: it has no owner.
  void find(const std::string& session_id, when_found then);
  /// What is remembered of it was wrong.
  void forget(const std::string& session_id);
  /// All nodes, also those whose lease has lapsed. `anew`: whatever was found
  /// lately.
  void list(when_listed then, bool anew = false);
  /// What the last list was; empty: there was none.
  [[nodiscard]] std::vector<host::cluster_node> last_list() const;

private:
  struct orders {
    std::vector<std::pair<std::string, when_found>> finds;
    std::vector<when_listed> lists;

    [[nodiscard]] std::size_t size() const {
      return finds.size() + lists.size();
    }
  };
  struct seen_place {
    host::session_place is;
    clock::time_point at;
  };

  void run(const std::stop_token& stop);
  void carry_out(orders what);
  void find_all(orders& what);
  void list_all(orders& what);
  [[nodiscard]] protocol::result<host::postgres_connection*> connection();
  void remember(const host::session_place& one);
  void note_answer(bool has_come);
  /// Whether the last answer has not come; `orders_probe`: and it is time to
  /// ask again.
  [[nodiscard]] bool is_mute(bool& orders_probe);
  [[nodiscard]] std::optional<host::session_place>
  remembered(const std::string& session_id, bool also_old) const;
  template <class Then>
  void order(std::vector<Then> orders::*list, Then what);

  std::stop_source hurry_;
  const host::postgres_options database_;
  std::optional<host::cluster_database> opened_; ///< the thread's

  mutable std::mutex mutex_; ///< guards what follows
  std::condition_variable_any ordered_;
  orders orders_;
  std::unordered_map<std::string, seen_place> places_;
  std::vector<host::cluster_node> nodes_;
  std::optional<clock::time_point> nodes_at_;
  /// When the database last was asked, or had not answered; unset: it answers.
  std::optional<clock::time_point> mute_at_;
  bool is_stopped_ = false;

  std::jthread thread_;
};

} // namespace convene::server
