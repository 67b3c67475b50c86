#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/documents/trace_ids.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/state_store/awaited.hpp>
#include <convene/runtime/data/state_store/keys.hpp>
#include <convene/runtime/data/stored_sessions/stored_sessions.hpp>

#include <optional>
#include <string_view>
#include <utility>

namespace convene::host {

using namespace protocol;

result<void> store_documents(state_store& into,
                             const session_documents& documents,
                             const std::vector<protocol::role>& roles) {
  state_transaction all;
  const auto put = [&all](std::string_view area, std::string_view id,
                          const protocol::json::value& document) {
    all.set(state_key(area, id), pretty(document));
  };
  const auto put_object = [&](std::string_view area, std::string_view id_member,
                              const protocol::json::object& document) {
    put(area, protocol::text_of(document, id_member), document);
  };
  for (const auto& role : roles)
    put(state_area::roles, role.role_id, protocol::encode(role));
  put_object(state_area::contexts, "context_id", documents.context);
  if (documents.plan)
    put_object(state_area::plans, "plan_id", *documents.plan);
  if (documents.confirm)
    put_object(state_area::confirms, "confirm_id", *documents.confirm);
  put_object(state_area::collabs, "collab_id", documents.collab);
  put_object(state_area::dialogs, "dialog_id", documents.dialog);
  if (documents.workspace)
    put(state_area::workspaces, documents.session_id, *documents.workspace);
  put_object(state_area::traces, "trace_id", documents.trace);
  return awaited<void>(
    [&](auto then) { into.commit(std::move(all), std::move(then)); });
}

result<bool> has_documents(state_store& in, const std::string& session_id) {
  return awaited<std::optional<std::string>>([&](auto then) {
           in.get(state_key(state_area::traces,
                            to_string(protocol::trace_ids{session_id}.trace())),
                  std::move(then));
         })
    .map([](const auto& found) { return found.has_value(); });
}

} // namespace convene::host
