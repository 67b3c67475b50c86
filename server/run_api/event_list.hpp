#pragma once

#include <convene/server/http/response.hpp>
#include <convene/server/runs/run_record.hpp>

#include <cstddef>

namespace convene::server {

/// A list of more bytes is sent as its reader takes it.
inline constexpr std::size_t event_list_body_max = std::size_t{1} << 20;

/// `{"events": [...], "isComplete"}`, of the texts as they are. Of a long list
/// no copy is made: a slow reader costs what it is being sent.
[[nodiscard]] response event_list(run_record::slice from);

} // namespace convene::server
