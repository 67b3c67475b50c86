#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace convene::server {

/// What a node answered when a list was asked of all of them.
struct node_answer {
  std::string node;
  unsigned status = 0;
  std::string body;
  /// Why there is none: `down`, `not_connected`, `unreachable` or `unreadable`;
  /// with another status than 200, `refused`. Empty: there is one.
  std::string reason = {};
};

/// Whether it counts; if not, `reason` says why.
[[nodiscard]] bool is_list(node_answer& from, const char* member,
                           boost::json::object& into);

/// Which page of the sessions of all nodes.
struct merged_page {
  std::size_t limit = 100;
  bool newest_first = false;
  bool has_sums = false;
};

/// The sessions of all nodes in the order of `start_key`. A session that two
/// nodes list, since it moves, is there once. `missing` has the nodes whose
/// sessions are left out.
[[nodiscard]] boost::json::object merge_sessions(std::vector<node_answer> from,
                                                 const merged_page& how);

/// The open questions of all nodes, as many as fit into `limit` and
/// `bytes_max`, with those of each node in its order.
[[nodiscard]] boost::json::object merge_requests(std::vector<node_answer> from,
                                                 std::size_t limit,
                                                 std::size_t bytes_max);

} // namespace convene::server
