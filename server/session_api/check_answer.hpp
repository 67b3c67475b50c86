#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/documents/reply.hpp>
#include <convene/runtime/outside/participants/people.hpp>

namespace convene::server {

/// Whether the reply is an answer to what was asked, as far as that can be told
/// before it is given: of the kind that is wanted, and naming only who takes
/// part. Errors have pointers into the reply.
[[nodiscard]] protocol::result<void>
check_answer(const actors::turn_request& asked, const protocol::reply& given);

} // namespace convene::server
