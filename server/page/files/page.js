// Which view is shown, the open questions, the connection and the key.
import {Failure, get, hasKey, setKey} from './api.js';
import {announce, element, plural, tick} from './dom.js';
import {homeView} from './home.js';
import {questionView} from './question.js';
import {Questions} from './questions.js';
import {keyOf} from './reply.js';
import {RunView} from './run.js';
import {SessionView} from './session.js';
import {waitBefore} from './stream.js';

const main = document.getElementById('main');
const troubles = new Map(); // by what is not connected: why
const watchers = new Set();
let caller; // what the key allows, once that was asked
let view = {title: '', stop() {}, retry() {}};

function showTitle(title) {
  const count = questions.now.all.length > 0 ? `(${questions.now.all.length}) ` : '';
  document.title = `${count}${title} · convene`;
}

function tellWatchers() {
  watchers.forEach((each) => each(questions.now));
  const {all, loaded, failure} = questions.now;
  document.getElementById('to-home').textContent =
      all.length > 0 ? plural(all.length, 'open question')
      : loaded && !failure ? 'No open questions' : 'Questions';
  showTitle(view.title);
}

/// Asks until the server tells.
async function askCaller() {
  for (let attempt = 1; ; ++attempt) {
    try {
      return await get('/v1/caller');
    } catch (failure) {
      if (!(failure instanceof Failure)) {
        throw failure;
      }
      if (!failure.mayPass) {
        return {scopes: []};
      }
    }
    await new Promise((end) => { setTimeout(end, waitBefore(attempt)); });
  }
}

function showTroubles() {
  const node = document.getElementById('trouble');
  const failure = [...troubles.values()][0];
  if (failure === undefined) {
    node.replaceChildren();
    return;
  }
  if (node.childElementCount > 0) {
    return;
  }
  const again = element('button', {type: 'button'}, 'Try now');
  again.addEventListener('click', () => {
    questions.ask();
    view.retry();
  });
  node.replaceChildren(element('p', {},
      `The connection is lost: ${failure?.message ?? 'the stream was cut'}. ` +
      'What is shown may be out of date; trying again …'), again);
}

/// What the views use of the page.
const app = {
  /// Calls `watcher` now and whenever the open questions change; returns how to
  /// end that.
  watchQuestions(watcher) {
    watchers.add(watcher);
    watcher(questions.now);
    return () => watchers.delete(watcher);
  },
  questionsChanged: () => questions.ask(),
  answered: (question) => questions.answered(keyOf(question)),
  /// What the key allows: {scopes, session_id, participant_id}.
  caller() {
    caller ??= askCaller();
    return caller;
  },
  titled(title) {
    view.title = title;
    showTitle(title);
  },
  /// A request has failed for good.
  failed(failure) {
    if (failure.status === 401 && !failure.isOfOldKey) {
      askForKey(hasKey() ? 'The server does not know this key.' : 'The server asks for a key.');
    }
  },
  connection(what, {connected, failure}) {
    const had = troubles.size > 0;
    if (connected) {
      troubles.delete(what);
    } else {
      troubles.set(what, failure ?? {message: 'the stream was cut'});
    }
    showTroubles();
    if (had && troubles.size === 0) {
      announce('Connected again.');
    }
  },
};

const questions = new Questions(app, tellWatchers);

function show(made) {
  view.stop();
  view = made;
  main.replaceChildren(made.node);
  showTitle(made.title);
}

function route() {
  const [what, ...rest] = location.hash.replace(/^#\/?/, '').split('/');
  let names;
  try {
    names = rest.map(decodeURIComponent);
  } catch {
    names = []; // not an address of ours
  }
  if (what === 'session' && names.length === 1) {
    show(new SessionView(app, names[0]));
  } else if (what === 'run' && (names.length === 1 || names.length === 2)) {
    show(new RunView(app, ...names));
  } else if (what === 'question' && (names.length === 2 || names.length === 3)) {
    show(questionView(app, ...names));
  } else {
    show(homeView(app));
  }
}

/// Goes to what the address names, and takes the focus along.
function go() {
  route();
  scrollTo(0, 0);
  main.querySelector('h1').focus({preventScroll: true});
}

function askForKey(why) {
  if (main.querySelector('#key') !== null) {
    return;
  }
  const input = element('input', {id: 'key', type: 'password', autocomplete: 'off',
                                  spellcheck: false, 'aria-describedby': 'key-hint'});
  const form = element('form', {className: 'key', noValidate: true},
      element('h1', {tabIndex: -1}, 'Your key'),
      element('p', {role: 'status'}, why),
      element('div', {className: 'field'}, element('label', {htmlFor: 'key'}, 'Key'), input,
              element('p', {className: 'meta', id: 'key-hint'},
                      'It stays in this tab until the tab is closed, and is sent to this server only.')),
      element('div', {className: 'buttons'},
              element('button', {className: 'primary'}, 'Use this key'),
              hasKey() ? element('button', {type: 'button', className: 'quiet', id: 'forget'},
                                 'Forget the key')
                       : ''));
  const use = (key) => {
    setKey(key);
    caller = undefined;
    questions.forget();
    go();
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    use(input.value.trim());
  });
  form.querySelector('#forget')?.addEventListener('click', () => use(''));
  show({title: 'Your key', node: form, stop() {}, retry() {}});
  input.focus();
}

addEventListener('hashchange', go);
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault(); // the address names the view
  main.focus();
});
document.getElementById('to-key').addEventListener('click', () => askForKey(
    hasKey() ? 'This tab has a key.' : 'On a server that asks for none, none is needed.'));
setInterval(tick, 1000);
route();
questions.run();
