#include <convene/runtime/outside/participants/session_models.hpp>

#include <algorithm>
#include <array>
#include <functional>

namespace convene::host {
namespace {

bool is_out_of_reach(const call_failure& what) {
  return what.code == "connect_failed" || what.code == "host_unknown";
}

/// Whether the same call will fail again until somebody changes something.
bool is_lasting(const call_failure& what) {
  constexpr std::array refusals{401, 403, 404};
  return is_out_of_reach(what) || what.code == "tls_failed"
         || (what.code == "http_status"
             && std::ranges::find(refusals, what.status) != refusals.end());
}

} // namespace

void session_models::join(const std::string& participant,
                          const llm_settings& settings) {
  member made;
  const auto add = [&made](const llm_settings& each) {
    made.servers.push_back({each.base_url, each.model, each.api_key_env});
  };
  add(settings);
  std::ranges::for_each(settings.fallback, add);
  const std::lock_guard held{mutex_};
  members_.insert_or_assign(participant, std::move(made));
}

std::int64_t session_models::attempts_at(std::string_view base_url,
                                         std::int64_t retries) const {
  const std::lock_guard held{mutex_};
  return down_.contains(base_url) ? 1 : retries + 1;
}

void session_models::note_answer(std::string_view base_url) {
  const std::lock_guard held{mutex_};
  is_answered_ = true;
  if (const auto found = down_.find(base_url); found != down_.end())
    down_.erase(found);
}

void session_models::note_failure(std::string_view base_url,
                                  const call_failure& why) {
  const std::lock_guard held{mutex_};
  if (is_out_of_reach(why))
    down_.emplace(base_url);
}

bool session_models::shares_fate(const member& one, const member& other,
                                 const call_failure& why) {
  if (other.failed)
    return *other.failed == why;
  return std::ranges::equal(
    one.servers, other.servers, [&](const server& a, const server& b) {
      if (a.base_url != b.base_url)
        return false;
      // A refusal is of the key, or of the model.
      return why.status == 0
             || (a.key == b.key && (why.status != 404 || a.model == b.model));
    });
}

bool session_models::is_hopeless(const actors::turn_request& asked,
                                 const call_failure& why) {
  const auto dialog = asked.dialog();
  const bool has_spoken = std::ranges::any_of(dialog, [](const auto& each) {
    return !each.participant.empty();
  });
  if (asked.sequence > 0 || has_spoken || !asked.about || !is_lasting(why))
    return false;
  const std::lock_guard held{mutex_};
  const auto own = members_.find(asked.participant);
  if (is_answered_ || is_told_ || own == members_.end())
    return false;
  own->second.failed = why;
  for (const auto& each : asked.about->participants) {
    if (each.kind == protocol::participant_kind::system)
      continue;
    const auto found = members_.find(each.participant_id);
    if (found == members_.end()
        || !shares_fate(own->second, found->second, why))
      return false;
  }
  is_told_ = true;
  return true;
}

} // namespace convene::host
