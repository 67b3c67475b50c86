#pragma once

#include <convene/protocol/events/member_kind.hpp>
#include <convene/protocol/events/member_name.hpp>
#include <convene/protocol/events/workspace_event.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace convene::session {

/// `details` of a MAPConflictDetected: what was presented, and by whom. Empty
/// and null members are omitted.
struct conflict_details {
  std::string_view input; ///< the event records this input
  std::string_view participant_id;
  std::uint32_t turn_number = 0;
  protocol::uuid presented_token;
  const protocol::claim* claim = nullptr;
  const protocol::resource_write* write = nullptr;
  std::uint64_t current_version = 0;       ///< of what is claimed or written
  std::vector<protocol::actor_name> asked; ///< who decides
  const protocol::reply* reply = nullptr;
};

void describe(auto& v, const conflict_details& x) {
  using protocol::operator""_m;
  v.optional("input"_m, x.input);
  v.text("participant_id"_m, x.participant_id);
  v.number_if(x.turn_number != 0, "turn_number"_m, x.turn_number);
  v.id("presented_token"_m, x.presented_token);
  if (x.claim != nullptr) {
    v.object("claim"_m, [&](auto& o) {
      o.text("resource_type"_m, x.claim->resource_type);
      o.text("resource_id"_m, x.claim->resource_id);
      o.flag("release"_m, x.claim->release);
      o.optional("to"_m, x.claim->to);
    });
  } else if (x.write != nullptr && !x.input.empty()) {
    v.object("write"_m, [&](auto& o) {
      o.text("resource_type"_m, x.write->resource_type);
      o.text("resource_id"_m, x.write->resource_id);
      o.number("base_version"_m, x.write->base_version);
      if (x.write->op != protocol::write_op::put)
        o.text("op"_m, protocol::to_word(x.write->op));
      o.value("value"_m, x.write->value.is_null() ? nullptr : &x.write->value);
    });
  } else if (x.write != nullptr) {
    v.text("op"_m, protocol::to_word(x.write->op));
    v.number("base_version"_m, x.write->base_version);
  }
  v.number_if(x.reply == nullptr, "current_version"_m,
              static_cast<std::int64_t>(x.current_version));
  v.items_if_any("asked"_m, std::span{x.asked},
                 &protocol::actor_name::participant_id);
  v.reply("reply"_m, x.reply);
}

} // namespace convene::session
