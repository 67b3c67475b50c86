#pragma once

#include <boost/json/object.hpp>
#include <convene/runtime/outside/models/provider.hpp>

#include <string>
#include <string_view>

namespace convene::host {

/// Which setting of the participant changes what a provider did not accept, as
/// the end of a message; empty: the answer names nothing that a setting
/// changes. `request` and `answer` are the bodies of a call and of its error.
[[nodiscard]] std::string setting_hint(model_provider whose,
                                       std::string_view request, int status,
                                       std::string_view answer);

} // namespace convene::host
