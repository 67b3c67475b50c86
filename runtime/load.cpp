// Scenarios for a runtime's sessions.

#include <convene/runtime/data/scenario/scenario.hpp>
#include <convene/runtime/engine.hpp>

#include <utility>

namespace convene {

std::string_view version() noexcept {
  return CONVENE_VERSION;
}

template <class Scenario>
result<session::spec> runtime::implementation::load(const Scenario& scenario) {
  std::uint64_t number = 0;
  {
    const std::lock_guard held{mutex};
    number = loaded++;
  }
  auto own = protocol::uuid_source::from_entropy();
  host::load_options how{.ids = own,
                         .now = options.seed ? options.virtual_start
                                             : time().now(),
                         .seed = options.seed,
                         .allow = &options.allow};
  if (number != 0)
    how.besides = {{"place", number}};
  return host::load_scenario(scenario, how);
}

result<session::spec> runtime::load(const std::filesystem::path& scenario) {
  return implementation_->load(scenario);
}

result<session::spec> runtime::load(protocol::json::object scenario) {
  return implementation_->load(scenario);
}

session_handle runtime::start(result<session::spec> scenario,
                              start_options how) {
  if (scenario)
    return start(*std::move(scenario), std::move(how));
  auto state = std::make_shared<session_handle::shared>();
  state->refuse(std::move(scenario).error());
  return session_handle{std::move(state)};
}

} // namespace convene
