#include <convene/cli/common/approval.hpp>
#include <convene/cli/common/decisions_file.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

constexpr std::size_t line_bytes_max = std::size_t{64} << 10;

std::optional<std::string> read_line() {
  std::string line;
  for (char c = 0; line.size() < line_bytes_max;) {
    const auto got = ::read(STDIN_FILENO, &c, 1);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return line.empty() ? std::nullopt : std::optional{line};
    if (c == '\n')
      return line;
    line += c;
  }
  return line;
}

std::string question_about(const plan& what) {
  auto text = fmt::format("\n== Plan: {}\n   {}\n", neutral(what.title),
                          neutral(what.objective));
  std::size_t number = 0;
  for (const auto& step : what.steps) {
    text += fmt::format("   {}. {}", ++number, neutral(step.description));
    if (step.agent_role)
      text += fmt::format(" ({})", neutral(*step.agent_role));
    text += '\n';
  }
  return text + "/approve [TEXT] or /reject [TEXT]\n";
}

/// Who approves; nothing: nobody may.
result<std::string> approver(const session::spec& scenario) {
  const auto& author = scenario.plan->meta.created_by;
  bool is_own = false;
  for (const auto& who : scenario.collab.participants) {
    if (who.kind != participant_kind::human)
      continue;
    const auto role = who.role_id.value_or(who.participant_id);
    if (!author || (*author != who.participant_id && *author != role))
      return role;
    is_own = true;
  }
  if (is_own)
    return fail(errc::not_allowed,
                "nobody confirms their own plan: its meta.created_by names the "
                "only person who takes part",
                "own_plan");
  return std::string{"human"};
}

/// The words after a command, if the line is that command.
std::optional<std::string> after(std::string_view line,
                                 std::string_view command) {
  if (!line.starts_with(command))
    return std::nullopt;
  line.remove_prefix(command.size());
  if (!line.empty() && line.front() != ' ' && line.front() != '\r')
    return std::nullopt;
  const auto first = line.find_first_not_of(" \r");
  if (first == line.npos)
    return std::string{};
  return std::string{
    line.substr(first, line.find_last_not_of(" \r") + 1 - first)};
}

} // namespace

approval_terminal standard_approval_terminal(bool json) {
  return {.say =
            [json](std::string_view text) {
              if (json) {
                std::fwrite(text.data(), 1, text.size(), stderr);
              } else {
                print(text);
                flush_output();
              }
            },
          .read_line = read_line};
}

result<void> require_approval(session::spec& scenario,
                              const approval_terminal& by, uuid_source& ids,
                              timestamp_ms now) {
  if (!needs_approval(scenario))
    return {};
  const auto who = approver(scenario);
  if (!who)
    return fail(who.error());
  by.say(question_about(*scenario.plan));
  for (;;) {
    by.say(neutral(*who) + "> ");
    const auto line = by.read_line();
    if (!line)
      return fail(errc::not_allowed,
                  "the plan was not approved: the input has ended",
                  "plan_rejected");
    if (!valid_utf8(*line))
      continue;
    if (const auto reason = after(*line, "/approve")) {
      add_decision(scenario,
                   {.status = decision_status::approved,
                    .decided_by_role = *who,
                    .decided_at = format_timestamp(now),
                    .reason = reason->empty() ? "approved at the terminal"
                                              : *reason},
                   ids, now);
      return {};
    }
    if (const auto reason = after(*line, "/reject"))
      return fail(errc::not_allowed,
                  "the plan was rejected"
                    + (reason->empty() ? std::string{} : ": " + *reason),
                  "plan_rejected");
    by.say("answer /approve or /reject, each with a text if you like\n");
  }
}

} // namespace convene::cli
