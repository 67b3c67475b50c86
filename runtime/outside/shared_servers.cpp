// The MCP servers that sessions share.

#include <boost/json/serialize.hpp>
#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/runtime/outside/http/url.hpp>
#include <convene/runtime/outside/mcp/http_server.hpp>
#include <convene/runtime/outside/mcp/program_server.hpp>
#include <convene/runtime/outside/shared_outside.hpp>

#include <cstdlib>
#include <utility>

namespace convene::host {

using protocol::fail;
using protocol::result;

result<std::shared_ptr<mcp_server>>
shared_outside::program_server(const std::string& key,
                               mcp_server_settings settings,
                               const std::vector<std::string>& own) {
  fill_values(settings.values);
  auto what = prepare(settings, own);
  if (!what)
    return fail(std::move(what).error());
  return std::make_shared<mcp_program>(key, *std::move(what),
                                       settings.timeout_ms, programs());
}

result<std::shared_ptr<mcp_server>>
shared_outside::http_server(const std::string& key,
                            const mcp_server_settings& settings) {
  const auto origin = origin_of(settings.url);
  if (!origin)
    return fail(origin.error());
  const auto where = endpoint_of(origin->host, origin->port);
  std::vector<http_header> headers;
  for (const auto& [name, value] : settings.headers) {
    std::string_view before;
    const std::string variable{variable_in(value, before)};
    std::string text{before};
    const char* known = !variable.empty()
                            && how_.allow.may_send(variable, where)
                          ? std::getenv(variable.c_str())
                          : nullptr;
    if (known != nullptr) {
      text += known;
      note_key(known);
    }
    headers.push_back({name, std::move(text)});
  }
  return std::make_shared<mcp_endpoint>(key, settings.url, std::move(headers),
                                        settings.timeout_ms, client(),
                                        partings_);
}

std::shared_ptr<mcp_server>
shared_outside::known_server(const std::string& id) {
  const std::lock_guard held{mutex_};
  std::erase_if(servers_,
                [](const auto& each) { return each.second.expired(); });
  const auto found = servers_.find(id);
  return found == servers_.end() ? nullptr : found->second.lock();
}

result<mcp_servers> shared_outside::servers(const protocol::json::object& from,
                                            const std::set<std::string>& names,
                                            const std::string& session_id) {
  mcp_servers all;
  for (const auto& [name, config] : from) {
    const std::string key{name};
    if (!names.contains(key))
      continue;
    auto settings = read_mcp_server_settings(config, "/mcp_servers/" + key);
    if (!settings)
      return fail(std::move(settings).error());
    const auto id = key + ' ' + boost::json::serialize(config);
    if (auto known = known_server(id)) {
      all.emplace(key, std::move(known));
      continue;
    }
    auto made
      = settings->url.empty()
          ? program_server(key, *settings,
                           {session_id, "mcp/" + key + '/' + short_digest(id)})
          : http_server(key, *settings);
    if (!made)
      return fail(std::move(made).error());
    const std::lock_guard held{mutex_};
    auto server = servers_[id].lock(); // another session may have been faster
    if (!server)
      servers_[id] = server = *std::move(made);
    all.emplace(key, std::move(server));
  }
  return all;
}

} // namespace convene::host
