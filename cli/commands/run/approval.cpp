#include <boost/json/serialize.hpp>
#include <convene/cli/commands/run/approval.hpp>
#include <convene/cli/commands/run/decisions_file.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/cli/people/line_editor.hpp>
#include <convene/cli/people/terminal_mode.hpp>
#include <convene/cli/people/typed_lines.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/scenario/extension_approval.hpp>
#include <convene/session/spec/modules.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

namespace convene::cli {
namespace {

using namespace convene::protocol;

constexpr std::size_t line_bytes_max = std::size_t{64} << 10;

/// Byte by byte: what follows the line is for questions that follow.
std::optional<std::string> read_line(auto& lines) {
  for (std::string line;;) {
    const auto what = lines.cut(line);
    if (what == typed_lines::found::line)
      return line;
    if (what == typed_lines::found::too_long)
      print_note("a line longer than 64 KiB was left out");
    if (lines.at_end())
      return std::nullopt;
    char c = 0;
    const auto got = ::read(STDIN_FILENO, &c, 1);
    if (got > 0)
      lines.feed({&c, 1});
    else if (got == 0 || errno != EINTR)
      lines.end();
  }
}

std::optional<std::string>
read_standard_line(const std::string& prompt,
                   const std::function<void(std::string_view)>& say) {
  if (::isatty(STDIN_FILENO) == 0) {
    say(prompt);
    typed_lines piped{line_bytes_max};
    return read_line(piped);
  }
  line_editor editor{line_bytes_max, &terminal_mode::show};
  editor.use(terminal_mode::keys_of(STDIN_FILENO));
  const terminal_mode mode{STDIN_FILENO, -1};
  editor.begin(prompt);
  say(prompt); // not before: the kernel would cut what is typed at once
  return read_line(editor);
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
  return text;
}

/// Who approves what this author made; nothing: nobody may.
result<std::string> approver(const session::spec& scenario,
                             const std::optional<std::string>& author,
                             std::string_view kind) {
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
                "the author cannot confirm the " + std::string{kind}
                  + ": its meta.created_by names the only person who takes "
                    "part",
                "own_" + std::string{kind});
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

/// What a person says to a question about something of this kind; refused if it
/// does not approve.
result<confirm_decision> ask(const session::spec& scenario,
                             const approval_terminal& by, std::string_view kind,
                             const std::optional<std::string>& author,
                             const std::string& question, timestamp_ms now) {
  const auto who = approver(scenario, author, kind);
  if (!who)
    return fail(who.error());
  const auto rejected = [kind](std::string_view verb, std::string why) {
    return fail(errc::not_allowed,
                "the " + std::string{kind} + " was " + std::string{verb}
                  + (why.empty() ? "" : ": " + std::move(why)),
                std::string{kind} + "_rejected");
  };
  by.say(question + "/approve [TEXT] or /reject [TEXT]\n");
  if (by.discard)
    by.discard();
  for (;;) {
    const auto line = by.read_line(neutral(*who) + "> ");
    if (!line)
      return rejected("not approved", "the input has ended");
    if (!valid_utf8(*line))
      continue;
    if (const auto reason = after(*line, "/approve"))
      return confirm_decision{.status = decision_status::approved,
                              .decided_by_role = *who,
                              .decided_at = format_timestamp(now),
                              .reason = reason->empty()
                                          ? "approved at the terminal"
                                          : *reason};
    if (auto reason = after(*line, "/reject"))
      return rejected("rejected", *std::move(reason));
    by.say("answer /approve or /reject, each with a text if you like\n");
  }
}

std::string question_about(const extension& what) {
  auto text = fmt::format("\n== Extension: {} {} ({})\n", neutral(what.name),
                          neutral(what.version), to_word(what.extension_type));
  // Whole: what is not shown is not approved.
  if (what.config)
    text += fmt::format("   {}\n", neutral(json::serialize(*what.config)));
  return text;
}

/// Takes approvals that the scenario brings for what needs one: a person is to
/// be asked, not its author.
void drop_approvals(session::spec& scenario) {
  const auto is_approved = [](const confirm& one) {
    return one.status == confirm_status::approved;
  };
  if (scenario.confirm && is_approved(*scenario.confirm) && scenario.plan
      && (scenario.plan->status == plan_status::draft
          || scenario.plan->status == plan_status::proposed))
    scenario.confirm.reset();
  for (const auto& each : scenario.extensions)
    if (session::is_to_confirm(each))
      std::erase_if(scenario.extension_confirms, [&](const confirm& one) {
        return is_approved(one) && one.target_id == each.extension_id;
      });
}

} // namespace

approval_terminal standard_approval_terminal(bool json) {
  const auto say = [json](std::string_view text) {
    if (json) {
      std::fwrite(text.data(), 1, text.size(), stderr);
    } else {
      print(text);
      flush_output();
    }
  };
  return {.say = say,
          .read_line =
            [say](const std::string& prompt) {
              return read_standard_line(prompt, say);
            },
          .discard = [] { discard_typed(STDIN_FILENO); }};
}

result<void> require_approval(session::spec& scenario,
                              const approval_terminal& by, uuid_source& ids,
                              timestamp_ms now) {
  drop_approvals(scenario);
  if (needs_approval(scenario)) {
    auto decision = ask(scenario, by, "plan", scenario.plan->meta.created_by,
                        question_about(*scenario.plan), now);
    if (!decision)
      return fail(std::move(decision).error());
    add_decision(scenario, *std::move(decision), ids, now);
  }
  for (const auto& each : scenario.extensions) {
    if (!host::waits_for_approval(scenario, each))
      continue;
    auto decision = ask(scenario, by, "extension", each.meta.created_by,
                        question_about(each), now);
    if (!decision)
      return fail(std::move(decision).error());
    host::settle(scenario, each, *std::move(decision), ids, now);
  }
  return {};
}

} // namespace convene::cli
