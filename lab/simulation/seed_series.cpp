#include <boost/json/array.hpp>
#include <convene/lab/simulation/seed_series.hpp>
#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/documents/reply.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/files/files.hpp>

namespace convene::host {

using namespace protocol;

namespace {

constexpr std::string_view turn = "turn";
constexpr std::string_view broadcast = "broadcast";

void add_field(std::string& row, std::string_view text) {
  row.append(",").append(csv_field(text));
}

void add_field(std::string& row, std::int64_t number) {
  row.append(",").append(std::to_string(number));
}

} // namespace

std::string csv_field(std::string_view text) {
  std::string made;
  if (!text.empty() && std::string_view{"=+-@"}.find(text.front()) != text.npos)
    made += '\'';
  bool quoted = false;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      made += "\\x";
      made += protocol::hex_of(byte, 2);
      continue;
    }
    quoted = quoted || c == '"' || c == ',';
    made += c;
    if (c == '"')
      made += c;
  }
  return quoted ? '"' + made + '"' : made;
}

void seed_series::feed(const json::object& event) {
  const auto type = text_of(event, "event_type");
  const auto& payload = object_of(event, "payload");
  const auto at
    = protocol::parse_timestamp(text_of(event, "timestamp")).value_or(0);
  if (type == "MAPSessionStarted") {
    started_at_ = at;
  } else if (type == "MAPTurnDispatched") {
    open_[{std::string{text_of(payload, "token_id")},
           std::string{text_of(payload, "participant_id")}}]
      = {turn, integer_of(payload, "turn_number").value_or(0), at};
  } else if (type == "MAPBroadcastSent") {
    const std::string token{text_of(payload, "broadcast_id")};
    const auto round
      = integer_of(object_of(payload, "message"), "round").value_or(0);
    const auto* to = payload.if_contains("target_participants");
    if (to != nullptr && to->is_array())
      for (const auto& one : to->get_array())
        if (const auto* id = one.if_string())
          open_[{token, std::string{*id}}] = {broadcast, round, at};
  } else if (type == "MAPTurnCompleted") {
    close(payload, text_of(payload, "token_id"),
          text_of(payload, "participant_id"), at);
  } else if (type == "MAPBroadcastReceived") {
    close(payload, text_of(payload, "broadcast_ref"),
          text_of(payload, "receiver_participant"), at);
  } else if (type == "resource_written") {
    note(payload, text_of(payload, "token_id"), &open_request::writes);
  } else if (type == "MAPConflictDetected") {
    const auto& details = object_of(payload, "details");
    note(details, text_of(details, "presented_token"),
         &open_request::conflicts);
  }
}

void seed_series::note(const json::object& payload, std::string_view token,
                       std::int64_t open_request::*what) {
  const auto found = open_.find(
    {std::string{token}, std::string{text_of(payload, "participant_id")}});
  if (found != open_.end())
    ++(found->second.*what);
}

void seed_series::close(const json::object& payload, std::string_view token,
                        std::string_view who, protocol::timestamp_ms at) {
  const auto found = open_.extract({std::string{token}, std::string{who}});
  if (!found)
    return;
  const auto& asked = found.mapped();
  const auto free = free_since_.find(who);
  const auto since = free == free_since_.end() ? started_at_ : free->second;
  free_since_.insert_or_assign(std::string{who}, at);
  const auto& usage = object_of(object_of(payload, "reply"), "usage");
  const auto used = [&usage](std::string_view name) {
    return integer_of(usage, name).value_or(0);
  };
  auto& row = rows_.text;
  row += std::to_string(seed_);
  add_field(row, asked.kind);
  add_field(row, asked.number);
  add_field(row, who);
  add_field(row, text_of(payload, "status"));
  add_field(row, asked.asked_at - started_at_);
  add_field(row, asked.asked_at - since);
  add_field(row, at - asked.asked_at);
  add_field(row, asked.writes);
  add_field(row, asked.conflicts);
  add_field(row,
            total_tokens({.prompt_tokens = used("prompt_tokens"),
                          .completion_tokens = used("completion_tokens")}));
  add_field(row, used("cost_microusd"));
  row += '\n';
  ++rows_.count;
}

result<void> series_file::open(const std::filesystem::path& file) {
  path_ = file;
  out_.open(file, std::ios::binary | std::ios::trunc);
  out_ << series_columns << '\n';
  if (!out_)
    return fail(
      file_error(errc::io_failed, file, "cannot be written", "series"));
  return {};
}

void series_file::add(std::size_t position, series_rows rows) {
  const std::lock_guard held{mutex_};
  // Nothing is kept that those before it leave no room for.
  auto before = written_;
  for (const auto& [earlier, waiting] : waiting_)
    before += earlier < position ? waiting.count : 0;
  if (left_out_ > 0 || before >= series_rows_max)
    rows.text = {};
  waiting_.emplace(position, std::move(rows));
  for (auto first = waiting_.begin();
       first != waiting_.end() && first->first == next_;
       first = waiting_.erase(first), ++next_)
    write(first->second);
}

/// A seed's rows are written together or not at all.
void series_file::write(const series_rows& rows) {
  if (left_out_ > 0 || written_ + rows.count > series_rows_max) {
    left_out_ += rows.count;
    return;
  }
  out_ << rows.text;
  written_ += rows.count;
}

result<void> series_file::finish() {
  const std::lock_guard held{mutex_};
  for (const auto& [position, rows] : waiting_)
    write(rows);
  waiting_.clear();
  out_.close();
  if (!out_)
    return fail(
      file_error(errc::io_failed, path_, "cannot be written", "series"));
  return {};
}

} // namespace convene::host
