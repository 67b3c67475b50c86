#pragma once

#include <convene/protocol/base/error.hpp>
#include <sys/types.h>

#include <filesystem>

namespace convene::host {

/// The user and group that confined programs have when convene runs as root:
/// the first number from `confined_user_first` on that is neither a user's nor
/// a group's. Owns nothing but the folders that convene gives to programs.
[[nodiscard]] uid_t confined_user();

/// No distribution gives these numbers away (systemd, "Users, Groups, UIDs and
/// GIDs"): 60578 to 61183 are unused.
inline constexpr uid_t confined_user_first = 60578;
inline constexpr uid_t confined_user_last = 61183;

/// Whether programs have to become another user to have no rights outside of
/// their sandbox: convene runs as root.
[[nodiscard]] bool is_root();

/// Whether the permissions of a file or folder itself, not of those above it,
/// let this user do all of `what`: R_OK, W_OK, X_OK.
[[nodiscard]] bool lets(uid_t user, const std::filesystem::path& file,
                        int what);

/// Gives a folder that convene has made for a program to the confined user, if
/// convene is root.
[[nodiscard]] protocol::result<void>
give_to_confined_user(const std::filesystem::path& folder);

} // namespace convene::host
