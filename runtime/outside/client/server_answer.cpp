#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/client/client.hpp>
#include <convene/runtime/outside/client/server_answer.hpp>

#include <algorithm>

namespace convene::host {
namespace {

namespace json = protocol::json;

using protocol::errc;
using protocol::error;
using protocol::object_of;
using protocol::text_of;

constexpr std::size_t code_bytes_max = 64;
constexpr std::size_t message_bytes_max = 1'000;

/// By an answer's status alone.
errc code_of(int status) {
  switch (status) {
    case 401:
    case 403:
    case 409:
    case 410:
      return errc::not_allowed;
    case 422:
      return errc::invalid_document;
    default:
      return status == 429 || status >= 500 ? errc::io_failed : errc::usage;
  }
}

/// Of calls without such an answer.
errc code_of(const protocol::action_error& why) {
  if (why.transient)
    return errc::io_failed;
  return why.code == "url_invalid" || why.code == "header_invalid"
             || why.code == "scheme_refused"
           ? errc::usage
           : errc::unreadable;
}

bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= code_bytes_max
         && std::ranges::all_of(text, [](char c) {
              return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')
                     || c == '_';
            });
}

std::string cut(std::string_view text, std::size_t bytes_max) {
  return protocol::sanitize_beginning(text, bytes_max);
}

/// The places and values that either form of an error's details has.
void add_details(error& to, const json::object& details) {
  const auto text = [&](const json::object& from, std::string_view name) {
    return cut(text_of(from, name), message_bytes_max);
  };
  to.pointer = text(details, "path");
  to.value = text(details, "how");
  if (to.value.empty())
    to.value = text(details, "value");
  const auto* errors = details.if_contains("errors");
  if (errors == nullptr || !errors->is_array() || errors->get_array().empty()
      || !errors->get_array().front().is_object())
    return;
  const auto& first = errors->get_array().front().get_object();
  to.pointer = text(first, "instance");
  if (const auto said = text(first, "message"); !said.empty())
    to.message = said;
}

/// Of a server's body: `{"error": {"code", "message", "details"}}`, or
/// OpenWOP's `{"error": CODE, "message", "details"}`.
std::optional<error> told_error(const http_answer& got) {
  const auto parsed = protocol::parse_json(got.body, {.depth = 32});
  if (!parsed || !parsed->is_object())
    return std::nullopt;
  const auto& body = parsed->get_object();
  const auto code = text_of(body, "error");
  const auto& inside = code.empty() ? object_of(body, "error") : body;
  const auto rule = code.empty() ? text_of(inside, "code") : code;
  if (!is_word(rule))
    return std::nullopt;
  error made{.code = code_of(got.status),
             .message = cut(text_of(inside, "message"), message_bytes_max),
             .rule = std::string{rule}};
  if (made.message.empty())
    made.message = got.error.message;
  add_details(made, object_of(inside, "details"));
  return made;
}

} // namespace

protocol::error unreadable_answer(std::string_view why) {
  return {.code = errc::unreadable,
          .message = "this is not an answer of convene serve: "
                     + std::string{why},
          .rule = "answer_unreadable"};
}

protocol::error error_of(const http_answer& got) {
  const bool has_status = got.status >= 400;
  if (has_status)
    if (auto told = told_error(got))
      return *std::move(told);
  return {.code = has_status ? code_of(got.status) : code_of(got.error),
          .message = got.error.message,
          .rule = got.error.code};
}

protocol::result<json::object> read_answer(const http_answer& got) {
  if (!got.is_ok())
    return protocol::fail(error_of(got));
  if (!got.content_type.starts_with("application/json"))
    return protocol::fail(unreadable_answer(
      got.content_type.empty()
        ? "it has no content"
        : "it is " + cut(got.content_type, code_bytes_max) + ", not JSON"));
  auto parsed = protocol::parse_json(got.body);
  if (!parsed)
    return protocol::fail(
      unreadable_answer(protocol::to_string(parsed.error())));
  if (!parsed->is_object())
    return protocol::fail(unreadable_answer("it is not an object"));
  return std::move(parsed->get_object());
}

} // namespace convene::host
