#include <convene/actors/behaviours/factory.hpp>
#include <convene/actors/behaviours/node_place.hpp>
#include <convene/protocol/base/catch_error.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/keys/random_hex.hpp>
#include <convene/server/participants/participant_host.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <vector>

namespace convene::server {
namespace {

namespace json = protocol::json;

constexpr std::size_t id_bytes = 16;
/// How long the end waits for participants that are being made.
constexpr std::chrono::milliseconds making_time{10'000};
constexpr host::pool_limits makers{.threads = 4, .queue = 1'024};

response refused(unsigned status, std::string_view code,
                 std::string_view message) {
  auto made = error_response(error_form::native, status, code, message);
  made.is_of_key = false;
  return made;
}

response refused(const protocol::error& why) {
  const bool is_order = why.rule == "node_message";
  return refused(is_order ? 400 : 409,
                 why.rule.empty() ? "participant_refused" : why.rule,
                 to_string(why));
}

/// Whether its certificate is that of the node.
bool is_from(const request& what, std::string name) {
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return what.certificate_names
         && std::ranges::find(*what.certificate_names, name)
              != what.certificate_names->end();
}

/// Why the node may not have participants here; empty: it may.
std::string why_not(const presented_node& who,
                    const std::vector<host::cluster_node>& all,
                    const std::string& version) {
  if (who.version != version || who.schemas != host::embedded_schemas_hash())
    return "its version is " + protocol::shorten(who.version)
           + ", and this node's is " + version
           + ", or their schemas differ: nodes of one cluster are the same";
  const auto found = std::ranges::find_if(all, [&](const auto& one) {
    return one.is.name == who.name && one.boot_id == who.boot_id;
  });
  if (found == all.end())
    return "the cluster's database does not have this start of it";
  if (found->lease.count() <= 0)
    return "its lease has lapsed";
  return {};
}

} // namespace

participant_host::participant_host(options how, cluster_view& nodes)
  : how_{std::move(how)}, nodes_{nodes} {
  if (!how_.is_open)
    return;
  outside_ = std::make_unique<host::outside>(how_.outside);
  pool_ = std::make_unique<host::blocking_pool>(makers);
}

participant_host::~participant_host() {
  stop();
}

void participant_host::stop() {
  decltype(seats_) gone;
  {
    const std::lock_guard lock{mutex_};
    is_stopped_ = true;
    gone.swap(seats_);
  }
  if (pool_)
    static_cast<void>(pool_->wait_until_idle(making_time));
  pool_.reset();
  for (const auto& [id, one] : gone) {
    const std::lock_guard lock{one->mutex};
    if (one->turn)
      one->turn->abandon();
  }
}

void participant_host::count(participant_counts& to) const {
  const std::lock_guard lock{mutex_};
  to.here = seats_.size();
  to.turns_here = turns_;
}

routes participant_host::endpoints() {
  const auto by
    = [this](void (participant_host::*call)(const request&, const responder&)) {
        return [this, call](const request& from, const responder& to) {
          (this->*call)(from, to);
        };
      };
  const auto one = [&](const char* method, const char* pattern, auto call) {
    return route{.method = method,
                 .pattern = pattern,
                 .scope = {},
                 .call = by(call),
                 .repeatable_by_key = false,
                 .is_of_nodes = true};
  };
  return {
    one("POST", "/v1/participants", &participant_host::spawn),
    one("POST", "/v1/participants/{id}/turns", &participant_host::begin_turn),
    one("POST", "/v1/participants/{id}/notices", &participant_host::notice),
    one("DELETE", "/v1/participants/{id}", &participant_host::leave)};
}

void participant_host::spawn(const request& from, const responder& to) {
  if (!how_.is_open)
    return to(refused(403, "participants_not_hosted",
                      "this node runs no participants for others: start it "
                      "with --host-participants"));
  remove_idle();
  const auto body = protocol::parse_json(from.body);
  auto what = body ? decode_spawn(*body) : protocol::fail(body.error());
  if (!what)
    return to(refused(400, "node_message", to_string(what.error())));
  if (!is_from(from, what->by.name)) {
    spdlog::warn("a participant was refused: its sender presents itself as "
                 "node {}, which its certificate is not",
                 protocol::quote(what->by.name));
    return to(refused(403, "node_unproven",
                      "the certificate is not that of the node that asks; it "
                      "needs the node's name as DNS name (SAN)"));
  }
  check_node(std::make_shared<const spawn_order>(*std::move(what)), to, false);
}

void participant_host::check_node(const shared_order& what, const responder& to,
                                  bool anew) {
  nodes_.list(
    [this, what, to, anew](auto nodes) {
      if (!nodes)
        return to(refused(503, "cluster_unreachable",
                          "the cluster's database does not say which nodes "
                          "are up; try again"));
      const auto why = why_not(what->by, *nodes, how_.version);
      if (why.empty())
        return make(what, to);
      if (!anew) // it may have just begun
        return check_node(what, to, true);
      spdlog::warn("a participant of node {} was refused: {}",
                   protocol::quote(what->by.name), why);
      to(refused(403, "node_unknown",
                 "node \"" + what->by.name + "\" is refused: " + why));
    },
    anew);
}

void participant_host::make(const shared_order& what, const responder& to) {
  {
    const std::lock_guard lock{mutex_};
    if (is_stopped_ || seats_.size() + coming_ >= seats_max)
      return to(refused(503, "participants_max",
                        "this node has as many participants of others as it "
                        "takes; try another one"));
    ++coming_;
  }
  const auto job = pool_->try_submit([this, what, to] {
    auto made = make_seat(*what);
    {
      const std::lock_guard lock{mutex_};
      --coming_;
      if (made && !is_stopped_)
        seats_.emplace((*made)->id, *made);
    }
    if (!made)
      return to(refused(made.error()));
    to(json_response(201, json::object{{"participant", (*made)->id}}));
  });
  if (job != 0)
    return;
  {
    const std::lock_guard lock{mutex_};
    --coming_;
  }
  to(refused(503, "participants_max",
             "too many participants are being made; try again"));
}

protocol::result<participant_host::shared_seat>
participant_host::make_seat(const spawn_order& what) {
  const auto& who = what.who();
  const auto& config = what.settings.behaviours.at(who.participant_id);
  std::string pointer = "/behaviours";
  protocol::append_to_pointer(pointer, who.participant_id);
  auto made = std::make_shared<seat>(what);
  made->id = random_hex(id_bytes);
  if (made->id.empty())
    return protocol::fail(protocol::errc::internal,
                          "the system has no random numbers");
  auto fits = actors::check_node_type(config, pointer).and_then([&] {
    return outside_->check(made->of.settings);
  });
  if (!fits)
    return protocol::fail(std::move(fits).error());
  auto behaviour = actors::behaviour_for(made->of.settings, made->of.who(),
                                         made->of.settings.seed.value_or(0),
                                         outside_.get());
  if (!behaviour)
    return protocol::fail(std::move(behaviour).error());
  made->behaviour = *std::move(behaviour);
  return made;
}

participant_host::shared_seat participant_host::find(const request& from,
                                                     const responder& to) {
  const auto id = from.parameters.find("id");
  shared_seat found;
  {
    const std::lock_guard lock{mutex_};
    const auto at = seats_.find(id->second);
    if (at != seats_.end())
      found = at->second;
  }
  if (found && is_from(from, found->of.by.name))
    return found;
  to(refused(404, "participant_unknown",
             "this node does not have the participant; ask for it again"));
  return nullptr;
}

void participant_host::leave(const request& from, const responder& to) {
  const auto found = find(from, to);
  if (!found)
    return;
  {
    const std::lock_guard lock{mutex_};
    seats_.erase(found->id);
  }
  {
    const std::lock_guard lock{found->mutex};
    if (found->turn)
      found->turn->abandon();
  }
  to({.status = 204, .content_type = {}});
}

void participant_host::remove_idle() {
  std::vector<shared_seat> gone; // goes without the lock
  const std::lock_guard lock{mutex_};
  const auto now = clock::now();
  for (auto at = seats_.begin(); at != seats_.end();) {
    const std::unique_lock use{at->second->mutex, std::try_to_lock};
    const bool is_idle = use && now - at->second->used_at > idle_time
                         && (!at->second->turn || !at->second->turn->live());
    if (is_idle)
      gone.push_back(at->second);
    at = is_idle ? seats_.erase(at) : std::next(at);
  }
}

} // namespace convene::server
