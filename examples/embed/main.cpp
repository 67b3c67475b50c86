// A driver writes, a navigator reviews, until the navigator approves.
#include <convene/convene.hpp>

#include <iostream>

int main() {
  convene::runtime rt;
  const auto session = rt.start(
    {.title = "Fix the login bug",
     .purpose = "Two agents, one driver at a time",
     .mode = convene::mode::pair,
     .participants = {convene::agent("coder", "role-coder",
                                     [](const convene::turn_request& turn) {
                                       return convene::reply{
                                         .content = "patch for: " + turn.task};
                                     }),
                      convene::agent("reviewer", "role-reviewer",
                                     [](const convene::turn_request&) {
                                       return convene::reply{
                                         .content = "approved", .end = true};
                                     })},
     .task = "500 on /login"});
  const auto result = session.await();
  if (!result) {
    std::cerr << result.error().message << '\n';
    return 1;
  }
  std::cout << to_word(result->status) << " after " << result->turns
            << " turns: " << result->stop_reason.condition << '\n';
  for (const auto& said : result->dialog().messages)
    std::cout << said.content << '\n';
  return result->status == convene::collab_status::completed ? 0 : 1;
}
