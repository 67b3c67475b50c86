#include <boost/json/serialize.hpp>
#include <convene/cli/people/question_text.hpp>
#include <convene/cli/people/shown_text.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/documents/action.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace convene::cli {
namespace {

using actors::turn_request;
using session::request_kind;

std::string heading(const turn_request& asked) {
  auto made = fmt::format("\n== {}: {}", neutral(asked.participant),
                          wanted_words(asked));
  if (asked.turn != 0)
    made += fmt::format(", turn {}", asked.turn);
  if (asked.round != 0)
    made += fmt::format(", round {}", asked.round);
  if (!asked.duty.empty() && asked.approval.participant.empty())
    made += fmt::format(", as {}", neutral(asked.duty));
  const auto until = protocol::format_timestamp(asked.deadline);
  return made
         + fmt::format(" (until {} {} UTC)\n", until.substr(0, 10),
                       until.substr(11, 5));
}

/// What others have said since this participant did.
std::string said(const turn_request& asked) {
  auto dialog = asked.dialog();
  const auto own = std::find_if(dialog.rbegin(), dialog.rend(),
                                [&](const actors::dialog_entry& each) {
                                  return each.participant == asked.participant;
                                });
  dialog.erase(dialog.begin(), own.base());
  std::string made;
  for (const auto& each : dialog) {
    made += "   "
            + (each.participant.empty() ? "session" : neutral(each.participant))
            + ":\n" + indented(each.content, "      ");
  }
  return made.empty() ? made : "Said since:\n" + made;
}

std::string changed(const turn_request& asked) {
  std::string made;
  for (const auto& each : asked.news()) {
    made += fmt::format("   {}/{} {}\n", neutral(each->key->type),
                        neutral(each->key->id),
                        each->deleted
                          ? std::string{"was deleted"}
                          : fmt::format("is at version {}:", each->version));
    if (!each->deleted)
      made += indented(each->value.is_string()
                         ? std::string{each->value.get_string()}
                         : boost::json::serialize(each->value),
                       "      ");
  }
  if (made.empty())
    return made;
  return (asked.workspace_since == 0 ? "Shared:\n" : "Changed since:\n") + made;
}

std::string disputed(const actors::dispute& what) {
  if (what.conflict_id.empty())
    return {};
  auto made = fmt::format("Two versions of {}/{}:\n",
                          neutral(what.resource_type),
                          neutral(what.resource_id));
  for (const auto& each : what.sides) {
    made += fmt::format("   by {}:\n", neutral(each.participant));
    made += indented(each.deleted ? std::string{"(deleted)"}
                     : each.value.is_string()
                       ? std::string{each.value.get_string()}
                       : boost::json::serialize(each.value),
                     "      ");
  }
  return made;
}

std::string to_decide(const turn_request& asked) {
  if (asked.kind != request_kind::decision)
    return {};
  std::string made = "Participants:\n";
  for (const auto& each : asked.decide.participants)
    made += fmt::format("   {} ({})\n", neutral(each.participant),
                        neutral(each.role));
  for (const auto& each : asked.decide.ready)
    made += fmt::format("   ready: {} ({})\n", neutral(each.description),
                        neutral(each.agent_role));
  if (!asked.decide.last_participant.empty())
    made += fmt::format("   {} has {}\n",
                        neutral(asked.decide.last_participant),
                        neutral(asked.decide.last_status));
  if (!asked.decide.refused.empty())
    made += fmt::format("   your last decision was refused: {}\n",
                        neutral(asked.decide.refused));
  return made;
}

/// A call with all of its arguments, however long, except what no person reads:
/// what is left out could be what matters.
std::string called(const actors::approval_request& what) {
  constexpr std::size_t shown_max = std::size_t{64} << 10;
  auto made = fmt::format("{} wants to call {} ({}):\n",
                          neutral(what.participant), neutral(what.name),
                          protocol::to_word(what.kind));
  std::size_t hidden = 0;
  const auto add = [&](const std::string& row) {
    const auto left = shown_max - std::min(made.size(), shown_max);
    const auto shown = protocol::cut_utf8(row, left);
    hidden += row.size() - shown.size();
    if (!shown.empty())
      made.append("   ").append(shown) += '\n';
  };
  const auto text_of = [](const boost::json::value& value) {
    return neutral_json(boost::json::serialize(value));
  };
  if (const auto* members = what.arguments.if_object())
    for (const auto& [name, value] : *members)
      add(neutral(name) + ": " + text_of(value));
  else
    add(text_of(what.arguments));
  if (hidden > 0)
    made += fmt::format("   ({} more bytes are not shown: reject it unless you "
                        "know them)\n",
                        hidden);
  return made;
}

} // namespace

std::string_view wanted_words(const turn_request& asked) {
  if (!asked.approval.participant.empty())
    return "your approval is wanted";
  switch (asked.kind) {
    case request_kind::turn:
      return "it is your turn";
    case request_kind::broadcast:
      return "you are asked in a broadcast";
    case request_kind::decision:
      return "you decide what happens next";
    case request_kind::vote:
      return "your vote is wanted";
    case request_kind::escalation:
      return "you decide";
  }
  return {};
}

std::string question_text(const turn_request& asked, session_named named) {
  auto made = heading(asked);
  if (named == session_named::yes)
    made += fmt::format("In {} ({})\n", neutral(asked.title),
                        neutral(asked.session_id));
  if (!asked.task.empty())
    made += "Task:\n" + indented(asked.task, "   ");
  if (!asked.handoff.from.empty())
    made += fmt::format("Handed to you by {}:\n", neutral(asked.handoff.from))
            + indented(asked.handoff.instructions, "   ");
  if (!asked.approval.participant.empty())
    return made + called(asked.approval);
  return made + said(asked) + changed(asked) + disputed(asked.dispute)
         + to_decide(asked);
}

} // namespace convene::cli
