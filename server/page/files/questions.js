// The open questions, of sessions and of runs.
import {get} from './api.js';
import {announce} from './dom.js';
import {Poll} from './poll.js';
import {askedWords, keyOf, wantedOf} from './reply.js';

const requestsPath = '/v1/requests';
const runsPath = '/v1/runs?limit=1000&status=waiting-approval,waiting-input,waiting-external,paused';

const wordsOf = (question) => question.run
    ? `${question.nodeId}: ${askedWords(question.kind)}`
    : `${question.participant.participant_id}: ${wantedOf(question)}`;

/// What nodes of these runs ask.
const askedIn = (runs) => runs.flatMap(({runId, workflowId, waiting}) =>
    waiting.map((each) => ({...each, run: {runId, workflowId}})));

/// Asks for them again and again, and calls `onChange` with {all, loaded, more,
/// failure} whenever they may have changed.
export class Questions {
  #answered = new Set(); // keys; the server may list them a moment longer
  #ofSessions = {all: [], loaded: false};
  #ofRuns = [];
  #polls;
  now = {all: [], loaded: false};

  constructor(app, onChange) {
    this.onChange = onChange;
    const poll = (what, ask, onData, onFailure) => new Poll(ask, {
      onData,
      onFailure(failure) {
        onFailure(failure);
        app.failed(failure);
      },
      onState: (state) => app.connection(what, state),
    });
    this.#polls = [
      poll('questions', (signal) => get(requestsPath, signal),
           ({requests, more}) => this.#take({all: requests, more, loaded: true}, this.#ofRuns),
           (failure) => this.#take({all: [], loaded: true, failure}, this.#ofRuns)),
      poll('requests', (signal) => this.#askRuns(app, signal),
           ({runs}) => this.#take(this.#ofSessions, askedIn(runs)),
           () => this.#take(this.#ofSessions, [])),
    ];
  }

  run() {
    this.#polls.forEach((each) => each.run());
  }

  ask() {
    this.#polls.forEach((each) => each.now());
  }

  /// Somebody else looks at them.
  forget() {
    this.#ofSessions = this.now = {all: [], loaded: false};
    this.#ofRuns = [];
    this.ask();
  }

  answered(key) {
    this.#answered.add(key);
    this.#take(this.#ofSessions, this.#ofRuns);
  }

  /// Runs that wait, if the key may both see and answer them.
  async #askRuns(app, signal) {
    const {scopes, session_id: session} = await app.caller();
    const may = ['runs:read', 'approvals:respond'].every((each) => scopes.includes(each));
    return may && session === undefined ? get(runsPath, signal) : {runs: []};
  }

  #take(ofSessions, ofRuns) {
    this.#ofSessions = ofSessions;
    this.#ofRuns = ofRuns;
    const before = this.now;
    const known = new Set(before.all.map(keyOf));
    const all = [...ofSessions.all, ...ofRuns].filter((each) => !this.#answered.has(keyOf(each)));
    const added = all.filter((each) => !known.has(keyOf(each)));
    if (before.loaded && added.length > 0) {
      announce(added.map(wordsOf).join('; '));
    }
    this.now = {...ofSessions, all};
    this.onChange();
  }
}
