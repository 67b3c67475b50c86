#include <convene/cli/commands/dialog/transcript.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <string_view>

namespace convene::cli {
namespace {

using namespace convene::protocol;

std::string speaker_of(const dialog_message& said) {
  const auto role = std::string{to_word(said.role)};
  if (!said.event || !said.event->data || !said.event->data->is_object())
    return role;
  const auto name = text_of(said.event->data->get_object(), "participant_id");
  return name.empty() ? role : neutral(name);
}

} // namespace

std::string transcript(const dialog& of) {
  std::string text;
  for (const auto& said : of.messages) {
    text += (text.empty() ? "" : "\n") + speaker_of(said) + "  "
            + neutral(said.timestamp) + '\n';
    std::string_view rest = said.content;
    while (!rest.empty()) {
      const auto line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      text += line.empty() ? "\n" : "    " + neutral(line) + '\n';
    }
  }
  return text;
}

} // namespace convene::cli
