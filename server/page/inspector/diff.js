// Texts compared line by line.

const diffLinesMax = 400;

/// A longest common subsequence of lines, and what is around it: pairs of their
/// places in both lists, of which one is undefined where the line is in one alone.
function alignedLines(a, b) {
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; --i) {
    for (let j = b.length - 1; j >= 0; --j) {
      common[i * width + j] = a[i] === b[j] ? common[(i + 1) * width + j + 1] + 1
          : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  const pairs = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      pairs.push([i++, j++]);
    } else if (j === b.length || (i < a.length && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      pairs.push([i++, undefined]);
    } else {
      pairs.push([undefined, j++]);
    }
  }
  return pairs;
}

/// [[sign, line]], where the sign is +, − or a space; undefined if the texts are
/// too long to be compared.
function lineDiff(before, after) {
  const [a, b] = [before, after].map((text) => (text === '' ? [] : text.split('\n')));
  return a.length > diffLinesMax || b.length > diffLinesMax ? undefined
      : alignedLines(a, b).map(([i, j]) => (j === undefined ? ['−', a[i]] : [i === undefined ? '+' : ' ', b[j]]));
}
