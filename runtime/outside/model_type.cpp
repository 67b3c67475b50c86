// A language model as a participant: its needs, and how it is made.

#include <convene/runtime/outside/entry.hpp>
#include <convene/runtime/outside/participants/llm.hpp>
#include <convene/runtime/outside/shared_outside.hpp>

#include <algorithm>
#include <memory>
#include <utility>

namespace convene::host {
namespace {

using protocol::fail;
using protocol::result;

/// The application's executor of this name; null: there is none.
const actors::executor* find_executor(const outside_options& how,
                                      std::string_view name) {
  const auto found = std::ranges::find(how.executors, name,
                                       &actors::executor::name);
  return found == how.executors.end() ? nullptr : &*found;
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

} // namespace

result<void> add_llm(const outside_entry& from, const outside_options& how,
                     const llm_settings& settings, std::vector<need>& to) {
  for (const auto& pattern : settings.tools)
    if (is_function(pattern)) {
      if (auto found = need_executor(from, how, settings, pattern); !found)
        return fail(std::move(found).error());
    } else if (auto added = add_server(from, how, server_of(pattern), to);
               !added) {
      return added;
    }
  if (auto asked = add_approval(from, how, settings.approve); !asked)
    return asked;
  if (auto added = add_model(from, how, settings, to); !added)
    return added;
  for (std::size_t i = 0; i < settings.fallback.size(); ++i) {
    const auto pointer = std::string{from.pointer} + "/fallback/"
                         + std::to_string(i);
    if (auto added = add_model({from.config, pointer, from.mcp_servers}, how,
                               settings.fallback[i], to);
        !added)
      return added;
  }
  return {};
}

result<std::unique_ptr<actors::behaviour>>
make_llm(const outside_entry& from, shared_outside& by,
         const actors::behaviour_setup& whose, llm_settings&& settings) {
  auto own = access_for(settings, by);
  llm_surroundings with{.http = by.http(),
                        .api_key = std::move(own.api_key),
                        .log_prompts = by.options().log_prompts,
                        .on_text = by.options().on_text,
                        .headers = std::move(own.headers),
                        .secrets = std::move(own.secrets),
                        .people = by.options().people};
  with.models = by.models_of(whose.session_id);
  with.models->join(whose.participant_id, settings);
  for (const auto& each : settings.fallback)
    with.fallback.push_back(access_for(each, by));
  std::vector<std::string> patterns;
  for (const auto& each : settings.tools)
    if (!is_function(each))
      patterns.push_back(each);
    else if (auto found = need_executor(from, by.options(), settings, each))
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
  return std::make_unique<llm_behaviour>(std::move(settings), std::move(with));
}

} // namespace convene::host
