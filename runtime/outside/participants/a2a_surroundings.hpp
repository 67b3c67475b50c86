#pragma once

#include <convene/runtime/outside/http/paced_client.hpp>
#include <convene/runtime/outside/http/parting_calls.hpp>
#include <convene/runtime/outside/http/url.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace convene::host {

/// What the operator of this program allows.
enum class host_access : std::uint8_t {
  refused,
  allowed,  ///< as any public host is
  with_key, ///< and the key may be sent there
};
using host_judge = std::function<host_access(const url_origin&)>;

/// What an `a2a` participant works with besides its settings.
struct a2a_surroundings {
  std::shared_ptr<paced_client> http;
  std::shared_ptr<parting_calls> partings;
  std::string api_key;  ///< empty: none
  host_judge may_reach; ///< asked about the hosts that a card names
};

} // namespace convene::host
