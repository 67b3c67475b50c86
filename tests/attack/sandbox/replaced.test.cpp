// What becomes of files and folders that are replaced after they were checked.

#include <attack/sandbox/cage.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/outside/processes/confined_user.hpp>
#include <convene/runtime/outside/processes/folder_claims.hpp>

#include <filesystem>
#include <string>

using namespace convene;
using test::cage;
using test::folder_of_test;
using test::run;

namespace fs = std::filesystem;

namespace {

fs::path folder_of_program(const fs::path& path) {
  fs::create_directories(path);
  REQUIRE(host::give_to_confined_user(path));
  return path;
}

/// As a program that writes `folder` does it.
void replace_by_link(const fs::path& folder, const fs::path& to) {
  fs::rename(folder, folder.string() + ".old");
  fs::create_directory_symlink(to, folder);
}

} // namespace

TEST_CASE("a program does not start in a folder that was replaced by a link") {
  cage in;
  const bool is_confined = GENERATE(true, false);
  const bool is_above = GENERATE(true, false);
  const folder_of_test other{0777};
  const auto victim = folder_of_program(other.path() / "sub");
  const auto outer = in.folder() / "outer";
  auto what = in.mine.shell("echo x > written");
  what.working_folder = folder_of_program(outer / "sub");
  what.places = {host::place_at(what.working_folder).value()};
  if (is_confined)
    what = host::confine(what, in.by).value();
  CHECK(run(in.all, what).end.code.empty());
  CHECK(fs::exists(outer / "sub/written"));
  replace_by_link(is_above ? outer : outer / "sub",
                  is_above ? other.path() : victim);
  const auto how = run(in.all, what);
  CHECK(how.end.code == "not_started");
  CHECK_THAT(how.end.message,
             Catch::Contains((outer / "sub").string() + " was replaced"));
  CHECK(fs::is_empty(victim));
}

TEST_CASE("a program does not start in another folder of the same name") {
  cage in;
  auto what = in.mine.shell("echo x > written");
  const auto folder = folder_of_program(in.folder() / "sub");
  what.working_folder = folder;
  const auto confined = host::confine(what, in.by).value();
  fs::rename(folder, in.folder() / "old");
  folder_of_program(folder);
  CHECK(run(in.all, confined).end.code == "not_started");
  CHECK(fs::is_empty(folder));
}

TEST_CASE("a sandbox does not show what has replaced a file or a folder") {
  cage in;
  const folder_of_test scenario;
  const folder_of_test other;
  const auto secret = other.add("file", "secret\n");
  fs::create_directories(scenario.path() / "sub");
  const auto file = scenario.add("sub/file", "own\n");
  in.by.readable = {GENERATE(false, true) ? scenario.path()
                                          : scenario.path() / "sub"};
  auto what = in.mine.run("/bin/cat", {"cat", file});
  what.working_folder = in.folder();
  const auto confined = host::confine(what, in.by).value();
  CHECK(run(in.all, confined).output == "own\n");
  // Shown apart, since the whole of /tmp may be read.
  in.by.readable = {"/tmp"};
  const auto apart = host::confine(what, in.by).value();
  CHECK(run(in.all, apart).output == "own\n");
  fs::rename(scenario.path() / "sub", scenario.path() / "old");
  fs::create_directory_symlink(other.path(), scenario.path() / "sub");
  CHECK(run(in.all, confined).output != "secret\n");
  CHECK(run(in.all, apart).end.code == "not_started");
}

TEST_CASE("a file that an argument names may be saved anew") {
  cage in;
  const folder_of_test scenario;
  const auto file = scenario.add("file", "before\n");
  in.by.readable = {"/tmp"};
  auto what = in.mine.run("/bin/cat", {"cat", file});
  what.working_folder = in.folder();
  const auto confined = host::confine(what, in.by).value();
  fs::rename(scenario.add("new", "after\n"), file);
  CHECK(run(in.all, confined).output == "after\n");
}

TEST_CASE("no program writes the folder that holds another's") {
  host::folder_claims all;
  const auto is_refused = [&](const fs::path& folder,
                              std::vector<fs::path> used) {
    const auto how = all.claim(folder, std::move(used));
    return !how && how.error().rule == "nested_folders";
  };
  auto first = all.claim("/a/b", {"/usr/bin/tool", "/a", "/a/b/own"});
  REQUIRE(first);
  CHECK(is_refused("/a/b/c", {}));
  CHECK(is_refused("/a/b/c/d", {}));
  CHECK(is_refused("/a", {}));
  CHECK(is_refused("/", {}));
  CHECK(is_refused("/usr/bin", {})); // holds the first one's program
  CHECK(is_refused("/usr", {}));
  CHECK(is_refused("/x", {"/a/b/script"}));
  CHECK_FALSE(is_refused("/a/b", {"/a/b/script"}));
  CHECK_FALSE(is_refused("/a/b-c", {}));
  CHECK_FALSE(is_refused("/a/c", {"/a/b"}));
  CHECK_FALSE(is_refused("/usr/bin/tool", {}));
  // Those of programs that are gone do not count.
  auto second = all.claim("/a/b", {});
  first->reset();
  CHECK(is_refused("/a", {}));
  CHECK_FALSE(is_refused("/usr", {}));
  second->reset();
  CHECK_FALSE(is_refused("/a", {}));
}
