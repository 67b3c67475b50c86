// What participants need outside of their session, part by part.

#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/outside/entry.hpp>
#include <convene/runtime/outside/http/url.hpp>
#include <convene/runtime/outside/mcp/server_settings.hpp>
#include <convene/runtime/outside/shared_outside.hpp>
#include <convene/runtime/outside/visited_places.hpp>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

namespace convene::host {
namespace {

using protocol::fail;
using protocol::result;

/// Refuses a text that cannot name a variable without showing it: it may be the
/// secret itself.
result<void> check_variable(const outside_entry& at, const std::string& name) {
  if (is_variable_name(name))
    return {};
  return refused(at,
                 "write the name of an environment variable: letters, digits "
                 "and _, and no digit first; what is written here may be a "
                 "secret and is not shown",
                 "variable_name");
}

/// Variables that decide which code runs, or that convene sets itself.
bool is_reserved(std::string_view name) {
  return name == "PATH" || name == "HOME" || name.starts_with("LD_");
}

/// Refuses variables that no scenario may set.
result<void> check_set_variable(const outside_entry& at,
                                const std::string& name) {
  if (auto named = check_variable(at, name); !named)
    return named;
  if (is_reserved(name))
    return refused(at,
                   "a scenario does not set the environment variable " + name,
                   "variable_reserved");
  return {};
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

/// Why a variable's value cannot be a key; empty: it can.
std::string why_no_key(const char* value) {
  if (value == nullptr)
    return "is not set";
  const std::string_view text{value};
  if (text.empty())
    return "is empty";
  return std::ranges::any_of(text, is_control)
           ? "has a line end or another control character in its value"
           : "";
}

/// Adds the variables of convene that a server gets under other names, and
/// those that a scenario may not set by itself.
result<void> add_values(const outside_entry& from, const outside_options& how,
                        const mcp_server_settings& settings,
                        std::vector<need>& to) {
  for (const auto& [name, value] : settings.values) {
    std::string pointer = std::string{from.pointer} + "/env";
    protocol::append_to_pointer(pointer, name);
    const outside_entry at{from.config, pointer, from.mcp_servers};
    if (auto free = check_set_variable(at, name); !free)
      return free;
    if (steers_programs(name))
      to.push_back({.what = need::kind::env, .name = name});
    std::string_view before;
    const std::string variable{variable_in(value, before)};
    if (variable.empty())
      continue;
    if (auto named = check_variable(at, variable); !named)
      return named;
    to.push_back({.what = need::kind::env, .name = variable});
    if (how.allow.may_read_variable(variable)
        && std::getenv(variable.c_str()) == nullptr)
      return refused(at,
                     "the environment variable " + variable
                       + " is not set; set it, or leave " + name + " out",
                     "variable_missing");
  }
  return {};
}

/// Adds the host of a server by HTTP, and the variables for it alone.
result<void> add_endpoint(const outside_entry& at, const outside_options& how,
                          const mcp_server_settings& settings,
                          std::vector<need>& to) {
  const auto where = add_url(at, settings.url, to);
  if (!where)
    return fail(where.error());
  for (const auto& [name, value] : settings.headers) {
    std::string_view before;
    const std::string variable{variable_in(value, before)};
    if (auto added = add_key(at, how, "headers/" + name, variable, *where, to);
        !added)
      return added;
  }
  return {};
}

} // namespace

tl::unexpected<protocol::error> refused(const outside_entry& at,
                                        std::string message, std::string rule) {
  return fail({.code = protocol::errc::activation_refused,
               .message = std::move(message),
               .pointer = std::string{at.pointer},
               .rule = std::move(rule)});
}

result<endpoint> add_url(const outside_entry& at, const std::string& url,
                         std::vector<need>& to) {
  auto origin = origin_of(url);
  if (!origin) {
    auto why = std::move(origin).error();
    if (why.pointer.empty())
      why.pointer = std::string{at.pointer};
    return fail(std::move(why));
  }
  auto where = endpoint_of(origin->host, origin->port);
  to.push_back({.what = need::kind::net, .where = where});
  return where;
}

result<void> add_key(const outside_entry& from, const outside_options& how,
                     std::string_view member, const std::string& name,
                     const endpoint& where, std::vector<need>& to) {
  if (name.empty())
    return {};
  const auto pointer = std::string{from.pointer} + '/' + std::string{member};
  const outside_entry at{from.config, pointer, from.mcp_servers};
  if (auto named = check_variable(at, name); !named)
    return named;
  to.push_back({.what = need::kind::env, .name = name, .where = where});
  if (!how.allow.may_send(name, where))
    return {};
  const char* const value = std::getenv(name.c_str());
  if (const auto why = why_no_key(value); !why.empty())
    return refused(at,
                   "the environment variable " + name + ' ' + why
                     + "; set it, or leave " + std::string{member} + " out",
                   value == nullptr ? "variable_missing" : "variable_value");
  return {};
}

std::string key_in(const std::string& name, const std::string& url,
                   shared_outside& by) {
  const auto origin = origin_of(url);
  if (!origin
      || !by.options().allow.may_send(name,
                                      endpoint_of(origin->host, origin->port)))
    return {};
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr)
    return {};
  by.note_key(value);
  return value;
}

result<void> add_server(const outside_entry& at, const outside_options& how,
                        std::string_view name, std::vector<need>& to) {
  const auto* config
    = at.mcp_servers == nullptr ? nullptr : at.mcp_servers->if_contains(name);
  if (config == nullptr)
    return refused(at,
                   "the scenario has no MCP server \"" + std::string{name}
                     + "\" in its mcp_servers",
                   "server_missing");
  auto settings = read_mcp_server_settings(*config,
                                           "/mcp_servers/" + std::string{name});
  if (!settings)
    return fail(std::move(settings).error());
  std::string pointer = "/mcp_servers";
  protocol::append_to_pointer(pointer, name);
  const outside_entry server{*config, pointer, at.mcp_servers};
  if (!settings->url.empty())
    return add_endpoint(server, how, *settings, to);
  if (auto added = add_values(server, how, *settings, to); !added)
    return added;
  return add_program(server, how, settings->command, settings->env,
                     settings->working_folder, to);
}

result<void> add_approval(const outside_entry& from, const outside_options& how,
                          const std::vector<std::string>& approve) {
  if (approve.empty() || how.people)
    return {};
  const auto pointer = std::string{from.pointer} + "/approve";
  return refused({from.config, pointer, from.mcp_servers},
                 "a person approves calls of this participant, and there is no "
                 "person to ask here: add --interactive to be asked at this "
                 "terminal, run the scenario with convene serve, or leave "
                 "`approve` out",
                 "approver_needed");
}

std::string server_of(std::string_view pattern) {
  return std::string{pattern.substr(0, pattern.find('/'))};
}

result<std::shared_ptr<mcp_tools>>
tools_for(const outside_entry& from, shared_outside& by,
          const actors::behaviour_setup& whose,
          std::vector<std::string> patterns, std::string_view member) {
  static const protocol::json::object none;
  std::set<std::string> names;
  for (const auto& each : patterns)
    names.insert(server_of(each));
  auto servers = by.servers(from.mcp_servers ? *from.mcp_servers : none, names,
                            whose.session_id);
  if (!servers)
    return fail(std::move(servers).error());
  return mcp_tools::make(*std::move(servers), std::move(patterns),
                         std::string{from.pointer} + '/' + std::string{member});
}

result<void> add_program(const outside_entry& at, const outside_options& how,
                         const std::vector<std::string>& command,
                         const std::vector<std::string>& variables,
                         const std::string& working_folder,
                         std::vector<need>& to) {
  const auto& name = command.front();
  to.push_back({.what = need::kind::run,
                .name = name,
                .program = find_program(name),
                .pointer = std::string{at.pointer} + "/command/0"});
  for (const auto& each : variables) {
    if (auto free = check_set_variable(at, each); !free)
      return free;
    to.push_back({.what = need::kind::env, .name = each});
  }
  if (!working_folder.empty() && !how.allow.may_write(working_folder))
    return refused(at,
                   "programs work in a folder of their own; to allow this one, "
                   "add --allow write="
                     + working_folder,
                   "permission_needed");
  if (!working_folder.empty())
    if (const auto apart = check_apart(how, working_folder); !apart)
      return refused(at, apart.error().message, apart.error().rule);
  return {};
}

} // namespace convene::host
