#include <catch2/catch.hpp>
#include <convene/session/requests/request_table.hpp>

#include <algorithm>

using namespace convene;
using namespace convene::session;

namespace {

protocol::uuid token(std::uint64_t number) {
  return {1, number};
}

request issue(request_table& to, participant_index who, std::uint64_t number,
              protocol::timestamp_ms expires_at = 100,
              request_kind kind = request_kind::turn) {
  request message;
  to.issue(who,
           {.kind = kind, .token = token(number), .expires_at = expires_at},
           message);
  return message;
}

using indexes = std::vector<participant_index>;

} // namespace

TEST_CASE("open requests are in the order of issue, and each closes once") {
  request_table table{3};
  CHECK(table.empty());
  issue(table, 2, 1);
  issue(table, 0, 2);
  issue(table, 1, 3);
  CHECK(std::ranges::equal(table.open(), indexes{2, 0, 1}));
  CHECK(table.find(0)->token == token(2));
  CHECK(table.close(0).token == token(2));
  CHECK(table.find(0) == nullptr);
  CHECK(std::ranges::equal(table.open(), indexes{2, 1}));
  CHECK(table.is_late(0, token(2)));
  CHECK_FALSE(table.is_late(0, token(1)));
  CHECK(table.last_token(0) == token(2));
}

TEST_CASE("a request says its number, and its number among its kind") {
  request_table table{1};
  const auto numbers = [&](std::uint64_t n, request_kind kind) {
    const auto made = issue(table, 0, n, 100, kind);
    table.close(0);
    CHECK(made.kind == kind);
    CHECK(made.token == token(n));
    CHECK(made.expires_at == 100);
    return std::pair{made.sequence, made.kind_sequence};
  };
  CHECK(numbers(1, request_kind::turn) == std::pair{0U, 0U});
  CHECK(numbers(2, request_kind::decision) == std::pair{1U, 0U});
  CHECK(numbers(3, request_kind::turn) == std::pair{2U, 1U});
  CHECK(numbers(4, request_kind::decision) == std::pair{3U, 1U});
  CHECK(table.next_question(0) == 0);
  CHECK(table.next_question(0) == 1);
}

TEST_CASE("requests expire from the deadline on, the oldest first") {
  request_table table{3};
  issue(table, 0, 1, 300);
  issue(table, 1, 2, 200);
  issue(table, 2, 3, 200);
  CHECK(table.deadline() == 200);
  CHECK(table.expired(199) == no_participant);
  CHECK(table.expired(200) == 1);
  table.close(1);
  CHECK(table.expired(250) == 2);
  table.close(2);
  CHECK(table.expired(250) == no_participant);
  CHECK(table.deadline() == 300);
  CHECK(table.expired(300) == 0);
  table.close(0);
  CHECK(table.expired(1000) == no_participant);
}

TEST_CASE("the oldest revision is that of the oldest open request") {
  request_table table{2};
  CHECK(table.oldest_revision() == std::numeric_limits<std::uint64_t>::max());
  issue(table, 1, 1);
  CHECK(table.oldest_revision() == 0);
  CHECK(table.find(1)->revision == 0);
}

TEST_CASE("violations are counted up to a bound, from each request anew") {
  request_table table{1};
  issue(table, 0, 1);
  for (std::uint32_t n = 0; n < request_table::violations_max; ++n)
    CHECK(table.note_violation(0));
  CHECK_FALSE(table.note_violation(0));
  table.close(0);
  CHECK_FALSE(table.note_violation(0));
  issue(table, 0, 2);
  CHECK(table.note_violation(0));
}

TEST_CASE("an input that is undone has closed nothing and issued nothing") {
  request_table table{3};
  issue(table, 0, 1);
  issue(table, 1, 2);
  table.begin_input();
  table.close(0);
  issue(table, 0, 3);
  table.close(1);
  issue(table, 2, 4);
  table.close(2);
  table.undo([](const auto& t) { return t == token(3) || t == token(4); });
  REQUIRE(table.find(0) != nullptr);
  CHECK(table.find(0)->token == token(1));
  REQUIRE(table.find(1) != nullptr);
  CHECK(table.find(1)->token == token(2));
  CHECK(table.find(2) == nullptr);
  indexes told;
  table.abandon(
    [&](participant_index who, const open_request&) { told.push_back(who); });
  CHECK(told == indexes{0, 1});
  CHECK(table.empty());
  CHECK(table.find(0) == nullptr);
}

TEST_CASE("only the latest input can be undone") {
  request_table table{1};
  issue(table, 0, 1);
  table.begin_input();
  table.close(0);
  table.begin_input();
  table.undo([](const auto&) { return false; });
  CHECK(table.find(0) == nullptr);
}

TEST_CASE("a write and a task are noted with the participant's request") {
  request_table table{2};
  issue(table, 0, 1);
  table.note_write(0);
  table.note_write(1); // has none
  CHECK(table.find(0)->wrote);
  table.note_task(0, "do it");
  table.note_task(1, "");
  CHECK(table.task_of(0) == "do it");
  CHECK(table.task_of(1).empty());
  table.note_task(0, "");
  CHECK(table.task_of(0).empty());
  table.note_task(0, "do that");
  CHECK(table.task_of(0) == "do that");
}

TEST_CASE("what is known of a participant's requests is 144 bytes at most") {
  CHECK(sizeof(request_slot) <= 144);
}
