#pragma once

#include <convene/server/http/answer_budget.hpp>
#include <convene/server/http/response.hpp>
#include <convene/server/http/server_core.hpp>

#include <optional>
#include <string>
#include <string_view>

// Whether there is room for the answer of a request.

namespace convene::server {

/// The same for all answers that a key, or an address without one, gets.
[[nodiscard]] std::string reader_of(const caller& by, std::string_view address);

/// A connection that is one too many.
struct spare_connection {
  bool is_reserve = false;     ///< of all, or of its address
  bool is_of_full_key = false; ///< of its key
};

/// Why a request that needs an answer of any size is not taken.
[[nodiscard]] std::optional<response>
no_room(const server_core& core, error_form form, const spare_connection& on,
        std::string_view reader);

/// Counts an answer's bytes as soon as there are any. One that does not fit
/// becomes an error.
[[nodiscard]] answer_budget::charge hold(server_core& core, error_form form,
                                         std::string_view reader,
                                         response& what);

} // namespace convene::server
