#include <convene/protocol/base/ascii.hpp>
#include <convene/runtime/outside/models/answer_errors.hpp>
#include <convene/runtime/outside/models/anthropic.hpp>
#include <convene/runtime/outside/models/openai.hpp>
#include <convene/runtime/outside/models/provider.hpp>

#include <algorithm>

namespace convene::host {

namespace {

bool equal_names(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    const auto lower = [](char c) {
      return protocol::is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    };
    return lower(x) == lower(y);
  });
}

/// What comes behind a base URL's path; empty: it is all there.
std::string_view rest_of_path(model_provider whose, std::string_view base) {
  if (whose == model_provider::openai)
    return base.ends_with("/chat/completions") ? "" : "/chat/completions";
  if (base.ends_with("/v1/messages"))
    return "";
  return base.ends_with("/v1") ? "/messages" : "/v1/messages";
}

} // namespace

void add_path(std::string& base_url, std::string_view path) {
  const auto host = base_url.find("://");
  if (host == base_url.npos)
    return;
  auto end = base_url.find_first_of("/?#", host + 3);
  if (end == base_url.npos)
    end = base_url.size();
  const auto slashes = std::min(base_url.find_first_not_of('/', end),
                                base_url.size());
  if (slashes == base_url.size() || base_url[slashes] == '?'
      || base_url[slashes] == '#')
    base_url.replace(end, slashes - end, path);
}

void set_header(model_endpoint& of, std::string_view name,
                std::string_view value) {
  for (auto& [known, content] : of.headers)
    if (equal_names(known, name)) {
      content = value;
      return;
    }
  of.headers.emplace_back(name, value);
}

model_endpoint endpoint_of(model_provider whose, std::string_view base_url,
                           std::string_view key,
                           std::string_view anthropic_version,
                           std::string_view key_header) {
  base_url = base_url.substr(0, base_url.find('#'));
  const auto mark = std::min(base_url.find('?'), base_url.size());
  auto query = base_url.substr(mark);
  if (query.size() == 1)
    query = {};
  auto base = base_url.substr(0, mark);
  while (base.ends_with('/'))
    base.remove_suffix(1);
  model_endpoint to{.url = std::string{base},
                    .headers = {{"Content-Type", "application/json"}}};
  to.url.append(rest_of_path(whose, base)).append(query);
  const bool is_anthropic = whose == model_provider::anthropic;
  if (is_anthropic)
    to.headers.emplace_back("anthropic-version", anthropic_version);
  if (key.empty())
    return to;
  if (key_header.empty() && !is_anthropic)
    to.headers.emplace_back("Authorization", "Bearer " + std::string{key});
  else
    to.headers.emplace_back(is_anthropic ? "x-api-key" : key_header, key);
  return to;
}

protocol::json::object body_for(model_provider whose,
                                const model_prompt& what) {
  return whose == model_provider::openai ? openai_body(what)
                                         : anthropic_body(what);
}

std::unique_ptr<answer_stream> stream_of(model_provider whose, when_text then) {
  return whose == model_provider::openai ? openai_stream(std::move(then))
                                         : anthropic_stream(std::move(then));
}

std::string error_words(std::string_view body) {
  return error_in(body).message;
}

} // namespace convene::host
