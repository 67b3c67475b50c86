#include <catch2/catch.hpp>
#include <convene/integrations/drift/folder_watch.hpp>
#include <runtime/log/event_log/files.hpp>

#include <thread>

using namespace convene::host;
using namespace convene::tests;
namespace fs = std::filesystem;

namespace {

/// Until the watch has told of a path, or that everything may have changed.
bool tells(folder_watch& watch, const std::string& path) {
  for (;;) {
    const auto changes = watch.wait();
    REQUIRE(changes);
    if (changes->all || changes->paths.contains(path))
      return !changes->all;
  }
}

} // namespace

TEST_CASE("a change of a file is told by its path, of a folder as everything") {
  const scratch_folder root;
  fs::create_directory(root / "src");
  folder_watch watch{root.path(), std::nullopt};
  watch.cover({"", "src", "none"});
  if (watch.polls()) {
    WARN("the system does not notify here");
    return;
  }
  write_bytes(root / "a", "1");
  CHECK(tells(watch, "a"));
  write_bytes(root / "src/b", "1");
  CHECK(tells(watch, "src/b"));
  fs::rename(root / "src/b", root / "c");
  CHECK(tells(watch, "c"));
  fs::remove(root / "a");
  CHECK(tells(watch, "a"));
  fs::create_directory(root / "new");
  CHECK_FALSE(tells(watch, "new"));
  CHECK(watch.overflows() == 0);
}

TEST_CASE("more changes than can be kept are told as everything, and counted") {
  const scratch_folder root;
  folder_watch watch{root.path(), std::nullopt};
  watch.cover({""});
  if (watch.polls()) {
    WARN("the system does not notify here");
    return;
  }
  for (std::size_t i = 0; i <= folder_watch::paths_max; ++i)
    write_bytes(root.path() / std::to_string(i), "");
  const auto changes = watch.wait();
  REQUIRE(changes);
  CHECK(changes->all);
  CHECK(changes->paths.size() <= folder_watch::paths_max);
  CHECK(watch.overflows() > 0);
}

TEST_CASE("by the clock, everything may have changed") {
  const scratch_folder root;
  folder_watch watch{root.path(), std::chrono::milliseconds{1}};
  CHECK(watch.polls());
  watch.cover({""});
  const auto changes = watch.wait();
  REQUIRE(changes);
  CHECK(changes->all);
}

TEST_CASE("a watch that is stopped waits no more") {
  const scratch_folder root;
  for (const auto& poll :
       {std::optional<std::chrono::milliseconds>{},
        std::optional{std::chrono::milliseconds{100'000'000}}}) {
    folder_watch watch{root.path(), poll};
    watch.cover({""});
    std::thread other{[&] { watch.stop(); }};
    CHECK_FALSE(watch.wait());
    other.join();
    CHECK_FALSE(watch.wait());
  }
}
