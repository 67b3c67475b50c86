#include <convene/protocol/base/catch_error.hpp>
#include <convene/protocol/documents/blob.hpp>
#include <convene/runtime/log/blobs/blob_files.hpp>
#include <convene/runtime/log/blobs/stored_blobs.hpp>
#include <convene/session/workspace/size.hpp>

#include <optional>
#include <utility>

namespace convene::host {

using namespace protocol;

using boost::json::value;

stored_blobs::stored_blobs(std::shared_ptr<blob_keeper> files,
                           actors::blocking_runner* runner)
  : files_{std::move(files)}, runner_{runner}, waits_{runner == nullptr} {
  // nop
}

void stored_blobs::close() {
  const std::lock_guard held{mutex_};
  closed_ = true;
  runner_ = nullptr;
}

void stored_blobs::put(std::shared_ptr<const value> what, when_known then) {
  run(
    [files = files_, what = std::move(what)]() -> result<value> {
      const auto text = blob_text(*what, session::value_depth_max);
      if (!text)
        return fail(text.error());
      return files->put(*text).map(
        [](const protocol::blob& made) { return value(encode(made)); });
    },
    then);
}

void stored_blobs::get(const value& reference, when_known then) {
  run(
    [files = files_, which = blob_in(reference)]() -> result<value> {
      if (!which)
        return fail(errc::internal, "this is not a reference to a blob");
      return read_blob_value(files->folder(), *which);
    },
    then);
}

void stored_blobs::run(job what, const when_known& then) {
  const auto do_it = [what = std::move(what), then] {
    result<value> made = value{};
    if (const auto threw = actors::catch_error([&] { made = what(); }))
      made = fail(errc::internal, *threw);
    then(std::move(made));
  };
  std::optional<protocol::error> refused;
  {
    const std::lock_guard held{mutex_};
    if (closed_)
      refused = {.code = errc::not_allowed,
                 .message = "the runtime is closing",
                 .rule = "runtime_closing"};
    else if (!waits_ && runner_->try_run(do_it) == 0)
      refused = {.code = errc::limit_reached,
                 .message = "too many functions are blocked at once",
                 .rule = "blocking_pool_full"};
    else if (!waits_)
      return;
  }
  if (refused)
    then(fail(*std::move(refused)));
  else
    do_it();
}

} // namespace convene::host
