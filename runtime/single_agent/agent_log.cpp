#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/single_agent/agent_log.hpp>

#include <utility>

namespace convene::host {

namespace json = boost::json;

void agent_log::add(std::string_view line) {
  if (lines_.use_count() > 1)
    lines_ = std::make_shared<lines>(*lines_);
  lines_->text.append(line) += '\n';
  lines_->ends.push_back(lines_->text.size() - 1);
}

std::string_view agent_log::line(std::size_t index) const {
  const auto& [text, ends] = *lines_;
  const auto begin = index == 0 ? 0 : ends[index - 1] + 1;
  return std::string_view{text}.substr(begin, ends[index] - begin);
}

json::object agent_log::operator[](std::size_t index) const {
  auto parsed = protocol::parse_json(line(index));
  return parsed ? std::move(parsed->as_object()) : json::object{};
}

} // namespace convene::host
