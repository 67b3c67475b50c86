#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/outside/http/http_client.hpp>
#include <convene/server/http/route.hpp>
#include <convene/server/peers/asked_nodes.hpp>
#include <convene/server/peers/cluster_options.hpp>
#include <convene/server/peers/cluster_view.hpp>
#include <convene/server/peers/passed_call.hpp>
#include <convene/server/peers/peer_counts.hpp>
#include <convene/server/sessions/session_host.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace convene::server {

/// Has the endpoints of a node answer for all sessions of its cluster: what is
/// on another node is asked of that node. Thread-safe.
class cluster_front {
public:
  /// Checks the files of `peers`. `answer_bytes_max` is for answers that are
  /// not streams.
  [[nodiscard]] static protocol::result<std::unique_ptr<cluster_front>>
  open(cluster_options how, std::size_t answer_bytes_max);

  cluster_front(const cluster_front&) = delete;
  cluster_front& operator=(const cluster_front&) = delete;
  ~cluster_front();

  /// The same endpoints. Those of a session answer for the cluster, and so do
  /// lists and questions with a session or a node in the query. `host` has the
  /// sessions of this node. Both must stay until `stop`.
  [[nodiscard]] routes for_cluster(routes endpoints, session_host& host);

  /// The same endpoints for clients, who cannot say that a node has passed
  /// their request on.
  [[nodiscard]] static routes for_clients(routes endpoints);

  [[nodiscard]] peer_counts counts() const;

  /// A client of the peer listener was refused. Logs it, at most once a second.
  void refused(std::string_view address, std::string_view reason);

  /// Ends what is under way. Calls no endpoint after it.
  void stop();

private:
  /// A request, until it is answered.
  struct asked {
    request what;
    responder to;
    handler here;           ///< the endpoint of this node
    std::string session_id; ///< empty: it is to begin one
  };
  using asked_request = std::shared_ptr<const asked>;

  cluster_front(cluster_options how, std::size_t answer_bytes_max);

  /// Whether this process is the node of this name and start: another one of
  /// its name may have replaced it.
  [[nodiscard]] bool is_own(const std::string& node,
                            const std::string& boot_id) const;
  /// Whether this node has the session, and no other one has taken it.
  [[nodiscard]] bool is_here(const std::string& session_id) const;
  void ask_for_session(const request& from, const responder& to,
                       const handler& here, const std::string& session_id);
  void decide(const asked_request& what,
              protocol::result<std::optional<host::session_place>> where,
              bool is_first);
  void pass_to_owner(const asked_request& what,
                     const host::session_place& where, bool is_first);
  void not_there(const asked_request& what, const host::session_place& where,
                 bool is_first);

  /// The node that the query names has the answer.
  void ask_node(const request& from, const responder& to, const handler& here);

  /// Whether the caller means one node: it names it, or is itself a node.
  [[nodiscard]] bool is_for_one_node(const request& from) const;
  /// Asks all other nodes at once, each for what `make` returns for so many
  /// nodes, for `time`. Those that are down or not reached get an answer, too.
  void ask_others(const std::shared_ptr<asked_nodes>& asking,
                  std::function<request(std::size_t)> make,
                  std::chrono::milliseconds time);
  void begin_asking(const std::shared_ptr<asked_nodes>& asking,
                    const std::function<request(std::size_t)>& make,
                    std::chrono::milliseconds time,
                    const std::vector<host::cluster_node>& nodes);
  void list_sessions(const request& from, const responder& to,
                     const handler& here);
  void list_requests(const request& from, const responder& to,
                     const handler& here);
  void gather_requests(const request& from, const responder& to,
                       const handler& here,
                       std::function<void(boost::json::object)> then);
  void wait_for_requests(const request& from, const responder& to,
                         const handler& here, std::chrono::milliseconds time,
                         const boost::json::object& none);
  /// Some node has asked the question.
  void reply(const request& from, const responder& to, const handler& here);

  void place(const request& from, const responder& to, const handler& here);
  /// `key` decides between nodes.
  void place_new(const asked_request& what, const std::string& key,
                 bool is_draft);
  void place_on_one_of(const asked_request& what, const std::string& key,
                       const std::vector<host::cluster_node>& nodes,
                       const std::set<std::string>& without);

  void pass(const asked_request& what, const std::string& node,
            const std::string& peer_address, std::function<void(response&)> see,
            std::function<void(const passed_call::failure&)> fail);

  const cluster_options how_;
  const std::size_t answer_bytes_max_;
  session_host* sessions_ = nullptr;
  cluster_view view_;
  std::optional<host::http_client> client_; ///< unset: without peers

  mutable std::mutex mutex_; ///< guards what follows
  peer_counts counts_;
  std::optional<cluster_view::clock::time_point> logged_;
  std::uint64_t unlogged_ = 0; ///< refusals since
};

} // namespace convene::server
