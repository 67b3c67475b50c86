#pragma once

#include <caf/scheduled_actor.hpp>

#include <cstddef>

namespace convene::actors {

/// A CAF actor that is resumed without what ours never have: streams, which
/// cost a look at the clock each time, and receive timeouts. Takes the same
/// messages in the same order, and does not look for more before it tries to go
/// to sleep, which tells. `Base` is an event-based actor.
template <class Base>
class lean_actor : public Base {
public:
  using Base::Base;

  caf::resumable::resume_result resume(caf::execution_unit* on,
                                       std::size_t messages_max) override {
    if (!this->activate(on))
      return caf::resumable::done;
    constexpr int quantum = 3; // CAF's
    std::size_t taken = 0;
    caf::scheduled_actor::mailbox_visitor take{this, taken, messages_max};
    do {
      static_cast<void>(this->mailbox().new_round(quantum, take));
      if (this->finalize())
        return caf::resumable::done;
      if (this->mailbox().try_block())
        return caf::resumable::awaiting_message;
    } while (taken < messages_max);
    return caf::resumable::resume_later;
  }
};

} // namespace convene::actors
