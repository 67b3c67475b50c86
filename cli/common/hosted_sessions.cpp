#include <convene/cli/common/hosted_sessions.hpp>
#include <convene/runtime/files/files.hpp>

#include <system_error>
#include <utility>

namespace convene::cli {

protocol::result<hosted_sessions>
hosted_sessions::open(const std::filesystem::path& data, runtime_options how) {
  std::error_code failed;
  how.log = data / "log";
  how.work_folder = data / "work";
  std::filesystem::create_directories(how.log, failed);
  if (failed)
    return protocol::fail(
      host::file_error(protocol::errc::io_failed, how.log,
                       "cannot be created: " + failed.message()));
  auto made = convene::runtime::open(how, {.resume_suspended = true});
  if (!made)
    return protocol::fail(std::move(made).error());
  return hosted_sessions{*std::move(made)};
}

void hosted_sessions::suspend_all() const {
  runtime_->suspend_all("the server stops");
  for (const auto& one : runtime_->recovered().sessions)
    static_cast<void>(one.await());
}

} // namespace convene::cli
