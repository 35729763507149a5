// The rating screen: shows one step at a time, and hands every answer to the outbox before it moves on.
//
// The forms come from the server, one dialogue at a time, and work without this file: there is no second renderer here.
(() => {
  "use strict";
  const root = document.getElementById("rate");
  const { Active, ActiveTimer, Bar, Dialogues, Drafts, Help, Marks, Onward, Outbox, Question, Steps, Strip, View, followTabs, isOffline, placeOf, sayOffline, settle, wrote } = window.Parley;
  const HASTE = 400; // a second press this soon after a step appeared was meant for the one before

  const part = (name, within = root) => within.querySelector(`[data-${name}]`);
  const stage = part("stage");
  const base = root.dataset.base;
  const timer = new ActiveTimer();
  const bar = new Bar(root);
  const view = new View(root);
  let current = null; // the section on screen
  let shownAt = 0;
  const first = stage.querySelector(".rate-dialogue");
  const protocol = first.querySelector("[name=protocol]").value; // of the questions on this page
  const drafts = new Drafts({ assignment: root.dataset.assignment, protocol });

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
      drafts.restore(question);
      question.element.querySelectorAll("textarea").forEach(Question.showCount);
    });
    settle(dialogue);
    Question.allIn(dialogue).forEach((question) => drafts.keep(question));
    refresh(dialogue);
  };

  const refresh = (dialogue) => {
    strip.refresh(dialogue);
    steps.count(dialogue);
    bar.done = steps.done;
    bar.showProgress();
    showDock();
  };

  // Whether the step on screen is stored, and where the button leads.
  const showDock = () => {
    if (!current) return;
    bar.showUnsaved(Question.askedIn(current).some((question) => question.isUnsaved));
    onward.show();
  };

  const save = (question, activeMs) => {
    outbox.add({
      item: question.item,
      criterion: question.criterion,
      ...question.read(),
      protocol: question.element.form.elements.protocol.value,
      active_ms: activeMs,
      place: placeOf(question),
    });
    const dialogue = question.element.closest(".rate-dialogue");
    if (question.known) strip.noteChange(dialogue, question.item);
    question.known = JSON.stringify(question.read());
    drafts.keep(question);
    refresh(dialogue);
  };

  // --- between the page and the server ---------------------------------------------------------------
  const dialogues = new Dialogues({ base, onFetched: (dialogue) => restore(dialogue) });

  // Refused as it is: back into the form, where it can be put right.
  const takeBack = (entry) => {
    const key = `${entry.item}:${entry.criterion}`;
    drafts.store.put(key, entry);
    const found = dialogues.all.flatMap(Question.allIn).filter((question) => question.key === key);
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
    return bar.refuse(error.code, message, entry.free_text);
  };

  // Answered under questions that are asked no more, maybe with the same codes for other answers: nobody can take it.
  const giveUp = (entry) => {
    outbox.store.remove(entry.client_key);
    const sentence = gettext("The questions have changed since you gave one of your answers. Answer again.");
    bar.showProblem(`${sentence} ${wrote(entry.free_text)}`);
  };

  let tabs = null;
  const outbox = new Outbox({
    assignment: root.dataset.assignment,
    url: root.dataset.answers,
    urls: { mark: root.dataset.marks },
    onChange: (changed) => {
      bar.showState(changed);
      recount();
      tabs?.catchUp();
      if (isDone && !isLoading()) leave();
    },
    onRefused,
  });

  // A flagged item may need no answer: its steps are done, or are to be done again.
  const onMark = (item) => {
    const dialogue = dialogues.all.find((each) => each.querySelector(`.part[data-item="${item}"]`));
    if (dialogue) refresh(dialogue);
  };
  const marks = new Marks({ outbox, onChange: onMark, announce: (text) => bar.announce(text) });
  const steps = new Steps({ done: Number(root.dataset.done), marks, unsent: outbox.entries().map((entry) => `${entry.item}:${entry.criterion}`) });
  // The page was made while answers of this device were on their way: what they have changed, the server knows once it
  // has them all. An answer that comes meanwhile is in one of its counts or not, so it is asked again.
  let isCountOld = outbox.entries().length > 0;
  const recount = async () => {
    if (!isCountOld || outbox.entries().length) return;
    isCountOld = false;
    const before = outbox.order;
    const done = await strip.load();
    isCountOld = done === null || outbox.order !== before;
    if (isCountOld) return;
    steps.restart(done);
    dialogues.all.forEach(refresh);
  };
  const strip = new Strip({ go: (position, number) => go(position, number), questionsOf: Question.allIn, marks, drafts });
  const showMarks = (item) => {
    marks.show(item, current.querySelector(".step-place").textContent.trim().replace(/\s+/g, " "));
    strip.show(current.closest(".rate-dialogue"), item, current.dataset.step);
  };

  // --- from step to step ---------------------------------------------------------------------------
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
    document.querySelector("[data-offline]")?.remove(); // it was about a page one asked for before
    const isNew = !dialogue.isConnected || !current;
    if (!dialogue.isConnected) stage.replaceChildren(dialogue);
    if (bar.isOver) bar.close(dialogue, true);
    dialogue.querySelectorAll(".step").forEach((step) => (step.hidden = Number(step.dataset.step) !== number));
    current = dialogue.querySelector(`[data-step="${number}"]`);
    timer.follow(`${dialogue.dataset.position}/${number}`);
    showBack();
    part("reading").hidden = !dialogue.dataset.unread;
    readFirst(dialogue);
    view.lower();
    view.open(dialogue, current, isNew);
    active.show(current);
    onward.seen.follow(current);
    help.follow(active.question);
    showDock();
    shownAt = performance.now();
  };

  const arrive = () => {
    const place = current.querySelector(".step-place").textContent.trim().replace(/\s+/g, " ");
    const question = active.question.element.dataset.name;
    bar.announce(interpolate(gettext("%(place)s. %(question)s"), { place, question }, true));
    dialogues.keepNear(current.closest(".rate-dialogue"));
  };

  const isLoading = () => stage.hasAttribute("aria-busy");

  const go = async (position, step, isNew = true) => {
    let dialogue = dialogues.known.get(position);
    if (!dialogue) {
      stage.setAttribute("aria-busy", "true");
      try {
        dialogue = await dialogues.load(position);
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
    if (error.status < 500) location.assign(base); // the server has a page that says why
    else bar.showNotLoaded(error, again);
  };

  // The next page needs the server: what still waits is sent first, and without a connection this page stays.
  let isDone = false;
  const leave = () => {
    const n = outbox.waiting().length;
    const target = root.dataset.review || root.dataset.submit;
    if (!n && isOffline()) {
      stay();
      sayOffline();
      return;
    }
    if (n || target.startsWith("#")) stage.removeAttribute("aria-busy"); // one stays here
    if (n) showWaiting(n);
    else location.assign(target);
  };

  // What only the annotator can end, a session that is over for one, is said with the way on.
  const showWaiting = (n) => {
    const wayOn = bar.wayOn(outbox);
    const waiting = ngettext("%(n)s answer is waiting to be sent.", "%(n)s answers are waiting to be sent.", n);
    const stays = `${interpolate(waiting, { n }, true)} ${gettext("Keep this page open. It continues automatically after sending.")}`;
    bar.showProblem(`${gettext("All done.")} ${wayOn ? outbox.sentence : stays} `, wayOn ?? "");
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

  // The position and the step after this one; null at the end.
  const nextPlace = () => {
    const { position, next } = current.closest(".rate-dialogue").dataset;
    const following = nextStep(current.closest(".rate-dialogue"), Number(current.dataset.step), 1);
    if (following) return [position, following];
    return next ? [next, 1] : null;
  };

  const advance = () => {
    const place = root.dataset.review ? null : nextPlace(); // from the review one came to this one answer
    return place ? go(...place) : finish();
  };

  // The position and the step before this one, or null at the beginning. Step 0 is the last one of a dialogue.
  const placeBefore = () => {
    const { position, previous } = current.closest(".rate-dialogue").dataset;
    const step = nextStep(current.closest(".rate-dialogue"), Number(current.dataset.step), -1);
    if (step) return [position, step];
    return previous ? [previous, 0] : null;
  };

  const back = () => {
    const place = placeBefore();
    if (place) go(...place);
  };

  // Only a link that leads somewhere is reached by Tab.
  const showBack = () => {
    const place = placeBefore();
    part("back").toggleAttribute("aria-disabled", !place);
    if (place) part("back").href = `${base}${place.join("/")}/`;
    else part("back").removeAttribute("href");
  };

  const isLeft = (question) => marks.isSkipped(question.item) && !question.isGiven;

  const confirm = () => {
    if (isLoading() || bar.isOver || current.closest(".rate-dialogue").dataset.unread) return;
    const questions = Question.askedIn(current);
    questions.forEach((question) => question.forgetMistakes());
    const wrong = questions.find((question) => question.mistake && !isLeft(question));
    const isOpen = questions.some((question) => !question.isGiven && !isLeft(question));
    if ((wrong || isOpen) && active.isHasty()) return;
    if (wrong) {
      active.fail(wrong);
      return;
    }
    if (onward.holds()) return;
    const asked = questions.filter((question) => !isLeft(question));
    asked.filter((question) => !question.isGiven).forEach((question) => (question.none.checked = true)); // saved as it stands
    const changed = asked.filter((question) => question.isChanged);
    // Since this step was saved last: the server adds it to what its questions took before.
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
      const dialogue = question.element.closest(".rate-dialogue");
      settle(dialogue);
      Question.allIn(dialogue).filter((each) => each.item === question.item).forEach((each) => drafts.keep(each));
      refresh(dialogue);
    },
    onActive: (question) => {
      help.follow(question);
      onward.follow(question);
      showMarks(question.item);
    },
    takeKey: (key) => marks.takeKey(key) || strip.takeKey(key),
    isLeft,
    isHasty: () => performance.now() - shownAt < HASTE && !Question.askedIn(current).some((question) => question.isGiven),
    isBusy: isLoading,
  });
  const help = new Help({ root, active });
  const isLast = () => Boolean(root.dataset.review) || (!nextPlace() && !root.dataset.submit.startsWith("#"));
  const onward = new Onward({ root, active, isLeft, isLast });

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
    if (acts.matches("[data-save]")) onward.press(confirm);
    else if (!acts.hasAttribute("aria-disabled")) back();
  });
  addEventListener("pageshow", (event) => event.persisted && stay()); // the browser kept the page it had left
  addEventListener("popstate", (event) => event.state && go(event.state.position, event.state.number, false));

  const number = Number(first.querySelector(".step:not([hidden])").dataset.step);
  dialogues.known.set(first.dataset.position, first);
  restore(first);
  root.setAttribute("data-ready", "");
  show(first, number);
  history.replaceState({ position: first.dataset.position, number }, "");
  outbox.send();
  strip.load();
  tabs = followTabs({
    outbox,
    dialogues,
    isBusy: () => isLoading() || bar.isOver,
    dialogueHere: () => current.closest(".rate-dialogue"),
    load: async (dialogue) => {
      const fresh = await dialogues.load(dialogue.dataset.position);
      dialogues.known.set(dialogue.dataset.position, dialogue); // the one on screen stays
      return fresh;
    },
    onChange: (dialogue) => {
      settle(dialogue);
      refresh(dialogue);
      marks.showState();
    },
  });
  (window.requestIdleCallback ?? setTimeout)(() => dialogues.keepNear(first));
})();
