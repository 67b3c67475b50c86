#pragma once

#include <convene/session/requests/request.hpp>
#include <convene/session/spec/spec.hpp>

#include <string_view>
#include <vector>

namespace convene::session {

/// What the participants' roles let them write (MPLP runtime.md 10). A role
/// without a list of capabilities may write everything, as may a participant
/// without a Role document; a list is closed: it grants `<resource_type>.write`
/// by exactly that text, by `<resource_type>.*` or by `*`.
class permissions {
public:
  [[nodiscard]] bool may_write(const spec& what, participant_index who,
                               std::string_view resource_type);

private:
  /// By position; built at the first write.
  std::vector<const std::vector<std::string>*> capabilities_;
};

} // namespace convene::session
