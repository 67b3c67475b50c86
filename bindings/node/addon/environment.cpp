#include "environment.hpp"

#include <memory>
#include <utility>

namespace convene::node {
namespace {

using delivery = std::function<void(napi_env)>;

/// Called by Node on the thread of JavaScript; without `env` while that ends.
void call_delivery(napi_env env, napi_value, void*, void* data) {
  const std::unique_ptr<delivery> what{static_cast<delivery*>(data)};
  if (env != nullptr)
    (*what)(env);
}

} // namespace

void environment::set_up(napi_env env, napi_value make_error) {
  if (void* found = nullptr;
      napi_get_instance_data(env, &found) == napi_ok && found != nullptr)
    return;
  auto* made = new environment{};
  napi_create_reference(env, make_error, 1, &made->make_error_);
  napi_value name = nullptr;
  napi_create_string_utf8(env, "convene", NAPI_AUTO_LENGTH, &name);
  napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, nullptr,
                                  nullptr, nullptr, call_delivery,
                                  &made->deliveries_);
  napi_unref_threadsafe_function(env, made->deliveries_);
  napi_set_instance_data(
    env, made,
    [](napi_env, void* data, void*) { delete static_cast<environment*>(data); },
    nullptr);
  // Hooks run last one first: threads end before what they deliver to.
  napi_add_env_cleanup_hook(
    env, [](void* data) { static_cast<environment*>(data)->close_all(); },
    made);
}

environment& environment::of(napi_env env) {
  void* found = nullptr;
  napi_get_instance_data(env, &found);
  return *static_cast<environment*>(found);
}

environment::~environment() {
  close_all();
}

void environment::deliver(std::function<void(napi_env)> what) {
  auto data = std::make_unique<delivery>(std::move(what));
  if (napi_call_threadsafe_function(deliveries_, data.get(),
                                    napi_tsfn_nonblocking)
      == napi_ok)
    static_cast<void>(data.release());
}

void environment::hold(napi_env env) {
  if (holds_++ == 0)
    napi_ref_threadsafe_function(env, deliveries_);
}

void environment::release(napi_env env) {
  if (--holds_ == 0)
    napi_unref_threadsafe_function(env, deliveries_);
}

std::shared_ptr<lane> environment::make_lane() {
  lanes_.remove_if([](const auto& each) {
    if (!each->is_done())
      return false;
    each->join();
    return true;
  });
  lanes_.push_back(std::make_shared<lane>());
  return lanes_.back();
}

void environment::add(const std::shared_ptr<runtime_handle>& opened) {
  std::erase_if(runtimes_, [](const auto& each) { return each.expired(); });
  runtimes_.push_back(opened);
}

void environment::close_all() {
  is_over_ = true;
  for (const auto& each : runtimes_)
    if (const auto open = each.lock())
      open->close();
  for (const auto& each : lanes_)
    each->stop();
  for (const auto& each : lanes_)
    each->join();
  lanes_.clear();
}

napi_value environment::error_of(napi_env env, const std::string& json) {
  napi_value make = nullptr;
  napi_value none = nullptr;
  napi_value text = nullptr;
  napi_value made = nullptr;
  napi_get_reference_value(env, make_error_, &make);
  napi_get_undefined(env, &none);
  napi_create_string_utf8(env, json.data(), json.size(), &text);
  napi_call_function(env, none, make, 1, &text, &made);
  return made;
}

} // namespace convene::node
