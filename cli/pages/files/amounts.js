// Numbers as a person reads them: four digits or as many as are wanted, but whole
// numbers as they are.

const unitSteps = {
  milliseconds: [[2 * 3600e3, 3600e3, 'h'], [120e3, 60e3, 'min'], [1e3, 1e3, 's'], [1, 1, 'ms'], [0, 1e-3, 'µs']],
  bytes: [[2 ** 40, 2 ** 40, 'TiB'], [2 ** 30, 2 ** 30, 'GiB'], [2 ** 20, 2 ** 20, 'MiB'], [1024, 1024, 'KiB'],
          [0, 1, 'B']],
};

function digits(value, count = 4) {
  const size = Math.abs(value);
  if (size >= 1e15 || (size > 0 && size < 1e-6)) {
    return value.toExponential(count - 1);
  }
  const isWhole = Number.isInteger(value) || size >= 10 ** (count - 1);
  return value.toLocaleString('en', isWhole ? {maximumFractionDigits: 0} : {maximumSignificantDigits: count});
}

function unsignedAmount(unit, value, count) {
  if (unit === 'share') {
    return `${digits(100 * value, count)} %`;
  }
  if (unit === 'microusd') {
    return `$${digits(value / 1e6, count)}`;
  }
  if (unit === 'number') {
    return digits(value, count);
  }
  const steps = unitSteps[unit];
  const [, size, name] = value === 0 ? steps.find(([, each]) => each === 1) : steps.find(([least]) => value >= least);
  return `${digits(value / size, count)} ${name}`;
}

/// A number with its unit; with a sign if it is a difference.
function amount(unit, value, isDifference = false, count = 4) {
  const sign = value < 0 ? '−' : isDifference && value > 0 ? '+' : '';
  return sign + unsignedAmount(unit, Math.abs(value), count);
}

/// The interval of an estimate; '' if it has none.
function intervalWords(unit, {low, high}, isDifference = false) {
  const words = (value) => amount(unit, value, isDifference);
  if (low === null && high === null) {
    return '';
  }
  if (high === null) {
    return `${words(low)} or more`;
  }
  return low === null ? `${words(high)} or less` : `${words(low)} to ${words(high)}`;
}

/// A value as words. Of a difference that is infinite, on which side.
function valueWords({unit, unknown = '?', is_difference: isDifference = false}, {value, infinite = 0}) {
  if (value !== null) {
    return amount(unit, value, isDifference);
  }
  return isDifference && infinite !== 0 ? `${infinite > 0 ? '+' : '−'}∞` : unknown;
}
