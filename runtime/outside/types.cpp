// The types of behaviours that reach outside, and what they need there.

#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/outside/entry.hpp>
#include <convene/runtime/outside/http/url.hpp>
#include <convene/runtime/outside/mcp/server_settings.hpp>
#include <convene/runtime/outside/participants/a2a.hpp>
#include <convene/runtime/outside/participants/http.hpp>
#include <convene/runtime/outside/participants/human_settings.hpp>
#include <convene/runtime/outside/participants/llm.hpp>
#include <convene/runtime/outside/participants/mcp.hpp>
#include <convene/runtime/outside/participants/process.hpp>
#include <convene/runtime/outside/participants/reply_desk.hpp>
#include <convene/runtime/outside/shared_outside.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>

namespace convene::host {
namespace {

using protocol::fail;
using protocol::result;
using made_behaviour = std::unique_ptr<actors::behaviour>;

/// Adds the host of a URL, and returns it.
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

/// Refuses a text that is no variable's name without showing it: it may be the
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

/// Refuses what a scenario does not set, whatever is allowed.
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

/// Adds the variable that `member` names, whose value is a key for the host,
/// unless there is none.
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

/// The key in a variable, for the host of the URL alone.
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

/// The server whose tools a pattern like "files/*" means.
std::string server_of(std::string_view pattern) {
  return std::string{pattern.substr(0, pattern.find('/'))};
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

/// Where systems are asked; null: nowhere.
std::shared_ptr<reply_desk> desk_of(const outside_options& how) {
  return std::dynamic_pointer_cast<reply_desk>(how.people);
}

template <class Settings>
result<Settings> read_own_settings(const outside_entry& from) {
  protocol::reading r;
  Settings settings;
  if (!read(r, from.config, protocol::place{.name = from.pointer},
            protocol::anything, settings))
    return fail(*std::move(r.fault));
  return settings;
}

result<void> add_human(const outside_entry& from, const outside_options& how,
                       std::vector<need>& to) {
  if (const auto settings = read_own_settings<human_settings>(from); !settings)
    return fail(settings.error());
  if (!how.people)
    to.push_back({.what = need::kind::people});
  return {};
}

result<void> add_external(const outside_entry& from, const outside_options& how,
                          std::vector<need>&) {
  if (const auto settings = read_own_settings<external_settings>(from);
      !settings)
    return fail(settings.error());
  if (!desk_of(how))
    return refused(from,
                   "an external participant fetches its requests from a "
                   "server: run the scenario with convene serve",
                   "server_needed");
  return {};
}

/// The application's executor of this name; null: there is none.
const actors::executor* find_executor(const outside_options& how,
                                      std::string_view name) {
  const auto found = std::ranges::find(how.executors, name,
                                       &actors::executor::name);
  return found == how.executors.end() ? nullptr : &*found;
}

/// Refuses a participant whose calls a person approves where none is asked.
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

result<made_behaviour> make_human(const outside_entry& from, shared_outside& by,
                                  const actors::behaviour_setup&) {
  const auto settings = read_own_settings<human_settings>(from);
  if (!settings)
    return fail(settings.error());
  return std::make_unique<human>(by.options().people, settings->confirms);
}

/// Asked as a person is: it answers when it likes.
result<made_behaviour> make_external(const outside_entry&, shared_outside& by,
                                     const actors::behaviour_setup&) {
  return std::make_unique<human>(by.options().people);
}

result<void> add_process(const outside_entry& from, const outside_options& how,
                         std::vector<need>& to) {
  const auto settings = read_process_settings(from.config, from.pointer);
  if (!settings)
    return fail(settings.error());
  if (auto asked = add_approval(from, how, settings->approve); !asked)
    return asked;
  return add_program(from, how, settings->command, settings->env,
                     settings->working_folder, to);
}

result<made_behaviour> make_process(const outside_entry& from,
                                    shared_outside& by,
                                    const actors::behaviour_setup& whose) {
  auto settings = read_process_settings(from.config, from.pointer);
  if (!settings)
    return fail(std::move(settings).error());
  auto what = by.prepare(*settings, {whose.session_id, whose.participant_id});
  if (!what)
    return fail(std::move(what).error());
  return std::make_unique<process_behaviour>(whose.participant_id,
                                             *std::move(settings),
                                             *std::move(what), by.programs(),
                                             by.options().people);
}

result<void> add_mcp(const outside_entry& from, const outside_options& how,
                     std::vector<need>& to) {
  const auto settings = read_mcp_settings(from.config, from.pointer);
  if (!settings)
    return fail(settings.error());
  if (auto asked = add_approval(from, how, settings->approve); !asked)
    return asked;
  return add_server(from, how, settings->server, to);
}

result<made_behaviour> make_mcp(const outside_entry& from, shared_outside& by,
                                const actors::behaviour_setup& whose) {
  auto settings = read_mcp_settings(from.config, from.pointer);
  if (!settings)
    return fail(std::move(settings).error());
  auto tools = tools_for(from, by, whose,
                         {settings->server + '/' + settings->tool}, "tool");
  if (!tools)
    return fail(std::move(tools).error());
  return std::make_unique<mcp_behaviour>(*std::move(settings),
                                         *std::move(tools),
                                         by.options().people);
}

result<void> add_http(const outside_entry& from, const outside_options& how,
                      std::vector<need>& to) {
  const auto settings = read_http_settings(from.config, from.pointer);
  if (!settings)
    return fail(settings.error());
  if (auto asked = add_approval(from, how, settings->approve); !asked)
    return asked;
  const auto where = add_url(from, settings->url, to);
  if (!where)
    return fail(where.error());
  return add_key(from, how, "secret_env", settings->secret_env, *where, to);
}

result<made_behaviour> make_http(const outside_entry& from, shared_outside& by,
                                 const actors::behaviour_setup&) {
  auto settings = read_http_settings(from.config, from.pointer);
  if (!settings)
    return fail(std::move(settings).error());
  auto secret = key_in(settings->secret_env, settings->url, by);
  return std::make_unique<http_behaviour>(*std::move(settings), by.http(),
                                          std::move(secret),
                                          desk_of(by.options()),
                                          by.options().people);
}

result<void> add_a2a(const outside_entry& from, const outside_options& how,
                     std::vector<need>& to) {
  const auto settings = read_a2a_settings(from.config, from.pointer);
  if (!settings)
    return fail(settings.error());
  const auto where = add_url(from, settings->card, to);
  if (!where)
    return fail(where.error());
  return add_key(from, how, "api_key_env", settings->api_key_env, *where, to);
}

/// As `permissions::check` would have it; the card names hosts only later.
host_access access_to(const permissions& allow, const std::string& key_name,
                      const url_origin& origin) {
  const auto where = endpoint_of(origin.host, origin.port);
  if (!allow.is_named(where)
      && (!allow.may_reach(where) || is_this_machine(where.host)))
    return host_access::refused;
  return allow.may_send(key_name, where) ? host_access::with_key
                                         : host_access::allowed;
}

result<made_behaviour> make_a2a(const outside_entry& from, shared_outside& by,
                                const actors::behaviour_setup&) {
  auto settings = read_a2a_settings(from.config, from.pointer);
  if (!settings)
    return fail(std::move(settings).error());
  a2a_surroundings with{
    .http = by.http(),
    .partings = by.partings(),
    .api_key = key_in(settings->api_key_env, settings->card, by),
    .may_reach = [allow = by.options().allow,
                  name = settings->api_key_env](const url_origin& origin) {
      return access_to(allow, name, origin);
    }};
  return std::make_unique<a2a_behaviour>(*std::move(settings), std::move(with));
}

/// The application's executor that a model gets as a tool.
result<const actors::executor*>
need_executor(const outside_entry& from, const outside_options& how,
              const llm_settings& settings, const std::string& name) {
  if (const auto* found = find_executor(how, name))
    return found;
  const auto at = std::ranges::find(settings.tools, name)
                  - settings.tools.begin();
  const auto pointer = std::string{from.pointer} + "/tools/"
                       + std::to_string(at);
  return refused({from.config, pointer, from.mcp_servers},
                 "there is no tool \"" + name
                   + "\": one of a server is named SERVER/TOOL, and the "
                     "application has no executor of this name",
                 "executor_missing");
}

/// The host of a model, its key and the variables in its headers.
result<void> add_model(const outside_entry& at, const outside_options& how,
                       const llm_settings& settings, std::vector<need>& to) {
  const auto where = add_url(at, settings.base_url, to);
  if (!where)
    return fail(where.error());
  if (auto added = add_key(at, how, "api_key_env", settings.api_key_env, *where,
                           to);
      !added)
    return added;
  for (const auto& [name, value] : settings.headers)
    if (auto added = add_key(at, how, "headers/" + name + "/env",
                             value.variable, *where, to);
        !added)
      return added;
  return {};
}

model_access access_for(const llm_settings& settings, shared_outside& by) {
  model_access made{
    .api_key = key_in(settings.api_key_env, settings.base_url, by)};
  for (const auto& [name, value] : settings.headers) {
    auto content = value.text;
    if (!value.variable.empty()) {
      made.secrets.push_back(key_in(value.variable, settings.base_url, by));
      content += made.secrets.back();
    }
    made.headers.push_back({name, std::move(content)});
  }
  return made;
}

result<void> add_llm(const outside_entry& from, const outside_options& how,
                     std::vector<need>& to) {
  const auto settings = read_llm_settings(from.config, from.pointer);
  if (!settings)
    return fail(settings.error());
  for (const auto& pattern : settings->tools)
    if (is_function(pattern)) {
      if (auto found = need_executor(from, how, *settings, pattern); !found)
        return fail(std::move(found).error());
    } else if (auto added = add_server(from, how, server_of(pattern), to);
               !added) {
      return added;
    }
  if (auto asked = add_approval(from, how, settings->approve); !asked)
    return asked;
  if (auto added = add_model(from, how, *settings, to); !added)
    return added;
  for (std::size_t i = 0; i < settings->fallback.size(); ++i) {
    const auto pointer = std::string{from.pointer} + "/fallback/"
                         + std::to_string(i);
    if (auto added = add_model({from.config, pointer, from.mcp_servers}, how,
                               settings->fallback[i], to);
        !added)
      return added;
  }
  return {};
}

result<made_behaviour> make_llm(const outside_entry& from, shared_outside& by,
                                const actors::behaviour_setup& whose) {
  auto settings = read_llm_settings(from.config, from.pointer);
  if (!settings)
    return fail(std::move(settings).error());
  auto own = access_for(*settings, by);
  llm_surroundings with{.http = by.http(),
                        .api_key = std::move(own.api_key),
                        .log_prompts = by.options().log_prompts,
                        .on_text = by.options().on_text,
                        .headers = std::move(own.headers),
                        .secrets = std::move(own.secrets),
                        .people = by.options().people};
  with.models = by.models_of(whose.session_id);
  with.models->join(whose.participant_id, *settings);
  for (const auto& each : settings->fallback)
    with.fallback.push_back(access_for(each, by));
  std::vector<std::string> patterns;
  for (const auto& each : settings->tools)
    if (!is_function(each))
      patterns.push_back(each);
    else if (auto found = need_executor(from, by.options(), *settings, each))
      with.functions.push_back(
        std::make_shared<const actors::executor>(**found));
    else
      return fail(std::move(found).error());
  if (!patterns.empty()) {
    auto tools = tools_for(from, by, whose, std::move(patterns), "tools");
    if (!tools)
      return fail(std::move(tools).error());
    with.tools = *std::move(tools);
  }
  return std::make_unique<llm_behaviour>(*std::move(settings), std::move(with));
}

constexpr std::array<outside_type, 7> types{
  {{"llm", add_llm, make_llm},
   {"process", add_process, make_process},
   {"http", add_http, make_http},
   {"a2a", add_a2a, make_a2a},
   {"mcp", add_mcp, make_mcp},
   {"human", add_human, make_human},
   {"external", add_external, make_external}}};

} // namespace

const outside_type* find_outside_type(std::string_view name) {
  const auto* const found = std::ranges::find(types, name, &outside_type::name);
  return found == types.end() ? nullptr : found;
}

tl::unexpected<protocol::error> refused(const outside_entry& at,
                                        std::string message, std::string rule) {
  return fail({.code = protocol::errc::activation_refused,
               .message = std::move(message),
               .pointer = std::string{at.pointer},
               .rule = std::move(rule)});
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
