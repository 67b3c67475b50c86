#pragma once

/// All that an application needs to run sessions, in namespace convene; no CAF
/// header comes with it.

#include <convene/runtime/request_queue.hpp>
#include <convene/runtime/runtime.hpp>

namespace convene {

using host::event_filter;
using host::permissions;
using protocol::claim;
using protocol::errc;
using protocol::reply_error;
using protocol::reply_status;
using protocol::resource_ref;
using protocol::resource_write;
using protocol::timestamp_ms;
using protocol::usage;
using scenario = session::spec; ///< a resolved one
namespace json = protocol::json;

} // namespace convene
