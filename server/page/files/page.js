// Which view of the home document is shown.
import {hasKey} from './api.js';
import {App} from './app.js';
import {plural, tick} from './dom.js';
import {homeView, sessionUrl} from './home.js';
import {keyForm} from './key_form.js';
import {NewSession} from './new_session.js';
import {questionView} from './question.js';
import {RunView} from './run.js';

const main = document.getElementById('main');
let view = {title: '', stop() {}, retry() {}};

const app = new App({
  trouble: document.getElementById('trouble'),
  askForKey,
  retry: () => view.retry(),
  onTitle(title, count) {
    document.title = `${count > 0 ? `(${count}) ` : ''}${title} · convene`;
  },
});

function show(made) {
  view.stop();
  view = made;
  main.replaceChildren(made.node);
  app.titled(made.title);
}

function route() {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [what, ...rest] = path.split('/');
  let names;
  try {
    names = rest.map(decodeURIComponent);
  } catch {
    names = []; // not an address of ours
  }
  if (what === 'session' && names.length === 1) {
    location.replace(sessionUrl(names[0])); // an old link
  } else if (what === 'run' && (names.length === 1 || names.length === 2)) {
    show(new RunView(app, ...names));
  } else if (what === 'question' && (names.length === 2 || names.length === 3)) {
    show(questionView(app, ...names));
  } else if (what === 'new' && names.length <= 1) {
    show(new NewSession(app, {from: names[0]}));
  } else {
    show(homeView(app, new URLSearchParams(query)));
  }
}

/// Goes to what the address names, and takes the focus along.
function go() {
  route();
  scrollTo(0, 0);
  main.querySelector('h1')?.focus({preventScroll: true});
}

function askForKey(why) {
  if (main.querySelector('#key') !== null) {
    return;
  }
  const form = keyForm(why, () => {
    app.forget();
    offerNew();
    go();
  });
  show({title: 'Your key', node: form.node, stop() {}, retry() {}});
  form.focus();
}

function offerNew() {
  app.caller().then(({scopes, session_id: session}) => {
    document.getElementById('to-new').hidden = !scopes.includes('runs:create') || session !== undefined;
  });
}

addEventListener('hashchange', go);
document.querySelector('.skip').addEventListener('click', (event) => {
  event.preventDefault(); // the address names the view
  main.focus();
});
document.getElementById('to-key').addEventListener('click', () => askForKey(
    hasKey() ? 'This tab has a key.' : 'On a server that asks for none, none is needed.'));
app.watchQuestions(({all, loaded, failure}) => {
  document.getElementById('to-home').textContent =
      all.length > 0 ? plural(all.length, 'open question')
      : loaded && !failure ? 'No open questions' : 'Questions';
});
setInterval(tick, 1000);
route();
offerNew();
app.run();
