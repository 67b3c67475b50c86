#pragma once

#include <convene/server/http/response.hpp>
#include <convene/server/runs/run_record.hpp>
#include <convene/server/runs/turn_view.hpp>

#include <cstddef>

namespace convene::server {

/// A list of more bytes is sent as its reader takes it.
inline constexpr std::size_t event_list_body_max = std::size_t{1} << 20;

/// `{"events": [...], "isComplete"}`, of the texts as the reader sees them. Of
/// a long list no copy is made: a slow reader costs what it is being sent.
[[nodiscard]] response event_list(run_record::slice from,
                                  const turn_view& view = {});

} // namespace convene::server
