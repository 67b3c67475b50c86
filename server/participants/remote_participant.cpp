#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/keys/random_hex.hpp>
#include <convene/server/participants/remote_participant.hpp>
#include <convene/server/participants/remote_turn.hpp>
#include <convene/server/participants/spawn_order.hpp>
#include <convene/server/participants/turn_message.hpp>
#include <spdlog/spdlog.h>

#include <mutex>
#include <optional>
#include <utility>

namespace convene::server {
namespace {

namespace json = protocol::json;

/// How often a place for one turn is looked for.
constexpr std::size_t tries_max = 4;
constexpr std::size_t id_digits_max = 64;

using shared_turn = std::shared_ptr<remote_turn>;

/// Why a node has refused something.
std::string reason_of(const host::http_answer& how) {
  const auto body = protocol::parse_json(how.body);
  if (body && body->is_object()) {
    const auto& error = protocol::object_of(body->get_object(), "error");
    if (const auto message = protocol::text_of(error, "message");
        !message.empty())
      return std::string{message};
  }
  return how.error.message;
}

} // namespace

/// Where a participant is, if it is anywhere. Outlives its participant while
/// calls are under way.
class remote_seat : public std::enable_shared_from_this<remote_seat> {
public:
  remote_seat(std::shared_ptr<other_nodes> by, actors::node_place where,
              session::spec settings)
    : by_{std::move(by)}, where_{std::move(where)}, settings_{
                                                      std::move(settings)} {}

  void begin(actors::turn_request asked) {
    const auto turn = std::make_shared<remote_turn>(by_, std::move(asked));
    std::optional<remote_place> known;
    {
      const std::lock_guard lock{mutex_};
      known = place_;
    }
    if (known)
      begin_at(turn, *known);
    else
      seek(turn);
  }

  void leave() {
    std::optional<remote_place> gone;
    {
      const std::lock_guard lock{mutex_};
      has_left_ = true;
      gone = std::exchange(place_, std::nullopt);
    }
    if (gone)
      dismiss(*gone);
  }

private:
  [[nodiscard]] const std::string& participant() const {
    return settings_.collab.participants.front().participant_id;
  }

  void begin_at(const shared_turn& turn, const remote_place& where) {
    turn->begin_at(
      where,
      [self = shared_from_this(), turn, where](std::string why) {
        self->forget(where);
        turn->last_reason = "node \"" + where.node.name + "\": " + why;
        self->seek(turn);
      },
      [self = shared_from_this(), where] { self->forget(where); });
  }

  /// Has it made on some node, and the turn begun there.
  void seek(const shared_turn& turn) {
    if (turn->asked().live->is_over())
      return;
    if (turn->tries++ >= tries_max)
      return give_up(turn, turn->last_reason);
    by_->pick(where_, settings_.collab.collab_id + '/' + participant(),
              turn->without, [self = shared_from_this(), turn](auto node) {
                if (node)
                  self->spawn(turn, *node);
                else
                  self->give_up(turn, turn->last_reason.empty()
                                        ? node.error().message
                                        : turn->last_reason);
              });
  }

  void give_up(const shared_turn& turn, const std::string& why) {
    spdlog::warn("session {}: participant {} runs on no other node: {}",
                 settings_.collab.collab_id, protocol::quote(participant()),
                 why);
    by_->note_lost();
    turn->fail("node_unavailable",
               "no node for " + to_string(where_) + " takes the turn: " + why);
  }

  void spawn(const shared_turn& turn, const other_nodes::reached_node& node) {
    const auto& own = by_->own();
    const spawn_order what{.by = {.name = own.node,
                                  .boot_id = own.boot_id(),
                                  .version = own.version,
                                  .schemas = host::embedded_schemas_hash()},
                           .key = random_hex(key_digits / 2),
                           .about = *turn->asked().about,
                           .settings = settings_};
    auto body = json::serialize(encode(what));
    if (body.size() > line_bytes_max)
      return give_up(turn, "the participant's settings, with the roster, have "
                             + std::to_string(body.size())
                             + " bytes, and another node takes "
                             + std::to_string(line_bytes_max));
    by_->client().start(
      call_of(node, "POST", "/v1/participants", std::move(body)),
      [self = shared_from_this(), turn, node,
       key = what.key](const host::http_answer& how) {
        self->spawned(turn, {.node = node, .participant = {}, .key = key}, how);
      });
  }

  void spawned(const shared_turn& turn, remote_place where,
               const host::http_answer& how) {
    const auto body = protocol::parse_json(how.body);
    if (how.is_ok() && body && body->is_object())
      where.participant = protocol::text_of(body->get_object(), "participant");
    const bool is_id
      = !where.participant.empty() && where.participant.size() <= id_digits_max
        && where.participant.find_first_not_of("0123456789abcdef")
             == std::string::npos;
    if (!is_id) {
      turn->without.insert(where.node.name);
      turn->last_reason = "node \"" + where.node.name + "\": "
                          + (how.is_ok() ? "it has not answered as a node does"
                                         : reason_of(how));
      return seek(turn);
    }
    bool has_left = false;
    {
      const std::lock_guard lock{mutex_};
      has_left = has_left_;
      if (!has_left)
        place_ = where;
    }
    if (has_left)
      return dismiss(where);
    by_->note_place(settings_.collab.collab_id, participant(), where.node.name);
    begin_at(turn, where);
  }

  void forget(const remote_place& where) {
    const std::lock_guard lock{mutex_};
    if (!place_ || place_->participant != where.participant)
      return;
    place_.reset();
    by_->note_place(settings_.collab.collab_id, participant(), {});
  }

  void dismiss(const remote_place& where) {
    by_->note_place(settings_.collab.collab_id, participant(), {});
    by_->client().start(call_of(where.node, "DELETE",
                                "/v1/participants/" + where.participant, {}),
                        [](const host::http_answer&) {});
  }

  const std::shared_ptr<other_nodes> by_;
  const actors::node_place where_;
  const session::spec settings_;
  std::mutex mutex_; ///< guards what follows
  std::optional<remote_place> place_;
  bool has_left_ = false;
};

remote_participant::remote_participant(std::shared_ptr<other_nodes> by,
                                       actors::node_place where,
                                       session::spec settings)
  : seat_{std::make_shared<remote_seat>(std::move(by), std::move(where),
                                        std::move(settings))} {}

remote_participant::~remote_participant() {
  seat_->leave();
}

void remote_participant::begin(actors::turn_request asked) {
  seat_->begin(std::move(asked));
}

} // namespace convene::server
