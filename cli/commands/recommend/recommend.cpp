#include <convene/cli/common/event_file.hpp>
#include <convene/cli/common/now.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/protocol/documents/recommend_mode.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace convene::cli {
namespace {

using namespace convene::protocol;

struct recommend_arguments {
  mode_question what;
  std::string task;
  std::filesystem::path events;
};

int recommend(recommend_arguments asked, const common_options& common) {
  asked.what.task = from_word<task_kind>(asked.task);
  const auto made = recommend_mode(asked.what);
  if (!made)
    return report(made.error(), common.json);
  const lifecycle_events selected{
    {.type = "methodology_selected",
     .family = "methodology",
     .payload = {{"mode", to_word(made->mode)},
                 {"reason", made->reason},
                 {"participants", asked.what.acting}}}};
  if (auto told = append_events(asked.events, selected, now_ms()); !told)
    return report(told.error(), common.json);
  if (common.json)
    print_json(
      json::object{{"mode", to_word(made->mode)}, {"reason", made->reason}});
  else
    print(std::string{to_word(made->mode)} + ": " + made->reason + '\n');
  return exit_good;
}

} // namespace

void add_recommend(CLI::App& program, common_options& common, action& chosen) {
  constexpr std::size_t participants_max = 10'000;
  auto& command = *program.add_subcommand(
    "recommend", "Recommends a mode for a session, and says why");
  auto arguments = std::make_shared<recommend_arguments>();
  auto& what = arguments->what;
  command
    .add_option("--participants", what.acting,
                "Number of participants, not counting those of kind system")
    ->required()
    ->check(whole_number(1, participants_max))
    ->option_text("N");
  const auto words = words_of<task_kind>;
  command
    .add_option("--task", arguments->task,
                "pipeline, peer_review, voting, parallel_work or announcement")
    ->check(one_of(std::vector<std::string>{words.begin(), words.end()}))
    ->option_text("KIND");
  command.add_flag("--control", what.central_control,
                   "One participant decides who does what");
  command.add_flag("--independent", what.independent_work,
                   "The parts of the work are independent");
  command.add_flag("--in-order", what.sequential_turns,
                   "The order of turns matters");
  command
    .add_option("--events", arguments->events,
                "Append the choice to this JSON Lines file, as an event")
    ->option_text("FILE");
  add_common(command, common);
  command.footer("Example: convene recommend --participants 4 --control\n"
                 "         convene recommend --participants 2 --task "
                 "peer_review --json");
  command.callback([arguments, &common, &chosen] {
    chosen = [arguments, &common] { return recommend(*arguments, common); };
  });
}

} // namespace convene::cli
