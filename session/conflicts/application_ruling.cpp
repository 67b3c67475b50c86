#include <boost/json/serialize.hpp>
#include <convene/protocol/base/catch_error.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/session/conflicts/application_ruling.hpp>
#include <convene/session/conflicts/deciders.hpp>

#include <string>
#include <utility>

namespace convene::session {
namespace {

constexpr std::size_t reason_bytes_max = 1024;

contested_write shown(const membership& all, const writing& by,
                      const protocol::resource_write& what,
                      const write_conflict& found, const written& made) {
  const auto value_of = [](const resource_version& one) {
    return one && !one->deleted ? &one->value : nullptr;
  };
  const auto stands = found.current->by.participant;
  return {.resource_type = what.resource_type,
          .resource_id = what.resource_id,
          .base = value_of(found.base),
          .current = value_of(found.current),
          .later = made.value ? &*made.value : nullptr,
          .base_version = static_cast<std::uint64_t>(what.base_version),
          .current_version = found.current->version,
          .writer = all[by.who].id,
          .current_writer = stands == author::nobody ? std::string_view{}
                                                     : all[stands].id,
          .rank = rank_of(all, by.who),
          .rank_against = found.authors.empty() ? 0
                                                : rank_of(all, found.authors)};
}

/// What is wrong with a ruling; empty: nothing.
std::string_view why_invalid(const conflict_ruling& ruled) {
  using enum resolution_kind;
  if (ruled.reason.size() > reason_bytes_max)
    return "its reason is longer than 1 KiB";
  if (!protocol::valid_utf8(ruled.reason))
    return "its reason is not UTF-8";
  if (ruled.outcome == join && !ruled.joined)
    return "it joins the values and has no joined value";
  if (ruled.outcome == join
      && !protocol::parse_json(boost::json::serialize(*ruled.joined)))
    return "its joined value is not valid JSON";
  if (ruled.outcome == ask && ruled.asked_by != conflict_strategy::voting
      && ruled.asked_by != conflict_strategy::escalation)
    return "it asks by something other than voting or escalation";
  return ruled.outcome > ask ? "it has an unknown outcome" : "";
}

resolution failed(std::string_view name, const std::string& why) {
  return {.strategy = conflict_strategy::application,
          .reason = std::string{name} + " failed (" + why
                    + "), so the first write stands"};
}

} // namespace

resolution rule_by_application(const membership& all, const writing& by,
                               const protocol::resource_write& what,
                               const write_conflict& found,
                               const written& made) {
  if (!found.traced)
    return {.reason = "the base version is no longer kept"};
  const auto& name = all.scenario().options.conflicts.name;
  const auto* own = name ? find_strategy(*name) : nullptr;
  if (own == nullptr) // activation has found it
    return failed("the strategy", "it is not there");
  conflict_ruling ruled;
  if (auto thrown = actors::catch_error(
        [&] { ruled = own->settle(shown(all, by, what, found, made)); }))
    return failed(own->name, protocol::sanitize_utf8(
                               std::move(*thrown).substr(0, reason_bytes_max)));
  if (const auto wrong = why_invalid(ruled); !wrong.empty())
    return failed(own->name, std::string{wrong});
  if (ruled.outcome == resolution_kind::ask)
    return {.outcome = resolution_kind::ask, .strategy = ruled.asked_by};
  return {.outcome = ruled.outcome,
          .strategy = conflict_strategy::application,
          .reason = std::string{own->name}
                    + (ruled.reason.empty() ? "" : ": " + ruled.reason),
          .joined = std::move(ruled.joined)};
}

} // namespace convene::session
