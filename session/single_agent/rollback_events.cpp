#include <convene/session/single_agent/rollback_book.hpp>

#include <algorithm>
#include <utility>

namespace convene::session {
namespace {

namespace json = boost::json;
using namespace convene::protocol;

json::array steps_in(const std::vector<compensation>& all,
                     bool with_completed) {
  json::array made;
  for (const auto& each : all)
    if (with_completed || each.status != compensation_status::completed)
      made.push_back({{"step_id", each.step_id},
                      {"agent_role", each.agent_role},
                      {"description", each.description},
                      {"status", to_word(each.status)}});
  return made;
}

template <class Texts>
json::array texts_in(const Texts& all) {
  json::array made;
  for (const auto& each : all)
    made.emplace_back(each);
  return made;
}

json::object told(const rollback& what, std::string_view type,
                  json::object payload) {
  payload.emplace("compensation_id", what.compensation_id);
  return {{"event_type", type},
          {"event_family", "compensation_plan"},
          {"payload", std::move(payload)}};
}

} // namespace

std::string attempt_folder(std::size_t attempt) {
  const auto digits = std::to_string(attempt);
  constexpr std::size_t width = 4;
  return "rollback/" + std::string(width - std::min(width, digits.size()), '0')
         + digits;
}

json::object rollback_planned(const rollback& what, const run_stages& of,
                              std::size_t from, std::string_view reason) {
  const auto to = of.place_of(what.to).value_or(from);
  json::object payload{{"reason", reason},
                       {"sa_id", of.sa_id()},
                       {"to", what.to},
                       {"steps", steps_in(what.compensations, true)},
                       {"without_compensation",
                        texts_in(without_compensation(of, from, to))},
                       {"may_have_happened", texts_in(of.open())}};
  if (what.attempt != 0)
    payload.emplace("attempt", attempt_folder(what.attempt));
  return told(what, "rollback_planned", std::move(payload));
}

json::object rollback_continued(const rollback& what, std::size_t attempt,
                                const std::vector<std::string>& settled) {
  json::object payload{{"settled", texts_in(settled)}};
  if (attempt != 0)
    payload.emplace("attempt", attempt_folder(attempt));
  return told(what, "rollback_continued", std::move(payload));
}

json::object compensation_ended(const rollback& what,
                                const compensation& which) {
  json::object payload{{"step_id", which.step_id},
                       {"status", to_word(which.status)},
                       {"attempt", attempt_folder(what.attempt)}};
  if (which.status != compensation_status::completed) {
    payload.emplace("error_code", which.failure.code);
    payload.emplace("error_message", which.failure.message);
  }
  return told(what, "compensation_ended", std::move(payload));
}

json::object rollback_failed(const rollback& what) {
  return told(what, "rollback_failed",
              {{"to", what.to},
               {"steps", steps_in(what.compensations, false)}});
}

json::object rollback_executed(const rollback& what, std::size_t files) {
  return told(what, "rollback_executed",
              {{"to", what.to},
               {"steps", steps_in(what.compensations, true)},
               {"files_restored", static_cast<std::int64_t>(files)}});
}

} // namespace convene::session
