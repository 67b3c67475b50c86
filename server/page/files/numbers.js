// The numbers of GET /metrics: sums, rates and quantiles of what it has.

/// {name: [{labels, value}]} of the text for Prometheus; other lines are left out.
export function parseNumbers(text) {
  const all = new Map();
  for (const line of text.split('\n')) {
    const found = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? ([^ ]+)/.exec(line);
    if (found === null) {
      continue;
    }
    const value = found[3] === '+Inf' ? Infinity : Number(found[3]);
    const labels = Object.fromEntries([...(found[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, word]) => [name, word]));
    const list = all.get(found[1]) ?? [];
    list.push({labels, value});
    all.set(found[1], list);
  }
  return all;
}

export const sumOf = (numbers, name) => (numbers.get(name) ?? []).reduce((all, {value}) => all + value, 0);

/// How many values are at most each bound, over all labels: Map of bound to count.
export function bucketsOf(numbers, name) {
  const made = new Map();
  for (const {labels: {le}, value} of numbers.get(`${name}_bucket`) ?? []) {
    const bound = le === '+Inf' ? Infinity : Number(le);
    made.set(bound, (made.get(bound) ?? 0) + value);
  }
  return made;
}

/// The quantile of a histogram's buckets as Prometheus estimates it: linear within
/// a bucket; of what is beyond the last bound, that bound. Undefined if empty.
export function quantileOf(buckets, share) {
  const bounds = [...buckets.keys()].sort((one, two) => one - two);
  const total = buckets.get(Infinity) ?? 0;
  const rank = share * total;
  let [low, below] = [0, 0];
  for (const bound of bounds) {
    const count = buckets.get(bound);
    if (total > 0 && count >= rank) {
      return bound === Infinity ? low : low + (bound - low) * (count === below ? 1 : (rank - below) / (count - below));
    }
    [low, below] = [bound, count];
  }
  return undefined;
}

/// What came since an earlier look; a server that was started again began anew.
export const sinceThen = (now, before) => new Map([...now].map(([bound, count]) => [bound, Math.max(0, count - (before.get(bound) ?? 0))]));
