// A session, live: the inspector, with the event stream as its source.
import {Failure, get, hasKey, request, sessionPath} from './api.js';
import {App} from './app.js';
import {Asked} from './asked.js';
import {controls} from './controls.js';
import {element, tick} from './dom.js';
import {button} from './fields.js';
import {forkButton, originLine} from './fork.js';
import {LiveView} from './inspector.js';
import {keyForm} from './key_form.js';
import {messageButton} from './message.js';
import {actionsOf} from './session_actions.js';
import {Follower} from './stream.js';
import {workspacePart} from './workspace.js';

const missingMs = 500; // until a session that is not there yet is asked for again
const againMs = 2000;
const wide = matchMedia('(min-width: 1100px) and (min-height: 640px)');
const byId = (id) => document.getElementById(id);

class SessionPage {
  #id = decodeURIComponent(location.pathname.split('/')[2]);
  #path = sessionPath(this.#id);
  #trouble = element('div', {id: 'trouble', className: 'forms', role: 'status'});
  #app = new App({
    trouble: this.#trouble,
    askForKey: (why) => this.#askForKey(why),
    retry: () => this.#follower?.tryNow(),
    onTitle(title, count) {
      document.title = `${count > 0 ? `(${count}) ` : ''}${title} · convene`;
    },
  });
  #view = new LiveView(this.#id, () => get(`${this.#path}/story`).catch(() => undefined));
  #follower;
  #controls = controls(actionsOf(this.#path), this.#app);
  #message = messageButton(this.#id, () => this.#view.speakers, this.#app);
  #workspace = workspacePart(this.#path);
  #again = element('a', {href: `/#/new/${encodeURIComponent(this.#id)}`, id: 'again', hidden: true}, 'Run again');
  #asked;
  #wanted = 0; // events that were there when the page was opened
  #askedShown = '';

  constructor() {
    const logo = document.querySelector('.logo');
    const home = element('a', {href: '/', className: 'logo', title: 'Questions, sessions and runs'});
    home.append(...logo.childNodes);
    logo.replaceWith(home);
    byId('search-form').before(this.#controls.node, this.#message.node);
    this.#app.caller().then(({scopes, session_id: session}) => {
      if (scopes.includes('runs:create') && session === undefined) {
        byId('search-form').before(this.#again);
        byId('link').before(forkButton(this.#id, () => this.#view.chosen, this.#app));
      }
    });
    byId('help').before(button('API key', '', () => this.#askForKey(hasKey() ? 'This tab has a key.'
        : 'On a server that asks for none, none is needed.')));
    byId('band').before(this.#trouble);
    byId('nothing').after(this.#workspace.node);
    this.#asked = new Asked(this.#app, this.#id, (names) => {
      this.#view.waiting = names;
    });
    wide.addEventListener('change', () => this.#placeAsked());
    this.#placeAsked();
    this.#view.onChange = () => this.#changed();
    this.#app.titled('Session');
    setInterval(tick, 1000);
  }

  /// Beside what it is about where there is room, else first of all.
  #placeAsked() {
    if (wide.matches) {
      byId('details-scroll').prepend(this.#asked.node);
    } else {
      byId('band').after(this.#asked.node);
    }
  }

  #say(reason, badge = '') {
    byId('title').textContent = `Session ${this.#id}`;
    byId('badge').replaceChildren(...(badge === '' ? [] : [element('span', {className: 'badge'}, badge)]));
    byId('reason').textContent = reason;
  }

  async open() {
    this.#app.run();
    for (let attempt = 1; ; ++attempt) {
      try {
        const answer = await request(this.#path, {headers: {Accept: 'application/json'}});
        const date = Date.parse(answer.headers.get('Date') ?? '');
        this.#take(await answer.json(), date);
        return;
      } catch (failure) {
        if (!(failure instanceof Failure)) {
          throw failure;
        }
        if (!await this.#hasFailed(failure, attempt)) {
          return;
        }
      }
    }
  }

  /// Returns whether it is to be tried again, once it is time.
  async #hasFailed(failure, attempt) {
    const missingMax = 5; // a run names its session a moment before there is one
    const isMissing = failure.status === 404;
    if (isMissing) {
      this.#say(`This server has no session ${this.#id}.`, 'Unknown');
    } else if (failure.mayPass) {
      this.#app.connection('session', {connected: false, failure});
    } else {
      this.#say(`This session cannot be shown: ${failure.message}`);
    }
    document.body.dataset.state = 'none';
    this.#app.failed(failure);
    if (!failure.mayPass && !(isMissing && attempt <= missingMax)) {
      return false;
    }
    await new Promise((done) => { setTimeout(done, isMissing ? missingMs : againMs); });
    return true;
  }

  #take({events, status, node}, date) {
    if (node !== undefined && document.getElementById('node') === null) {
      byId('search-form').before(element('span', {className: 'badge', id: 'node', title: 'The node that has the session'}, `on ${node}`));
    }
    document.body.dataset.state = '';
    this.#again.hidden = false;
    this.#app.connection('session', {connected: true});
    // The header has whole seconds.
    this.#view.skewMs = Number.isNaN(date) || Math.abs(date - Date.now()) < 2000 ? 0 : date - Date.now();
    this.#wanted = events;
    if (events === 0) {
      this.#say('It has not started.', 'Draft');
      this.#show(status);
    }
    this.#follow();
  }

  #follow() {
    let isShown = false;
    this.#follower = new Follower(`${this.#path}/events`, {
      onEvent: ({data}) => {
        const isMore = this.#view.take(data);
        if (!isShown && this.#view.events >= this.#wanted) {
          isShown = true;
          this.#view.show();
        } else if (!isShown && this.#view.events % 1000 === 0) {
          byId('status').textContent = `Reading: ${Math.round(100 * this.#view.events / this.#wanted)} %`;
        }
        return isMore;
      },
      onState: (state) => this.#app.connection('session', state),
      onEnd: (failure) => {
        this.#say(`This session cannot be shown: ${failure.message}`);
        this.#app.failed(failure);
      },
    });
    this.#follower.run();
  }

  #show(status) {
    this.#controls.show(status);
    this.#message.show(status);
  }

  /// The session has other events.
  #changed() {
    this.#app.titled(this.#view.title);
    if (this.#view.origin !== undefined && byId('origin') === null) {
      byId('reason').after(originLine(this.#view.origin));
    }
    this.#show(this.#view.status);
    this.#workspace.changed(this.#view.writes);
    // Who is asked now, or no longer, has a question more or less.
    const asked = this.#view.peopleAsked;
    if (asked !== this.#askedShown) {
      this.#askedShown = asked;
      this.#app.questionsChanged();
    }
  }

  #askForKey(why) {
    if (byId('key') !== null) {
      return;
    }
    const dialog = element('dialog', {className: 'forms', 'aria-label': 'Your key'});
    const form = keyForm(why, () => location.reload());
    dialog.append(form.node);
    dialog.addEventListener('close', () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    form.focus();
  }
}

new SessionPage().open();
