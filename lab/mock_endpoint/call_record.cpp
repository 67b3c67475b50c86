#include <convene/lab/mock_endpoint/call_record.hpp>

#include <algorithm>

namespace convene::server {
namespace {

namespace json = boost::json;

json::object
as_object(const std::map<std::string, std::uint64_t, std::less<>>& from) {
  json::object out;
  for (const auto& [name, count] : from)
    out[name] = count;
  return out;
}

} // namespace

std::shared_ptr<void> call_record::begin(std::string_view model,
                                         std::string_view idempotency_key,
                                         std::string_view body) {
  const std::scoped_lock lock{mutex_};
  ++calls_;
  open_most_ = std::max(open_most_, ++open_);
  std::string name{model};
  if (!by_model_.contains(name) && by_model_.size() >= models_max)
    name = "*";
  ++by_model_[name];
  if (body.size() <= prompt_bytes_max)
    latest_.insert_or_assign(name, std::string{body});
  if (const std::string key{idempotency_key};
      !key.empty() && key.size() <= key_bytes_max
      && (by_key_.contains(key) || by_key_.size() < keys_max))
    ++by_key_[key];
  const std::weak_ptr<call_record> weak = weak_from_this();
  return {nullptr, [weak](void*) {
            if (const auto self = weak.lock()) {
              const std::scoped_lock inner{self->mutex_};
              --self->open_;
            }
          }};
}

json::object call_record::counts() const {
  const std::scoped_lock lock{mutex_};
  return {{"calls", calls_},
          {"open", open_},
          {"open_most", open_most_},
          {"by_model", as_object(by_model_)}};
}

json::object call_record::keys() const {
  const std::scoped_lock lock{mutex_};
  return as_object(by_key_);
}

std::string call_record::latest(std::string_view model) const {
  const std::scoped_lock lock{mutex_};
  const auto found = latest_.find(model);
  return found == latest_.end() ? std::string{} : found->second;
}

} // namespace convene::server
