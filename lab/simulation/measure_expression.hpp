#pragma once

#include <convene/lab/simulation/measure.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace convene::host {

class measure_expression {
public:
  enum class kind : std::uint8_t {
    number,   ///< `value`
    member,   ///< of result.json: `texts`, its path
    events,   ///< of the type `texts[0]`
    value,    ///< of the resource `texts[0]`, `texts[1]`, at `texts[2]`
    version,  ///< of that resource; 0: it never was there
    versions, ///< of all resources of the type `texts[0]` together
    negated,  ///< `parts[0]`
    rounded_down,
    sum, ///< of both parts, like the next
    difference,
    product,
    quotient
  };

  kind what = kind::number;
  double value = 0;
  std::vector<std::string> texts;
  std::vector<measure_expression> parts;

  [[nodiscard]] std::optional<double> of(const measured_session& from) const;
};

} // namespace convene::host
