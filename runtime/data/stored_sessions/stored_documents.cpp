#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/documents/trace_ids.hpp>
#include <convene/protocol/json/json_line.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/scenario/document_files.hpp>
#include <convene/runtime/data/state_store/awaited.hpp>
#include <convene/runtime/data/state_store/keys.hpp>
#include <convene/runtime/data/state_store/lasting.hpp>
#include <convene/runtime/data/stored_sessions/stored_sessions.hpp>

#include <optional>
#include <string_view>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

result<bool> has_key(state_store& in, std::string key) {
  return awaited<std::optional<std::string>>(
           [&](auto then) { in.get(std::move(key), std::move(then)); })
    .map([](const auto& found) { return found.has_value(); });
}

/// A session's Dialog has an id of its own in each run.
result<void> check_same_run(state_store& in, const std::string& collab,
                            const std::string& dialog) {
  const auto has_collab = has_key(in, collab);
  if (!has_collab)
    return fail(has_collab.error());
  if (!*has_collab)
    return {};
  const auto has_dialog = has_key(in, dialog);
  if (!has_dialog)
    return fail(has_dialog.error());
  return *has_dialog ? result<void>{} : fail(document_exists(collab));
}

} // namespace

result<void>
store_documents(state_store& into, const session_documents& documents,
                const std::vector<protocol::role>& roles, session_owner whose) {
  std::vector<lasting_entry> all;
  const auto put = [&all](std::string_view area, std::string_view id,
                          std::string text, bool gives_way = false) {
    all.push_back({.key = state_key(area, id),
                   .value = std::move(text),
                   .gives_way = gives_way});
    return all.back().key;
  };
  const auto put_object = [&](std::string_view area, std::string_view id_member,
                              const protocol::json::object& document,
                              bool gives_way = false) {
    return put(area, protocol::text_of(document, id_member),
               pretty_object(document), gives_way);
  };
  const bool gives_way = whose == session_owner::agent;
  for (const auto& role : roles)
    put(state_area::roles, role.role_id, pretty(protocol::encode(role)));
  put_object(state_area::contexts, "context_id", documents.context, gives_way);
  if (documents.plan)
    put_object(state_area::plans, "plan_id", *documents.plan, gives_way);
  if (documents.confirm)
    put_object(state_area::confirms, "confirm_id", *documents.confirm,
               gives_way);
  const auto collab = put_object(state_area::collabs, "collab_id",
                                 documents.collab);
  const auto dialog
    = put(state_area::dialogs, documents.dialog.dialog_id,
          document_file{"dialog.json", &documents.dialog}.text());
  if (documents.workspace)
    put(state_area::workspaces, documents.session_id,
        pretty_object(*documents.workspace));
  put(state_area::traces, documents.trace.trace_id,
      document_file{"trace.json", &documents.trace}.text(), gives_way);
  return check_same_run(into, collab, dialog).and_then([&] {
    return put_lasting(into, std::move(all));
  });
}

result<bool> has_documents(state_store& in, const std::string& session_id) {
  return has_key(in, state_key(state_area::traces,
                               to_string(trace_ids{session_id}.trace())));
}

} // namespace convene::host
