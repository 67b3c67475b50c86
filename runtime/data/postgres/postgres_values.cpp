#include <convene/runtime/data/postgres/postgres_library.hpp>
#include <convene/runtime/data/postgres/postgres_values.hpp>

namespace convene::host {
namespace {

// OIDs of PostgreSQL's own types, which never change (pg_type.dat).
constexpr unsigned bytea_oid = 17;
constexpr unsigned bigint_oid = 20;
constexpr unsigned text_oid = 25;
constexpr unsigned text_array_oid = 1009;
constexpr unsigned bigint_array_oid = 1016;

/// Big-endian, as the protocol has it.
template <class Number>
void put_number(std::string& into, Number number) {
  for (int bits = static_cast<int>(sizeof number) * 8 - 8; bits >= 0; bits -= 8)
    into += static_cast<char>(static_cast<std::uint64_t>(number) >> bits);
}

void put_element(std::string& into, std::int64_t number) {
  put_number(into, std::int32_t{sizeof number});
  put_number(into, number);
}

void put_element(std::string& into,
                 const std::optional<std::string_view>& text) {
  put_number(into,
             text ? static_cast<std::int32_t>(text->size()) : std::int32_t{-1});
  into.append(text.value_or(""));
}

/// An array of one dimension.
template <class T>
std::string array_of(unsigned element, const std::vector<T>& all) {
  std::string made;
  put_number(made, std::int32_t{all.empty() ? 0 : 1}); // dimensions
  put_number(made, std::int32_t{1});                   // may have nulls
  put_number(made, static_cast<std::int32_t>(element));
  if (all.empty())
    return made;
  put_number(made, static_cast<std::int32_t>(all.size()));
  put_number(made, std::int32_t{1}); // the first index
  for (const auto& each : all)
    put_element(made, each);
  return made;
}

} // namespace

postgres_parameter::postgres_parameter(std::string_view text) noexcept
  : type_{text_oid}, outside_{text.data() == nullptr ? "" : text} {
  // nop
}

postgres_parameter::postgres_parameter(
  const std::optional<std::string_view>& text) noexcept
  : type_{text_oid} {
  if (text)
    *this = postgres_parameter{*text};
}

postgres_parameter::postgres_parameter(std::int64_t number)
  : type_{bigint_oid}, own_{std::in_place} {
  put_number(*own_, number);
}

postgres_parameter::postgres_parameter(
  const std::vector<std::string_view>& texts)
  : type_{text_array_oid}, own_{array_of(text_oid, texts)} {
  // nop
}

postgres_parameter::postgres_parameter(
  const std::vector<std::optional<std::string_view>>& texts)
  : type_{text_array_oid}, own_{array_of(text_oid, texts)} {
  // nop
}

postgres_parameter::postgres_parameter(const std::vector<std::int64_t>& numbers)
  : type_{bigint_array_oid}, own_{array_of(bigint_oid, numbers)} {
  // nop
}

postgres_parameter postgres_parameter::bytes(std::string_view raw) noexcept {
  postgres_parameter made{bytea_oid};
  made.outside_ = raw.data() == nullptr ? "" : raw;
  return made;
}

const char* postgres_parameter::data() const noexcept {
  return own_ ? own_->data() : outside_.data();
}

std::size_t postgres_parameter::size() const noexcept {
  return own_ ? own_->size() : outside_.size();
}

void postgres_rows::clear_row::operator()(pg_result* which) const noexcept {
  postgres().clear(which);
}

bool postgres_rows::is_null(std::size_t row, int column) const {
  return postgres().get_is_null(rows_[row].get(), 0, column) != 0;
}

std::string_view postgres_rows::text(std::size_t row, int column) const {
  const auto* const one = rows_[row].get();
  return {postgres().get_value(one, 0, column),
          static_cast<std::size_t>(postgres().get_length(one, 0, column))};
}

std::int64_t postgres_rows::number(std::size_t row, int column) const {
  const auto bytes = text(row, column);
  if (bytes.empty())
    return 0;
  const auto first = static_cast<signed char>(bytes.front());
  auto made = static_cast<std::uint64_t>(std::int64_t{first}); // keeps the sign
  for (const auto byte : bytes.substr(1))
    made = made << 8 | static_cast<unsigned char>(byte);
  return static_cast<std::int64_t>(made);
}

} // namespace convene::host
