#pragma once

#include <convene/protocol/documents/reply.hpp>

#include <string>

namespace convene::session {

/// Makes any reply fit for the log: invalid UTF-8 is replaced by U+FFFD, and a
/// reply that breaks a bound or a rule of the reply codec becomes a failed
/// reply that says so. The log's form of the result decodes to an equal reply.
/// Idempotent.
void normalise(protocol::reply& reply);

/// The same for the text of a reason: truncated if too long.
void normalise_reason(std::string& reason);

} // namespace convene::session
