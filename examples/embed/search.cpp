// An agent that looks something up by an executor: a function of this program
// that is tried again where it fails, and whose results are on the log.
#include <convene/convene.hpp>

#include <iostream>

namespace {

/// Stands for a service that is not always there.
void look_up(const convene::action& what, const convene::action_responder& to) {
  if (to.which().number == 1)
    to.fail("unavailable", "the first attempt finds nobody", true);
  else
    to.complete({{"word", what.arguments.at("word")}, {"meanings", 2}});
}

} // namespace

int main() {
  const convene::executor search{.name = "look_up",
                                 .execute = look_up,
                                 .repeatable = true,
                                 .timeout_ms = 10'000,
                                 .retry = {.attempts = 3,
                                           .first_delay_ms = 10}};
  convene::runtime rt;
  const auto session = rt.start(
    {.participants = {convene::async_agent(
       "reader", "role-reader",
       [&search](const convene::turn_request& asked,
                 const convene::responder& to) {
         asked.live->act(
           search, "1", {{"word", "actor"}},
           [to](const convene::action_result& found) {
             const bool worked = found.status
                                 == convene::action_status::completed;
             to.answer({.content = worked ? "found" : found.error.message});
           });
       })},
     .task = "What is an actor?"});
  const auto result = session.await();
  if (!result) {
    std::cerr << result.error().message << '\n';
    return 1;
  }
  for (const auto& said : result->dialog().messages)
    std::cout << said.content << '\n';
  return 0;
}
