// What a session is here: columns by event and by bar, and lists by lane. Logged
// text is only ever text: it is parsed as JSON, and shown by textContent.

/// The index of the last number that is not above `value`, in ascending ones.
function lastAtMost(list, value) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] <= value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - 1;
}

const barKinds = ['turn', 'broadcast', 'decision', 'vote', 'action'];
const statusNames = ['open', 'completed', 'failed', 'timed out', 'declined', 'cancelled', 'handed off', 'other'];
const isFailure = (status) => status === 2 || status === 3 || status === 4;

/// Events that show as marks on their lane, and how.
const marks = new Map(Object.entries({
  resource_written: 'write',
  claim_taken: 'claim',
  claim_handed_over: 'claim',
  claim_released: 'claim',
  write_refused: 'refused',
  claim_refused: 'refused',
  budget_exceeded: 'refused',
}));

/// The text of events, which `text` has by their number; parsed ones are kept.
class ParsedEvents {
  #parsed = new Map();

  async event(number) {
    const parsedMax = 20_000;
    const known = this.#parsed.get(number);
    if (known !== undefined) {
      return known;
    }
    const event = JSON.parse(await this.text(number));
    if (this.#parsed.size >= parsedMax) {
      this.#parsed.clear();
    }
    this.#parsed.set(number, event);
    return event;
  }
}
