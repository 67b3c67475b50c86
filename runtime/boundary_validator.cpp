#include <convene/protocol/boundary/wording.hpp>
#include <convene/protocol/documents/describe.hpp>
#include <convene/protocol/json_schema/typed_cursor.hpp>
#include <convene/runtime/boundary_validator.hpp>
#include <convene/session/spec/describe_spec.hpp>
#include <convene/session/spec/normalise.hpp>
#include <spdlog/spdlog.h>

#include <utility>

namespace convene::host {

namespace {

namespace boundary = protocol::boundary;
namespace json = protocol::json;
namespace validation = protocol::validation;

} // namespace

using protocol::compiled_schema;
using protocol::errc;
using protocol::fail;
using protocol::result;
using protocol::validation_level;

boundary_validator::boundary_validator(
  const runtime_options& how, std::shared_ptr<const boundary::rules> rules)
  : rules_(std::move(rules)), level_(how.validation),
    revalidate_(how.revalidate) {
  // nop
}

const actors::answer_check* boundary_validator::answers() const noexcept {
  return level_ == validation_level::off ? nullptr : this;
}

const protocol::event_gate* boundary_validator::gate() const noexcept {
  if (level_ != validation_level::boundary)
    return nullptr;
  return revalidate_ ? rules_->every_line_gate.get() : rules_->gate.get();
}

result<void> boundary_validator::check(const session::spec& what) {
  if (level_ == validation_level::off)
    return {};
  const auto found = protocol::validate_typed(rules_->scenario,
                                              validation::typed_cursor{what});
  if (found.valid)
    return {};
  ++inputs_refused_;
  return fail(boundary::to_error(found));
}

void boundary_validator::check(protocol::reply& what) const {
  if (!boundary::check_reply(*rules_, what))
    return;
  // It may have broken a bound that has an error of its own.
  session::normalise(what);
  const auto wrong = boundary::check_reply(*rules_, what);
  if (!wrong)
    return;
  ++inputs_refused_;
  what = {.status = protocol::reply_status::failed,
          .error = {"invalid_reply", to_string(*wrong)}};
}

result<void> boundary_validator::check(const session_documents& what) {
  if (level_ != validation_level::boundary)
    return {};
  using document = std::optional<validation::typed_cursor>;
  const auto if_any = [](const std::optional<json::object>& some) {
    return some ? document{*some} : std::nullopt;
  };
  const std::tuple<std::string_view, const compiled_schema&, document>
    documents[]{{"collab", rules_->collab, document{what.collab}},
                {"dialog", rules_->dialog, document{what.dialog}},
                {"context", rules_->context, document{what.context}},
                {"plan", rules_->plan, if_any(what.plan)},
                {"trace", rules_->trace, document{what.trace}},
                {"confirm", rules_->confirm, if_any(what.confirm)},
                {"core", rules_->core, if_any(what.core)},
                {"network", rules_->network, if_any(what.network)}};
  const auto check = [&](std::string_view name, const compiled_schema& schema,
                         const document& some) -> result<void> {
    if (!some)
      return {};
    const auto found = protocol::validate_typed(schema, *some);
    if (found.valid)
      return {};
    ++outputs_refused_;
    auto wrong = boundary::to_error(found, '/' + std::string{name});
    wrong.code = errc::internal;
    spdlog::error("session {}: the {} is not valid: {}; this is a fault in "
                  "convene",
                  what.session_id, name, boundary::in_words(found));
    return fail(std::move(wrong));
  };
  for (const auto& [name, schema, some] : documents)
    if (auto ok = check(name, schema, some); !ok)
      return ok;
  for (const auto& each : what.extensions)
    if (auto ok = check("extension", rules_->extension, document{each}); !ok)
      return ok;
  for (const auto& each : what.extension_confirms)
    if (auto ok = check("confirm", rules_->confirm, document{each}); !ok)
      return ok;
  return {};
}

void boundary_validator::note(const session::report& ended) {
  if (ended.outcome.condition != "fault")
    return;
  ++outputs_refused_;
  spdlog::error("session {}: {}; this is a fault in convene, and the session "
                "has ended",
                ended.collab.collab_id, ended.outcome.observed);
}

validation_counts boundary_validator::refused() const noexcept {
  return {.inputs_refused = inputs_refused_.load(),
          .outputs_refused = outputs_refused_.load()};
}

} // namespace convene::host
