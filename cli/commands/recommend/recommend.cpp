#include <convene/cli/common/event_file.hpp>
#include <convene/cli/common/now.hpp>
#include <convene/cli/common/options.hpp>
#include <convene/cli/common/report.hpp>
#include <convene/protocol/documents/recommend_mode.hpp>

#include <filesystem>
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

void add_options(const command_line& command, recommend_arguments& arguments) {
  constexpr std::size_t participants_max = 10'000;
  auto& what = arguments.what;
  command.add("--participants", what.acting, whole_number(1, participants_max))
    .required();
  const auto words = words_of<task_kind>;
  command.add("--task", arguments.task, one_of({words.begin(), words.end()}));
  command.add("--control", what.central_control);
  command.add("--independent", what.independent_work);
  command.add("--in-order", what.sequential_turns);
  command.add("--events", arguments.events);
}

result<int> recommend(const recommend_arguments& given,
                      const common_options& common) {
  auto asked = given;
  asked.what.task = from_word<task_kind>(asked.task);
  const auto made = recommend_mode(asked.what);
  if (!made)
    return fail(made.error());
  const lifecycle_events selected{
    {.type = "methodology_selected",
     .family = "methodology",
     .payload = {{"mode", to_word(made->mode)},
                 {"reason", made->reason},
                 {"participants", asked.what.acting}}}};
  if (auto told = append_events(asked.events, selected, now_ms()); !told)
    return fail(told.error());
  if (common.json)
    print_json(
      json::object{{"mode", to_word(made->mode)}, {"reason", made->reason}});
  else
    print(std::string{to_word(made->mode)} + ": " + made->reason + '\n');
  return exit_good;
}

} // namespace

void add_recommend(const command_line& program) {
  program.add<recommend_arguments>("recommend", recommend, add_options);
}

} // namespace convene::cli
