// Sessions that other processes had, and those that they take.

#include <convene/protocol/base/catch_error.hpp>
#include <convene/runtime/engine.hpp>
#include <convene/runtime/taken_sessions.hpp>

#include <utility>

namespace convene {
namespace {

/// Lines that the own log lacks are appended in pieces of about this size.
constexpr std::size_t piece_bytes = std::size_t{8} << 20;

/// A session's lines on their way from the shared log: to its replay, to who
/// observes it and, unless they are there, to the own log.
class taken_lines {
public:
  taken_lines(const host::taken_session& from, host::log_sink& to,
              host::blob_keeper* blobs, observer& watch)
    : from_{from}, to_{to}, blobs_{blobs}, watch_{watch}, replay_{from.id} {}

  result<host::replayed_session> read() {
    for (;;) {
      const auto lines = from_.lines(number_);
      if (!lines)
        return tl::unexpected(lines.error());
      if (lines->empty())
        break;
      for (const auto& line : *lines)
        if (auto taken = take(line); !taken)
          return tl::unexpected(std::move(taken).error());
    }
    if (auto appended = append(); !appended)
      return tl::unexpected(std::move(appended).error());
    return replay_.finish();
  }

  [[nodiscard]] bool is_on_log() const noexcept {
    return has_appended_;
  }

private:
  result<void> take(const std::string& line) {
    static const std::string place = "the shared log";
    replay_.feed({.file = place, .number = number_ + 1}, line);
    line_.assign(line);
    line_ += '\n';
    if (watch_)
      if (const auto threw
          = actors::catch_error([&] { watch_(from_.id, line_); }))
        return protocol::fail(protocol::errc::internal,
                              "the observer threw: " + *threw);
    if (++number_ <= from_.known.value_or(0))
      return {};
    if (auto kept = keep_blobs(line); !kept)
      return kept;
    piece_ += line_;
    ++count_;
    return piece_.size() < piece_bytes ? result<void>{} : append();
  }

  result<void> keep_blobs(const std::string& line) {
    for (const auto& each : protocol::blobs_of_line(line)) {
      const auto text = from_.blob(each);
      if (!text)
        return tl::unexpected(text.error());
      const auto kept = blobs_->put_shared(*text);
      if (!kept)
        return tl::unexpected(kept.error());
      if (kept->sha256 != each.sha256)
        return protocol::fail(protocol::errc::invalid_document,
                              "the shared log has another text as the blob "
                                + each.sha256,
                              "blob_corrupt");
    }
    return {};
  }

  result<void> append() {
    if (count_ == 0)
      return {};
    auto done = to_.append(from_.id, piece_, count_);
    has_appended_ |= done.has_value();
    piece_.clear();
    count_ = 0;
    return done;
  }

  const host::taken_session& from_;
  host::log_sink& to_;
  host::blob_keeper* blobs_;
  observer& watch_;
  host::session_replay replay_;
  std::uint64_t number_ = 0;
  std::string line_;
  std::string piece_;
  std::size_t count_ = 0;
  bool has_appended_ = false;
};

} // namespace

result<session_handle>
runtime::implementation::take_over(const host::taken_session& from,
                                   const recovery_options& with) {
  observer watch;
  if (with.observe)
    if (const auto threw
        = actors::catch_error([&] { watch = with.observe(from.id); }))
      return protocol::fail(protocol::errc::internal,
                            "asking who observes a session threw: " + *threw);
  if (!from.known && !logged->add(from.id))
    return protocol::fail(protocol::errc::not_allowed,
                          "the log has the session, and its end",
                          "session_on_log");
  taken_lines lines{from, sink, blob_files.get(), watch};
  auto left = lines.read();
  if (!left) {
    if (!from.known && !lines.is_on_log())
      logged->take_back(from.id);
    return tl::unexpected(std::move(left).error());
  }
  auto state = std::make_shared<session_handle::shared>();
  state->id = from.id;
  state->unsaved = left->events;
  state->system = &system;
  auto resumed = resume_from_log(state, *std::move(left), with,
                                 std::move(watch));
  if (!resumed)
    state->finish(tl::unexpected(std::move(resumed).error()));
  return session_handle{state};
}

namespace host {

result<session_handle> runtime_access::take_over(runtime& which,
                                                 const taken_session& from,
                                                 const recovery_options& with) {
  return which.implementation_->take_over(from, with);
}

bool runtime_access::runs(runtime& which, const std::string& session_id) {
  auto& inside = *which.implementation_;
  const std::lock_guard held{inside.mutex};
  return inside.running.contains(session_id);
}

void runtime_access::let_go(runtime& which,
                            const std::vector<std::string>& sessions) {
  auto& inside = *which.implementation_;
  for (const auto& id : sessions) {
    const auto state = [&] {
      const std::lock_guard held{inside.mutex};
      const auto found = inside.running.find(id);
      return found == inside.running.end() ? nullptr : found->second.lock();
    }();
    if (state)
      state->send(actors::control::verb::let_go, {});
  }
}

result<session_handle> take_over(runtime& by, const taken_session& from,
                                 const recovery_options& with) {
  return runtime_access::take_over(by, from, with);
}

bool runs(runtime& in, const std::string& session_id) {
  return runtime_access::runs(in, session_id);
}

void let_go(runtime& by, const std::vector<std::string>& sessions) {
  runtime_access::let_go(by, sessions);
}

} // namespace host

} // namespace convene
