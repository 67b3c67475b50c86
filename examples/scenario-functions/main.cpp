// A scenario from a file, with functions of this program in it: one that is
// bound to a participant, and one that the scenario names and gives settings.
#include <convene/convene.hpp>

#include <iostream>
#include <string>

using namespace convene;

namespace {

reply write_patch(const turn_request&) {
  return {.content = "if (line.size() > line_max) return too_long;"};
}

/// Complains about what the previous participant said if it is too long.
result<participant> longest_line(const json::object& settings,
                                 const std::string&) {
  const auto* most = settings.if_contains("most");
  if (most == nullptr || !most->is_int64())
    return result<participant>{tl::unexpect,
                               error{.code = errc::invalid_document,
                                     .message = "write a number as \"most\"",
                                     .rule = "linter_most"}};
  return quick_agent(
    {}, {}, [most = most->get_int64()](const turn_request& turn) {
      const auto said = turn.dialog();
      const auto size = said.empty() ? 0 : said.back().content.size();
      return reply{.content = std::cmp_greater(size, most)
                                ? "The line is too long"
                                : "No findings"};
    });
}

} // namespace

int main() {
  runtime rt{{.behaviours = {{"longest_line", longest_line}}}};
  const auto session
    = rt.start(rt.load(SCENARIO),
               {.functions = {{"coder", quick_agent({}, {}, write_patch)}}});
  const auto result = session.await();
  if (!result) {
    std::cerr << to_string(result.error()) << '\n';
    return 1;
  }
  for (const auto& said : result->dialog().messages)
    std::cout << said.content << '\n';
  return 0;
}
