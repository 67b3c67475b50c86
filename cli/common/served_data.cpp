#include <convene/cli/common/served_data.hpp>
#include <convene/server/page/page_routes.hpp>
#include <convene/server/run_api/run_routes.hpp>
#include <convene/server/run_sessions/node_sessions.hpp>
#include <convene/server/session_api/session_routes.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace convene::cli {

protocol::result<served_data>
served_data::open(const serve_arguments& arguments, runtime_options how) {
  const auto durable = how.durability;
  const auto texts = std::make_shared<server::session_texts>();
  how.on_text = [texts](std::string_view session, std::string_view who,
                        std::string_view text) {
    texts->say(session, who, text);
  };
  auto sessions
    = server::session_host::open({.data = arguments.data,
                                  .runtime = std::move(how),
                                  .public_url = arguments.public_url});
  if (!sessions)
    return protocol::fail(std::move(sessions).error());
  auto runs = server::run_host::open(
    {.data = arguments.data,
     .workflows = arguments.workflows,
     .durable = durable,
     .has_conversations = !arguments.without_conversations,
     .sessions = server::node_sessions(**sessions),
     .texts = texts});
  if (!runs)
    return protocol::fail(std::move(runs).error());
  auto signer = server::token_signer::open(std::filesystem::path{arguments.data}
                                           / "interrupt-tokens.secret");
  if (!signer)
    return protocol::fail(std::move(signer).error());
  return served_data{*std::move(sessions), *std::move(runs),
                     *std::move(signer)};
}

server::routes served_data::endpoints() const {
  server::routes all;
  for (auto& each :
       {server::page_routes(), server::session_routes(*sessions_),
        server::run_routes(*runs_, signer_, {.version = CONVENE_VERSION})})
    std::ranges::copy(each, std::back_inserter(all));
  return all;
}

} // namespace convene::cli
