// The rows of a timeline on the page, of which the latest are shown.
import {element, plural} from './dom.js';
import {rowNode} from './view_parts.js';

const rowsMax = 1000;

export class TimelineList {
  #rows = [];
  #leftOut = 0;
  #list = element('ol', {className: 'timeline'});
  #state = element('p', {className: 'empty', role: 'status'}, 'Loading …');
  #latest = element('button', {type: 'button', className: 'quiet', hidden: true},
                    'Go to the latest event');

  /// `self` is what does something where a row names nobody; `path` has all events.
  constructor(self, path) {
    this.self = self;
    this.path = path;
    this.#latest.addEventListener('click', () => {
      this.#list.lastElementChild?.scrollIntoView({block: 'end'});
    });
    this.node = element('section', {className: 'events', 'aria-labelledby': 'timeline-title'},
        element('div', {className: 'row'},
                element('h2', {id: 'timeline-title'}, 'Timeline'), this.#latest),
        this.#state, this.#list);
  }

  /// Takes a row, or undefined; it is shown by the next `draw`.
  add(row) {
    if (row !== undefined) {
      this.#rows.push(row);
    }
  }

  draw() {
    const page = document.documentElement;
    const wasAtEnd = scrollY > 0 && scrollY + innerHeight >= page.scrollHeight - 60;
    const shown = this.#list.childElementCount + this.#rows.length;
    this.#leftOut += Math.max(0, shown - rowsMax);
    this.#list.append(...this.#rows.slice(-rowsMax).map((row) => rowNode(row, this.self)));
    this.#rows = [];
    while (this.#list.childElementCount > rowsMax) {
      this.#list.firstElementChild.remove();
    }
    this.#state.textContent = this.#leftOut === 0 ? ''
        : `${plural(this.#leftOut, 'earlier event')} left out here; ${this.path} has all.`;
    this.#latest.hidden = this.#list.childElementCount < 12;
    if (wasAtEnd) {
      scrollTo({top: page.scrollHeight});
    }
  }
}
