// One session, live.
import {get, sessionPath} from './api.js';
import {controls} from './controls.js';
import {element, fill, name, plural, prose, replaceIn} from './dom.js';
import {questionCard, statusBadge} from './home.js';
import {apply, begin, isEnd, reasonWords} from './model.js';
import {keyOf} from './reply.js';
import {conflictNode, costNodes, none, panel, participantNode, participantsOf, resourceNode,
        shownMax} from './session_parts.js';
import {Follower} from './stream.js';
import {rowOf} from './timeline.js';
import {TimelineList} from './timeline_list.js';

const drawMs = 50; // events that come together are shown together
const settleMs = 300; // and what they wrote is asked for once
const againMs = 3000;
const missingMs = 400; // until a session that is not there yet is asked for again
const missingMax = 5;

const actionsOf = (path) => [
  {name: 'Suspend', path: `${path}/suspend`, title: 'Suspend this session?',
   when: (status) => status === 'active',
   text: 'Its open questions are closed, and asked again once it is resumed.'},
  {name: 'Resume', path: `${path}/resume`, title: 'Resume this session?',
   when: (status) => status === 'suspended', text: 'It goes on where it was.'},
  {name: 'Cancel', path: `${path}/cancel`, title: 'Cancel this session?', tone: 'bad',
   when: (status) => ['active', 'suspended'].includes(status),
   text: 'It ends here, as cancelled. That cannot be undone.'},
];

export class SessionView {
  title = 'Session';
  #app;
  #id;
  #model = begin();
  #drawing = false;
  #fetching;
  #missing;
  #revisionShown = -1;
  #askedShown = '';
  #openResources = new Set();
  #life = new AbortController();
  #follower;
  #unwatch;

  #heading = element('h1', {tabIndex: -1}, 'Session');
  #facts = element('p', {className: 'meta'});
  #about = element('div');
  #outcome = element('p', {role: 'status', className: 'outcome', hidden: true});
  #questions = element('ul', {className: 'cards'});
  #timeline;
  #controls;
  #participants = element('ul', {className: 'plain'});
  #resources = element('ul', {className: 'plain'});
  #conflicts = element('ul', {className: 'plain'});
  #cost = element('div');
  #panels = {
    participants: panel('Who holds the token', this.#participants),
    workspace: panel('Workspace', this.#resources, none()),
    conflicts: panel('Conflicts', this.#conflicts, none()),
    cost: panel('Cost', this.#cost),
  };

  constructor(app, id) {
    this.#app = app;
    this.#id = id;
    this.#panels.participants.node.open = true;
    this.#timeline = new TimelineList('session', `${sessionPath(id)}/events`);
    this.#controls = controls(actionsOf(sessionPath(id)), app);
    this.node = this.#layOut();
    this.#unwatch = app.watchQuestions(({all}) => {
      const here = all.filter((each) => each.session?.session_id === id);
      fill(this.#questions, here, keyOf, (each) => questionCard(each, {namesSession: false}));
    });
    this.#follow();
  }

  /// A run names its session a moment before there is one.
  #follow(missing = 0) {
    this.#follower = new Follower(`${sessionPath(this.#id)}/events`, {
      onEvent: ({data}) => this.#take(data),
      onState: (state) => {
        this.#drawSoon();
        this.#app.connection('session', state);
      },
      onEnd: (failure) => {
        if (failure.status === 404 && missing < missingMax) {
          this.#missing = setTimeout(() => this.#follow(missing + 1), missingMs);
          return;
        }
        replaceIn(this.node,
            element('h1', {tabIndex: -1}, 'Session'),
            element('p', {role: 'status'}, `This session cannot be shown: ${failure.message}`),
            element('p', {}, element('a', {href: '#/'}, 'Questions, sessions and runs')));
        this.#app.failed(failure);
      },
    });
    this.#follower.run();
  }

  stop() {
    this.#unwatch();
    this.#follower.stop();
    this.#life.abort();
    clearTimeout(this.#fetching);
    clearTimeout(this.#missing);
    this.#app.connection('session', {connected: true});
  }

  retry() {
    this.#follower.tryNow();
  }

  #layOut() {
    return element('article', {className: 'session'},
        element('div', {className: 'head'}, this.#heading, this.#facts, this.#controls.node,
                this.#outcome, this.#about, this.#questions),
        element('div', {className: 'side'}, Object.values(this.#panels).map((each) => each.node)),
        this.#timeline.node);
  }

  /// Returns whether more events may follow.
  #take(data) {
    let event;
    try {
      event = JSON.parse(data);
    } catch {
      return true; // a later version's
    }
    apply(this.#model, event);
    this.#timeline.add(rowOf(event));
    this.#drawSoon();
    return !isEnd(event);
  }

  /// By a timer, since frames stop while nobody looks.
  #drawSoon() {
    if (this.#drawing) {
      return;
    }
    this.#drawing = true;
    setTimeout(() => {
      this.#drawing = false;
      if (!this.#life.signal.aborted && this.#model.status !== 'starting') {
        this.#drawHead();
        this.#drawPanels();
        this.#timeline.draw();
      }
    }, drawMs);
  }

  #drawHead() {
    const {title, status, mode, turns, stepsTotal, stepsClosed, purpose, task, endedBy} = this.#model;
    this.#heading.replaceChildren(title ? name(title) : `Session ${this.#id}`);
    this.#app.titled(title || 'Session');
    this.#facts.replaceChildren(
        statusBadge(status), ` ${mode.replaceAll('_', ' ')} · ${plural(turns, 'turn')}`,
        stepsTotal > 0 ? ` · ${stepsClosed} of ${plural(stepsTotal, 'step')} closed` : '');
    this.#controls.show(status);
    if (this.#about.childElementCount === 0) {
      this.#about.append(purpose ? prose(purpose) : '', task && task !== purpose ? prose(task) : '');
    }
    if (endedBy && this.#outcome.hidden) {
      this.#outcome.hidden = false;
      this.#outcome.textContent = `The session is ${status} (${reasonWords(endedBy)}).`;
    }
  }

  #drawPanels() {
    const all = participantsOf(this.#model);
    fill(this.#participants, all.slice(0, shownMax), (each) => each.who, participantNode);
    // Who is asked now, or no longer, has a question more or less.
    const asked = all.filter((each) => each.kind === 'human')
                      .map((each) => `${each.turns.map((one) => one.turn)} ${each.asked}`).join();
    if (asked !== this.#askedShown) {
      this.#askedShown = asked;
      this.#app.questionsChanged();
    }
    const some = all.length > shownMax ? ` (${shownMax} of ${all.length} shown)` : '';
    this.#panels.participants.heading.textContent =
        (this.#model.endedBy ? 'Participants' : 'Who holds the token') + some;
    const conflicts = [...this.#model.conflicts.values()].reverse();
    fill(this.#conflicts, conflicts.slice(0, shownMax), (each) => each.id, conflictNode);
    this.#panels.conflicts.heading.textContent = `Conflicts (${conflicts.length})`;
    this.#cost.replaceChildren(...costNodes(this.#model));
    if (this.#revisionShown !== this.#model.revision && this.#fetching === undefined) {
      this.#fetching = setTimeout(() => this.#fetchWorkspace(), settleMs);
    }
  }

  async #fetchWorkspace() {
    const wanted = this.#model.revision;
    try {
      const {resources = []} = await get(`${sessionPath(this.#id)}/workspace`, this.#life.signal);
      this.#fetching = undefined;
      this.#revisionShown = wanted;
      fill(this.#resources, resources, (each) => `${each.resource_type}/${each.resource_id}`,
           (each) => resourceNode(each, this.#openResources));
      this.#panels.workspace.heading.textContent = `Workspace (${resources.length})`;
      this.#drawSoon(); // it may have changed meanwhile
    } catch (failure) {
      if (this.#life.signal.aborted) {
        return;
      }
      if (failure.mayPass) {
        this.#fetching = setTimeout(() => this.#fetchWorkspace(), againMs);
      } else {
        this.#resources.replaceChildren(
            element('li', {}, `It cannot be shown: ${failure.message}`));
      }
    }
  }
}
