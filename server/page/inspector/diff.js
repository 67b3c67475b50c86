// Texts compared line by line.

const diffLinesMax = 400;

/// [[sign, line]], where the sign is +, − or a space; undefined if the texts are
/// too long to be compared.
function lineDiff(before, after) {
  const [a, b] = [before, after].map((text) => (text === '' ? [] : text.split('\n')));
  if (a.length > diffLinesMax || b.length > diffLinesMax) {
    return undefined;
  }
  const width = b.length + 1;
  const common = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; --i) {
    for (let j = b.length - 1; j >= 0; --j) {
      common[i * width + j] = a[i] === b[j] ? common[(i + 1) * width + j + 1] + 1
          : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  const lines = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push([' ', a[i++]]);
      ++j;
    } else if (j === b.length || (i < a.length && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      lines.push(['−', a[i++]]);
    } else {
      lines.push(['+', b[j++]]);
    }
  }
  return lines;
}
