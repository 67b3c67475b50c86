#include <catch2/catch.hpp>
#include <convene/session/requests/dialog_window.hpp>

using namespace convene::session;

namespace {

dialog_window of_three() {
  dialog_window talk;
  talk.add({said::nobody, 1, "task"});
  talk.add({0, 2, ""});
  talk.add({7, 3, "answer"});
  return talk;
}

} // namespace

TEST_CASE("a window gives back what was said, in order") {
  const auto talk = of_three();
  CHECK(talk.entries()
        == std::vector<said>{
          {said::nobody, 1, "task"}, {0, 2, ""}, {7, 3, "answer"}});
  CHECK_FALSE(talk.empty());
  CHECK(dialog_window{}.entries().empty());
  CHECK(dialog_window{}.empty());
}

TEST_CASE("the last entries are cut by count and by bytes") {
  const auto said_first = of_three();
  dialog_record talk;
  for (const auto& entry : said_first.entries())
    talk.add(entry);
  CHECK(talk.all() == said_first);
  CHECK(talk.last(2, 1000).entries()
        == std::vector<said>{{0, 2, ""}, {7, 3, "answer"}});
  CHECK(talk.last(9, 1000) == talk.all());
  CHECK(talk.last(0, 1000).empty());
  CHECK(talk.last(9, talk.last(1, 1000).bytes()) == talk.last(1, 1000));
  CHECK(talk.last(9, 3).empty());
}

namespace {

/// Puts other bytes into a window, as serialisation could.
struct forger {
  std::string packed;

  bool operator()(std::string& p) {
    p = packed;
    return true;
  }
};

} // namespace

TEST_CASE("a window that was tampered with ends where it makes no sense") {
  dialog_window forged;
  forger too_long{std::string(20, 'x')};
  inspect(too_long, forged);
  CHECK(forged.entries().empty());
  forger too_short{std::string(15, '\0')};
  inspect(too_short, forged);
  CHECK(forged.entries().empty());
  forger zeros{std::string(33, '\0')};
  inspect(zeros, forged);
  CHECK(forged.entries().size() == 2);
}
