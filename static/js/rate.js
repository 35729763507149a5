// The rating screen: shows one step at a time, and hands every answer to the outbox before it moves on.
//
// The forms come from the server, one dialogue at a time, and work without this file: there is no second renderer here.
(() => {
  "use strict";
  const root = document.getElementById("rate");
  const { Active, ActiveTimer, Bar, Help, Marks, Outbox, Question, Steps, Store, Strip, View, settle } = window.Parley;
  const AHEAD = 2; // dialogues fetched before they are needed: the next step waits for no request
  const KEPT = 3; // dialogues on either side that stay as they are; older ones are fetched again with their answers
  const HASTE = 400; // a second press of Enter this soon after a step appeared was meant for the one before

  const part = (name, within = root) => within.querySelector(`[data-${name}]`);
  const stage = part("stage");
  const base = root.dataset.base;
  const dialogues = new Map(); // position -> article
  const loading = new Map(); // position -> its promise
  const drafts = new Store(`parley-draft:${root.dataset.assignment}:`);
  const timer = new ActiveTimer();
  const bar = new Bar(root);
  const view = new View(root);
  let current = null; // the section on screen
  let shownAt = 0;
  const first = stage.querySelector(".rate-dialogue");
  const protocol = first.querySelector("[name=protocol]").value; // of the questions on this page

  // --- what is known and what is not yet sent ------------------------------------------------------
  // The server's answers are in the page; over them come the ones it has not acknowledged, then what was only begun.
  const restore = (dialogue) => {
    Question.allIn(dialogue).forEach((question) => {
      question.known = question.element.hasAttribute("data-answered") ? JSON.stringify(question.read()) : "";
    });
    steps.begin(dialogue);
    marks.restore(dialogue);
    const own = outbox.entries().filter((entry) => entry.protocol === protocol);
    const unsent = new Map(own.map((entry) => [`${entry.item}:${entry.criterion}`, entry]));
    Question.allIn(dialogue).forEach((question) => {
      const waiting = unsent.get(question.key);
      if (waiting) {
        question.write(waiting);
        question.known = JSON.stringify(question.read());
      }
      const draft = drafts.get(question.key);
      if (draft && (draft.protocol ?? protocol) === protocol) question.write(draft);
      question.element.querySelectorAll("textarea").forEach(Question.showCount);
    });
    settle(dialogue);
    refresh(dialogue);
  };

  const refresh = (dialogue) => {
    strip.refresh(dialogue);
    steps.count(dialogue);
    bar.done = steps.done;
    bar.showProgress();
  };

  const save = (question, activeMs) => {
    outbox.add({
      item: question.item,
      criterion: question.criterion,
      ...question.read(),
      protocol: question.element.form.elements.protocol.value,
      active_ms: activeMs,
    });
    drafts.remove(question.key);
    const dialogue = question.element.closest(".rate-dialogue");
    if (question.known) strip.noteChange(dialogue, question.item);
    question.known = JSON.stringify(question.read());
    refresh(dialogue);
  };

  // --- between the page and the server ---------------------------------------------------------------
  // Refused as it is: back into the form, where it can be put right.
  const takeBack = (entry) => {
    const key = `${entry.item}:${entry.criterion}`;
    drafts.put(key, entry);
    const found = [...dialogues.values()].flatMap(Question.allIn).filter((question) => question.key === key);
    found.forEach((question) => {
      question.known = "";
      refresh(question.element.closest(".rate-dialogue"));
    });
  };

  const onRefused = (entry, error) => {
    if (error.code === "lease_expired") return bar.endLease();
    if (entry.kind === "mark") marks.refused(entry);
    else if (error.code === "invalid") takeBack(entry);
    else if (error.code === "protocol_changed" && entry.protocol !== protocol) return giveUp(entry);
    const message = error.message ?? gettext("The server refused an answer. It is kept on this device.");
    return bar.refuse(error.code, message);
  };

  // Answered under questions that are asked no more, maybe with the same codes for other answers: nobody can take it.
  const giveUp = (entry) => {
    outbox.store.remove(entry.client_key);
    const sentence = gettext("The questions have changed since one of your answers was given. Please answer again.");
    const words = entry.free_text ? interpolate(gettext("You wrote: %(words)s"), { words: entry.free_text }, true) : "";
    bar.showProblem(`${sentence} ${words}`);
  };

  const outbox = new Outbox({
    assignment: root.dataset.assignment,
    url: root.dataset.answers,
    urls: { mark: root.dataset.marks },
    onChange: (changed) => {
      bar.showState(changed);
      if (isDone && !isLoading()) leave();
    },
    onRefused,
  });

  // A flagged item may need no answer: its steps are done, or are to be done again.
  const onMark = (item) => {
    const dialogue = [...dialogues.values()].find((each) => each.querySelector(`.part[data-item="${item}"]`));
    if (dialogue) refresh(dialogue);
  };
  const marks = new Marks({ outbox, onChange: onMark, announce: (text) => bar.announce(text) });
  const steps = new Steps({ done: Number(root.dataset.done), marks, unsent: outbox.entries().map((entry) => `${entry.item}:${entry.criterion}`) });
  const strip = new Strip({ go: (position, number) => go(position, number), questionsOf: Question.allIn, marks });
  const showMarks = (item) => {
    marks.show(item, current.querySelector(".step-place").textContent.trim().replace(/\s+/g, " "));
    strip.show(current.closest(".rate-dialogue"), item, current.dataset.step);
  };

  // --- from step to step ---------------------------------------------------------------------------
  const fetchDialogue = async (position) => {
    const response = await fetch(`${base}${position}/`, { credentials: "same-origin" });
    if (response.redirected) throw Object.assign(new Error("signed out"), { isSignedOut: true });
    if (!response.ok) throw Object.assign(new Error(String(response.status)), { status: response.status });
    const holder = document.createElement("template");
    holder.innerHTML = await response.text();
    const dialogue = document.adoptNode(holder.content.querySelector(".rate-dialogue"));
    restore(dialogue);
    dialogues.set(position, dialogue);
    return dialogue;
  };

  // Asked for twice, it is fetched once: a second copy would not know the answers given in the first.
  const load = (position) => {
    if (!loading.has(position)) {
      loading.set(position, fetchDialogue(position).finally(() => loading.delete(position)));
    }
    return loading.get(position);
  };

  const prefetch = async () => {
    let position = current.closest(".rate-dialogue").dataset.next;
    try {
      for (let ahead = 0; ahead < AHEAD && position; ahead += 1) {
        const dialogue = dialogues.get(position) ?? (await load(position));
        position = dialogue.dataset.next;
      }
    } catch {
      // offline or signed out: it is fetched again when it is needed
    }
  };

  const forgetDistant = (number) => {
    dialogues.forEach((dialogue, position) => {
      if (Math.abs(Number(dialogue.dataset.number) - number) > KEPT) dialogues.delete(position);
    });
  };

  // A dialogue that must be read first: the server's clock decides, this one shows it. Answered before, it waits no more.
  const readFirst = async (dialogue) => {
    if (!Number(root.dataset.floor) || dialogue.dataset.opened) return;
    dialogue.dataset.opened = "yes";
    if (Question.allIn(dialogue).some((question) => question.known)) return;
    await bar.showReading(dialogue, await secondsToRead(dialogue));
    if (dialogue.isConnected) active.activate(active.question);
  };

  const secondsToRead = async (dialogue) => {
    const { position } = dialogue.dataset;
    if (dialogue === first) return Number(root.dataset.readingLeft);
    const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
    const request = { method: "POST", credentials: "same-origin", headers: { "X-CSRFToken": token } };
    try {
      const response = await fetch(`${base}${position}/open/`, request);
      return (await response.json()).seconds;
    } catch {
      return Number(root.dataset.floor); // offline: the answers are sent later anyway
    }
  };

  const stay = () => {
    isDone = false;
    stage.removeAttribute("aria-busy");
  };

  const show = (dialogue, number) => {
    stay();
    const isNew = !dialogue.isConnected || !current;
    if (!dialogue.isConnected) stage.replaceChildren(dialogue);
    if (bar.isOver) bar.close(dialogue, true);
    dialogue.querySelectorAll(".step").forEach((step) => (step.hidden = Number(step.dataset.step) !== number));
    current = dialogue.querySelector(`[data-step="${number}"]`);
    part("back").toggleAttribute("aria-disabled", !previousOf(dialogue));
    part("reading").hidden = !dialogue.dataset.unread;
    readFirst(dialogue);
    view.lower();
    view.open(dialogue, current, isNew);
    active.show(current);
    help.follow(active.question);
    shownAt = performance.now();
  };

  const arrive = () => {
    const place = current.querySelector(".step-place").textContent.trim().replace(/\s+/g, " ");
    const question = active.question.element.dataset.name;
    bar.announce(interpolate(gettext("%(place)s. %(question)s"), { place, question }, true));
    forgetDistant(Number(current.closest(".rate-dialogue").dataset.number));
    prefetch();
  };

  const isLoading = () => stage.hasAttribute("aria-busy");

  const go = async (position, step, isNew = true) => {
    let dialogue = dialogues.get(position);
    if (!dialogue) {
      stage.setAttribute("aria-busy", "true");
      try {
        dialogue = await load(position);
      } catch (error) {
        failToLoad(error, () => go(position, step, isNew));
        return;
      } finally {
        stage.removeAttribute("aria-busy");
      }
    }
    const number = step || nextStep(dialogue, Infinity, -1);
    show(dialogue, number);
    if (isNew) history.pushState({ position, number }, "", `${base}${position}/${number}/`);
    arrive();
  };

  const failToLoad = (error, again) => {
    if (error.status < 500) {
      location.assign(base); // the server has a page that says why
    } else if (error.isSignedOut) {
      bar.showProblem(`${gettext("You are signed out. Your answers are kept.")} `, bar.signIn(gettext("Sign in again")));
    } else {
      const button = Object.assign(document.createElement("button"), { type: "button", className: "inline", textContent: gettext("Try again") });
      const retry = () => {
        bar.showProblem("");
        again();
      };
      button.addEventListener("click", retry, { once: true });
      addEventListener("online", retry, { once: true });
      const sentence = error.status
        ? gettext("The next dialogue cannot be loaded: the server is not ready. Your answers are kept.")
        : gettext("The next dialogue cannot be loaded: there is no connection. Your answers are kept.");
      bar.showProblem(`${sentence} `, button);
    }
  };

  // The next page needs the server: what still waits is sent first, and without a connection this page stays.
  let isDone = false;
  const leave = () => {
    const n = outbox.waiting().length;
    const target = root.dataset.review || root.dataset.submit;
    if (n || target.startsWith("#")) stage.removeAttribute("aria-busy"); // one stays here
    if (!n) location.assign(target);
    const waiting = ngettext("%(n)s answer is waiting to be sent.", "%(n)s answers are waiting to be sent.", n);
    if (n) bar.showProblem(`${gettext("All done.")} ${interpolate(waiting, { n }, true)} ${gettext("Keep this page open: it goes on when they are sent.")}`);
  };

  // Until then no key is heard: an answer it changed would be saved nowhere.
  const finish = async () => {
    isDone = true;
    stage.setAttribute("aria-busy", "true");
    await Promise.race([outbox.send(), new Promise((resolve) => setTimeout(resolve, 3000))]);
    if (isDone) leave();
  };

  // A step whose questions are not asked after what was answered is passed over. Undefined at either end.
  const nextStep = (dialogue, number, direction) => {
    const isNeeded = (question) => direction < 0 || question.known || !marks.isSkipped(question.item);
    const steps = [...dialogue.querySelectorAll(".step")].filter((step) => Question.askedIn(step).some(isNeeded));
    const numbers = steps.map((step) => Number(step.dataset.step));
    return direction > 0 ? numbers.find((each) => each > number) : numbers.findLast((each) => each < number);
  };

  const advance = () => {
    if (root.dataset.review) return finish(); // one came from the review to this one answer
    const dialogue = current.closest(".rate-dialogue");
    const following = nextStep(dialogue, Number(current.dataset.step), 1);
    if (following) return go(dialogue.dataset.position, following);
    return dialogue.dataset.next ? go(dialogue.dataset.next, 1) : finish();
  };

  const previousOf = (dialogue) => nextStep(dialogue, Number(current.dataset.step), -1) ?? dialogue.dataset.previous;

  const back = () => {
    const dialogue = current.closest(".rate-dialogue");
    const previous = nextStep(dialogue, Number(current.dataset.step), -1);
    if (previous) go(dialogue.dataset.position, previous);
    else if (dialogue.dataset.previous) go(dialogue.dataset.previous, 0);
  };

  const isLeft = (question) => marks.isSkipped(question.item) && !question.isGiven;

  const confirm = () => {
    if (isLoading() || bar.isOver || current.closest(".rate-dialogue").dataset.unread) return;
    const questions = Question.askedIn(current);
    questions.forEach((question) => question.forgetMistakes());
    const wrong = questions.find((question) => question.mistake && !isLeft(question));
    if (wrong && active.isHasty()) return;
    if (wrong) {
      active.fail(wrong);
      return;
    }
    const changed = questions.filter((question) => question.isChanged && !isLeft(question));
    // Since the last answer, and for this one alone: the server adds it to what its question took before.
    const activeMs = changed.length ? Math.round(timer.take() / changed.length) : 0;
    bar.keepPace(activeMs * changed.length, changed.length);
    changed.forEach((question) => save(question, activeMs));
    advance();
  };

  const active = new Active({
    root,
    view,
    onSave: confirm,
    onBack: back,
    onGuide: (key) => help.onKey(key),
    onAnswer: (question) => {
      drafts.put(question.key, { ...question.read(), protocol });
      const dialogue = question.element.closest(".rate-dialogue");
      settle(dialogue);
      refresh(dialogue);
    },
    onActive: (question) => {
      help.follow(question);
      showMarks(question.item);
    },
    takeKey: (key) => marks.takeKey(key) || strip.takeKey(key),
    isLeft,
    isHasty: () => performance.now() - shownAt < HASTE && !Question.askedIn(current).some((question) => question.isGiven),
    isBusy: isLoading,
  });
  const help = new Help({ root, active });

  // --- begin ---------------------------------------------------------------------------------------
  root.addEventListener("submit", (event) => {
    if (!event.target.closest(".step")) return;
    event.preventDefault();
    confirm();
  });
  root.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey) return;
    const acts = event.target.closest("[data-back], [data-save]");
    if (!acts) return;
    event.preventDefault();
    if (acts.matches("[data-save]")) confirm();
    else if (!acts.hasAttribute("aria-disabled")) back();
  });
  addEventListener("pageshow", (event) => event.persisted && stay()); // the browser kept the page it had left
  addEventListener("popstate", (event) => event.state && go(event.state.position, event.state.number, false));

  const number = Number(first.querySelector(".step:not([hidden])").dataset.step);
  dialogues.set(first.dataset.position, first);
  restore(first);
  root.setAttribute("data-ready", "");
  show(first, number);
  history.replaceState({ position: first.dataset.position, number }, "");
  outbox.send();
  strip.load();
  (window.requestIdleCallback ?? setTimeout)(prefetch);
})();
