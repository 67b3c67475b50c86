#include "made_repository.hpp"

#include <convene/integrations/git/apart.hpp>
#include <convene/integrations/git/repository.hpp>
#include <support/dice.hpp>
#include <sys/stat.h>

#include <csignal>
#include <map>
#include <random>

using namespace convene::host;
using namespace convene::protocol;
using namespace convene::tests;
using Catch::Contains;
using convene::test::dice;

namespace {

using contents = std::map<std::string, std::string>;
/// A word for each place and path.
using told_changes = std::map<std::pair<git_place, std::string>, drift_type>;

git_drift compared(const std::filesystem::path& folder,
                   const std::string& since = "") {
  const auto found = compare_repository(folder, since, ".left-out");
  if (!found)
    FAIL(to_string(found.error()));
  return *found;
}

told_changes types_of_changes(const git_drift& of) {
  told_changes made;
  for (const auto& each : of.changes)
    CHECK(made.emplace(std::pair{each.where, each.path}, each.type).second);
  return made;
}

void add_plainly(told_changes& to, git_place where, const contents& before,
                 const contents& now) {
  for (const auto& [path, text] : before) {
    const auto found = now.find(path);
    if (found == now.end())
      to[{where, path}] = drift_type::deleted;
    else if (found->second != text)
      to[{where, path}] = drift_type::modified;
  }
  for (const auto& [path, text] : now)
    if (!before.contains(path))
      to[{where, path}] = drift_type::added;
}

} // namespace

TEST_CASE("changes of a repository under random edits are those of a plain "
          "comparison") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  dice random{seed};
  const std::vector<std::string> paths{"a", "b", "c/d", "c/e/f"};
  for (int round = 0; round < 5; ++round) {
    const made_repository at;
    contents head;
    contents index;
    contents files;
    std::vector<std::pair<std::string, contents>> commits;
    int writes = 0;
    for (int step = 0; step < 30; ++step) {
      const auto& path = random.one_of(paths);
      switch (random.below(6)) {
        case 0:
          files.erase(path);
          at.remove(path);
          break;
        case 1:
          at.stage();
          index = files;
          break;
        case 2:
          commits.emplace_back(at.commit(), index);
          head = index;
          break;
        default:
          files[path] = path + std::to_string(++writes);
          at.put(path, files[path]);
      }
      told_changes wanted;
      add_plainly(wanted, git_place::staged, head, index);
      add_plainly(wanted, git_place::unstaged, index, files);
      const auto now = compared(at.root());
      CHECK(types_of_changes(now) == wanted);
      CHECK_FALSE(now.moved());
      CHECK(now.head == (commits.empty() ? "" : commits.back().first));
      if (commits.empty())
        continue;
      const auto& [since, then] = random.one_of(commits);
      add_plainly(wanted, git_place::committed, then, head);
      const auto later = compared(at.root(), since);
      CHECK(types_of_changes(later) == wanted);
      CHECK(later.since == since);
      CHECK(later.moved() == (since != commits.back().first));
    }
  }
}

TEST_CASE("a file that was moved is one change") {
  const made_repository at;
  at.put("old", "some content that stays");
  const auto first = at.commit_all();
  std::filesystem::rename(at.root() / "old", at.root() / "new");
  const auto wanted = [](git_place where) {
    return std::vector<git_change>{{.where = where,
                                    .type = drift_type::renamed,
                                    .path = "old",
                                    .new_path = "new"}};
  };
  CHECK(compared(at.root()).changes == wanted(git_place::unstaged));
  at.stage();
  CHECK(compared(at.root()).changes == wanted(git_place::staged));
  at.commit();
  CHECK(compared(at.root(), first).changes == wanted(git_place::committed));
}

TEST_CASE("only what is below the folder counts, and not what is left out") {
  const made_repository at;
  at.put("one/a", "1");
  at.put("[o]*/a", "2");
  at.put(".gitignore", "*.o\n");
  at.commit_all();
  for (const auto* path : {"one/a", "[o]*/a", "one/.left-out/x/a", "one/b.o"})
    at.put(path, "changed");
  CHECK(types_of_changes(compared(at.root() / "one"))
        == told_changes{{{git_place::unstaged, "a"}, drift_type::modified}});
  CHECK(types_of_changes(compared(at.root() / "[o]*"))
        == told_changes{{{git_place::unstaged, "a"}, drift_type::modified}});
}

TEST_CASE("a repository that has no commit, and one that is none") {
  const made_repository at;
  CHECK(head_commit(at.root()) == std::string{});
  CHECK(compared(at.root()).changes.empty());
  at.put("a", "1");
  CHECK(types_of_changes(compared(at.root()))
        == told_changes{{{git_place::unstaged, "a"}, drift_type::added}});
  const auto id = at.commit_all();
  CHECK(head_commit(at.root()) == id);
  CHECK(compared(at.root(), id.substr(0, 10)).since == id);
  CHECK_FALSE(compared(at.root()).ref.empty());
  for (const auto* name : {"nosuch", "HEAD~7", "^{", "\x01"})
    CHECK(compare_repository(at.root(), name, "").error().rule == "commit");
  const scratch_folder other;
  CHECK_FALSE(head_commit(other.path()));
  CHECK_FALSE(compare_repository(other.path(), "", ""));
  CHECK_THAT(to_string(head_commit(other.path()).error()),
             Contains("no Git repository"));
}

TEST_CASE("a damaged repository is an error, whatever the library does") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  dice random{seed};
  for (int round = 0; round < 30; ++round) {
    const made_repository at;
    at.put("a", "1");
    at.put("b/c", "2");
    const auto id = at.commit_all();
    at.put("a", "changed");
    std::vector<std::filesystem::path> files;
    for (const auto& each :
         std::filesystem::recursive_directory_iterator{at.root() / ".git"})
      if (each.is_regular_file())
        files.push_back(each.path());
    const auto& file = random.one_of(files);
    INFO(file);
    std::filesystem::permissions(file, std::filesystem::perms{0600});
    auto bytes = read_bytes(file);
    for (int edits = 0; edits < 5 && !bytes.empty(); ++edits)
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    if (random.chance(30))
      bytes.resize(random.below(bytes.size() + 1));
    write_bytes(file, bytes);
    const auto found = compare_repository(at.root(), id, "",
                                          std::chrono::milliseconds{500});
    CHECK((found || found.error().file == at.root()));
  }
}

TEST_CASE("a pipe in place of a file is not waited for, whichever file it is") {
  const made_repository at;
  at.put("a", "1");
  at.put("sub/b", "2");
  at.stage();
  static_cast<void>(at.commit());
  const std::string name
    = GENERATE(".git/config", ".git/HEAD", ".git/index", ".git/packed-refs",
               ".git/refs/heads/master", ".git/info/exclude", ".git/commondir",
               ".git/objects/info/alternates", ".gitignore", "sub/.gitignore",
               ".gitattributes", ".gitmodules", "sub/.git", "a", "included");
  CAPTURE(name);
  if (name == "included")
    at.put(".git/config", "[include]\npath = ../included\n");
  std::filesystem::remove_all(at.root() / name);
  std::filesystem::create_directories((at.root() / name).parent_path());
  REQUIRE(::mkfifo((at.root() / name).c_str(), 0600) == 0);
  const auto found = compare_repository(at.root(), "", ".left-out",
                                        std::chrono::seconds{60});
  if (!found)
    CHECK(found.error().rule != "git_time_max");
}

TEST_CASE("a file of a repository without end does not use up the memory") {
  const made_repository at;
  at.put("a", "1");
  at.stage();
  static_cast<void>(at.commit());
  for (const auto* name : {".git/packed-refs", ".git/index", ".git/config"}) {
    CAPTURE(name);
    at.put(name, "");
    std::filesystem::resize_file(at.root() / name, std::uintmax_t{1} << 40U);
    const auto found = compare_repository(at.root(), "", ".left-out");
    if (!found)
      CHECK(found.error().rule != "git_time_max");
  }
  CHECK_FALSE(compare_repository(at.root(), "", ".left-out"));
}

TEST_CASE("an object without end is given up, and one that ends it is told") {
  const scratch_folder at;
  const auto longest = std::chrono::milliseconds{50};
  const auto endless = apart(at.path(), longest, []() -> result<packed_texts> {
    for (;;)
      ::pause();
  });
  CHECK(endless.error().rule == "git_time_max");
  const auto crash = apart(at.path(), git_time_max,
                           []() -> result<packed_texts> {
                             ::raise(SIGKILL);
                             return {};
                           });
  CHECK(crash.error().rule == "git_failed");
  const packed_texts made{"a", "", "x\xff\n", ""};
  const auto told = apart(at.path(), git_time_max,
                          [&]() -> result<packed_texts> { return made; });
  REQUIRE(told);
  CHECK(*told == made);
}
