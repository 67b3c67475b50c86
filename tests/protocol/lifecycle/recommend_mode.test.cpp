#include <catch2/catch.hpp>
#include <convene/protocol/documents/recommend_mode.hpp>

using namespace convene::protocol;

TEST_CASE("with no kind of task, number and needs lead to the mode") {
  for (std::size_t acting = 1; acting <= 6; ++acting)
    for (const bool control : {false, true})
      for (const bool independent : {false, true})
        for (const bool sequential : {false, true}) {
          const auto made = recommend_mode({.acting = acting,
                                            .central_control = control,
                                            .independent_work = independent,
                                            .sequential_turns = sequential});
          REQUIRE(made);
          INFO(acting << control << independent << sequential);
          const auto want = acting == 1   ? mode::round_robin
                            : acting == 2 ? mode::pair
                            : control     ? mode::orchestrated
                            : independent ? mode::swarm
                            : sequential  ? mode::round_robin
                                          : mode::broadcast;
          CHECK(made->mode == want);
          CHECK(made->reason.find(' ') != std::string::npos);
        }
}

TEST_CASE("a kind of task leads to its mode, if that seats the participants") {
  using row = std::tuple<task_kind, std::size_t, mode>;
  for (const auto& [task, acting, want] :
       std::vector<row>{{task_kind::pipeline, 4, mode::orchestrated},
                        {task_kind::pipeline, 2, mode::orchestrated},
                        {task_kind::peer_review, 2, mode::pair},
                        {task_kind::voting, 5, mode::round_robin},
                        {task_kind::voting, 1, mode::round_robin},
                        {task_kind::parallel_work, 2, mode::swarm},
                        {task_kind::announcement, 9, mode::broadcast}}) {
    const auto made = recommend_mode({.acting = acting, .task = task});
    REQUIRE(made);
    CHECK(made->mode == want);
    CHECK(made->reason.find("does not seat") == std::string::npos);
  }
  for (const auto& [task, acting, want] :
       std::vector<row>{{task_kind::peer_review, 3, mode::broadcast},
                        {task_kind::peer_review, 1, mode::round_robin},
                        {task_kind::parallel_work, 1, mode::round_robin},
                        {task_kind::announcement, 1, mode::round_robin},
                        {task_kind::pipeline, 1, mode::round_robin}}) {
    const auto made = recommend_mode({.acting = acting, .task = task});
    REQUIRE(made);
    CHECK(made->mode == want);
    CHECK(made->reason.find("does not seat " + std::to_string(acting))
          != std::string::npos);
    CHECK(made->reason.find(to_word(task)) != std::string::npos);
  }
}

TEST_CASE("a session in which nobody acts has no mode") {
  CHECK(recommend_mode({}).error().rule == "map_min_participants");
  const std::vector<participant> all{
    {.participant_id = "a", .kind = participant_kind::system},
    {.participant_id = "b", .kind = participant_kind::human},
    {.participant_id = "c", .kind = participant_kind::external},
    {.participant_id = "d", .kind = participant_kind::agent}};
  CHECK(count_acting(all) == 3);
  CHECK(count_acting({}) == 0);
}
