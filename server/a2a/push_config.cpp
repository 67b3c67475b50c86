#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/a2a/push_config.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;
using protocol::result;
using protocol::text_of;

constexpr std::size_t push_id_bytes_max = 256;
constexpr std::size_t push_secret_bytes_max = 4'096;

tl::unexpected<protocol::error> refuse_push(std::string pointer,
                                            std::string message) {
  return protocol::fail({.code = protocol::errc::invalid_document,
                         .message = std::move(message),
                         .pointer = std::move(pointer),
                         .rule = "invalid_params"});
}

/// A member that can be in a header; empty if it is missing.
result<std::string>
header_text_in(const json::object& from, std::string_view name,
               const std::string& pointer, std::size_t bytes_max) {
  const auto* member = from.if_contains(name);
  if (member == nullptr || member->is_null())
    return std::string{};
  const auto at = pointer + '/' + std::string{name};
  const auto* text = member->if_string();
  if (text == nullptr)
    return refuse_push(at, "must be a string");
  if (text->size() > bytes_max || !std::ranges::all_of(*text, [](char c) {
        return c >= ' ' && c <= '~';
      }))
    return refuse_push(at, "must have at most " + std::to_string(bytes_max)
                             + " bytes, all of them printable ASCII");
  return std::string{*text};
}

bool is_scheme(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return protocol::is_alnum(c) || c == '-' || c == '_' || c == '.';
  });
}

result<void> read_authentication(const json::object& from,
                                 const std::string& pointer, push_config& to) {
  const auto* member = from.if_contains("authentication");
  if (member == nullptr || member->is_null())
    return {};
  const auto at = pointer + "/authentication";
  const auto* object = member->if_object();
  if (object == nullptr)
    return refuse_push(at, "must be an object");
  auto scheme = header_text_in(*object, "scheme", at, push_id_bytes_max);
  if (!scheme)
    return protocol::fail(std::move(scheme).error());
  if (!is_scheme(*scheme))
    return refuse_push(at + "/scheme",
                       "must be an authentication scheme, such as Bearer");
  auto credentials = header_text_in(*object, "credentials", at,
                                    push_secret_bytes_max);
  if (!credentials)
    return protocol::fail(std::move(credentials).error());
  to.scheme = *std::move(scheme);
  to.credentials = *std::move(credentials);
  return {};
}

} // namespace

result<push_config> read_push_config(const json::object& from,
                                     const std::string& pointer,
                                     const std::string& task_id) {
  if (const auto named = text_of(from, "taskId");
      !named.empty() && named != task_id)
    return refuse_push(pointer + "/taskId", "is not the id of this task");
  push_config made;
  auto id = header_text_in(from, "id", pointer, push_id_bytes_max);
  if (!id)
    return protocol::fail(std::move(id).error());
  auto token = header_text_in(from, "token", pointer, push_secret_bytes_max);
  if (!token)
    return protocol::fail(std::move(token).error());
  made.url = text_of(from, "url");
  if (made.url.empty())
    return refuse_push(pointer + "/url", "is required, and must be a string");
  made.id = *std::move(id);
  if (made.id.empty())
    made.id
      = to_string(protocol::hashed_uuid("push\n" + task_id + '\n' + made.url));
  made.token = *std::move(token);
  if (auto done = read_authentication(from, pointer, made); !done)
    return protocol::fail(std::move(done).error());
  return made;
}

json::object to_json(const push_config& of, const std::string& task_id) {
  json::object made{{"id", of.id}, {"taskId", task_id}, {"url", of.url}};
  if (!of.scheme.empty())
    made["authentication"] = {{"scheme", of.scheme}};
  return made;
}

json::object document_of(const push_config& of) {
  return {{"id", of.id},
          {"url", of.url},
          {"token", of.token},
          {"scheme", of.scheme},
          {"credentials", of.credentials},
          {"delivered", static_cast<std::int64_t>(of.delivered)}};
}

push_config push_config_of(const json::object& document) {
  return {.id = std::string{text_of(document, "id")},
          .url = std::string{text_of(document, "url")},
          .token = std::string{text_of(document, "token")},
          .scheme = std::string{text_of(document, "scheme")},
          .credentials = std::string{text_of(document, "credentials")},
          .delivered = static_cast<std::size_t>(std::max<std::int64_t>(
            protocol::integer_of(document, "delivered").value_or(0), 0))};
}

} // namespace convene::server
