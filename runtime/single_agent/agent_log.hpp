#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/api.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// The events of a single agent's run, in their order: lines of JSON, of which
/// each is parsed when it is asked for. Copies share the lines.
class agent_log {
public:
  /// Must be an object.
  CONVENE_API void add(std::string_view line);

  [[nodiscard]] std::size_t size() const noexcept {
    return lines_->ends.size();
  }
  [[nodiscard]] bool empty() const noexcept {
    return size() == 0;
  }
  /// Without an end of line.
  [[nodiscard]] CONVENE_API std::string_view line(std::size_t index) const;

  [[nodiscard]] CONVENE_API boost::json::object
  operator[](std::size_t index) const;
  [[nodiscard]] boost::json::object front() const {
    return (*this)[0];
  }
  [[nodiscard]] boost::json::object back() const {
    return (*this)[size() - 1];
  }

  [[nodiscard]] bool operator==(const agent_log& other) const {
    return lines_->text == other.lines_->text;
  }

private:
  struct lines {
    std::string text;
    std::vector<std::size_t> ends; ///< of each, in the text
  };

  std::shared_ptr<lines> lines_ = std::make_shared<lines>();
};

} // namespace convene::host
