#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/mcp/tools.hpp>

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

namespace convene::host {
namespace {

std::string_view server_in(std::string_view name) {
  return name.substr(0, name.find('/'));
}

std::string_view tool_in(std::string_view name) {
  const auto slash = name.find('/');
  return slash == name.npos ? std::string_view{} : name.substr(slash + 1);
}

bool matches(std::string_view name, std::string_view pattern) {
  if (!pattern.ends_with('*'))
    return name == pattern;
  pattern.remove_suffix(1);
  return name.starts_with(pattern);
}

/// The tools of several servers, until all have told theirs.
struct gathering {
  std::mutex mutex;
  std::size_t missing = 0;
  std::map<std::string, std::vector<tool>, std::less<>> tools; ///< by server
  std::map<std::string, mcp_connection::failure> failures;
};

bool allows(const std::vector<std::string>& patterns, std::string_view name) {
  return std::ranges::any_of(patterns, [name](std::string_view pattern) {
    return matches(name, pattern);
  });
}

/// Whether each tool that is named without `*` was found.
protocol::result<void> check_names(const std::vector<std::string>& patterns,
                                   const std::vector<tool>& found) {
  for (const auto& each : patterns) {
    if (each.ends_with('*')
        || std::ranges::find(found, each, &tool::name) != found.end())
      continue;
    return protocol::fail(protocol::errc::unsupported,
                          "the MCP server " + protocol::quote(server_in(each))
                            + " has no tool " + protocol::quote(tool_in(each)),
                          "no_such_tool");
  }
  return {};
}

/// All tools that are allowed, or why there are none.
protocol::result<std::vector<tool>>
gathered(gathering& all, const std::vector<std::string>& patterns) {
  if (!all.failures.empty()) {
    const auto& why = all.failures.begin()->second;
    return protocol::fail(protocol::errc::unsupported, why.message, why.code);
  }
  std::vector<tool> found;
  for (auto& [server, tools] : all.tools)
    for (auto& each : tools) {
      each.name = server + '/' + each.name;
      if (allows(patterns, each.name))
        found.push_back(std::move(each));
    }
  if (auto named = check_names(patterns, found); !named)
    return protocol::fail(std::move(named).error());
  return found;
}

} // namespace

protocol::result<std::shared_ptr<mcp_tools>>
mcp_tools::make(mcp_servers servers, std::vector<std::string> patterns,
                std::string_view pointer) {
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const auto& each = patterns[i];
    const auto refuse = [&](std::string message, std::string rule) {
      return protocol::fail(
        {.code = protocol::errc::invalid_document,
         .message = std::move(message),
         .pointer = std::string{pointer} + '/' + std::to_string(i),
         .rule = std::move(rule),
         .value = protocol::shorten(each)});
    };
    const auto star = each.find('*');
    if (tool_in(each).empty() || (star != each.npos && star + 1 != each.size())
        || star < each.find('/'))
      return refuse("write SERVER/TOOL, SERVER/* or SERVER/BEGINNING*",
                    "pattern");
    if (!servers.contains(server_in(each)))
      return refuse("no member of mcp_servers has the name "
                      + protocol::quote(server_in(each)),
                    "mcp_server");
  }
  return std::shared_ptr<mcp_tools>{
    new mcp_tools{std::move(servers), std::move(patterns)}};
}

void mcp_tools::list(when_listed then) {
  std::vector<std::shared_ptr<mcp_server>> asked;
  for (const auto& [name, server] : servers_)
    if (std::ranges::any_of(patterns_, [&](std::string_view pattern) {
          return server_in(pattern) == name;
        }))
      asked.push_back(server);
  if (asked.empty())
    return then(std::vector<tool>{});
  const auto all = std::make_shared<gathering>();
  all->missing = asked.size();
  for (const auto& server : asked)
    server->list(
      [all, then, patterns = patterns_, name = server->name()](
        tl::expected<std::vector<tool>, mcp_connection::failure> how) {
        {
          const std::lock_guard held{all->mutex};
          if (how)
            all->tools[name] = std::move(*how);
          else
            all->failures.emplace(name, std::move(how).error());
          if (--all->missing > 0)
            return;
        }
        then(gathered(*all, patterns));
      });
}

actors::cancel_function
mcp_tools::call(std::string_view name, const protocol::json::object& arguments,
                const actors::attempt& which, actors::when_acted then) {
  const auto server = servers_.find(server_in(name));
  if (!allows(patterns_, name) || server == servers_.end()) {
    protocol::action_result refused;
    refused.status = protocol::action_status::failed;
    refused.error.code = "tool_not_allowed";
    refused.error.message = "there is no tool " + protocol::quote(name)
                            + ", or it is not allowed here";
    then(std::move(refused));
    return [] {};
  }
  return server->second->call(std::string{tool_in(name)}, arguments,
                              which.timeout_ms, std::move(then), which.trace);
}

} // namespace convene::host
