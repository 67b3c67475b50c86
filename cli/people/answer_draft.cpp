#include <convene/cli/people/answer_draft.hpp>
#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/outside/participants/people.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

using namespace convene::protocol;
using session::request_kind;

struct command {
  std::string_view name;
  std::string_view usage;
  enum class use : std::uint8_t { any, turn, vote, decision } where;
};

constexpr command commands[]{
  {"write", "/write TYPE/ID FILE   write a shared resource from a file",
   command::use::turn},
  {"handoff", "/handoff ID [TEXT]    hand your turn to another participant",
   command::use::turn},
  {"end", "/end [TEXT]           answer, and vote to end the session",
   command::use::turn},
  {"approve", "/approve [TEXT]       approve what you were asked about",
   command::use::turn},
  {"reject", "/reject [TEXT]        reject it", command::use::turn},
  {"approve", "/approve              the new version stands",
   command::use::vote},
  {"reject", "/reject               the version before it stands",
   command::use::vote},
  {"vote", "/vote ID              the version of this participant stands",
   command::use::vote},
  {"dispatch", "/dispatch ID [TEXT]   give a participant a turn",
   command::use::decision},
  {"broadcast", "/broadcast [TEXT]     ask all others at once",
   command::use::decision},
  {"complete", "/complete [TEXT]      the session is done",
   command::use::decision},
  {"wait", "/wait                 until an open turn closes",
   command::use::decision},
  {"decline", "/decline [TEXT]       decline to answer", command::use::any},
  {"show", "/show                 show the request again", command::use::any},
  {"help", "/help                 this list", command::use::any},
  {"quit", "/quit                 leave; what is open can be answered later",
   command::use::any},
};

command::use use_of(request_kind kind) {
  switch (kind) {
    case request_kind::vote:
    case request_kind::escalation:
      return command::use::vote;
    case request_kind::decision:
      return command::use::decision;
    default:
      return command::use::turn;
  }
}

bool fits(const command& one, const actors::turn_request& asked) {
  if (one.where == command::use::any)
    return true;
  // A call is approved or rejected, whatever else an approver may do.
  return one.where == use_of(asked.kind)
         && (asked.approval.participant.empty() || one.name == "approve"
             || one.name == "reject");
}

/// Whether only /approve and /reject answer it.
bool is_approval(const actors::turn_request& asked) {
  return asked.kind == request_kind::turn && asked.duty == host::approver_duty;
}

heard complain(std::string why) {
  return {.what = heard::kind::complaint, .text = std::move(why)};
}

heard unknown_command(std::string_view name,
                      const actors::turn_request& asked) {
  std::vector<std::string_view> names;
  for (const auto& each : commands)
    if (fits(each, asked))
      names.push_back(each.name);
  return complain("unknown command /" + std::string{name} + suggest(name, names)
                  + "; /help lists them; to send text that begins with a "
                    "slash, type two");
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == text.npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Cuts the first word off.
std::string_view take_word(std::string_view& from) {
  const auto end = std::min(from.find(' '), from.size());
  const auto word = from.substr(0, end);
  from = trimmed(from.substr(end));
  return word;
}

std::string with_word(std::string_view word, std::string_view text) {
  return std::string{word} + (text.empty() ? "" : ": ") + std::string{text};
}

} // namespace

std::string help_for(const actors::turn_request& asked) {
  std::string text;
  if (use_of(asked.kind) == command::use::turn && !is_approval(asked))
    text
      = "A line is your answer; end it with \\ to continue on the next line.\n";
  for (const auto& each : commands)
    if (fits(each, asked))
      text.append(each.usage) += '\n';
  return text;
}

heard answer_draft::take(std::string_view line) {
  if (!line.empty() && line.back() == '\r')
    line.remove_suffix(1);
  if (!valid_utf8(line))
    return complain("this line is not UTF-8; it was left out");
  if (reply_.content.size() + line.size() > bytes_max)
    return complain("an answer has at most 1 MiB; write the rest to a file and "
                    "use /write");
  // Within an answer that goes on, a slash is text.
  if (!reply_.content.empty() || !line.starts_with('/'))
    return take_text(line);
  if (line.starts_with("//"))
    return take_text(line.substr(1));
  auto rest = trimmed(line.substr(1));
  const auto name = take_word(rest);
  return take_command(name, rest);
}

heard answer_draft::take_text(std::string_view line) {
  if (use_of(asked_.kind) != command::use::turn)
    return trimmed(line).empty()
             ? complain("empty reply; /help lists the commands")
             : complain("this request is answered by a command; /help lists "
                        "them");
  if (is_approval(asked_))
    return complain("/approve or /reject it, each with a text if you like");
  if (line.ends_with('\\')) {
    reply_.content += line.substr(0, line.size() - 1);
    reply_.content += '\n';
    return {};
  }
  if (reply_.content.empty() && trimmed(line).empty()) {
    if (reply_.writes.empty())
      return complain("empty reply; /decline declines");
    return finish({}); // what was written is the answer
  }
  return finish(line);
}

heard answer_draft::finish(std::string_view last) {
  reply_.content += last;
  return {.what = heard::kind::reply, .reply = std::exchange(reply_, {})};
}

heard answer_draft::take_command(std::string_view name, std::string_view rest) {
  if (std::ranges::none_of(commands, [&](const command& one) {
        return one.name == name && fits(one, asked_);
      }))
    return unknown_command(name, asked_);
  if (name == "help")
    return {.what = heard::kind::help};
  if (name == "show")
    return {.what = heard::kind::show};
  if (name == "quit")
    return {.what = heard::kind::quit};
  if (name == "decline") {
    reply_ = {.status = reply_status::declined};
    return finish(rest);
  }
  switch (use_of(asked_.kind)) {
    case command::use::vote:
      return take_vote(name, rest);
    case command::use::decision:
      return take_decision(name, rest);
    default:
      break;
  }
  if (name == "write")
    return take_write(rest);
  if (name == "approve")
    return finish(with_word("APPROVED", rest));
  if (name == "reject" && is_approval(asked_))
    reply_ = {.status = reply_status::failed,
              .error = {"rejected", rest.empty() ? "a person rejected it"
                                                 : std::string{rest}}};
  if (name == "reject")
    return finish(with_word("REJECTED", rest));
  if (name == "end") {
    reply_.end = true;
    return finish(rest);
  }
  const auto to = take_word(rest); // handoff
  if (to.empty())
    return complain("name the next participant: /handoff ID [TEXT]");
  reply_.handoff = handoff{.to = std::string{to},
                           .instructions = std::string{rest}};
  return finish({});
}

heard answer_draft::take_write(std::string_view rest) {
  const auto name = take_word(rest);
  const auto slash = name.find('/');
  if (slash == 0 || slash == name.npos || slash + 1 == name.size()
      || rest.empty())
    return complain("write it as /write TYPE/ID FILE, like /write "
                    "file/auth/token.ts new.ts");
  auto text = host::read_file(std::string{rest}, bytes_max);
  if (!text)
    return complain(to_string(text.error()));
  if (!valid_utf8(*text))
    return complain(std::string{rest} + " is not UTF-8 text");
  resource_write made{.resource_type = std::string{name.substr(0, slash)},
                      .resource_id = std::string{name.substr(slash + 1)},
                      .value = json::value(*text)};
  const auto* now
    = asked_.workspace.find({made.resource_type, made.resource_id});
  if (now != nullptr) {
    made.base_version = static_cast<std::int64_t>(now->version);
    // Where there is JSON that is no text, JSON is written.
    if (!now->deleted && !now->value.is_string())
      if (auto value = parse_json(*text))
        made.value = *std::move(value);
  }
  reply_.writes.push_back(std::move(made));
  return {.what = heard::kind::more,
          .text = "noted; your answer's text, or an empty line, sends it"};
}

heard answer_draft::take_vote(std::string_view name, std::string_view rest) {
  const auto& sides = asked_.dispute.sides;
  if (sides.empty())
    return complain("there is nothing to vote on");
  std::string whom{name == "approve"  ? sides.back().participant
                   : name == "reject" ? sides.front().participant
                                      : std::string{rest}};
  if (std::ranges::find(sides, whom, &actors::disputed_write::participant)
      == sides.end()) {
    std::vector<std::string_view> names;
    names.reserve(sides.size());
    for (const auto& each : sides)
      names.push_back(each.participant);
    return complain("none of the versions is of \"" + whom + '"'
                    + suggest(whom, names));
  }
  reply_.vote = vote{asked_.dispute.conflict_id, std::move(whom)};
  return finish({});
}

heard answer_draft::take_decision(std::string_view name,
                                  std::string_view rest) {
  if (name == "dispatch") {
    const auto whom = take_word(rest);
    if (whom.empty())
      return complain("name who gets the turn: /dispatch ID [TEXT]");
    reply_.decision.emplace_back(dispatch_decision{
      .participant = std::string{whom}, .task = std::string{rest}});
  } else if (name == "broadcast") {
    reply_.decision.emplace_back(broadcast_decision{std::string{rest}});
  } else if (name == "complete") {
    reply_.decision.emplace_back(
      complete_decision{.reason = std::string{rest}});
  } else {
    reply_.decision.emplace_back(wait_decision{});
  }
  return finish({});
}

} // namespace convene::cli
