// Answers wait here until the server has acknowledged them: a closed tab, a crash or a lost connection loses nothing.
//
// Every answer is one entry of localStorage under a key of its own, so two tabs never overwrite each other's list.
// The request of an entry is idempotent by its client_key: sent twice, it is one answer.
(() => {
  "use strict";
  const PREFIX = "parley-outbox:";
  const SHORTEST_WAIT = 1000;
  const LONGEST_WAIT = 30000;
  const KEEPALIVE_BYTES = 60000; // browsers refuse larger requests that outlive their page
  const TOGETHER = 20; // answers in one request
  const TOGETHER_CHARACTERS = 200000; // of all of them: the server takes a megabyte

  // What is said in each state, in short and, where the annotator can do something, in full.
  const SAID = {
    saved: [gettext("Saved")],
    sending: [gettext("Saving …")],
    offline: [gettext("Offline"), gettext("There is no connection. Sending resumes when it is back.")],
    busy: [gettext("Trying again"), gettext("The server is busy. Sending resumes in a moment.")],
    reading: [gettext("Waiting"), gettext("A dialogue still needs its reading time. Sending resumes after that.")],
    signed_out: [gettext("Signed out"), gettext("You are signed out. Sign in to send your answers.")],
    foreign: [
      gettext("Not sent"),
      gettext("A different account is signed in. To send the answers, sign in with the account they belong to."),
    ],
    refused: [gettext("Not saved")],
    consent: [gettext("Not sent"), gettext("The consent text has changed. Agree to it to send your answers.")],
  };

  // What the link says, in the states that signing in ends.
  const SIGN_IN = { signed_out: gettext("Sign in again"), foreign: gettext("Sign in with that account") };

  // crypto.randomUUID is missing on plain http, which a laboratory's own network may well use.
  const uuid4 = () => {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  };

  // Read at sending time: a sign-in in another tab has changed the token.
  const csrfToken = () => {
    const cookie = document.cookie.split("; ").find((part) => part.startsWith("csrftoken="));
    const field = document.querySelector("[name=csrfmiddlewaretoken]");
    return cookie ? decodeURIComponent(cookie.slice(10)) : field ? field.value : "";
  };

  // localStorage, or a plain map when it is blocked or full: then leaving the page is what would lose something.
  class Store {
    constructor(prefix) {
      this.prefix = prefix;
      this.memory = new Map();
    }

    put(key, value) {
      try {
        localStorage.setItem(this.prefix + key, JSON.stringify(value));
        this.memory.delete(key);
      } catch {
        this.memory.set(key, value);
      }
    }

    remove(key) {
      this.memory.delete(key);
      try {
        localStorage.removeItem(this.prefix + key);
      } catch {
        // blocked: the map was all there was
      }
    }

    get(key) {
      return this.all().find(([name]) => name === key)?.[1];
    }

    // A damaged entry must not hide those after it.
    read(name) {
      try {
        return [[name.slice(this.prefix.length), JSON.parse(localStorage[name])]];
      } catch {
        return [];
      }
    }

    all() {
      const found = [...this.memory];
      try {
        for (let at = 0; at < localStorage.length; at += 1) {
          const name = localStorage.key(at);
          if (name.startsWith(this.prefix)) found.push(...this.read(name));
        }
      } catch {
        // blocked: what the map has is what there is
      }
      return found;
    }
  }

  class Outbox {
    // `urls`: where entries go that name a kind; those that name none are answers.
    constructor({ assignment, url, urls = {}, onChange = () => {}, onRefused = () => {} }) {
      this.assignment = assignment;
      this.url = url;
      this.urls = urls;
      this.onChange = onChange;
      this.onRefused = onRefused;
      this.store = new Store(`${PREFIX}${assignment}:`);
      this.state = "saved"; // one of those in SAID
      this.wait = SHORTEST_WAIT;
      this.order = 0;
      this.refused = new Set();
      addEventListener("online", () => this.send());
      addEventListener("pageshow", () => this.send());
      document.addEventListener("visibilitychange", () => document.hidden || this.send());
      addEventListener("storage", (event) => event.key?.startsWith(this.store.prefix) && this.changed());
      addEventListener("beforeunload", (event) => {
        if (this.store.memory.size) event.preventDefault();
      });
    }

    // Oldest first: the last answer to a question is the one that stays.
    entries() {
      return this.store
        .all()
        .map(([, entry]) => entry)
        .sort((one, other) => one.answered_at - other.answered_at || one.order - other.order);
    }

    // Without those this page was told are refused: the next page asks once more.
    waiting() {
      return this.entries().filter((entry) => !this.refused.has(entry.client_key));
    }

    get short() {
      const n = this.waiting().length;
      const [state] = SAID[this.state];
      if (!n || this.state === "sending") return state;
      // Translators: answers are counted: "Offline: 3 kept here".
      return interpolate(ngettext("%(state)s: %(n)s kept here", "%(state)s: %(n)s kept here", n), { state, n }, true);
    }

    get signIn() {
      return SIGN_IN[this.state] ?? "";
    }

    get sentence() {
      const n = this.waiting().length;
      const waiting = ngettext("%(n)s answer is waiting on this device.", "%(n)s answers are waiting on this device.", n);
      return `${interpolate(waiting, { n }, true)} ${SAID[this.state][1] ?? ""}`;
    }

    add(answer) {
      const entry = { ...answer, client_key: uuid4(), answered_at: Date.now(), order: (this.order += 1) };
      this.store.put(entry.client_key, entry);
      this.state = "sending";
      this.changed();
      this.send();
    }

    changed() {
      if (!this.waiting().length) this.state = this.entries().length ? "refused" : "saved";
      this.onChange(this);
    }

    // One sender at a time, over all tabs: a second one would only repeat what the first is saying.
    async send() {
      clearTimeout(this.timer);
      if (this.isSending || !this.waiting().length) return this.isSending;
      this.state = "sending";
      const drain = () => this.drain();
      this.isSending = navigator.locks ? navigator.locks.request(`${PREFIX}${this.assignment}`, drain) : drain();
      try {
        await this.isSending;
      } finally {
        this.isSending = null;
        this.changed();
      }
      // Added while the lock was being given back: nobody else would send it.
      return this.state === "sending" ? this.send() : null;
    }

    async drain() {
      for (;;) {
        const entries = this.together();
        if (!entries.length) return;
        let results;
        try {
          results = await this.post(entries);
        } catch {
          this.later("offline");
          return;
        }
        // Each is settled, also behind one that has to wait: the server has looked at all of them.
        const mayGoOn = results.map((result, at) => this.settled(entries[at], result));
        if (!mayGoOn.every(Boolean)) return;
      }
    }

    // What goes in one request: the oldest entry, and with an answer those after it, up to a mark or a correction.
    together() {
      const waiting = this.waiting();
      const seen = new Set();
      let size = 0;
      const isNext = (entry) => {
        const own = `${entry.item}:${entry.criterion}`;
        size += JSON.stringify(entry).length;
        const hasRoom = seen.size < TOGETHER && size < TOGETHER_CHARACTERS;
        return !entry.kind && !seen.has(own) && hasRoom && seen.add(own);
      };
      const end = waiting.findIndex((entry) => !isNext(entry));
      return end < 0 ? waiting : waiting.slice(0, Math.max(end, 1));
    }

    body(entry) {
      const { kind, answered_at: answeredAt, not_before: notBefore = 0, order, place, is_new: _older, ...values } = entry;
      return { ...values, age_ms: Math.max(0, Date.now() - Math.max(answeredAt, notBefore)) };
    }

    // What the server says of each entry. A refusal of the whole request is one of the first entry: the others wait.
    async post(entries) {
      const [first] = entries;
      const isOne = entries.length === 1;
      const own = isOne ? this.body(first) : { answers: entries.map((entry) => this.body(entry)) };
      const body = JSON.stringify({ assignment: this.assignment, ...own });
      const response = await fetch(first.kind ? this.urls[first.kind] : `${this.url}${isOne ? "" : "several/"}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-CSRFToken": csrfToken() },
        credentials: "same-origin",
        keepalive: body.length < KEEPALIVE_BYTES / 3,
        body,
      });
      const said = await response.json().catch(() => ({}));
      // Whatever else answers 200, a hotel's sign-in page for one, has saved nothing.
      if (response.ok && !(isOne ? said.saved_at : said.results)) throw new Error("no acknowledgement");
      if (response.ok && !isOne) return said.results;
      return [{ status: response.status, error: said.error, wait: Number(response.headers.get("Retry-After")) * 1000 }];
    }

    // True when the next entry may be sent.
    settled(entry, { status, error = {}, wait = 0 }) {
      if (status === 200 || error.kept) {
        this.store.remove(entry.client_key);
        this.followedBy(entry);
        this.wait = SHORTEST_WAIT;
        if (error.kept) this.onRefused(entry, error);
        this.changed();
        return true;
      }
      if (status === 401 || status === 403) return this.hold("signed_out");
      if (status === 404) return this.hold("foreign");
      if (error.code === "consent_needed") return this.hold("consent");
      // Answered offline: the server starts the clock of the dialogue now, and says how long it takes.
      if (error.code === "too_soon") return this.later("reading", error.seconds * 1000);
      if (status === 429 || status >= 500) return this.later("busy", wait);
      // Refused for good (invalid, submitted, closed): it stays on this device, and does not hold up the others.
      this.refused.add(entry.client_key);
      if (error.code === "invalid") this.store.remove(entry.client_key);
      this.onRefused(entry, error);
      return true;
    }

    // The server dates an answer by its arrival and age. On a slow network the first answer can seem younger than its
    // correction, which would then be taken for history: so a correction is never older than what it corrects.
    followedBy(entry) {
      const isCorrection = (each) => each.item === entry.item && each.criterion === entry.criterion && each.mark === entry.mark;
      this.entries()
        .filter(isCorrection)
        .forEach((each) => this.store.put(each.client_key, { ...each, not_before: Date.now() }));
    }

    hold(state) {
      this.state = state;
      return false;
    }

    later(state, wait = 0) {
      this.state = state;
      this.timer = setTimeout(() => this.send(), wait || this.wait);
      this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
      return false;
    }
  }

  window.Parley = { ...window.Parley, Outbox, Store };
})();
