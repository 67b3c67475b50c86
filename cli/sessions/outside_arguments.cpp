#include <convene/cli/common/report.hpp>
#include <convene/cli/people/terminal_people.hpp>
#include <convene/cli/sessions/outside_arguments.hpp>
#include <convene/cli/view/terminal.hpp>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <string_view>

namespace convene::cli {

void add_outside(const command_line& command, outside_arguments& arguments) {
  command.add("--allow", arguments.allow);
  command.add("--interactive", arguments.interactive);
  command.add("--sandbox", arguments.sandbox);
  command.add("--log-prompts", arguments.log_prompts);
  command.add("--show-text", arguments.show_text,
              one_of({"auto", "always", "never"}));
}

namespace {

void say(std::string_view text) {
  print(text);
  flush_output();
}

void say_beside(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

} // namespace

protocol::result<std::shared_ptr<session_screen>>
make_screen(const outside_arguments& arguments, const common_options& common,
            std::uint32_t instances) {
  const bool is_shown = !common.quiet && !common.json && instances == 1;
  if (arguments.show_text == "always" && !is_shown)
    return protocol::fail(protocol::errc::usage,
                          "--show-text always shows what models say between "
                          "the lines of one session: leave out --json, --quiet "
                          "and --instances",
                          "show_text");
  if (!is_shown)
    return std::shared_ptr<session_screen>{};
  const bool can_change = output_can_change();
  return std::make_shared<session_screen>(
    screen_style{.rows = output_style(common.no_color, common.verbose),
                 .text = arguments.show_text == "always"
                         || (arguments.show_text == "auto" && can_change),
                 .changes = can_change},
    say, output_columns);
}

void allow_own_files(const std::filesystem::path& path,
                     runtime_options& runtime) {
  std::error_code failed;
  const auto folder
    = std::filesystem::is_directory(path, failed) ? path : path.parent_path();
  static_cast<void>(
    runtime.allow.allow("read=" + (folder.empty() ? "." : folder.string())));
}

protocol::result<void>
apply(const outside_arguments& arguments, const common_options& common,
      const std::shared_ptr<session_screen>& screen, runtime_options& runtime) {
  if (auto done = runtime.allow.allow_all(arguments.allow); !done)
    return done;
  runtime.sandbox = arguments.sandbox;
  runtime.log_prompts = arguments.log_prompts;
  if (screen)
    runtime.on_text = [screen](std::string_view session, std::string_view who,
                               std::string_view text) {
      screen->hear(session, who, text);
    };
  if (arguments.interactive)
    runtime.people = std::make_shared<terminal_people>(
      STDIN_FILENO, common.json || common.quiet ? say_beside : say,
      [] { ::kill(::getpid(), SIGINT); },
      [screen](bool is_asked) {
        if (screen)
          screen->hold(is_asked);
      });
  return {};
}

} // namespace convene::cli
