#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>

namespace convene::host {

/// Puts what the Extensions of a scenario have in their `config` where it is
/// used: a behaviour of the type `extension` becomes that of the Extension that
/// it names by id or name, with its own limits and instructions in place of
/// those of the config; one with a `command` or a `url` and no `type` is an MCP
/// server under its name. Only what is active, or registered and so active once
/// the session starts, can be used. Rules: `extension_unknown`,
/// `extension_active`, `extension_config`, `extension_override`,
/// `extension_server`.
[[nodiscard]] protocol::result<void>
use_extensions(boost::json::object& scenario);

} // namespace convene::host
