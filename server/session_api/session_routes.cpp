#include <convene/server/session_api/session_routes.hpp>

#include <iterator>
#include <utility>

namespace convene::server {

routes session_routes(session_host& host) {
  routes all;
  for (auto part : {create_routes(host), fork_routes(host), state_routes(host),
                    control_routes(host), event_routes(host),
                    request_routes(host), message_routes(host)})
    all.insert(all.end(), std::make_move_iterator(part.begin()),
               std::make_move_iterator(part.end()));
  return all;
}

} // namespace convene::server
