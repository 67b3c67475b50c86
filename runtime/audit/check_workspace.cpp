#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/audit/check_workspace.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <convene/runtime/log/files/written_document.hpp>

#include <utility>

namespace convene::host {

using namespace convene::protocol;

namespace {

constexpr std::size_t findings_kept = 100;

/// Turns and answers to broadcasts change no resource.
bool may_write(std::string_view type) {
  return !type.starts_with("MAPTurn") && !type.starts_with("MAPBroadcast");
}

} // namespace

workspace_comparison::workspace_comparison(std::filesystem::path log)
  : folder_(std::move(log)) {
  std::error_code failed;
  if (!std::filesystem::is_directory(folder_, failed))
    folder_ = folder_.parent_path();
}

void workspace_comparison::feed(const json::value& event) {
  const auto* object = event.if_object();
  if (object == nullptr || !may_write(text_of(*object, "event_type")))
    return;
  const auto session = uuid_of(*object, "session_id");
  if (!session)
    return;
  const auto id = to_string(*session);
  auto& fold = folds_.try_emplace(id, std::in_place).first->second;
  if (fold)
    if (auto fed = fold->feed(*object); !fed) {
      note(id, folder_,
           "a write of the log cannot be carried out: " + fed.error().message);
      fold.reset();
    }
  if (text_of(*object, "event_type") != "MAPSessionCompleted")
    return;
  if (fold)
    compare(id, *fold);
  folds_.erase(id);
}

void workspace_comparison::note(const std::string& id,
                                const std::filesystem::path& file,
                                std::string message) {
  ++total_;
  if (findings_.size() < findings_kept)
    findings_.push_back({file.string(),
                         0,
                         {.rule = "workspace_matches_log",
                          .session_id = id,
                          .message = std::move(message)}});
}

void workspace_comparison::compare(const std::string& id,
                                   const session::workspace_fold& fold) {
  std::error_code failed;
  auto file = folder_ / "sessions" / id / "workspace.json";
  if (!std::filesystem::exists(file, failed))
    file = folder_ / "workspace.json";
  if (!std::filesystem::is_regular_file(file, failed))
    return;
  const auto written
    = read_file(file, written_document_bytes_max)
        .and_then([](const std::string& text) {
          return parse_json(text, {.bytes = written_document_bytes_max});
        });
  if (!written)
    note(id, file, written.error().message);
  else if (*written
           != session::workspace_document(id, fold.resources().view(),
                                          fold.participants()))
    note(id, file, "the file is not what the writes of the log make");
}

} // namespace convene::host
