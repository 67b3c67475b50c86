#pragma once

#include <boost/json/object.hpp>
#include <convene/server/http/router.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace convene::server {

/// Calls endpoints of the HTTP API without HTTP, and waits for their answers.
/// Thread-safe.
class endpoint_calls {
public:
  /// Answers have at most so many bytes.
  endpoint_calls(routes endpoints, std::size_t bytes_max)
    : router_{std::move(endpoints)}, bytes_max_{bytes_max} {}

  struct what {
    std::string method;
    std::vector<std::string> path; ///< by segments
    std::string body = {};
    std::map<std::string, std::string, std::less<>> query = {};
    std::string key = {}; ///< whose sessions are counted together
  };

  struct answer {
    unsigned status = 500;
    boost::json::object body; ///< of an error {"error": {...}}
  };

  /// Blocks as long as the endpoint takes.
  [[nodiscard]] answer call(what is_called) const;

private:
  const router router_;
  const std::size_t bytes_max_;
};

} // namespace convene::server
