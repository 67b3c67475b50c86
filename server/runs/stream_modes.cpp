#include <convene/server/runs/stream_modes.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace convene::server {
namespace {

bool is_one_of(std::string_view type, const auto& all) {
  return std::ranges::find(all, type) != all.end();
}

/// Switches a mode on; false: there is no such mode.
bool add_mode(stream_modes& to, std::string_view word) {
  const std::pair<std::string_view, bool*> all[]{{"values", &to.values},
                                                 {"updates", &to.updates},
                                                 {"messages", &to.messages},
                                                 {"debug", &to.debug}};
  for (const auto& [name, flag] : all)
    if (name == word)
      return *flag = true;
  return false;
}

bool add_modes(stream_modes& to, std::string_view list) {
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    const auto comma = list.find(',');
    if (!add_mode(to, list.substr(0, comma)))
      return false;
    more = comma != list.npos;
    list.remove_prefix(more ? comma + 1 : list.size());
  }
  return !to.values || count == 1;
}

} // namespace

bool is_update(std::string_view type) {
  static constexpr std::string_view families[]{"run.", "approval.",
                                               "clarification.", "interrupt.",
                                               "conversation."};
  static constexpr auto nodes = std::to_array<std::string_view>(
    {"node.completed", "node.failed", "node.skipped", "node.cancelled",
     "node.suspended", "node.resumed", "artifact.created", "cap.breached"});
  return is_one_of(type, nodes)
         || std::ranges::any_of(families, [type](std::string_view family) {
              return type.starts_with(family);
            });
}

bool flushes(std::string_view type) {
  static constexpr auto all = std::to_array<std::string_view>(
    {"run.completed", "run.failed", "run.cancelled", "node.suspended"});
  return is_one_of(type, all);
}

bool stream_modes::wants(std::string_view type) const {
  return debug || (updates && is_update(type))
         || (values && (is_update(type) || type == "node.started"));
}

std::optional<stream_modes>
read_stream_modes(std::optional<std::string_view> modes,
                  std::optional<std::string_view> buffer_ms,
                  stream_refusal& refused) {
  stream_modes made;
  if (!add_modes(made, modes.value_or("updates"))) {
    refused = {"unsupported_stream_mode",
               "streamMode is values, or a list of updates, messages and "
               "debug with commas between them"};
    return std::nullopt;
  }
  if (!buffer_ms)
    return made;
  long time = -1;
  const auto* const end = buffer_ms->data() + buffer_ms->size();
  const auto read = std::from_chars(buffer_ms->data(), end, time);
  made.buffer = std::chrono::milliseconds{time};
  if (read.ec != std::errc{} || read.ptr != end || time < 0
      || made.buffer > stream_buffer_max) {
    refused = {"validation_error",
               "bufferMs is a whole number of milliseconds from 0 to 5000"};
    return std::nullopt;
  }
  return made;
}

} // namespace convene::server
