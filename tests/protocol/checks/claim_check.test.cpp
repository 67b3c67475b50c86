#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/checks/claim_check.hpp>

using namespace convene::protocol;

namespace {

using texts = std::vector<std::string>;

struct line {
  std::string type;
  std::string payload;
};

/// The rules that a session of these events breaks, in order.
template <class Check>
texts broken(const std::vector<line>& lines) {
  texts rules;
  Check check;
  for (const auto& [type, payload] : lines)
    check.feed(type, indexed_members{json::parse(payload).as_object()},
               [&](std::string_view rule, const std::string&) {
                 rules.emplace_back(rule);
               });
  return rules;
}

line about_file(std::string type, const std::string& who,
                const std::string& rest = "") {
  return {std::move(type),
          R"({"resource_type":"file","resource_id":"a","participant_id":")"
            + who + '"' + rest + "}"};
}

} // namespace

TEST_CASE("a claim goes from hand to hand as its holders say") {
  const auto to_bob = R"(,"to_participant":"bob")";
  CHECK(broken<claim_check>({about_file("claim_taken", "ann"),
                             about_file("resource_written", "ann"),
                             about_file("claim_taken", "ann"),
                             about_file("claim_handed_over", "ann", to_bob),
                             about_file("resource_written", "bob"),
                             about_file("claim_released", "bob"),
                             about_file("resource_written", "ann"),
                             about_file("claim_taken", "ann")})
        == texts{});
}

TEST_CASE("nobody takes, gives back or hands over another's claim") {
  for (const auto* type :
       {"claim_taken", "claim_released", "claim_handed_over"})
    CHECK(broken<claim_check>(
            {about_file("claim_taken", "ann"), about_file(type, "bob")})
          == texts{"claims_exclusive"});
  CHECK(broken<claim_check>({about_file("claim_released", "ann")})
        == texts{"claims_exclusive"});
  CHECK(broken<claim_check>({about_file("claim_taken", "ann"),
                             about_file("claim_released", "ann"),
                             about_file("claim_handed_over", "ann")})
        == texts{"claims_exclusive"});
}

TEST_CASE("nobody writes what another has claimed") {
  CHECK(broken<claim_check>({about_file("claim_taken", "ann"),
                             about_file("resource_written", "bob")})
        == texts{"write_keeps_claims"});
}

namespace {

line detected_of(const std::string& who) {
  return {"MAPConflictDetected",
          R"({"conflict_id":"c","resource_type":"file","resource_id":"a",)"
          R"("conflict_type":"concurrent_modification","details":)"
          R"({"participant_id":")"
            + who + R"(","presented_token":"t"}})"};
}

line won_by(const std::string& who) {
  return {"MAPConflictResolved",
          R"({"conflict_id":"c","resolution_strategy":"voting",)"
          R"("winning_participant":")"
            + who + R"(","overridden_versions":[1]})"};
}

line decided_write(const std::string& who, const std::string& token = "t",
                   const std::string& conflict = "c") {
  return about_file("resource_written", who,
                    R"(,"conflict_id":")" + conflict + R"(","token_id":")"
                      + token + '"');
}

} // namespace

TEST_CASE("a write that wins a vote stands though somebody claimed meanwhile") {
  CHECK(
    broken<claim_check>({detected_of("bob"), about_file("claim_taken", "ann"),
                         won_by("bob"), decided_write("bob")})
    == texts{});
  CHECK(broken<claim_check>(
          {about_file("claim_taken", "bob"),
           detected_of("bob"),
           about_file("claim_released", "bob"),
           about_file("claim_taken", "ann"),
           {"MAPConflictResolved",
            R"({"conflict_id":"c","resolution_strategy":"merge"})"},
           decided_write("bob")})
        == texts{});
}

TEST_CASE("no other write of a conflict lands on what somebody has claimed") {
  const auto claimed = about_file("claim_taken", "ann");
  const texts noticed{"write_keeps_claims"};
  // The claim was there first.
  CHECK(broken<claim_check>(
          {claimed, detected_of("bob"), won_by("bob"), decided_write("bob")})
        == noticed);
  // Nothing is decided, or otherwise.
  CHECK(broken<claim_check>({detected_of("bob"), claimed, decided_write("bob")})
        == noticed);
  CHECK(broken<claim_check>(
          {detected_of("bob"), claimed, won_by("cleo"), decided_write("bob")})
        == noticed);
  // It is another write than the one in conflict.
  CHECK(broken<claim_check>(
          {detected_of("bob"), claimed, won_by("bob"), decided_write("cleo")})
        == noticed);
  CHECK(broken<claim_check>({detected_of("bob"), claimed, won_by("bob"),
                             decided_write("bob", "other")})
        == noticed);
  CHECK(broken<claim_check>({detected_of("bob"), claimed, won_by("bob"),
                             decided_write("bob", "t", "other")})
        == noticed);
  // It has landed before.
  CHECK(broken<claim_check>({detected_of("bob"), claimed, won_by("bob"),
                             decided_write("bob"), decided_write("bob")})
        == noticed);
}
