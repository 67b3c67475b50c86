// What all pages have: blocks of deflated text, inflated when they are wanted,
// elements and words. Text is only ever text: it is shown by textContent.

const byId = (id) => document.getElementById(id);

/// The text of a block; waits for blocks that the browser has not read yet.
async function inflate(id) {
  const againMs = 20;
  // A block without anything behind it may be read in half.
  while (document.readyState === 'loading' && !byId(id)?.nextElementSibling) {
    await new Promise((done) => {
      setTimeout(done, againMs);
    });
  }
  const coded = byId(id).textContent;
  let bytes;
  if (Uint8Array.fromBase64) {
    bytes = Uint8Array.fromBase64(coded);
  } else {
    const binary = atob(coded);
    bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; ++i) {
      bytes[i] = binary.charCodeAt(i);
    }
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Response(stream).text();
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

/// `1 event`, `2 events`.
function counted(count, word) {
  return `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
}

/// Steps of an axis: 1, 2 or 5 times a power of ten.
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= least);
}

/// The index behind the string that begins at `from`.
function endOfString(text, from) {
  let at = from + 1;
  while (text[at] !== '"') {
    at += text[at] === '\\' ? 2 : 1;
  }
  return at + 1;
}

/// JSON, indented: numbers, strings and the order of members as they are in
/// the text, which parsing would change. Text that is no JSON is left alone.
function indented(text) {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const tokens = [];
  for (let at = 0; at < text.length;) {
    let end = at + 1;
    if (text[at] === '"') {
      end = endOfString(text, at);
    } else if (/[-+.\w]/.test(text[at])) {
      while (end < text.length && /[-+.\w]/.test(text[end])) {
        ++end;
      }
    }
    if (!/\s/.test(text[at])) {
      tokens.push(text.slice(at, end));
    }
    at = end;
  }
  let depth = 0;
  const line = () => `\n${'  '.repeat(depth)}`;
  return tokens.map((token, i) => {
    if (token === '{' || token === '[') {
      ++depth;
      return tokens[i + 1] === '}' || tokens[i + 1] === ']' ? token : token + line();
    }
    if (token === '}' || token === ']') {
      --depth;
      return tokens[i - 1] === '{' || tokens[i - 1] === '[' ? token : line() + token;
    }
    return token === ',' ? token + line() : token === ':' ? ': ' : token;
  }).join('');
}

/// As much of the words as fits, by what `widthOf` says of them.
function shortened(words, width, widthOf) {
  if (widthOf(words) <= width) {
    return words;
  }
  let fits = Math.max(0, Math.min(words.length, Math.floor(width / 4)));
  while (fits > 0 && widthOf(`${words.slice(0, fits)}…`) > width) {
    --fits;
  }
  return `${words.slice(0, fits)}…`;
}
