#include "made_repository.hpp"

#include <convene/integrations/git/git_reporter.hpp>

#include <string>
#include <vector>

using namespace convene::protocol;
using namespace convene::tests;
using convene::host::git_events_between;
using convene::host::git_refs;
using convene::host::git_reporter;

namespace {

using texts = std::vector<std::string>;

texts told(const std::vector<convene::host::git_report>& events) {
  texts all;
  for (const auto& [each, session, step] : events)
    all.push_back(std::string{to_word(each.event_kind)} + ' ' + each.ref_name
                  + ' ' + each.commit_id);
  return all;
}

} // namespace

TEST_CASE("what happened to branches and tags is told from two looks at them") {
  const git_refs after{
    .url = "https://example.org/a.git",
    .commits = {{"refs/heads/main", "3"},
                {"refs/heads/new", "3"},
                {"refs/tags/v1", "3"},
                {"refs/tags/v0", "1"}},
    .added = {{.id = "2", .ref = "refs/heads/main", .at = 5, .parents = {"1"}},
              {.id = "3",
               .ref = "refs/heads/main",
               .author = "An author",
               .summary = "Join",
               .at = 6,
               .parents = {"2", "0"}}}};
  const auto events = git_events_between(
    {{"refs/heads/main", "1"}, {"refs/heads/old", "1"}, {"refs/tags/v0", "1"}},
    after, "here", 7);
  CHECK(told(events)
        == texts{"branch_create refs/heads/new 3", "tag refs/tags/v1 3",
                 "commit refs/heads/main 2", "merge refs/heads/main 3",
                 "branch_delete refs/heads/old 1"});
  CHECK(events[3].what.repo_url == "https://example.org/a.git");
  CHECK(events[3].what.author_name == "An author");
  CHECK(events[3].what.timestamp == format_timestamp(6));
  CHECK(git_events_between({}, {.commits = {{"refs/heads/a", "1"}}}, "here", 7)
          .front()
          .what.repo_url
        == "here");
}

TEST_CASE("a repository's new commits are told once, the oldest first") {
  const made_repository at;
  git_reporter reporter{at.root()};
  REQUIRE(reporter.look(1)); // nothing is there yet
  at.put("a", "1");
  at.stage();
  const auto first = at.commit();
  at.put("a", "2");
  at.stage();
  const auto second = at.commit();
  const auto events = reporter.look(2);
  REQUIRE(events);
  REQUIRE(events->size() == 3);
  CHECK(events->at(0).what.event_kind == git_event_kind::branch_create);
  CHECK(events->at(1).what.commit_id == first);
  CHECK(events->at(2).what.commit_id == second);
  CHECK(events->at(2).what.parent_commits == texts{first});
  CHECK(events->at(2).what.author_name == "A Tester");
  const auto again = reporter.look(3);
  REQUIRE(again);
  CHECK(again->empty());
}

TEST_CASE("a commit is linked to the session and step that its trailers name") {
  const made_repository at;
  const std::string session = "550e8400-e29b-41d4-a716-446655440001";
  const std::string step = "550e8400-e29b-41d4-a716-446655440002";
  git_reporter reporter{at.root()};
  REQUIRE(reporter.look(1));
  const auto link_of = [&](const std::string& message) {
    at.put("a", message);
    at.stage();
    at.commit(message);
    const auto events = reporter.look(2);
    REQUIRE(events);
    return events->back().session_id + ' ' + events->back().step_id;
  };
  CHECK(link_of("Fix it") == " ");
  CHECK(link_of("Fix it\n\nIt was wrong.\n\nConvene-Session: " + session
                + "\nConvene-Step: " + step + '\n')
        == session + ' ' + step);
  CHECK(link_of("More\n\nConvene-Step: " + step + '\n') == ' ' + step);
  CHECK(link_of("More\n\nConvene-Step: the second\n") == " ");
  CHECK(link_of("Convene-Step: " + step + "\n\nis no trailer there\n") == " ");
}

TEST_CASE("a commit of an impossible time has the nearest one") {
  const made_repository at;
  git_reporter reporter{at.root()};
  REQUIRE(reporter.look(1));
  // Times a thousand, this is beyond 64 bits, and would come out as 84,384 ms.
  at.branch_at("18446744073709636");
  const auto events = reporter.look(2);
  REQUIRE(events);
  REQUIRE(events->size() == 2);
  CHECK(events->at(1).what.timestamp == "9999-12-31T23:59:59.000Z");
}

TEST_CASE("the address of a repository is told without who may use it") {
  const made_repository at;
  at.remote("https://someone:secret@example.org/a.git");
  const auto refs = convene::host::read_refs(at.root(), std::nullopt);
  REQUIRE(refs);
  CHECK(refs->url == "https://example.org/a.git");
}

TEST_CASE("a folder without a repository has no branches to be told") {
  const scratch_folder folder;
  git_reporter reporter{folder.path()};
  CHECK_FALSE(reporter.look(1));
}
