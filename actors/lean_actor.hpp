#pragma once

#include <caf/invoke_message_result.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/scheduled_actor.hpp>

#include <cstddef>
#include <tuple>
#include <typeinfo>

namespace convene::actors {

/// The values of `x` if that is how they were sent, as they are, else null.
template <class... Values>
std::tuple<Values...>* values_of(caf::mailbox_element& x) {
  using sent = caf::mailbox_element_vals<Values...>;
  return typeid(x) == typeid(sent) ? &static_cast<sent&>(x).data() : nullptr;
}

/// A CAF actor that is resumed without what ours never have: streams, which
/// cost a look at the clock each time, receive timeouts, and awaited responses.
/// Takes the same messages in the same order, and does not look for more before
/// it tries to go to sleep, which tells. `Base` is an event-based actor.
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

  /// Most messages are of one kind, for which nobody has to be searched among
  /// the handlers, and which wants no response.
  caf::invoke_message_result consume(caf::mailbox_element& x) override {
    if (!x.mid.is_async())
      return Base::consume(x);
    this->current_element_ = &x;
    return take_at_once(x) ? caf::invoke_message_result::consumed
                           : Base::consume(x);
  }

protected:
  /// Takes a message that was sent to be taken here; whether it did. Does what
  /// the handler of such a message does.
  virtual bool take_at_once(caf::mailbox_element& x) = 0;
};

} // namespace convene::actors
