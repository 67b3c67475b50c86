// The types of behaviours that reach outside.

#include <convene/protocol/codec/object_reader.hpp>
#include <convene/runtime/outside/entry.hpp>
#include <convene/runtime/outside/http/url.hpp>
#include <convene/runtime/outside/participants/a2a.hpp>
#include <convene/runtime/outside/participants/http.hpp>
#include <convene/runtime/outside/participants/human_settings.hpp>
#include <convene/runtime/outside/participants/llm_settings.hpp>
#include <convene/runtime/outside/participants/mcp.hpp>
#include <convene/runtime/outside/participants/process.hpp>
#include <convene/runtime/outside/participants/reply_desk.hpp>
#include <convene/runtime/outside/shared_outside.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace convene::host {
namespace {

using protocol::fail;
using protocol::result;
using made_behaviour = std::unique_ptr<actors::behaviour>;

/// Where systems are asked; null: nowhere.
std::shared_ptr<reply_desk> desk_of(const outside_options& how) {
  return std::dynamic_pointer_cast<reply_desk>(how.people);
}

template <class Settings>
result<Settings>
read_described(const protocol::json::value& from, std::string_view pointer) {
  protocol::reading r;
  Settings settings;
  if (!read(r, from, protocol::place{.name = pointer}, protocol::anything,
            settings))
    return fail(*std::move(r.fault));
  return settings;
}

result<void> add_human(const outside_entry&, const outside_options& how,
                       const human_settings&, std::vector<need>& to) {
  if (!how.people)
    to.push_back({.what = need::kind::people});
  return {};
}

result<void> add_external(const outside_entry& from, const outside_options& how,
                          const external_settings&, std::vector<need>&) {
  if (!desk_of(how))
    return refused(from,
                   "an external participant fetches its requests from a "
                   "server: run the scenario with convene serve",
                   "server_needed");
  return {};
}

result<made_behaviour> make_human(const outside_entry&, shared_outside& by,
                                  const actors::behaviour_setup&,
                                  human_settings&& settings) {
  return std::make_unique<human>(by.options().people, settings.confirms);
}

/// Asked as a person is: it answers when it likes.
result<made_behaviour> make_external(const outside_entry&, shared_outside& by,
                                     const actors::behaviour_setup&,
                                     external_settings&&) {
  return std::make_unique<human>(by.options().people);
}

result<void> add_process(const outside_entry& from, const outside_options& how,
                         const process_settings& settings,
                         std::vector<need>& to) {
  if (auto asked = add_approval(from, how, settings.approve); !asked)
    return asked;
  return add_program(from, how, settings.command, settings.env,
                     settings.working_folder, to);
}

result<made_behaviour> make_process(const outside_entry&, shared_outside& by,
                                    const actors::behaviour_setup& whose,
                                    process_settings&& settings) {
  auto what = by.prepare(settings, {whose.session_id, whose.participant_id});
  if (!what)
    return fail(std::move(what).error());
  return std::make_unique<process_behaviour>(whose.participant_id,
                                             std::move(settings),
                                             *std::move(what), by.programs(),
                                             by.options().people);
}

result<void> add_mcp(const outside_entry& from, const outside_options& how,
                     const mcp_settings& settings, std::vector<need>& to) {
  if (auto asked = add_approval(from, how, settings.approve); !asked)
    return asked;
  return add_server(from, how, settings.server, to);
}

result<made_behaviour> make_mcp(const outside_entry& from, shared_outside& by,
                                const actors::behaviour_setup& whose,
                                mcp_settings&& settings) {
  auto tools = tools_for(from, by, whose,
                         {settings.server + '/' + settings.tool}, "tool");
  if (!tools)
    return fail(std::move(tools).error());
  return std::make_unique<mcp_behaviour>(std::move(settings), *std::move(tools),
                                         by.options().people);
}

result<void> add_http(const outside_entry& from, const outside_options& how,
                      const http_settings& settings, std::vector<need>& to) {
  if (auto asked = add_approval(from, how, settings.approve); !asked)
    return asked;
  const auto where = add_url(from, settings.url, to);
  if (!where)
    return fail(where.error());
  return add_key(from, how, "secret_env", settings.secret_env, *where, to);
}

result<made_behaviour> make_http(const outside_entry&, shared_outside& by,
                                 const actors::behaviour_setup&,
                                 http_settings&& settings) {
  auto secret = key_in(settings.secret_env, settings.url, by);
  return std::make_unique<http_behaviour>(std::move(settings), by.http(),
                                          std::move(secret),
                                          desk_of(by.options()),
                                          by.options().people);
}

result<void> add_a2a(const outside_entry& from, const outside_options& how,
                     const a2a_settings& settings, std::vector<need>& to) {
  const auto where = add_url(from, settings.card, to);
  if (!where)
    return fail(where.error());
  return add_key(from, how, "api_key_env", settings.api_key_env, *where, to);
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

result<made_behaviour> make_a2a(const outside_entry&, shared_outside& by,
                                const actors::behaviour_setup&,
                                a2a_settings&& settings) {
  a2a_surroundings with{
    .http = by.http(),
    .partings = by.partings(),
    .api_key = key_in(settings.api_key_env, settings.card, by),
    .may_reach = [allow = by.options().allow,
                  name = settings.api_key_env](const url_origin& origin) {
      return access_to(allow, name, origin);
    }};
  return std::make_unique<a2a_behaviour>(std::move(settings), std::move(with));
}

/// A type whose settings are read before they are used.
template <auto Read, auto Add, auto Make>
constexpr outside_type of_type(std::string_view name) {
  return {.name = name,
          .add = [](const outside_entry& from, const outside_options& how,
                    std::vector<need>& to) -> result<void> {
            const auto settings = Read(from.config, from.pointer);
            if (!settings)
              return fail(settings.error());
            return Add(from, how, *settings, to);
          },
          .make
          = [](const outside_entry& from, shared_outside& by,
               const actors::behaviour_setup& whose) -> result<made_behaviour> {
            auto settings = Read(from.config, from.pointer);
            if (!settings)
              return fail(std::move(settings).error());
            return Make(from, by, whose, *std::move(settings));
          }};
}

constexpr std::array types{
  of_type<read_llm_settings, add_llm, make_llm>("llm"),
  of_type<read_process_settings, add_process, make_process>("process"),
  of_type<read_http_settings, add_http, make_http>("http"),
  of_type<read_a2a_settings, add_a2a, make_a2a>("a2a"),
  of_type<read_mcp_settings, add_mcp, make_mcp>("mcp"),
  of_type<read_described<human_settings>, add_human, make_human>("human"),
  of_type<read_described<external_settings>, add_external, make_external>(
    "external")};

} // namespace

const outside_type* find_outside_type(std::string_view name) {
  const auto* const found = std::ranges::find(types, name, &outside_type::name);
  return found == types.end() ? nullptr : found;
}

} // namespace convene::host
