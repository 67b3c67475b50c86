#include <catch2/catch.hpp>
#include <convene/actors/behaviours/turn_request.hpp>

#include <memory>
#include <utility>
#include <vector>

using namespace convene;
using namespace convene::actors;
using protocol::participant_kind;

namespace {

const session::session_info roster{
  .session_id = "0b6c5a0e-6f3c-4c43-8d35-4a1f0ac1a001",
  .title = "Review",
  .purpose = "Find faults",
  .mode = protocol::mode::orchestrated,
  .participants
  = {{.participant_id = "lead", .role_id = "role-lead"},
     {.participant_id = "coder", .role_id = "role-coder"},
     {.participant_id = "clock", .kind = participant_kind::system}},
  .role_names = {"Lead", "Coder", ""}};

const auto about = std::make_shared<const session::session_info>(roster);

turn_request make(session::participant_index self,
                  const session::request& asked) {
  turn_request made;
  assemble(made, about, self, asked);
  return made;
}

session::request a_turn() {
  session::request made{.token = {1, 2},
                        .turn_number = 7,
                        .sequence = 4,
                        .kind_sequence = 3,
                        .round = 2,
                        .attempt = 1,
                        .expires_at = 12'000,
                        .task = "fix it",
                        .duty = "driver",
                        .step_id = "step-1",
                        .responses = std::vector<session::response>{
                          {0, "completed", "fine"}}};
  made.terms = session::turn_terms{.limited = true,
                                   .resources = {{"file", "a"}},
                                   .handoff_id = {3, 4},
                                   .handed_by = 0,
                                   .depth = 1,
                                   .instructions = "go on",
                                   .reason = "busy"};
  made.dialog.add({.participant = 0, .at = 5, .content = "hello"});
  made.dialog.add({.at = 6, .content = "the session says"});
  return made;
}

session::request a_decision() {
  session::request made{.kind = session::request_kind::decision};
  made.decide = session::decision_view{
    .ready = {{.step_id = "s", .assigned = 1, .attempts = 2}, {.step_id = "t"}},
    .steps_total = 5,
    .steps_open = 4,
    .steps_failed = 1,
    .outstanding = 3,
    .last_participant = 1,
    .last_status = "failed",
    .last_step_id = "s",
    .last_content = "no",
    .also_closed = {{1, "completed", "r", "yes"}},
    .refused = "not so",
    .responses = {{1, "declined", ""}}};
  return made;
}

} // namespace

TEST_CASE("a turn request names people by their ids") {
  const auto made = make(1, a_turn());
  const turn_request expected{.session_id = about->session_id,
                              .title = "Review",
                              .purpose = "Find faults",
                              .mode = protocol::mode::orchestrated,
                              .participant = "coder",
                              .role = "role-coder",
                              .role_name = "Coder",
                              .task = "fix it",
                              .duty = "driver",
                              .step_id = "step-1",
                              .turn = 7,
                              .round = 2,
                              .attempt = 1,
                              .sequence = 4,
                              .kind_sequence = 3,
                              .token = "00000000-0000-0001-0000-000000000002",
                              .deadline = 12'000,
                              .handoff = {"00000000-0000-0003-0000-"
                                          "000000000004",
                                          "lead", "go on", "busy"},
                              .limited = true,
                              .resources = {{"file", "a"}},
                              .window = a_turn().dialog,
                              .earlier = a_turn().responses,
                              .about = about};
  CHECK(made == expected);
}

TEST_CASE("a turn request shows the talk and the answers by ids") {
  const auto made = make(1, a_turn());
  CHECK(made.dialog()
        == std::vector<dialog_entry>{{"lead", "hello", 5},
                                     {"", "the session says", 6}});
  CHECK(made.responses()
        == std::vector<answer_of_other>{{"lead", "completed", "fine"}});
}

TEST_CASE("a turn request made by hand has nothing to show") {
  CHECK(turn_request{}.dialog().empty());
  CHECK(turn_request{}.responses().empty());
}

TEST_CASE("a decision request shows everybody else, and ids for positions") {
  const auto made = make(0, a_decision());
  const decision_request expected{
    .participants = {{"coder", "role-coder", participant_kind::agent},
                     {"clock", "", participant_kind::system}},
    .ready = {{.step_id = "s", .assigned = "coder", .attempts = 2},
              {.step_id = "t"}},
    .steps_total = 5,
    .steps_open = 4,
    .steps_failed = 1,
    .outstanding = 3,
    .last_participant = "coder",
    .last_status = "failed",
    .last_step_id = "s",
    .last_content = "no",
    .also_closed = {{"coder", "completed", "r", "yes"}},
    .refused = "not so",
    .responses = {{"coder", "declined", ""}}};
  CHECK(made.decide == expected);
}

TEST_CASE("what is assembled in a used object equals what is made anew") {
  const auto turn = a_turn();
  const auto decision = a_decision();
  turn_request used;
  for (const auto* next : {&turn, &decision, &turn, &turn, &decision})
    for (const session::participant_index self : {0U, 2U, 1U, 9U}) {
      assemble(used, about, self, *next);
      CHECK(used == make(self, *next));
    }
}

TEST_CASE("a position outside the roster becomes an empty id") {
  auto odd = a_decision();
  auto view = *odd.decide;
  view.last_participant = 3;
  odd.decide = std::move(view);
  const auto made = make(9, odd);
  CHECK(made.participant.empty());
  CHECK(made.role.empty());
  CHECK(made.decide.last_participant.empty());
  CHECK(made.decide.participants.size() == 3);
}
