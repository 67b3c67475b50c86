#include <convene/protocol/base/glob.hpp>
#include <convene/protocol/documents/approval.hpp>
#include <convene/protocol/json/json_digest.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <utility>

namespace convene::protocol {
namespace {

constexpr std::string_view infix = ".approval.";
constexpr std::size_t digits = 16;
constexpr std::string_view yes = "APPROVED";
constexpr std::string_view no = "REJECTED";

/// What stands behind the word; nothing: the text does not say it.
std::optional<std::string> behind(std::string_view word,
                                  std::string_view text) {
  if (!text.starts_with(word))
    return std::nullopt;
  text.remove_prefix(word.size());
  const auto last = text.find_last_not_of(" \t\r\n");
  text = text.substr(0, last == text.npos ? 0 : last + 1);
  if (text.empty())
    return std::string{};
  if (!text.starts_with(':'))
    return std::nullopt;
  const auto first = text.find_first_not_of(" \t\r\n", 1);
  return std::string{first == text.npos ? std::string_view{}
                                        : text.substr(first)};
}

std::string with_reason(std::string_view word, const std::string& reason) {
  return std::string{word} + (reason.empty() ? "" : ": ") + reason;
}

} // namespace

bool needs_approval(const json::object& behaviour, std::string_view name) {
  const auto* const found = behaviour.if_contains("approve");
  if (found == nullptr)
    return false;
  if (found->is_bool())
    return found->get_bool();
  return std::ranges::any_of(texts_of(behaviour, "approve"),
                             [name](std::string_view pattern) {
                               return matches_glob(pattern, name);
                             });
}

bool asks_approval(const json::object& behaviour) {
  const auto* const found = behaviour.if_contains("approve");
  return found != nullptr
         && (found->is_bool() ? found->get_bool()
                              : !texts_of(behaviour, "approve").empty());
}

std::string approval_digest(const action& call, std::string_view participant) {
  json::object whole{{"participant", participant},
                     {"kind", to_word(call.kind)},
                     {"name", call.name},
                     {"arguments", call.arguments}};
  if (!call.question.empty())
    whole["question"] = call.question;
  return json_sha256(whole);
}

action approval_of(const action& call, std::string_view participant,
                   std::string approver, bool in_full) {
  auto digest = approval_digest(call, participant);
  json::object arguments{{"kind", to_word(call.kind)}, {"name", call.name}};
  if (in_full)
    arguments["arguments"] = call.arguments;
  arguments["sha256"] = digest;
  return {.position = call.position + std::string{infix}
                      + digest.substr(0, digits),
          .kind = action_kind::person,
          .name = std::move(approver),
          .arguments = std::move(arguments),
          .repeatable = true};
}

std::string_view approved_position(std::string_view position) {
  const auto at = position.rfind(infix);
  if (at == position.npos || position.size() != at + infix.size() + digits)
    return {};
  return position.substr(0, at);
}

std::string approval_token(std::string_view token, std::string_view position) {
  return std::string{token} + ':' + std::string{position};
}

std::optional<approval_verdict> verdict_of(const reply& from) {
  if (auto reason = behind(no, from.content))
    return approval_verdict{false, *std::move(reason)};
  if (from.status != reply_status::completed)
    return approval_verdict{false, from.content.empty() ? from.error.message
                                                        : from.content};
  if (auto reason = behind(yes, from.content))
    return approval_verdict{true, *std::move(reason)};
  return std::nullopt;
}

reply approval_reply(const approval_verdict& from) {
  if (from.approved)
    return {.content = with_reason(yes, from.reason)};
  return {.status = reply_status::failed,
          .content = with_reason(no, from.reason),
          .error = {"rejected", from.reason.empty() ? "a person rejected it"
                                                    : from.reason}};
}

json::object approval_output(const approval_verdict& from, std::string_view by,
                             std::string_view call) {
  json::object made{{"approved", from.approved}, {"by", by}, {"call", call}};
  if (!from.reason.empty())
    made["reason"] = from.reason;
  return made;
}

std::optional<approval_verdict> verdict_in(const json::value& output) {
  const auto* const object = output.if_object();
  const auto* const said = object == nullptr ? nullptr
                                             : object->if_contains("approved");
  if (said == nullptr || !said->is_bool())
    return std::nullopt;
  return approval_verdict{said->get_bool(),
                          std::string{text_of(*object, "reason")}};
}

} // namespace convene::protocol
