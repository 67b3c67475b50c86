#pragma once

#include <convene/runtime/outside/models/answer_stream.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// Whose wire format a model speaks.
enum class model_provider : std::uint8_t { openai, anthropic };

/// A call to a provider, but for its body.
struct model_endpoint {
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
};

/// Where to send a prompt and with what headers. `base_url` is that of the
/// provider's own client, like https://api.openai.com/v1 and
/// https://api.anthropic.com, or the whole address of its calls; it may have a
/// query. An empty key sends none; else it is in `key_header`, empty: the
/// provider's own.
[[nodiscard]] model_endpoint
endpoint_of(model_provider whose, std::string_view base_url,
            std::string_view key, std::string_view anthropic_version,
            std::string_view key_header = {});

/// Adds a path to a base URL that has none: "/v1" to http://localhost:8000.
void add_path(std::string& base_url, std::string_view path);

/// Sets a header, in place of one of the same name.
void set_header(model_endpoint& of, std::string_view name,
                std::string_view value);

[[nodiscard]] protocol::json::object body_for(model_provider whose,
                                              const model_prompt& what);

[[nodiscard]] std::unique_ptr<answer_stream> stream_of(model_provider whose,
                                                       when_text then);

/// What the body of an error says, in the provider's words; empty: nothing.
[[nodiscard]] std::string error_words(std::string_view body);

} // namespace convene::host

namespace convene::protocol {

inline constexpr std::string_view model_provider_words[] = {"openai",
                                                            "anthropic"};
template <>
inline constexpr std::span<const std::string_view>
  words_of<host::model_provider>{model_provider_words};

} // namespace convene::protocol
