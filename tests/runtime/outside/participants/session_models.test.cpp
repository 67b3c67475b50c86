#include <catch2/catch.hpp>
#include <convene/runtime/outside/participants/session_models.hpp>

using namespace convene;
using namespace convene::host;

namespace {

constexpr auto here = "http://here/v1";
constexpr auto there = "http://there/v1";

llm_settings model_at(std::string url, std::string model = "m",
                      std::string key = "K") {
  return {.base_url = std::move(url),
          .model = std::move(model),
          .api_key_env = std::move(key)};
}

/// The first request of one of ann, bob and, besides, a system.
actors::turn_request first_of(std::string who) {
  actors::turn_request asked;
  asked.participant = std::move(who);
  auto about = std::make_shared<session::session_info>();
  about->participants
    = {{.participant_id = "ann"},
       {.participant_id = "bob"},
       {.participant_id = "ci", .kind = protocol::participant_kind::system}};
  about->role_names = {"", "", ""};
  asked.about = std::move(about);
  return asked;
}

const call_failure refused{"connect_failed", 0};
const call_failure wrong_key{"http_status", 401};
const call_failure no_model{"http_status", 404};

} // namespace

TEST_CASE("one participant is enough if all others would fail alike") {
  const auto [other, why, is_over]
    = GENERATE(table<llm_settings, call_failure, bool>({
      {model_at(here, "n", "L"), refused, true},
      {model_at(there), refused, false},
      {model_at(here, "n"), wrong_key, true},
      {model_at(here, "m", "L"), wrong_key, false},
      {model_at(here), no_model, true},
      {model_at(here, "n"), no_model, false},
      {model_at(here), {"host_unknown", 0}, true},
      {model_at(here), {"server_error", 503}, false},
      {model_at(here), {"http_status", 400}, false},
      {model_at(here), {"timed_out", 0}, false},
    }));
  session_models models;
  models.join("ann", model_at(here));
  models.join("bob", other);
  CAPTURE(why.code, why.status);
  CHECK(models.is_hopeless(first_of("ann"), why) == is_over);
  // It is said once.
  if (is_over)
    CHECK_FALSE(models.is_hopeless(first_of("bob"), why));
}

TEST_CASE("with other servers, each participant has to fail in the same way") {
  session_models models;
  models.join("ann", model_at(here));
  models.join("bob", model_at(there));
  CHECK_FALSE(models.is_hopeless(first_of("ann"), refused));
  SECTION("the same") {
    CHECK(models.is_hopeless(first_of("bob"), refused));
  }
  SECTION("another way") {
    CHECK_FALSE(models.is_hopeless(first_of("bob"), wrong_key));
  }
}

TEST_CASE("a session in which anything works is not hopeless") {
  session_models models;
  models.join("ann", model_at(here));
  SECTION("another kind of participant") {
    CHECK_FALSE(models.is_hopeless(first_of("ann"), refused));
  }
  models.join("bob", model_at(here));
  SECTION("a call that was answered") {
    models.note_answer(there);
    CHECK_FALSE(models.is_hopeless(first_of("ann"), refused));
  }
  SECTION("a later request") {
    auto asked = first_of("ann");
    asked.sequence = 1;
    CHECK_FALSE(models.is_hopeless(asked, refused));
  }
  SECTION("a participant has spoken") {
    auto asked = first_of("ann");
    asked.window.add({.participant = 1, .content = "hello"});
    CHECK_FALSE(models.is_hopeless(asked, refused));
  }
  SECTION("a fallback of one of them is elsewhere") {
    auto with_fallback = model_at(here);
    with_fallback.fallback = {model_at(there)};
    models.join("bob", with_fallback);
    CHECK_FALSE(models.is_hopeless(first_of("ann"), refused));
  }
}

TEST_CASE("retries are spent once on a server that nobody answers for") {
  session_models models;
  CHECK(models.attempts_at(here, 2) == 3);
  models.note_failure(here, wrong_key);
  CHECK(models.attempts_at(here, 2) == 3);
  models.note_failure(here, refused);
  CHECK(models.attempts_at(here, 2) == 1);
  CHECK(models.attempts_at(there, 2) == 3);
  models.note_answer(here);
  CHECK(models.attempts_at(here, 2) == 3);
}
