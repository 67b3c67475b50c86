#include <boost/json/array.hpp>
#include <convene/protocol/dialog/chat.hpp>

#include <string_view>
#include <utility>

namespace convene::protocol {
namespace {

std::string_view spoken_as(message_role role) {
  return to_word(role == message_role::agent ? message_role::assistant : role);
}

json::object text_block(std::string_view text) {
  return {{"type", "text"}, {"text", text}};
}

/// One block is written as plain text.
json::value content_of(json::array blocks) {
  if (blocks.size() == 1)
    return std::move(blocks.front().as_object().at("text"));
  return blocks;
}

/// Collects neighbours of one role.
class turns {
public:
  void add(std::string_view role, std::string_view text) {
    if (role != role_)
      close();
    role_ = role;
    blocks_.push_back(text_block(text));
  }

  [[nodiscard]] json::array finish() {
    close();
    return std::move(all_);
  }

private:
  void close() {
    if (!blocks_.empty())
      all_.push_back(
        {{"role", role_}, {"content", content_of(std::exchange(blocks_, {}))}});
  }

  std::string_view role_;
  json::array blocks_;
  json::array all_;
};

} // namespace

chat to_openai(std::span<const dialog_message> messages) {
  json::array all;
  for (const auto& one : messages)
    all.push_back({{"role", spoken_as(one.role)}, {"content", one.content}});
  return {.body = {{"messages", std::move(all)}}};
}

result<chat> to_anthropic(std::span<const dialog_message> messages,
                          const std::string& opening) {
  chat made;
  json::array system;
  turns others;
  bool begun = false;
  for (std::size_t at = 0; at < messages.size(); ++at) {
    const auto& one = messages[at];
    const auto number = std::to_string(at + 1);
    if (one.content.empty()) {
      made.notes.push_back("message " + number
                           + " is empty and was left out: the interface "
                             "refuses empty text");
      continue;
    }
    if (one.role == message_role::system) {
      if (begun)
        made.notes.push_back("message " + number
                             + ", of the system, was moved to the front, where "
                               "the interface has its only place for it");
      system.push_back(text_block(one.content));
      continue;
    }
    const auto role = spoken_as(one.role);
    if (!begun && role != "user") {
      if (opening.empty())
        return fail(
          {.code = errc::not_allowed,
           .message = "Anthropic's interface expects the user to speak "
                      "first; give an opening for the user to say",
           .pointer = "/messages/" + std::to_string(at) + "/role",
           .rule = "user_speaks_first",
           .value = std::string{to_word(one.role)}});
      others.add("user", opening);
      made.notes.emplace_back("the opening was put in front, since the first "
                              "message is not the user's");
    }
    begun = true;
    others.add(role, one.content);
  }
  if (!system.empty())
    made.body["system"] = content_of(std::move(system));
  made.body["messages"] = others.finish();
  return made;
}

} // namespace convene::protocol
