#include <convene/cli/sessions/standing_documents.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/runtime/session_documents.hpp>

#include <filesystem>
#include <system_error>

namespace convene::cli {
namespace {

namespace fs = std::filesystem;

/// Whether it was there.
bool remove_document(const fs::path& folder, const std::string& name) {
  std::error_code failed;
  return fs::remove(folder / (name + ".json"), failed);
}

} // namespace

protocol::result<void>
write_standing(const session_result& so_far, const host::trace_builder& events,
               convene::runtime& runtime, const host::output_folder& out) {
  auto trace = events;
  const auto documents = host::make_documents(so_far, trace);
  return runtime.flush()
    .and_then([&] { return runtime.check_documents(documents); })
    .and_then([&] { return out.write_standing(documents); });
}

void remove_standing(const host::output_folder& out,
                     const std::string& session_id) {
  // The id is the log's: it is to name no other folder.
  if (!protocol::parse_uuid(session_id) || out.has_result(session_id))
    return;
  const auto folder = out.in_segments() ? out.path() / "sessions" / session_id
                                        : out.path();
  for (const auto* name : {"collab", "dialog", "context", "plan", "trace",
                           "confirm", "core", "network", "workspace"})
    remove_document(folder, name);
  for (const std::string name : {"extension-", "extension-confirm-"})
    for (int number = 1; remove_document(folder, name + std::to_string(number));
         ++number) {
      // each has the next number
    }
}

} // namespace convene::cli
