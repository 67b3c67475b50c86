// Steps as resources: participants write a step's text and status with a base
// version, as they write files. The version counts their writes alone; what the
// session does with a step makes none of them outdated.

#include <convene/session/planning/plan_runner.hpp>
#include <convene/session/workspace/plan_step.hpp>

#include <algorithm>
#include <utility>

namespace convene::session {
namespace {

using protocol::errc;
using protocol::fail;
using protocol::result;
using protocol::step_status;

json::value value_of(std::string_view description, step_status status) {
  return json::object{{"description", description},
                      {"status", to_word(status)}};
}

/// The text of a member that is there; nothing: it is no text.
std::optional<std::string_view> text_in(const json::object& from,
                                        std::string_view name,
                                        std::string_view otherwise) {
  const auto* found = from.if_contains(name);
  if (found == nullptr)
    return otherwise;
  const auto* text = found->if_string();
  return text == nullptr ? std::nullopt
                         : std::optional<std::string_view>{*text};
}

bool is_step_member(const json::key_value_pair& member) {
  return member.key() == "description" || member.key() == "status";
}

bool is_step_value(const json::value& what) {
  const auto* members = what.if_object();
  return members != nullptr && members->size() == 2
         && std::ranges::all_of(*members, [](const auto& member) {
              return is_step_member(member) && member.value().is_string();
            });
}

result<void> refuse_value(std::string why) {
  return fail(errc::not_allowed, std::move(why), "step_value");
}

} // namespace

resource_version plan_runner::seen_at(step_index step, std::uint64_t version,
                                      const resource_version& kept) const {
  const auto& now = book().step(step);
  const auto found = written_.find(step);
  const auto* before = found == written_.end() ? nullptr : &found->second;
  // Who saw a status that the session has changed since, and nobody else,
  // would not have to know.
  const bool is_as_now = before == nullptr || before->status_version <= version;
  auto made = kept != nullptr ? *kept : resource{};
  if (kept == nullptr)
    made.key = std::make_shared<const resource_key>(
      resource_key{std::string{plan_step_type}, now.step_id});
  const auto* was = made.value.if_object();
  const auto description = was != nullptr
                             ? std::string{was->at("description").get_string()}
                           : before != nullptr ? before->description
                                               : now.description;
  auto status = now.status;
  if (!is_as_now)
    status = was != nullptr ? protocol::from_word<step_status>(
                                was->at("status").get_string())
                                .value_or(now.status)
                            : before->status;
  made.value = value_of(description, status);
  return std::make_shared<const resource>(std::move(made));
}

result<void> plan_runner::judge(step_index step, const resource& seen,
                                json::value& made) const {
  const auto& now = book().step(step);
  const auto* members = made.if_object();
  if (members == nullptr || !std::ranges::all_of(*members, is_step_member))
    return refuse_value("a step is written as an object with `description`, "
                        "`status` or both, and nothing else");
  const auto description = text_in(*members, "description", now.description);
  if (!description || description->empty())
    return refuse_value("`description` must be a text that is not empty");
  const auto word = text_in(*members, "status", to_word(now.status));
  auto status = word ? protocol::from_word<step_status>(*word) : std::nullopt;
  if (!status)
    return refuse_value("`status` must be one of pending, in_progress, "
                        "completed, blocked, skipped and failed");
  // A status that the writer left as it was is no wish to go back to it.
  const auto* was = seen.value.if_object();
  if (was != nullptr && *word == text_in(*was, "status", ""))
    status = now.status;
  const bool begins = *status == step_status::in_progress;
  const bool waits = begins && book().waits(step);
  if (*status != now.status
      && (!protocol::may_become(now.status, *status)
          || *status == step_status::blocked || *status == step_status::pending
          || waits
          || book().document().status != protocol::plan_status::in_progress))
    return fail(errc::not_allowed,
                "step " + now.step_id + " cannot go from "
                  + std::string{to_word(now.status)} + " to "
                  + std::string{to_word(*status)}
                  + (waits ? " before the steps that it depends on are "
                             "completed"
                           : ""),
                "step_transition");
  made = value_of(*description, *status);
  return {};
}

void plan_runner::take_write(step_index step, const resource& now) {
  const auto& is = book().step(step);
  auto& before = written_
                   .try_emplace(step, step_before{.description = is.description,
                                                  .status = is.status})
                   .first->second;
  const auto& value = now.value.get_object();
  own_book().describe(step, std::string{value.at("description").get_string()});
  const auto status
    = protocol::from_word<step_status>(value.at("status").get_string());
  if (!status || *status == is.status)
    return;
  before.status_version = now.version;
  step_changes changes;
  own_book().move(step, *status, changes);
  log(changes, "written by a participant");
}

std::string_view plan_runner::why_unsound() const {
  std::size_t found = 0;
  for (const auto& [step, before] : written_) {
    if (step >= book().size())
      return "a step was written that is not there";
    const auto kept = shared_->history({plan_step_type, step_id(step)});
    const auto& now = book().step(step);
    if (kept.empty()
        || kept.back()->value != value_of(now.description, now.status)
        || !std::ranges::all_of(kept, [](const auto& one) {
             return is_step_value(one->value);
           }))
      return "a step is not in the workspace as the plan has it";
    ++found;
  }
  const auto all = shared_->view().resources();
  const auto shown = std::ranges::count_if(all, [](const auto& one) {
    return one->key->type == plan_step_type;
  });
  return found == static_cast<std::size_t>(shown)
           ? std::string_view{}
           : "the workspace has a step that was not written";
}

void plan_runner::show(step_index step, step_status status) {
  if (written_.empty() || !written_.contains(step))
    return;
  const auto& now = book().step(step);
  const resource_name name{plan_step_type, now.step_id};
  auto value = value_of(now.description, status);
  if (const auto shown = shared_->find(name); shown && shown->value != value)
    shared_->refresh(name, std::move(value));
}

} // namespace convene::session
