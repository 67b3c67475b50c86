#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <convene/session/replay/replayer.hpp>
#include <support/random_session.hpp>
#include <support/rig.hpp>

#include <memory>
#include <string>

using namespace convene;
using namespace convene::test;
using session::replayer;

namespace {

constexpr std::uint32_t seeds = 150;

std::string text_of(const replayer& of) {
  const auto saved = of.save();
  if (!saved)
    FAIL(to_string(saved.error()));
  return protocol::json::serialize(*saved);
}

/// Another replayer that goes on from a snapshot's text.
std::unique_ptr<replayer> reborn(const std::string& started,
                                 const std::string& text) {
  auto made = std::make_unique<replayer>(modes::find);
  const auto parsed = protocol::parse_json(text);
  REQUIRE(parsed);
  if (auto good = made->restore(started, *parsed); !good)
    FAIL(to_string(good.error()));
  return made;
}

void feed(replayer& to, std::size_t at, const std::string& line) {
  if (const auto other = to.feed(at + 1, line)) {
    INFO("line " << other->line << ": " << other->message << "\nexpected "
                 << other->expected << "\nactual   " << other->actual);
    FAIL("it goes on in another way");
  }
}

} // namespace

TEST_CASE("a session that is saved and restored at any event goes on as the "
          "one that was not, byte for byte") {
  std::size_t saves = 0;
  for (const auto* policy : modes::catalog())
    for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
      INFO(policy->name << ", seed " << seed);
      const auto lines = run_random_session(*policy, seed).lines;
      dice dice{seed};
      replayer whole{modes::find};
      std::unique_ptr<replayer> again;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        feed(whole, i, lines[i]);
        if (again)
          feed(*again, i, lines[i]);
        if (whole.finish() || whole.session()->ended())
          continue;
        if (again)
          REQUIRE(text_of(*again) == text_of(whole));
        if (!dice.chance(20))
          continue;
        const auto saved = text_of(whole);
        again = reborn(lines.front(), saved);
        REQUIRE(text_of(*again) == saved);
        ++saves;
      }
      if (!again)
        continue;
      CHECK(again->session()->ended());
      CHECK(again->session()->result() == whole.session()->result());
      CHECK(again->session()->talk() == whole.session()->talk());
      CHECK(again->session()->workspace().view()
            == whole.session()->workspace().view());
      CHECK(again->session()->workspace().bytes()
            == whole.session()->workspace().bytes());
    }
  CHECK(saves > 1'000);
}

TEST_CASE("a restored session asks again what was outstanding, with all that "
          "was shown") {
  for (const auto* policy : modes::catalog())
    for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
      INFO(policy->name << ", seed " << seed);
      const auto lines = run_random_session(*policy, seed).lines;
      const auto count = lines.size() / 2;
      replayer whole{modes::find};
      for (std::size_t i = 0; i < count; ++i)
        feed(whole, i, lines[i]);
      if (whole.finish() || count == 0 || whole.session()->ended())
        continue;
      auto again = reborn(lines.front(), text_of(whole))->release();
      const auto expected = whole.release();
      REQUIRE(again.outstanding.size() == expected.outstanding.size());
      for (std::size_t i = 0; i < expected.outstanding.size(); ++i) {
        CHECK(again.outstanding[i].to == expected.outstanding[i].to);
        CHECK(again.outstanding[i].what == expected.outstanding[i].what);
      }
      CHECK(again.behaviours == expected.behaviours);
    }
}
