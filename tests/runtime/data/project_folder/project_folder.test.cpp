#include <catch2/catch.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/runtime/data/project_folder/project_folder.hpp>
#include <runtime/log/event_log/files.hpp>
#include <sys/stat.h>

using namespace convene::host;
using namespace convene::protocol;
using namespace convene::tests;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

struct project {
  scratch_folder scratch;
  fs::path root = scratch / "project";

  project() {
    fs::create_directories(root / "src");
  }

  [[nodiscard]] project_folder open() const {
    return project_folder::open(root).value();
  }
  void put(const std::string& path, const std::string& text) const {
    fs::create_directories((root / path).parent_path());
    fs::remove(root / path);
    write_bytes(root / path, text);
  }
};

file_state state_of(const std::string& text) {
  return {.exists = true, .sha256 = hex_of(sha256(text)), .bytes = text.size()};
}

std::vector<std::string> names_of(const folder_listing& of) {
  std::vector<std::string> names;
  for (const auto& [name, why] : of.skipped)
    names.push_back(name + ": " + why);
  return names;
}

} // namespace

TEST_CASE("a file is what it holds, and a missing one is nothing") {
  const project at;
  at.put("src/a", "some text");
  at.put("large", std::string(200'000, 'x'));
  at.put("empty", "");
  const auto folder = at.open();
  CHECK(folder.look("src/a") == state_of("some text"));
  CHECK(folder.look("large") == state_of(std::string(200'000, 'x')));
  CHECK(folder.look("empty") == state_of(""));
  for (const auto* path : {"src", "none", "none/a", "src/a/b", "src/b"})
    CHECK(folder.look(path) == file_state{});
  CHECK_FALSE(project_folder::open(at.root / "none"));
  CHECK_FALSE(project_folder::open(at.root / "large"));
}

TEST_CASE("no path leads out of the folder, over whatever link") {
  const project at;
  write_bytes(at.scratch / "secret", "s");
  fs::create_symlink("../secret", at.root / "to-file");
  fs::create_symlink("..", at.root / "to-folder");
  fs::create_symlink("loop", at.root / "loop");
  fs::create_symlink("src", at.root / "inside");
  at.put("src/a", "a");
  const auto folder = at.open();
  for (const auto* path :
       {"to-folder/secret", "loop/a", "inside/a", "to-folder/project/src/a",
        "to-file", "to-folder", "loop"}) {
    const auto found = folder.look(path);
    REQUIRE_FALSE(found);
    CHECK(found.error().rule == "no_file");
    CHECK(found.error().file == (at.root / path).string());
    CHECK_FALSE(folder.replace(path, "x", false, "kept"));
    if (std::string_view{path}.find('/') != std::string_view::npos)
      CHECK_FALSE(folder.replace(path, "x", true, "kept"));
  }
  // A link itself is moved; what it leads to stays.
  CHECK(folder.replace("to-file", "x", true, "kept") == true);
  CHECK(fs::is_symlink(at.root / "kept/to-file"));
  CHECK(read_bytes(at.root / "to-file") == "x");
  for (const auto* path :
       {"../secret", "/etc/passwd", "src/../../secret", ""}) {
    CHECK(folder.look(path).error().rule == "path");
    CHECK(folder.replace(path, "x", true, "kept").error().rule == "path");
  }
  CHECK(read_bytes(at.scratch / "secret") == "s");
  CHECK(read_bytes(at.root / "src/a") == "a");
}

TEST_CASE("nothing is written where tools execute what they find") {
  const project at;
  at.put(".git/config", "mine");
  at.put("fixtures/x/HEAD", "ref: refs/heads/main");
  at.put("fixtures/x/config", "mine");
  fs::create_directory(at.root / "head");
  const auto folder = at.open();
  for (const auto* path : {".git/config", ".GIT/config", "git~1/config", "HEAD",
                           "CON", "fixtures/x/config", "fixtures/x/hooks/a"}) {
    CAPTURE(path);
    for (const bool was_there : {true, false}) {
      CHECK(folder.replace(path, "x", was_there, "kept").error().rule
            == "path");
      CHECK(folder.replace(path, std::nullopt, was_there, "kept").error().rule
            == "path");
    }
  }
  CHECK(read_bytes(at.root / ".git/config") == "mine");
  CHECK(read_bytes(at.root / "fixtures/x/config") == "mine");
  CHECK_FALSE(fs::exists(at.root / "fixtures/x/hooks"));
  CHECK_FALSE(fs::exists(at.root / "kept/.git"));
  // A repository, by whatever name the user knows it.
  fs::create_symlink(".git", at.root / "link");
  at.put(".git/HEAD", "ref: refs/heads/main");
  for (const auto* name : {".git", "link", "fixtures/x"})
    CHECK(project_folder::open(at.root / name)
            .value()
            .replace("config", "x", true, "kept")
            .error()
            .rule
          == "path");
  CHECK(folder.replace("head/a", "x", false, "kept") == false);
}

TEST_CASE("what is no file, or too large, is an error by its name") {
  const project at;
  REQUIRE(::mkfifo((at.root / "pipe").c_str(), 0600) == 0);
  at.put("huge", "");
  fs::resize_file(at.root / "huge", artifact_bytes_max + 1);
  const auto folder = at.open();
  CHECK(folder.look("pipe").error().rule == "no_file");
  CHECK(folder.look("huge").error().rule == "artifact_bytes_max");
  CHECK_THAT(to_string(folder.look("huge").error()), Contains("project/huge"));
}

TEST_CASE("a folder is listed without links, devices and what is excluded") {
  const project at;
  for (const auto* path :
       {"a", "src/b", "src/deep/c.o", "build/x", "src/build/y", ".git/config",
        ".convene-replaced/1/a", "docs/z"})
    at.put(path, "");
  at.put("bad-\xff", "");
  fs::create_directory(at.root / "bare");
  fs::create_symlink("..", at.root / "up");
  REQUIRE(::mkfifo((at.root / "pipe").c_str(), 0600) == 0);
  const auto found = at.open().list({"build", "*.o", "docs/z"});
  REQUIRE(found);
  CHECK(found->files == std::vector<std::string>{"a", "src/b"});
  CHECK(names_of(*found)
        == std::vector<std::string>{"bad-\xff: its name is not UTF-8",
                                    "pipe: no regular file", "up: a link"});
  CHECK(found->errors.empty());
  CHECK(is_excluded_below({"build"}, "src/build/y"));
  CHECK(is_excluded_below({}, "src/.git/config"));
  CHECK_FALSE(is_excluded_below({"build"}, "src/builds/y"));
}

TEST_CASE("folders without end are a bound that has a name") {
  const project at;
  std::string deep;
  for (int i = 0; i <= drift_depth_max; ++i)
    deep += "d/";
  fs::create_directories(at.root / deep);
  CHECK(at.open().list({}).error().rule == "drift_depth_max");
  CHECK(at.open().list({"d"}));
}

TEST_CASE("what is replaced is kept, and keeps its permissions") {
  const project at;
  at.put("src/a", "old");
  fs::permissions(at.root / "src/a", fs::perms{0750});
  const auto folder = at.open();
  CHECK(folder.replace("src/a", "new", true, "kept/1") == true);
  CHECK(read_bytes(at.root / "src/a") == "new");
  CHECK(read_bytes(at.root / "kept/1/src/a") == "old");
  CHECK(fs::status(at.root / "src/a").permissions() == fs::perms{0750});
}

TEST_CASE("a missing file is made with its folders, and nothing is kept") {
  const project at;
  const auto folder = at.open();
  CHECK(folder.replace("one/two/a", "new", false, "kept/1") == false);
  CHECK(read_bytes(at.root / "one/two/a") == "new");
  CHECK_FALSE(fs::exists(at.root / "kept"));
}

TEST_CASE("a file that is to be gone is moved, not removed") {
  const project at;
  at.put("src/a", "old");
  const auto folder = at.open();
  CHECK(folder.replace("src/a", std::nullopt, true, "kept/1") == true);
  CHECK_FALSE(fs::exists(at.root / "src/a"));
  CHECK(read_bytes(at.root / "kept/1/src/a") == "old");
  CHECK(folder.replace("src/a", std::nullopt, true, "kept/2") == false);
  CHECK(folder.replace("no/a", std::nullopt, true, "kept/2") == false);
}

TEST_CASE("what changed after it was looked at is not overwritten") {
  const project at;
  at.put("src/a", "appeared");
  const auto folder = at.open();
  const auto made = folder.replace("src/a", "new", false, "kept/1");
  CHECK(made.error().rule == "changed_meanwhile");
  CHECK(read_bytes(at.root / "src/a") == "appeared");
  const auto gone = folder.replace("src/b", "new", true, "kept/1");
  CHECK(gone.error().rule == "changed_meanwhile");
  CHECK_FALSE(fs::exists(at.root / "src/b"));
  CHECK_FALSE(fs::exists(at.root / "kept"));
  // What is kept once is never replaced itself.
  at.put("kept/1/src/a", "kept before");
  CHECK_FALSE(folder.replace("src/a", "new", true, "kept/1"));
  CHECK(read_bytes(at.root / "kept/1/src/a") == "kept before");
}
