#pragma once

#include <convene/protocol/documents/reply.hpp>

#include <string>

namespace convene::session {

/// Makes a reply fit for the log, whatever it came as: text that is not UTF-8
/// gets U+FFFD in its place, and one that breaks a bound or a rule of the reply
/// codec becomes a failed reply that says so. The log's form of the result
/// decodes to an equal reply. Idempotent.
void normalise(protocol::reply& reply);

/// The same for a text that only says why: cut where it is too long.
void normalise_reason(std::string& reason);

} // namespace convene::session
