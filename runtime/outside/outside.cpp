#include <convene/actors/behaviours/node_place.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/outside/entry.hpp>
#include <convene/runtime/outside/recordings/recorded.hpp>
#include <convene/runtime/outside/shared_outside.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace convene::host {
namespace {

using protocol::result;

/// The type that an entry names; empty: none that can be read.
std::string_view type_of(const protocol::json::value& config) {
  const auto* object = config.if_object();
  const auto* type = object == nullptr ? nullptr : object->if_contains("type");
  const auto* text = type == nullptr ? nullptr : type->if_string();
  return text == nullptr ? std::string_view{}
                         : std::string_view{text->data(), text->size()};
}

/// Whether programs can be confined, if any are to be.
result<void> check_confined(const outside_options& how,
                            const std::vector<need>& needs) {
  if (!how.sandbox || std::ranges::none_of(needs, [](const need& each) {
        return each.what == need::kind::run;
      }))
    return {};
  processes trial;
  return check_sandbox(sandbox_of(how.allow), trial);
}

/// One that runs on another node: what it needs is needed there.
result<void> check_elsewhere(const outside_entry& from,
                             const outside_options& how) {
  if (auto place = actors::read_node_place(from.config, from.pointer); !place)
    return protocol::fail(std::move(place).error());
  if (how.virtual_time)
    return refused(from,
                   "participants on other nodes need real time: leave out "
                   "--seed, or \"node\"",
                   "virtual_time");
  if (!how.other_nodes)
    return refused(from,
                   "\"node\" has the participant run on another node, and this "
                   "is not a node of a cluster that reaches others: use "
                   "convene serve with --cluster, --peer-listen and "
                   "--peer-tls, or leave out \"node\"",
                   "cluster_needed");
  return {};
}

/// What it hears outside is passed on without the keys of this program.
class masked_behaviour final : public actors::behaviour {
public:
  masked_behaviour(std::unique_ptr<actors::behaviour> inner,
                   const shared_outside& by)
    : inner_{std::move(inner)}, by_{by} {
    // nop
  }

  actors::answer respond(const actors::turn_request& asked) override {
    return inner_->respond(asked);
  }
  [[nodiscard]] bool blocks() const noexcept override {
    return inner_->blocks();
  }
  [[nodiscard]] bool answers_later() const noexcept override {
    return inner_->answers_later();
  }
  void begin(actors::turn_request asked) override {
    if (asked.live)
      asked.live->mask(by_.keys());
    inner_->begin(std::move(asked));
  }
  [[nodiscard]] bool acts_outside() const noexcept override {
    return inner_->acts_outside();
  }

private:
  std::unique_ptr<actors::behaviour> inner_;
  const shared_outside& by_;
};

} // namespace

struct outside::state {
  explicit state(outside_options how) : shared(std::move(how)) {}

  shared_outside shared;
};

outside::outside(outside_options how)
  : state_(std::make_unique<state>(std::move(how))) {
  // nop
}

outside::~outside() = default;

result<void> outside::check(const session::spec& what) const {
  const auto& how = state_->shared.options();
  std::vector<need> needs;
  for (const auto& who : what.collab.participants) {
    const auto [key, config] = actors::entry_for(what, who.participant_id);
    const bool is_elsewhere = config != nullptr && actors::names_node(*config);
    const auto* type = config == nullptr ? nullptr
                                         : find_outside_type(type_of(*config));
    if (type == nullptr && !is_elsewhere)
      continue;
    std::string pointer = "/behaviours";
    protocol::append_to_pointer(pointer, key);
    const outside_entry from{*config, pointer, &what.mcp_servers};
    if (is_elsewhere) {
      if (auto may = check_elsewhere(from, how); !may)
        return may;
      continue;
    }
    if (how.virtual_time)
      return refused(from,
                     "participants that reach outside of their session need "
                     "real time: leave out --seed",
                     "virtual_time");
    const auto before = needs.size();
    if (auto added = type->add(from, how, needs); !added)
      return added;
    for (auto i = before; i < needs.size(); ++i)
      needs[i].by = who.participant_id;
  }
  return how.allow.check(needs)
    .and_then([&] { return check_confined(how, needs); })
    .and_then([&] { return check_recorded(what, how.allow); });
}

result<std::unique_ptr<actors::behaviour>>
outside::make(std::string_view type, const protocol::json::value& config,
              const actors::behaviour_setup& whose, std::string_view pointer) {
  if (type == actors::node_member) {
    const auto& nodes = state_->shared.options().other_nodes;
    return nodes ? nodes->make(type, config, whose, pointer)
                 : std::unique_ptr<actors::behaviour>{};
  }
  if (type == recorded_type)
    return make_recorded(config, whose, pointer,
                         state_->shared.options().allow);
  const auto* const found = find_outside_type(type);
  if (found == nullptr)
    return std::unique_ptr<actors::behaviour>{};
  auto made = found->make({config, pointer, whose.mcp_servers}, state_->shared,
                          whose);
  if (!made)
    return made;
  return std::make_unique<masked_behaviour>(*std::move(made), state_->shared);
}

} // namespace convene::host
