#include <boost/json/array.hpp>
#include <convene/protocol/dialog/chat.hpp>
#include <convene/protocol/dialog/chat_messages.hpp>
#include <convene/protocol/json/members.hpp>

#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace convene::protocol {
namespace {

/// A member of a body that holds messages or another body.
struct body_member {
  std::string_view name;
  std::optional<message_role> speaker; ///< who says it, if it is a text
};

/// In the order in which things are said.
constexpr std::array body_members = {
  body_member{"request", {}},
  body_member{"body", {}},
  body_member{"system", message_role::system},
  body_member{"instructions", message_role::system},
  body_member{"messages", {}},
  body_member{"input", message_role::user},
  body_member{"choices", {}},
  body_member{"output", message_role::assistant},
  body_member{"response", message_role::assistant},
};

/// Finds the messages in requests, answers and lists of them. Recurses as deep
/// as the JSON, which its parser bounds.
class chat_bodies {
public:
  chat_bodies(chat_form form, const std::string& timestamp)
    : said_(form, timestamp) {}

  // NOLINTNEXTLINE(misc-no-recursion)
  result<void> add(const json::value& what, const std::string& place) {
    if (const auto* all = what.if_array())
      return add_all(*all, place);
    const auto* of = what.if_object();
    if (of == nullptr)
      return refuse_chat("a chat must be an array of messages, or an object "
                         "with one as its member messages",
                         place, "type", what);
    if (of->contains("role") || !text_of(*of, "type").empty())
      return said_.add(*of, place);
    said_.losses().began_chat();
    return add_body(*of, place);
  }

  read_chat finish() {
    return said_.finish();
  }

private:
  // NOLINTNEXTLINE(misc-no-recursion)
  result<void> add_all(const json::array& all, const std::string& place) {
    for (std::size_t at = 0; at < all.size(); ++at)
      if (auto fine = add(all[at], place + '/' + std::to_string(at)); !fine)
        return fine;
    return {};
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  result<void> add_body(const json::object& of, const std::string& place) {
    bool has_messages = false;
    for (const auto& member : body_members)
      if (const auto* found = chat_member(of, member.name)) {
        has_messages = has_messages || member.speaker != message_role::system;
        if (auto fine = add_member(member, *found,
                                   place + '/' + std::string{member.name});
            !fine)
          return fine;
      }
    if (!has_messages)
      return refuse_chat("a chat must be an object with messages, input, "
                         "output or choices, and a message one with a role",
                         place, "required", of);
    return {};
  }

  // NOLINTNEXTLINE(misc-no-recursion)
  result<void> add_member(const body_member& of, const json::value& found,
                          const std::string& place) {
    if (of.speaker && (found.is_string() || of.name == "system"))
      return said_.add_content(*of.speaker, found, place);
    if (const auto* inner = found.if_object(); inner && of.name != "messages")
      return add_body(*inner, place);
    const auto* all = found.if_array();
    if (all == nullptr)
      return refuse_chat("the messages must be an array", place, "type", found);
    return of.name == "choices" ? add_choice(*all, place)
                                : add_all(*all, place);
  }

  /// Of several answers to one question, the first.
  result<void> add_choice(const json::array& all, const std::string& place) {
    if (all.empty())
      return {};
    for (std::size_t at = 1; at < all.size(); ++at)
      said_.losses().left_out("choice");
    const auto* choice = all.front().if_object();
    const auto* message = choice ? chat_member(*choice, "message") : nullptr;
    if (message == nullptr || !message->is_object())
      return refuse_chat("a choice must be an object with a message",
                         place + "/0", "required", all.front());
    return said_.add(message->get_object(), place + "/0/message");
  }

  chat_messages said_;
};

result<read_chat> read(chat_form form, const json::value& body,
                       const std::string& timestamp) {
  chat_bodies reader{form, timestamp};
  if (auto fine = reader.add(body, {}); !fine)
    return fail(std::move(fine.error()));
  return reader.finish();
}

} // namespace

result<read_chat> from_openai(const json::value& body,
                              const std::string& timestamp) {
  return read(chat_form::openai, body, timestamp);
}

result<read_chat> from_anthropic(const json::value& body,
                                 const std::string& timestamp) {
  return read(chat_form::anthropic, body, timestamp);
}

} // namespace convene::protocol
