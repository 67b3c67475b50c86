#pragma once

#include <convene/actors/behaviours/turn_request.hpp>

#include <string>

// Whether what a model wants to do fits its request, beyond its form; for
// sources in this folder only. Each returns what is wrong, for the model;
// empty: nothing.

namespace convene::host {

[[nodiscard]] std::string problem_of(const protocol::resource_write& what,
                                     const actors::turn_request& asked);
[[nodiscard]] std::string problem_of(const protocol::handoff& what,
                                     const actors::turn_request& asked);
[[nodiscard]] std::string problem_of(const protocol::vote& what,
                                     const actors::turn_request& asked);
[[nodiscard]] std::string problem_of(const protocol::decision& what,
                                     const actors::turn_request& asked);

/// The first problem of a whole reply.
[[nodiscard]] std::string problem_of(const protocol::reply& what,
                                     const actors::turn_request& asked);

/// The version that a write of this request changes; 0: there never was one.
[[nodiscard]] std::int64_t version_of(const actors::turn_request& asked,
                                      std::string_view type,
                                      std::string_view id);

/// Whether the request allows writes at all.
[[nodiscard]] bool may_write(const actors::turn_request& asked);

} // namespace convene::host
