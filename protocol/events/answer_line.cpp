#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/events/answer_line.hpp>
#include <convene/protocol/events/member_steps.hpp>
#include <convene/protocol/json/json_build.hpp>

#include <algorithm>
#include <utility>

namespace convene::protocol {
namespace {

namespace dom = simdjson::dom;

/// Longer ones are read as any document is: a parser keeps its buffers.
constexpr std::size_t line_bytes_max = std::size_t{64} << 10;

/// The text of a member, or nothing.
std::string_view text_in(const dom::object& from, std::string_view name) {
  std::string_view text;
  return from.at_key(name).get(text) ? std::string_view{} : text;
}

/// Most replies say something and no more.
std::optional<reply> read_reply(const dom::element& from) {
  dom::object members;
  if (from.get(members))
    return std::nullopt;
  std::string_view content;
  if (members.size() == 1 && !members.at_key("content").get(content)) {
    reply made;
    made.content = content;
    return made;
  }
  json::value value;
  const json_limits limits;
  if (!json_builder{limits}.build(from, value))
    return std::nullopt;
  auto decoded = decode_reply(value, "/payload/reply");
  return decoded ? std::optional{*std::move(decoded)} : std::nullopt;
}

/// Where an event of a type keeps whose answer to what it is.
struct answer_members {
  std::string_view participant;
  std::string_view token;
};

std::optional<answer_members> members_of(std::string_view event_type) {
  if (event_type == "MAPTurnCompleted")
    return answer_members{"participant_id", "token_id"};
  if (event_type == "MAPBroadcastReceived")
    return answer_members{"receiver_participant", "broadcast_ref"};
  return std::nullopt;
}

/// Whether a JSON string of these bytes says just them.
bool is_plain(std::string_view text) noexcept {
  return std::ranges::all_of(text, [](char c) {
    return c >= ' ' && c <= '~' && c != '"' && c != '\\';
  });
}

/// The same of a line that is, to the letter, what a session machine writes
/// for a turn whose reply says something plain: most lines are.
std::optional<logged_answer> read_plain_turn(std::string_view line) {
  constexpr std::size_t id_size = 36;
  constexpr std::size_t timestamp_size = 24;
  constexpr std::string_view reply_begins = R"(,"reply":{"content":")";
  constexpr std::string_view reply_ends = R"("}}})";
  member_steps members{line};
  if (!members.text(R"({"event_id":")", id_size)
      || !members.skip(R"(,"event_type":"MAPTurnCompleted")")
      || !members.text(R"(,"event_family":")")
      || !members.text(R"(,"session_id":")", id_size))
    return std::nullopt;
  const auto time = members.text(R"(,"timestamp":")", timestamp_size);
  static_cast<void>(members.text(R"(,"initiator_role":")"));
  const auto who = members.text(R"(,"payload":{"participant_id":")");
  static_cast<void>(members.text(R"(,"role_id":")"));
  if (!time || !who || !members.number(R"(,"turn_number":)"))
    return std::nullopt;
  const auto token_text = members.text(R"(,"token_id":")", id_size);
  auto rest = members.rest();
  if (!token_text || !rest.ends_with(reply_ends))
    return std::nullopt;
  rest.remove_suffix(reply_ends.size());
  const auto before = rest.rfind('"') + 1; // 0: no quote
  const auto content = rest.substr(before);
  const auto at = parse_timestamp(*time);
  const auto token = parse_uuid(*token_text);
  if (!rest.substr(0, before).ends_with(reply_begins) || !is_plain(content)
      || !is_plain(*who) || !at || !token)
    return std::nullopt;
  logged_answer made{*at, std::string{*who}, *token, {}};
  made.what.content = content;
  return made;
}

} // namespace

std::optional<logged_answer> read_answer(std::string_view line) {
  if (auto plain = read_plain_turn(line))
    return plain;
  if (line.size() > line_bytes_max)
    return std::nullopt;
  static thread_local dom::parser parser;
  dom::object event;
  dom::object payload;
  dom::element reply_member;
  if (parser.parse(line.data(), line.size()).get(event))
    return std::nullopt;
  const auto names = members_of(text_in(event, "event_type"));
  if (!names || event.at_key("payload").get(payload)
      || payload.at_key("reply").get(reply_member))
    return std::nullopt;
  const auto at = parse_timestamp(text_in(event, "timestamp"));
  const auto token = parse_uuid(text_in(payload, names->token));
  if (!at || !token)
    return std::nullopt;
  auto what = read_reply(reply_member);
  if (!what)
    return std::nullopt;
  return logged_answer{*at, std::string{text_in(payload, names->participant)},
                       *token, *std::move(what)};
}

} // namespace convene::protocol
