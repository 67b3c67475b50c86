#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/documents/describe.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/http/url.hpp>
#include <convene/runtime/outside/participants/approve_setting.hpp>
#include <convene/runtime/outside/participants/describe_limits.hpp>
#include <convene/runtime/outside/participants/llm_settings.hpp>
#include <convene/session/options/options.hpp>

#include <algorithm>
#include <array>

namespace convene::host {

namespace json = protocol::json;
using protocol::between;

namespace {

constexpr protocol::constraint member_name{
  .keyword = "pattern",
  .holds =
    [](std::string_view text) noexcept {
      return !text.empty() && text.size() <= 64
             && std::ranges::all_of(text, [](char c) {
                  return protocol::is_alnum(c) || c == '_';
                });
    },
  .wanted = "a member's name such as max_completion_tokens, or none"};

} // namespace

void describe(auto& v, protocol::of<llm_price> auto& x) {
  v.defaulted("prompt", x.prompt, between(0, 1'000'000));
  v.defaulted("completion", x.completion, between(0, 1'000'000));
}

void describe(auto& v, protocol::of<llm_settings> auto& x) {
  v.ignored("type");
  v.defaulted("provider", x.provider);
  v.defaulted("base_url", x.base_url, protocol::not_empty);
  v.member("model", x.model, protocol::not_empty);
  v.defaulted("api_key_env", x.api_key_env, protocol::not_empty);
  v.defaulted("system", x.system);
  v.defaulted("stream", x.stream);
  v.defaulted("max_tokens", x.max_tokens, between(1, 10'000'000));
  v.defaulted("temperature", x.temperature, between(0, 2));
  v.defaulted("context_tokens", x.context_tokens, between(1'000, 100'000'000));
  v.defaulted("workspace", x.workspace);
  v.defaulted("tools", x.tools, protocol::not_empty);
  v.defaulted("repairs", x.repairs, between(0, 100));
  v.defaulted("rounds_max", x.rounds_max, between(1, 100));
  v.defaulted("reply", x.reply);
  v.defaulted("thoughts", x.thoughts);
  v.defaulted("price", x.price);
  v.defaulted("timeout_ms", x.timeout_ms, between(1, session::duration_ms_max));
  v.defaulted("retries", x.retries, between(0, 100));
  v.defaulted("limits", x.limits);
  v.defaulted("anthropic_version", x.anthropic_version, protocol::not_empty);
  v.defaulted("dialect", x.dialect);
  v.defaulted("max_tokens_name", x.max_tokens_name, member_name);
  v.defaulted("response_format", x.format);
  v.defaulted("stream_options", x.stream_options);
  v.defaulted("top_p", x.top_p, between(0, 1));
  v.defaulted("reasoning_effort", x.reasoning_effort, protocol::not_empty);
  v.defaulted("parallel_tool_calls", x.parallel_tool_calls);
  v.defaulted("extra_body", x.extra_body);
  v.ignored("headers");
  v.ignored("fallback");
  v.ignored("approve");
}

namespace {

using protocol::place;
using protocol::reading;

constexpr std::size_t fallbacks_max = 8;

/// What a request is made of: `extra_body` does not replace it.
constexpr std::array<std::string_view, 5> made_members{"model", "messages",
                                                       "system", "tools",
                                                       "stream"};

/// What the participant has only once, whichever of its models is called.
constexpr std::array<std::string_view, 11> shared_members{
  "type",  "system",     "context_tokens", "workspace", "tools",  "repairs",
  "reply", "rounds_max", "thoughts",       "fallback",  "approve"};

/// What says where a model is: an entry with one of these is another server's,
/// which has nothing of the first one's.
constexpr std::array<std::string_view, 3> server_members{"provider", "dialect",
                                                         "base_url"};

/// What an entry for another server does not take over.
constexpr std::array<std::string_view, 15> own_members_of_server{
  "provider",
  "dialect",
  "base_url",
  "api_key_env",
  "headers",
  "extra_body",
  "max_tokens_name",
  "response_format",
  "stream_options",
  "temperature",
  "top_p",
  "reasoning_effort",
  "price",
  "parallel_tool_calls",
  "anthropic_version"};

bool is_in(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Whether only chat completions have it, and it is set.
std::string_view setting_for_openai(const llm_settings& of) {
  return of.max_tokens_name             ? "max_tokens_name"
         : of.format                    ? "response_format"
         : of.stream_options            ? "stream_options"
         : !of.reasoning_effort.empty() ? "reasoning_effort"
                                        : "";
}

/// Provider and address by the dialect, where they are left out.
void complete_server(reading& r, const json::value& from, const place& at,
                     llm_settings& to) {
  const auto facts = to.dialect ? facts_of(*to.dialect)
                                : dialect_facts{.provider = to.provider};
  if (!from.as_object().contains("provider"))
    to.provider = facts.provider;
  if (to.provider != facts.provider) {
    r.refuse(place{&at, "dialect", {}}, "provider",
             "this dialect is spoken by provider "
               + protocol::quote(protocol::to_word(facts.provider))
               + "; leave `provider` out");
    return;
  }
  if (to.base_url.empty() && !to.dialect)
    to.base_url = facts_of(to.provider == model_provider::openai
                             ? model_dialect::openai
                             : model_dialect::anthropic)
                    .base_url;
  else if (to.base_url.empty())
    to.base_url = facts.base_url;
  if (to.base_url.empty()) {
    r.refuse(place{&at, "base_url", {}}, "required",
             "this dialect has no address of its own: write one such as "
             "https://RESOURCE.openai.azure.com/openai/v1");
    return;
  }
  if (const auto origin = origin_of(to.base_url); !origin)
    r.refuse(place{&at, "base_url", {}}, origin.error().rule,
             origin.error().message);
  else if (!facts.path.empty())
    add_path(to.base_url, facts.path);
}

void check_members(reading& r, const place& at, const llm_settings& of) {
  if (of.max_tokens >= of.context_tokens)
    r.refuse(place{&at, "max_tokens", {}}, "maximum",
             "an answer must be shorter than context_tokens, which has room "
             "for prompt and answer");
  else if (of.reply == llm_reply::json && !of.tools.empty())
    r.refuse(place{&at, "tools", {}}, "tools",
             "a model that replies in JSON calls no tools; leave `tools` out "
             "or write \"reply\": \"tools\"");
  if (const auto name = setting_for_openai(of);
      !r.fault && !name.empty() && of.provider == model_provider::anthropic)
    r.refuse(place{&at, name, {}}, "provider",
             "Anthropic's messages have no such member; leave it out, or use "
             "`extra_body`");
  if (!r.fault && is_in(made_members, of.max_tokens_name.value_or("")))
    r.refuse(place{&at, "max_tokens_name", {}}, "max_tokens_name",
             "convene writes this member itself; write one such as "
             "max_completion_tokens, or none");
  for (const auto& [name, value] : of.extra_body)
    if (!r.fault && is_in(made_members, name)) {
      const place extra{&at, "extra_body", {}};
      r.refuse(place{&extra, name, {}}, "extra_body",
               "convene writes this member itself; leave it out");
    }
}

/// Reads all but `fallback`.
void read_one(reading& r, const json::value& from, const place& at,
              llm_settings& to) {
  if (!protocol::read(r, from, at, protocol::anything, to))
    return;
  complete_server(r, from, at, to);
  if (!r.fault)
    check_members(r, at, to);
  const auto* headers = from.as_object().if_contains("headers");
  if (headers && !r.fault)
    read_headers(r, *headers, place{&at, "headers", {}}, to.headers);
}

/// An entry with what it takes over from the participant's own settings.
json::object merged_entry(const json::object& whole,
                          const json::object& entry) {
  const bool is_elsewhere = std::ranges::any_of(server_members, [&](auto name) {
    return entry.contains(name);
  });
  json::object made;
  for (const auto& [name, value] : whole)
    if (name != "fallback"
        && !(is_elsewhere && is_in(own_members_of_server, name)))
      made[name] = value;
  for (const auto& [name, value] : entry)
    made[name] = value;
  return made;
}

void read_fallback(reading& r, const json::value& from, const place& at,
                   llm_settings& to) {
  const auto* list = r.fault ? nullptr
                             : from.as_object().if_contains("fallback");
  if (list == nullptr)
    return;
  const place all{&at, "fallback", {}};
  const auto* entries = protocol::read_items(r, *list, all,
                                             protocol::at_most(fallbacks_max));
  for (std::size_t i = 0; entries && i < entries->size() && !r.fault; ++i) {
    const place here{&all, {}, i};
    json::object entry;
    if (!protocol::read_object(r, (*entries)[i], here, entry))
      return;
    for (const auto name : shared_members)
      if (entry.contains(name)) {
        r.refuse(place{&here, name, {}}, "fallback",
                 "this is the same for all models of a participant; leave it "
                 "out here");
        return;
      }
    read_one(r, merged_entry(from.as_object(), entry), here,
             to.fallback.emplace_back());
  }
}

} // namespace

dialect_facts facts_of(const llm_settings& what) {
  if (what.dialect)
    return facts_of(*what.dialect);
  const auto origin = origin_of(what.base_url);
  const auto known = origin ? dialect_of_host(origin->host) : std::nullopt;
  if (known && facts_of(*known).provider == what.provider)
    return facts_of(*known);
  dialect_facts facts{.provider = what.provider};
  if (refuses_max_tokens(what.model))
    facts.max_tokens_name = "max_completion_tokens";
  return facts;
}

request_shape shape_of(const llm_settings& what) {
  const auto facts = facts_of(what);
  request_shape made{.max_tokens_name = what.max_tokens_name.value_or(
                       std::string{facts.max_tokens_name}),
                     .format = what.format.value_or(facts.format),
                     .stream_options
                     = what.stream_options.value_or(facts.stream_options),
                     .schemas = facts.schemas,
                     .short_call_ids = facts.short_call_ids,
                     .top_p = what.top_p,
                     .reasoning_effort = what.reasoning_effort,
                     .parallel_tool_calls = what.parallel_tool_calls,
                     .extra = what.extra_body};
  if (made.max_tokens_name == "none")
    made.max_tokens_name.clear();
  return made;
}

protocol::result<llm_settings> read_llm_settings(const json::value& from,
                                                 std::string_view pointer) {
  reading r;
  llm_settings to;
  const place at{.name = pointer};
  read_one(r, from, at, to);
  read_approve(
    r, from, at,
    [&to](std::string_view pattern) {
      return std::ranges::any_of(to.tools, [pattern](const auto& tool) {
        return may_match_tool(pattern, tool);
      });
    },
    to.approve);
  read_fallback(r, from, at, to);
  if (r.fault)
    return protocol::fail(*std::move(r.fault));
  return to;
}

} // namespace convene::host
