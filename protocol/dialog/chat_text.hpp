#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/dialog/chat_losses.hpp>

#include <initializer_list>
#include <string>
#include <string_view>

namespace convene::protocol {

namespace json = boost::json;

/// Writes the content of one message of a chat as the text of a dialog's
/// message: texts unchanged, each part on a new line; calls of tools and
/// their results with a line in brackets; images, files and audio as
/// references, without their data. Counts what that loses. errc::limit_reached
/// with rule `message_bytes_max`; errors have `place`, a JSON pointer.
class chat_text {
public:
  explicit chat_text(chat_losses& losses) : losses_(losses) {}

  /// A text, an array of parts, or null.
  [[nodiscard]] result<void> add_content(const json::value& content,
                                         const std::string& place);

  /// One part of an array of them.
  [[nodiscard]] result<void> add_part(const json::value& part,
                                      const std::string& place);

  /// A call of a tool, in the form of any of the interfaces.
  [[nodiscard]] result<void> add_call(const json::value& call,
                                      const std::string& place);

  /// The result of a call: a text, parts, or any other JSON.
  [[nodiscard]] result<void>
  add_result(std::string_view id, std::string_view name,
             const json::value& content, const std::string& place);

  /// A model's refusal to answer.
  [[nodiscard]] result<void> add_refusal(const json::value& refusal,
                                         const std::string& place);

  /// What can only be referred to, such as an image: `[kind reference]`.
  [[nodiscard]] result<void> add_reference(std::string_view type,
                                           const json::object& part,
                                           const std::string& place);

  /// Counts the members that have a value and that nothing above has read.
  void leave_out_others(const json::object& of,
                        std::initializer_list<std::string_view> read);

  /// Whether anything was added, an empty text for example.
  [[nodiscard]] bool has_any() const noexcept {
    return has_any_;
  }

  [[nodiscard]] std::string finish() {
    return std::move(text_);
  }

private:
  [[nodiscard]] result<void> add(std::string_view text,
                                 const std::string& place);

  chat_losses& losses_;
  std::string text_;
  bool has_any_ = false;
};

/// The fault of a chat's form at `place`; rule `required` or `type`.
[[nodiscard]] tl::unexpected<error>
refuse_chat(std::string message, std::string place, std::string rule,
            const json::value& found);

/// The member, unless it is missing or null.
[[nodiscard]] const json::value* chat_member(const json::object& of,
                                             std::string_view name);

} // namespace convene::protocol
