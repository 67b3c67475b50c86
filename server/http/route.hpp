#pragma once

#include <convene/server/http/request.hpp>
#include <convene/server/http/response.hpp>

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace convene::server {

/// Answers a request, at once or later, on any thread. Called on a thread of
/// the server, so it must not wait. What it throws becomes 500.
using handler = std::function<void(const request&, responder)>;

/// An endpoint.
struct route {
  std::string method;  ///< GET, POST or DELETE; GET also answers HEAD
  std::string pattern; ///< "/v1/sessions/{id}/events"; "/v1/runs/{id}:fork"
  /// What the caller's key has to allow; empty: no key is needed.
  std::string scope;
  handler call;
  error_form errors = error_form::native;
  /// For POST: whether an Idempotency-Key is honoured.
  bool repeatable_by_key = true;
  /// Whether the key of one person may be used (`caller::session_id`): it shows
  /// and takes nothing but what is theirs. Such a key is refused elsewhere.
  bool for_one_person = false;
  /// The bytes of a body, if that is less than the server's limit.
  std::size_t body_bytes_max = std::numeric_limits<std::size_t>::max();
  /// It is answered however full the server is, on the thread that reads the
  /// request: it must not take long.
  bool is_vital = false;
  /// It is for other nodes, whose certificates have been checked: its requests
  /// do not count for `requests_per_second`.
  bool is_of_nodes = false;
  /// It may have another server answer: the request has the caller's key.
  bool passes_on = false;
  std::string about = {}; ///< one line for the OpenAPI document
};

using routes = std::vector<route>;

} // namespace convene::server
