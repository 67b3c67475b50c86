#pragma once

#include <boost/json/object.hpp>

#include <optional>
#include <string_view>

namespace convene::server {

/// What GitHub tells by a webhook, as the event that `read_incoming` takes but
/// for its envelope: `{event_type, payload}`. Of `push`, `check_run` and
/// `workflow_run`; nothing for other events, and for those of these that say
/// nothing new (a check that is asked for again, a tag that is deleted). What
/// the event lacks, the payload lacks, too, and is refused by its schema.
[[nodiscard]] std::optional<boost::json::object>
from_github(std::string_view event, const boost::json::object& body);

} // namespace convene::server
