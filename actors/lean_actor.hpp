#pragma once

#include <caf/abstract_actor.hpp>
#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>
#include <caf/execution_unit.hpp>
#include <caf/invoke_message_result.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/scheduled_actor.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

#include <cstddef>
#include <tuple>
#include <typeinfo>
#include <utility>

namespace convene::actors {

/// The values of `x` if that is how they were sent, as they are, else null.
template <class... Values>
std::tuple<Values...>* values_of(caf::mailbox_element& x) {
  using sent = caf::mailbox_element_vals<Values...>;
  return typeid(x) == typeid(sent) ? &static_cast<sent&>(x).data() : nullptr;
}

/// A CAF actor that is resumed without what ours never have: streams, which
/// cost a look at the clock each time, receive timeouts, awaited responses, and
/// threads of their own. Takes the same messages in the same order, and does
/// not look for more before it tries to go to sleep, which tells. `Base` is an
/// event-based actor.
template <class Base>
class lean_actor : public Base {
public:
  using Base::Base;
  using Base::enqueue;

  /// CAF keeps the sender of each message for the case that it was a request
  /// and comes too late; of others, nobody is told.
  void enqueue(caf::mailbox_element_ptr x, caf::execution_unit* from) override {
    if (!x->mid.is_async())
      return Base::enqueue(std::move(x), from);
    if (this->mailbox().push_back(std::move(x))
        != caf::intrusive::inbox_result::unblocked_reader)
      return;
    intrusive_ptr_add_ref(this->ctrl()); // the scheduler's
    if (from != nullptr)
      from->exec_later(this);
    else
      this->home_system().scheduler().enqueue(this);
  }

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
  /// Sends values to somebody who does not ask from whom they are.
  template <class Receiver, class... Values>
  void hand(const Receiver& to, Values&&... values) {
    if (to)
      caf::actor_cast<caf::abstract_actor*>(to)->enqueue(
        caf::make_mailbox_element(nullptr, caf::make_message_id(), {},
                                  std::forward<Values>(values)...),
        this->context());
  }

  /// Takes a message that was sent to be taken here; whether it did. Does what
  /// the handler of such a message does.
  virtual bool take_at_once(caf::mailbox_element& x) = 0;
};

} // namespace convene::actors
