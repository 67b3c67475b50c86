#include <boost/json/serialize.hpp>
#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/outside/participants/llm_prompt.hpp>
#include <convene/runtime/outside/participants/llm_tools.hpp>
#include <convene/runtime/outside/participants/quoted_text.hpp>

#include <algorithm>

namespace convene::host {
namespace {

namespace json = protocol::json;
using actors::turn_request;
using session::request_kind;

constexpr std::string_view quoting_note
  = "Lines that begin with \"| \" are quoted: they belong to the entry above "
    "them.\n\n";

std::string named(std::string_view id, std::string_view role) {
  auto text = shown_name(id);
  if (!role.empty() && role != id)
    text.append(" (").append(shown_name(role)).append(")");
  return text;
}

/// Who it is and who takes part, after what the scenario says.
std::string system_text(const llm_settings& settings,
                        const turn_request& asked) {
  auto text = settings.system;
  if (!text.empty())
    text += "\n\n";
  text += introduction(asked);
  if (settings.reply == llm_reply::json)
    text += "\n\nAnswer with one JSON object of this schema, and nothing "
            "else:\n"
            + json::serialize(reply_schema(asked));
  else
    text += "\n\nWhat you write is what you say to the others. Whatever else "
            "you do, you do by calling tools.";
  if (!settings.tools.empty())
    text += " Lines of a tool's result that begin with \"| \" are quoted from "
            "it.";
  return text;
}

void add_answers(std::string& to,
                 const std::vector<actors::answer_of_other>& from) {
  for (const auto& each : from)
    to += "- " + shown_name(each.participant) + " (" + each.status
          + "):" + quoted_text(each.content) + '\n';
}

void add_missed(std::string& to, const session::missed_quorum& from) {
  if (from.needed > 0)
    to += "Only " + std::to_string(from.answered) + " of "
          + std::to_string(from.needed) + " needed answers came.\n";
}

std::string decision_text(const actors::decision_request& from) {
  std::string text
    = "You lead this session: say what happens next. A participant acts only "
      "when you give it a turn.\n";
  const auto ended = [](const std::string& who, const std::string& status,
                        const std::string& step, const std::string& content) {
    return shown_name(who) + " ended: " + status
           + (step.empty() ? "" : ", step " + shown_name(step))
           + (content.empty() ? "" : ':' + quoted_text(content)) + '\n';
  };
  if (!from.last_participant.empty())
    text += "The turn of "
            + ended(from.last_participant, from.last_status, from.last_step_id,
                    from.last_content);
  for (const auto& each : from.also_closed)
    text += "Before that, the turn of "
            + ended(each.participant, each.status, {}, each.content);
  if (!from.responses.empty())
    text += "The answers to your broadcast:\n";
  add_answers(text, from.responses);
  add_missed(text, from.missed);
  if (from.outstanding > 0)
    text += "Turns that are still open: " + std::to_string(from.outstanding)
            + '\n';
  if (from.steps_total > 0)
    text += "The plan has " + std::to_string(from.steps_total) + " steps, "
            + std::to_string(from.steps_open) + " open, "
            + std::to_string(from.steps_failed) + " failed.\n";
  if (!from.ready.empty())
    text += "Steps that can begin:\n";
  for (const auto& each : from.ready) {
    text += "- step_id " + shown_name(each.step_id);
    if (!each.agent_role.empty())
      text += ", for role " + shown_name(each.agent_role);
    if (!each.assigned.empty())
      text += ", assigned to " + shown_name(each.assigned);
    if (each.attempts > 0)
      text += ", turns so far " + std::to_string(each.attempts);
    text += ':' + quoted_text(each.description) + '\n';
  }
  if (!from.refused.empty())
    text += "Your previous decision was refused:" + quoted_text(from.refused)
            + '\n';
  return text;
}

std::string dispute_text(const actors::dispute& from) {
  std::string text = "Two participants changed "
                     + shown_name(from.resource_type) + ' '
                     + shown_name(from.resource_id)
                     + " at the same time. Say whose write should stand:\n";
  for (const auto& each : from.sides)
    text += "- " + shown_name(each.participant) + ": "
            + (each.deleted ? "deletes it" : shown_json(each.value)) + '\n';
  return text;
}

std::string task_text(const turn_request& asked) {
  std::string text;
  if (asked.kind == request_kind::decision)
    text += decision_text(asked.decide);
  if (!asked.dispute.conflict_id.empty())
    text += dispute_text(asked.dispute);
  if (!asked.handoff.from.empty())
    text += shown_name(asked.handoff.from) + " handed this turn to you"
            + (asked.handoff.reason.empty()
                 ? "."
                 : ':' + quoted_text(asked.handoff.reason))
            + '\n';
  if (asked.duty == "driver")
    text += "You drive: you do the work and write.\n";
  if (asked.duty == "navigator")
    text += "You navigate: you review and advise, and do not write.\n";
  const auto earlier = asked.responses();
  if (!earlier.empty())
    text += "The answers of the previous round:\n";
  add_answers(text, earlier);
  add_missed(text, asked.missed);
  if (!asked.task.empty())
    text += "The task:" + quoted_text(asked.task) + '\n';
  return text;
}

std::string resource_name(const session::resource& from) {
  return "- " + shown_name(from.key->type) + ' ' + shown_name(from.key->id);
}

std::string resource_line(const session::resource& from) {
  auto line = resource_name(from);
  if (from.deleted)
    return line + " [deleted]\n";
  line += ':';
  line += from.value.is_string() ? quoted_text(from.value.get_string())
                                 : ' ' + shown_json(from.value);
  return line + '\n';
}

/// What does not fit is named, so that it can be read.
std::string workspace_text(workspace_part part, const turn_request& asked,
                           std::size_t bytes_max) {
  const bool all = part == workspace_part::snapshot
                   || asked.workspace_since == 0;
  const auto shown = all ? asked.workspace.resources() : asked.news();
  if (shown.empty())
    return {};
  std::string text = all ? "The shared resources:\n"
                         : "The shared resources that have changed since you "
                           "were asked last:\n";
  for (const auto& each : shown) {
    auto line = resource_line(*each);
    if (text.size() + line.size() > bytes_max)
      line = resource_name(*each) + " [too long to be shown here]\n";
    if (text.size() + line.size() > bytes_max)
      return text + "- and more\n";
    text += line;
  }
  return text;
}

/// The latest entries, as many as there is room for.
std::string dialog_text(const turn_request& asked, std::size_t bytes_max) {
  const auto entries = asked.dialog();
  std::vector<std::string> lines;
  std::size_t bytes = 0;
  for (auto at = entries.rbegin(); at != entries.rend(); ++at) {
    const std::string who = at->participant.empty() ? "the session"
                            : at->participant == asked.participant
                              ? "you"
                              : shown_name(at->participant);
    auto line = '[' + who + ']' + quoted_text(at->content) + '\n';
    // The latest one is never left out.
    if (lines.empty())
      line = cut_text(std::move(line), bytes_max);
    if (bytes + line.size() > bytes_max)
      break;
    bytes += line.size();
    lines.push_back(std::move(line));
  }
  if (lines.empty())
    return {};
  std::string text = lines.size() < entries.size()
                       ? "The latest part of what was said:\n"
                       : "What was said so far:\n";
  for (auto at = lines.rbegin(); at != lines.rend(); ++at)
    text += *at;
  return text;
}

} // namespace

std::string introduction(const turn_request& asked) {
  auto text = "You are "
              + named(asked.participant,
                      asked.role_name.empty() ? asked.role : asked.role_name)
              + ", a participant of the session "
              + shown_json(json::string(asked.title)) + '.';
  if (!asked.purpose.empty())
    text += " Its purpose:" + quoted_text(asked.purpose);
  std::string others;
  if (asked.about)
    for (std::size_t i = 0; i < asked.about->participants.size(); ++i) {
      const auto& each = asked.about->participants[i];
      if (each.participant_id == asked.participant)
        continue;
      const auto& names = asked.about->role_names;
      std::string_view role = i < names.size() && !names[i].empty() ? names[i]
                              : each.role_id ? *each.role_id
                                             : std::string_view{};
      others += "\n- " + named(each.participant_id, role);
      if (each.kind == protocol::participant_kind::human)
        others += ", a person";
    }
  if (!others.empty())
    text += "\n\nThe others who take part:" + others;
  return text;
}

std::string cut_text(std::string text, std::size_t bytes_max) {
  const auto shown = protocol::cut_utf8(text, bytes_max).size();
  const auto cut = text.size() - shown;
  if (cut == 0)
    return text;
  text.resize(shown);
  return text + "\n[" + std::to_string(cut) + " more bytes are not shown]\n";
}

std::string request_text(const turn_request& asked, workspace_part part,
                         std::size_t bytes_max) {
  const auto workspace = workspace_text(part, asked, bytes_max / 2);
  const auto dialog
    = dialog_text(asked, bytes_max - std::min(bytes_max, workspace.size()));
  std::string text;
  for (const auto& each : {dialog, workspace, task_text(asked)})
    if (!each.empty())
      text += (text.empty() ? "" : "\n") + each;
  if (text.find("\n| ") != text.npos)
    text.insert(0, quoting_note);
  return protocol::sanitize_utf8(std::move(text));
}

void address_prompt(model_prompt& what, const llm_settings& to) {
  what.model = to.model;
  what.max_tokens = to.max_tokens;
  what.temperature = to.temperature;
  what.stream = to.stream;
  what.shape = shape_of(to);
}

model_prompt first_prompt(const llm_settings& settings,
                          const turn_request& asked,
                          std::vector<model_tool> tools) {
  model_prompt prompt{.system = system_text(settings, asked),
                      .tools = std::move(tools)};
  address_prompt(prompt, settings);
  if (settings.reply == llm_reply::json)
    prompt.reply_schema = reply_schema(asked);
  auto used = prompt.system.size() + task_text(asked).size();
  for (const auto& each : prompt.tools)
    used += each.description.size() + json::serialize(each.parameters).size();
  // Half of what is left is for the rounds that follow.
  const auto all
    = static_cast<std::size_t>(settings.context_tokens - settings.max_tokens)
      * bytes_per_token;
  const auto room = all > used ? (all - used) / 2 : 0;
  prompt.messages.push_back(
    {.text = request_text(asked, settings.workspace, room)});
  return prompt;
}

} // namespace convene::host
