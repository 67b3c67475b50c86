#include <convene/protocol/base/constant_list.hpp>
#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/session/options/application_strategy.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace convene::session {
namespace {

using protocol::errc;
using protocol::fail;

auto& strategies() noexcept {
  static protocol::constant_list<application_strategy, own_strategies_max> list;
  return list;
}

bool is_used(const conflict_options& options) {
  return options.strategy == conflict_strategy::application
         || std::ranges::any_of(options.by_resource_type, [](const auto& each) {
              return each.second == conflict_strategy::application;
            });
}

} // namespace

protocol::result<void> add_strategy(const application_strategy& own) {
  if (own.settle == nullptr)
    return fail(errc::not_allowed, "the strategy has no function `settle`",
                "strategy_settles");
  return strategies().add(own, "strategy", "strategies");
}

const application_strategy* find_strategy(std::string_view name) noexcept {
  return strategies().find(name);
}

protocol::result<void> check_strategy(const conflict_options& options) {
  const auto refuse = [&](std::string message) {
    return fail({.code = errc::activation_refused,
                 .message = std::move(message),
                 .pointer = "/session/conflicts/name",
                 .rule = "known_strategy",
                 .value = protocol::shorten(options.name.value_or(""))});
  };
  if (!is_used(options)) {
    if (options.name)
      return refuse("no strategy of the scenario is \"application\": set "
                    "\"strategy\" to it, or remove the name");
    return {};
  }
  if (options.name && find_strategy(*options.name) != nullptr)
    return {};
  std::vector<std::string_view> known;
  std::string listed;
  for (const auto* one : strategies().all()) {
    known.push_back(one->name);
    listed += (listed.empty() ? "" : ", ") + std::string{one->name};
  }
  const auto what = options.name
                      ? "the application has no conflict strategy \""
                          + protocol::shorten(*options.name) + "\""
                          + protocol::suggest(*options.name, known)
                      : std::string{"the strategy \"application\" needs its "
                                    "name"};
  return refuse(what
                + (listed.empty() ? "; none was added: call "
                                    "session::add_strategy, or use a strategy "
                                    "of convene"
                                  : "; use one of " + listed));
}

} // namespace convene::session
