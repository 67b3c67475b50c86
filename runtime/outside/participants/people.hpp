#pragma once

#include <convene/actors/behaviours/behaviour.hpp>

#include <memory>
#include <utility>

namespace convene::host {

/// Where people are asked: a terminal, a page. Thread-safe.
class people {
public:
  virtual ~people() = default;

  /// Puts a request to the person `asked.participant`. It is answered by
  /// `asked.live->answer`, and withdrawn when `asked.live` is over; both may
  /// happen at any time and on any thread. With an `approval`, it is whether
  /// that call may be carried out, which `protocol::verdict_of` reads in the
  /// answer. Must not block or throw.
  virtual void ask(actors::turn_request asked) = 0;
};

/// The duty of somebody who approves or rejects what was done, and does nothing
/// else: who rejects, fails the turn.
inline constexpr const char* approver_duty = "approver";

/// A person: `{"type": "human"}`. Nobody is hurried: the request is answered
/// when the person answers it, or times out as such. One who `confirms` is
/// asked for turns as an approver.
class human final : public actors::behaviour {
public:
  explicit human(std::shared_ptr<people> where, bool confirms = false)
    : where_(std::move(where)), confirms_(confirms) {}

  actors::answer respond(const actors::turn_request& asked) override;

  [[nodiscard]] bool answers_later() const noexcept override {
    return true;
  }

  void begin(actors::turn_request asked) override {
    if (confirms_ && asked.kind == session::request_kind::turn)
      asked.duty = approver_duty;
    where_->ask(std::move(asked));
  }

private:
  std::shared_ptr<people> where_;
  bool confirms_;
};

} // namespace convene::host
