// Where a number is on an axis, and what is written along it.

const timeSteps = [10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 28800, 86400].map((each) => each * 1e3);
const percentiles = [0, 50, 75, 90, 95, 99, 99.9, 99.99, 99.999, 99.9999];

/// Steps in which a person counts the unit.
function stepOf(unit, least) {
  if (unit === 'milliseconds' && least > 5e3) {
    return timeSteps.find((each) => each >= least) ?? niceStep(least / 86400e3) * 86400e3;
  }
  if (unit === 'bytes' && least > 1024) {
    const size = 1024 ** Math.floor(Math.log2(least) / 10);
    return niceStep(least / size) * size;
  }
  return niceStep(least);
}

class Axis {
  /// `values` must be on it; it goes from pixel `begin` to pixel `end`, with a
  /// tick for every `gap` pixels at most. Its ends are ticks if `isRound`.
  constructor({scale = 'linear', unit = 'number', values, begin, end, gap = 80, isRound = false}) {
    this.scale = scale;
    this.unit = unit;
    this.begin = begin;
    this.end = end;
    const usable = values.filter((each) => this.has(each));
    this.low = usable.length === 0 ? 1 : usable.reduce((one, two) => Math.min(one, two));
    this.high = usable.length === 0 ? 1 : usable.reduce((one, two) => Math.max(one, two));
    if (this.low === this.high) {
      this.#widen();
    }
    const count = Math.max(1, Math.floor(Math.abs(end - begin) / gap));
    this.ticks = usable.length === 0 ? [] : scale === 'linear' ? this.#linear(count, isRound)
        : this.#apart(this.#candidates(isRound), gap);
    // As many digits as ticks need to be what they are, and to be told apart.
    const size = (value) => Math.floor(Math.log10(Math.abs(value)));
    const most = Math.max(Math.abs(this.low), Math.abs(this.high));
    this.digits = scale === 'linear' && this.ticks.length > 0
        ? Math.min(15, Math.max(4, size(most) - size(this.step) + 1)) : 4;
    while (this.digits < 15 && this.#areAlike()) {
      ++this.digits;
    }
  }

  #areAlike() {
    return new Set(this.ticks.map((tick) => this.words(tick))).size < this.ticks.length;
  }

  /// One number alone is in the middle.
  #widen() {
    if (this.scale === 'logarithmic') {
      [this.low, this.high] = [this.low / 2, this.high * 2];
    } else if (this.scale === 'percentile') {
      this.low = 0;
    } else {
      const by = Math.abs(this.low) / 2 || 1;
      [this.low, this.high] = [this.low - by, this.high + by];
    }
  }

  has(value) {
    return Number.isFinite(value) && (this.scale === 'linear' || (this.scale === 'logarithmic' ? value > 0
                                                                    : value >= 0 && value < 100));
  }

  #linear(count, isRound) {
    const step = stepOf(this.unit === 'share' ? 'number' : this.unit, (this.high - this.low) / count);
    if (isRound) {
      this.low = Math.floor(this.low / step) * step;
      this.high = Math.ceil(this.high / step) * step;
    }
    this.step = step;
    const first = Math.ceil(this.low / step - 1e-9);
    const last = Math.floor(this.high / step + 1e-9);
    return Array.from({length: last - first + 1}, (_, i) => Number(((first + i) * step).toPrecision(12)));
  }

  #candidates(isRound) {
    if (this.scale === 'percentile') {
      return percentiles.filter((each) => each >= this.low - 1e-9 && each <= this.high + 1e-9);
    }
    const from = Math.floor(Math.log10(this.low));
    const to = Math.ceil(Math.log10(this.high));
    const decades = Array.from({length: to - from + 1}, (_, i) => 10 ** (from + i));
    const parts = to - from <= 2 ? [1, 2, 5] : [1];
    const all = decades.flatMap((each) => parts.map((part) => Number((each * part).toPrecision(3))));
    if (isRound) {
      this.low = all.filter((each) => each <= this.low * (1 + 1e-9)).at(-1) ?? this.low;
      this.high = all.find((each) => each >= this.high * (1 - 1e-9)) ?? this.high;
    }
    return all.filter((each) => each >= this.low * (1 - 1e-9) && each <= this.high * (1 + 1e-9));
  }

  /// Those that are far enough from the one before.
  #apart(all, gap) {
    let last = -Infinity;
    return all.filter((each) => {
      const at = Math.abs(this.place(each) - this.begin);
      if (at - last < gap * 0.6) {
        return false;
      }
      last = at;
      return true;
    });
  }

  #line(value) {
    return this.scale === 'logarithmic' ? Math.log10(value) : this.scale === 'percentile' ? -Math.log10(1 - value / 100)
        : value;
  }

  place(value) {
    const low = this.#line(this.low);
    return this.begin + (this.#line(value) - low) / (this.#line(this.high) - low) * (this.end - this.begin);
  }

  words(tick, isDifference = false) {
    return this.scale === 'percentile' ? `p${tick}` : amount(this.unit, tick, isDifference, this.digits);
  }
}
