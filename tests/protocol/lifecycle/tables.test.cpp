#include "expected.hpp"

#include <convene/protocol/lifecycle/status.hpp>

using namespace convene::tests;

TEST_CASE("there is a lifecycle for each module, and each is expected here") {
  CHECK(all_lifecycles().size() == expected.size());
  for (const auto word : words_of<module>) {
    INFO(word);
    REQUIRE(find_lifecycle(word) != nullptr);
    CHECK(find_lifecycle(*from_word<module>(word)).name == word);
  }
  CHECK(find_lifecycle("decision") == nullptr);
  CHECK(find_lifecycle("") == nullptr);
}

TEST_CASE("of all pairs of statuses, the moves of the protocol are allowed") {
  for (const auto& want : expected) {
    const auto& of = table(want.name);
    CHECK(of.states.size()
          == want.moves.size() + (want.name == "confirm" ? 1 : 0));
    for (const auto& [from, allowed] : want.moves)
      for (const auto& [to, unused] : want.moves) {
        INFO(want.name << ": " << from << " to " << to);
        const auto asked = ask(of, from, to);
        const bool may = words_in(allowed).contains(to);
        CHECK(asked.has_value() == may);
        if (asked) {
          CHECK_FALSE(asked->empty());
          continue;
        }
        const auto& why = asked.error();
        CHECK(why.code == errc::not_allowed);
        CHECK(why.rule
              == (allowed.empty() ? "status_final"
                  : from == to    ? "status_changes"
                                  : "status_move"));
        // It names the module, the id, both statuses and what is allowed.
        CHECK(why.message.starts_with(want.name + " \"" + std::string{an_id}));
        CHECK(why.message.find('"' + from + '"') != std::string::npos);
        CHECK(why.message.find('"' + to + '"') != std::string::npos);
        const auto list = why.message.substr(why.message.find("allowed: ") + 9);
        for (const auto& word : words_in(allowed))
          CHECK(list.find(word) != std::string::npos);
        if (allowed.empty())
          CHECK(list.starts_with("none"));
      }
  }
}

TEST_CASE("objects begin in the statuses that the protocol has for that") {
  for (const auto& want : expected)
    for (const auto& [to, unused] : want.moves) {
      INFO(want.name << " created as " << to);
      CHECK(ask(table(want.name), "", to).has_value()
            == words_in(want.begins).contains(to));
    }
}

TEST_CASE("a status that ends an object has no way out, and others have one") {
  for (const auto& want : expected)
    for (const auto& [from, allowed] : want.moves) {
      INFO(want.name << ' ' << from);
      CHECK(next_statuses(table(want.name), from).empty() == allowed.empty());
    }
}

TEST_CASE("words that are no status are refused by name, with a near one") {
  for (const auto& want : expected) {
    if (want.moves.empty())
      continue;
    const auto& of = table(want.name);
    for (const std::string word :
         {"", "ready", "running?", "\xff\x1b[2J", "DRAFT"}) {
      const auto from = ask(of, "no_status", want.moves.front().first);
      const auto to = ask(of, want.moves.front().first, word);
      for (const auto& refused : {from, to}) {
        REQUIRE_FALSE(refused);
        CHECK(refused.error().rule == "status_known");
        CHECK(refused.error().code == errc::invalid_document);
        CHECK(refused.error().message.find('\x1b') == std::string::npos);
      }
    }
  }
  const auto near = ask(table("plan"), "draft", "propose");
  CHECK(near.error().message.find("did you mean \"proposed\"")
        != std::string::npos);
}

TEST_CASE("a role has no status to change") {
  CHECK(ask(table("role"), "", "").has_value());
  for (const auto& [from, to] : {std::pair{"", "active"}, {"active", ""}})
    CHECK(ask(table("role"), from, to).error().rule == "status_known");
}

TEST_CASE("what cannot be reached at once is shown a way, if there is one") {
  CHECK(
    find_route(table("plan"), "draft", "in_progress")
    == std::vector<std::string_view>{"proposed", "approved", "in_progress"});
  CHECK(find_route(table("network"), "degraded", "retired")
        == std::vector<std::string_view>{"active", "retired"});
  CHECK(find_route(table("plan"), "failed", "draft").empty());
  CHECK(find_route(table("trace"), "running", "pending").empty());
  const auto refused = ask(table("plan"), "draft", "in_progress");
  CHECK(refused.error().message.find("go by proposed, approved, in_progress")
        != std::string::npos);
  const auto back = ask(table("trace"), "running", "pending");
  CHECK(back.error().message.find("make a new trace") != std::string::npos);
}

TEST_CASE("extensions come back only under the policy that lets them") {
  const lifecycle_policy lenient{.extensions_return = true};
  const auto& of = table("extension");
  for (const auto& from : {"registered", "active", "inactive", "deprecated"})
    for (const auto& to : {"registered", "active", "inactive", "deprecated"}) {
      const std::string move = std::string{from} + ' ' + to;
      INFO(move);
      const bool seed = move == "registered active" || move == "active inactive"
                        || move == "active deprecated";
      const bool added = move == "inactive active"
                         || move == "deprecated inactive";
      CHECK(ask(of, from, to).has_value() == seed);
      CHECK(ask(of, from, to, lenient).has_value() == (seed || added));
    }
}

TEST_CASE("a rejection ends a Confirm in one round, not in several") {
  const auto& of = table("confirm");
  const lifecycle_policy rounds{.several_rounds = true};
  CHECK(ask(of, "pending", "rejected").has_value());
  CHECK(ask(of, "pending", "rejected", rounds).error().rule == "status_move");
  CHECK(ask(of, "pending", "approved", rounds).has_value());
  CHECK(ask(of, "pending", "cancelled", rounds).has_value());
  CHECK(ask(of, "rejected", "pending", rounds).error().rule == "status_final");
}

TEST_CASE("native words are read only where they are asked for") {
  const lifecycle_policy native{.native_words = true};
  CHECK(ask(table("confirm"), "pending", "override").error().rule
        == "status_known");
  CHECK(ask(table("confirm"), "pending", "override", native).has_value());
  CHECK(ask(table("confirm"), "override", "approved", native).error().rule
        == "status_final");
  CHECK_FALSE(ask(table("trace"), "pending", "active"));
  const auto started = ask(table("trace"), "pending", "active", native);
  REQUIRE(started);
  CHECK(started->back().payload.at("new_state") == "running");
  CHECK(ask(table("trace"), "active", "running", native).error().rule
        == "status_changes");
}

TEST_CASE("a status that is an enum has the same moves as its words") {
  const auto same = [](auto status) {
    using enumeration = decltype(status);
    const auto& of = *lifecycle_of<enumeration>;
    for (const auto from : words_of<enumeration>) {
      const auto a = *from_word<enumeration>(from);
      CHECK(is_final(a) == next_statuses(of, from).empty());
      CHECK(stage_word(a) == find_state(of, from)->stage);
      for (const auto to : words_of<enumeration>) {
        INFO(of.name << ": " << from << " to " << to);
        CHECK(may_become(a, *from_word<enumeration>(to))
              == (find_move(of, from, to) != nullptr));
      }
    }
  };
  same(context_status{});
  same(plan_status{});
  same(step_status{});
  same(confirm_status{});
  same(trace_status{});
  same(segment_status{});
  same(dialog_status{});
  same(collab_status{});
}
