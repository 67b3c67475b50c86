// One run of a workflow, live, and the forms that answer what it asks.
import {get, runPath} from './api.js';
import {controls} from './controls.js';
import {deadline, element, fill, name, replaceIn} from './dom.js';
import {runUrl, statusBadge} from './home.js';
import {aboutRequest, interruptForm} from './interrupt_form.js';
import {askedWords} from './reply.js';
import {apply, begin, isEnd, statusOf} from './run_model.js';
import {channelNode, nodeNode, turnNode} from './run_parts.js';
import {runRowOf} from './run_timeline.js';
import {none, panel, shownMax} from './view_parts.js';
import {Follower} from './stream.js';
import {TimelineList} from './timeline_list.js';

const drawMs = 50; // events that come together are shown together
const settleMs = 300; // and what they wrote is asked for once
const againMs = 3000;

const actionsOf = (id) => [
  {name: 'Pause', path: `${runPath(id)}:pause`, title: 'Pause this run?',
   when: (status) => ['running', 'waiting-approval', 'waiting-input', 'waiting-external'].includes(status),
   text: 'No further node starts until it is resumed. What is open can be answered.'},
  {name: 'Resume', path: `${runPath(id)}:resume`, title: 'Resume this run?',
   when: (status) => status === 'paused', text: 'Its next nodes start.'},
  {name: 'Cancel', path: `${runPath(id)}/cancel`, title: 'Cancel this run?', tone: 'bad',
   when: (status) => !['pending', 'completed', 'failed', 'cancelled'].includes(status),
   text: 'It ends here, and so do its sessions and conversations. That cannot be undone.'},
];

export class RunView {
  title = 'Run';
  #app;
  #id;
  #wanted; // the node whose form has the focus once it is there
  #model = begin();
  #snapshot = {nodeStates: {}, channels: {}};
  #drawing = false;
  #fetching;
  #fetched = 0;
  #life = new AbortController();
  #follower;
  #mayAnswer;
  #forms = new Map(); // by interrupt: {node, form, turns}
  #formCount = 0;
  #open = new Set(); // details that are open

  #heading = element('h1', {tabIndex: -1}, 'Run');
  #facts = element('p', {className: 'meta'});
  #controls;
  #outcome = element('p', {role: 'status', className: 'outcome', hidden: true});
  #sent = element('p', {role: 'status', className: 'sent', hidden: true});
  #questions = element('div', {className: 'requests'});
  #nodes = element('ul', {className: 'plain'});
  #channels = element('ul', {className: 'plain'});
  #panels = {
    nodes: panel('Nodes', this.#nodes),
    channels: panel('Channels', this.#channels, none()),
  };
  #timeline;

  constructor(app, id, wanted = '') {
    this.#app = app;
    this.#id = id;
    this.#wanted = wanted;
    this.#panels.nodes.node.open = true;
    this.#controls = controls(actionsOf(id), app);
    this.#timeline = new TimelineList('run', `${runPath(id)}/events`);
    this.node = element('article', {className: 'session'},
        element('div', {className: 'head'}, this.#heading, this.#facts, this.#controls.node,
                this.#outcome, this.#sent, this.#questions),
        element('div', {className: 'side'}, Object.values(this.#panels).map((each) => each.node)),
        this.#timeline.node);
    app.caller().then(({scopes}) => {
      this.#mayAnswer = scopes.includes('approvals:respond');
      this.#drawSoon();
    });
    this.#follower = new Follower(`${runPath(id)}/events?streamMode=debug`, {
      onEvent: ({data}) => this.#take(data),
      onState: (state) => {
        this.#drawSoon();
        app.connection('run', state);
      },
      onEnd: (failure) => {
        replaceIn(this.node,
            element('h1', {tabIndex: -1}, 'Run'),
            element('p', {role: 'status'}, `This run cannot be shown: ${failure.message}`),
            element('p', {}, element('a', {href: '#/'}, 'Questions, sessions and runs')));
        app.failed(failure);
      },
    });
    this.#follower.run();
  }

  stop() {
    this.#follower.stop();
    this.#life.abort();
    clearTimeout(this.#fetching);
    this.#app.connection('run', {connected: true});
  }

  retry() {
    this.#follower.tryNow();
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
    this.#timeline.add(runRowOf(event));
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
      if (!this.#life.signal.aborted && this.#model.status !== 'pending') {
        this.#drawHead();
        this.#drawQuestions();
        this.#drawPanels();
        this.#timeline.draw();
      }
    }, drawMs);
  }

  #drawHead() {
    const {workflow, parent, error, hasEnded} = this.#model;
    const status = statusOf(this.#model);
    this.#heading.replaceChildren(name(workflow));
    this.#app.titled(workflow);
    this.#facts.replaceChildren(statusBadge(status), ' run ', name(this.#id), parent ? ' of a ' : '',
                                parent ? element('a', {href: runUrl(parent)}, 'parent run') : '');
    this.#controls.show(status);
    if (hasEnded && this.#outcome.hidden) {
      this.#outcome.hidden = false;
      this.#outcome.replaceChildren(`The run ${status === 'failed' ? 'has' : 'is'} ${status}`,
                                    ...(error ? [': ', name(error.message ?? error.code)] : ['.']));
    }
  }

  #drawQuestions() {
    for (const [id, shown] of this.#forms) {
      const open = this.#model.interrupts.get(id);
      shown.form?.setOpen(open !== undefined);
      if (open !== undefined) {
        fill(shown.turns, open.turns, (each) => each.turnIndex, turnNode);
      }
    }
    if (this.#mayAnswer === undefined) {
      return;
    }
    for (const [id, interrupt] of this.#model.interrupts) {
      if (!this.#forms.has(id)) {
        this.#ask(id, interrupt);
      }
    }
  }

  /// Shows one open request, with its form.
  #ask(id, interrupt) {
    const shown = {turns: element('ol', {className: 'timeline'})};
    const title = `request-${this.#formCount += 1}`;
    if (this.#mayAnswer) {
      shown.form = interruptForm(this.#id, interrupt, `answer-${this.#formCount}`, {
        app: this.#app,
        onTurn: (words) => this.#say(words),
        onDone: (words) => {
          shown.node.remove();
          shown.form = undefined;
          this.#say(words);
          this.#app.answered({run: {runId: this.#id}, interruptId: id});
          (this.#questions.querySelector('h2') ?? this.#heading).focus();
        },
      });
    }
    shown.node = element('section', {className: 'request', 'aria-labelledby': title},
        element('h2', {id: title, tabIndex: -1}, name(interrupt.nodeId),
                `: ${askedWords(interrupt.kind)}`),
        interrupt.until ? element('p', {className: 'meta'}, deadline(interrupt.until)) : '',
        aboutRequest(interrupt), shown.turns,
        shown.form?.node ?? element('p', {className: 'meta'}, 'This key does not allow an answer.'));
    this.#forms.set(id, shown);
    this.#questions.append(shown.node);
    fill(shown.turns, interrupt.turns, (each) => each.turnIndex, turnNode);
    if (this.#wanted === interrupt.nodeId) {
      this.#wanted = '';
      shown.node.scrollIntoView();
      shown.node.querySelector('h2').focus({preventScroll: true});
    }
  }

  #say(words) {
    this.#sent.hidden = false;
    this.#sent.textContent = words;
  }

  #drawPanels() {
    const {nodes} = this.#model;
    const ids = new Set([...Object.keys(this.#snapshot.nodeStates), ...nodes.keys()]);
    const all = [...ids].map((id) => nodes.get(id) ?? {id, type: '', status: 'pending', attempts: 0});
    fill(this.#nodes, all.slice(0, shownMax), (each) => each.id,
         (each) => nodeNode(each, this.#open));
    const some = all.length > shownMax ? `, ${shownMax} of them shown` : '';
    const closed = all.filter((each) => !['pending', 'running', 'suspended'].includes(each.status));
    this.#panels.nodes.heading.textContent =
        `Nodes (${closed.length} of ${all.length} ended${some})`;
    const channels = Object.entries(this.#snapshot.channels);
    fill(this.#channels, channels.slice(0, shownMax), ([key]) => key,
         (each) => channelNode(each, this.#open));
    this.#panels.channels.heading.textContent = `Channels (${channels.length})`;
    if (this.#fetched !== this.#model.settled && this.#fetching === undefined) {
      this.#fetching = setTimeout(() => this.#fetch(), settleMs);
    }
  }

  /// Asks for what no event says: nodes that are yet to start, and the channels.
  async #fetch() {
    const until = this.#model.settled;
    try {
      this.#snapshot = await get(runPath(this.#id), this.#life.signal);
      this.#fetched = until;
    } catch (failure) {
      if (this.#life.signal.aborted) {
        return;
      }
      if (failure.mayPass) {
        this.#fetching = setTimeout(() => this.#fetch(), againMs);
        return;
      }
      this.#fetched = until; // the next event asks again
    }
    this.#fetching = undefined;
    this.#drawSoon(); // it may have changed meanwhile
  }
}
