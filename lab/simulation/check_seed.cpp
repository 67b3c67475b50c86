#include <convene/lab/simulation/check_seed.hpp>
#include <convene/protocol/checks/event_check.hpp>
#include <convene/protocol/json/json_scratch.hpp>
#include <convene/runtime/log/recovery/line_head.hpp>
#include <convene/runtime/log/recovery/log_replay.hpp>
#include <convene/session/machine/report.hpp>
#include <convene/session/workspace/fold.hpp>

#include <optional>
#include <string>
#include <utility>

namespace convene::host {
namespace {

/// The workspace by the events alone, and by the session that wrote them.
class fold_comparison {
public:
  explicit fold_comparison(seed_findings& found) : found_(found) {}

  void feed(std::size_t number, const protocol::json::object& event) {
    if (!fold_)
      return;
    if (auto fed = fold_->feed(event); !fed) {
      note(number,
           "a write of the log cannot be carried out: " + fed.error().message);
      fold_.reset();
    }
  }

  void finish(const session_result& ended) {
    if (!fold_)
      return;
    const auto view = fold_->resources().view();
    const auto wanted = session::make_workspace_document(*ended.report);
    if (wanted ? session::workspace_document(ended.collab.collab_id, view,
                                             fold_->participants())
                   != *wanted
               : !view.empty())
      note(0, "the session's workspace is not what the writes of its log make");
  }

private:
  void note(std::size_t number, std::string message) {
    found_.add({.rule = "workspace_matches_log",
                .line = number,
                .message = std::move(message)});
  }

  seed_findings& found_;
  std::optional<session::workspace_fold> fold_{std::in_place};
};

} // namespace

void check_seed(const seed_log& log, const session_result& ended,
                seed_findings& found, const seed_visitor& also) {
  protocol::event_checker checker;
  fold_comparison shared{found};
  log_replay again;
  const std::string none;
  // The next seed's events are spelled like this one's.
  static thread_local protocol::json_scratch scratch;
  log.for_each([&](std::size_t number, std::string_view line) {
    const auto head = head_of(line);
    again.feed({.file = none, .number = number}, head.session_id, line);
    const auto event = scratch.parse(line, head.event_type);
    if (!event)
      return checker.feed_invalid(number, event.error().message);
    checker.feed(number, **event);
    if (const auto* object = (*event)->if_object())
      shared.feed(number, *object);
    also(number, **event, line);
  });
  shared.finish(ended);
  auto broken = checker.finish();
  for (auto& one : broken)
    found.add(std::move(one));
  found.total += checker.findings_total() - broken.size();
  for (const auto& one : again.finish())
    if (one.divergence)
      found.add({.rule = "recomputed",
                 .session_id = one.id,
                 .line = one.divergence->line,
                 .message = one.divergence->message});
}

} // namespace convene::host
