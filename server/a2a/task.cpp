#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/documents/reply.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/a2a/task.hpp>

#include <algorithm>
#include <array>

namespace convene::server {
namespace {

namespace json = boost::json;
using protocol::object_of;
using protocol::text_of;

constexpr std::array<std::string_view, 8> words{
  "TASK_STATE_WORKING",  "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",   "TASK_STATE_CANCELED",       "TASK_STATE_SUBMITTED",
  "TASK_STATE_REJECTED", "TASK_STATE_AUTH_REQUIRED"};

constexpr std::string_view skill_tag = "a2a.skill:";
constexpr std::string_view context_tag = "a2a.context:";
constexpr std::string_view digest_tag = "a2a.message:";
/// Only if the client does not read everything.
constexpr std::string_view output_tag = "a2a.output:";

/// Of what was said or asked, and of all that a status says.
constexpr std::size_t text_bytes_max = 4096;

std::string cut_text(std::string_view text) {
  if (text.size() <= text_bytes_max)
    return std::string{text};
  return std::string{protocol::cut_utf8(text, text_bytes_max)} + "...";
}

} // namespace

std::string_view word_of(task_state state) noexcept {
  return words[static_cast<std::size_t>(state)];
}

std::optional<task_state> task_state_of(std::string_view word) noexcept {
  const auto* found = std::ranges::find(words, word);
  if (found == words.end())
    return std::nullopt;
  return static_cast<task_state>(found - words.begin());
}

void mark(json::object& scenario, const task_origin& origin) {
  scenario.erase("origin"); // what a message starts is no fork
  json::object* at = &scenario;
  for (const auto* name : {"collab", "meta"}) {
    auto& member = (*at)[name];
    if (!member.is_object())
      member.emplace_object();
    at = &member.get_object();
  }
  auto& tags = (*at)["tags"];
  if (!tags.is_array())
    tags.emplace_array();
  for (const auto& [tag, value] : {std::pair{skill_tag, &origin.skill},
                                   std::pair{context_tag, &origin.context_id},
                                   std::pair{digest_tag, &origin.digest}})
    tags.get_array().emplace_back(std::string{tag} + *value);
  if (const auto output = word_of(origin.output); !output.empty())
    tags.get_array().emplace_back(std::string{output_tag}
                                  + std::string{output});
}

std::optional<task_origin> origin_of(const json::object& scenario) {
  // A fork has its original's tags, and no message started it.
  if (scenario.contains("origin"))
    return std::nullopt;
  task_origin made;
  for (const auto tag : protocol::texts_of(
         object_of(object_of(scenario, "collab"), "meta"), "tags")) {
    for (const auto& [prefix, to] : {std::pair{skill_tag, &made.skill},
                                     std::pair{context_tag, &made.context_id},
                                     std::pair{digest_tag, &made.digest}})
      if (tag.starts_with(prefix))
        *to = tag.substr(prefix.size());
    if (tag.starts_with(output_tag))
      made.output = output_modes_of(tag.substr(output_tag.size()));
  }
  if (made.skill.empty() || made.context_id.empty() || made.digest.empty())
    return std::nullopt;
  return made;
}

task::task(task_origin origin, const json::object& scenario,
           std::string timestamp)
  : origin_{std::move(origin)}, people_{scenario, with_services::no},
    asked_{cut_text(text_of(scenario, "task"))} {
  updates_.push_back({.timestamp = std::move(timestamp), .place = 1});
}

bool task::concerns(std::string_view event_type) const {
  return !event_type.starts_with("action_") || people_.concerns(event_type);
}

void task::feed(const json::object& event) {
  if (text_of(event, "event_type") == "MAPSessionCompleted")
    return end(event);
  change(event);
}

void task::tell(task_state state, std::string_view timestamp,
                std::string text) {
  const auto& last = updates_.back();
  text = cut_text(text);
  if (last.state == state && last.text == text)
    return;
  updates_.push_back(
    {state, std::string{timestamp}, std::move(text), updates() + 1});
  if (updates_.size() > updates_max) {
    updates_.erase(updates_.begin());
    ++forgotten_;
  }
}

void task::end(const json::object& event) {
  const auto& payload = object_of(event, "payload");
  const auto condition = text_of(object_of(payload, "stop_reason"),
                                 "condition");
  const auto observed = text_of(object_of(payload, "stop_reason"), "observed");
  questions_.clear();
  asks_.clear();
  said_.clear();
  if (text_of(payload, "status") == "completed") {
    tell(task_state::completed, text_of(event, "timestamp"), {});
  } else {
    auto why = std::string{condition};
    if (!observed.empty())
      why += ": " + cut_text(observed);
    tell(condition == "cancelled" ? task_state::canceled : task_state::failed,
         text_of(event, "timestamp"), std::move(why));
  }
}

void task::forget() {
  forgotten_ += updates_.size() - 1;
  updates_.erase(updates_.begin(), updates_.end() - 1);
}

void task::change(const json::object& event) {
  const auto& payload = object_of(event, "payload");
  const auto type = text_of(event, "event_type");
  const auto what = change_of(people_, event);
  if (type.starts_with("action_") && !what)
    return;
  if (what && what->opens) {
    for (const auto& who : what->participants)
      questions_.emplace(what->token, who);
    const auto& call = object_of(payload, "arguments");
    asks_[what->token] = cut_text(
      call.empty() ? text_of(payload, "task")
                   : "to answer APPROVED or REJECTED to a call of "
                       + std::string{text_of(call, "name")} + " by "
                       + std::string{text_of(payload, "participant_id")} + ": "
                       + boost::json::serialize(object_of(call, "arguments")));
  } else if (what && what->token.empty() && what->subject.empty())
    questions_.clear();
  else if (what && what->participants.empty() && what->subject.empty())
    std::erase_if(questions_, [&what](const auto& each) {
      return each.first == what->token;
    });
  else if (what)
    for (const auto& who : what->participants) {
      questions_.erase({what->token, who});
      if (what->reply)
        if (const auto id = text_of(what->reply->result, message_member);
            !id.empty())
          messages_.emplace(id);
    }
  if (const auto said = text_of(object_of(payload, "reply"), "content");
      !said.empty())
    said_ = cut_text(said);
  std::erase_if(asks_, [this](const auto& each) {
    const auto open = questions_.lower_bound({each.first, {}});
    return open == questions_.end() || open->first != each.first;
  });
  if (questions_.empty())
    return tell(task_state::working, text_of(event, "timestamp"), {});
  std::string text;
  for (const auto& [token, who] : questions_) {
    const auto& ask = asks_[token];
    text += who + " is asked: " + (ask.empty() ? asked_ : ask) + '\n';
    if (text.size() > text_bytes_max)
      break;
  }
  if (!said_.empty())
    text += '\n' + said_;
  else
    text.pop_back();
  // What somebody else says meanwhile is no other question.
  if (status().state != task_state::input_required || what)
    tell(task_state::input_required, text_of(event, "timestamp"),
         std::move(text));
}

std::vector<task_status> task::updates_after(std::size_t place) const {
  const auto from = std::max(place, forgotten_) - forgotten_;
  if (from >= updates_.size())
    return {};
  return {updates_.begin() + static_cast<std::ptrdiff_t>(from), updates_.end()};
}

} // namespace convene::server
