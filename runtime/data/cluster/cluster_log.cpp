#include <convene/protocol/documents/blob.hpp>
#include <convene/runtime/data/cluster/cluster_error.hpp>
#include <convene/runtime/data/cluster/cluster_log.hpp>
#include <convene/runtime/data/cluster/line_split.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <utility>

namespace convene::host {

using namespace protocol;

/// While the database is waited for.
class cluster_log::waiting {
public:
  waiting(cluster_log& of, wait_state& which) : of_{of}, which_{which} {
    const std::lock_guard held{of_.mutex_};
    which_.since = std::chrono::steady_clock::now();
  }
  waiting(const waiting&) = delete;
  waiting& operator=(const waiting&) = delete;
  ~waiting() {
    const std::lock_guard held{of_.mutex_};
    which_ = {};
  }

private:
  cluster_log& of_;
  wait_state& which_;
};

cluster_log::cluster_log(cluster_database events, cluster_database blobs,
                         std::string boot_id)
  : events_{std::move(events)}, blobs_{std::move(blobs)}, boot_id_{std::move(
                                                            boot_id)} {
  events_.database().interrupt_by(stopping());
  blobs_.interrupt_by(stopping());
}

void cluster_log::tell(wait_state& of, const error& why) {
  const std::lock_guard held{mutex_};
  if (!of.trouble || of.trouble->rule != why.rule
      || of.trouble->value != why.value)
    spdlog::warn("sessions wait for the cluster's database: {}",
                 to_string(why));
  of.trouble = why;
}

/// False: nothing is to be waited for any more.
bool cluster_log::pause() const {
  constexpr std::chrono::milliseconds time{200};
  std::mutex none;
  std::unique_lock lock{none};
  std::condition_variable_any never;
  never.wait_for(lock, stop_.get_token(), time, [] { return false; });
  return !stop_.stop_requested();
}

void cluster_log::found(const std::string& session_id, std::uint64_t events) {
  const std::lock_guard held{mutex_};
  sessions_[session_id].own = events;
}

void cluster_log::join(std::string boot_id) {
  const std::lock_guard held{mutex_};
  boot_id_ = std::move(boot_id);
}

std::optional<std::uint64_t> cluster_log::take_over(const owned_session& it) {
  const std::lock_guard held{mutex_};
  const auto [at, is_new] = sessions_.try_emplace(it.id);
  if (at->second.has_ended)
    return std::nullopt;
  at->second.epoch = it.epoch;
  at->second.shared = static_cast<std::uint64_t>(it.length);
  if (on_kept)
    on_kept(it.id, at->second.shared);
  return is_new ? std::nullopt : std::optional{at->second.own};
}

std::vector<std::string>
cluster_log::lose(const std::vector<owned_session>& which) {
  std::vector<std::string> lost;
  const std::lock_guard held{mutex_};
  for (const auto& each : which)
    if (const auto at = sessions_.find(each.id);
        at != sessions_.end() && each.epoch != 0
        && at->second.epoch == each.epoch) {
      at->second.epoch = 0;
      lost.push_back(each.id);
    }
  counts_.fenced += lost.size();
  return lost;
}

std::vector<owned_session> cluster_log::held() const {
  std::vector<owned_session> all;
  const std::lock_guard held{mutex_};
  for (const auto& [id, of] : sessions_)
    if (of.epoch != 0 && !of.has_ended)
      all.push_back({id, of.epoch, static_cast<std::int64_t>(of.own)});
  return all;
}

std::vector<owned_session> cluster_log::ended() const {
  const std::lock_guard held{mutex_};
  return ended_;
}

void cluster_log::add_ended(const owned_session& it) {
  const std::lock_guard held{mutex_};
  sessions_[it.id].has_ended = true;
  ended_.push_back(it);
}

void cluster_log::forget_ended(const std::vector<owned_session>& which) {
  const std::lock_guard held{mutex_};
  for (const auto& each : which) {
    sessions_.erase(each.id);
    std::erase(ended_, each);
  }
}

cluster_counts cluster_log::counts() const {
  const std::lock_guard held{mutex_};
  auto made = counts_;
  for (const auto& [id, of] : sessions_)
    made.sessions += of.epoch != 0 && !of.has_ended ? 1U : 0U;
  for (const auto& since : {events_wait_.since, blobs_wait_.since})
    if (since)
      made.lag = std::max(made.lag,
                          std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::steady_clock::now() - *since));
  return made;
}

std::optional<error> cluster_log::trouble() const {
  const std::lock_guard held{mutex_};
  return events_wait_.trouble ? events_wait_.trouble : blobs_wait_.trouble;
}

result<std::vector<line_range>> cluster_log::take(std::string_view lines) {
  const auto parts = parts_of(lines);
  const waiting here{*this, events_wait_};
  if (auto claimed = claim_new(parts); !claimed)
    return fail(std::move(claimed).error());
  auto all = additions_of(parts);
  if (auto done = append(all); !done)
    return fail(std::move(done).error());
  if (const auto lost = note(all); !lost.empty() && on_lost)
    on_lost(lost);
  std::vector<line_range> refused;
  for (const auto& each : all)
    if (each.is_refused)
      refused.insert(refused.end(),
                     each.part->ranges.begin()
                       + static_cast<std::ptrdiff_t>(each.passes),
                     each.part->ranges.end());
  return joined(std::move(refused));
}

result<void> cluster_log::claim_new(const std::vector<session_part>& parts) {
  std::vector<std::string_view> unknown;
  {
    const std::lock_guard held{mutex_};
    for (const auto& part : parts)
      if (!sessions_.contains(part.session_id))
        unknown.emplace_back(part.session_id);
  }
  return unknown.empty() ? result<void>{} : claim(std::move(unknown));
}

result<void> cluster_log::claim(std::vector<std::string_view> ids) {
  while (!ids.empty()) {
    const auto owned = try_claim(ids);
    if (!owned && !is_waited_for(owned.error()))
      return fail(owned.error());
    if (!owned) {
      tell(events_wait_, owned.error());
      if (!is_passing(owned.error()))
        events_.database().renew();
    }
    std::unique_lock held{mutex_};
    if (owned)
      for (const auto id : *owned) // what was not claimed is another node's
        sessions_.try_emplace(std::string{id});
    std::erase_if(ids, [this](std::string_view id) {
      return sessions_.contains(std::string{id});
    });
    if (ids.empty())
      break;
    if (owned)
      events_wait_.trouble
        = error{.message = "the lease of this node has lapsed, so it "
                           "cannot begin sessions",
                .rule = std::string{cluster_rule::lapsed}};
    held.unlock();
    const bool goes_on = pause();
    held.lock();
    if (!goes_on)
      return fail(
        events_wait_.trouble.value_or(error{.message = "the node stops"}));
  }
  return {};
}

result<std::vector<std::string_view>>
cluster_log::try_claim(const std::vector<std::string_view>& ids) {
  const auto boot_id = [this] {
    const std::lock_guard held{mutex_};
    return boot_id_;
  }();
  const auto in = events_.database().connection();
  if (!in)
    return fail(in.error());
  const auto mine = claim_sessions(**in, boot_id, ids);
  if (!mine)
    return fail(mine.error());
  {
    const std::lock_guard held{mutex_};
    for (const auto& each : *mine)
      if (each.length == 0)
        sessions_[each.id].epoch = each.epoch;
  }
  if (mine->size() == ids.size())
    return ids;
  const auto owned
    = (*in)->query("SELECT t.number FROM unnest($1::uuid[]) WITH ORDINALITY "
                   "AS t (id, number) JOIN convene_cluster.owners o "
                   "ON o.session_id = t.id",
                   {ids});
  if (!owned)
    return fail(owned.error());
  std::vector<std::string_view> made;
  for (std::size_t i = 0; i < owned->size(); ++i)
    made.push_back(ids[static_cast<std::size_t>(owned->number(i, 0) - 1)]);
  return made;
}

std::vector<cluster_log::addition>
cluster_log::additions_of(const std::vector<session_part>& parts) {
  std::vector<addition> all;
  const std::lock_guard held{mutex_};
  for (const auto& part : parts) {
    const auto& of = sessions_[part.session_id];
    const auto known = of.shared > of.own ? of.shared - of.own : 0;
    all.push_back({.part = &part,
                   .passes = std::min<std::size_t>(part.lines.size(), known),
                   .epoch = of.epoch,
                   .is_refused = of.epoch == 0});
    if (of.epoch == 0)
      all.back().passes = 0;
  }
  return all;
}

result<void> cluster_log::append(std::vector<addition>& all) {
  std::vector<fenced_events> groups;
  std::vector<addition*> sent;
  {
    const std::lock_guard held{mutex_};
    for (auto& each : all) {
      if (each.is_refused || each.passes == each.part->lines.size())
        continue;
      const auto& lines = each.part->lines;
      const auto passes = static_cast<std::ptrdiff_t>(each.passes);
      groups.push_back(
        {.session_id = each.part->session_id,
         .epoch = each.epoch,
         .place = static_cast<std::int64_t>(sessions_[each.part->session_id].own
                                            + each.passes + 1),
         .lines = {lines.begin() + passes, lines.end()}});
      sent.push_back(&each);
    }
  }
  if (groups.empty())
    return {};
  if (auto noted = note_blobs(groups); !noted)
    return noted;
  const auto ends
    = events_.append(groups, std::chrono::steady_clock::time_point::max(),
                     stop_.get_token(),
                     [this](const error& why) { tell(events_wait_, why); });
  if (!ends)
    return fail(ends.error());
  for (std::size_t i = 0; i < sent.size(); ++i)
    sent[i]->is_refused = (*ends)[i] == append_end::fenced;
  return {};
}

/// Before events refer to blobs: they are kept as long as the session is.
result<void> cluster_log::note_blobs(const std::vector<fenced_events>& groups) {
  std::vector<std::string_view> sessions;
  std::vector<std::string> blobs;
  for (const auto& group : groups)
    for (const auto line : group.lines)
      for (auto& each : blobs_of_line(line)) {
        sessions.push_back(group.session_id);
        blobs.push_back(std::move(each.sha256));
      }
  if (blobs.empty())
    return {};
  const std::vector<std::string_view> names{blobs.begin(), blobs.end()};
  for (;;) {
    const auto in = events_.database().connection();
    const auto done
      = in ? (*in)->query("INSERT INTO convene_cluster.blob_uses "
                          "(session_id, sha256) SELECT DISTINCT t.id, t.blob "
                          "FROM unnest($1::uuid[], $2) AS t (id, blob) "
                          "ORDER BY 1, 2 ON CONFLICT DO NOTHING",
                          {sessions, names})
           : result<postgres_rows>{fail(in.error())};
    if (done)
      return {};
    if (!is_waited_for(done.error()))
      return fail(done.error());
    tell(events_wait_, done.error());
    if (!is_passing(done.error()))
      events_.database().renew();
    if (!pause())
      return fail(done.error());
  }
}

std::vector<std::string> cluster_log::note(const std::vector<addition>& all) {
  std::vector<std::string> lost;
  const std::lock_guard held{mutex_};
  for (const auto& each : all) {
    const auto& part = *each.part;
    auto& of = sessions_[part.session_id];
    const auto added = each.is_refused ? each.passes : part.lines.size();
    of.own += added;
    if (on_kept && added > each.passes)
      on_kept(part.session_id, of.own);
    counts_.events += added - each.passes;
    if (!each.is_refused && part.ends) {
      of.has_ended = true;
      ended_.push_back(
        {part.session_id, each.epoch, static_cast<std::int64_t>(of.own)});
    }
    if (!each.is_refused)
      continue;
    // An actor that was let go wrote them before the node took it again.
    if (of.epoch != each.epoch)
      continue;
    of.epoch = 0; // also if its first event is refused: it began in vain
    lost.push_back(part.session_id);
    counts_.fenced += each.epoch != 0 ? 1U : 0U;
  }
  return lost;
}

result<void> cluster_log::take_blob(std::string_view sha256,
                                    std::string_view text) {
  const std::lock_guard held{blobs_mutex_};
  const waiting here{*this, blobs_wait_};
  for (;;) {
    const auto in = blobs_.connection();
    auto done = in ? (*in)
                       ->query("INSERT INTO convene_cluster.blobs AS b "
                               "(sha256, body, taken_at) "
                               "VALUES ($1, $2, clock_timestamp()) "
                               "ON CONFLICT (sha256) DO UPDATE "
                               "SET taken_at = clock_timestamp() "
                               "WHERE b.taken_at IS NOT NULL",
                               {sha256, text})
                       .map([](const auto&) {})
                   : fail(in.error());
    if (done || !is_waited_for(done.error()))
      return done;
    tell(blobs_wait_, done.error());
    if (!is_passing(done.error()))
      blobs_.renew();
    if (!pause())
      return done;
  }
}

} // namespace convene::host
