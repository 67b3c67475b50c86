#include "talk.hpp"

#include <catch2/catch.hpp>
#include <convene/protocol/dialog/threads.hpp>

using namespace convene::protocol;

namespace {

dialog of_thread(std::optional<std::string> thread,
                 std::optional<std::string> began) {
  dialog one;
  one.thread_id = std::move(thread);
  one.started_at = std::move(began);
  return one;
}

} // namespace

TEST_CASE("all dialogs of a thread are found, the earliest first") {
  const std::vector dialogs{
    of_thread("b", "2026-01-02T00:00:00Z"), of_thread("a", std::nullopt),
    of_thread("a", "2026-01-02T00:00:00Z"), of_thread(std::nullopt, noon),
    // The same instant as the day before, told in another zone.
    of_thread("a", "2026-01-02T00:30:00+01:00")};
  const thread_index index{dialogs};
  const auto found = index.find("a");
  REQUIRE(found.size() == 3);
  CHECK(found[0] == &dialogs[4]);
  CHECK(found[1] == &dialogs[2]);
  CHECK(found[2] == &dialogs[1]);
  CHECK(index.threads() == std::vector<std::string_view>{"a", "b"});
}

TEST_CASE("a thread that nobody continues has no dialogs") {
  const std::vector dialogs{active_dialog()};
  CHECK(thread_index{dialogs}.find("other").empty());
  CHECK(thread_index{{}}.find("other").empty());
}
