#include <convene/runtime/recovery/log_ledger.hpp>
#include <convene/session/recorded_input.hpp>

#include <algorithm>
#include <optional>

namespace convene::host {
namespace {

/// The text of the first member `name`, which is written `"name":"`.
std::string_view text_after(std::string_view line,
                            std::string_view name) noexcept {
  const auto found = line.find(name);
  if (found == line.npos)
    return {};
  const auto rest = line.substr(found + name.size());
  const auto end = rest.find('"');
  return end == rest.npos ? std::string_view{} : rest.substr(0, end);
}

} // namespace

line_head head_of(std::string_view line) noexcept {
  line_head head{.session_id = text_after(line, R"("session_id":")"),
                 .timestamp = text_after(line, R"("timestamp":")")};
  // {"event_id":"<36>","event_type":"...
  constexpr std::string_view opening = R"({"event_id":")";
  constexpr std::string_view type = R"(","event_type":")";
  constexpr std::size_t id_size = 36;
  if (line.starts_with(opening) && line.size() > opening.size() + id_size
      && line.substr(opening.size() + id_size).starts_with(type))
    head.event_type = text_after(line, type);
  return head;
}

void log_ledger::feed(std::string_view line) {
  ++events_;
  const auto head = head_of(line);
  if (const auto at = protocol::parse_timestamp(head.timestamp))
    last_at_ = std::max(last_at_, *at);
  const auto [entry, is_new] = ended_.try_emplace(std::string{head.session_id});
  if (is_new)
    sessions_.push_back(entry->first);
  if (head.event_type == "MAPSessionCompleted")
    entry->second = true;
  else if (head.event_type == "MAPSessionStarted")
    if (const auto key
        = session::parse_session_key(text_after(line, R"("session_key":")")))
      keys_.insert(*key);
}

bool log_ledger::has_ended(const std::string& id) const {
  const auto found = ended_.find(id);
  return found != ended_.end() && found->second;
}

} // namespace convene::host
