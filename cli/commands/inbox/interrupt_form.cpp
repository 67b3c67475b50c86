#include <boost/json/serialize.hpp>
#include <convene/cli/commands/inbox/interrupt_form.hpp>
#include <convene/cli/common/now.hpp>
#include <convene/cli/people/shown_text.hpp>
#include <convene/cli/view/text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

namespace json = boost::json;

using protocol::text_of;
using heard_line = terminal_form::heard;
using step = terminal_form::step;

bool is_talk(const run_interrupt& asked) {
  return asked.kind.starts_with("conversation");
}

json::array list_of(const json::object& from, std::string_view name) {
  const auto* const found = from.if_contains(name);
  return found != nullptr && found->is_array() ? found->get_array()
                                               : json::array{};
}

std::string value_text(const json::value& of) {
  if (of.is_double()) // not 7E-1
    return fmt::format("{}", of.get_double());
  return of.is_string() ? std::string{of.get_string()} : json::serialize(of);
}

std::vector<std::string> actions_of(const run_interrupt& asked) {
  if (asked.kind == "low-confidence")
    return {"accept", "reject"};
  std::vector<std::string> all;
  for (const auto& each : list_of(asked.data, "actions"))
    if (each.is_string())
      all.emplace_back(each.get_string());
  return all;
}

/// Whether a value has to be written as JSON: its schema wants no string.
bool wants_json(const std::optional<json::object>& schema) {
  return schema && !schema->empty() && text_of(*schema, "type") != "string";
}

/// What is asked, without what its form says by itself.
std::string about(const run_interrupt& asked) {
  std::string made;
  for (const auto& [name, value] : asked.data) {
    if (name == "actions" || name == "questions" || name == "conversationId"
        || (name == "initialPrompt" && !asked.turns.empty()))
      continue;
    made += neutral(name) + ":\n" + indented(value_text(value), "   ");
  }
  for (const auto& each : asked.turns)
    if (const auto* turn = each.if_object()) {
      const auto* const content = turn->if_contains("content");
      made += "   " + neutral(text_of(*turn, "from")) + ":\n"
              + indented(value_text(content ? *content : json::value{}),
                         "      ");
    }
  if (asked.resume_schema)
    made += "Answers match this schema:\n"
            + indented(json::serialize(*asked.resume_schema), "   ");
  if (asked.schema)
    made += "What you say matches this schema:\n"
            + indented(json::serialize(*asked.schema), "   ");
  return made;
}

/// An answer that is given line by line.
class interrupt_draft {
public:
  interrupt_draft(run_interrupt asked, send_function send)
    : asked_{std::move(asked)}, send_{std::move(send)},
      questions_(list_of(asked_.data, "questions")) {}

  [[nodiscard]] const run_interrupt& asked() const noexcept {
    return asked_;
  }

  [[nodiscard]] std::string text() const {
    auto made = fmt::format("\n== {}: {}", neutral(asked_.node_id),
                            wanted_words(asked_));
    if (asked_.deadline.size() > 16)
      made += fmt::format(" (until {} {} UTC)",
                          neutral(asked_.deadline.substr(0, 10)),
                          neutral(asked_.deadline.substr(11, 5)));
    made += fmt::format("\nIn a run of {} ({})\n", neutral(asked_.workflow_id),
                        neutral(asked_.run_id))
            + about(asked_);
    if (asked_.kind == "clarification")
      made += next_question();
    if (const auto all = actions_of(asked_); !all.empty()) {
      made += "Answer";
      for (const auto& each : all)
        made += " /" + neutral(each);
      made += '\n';
    }
    return made;
  }

  [[nodiscard]] std::string help() const {
    std::string made;
    for (const auto& each : actions_of(asked_))
      made += fmt::format("   /{}\n", neutral(each));
    if (asked_.kind == "clarification")
      made += "   a line answers the question that is shown; an empty one "
              "leaves it out, if it need not be answered\n";
    else if (is_talk(asked_))
      made += "   a line is your turn\n"
              "   /close [TEXT]   close the conversation, with a last turn\n";
    return made
           + "   /json VALUE     the whole answer, as JSON\n"
             "   /show           show the question again\n"
             "   /help           this list\n"
             "   /quit           leave; what is open can be answered later\n";
  }

  [[nodiscard]] heard_line take(std::string_view line) {
    if (line.starts_with("//"))
      return take_text(line.substr(1));
    if (line.starts_with('/')) {
      const auto end = std::min(line.find(' '), line.size());
      return take_command(line.substr(1, end - 1),
                          line.substr(std::min(end + 1, line.size())));
    }
    return take_text(line);
  }

private:
  heard_line take_command(std::string_view name, std::string_view rest) {
    if (name == "show")
      return {step::show, {}};
    if (name == "help")
      return {step::help, {}};
    if (name == "quit")
      return {step::quit, {}};
    if (name == "json")
      return read(rest, [this](json::value made) { return send(made); });
    if (is_talk(asked_) && name == "close")
      return close(rest);
    const auto all = actions_of(asked_);
    if (std::ranges::find(all, name) != all.end())
      return send(json::object{{"action", name}});
    return {step::again, "Unknown command /" + neutral(name)
                           + "; /help lists the commands."};
  }

  heard_line take_text(std::string_view line) {
    if (is_talk(asked_))
      return value_of(line, asked_.schema, [this](json::value made) {
        return send(json::object{{"operation", "exchange"},
                                 {"turn", turn(std::move(made))}});
      });
    if (asked_.kind == "clarification" && !questions_.empty())
      return answer_question(line);
    const auto all = actions_of(asked_);
    if (std::ranges::find(all, line) != all.end())
      return send(json::object{{"action", line}});
    if (!all.empty())
      return {step::again, "It is answered by one of its actions: /help lists "
                           "them."};
    return read(line, [this](json::value made) { return send(made); });
  }

  heard_line close(std::string_view rest) {
    json::object made{{"operation", "close"}};
    if (rest.empty())
      return send(made);
    return value_of(rest, asked_.schema, [&](json::value said) {
      made["turn"] = turn(std::move(said));
      return send(made);
    });
  }

  heard_line answer_question(std::string_view line) {
    const auto* const question = questions_[place_].if_object();
    const auto* const needed = question ? question->if_contains("required")
                                        : nullptr;
    if (line.empty() && (needed == nullptr || *needed != false))
      return {step::again, "This question has to be answered."};
    const auto* const schema = question ? question->if_contains("schema")
                                        : nullptr;
    return value_of(
      line,
      schema != nullptr && schema->is_object()
        ? std::optional{schema->get_object()}
        : std::nullopt,
      [&](json::value made) -> heard_line {
        if (!line.empty() && question != nullptr)
          answers_[text_of(*question, "id")] = std::move(made);
        if (++place_ < questions_.size())
          return {step::again, next_question()};
        place_ = 0;
        return send(json::object{{"answers", std::exchange(answers_, {})}});
      });
  }

  [[nodiscard]] std::string next_question() const {
    const auto* const question
      = place_ < questions_.size() ? questions_[place_].if_object() : nullptr;
    if (question == nullptr)
      return {};
    const auto words = text_of(*question, "question");
    return indented(words.empty() ? text_of(*question, "id") : words, "   ");
  }

  [[nodiscard]] json::object turn(json::value said) const {
    const auto now = now_ms();
    // One name for one place: whoever is faster has it.
    return {{"messageId", asked_.interrupt_id + ":"
                            + std::to_string(asked_.turn_count) + ":user"},
            {"from", "user"},
            {"role", "user"},
            {"turnIndex", asked_.turn_count},
            {"ts", now},
            {"content", std::move(said)}};
  }

  template <class Then>
  heard_line read(std::string_view text, Then then) {
    auto parsed = protocol::parse_json(text, {.depth = 64});
    if (!parsed)
      return {step::again, "Not valid JSON (" + neutral(parsed.error().message)
                             + "); write a text in quotes."};
    return then(*std::move(parsed));
  }

  /// A line as a string, or as JSON where a schema wants something else.
  template <class Then>
  heard_line value_of(std::string_view line,
                      const std::optional<json::object>& schema, Then then) {
    if (wants_json(schema) && !line.empty())
      return read(line, then);
    return then(json::value(line));
  }

  heard_line send(const json::value& what) {
    const auto got = send_(what);
    switch (got.what) {
      case delivered::how::wrong:
        return {step::again, neutral(got.text)};
      case delivered::how::over:
        return {step::done, neutral(got.text)};
      default:
        break;
    }
    const auto* const members = what.if_object();
    if (members == nullptr || !is_talk(asked_)
        || text_of(*members, "operation") != "exchange")
      return {step::done, neutral(got.text)};
    ++asked_.turn_count;
    asked_.turns.push_back(protocol::object_of(*members, "turn"));
    return {step::again, neutral(got.text)};
  }

  run_interrupt asked_;
  const send_function send_;
  const json::array questions_;
  std::size_t place_ = 0; ///< of the question that is shown
  json::object answers_;
};

} // namespace

std::string_view wanted_words(const run_interrupt& asked) {
  if (asked.kind == "approval")
    return "an approval is wanted";
  if (asked.kind == "clarification")
    return "you are asked";
  if (asked.kind == "low-confidence")
    return "a decision of low confidence is put before you";
  if (asked.kind == "external-event")
    return "an external event is awaited";
  return is_talk(asked) ? "it is your turn in a conversation"
                        : "an answer is wanted";
}

terminal_form form_of(run_interrupt asked, send_function send) {
  const auto draft = std::make_shared<interrupt_draft>(std::move(asked),
                                                       std::move(send));
  return {.name = draft->asked().node_id,
          .text = [draft] { return draft->text(); },
          .help = [draft] { return draft->help(); },
          .take = [draft](std::string_view line) { return draft->take(line); }};
}

} // namespace convene::cli
