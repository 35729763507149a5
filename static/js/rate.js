// The rating screen: shows one step at a time, takes keys, and hands every answer to the outbox before it moves on.
//
// The forms come from the server, one dialogue at a time, and work without this file: there is no second renderer here.
(() => {
  "use strict";
  const root = document.getElementById("rate");
  const { ActiveTimer, Bar, Marks, Outbox, Question, Store, Strip } = window.Parley;
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
  let current = null; // the section on screen
  let shownAt = 0;
  const first = stage.querySelector(".rate-dialogue");

  // --- the questions on screen ---------------------------------------------------------------------
  const questionsOf = (within) => [...within.querySelectorAll("fieldset.asked")].map(Question.of);
  const askedOf = (within) => questionsOf(within).filter((question) => question.isAsked);

  // Shows and hides what depends on other answers to the same item. What is asked anew is wanted, what is not any more is not.
  const settle = (dialogue, isCounted = true) => {
    const questions = questionsOf(dialogue);
    questions.filter((question) => question.element.dataset.when).forEach((question) => {
      const [criterion, codes] = question.element.dataset.when.split(":");
      const parent = questions.find((each) => each.item === question.item && each.criterion === criterion);
      const isAsked = parent.isAsked && codes.split(",").includes(parent.chosen?.value);
      if (isAsked === question.isAsked) return;
      question.element.hidden = !isAsked;
      if (!isCounted || question.isOptional || (marks.isSkipped(question.item) && !question.known)) return;
      bar.wanted += isAsked ? 1 : -1;
      if (question.known) bar.done += isAsked ? 1 : -1;
    });
  };

  // --- what is known and what is not yet sent ------------------------------------------------------
  // The server's answers are in the page; over them come the ones it has not acknowledged, then what was only begun.
  const restore = (dialogue) => {
    marks.restore(dialogue);
    const unsent = new Map(outbox.entries().map((entry) => [`${entry.item}:${entry.criterion}`, entry]));
    questionsOf(dialogue).forEach((question) => {
      question.known = question.element.hasAttribute("data-answered") ? JSON.stringify(question.read()) : "";
      const waiting = unsent.get(question.key);
      if (waiting) {
        question.write(waiting);
        question.known = JSON.stringify(question.read());
      }
      const draft = drafts.get(question.key);
      if (draft) question.write(draft);
      question.element.querySelectorAll("textarea").forEach(Question.showCount);
    });
    settle(dialogue, false);
    strip.refresh(dialogue);
  };

  const save = (question, activeMs) => {
    outbox.add({
      item: question.item,
      criterion: question.criterion,
      ...question.read(),
      protocol: question.element.form.elements.protocol.value,
      active_ms: activeMs,
      is_new: !question.known && !question.isOptional,
    });
    drafts.remove(question.key);
    const dialogue = question.element.closest(".rate-dialogue");
    if (question.known) strip.noteChange(dialogue, question.item);
    if (!question.known && !question.isOptional) {
      bar.done += 1;
      if (marks.isSkipped(question.item)) bar.wanted += 1; // it was not wanted any more, and is given all the same
    }
    question.known = JSON.stringify(question.read());
    strip.refresh(dialogue);
  };

  // --- between the page and the server ---------------------------------------------------------------
  // Refused as it is: back into the form, where it can be put right.
  const takeBack = (entry) => {
    const key = `${entry.item}:${entry.criterion}`;
    drafts.put(key, entry);
    const questions = [...dialogues.values()].flatMap(questionsOf);
    questions.filter((question) => question.key === key).forEach((question) => (question.known = ""));
    if (entry.is_new) bar.done -= 1;
  };

  const onRefused = (entry, error) => {
    if (error.code === "lease_expired") return bar.endLease();
    if (entry.kind === "mark") marks.refused(entry);
    else if (error.code === "invalid") takeBack(entry);
    return bar.showProblem(error.message ?? gettext("The server refused an answer. It is kept on this device."));
  };

  const outbox = new Outbox({
    assignment: root.dataset.assignment,
    url: root.dataset.answers,
    urls: { mark: root.dataset.marks },
    onChange: (changed) => bar.showState(changed),
    onRefused,
  });

  // A flagged item may need no answer: what is not given about it is wanted no more, or is again.
  const onMark = (item, { wasSkipped, isSkipped }) => {
    const dialogue = [...dialogues.values()].find((each) => each.querySelector(`.part[data-item="${item}"]`));
    if (!dialogue) return;
    const open = questionsOf(dialogue).filter((each) => each.item === item && each.isAsked && !each.isOptional && !each.known);
    if (wasSkipped !== isSkipped) bar.wanted += isSkipped ? -open.length : open.length;
    bar.showProgress(0);
    strip.refresh(dialogue);
  };
  const marks = new Marks({ outbox, onChange: onMark, announce: (text) => bar.announce(text) });
  const strip = new Strip({ go: (position, number) => go(position, number), questionsOf, marks });
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
    if (!questionsOf(dialogue).some((question) => question.known)) await bar.showReading(dialogue, await secondsToRead(dialogue));
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

  const show = (dialogue, number) => {
    if (!dialogue.isConnected) stage.replaceChildren(dialogue);
    dialogue.querySelectorAll(".step").forEach((step) => (step.hidden = Number(step.dataset.step) !== number));
    current = dialogue.querySelector(`[data-step="${number}"]`);
    dialogue.querySelectorAll("[data-next].turn").forEach((turn) => (turn.hidden = turn.dataset.next !== part("item", current).dataset.item));
    const scroller = dialogue.querySelector(".history-scroll");
    if (scroller) scroller.scrollTop = scroller.scrollHeight;
    activate(askedOf(current).find((question) => !question.isGiven) ?? askedOf(current)[0]);
    showMarks(part("item", current).dataset.item);
    shownAt = performance.now();
    part("reading").hidden = !dialogue.dataset.unread;
    readFirst(dialogue);
  };

  const arrive = () => {
    const heading = current.querySelector("h2");
    heading.focus({ preventScroll: true });
    current.scrollIntoView({ block: "nearest" });
    const place = current.querySelector(".step-place").textContent.trim();
    bar.announce(interpolate(gettext("%(place)s. %(question)s"), { place, question: heading.textContent }, true));
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
    if (error.status) {
      location.assign(base); // the server has a page that says why
    } else if (error.isSignedOut) {
      bar.showProblem(`${gettext("You are signed out. Your answers are kept.")} `, bar.signIn(gettext("Sign in again")));
    } else {
      const button = Object.assign(document.createElement("button"), { type: "button", className: "inline", textContent: gettext("Try again") });
      button.addEventListener("click", again, { once: true });
      addEventListener("online", again, { once: true });
      bar.showProblem(`${gettext("The next dialogue cannot be loaded: there is no connection. Your answers are kept.")} `, button);
    }
  };

  const finish = async () => {
    await Promise.race([outbox.send(), new Promise((resolve) => setTimeout(resolve, 3000))]);
    location.assign(root.dataset.review || root.dataset.submit);
  };

  // A step whose questions are not asked after what was answered is passed over. Undefined at either end.
  const nextStep = (dialogue, number, direction) => {
    const isNeeded = (question) => direction < 0 || question.known || !marks.isSkipped(question.item);
    const steps = [...dialogue.querySelectorAll(".step")].filter((step) => askedOf(step).some(isNeeded));
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

  const back = () => {
    const dialogue = current.closest(".rate-dialogue");
    const previous = nextStep(dialogue, Number(current.dataset.step), -1);
    if (previous) go(dialogue.dataset.position, previous);
    else if (dialogue.dataset.previous) go(dialogue.dataset.previous, 0);
  };

  const confirm = () => {
    if (isLoading() || current.closest(".rate-dialogue").dataset.unread) return;
    const questions = askedOf(current);
    questions.forEach((question) => question.forgetMistakes());
    const isLeft = (question) => marks.isSkipped(question.item) && !question.isGiven;
    const wrong = questions.find((question) => question.mistake && !isLeft(question));
    if (wrong && performance.now() - shownAt < HASTE && questions.every((question) => !question.isGiven)) return;
    if (wrong) {
      wrong.showMistake(wrong.mistake);
      return;
    }
    const changed = questions.filter((question) => question.isChanged && !isLeft(question));
    // Since the last answer, and for this one alone: the server adds it to what its question took before.
    const activeMs = changed.length ? Math.round(timer.take() / changed.length) : 0;
    changed.forEach((question) => save(question, activeMs));
    bar.showProgress(activeMs);
    advance();
  };

  // --- keys ----------------------------------------------------------------------------------------
  const activate = (question) => {
    questionsOf(current).forEach((each) => each.element.toggleAttribute("data-active", each === question));
  };

  const active = () => askedOf(current).find((each) => each.element.hasAttribute("data-active")) ?? askedOf(current)[0];

  const choose = (key) => {
    const question = active();
    const input = question.element.querySelector(`input[data-key="${key}"]`);
    if (!input || input.matches(":disabled")) return false;
    input.checked = question.kind === "multiple" ? !input.checked : true;
    input.focus();
    input.dispatchEvent(new Event("input", { bubbles: true }));
    const why = question.why(input.value);
    if (why?.dataset.asks === "free_text") why.querySelector("textarea").focus();
    const next = askedOf(current).find((each) => !each.isGiven);
    if (!why && next && question.kind === "single") {
      activate(next);
      next.element.scrollIntoView({ block: "nearest" });
    }
    return true;
  };

  const giveReason = (code) => {
    const option = active().chosen?.value;
    const box = option && active().why(option)?.querySelector(`input[value="${code}"]`);
    box?.click();
    return Boolean(box);
  };

  const onKey = (event) => {
    if (marks.isOpen) return;
    if (isLoading()) return; // the step still on screen is answered: a key now would change it unseen
    const isText = event.target.matches("textarea, select, input:not([type=radio], [type=checkbox])");
    const isEnter = event.key === "Enter";
    if (isText) {
      if (isEnter && (event.ctrlKey || event.metaKey)) confirm();
      else if (event.key === "Escape") current.querySelector("h2").focus();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (isEnter && event.target.closest("a, button, summary")) return;
    if (isEnter) confirm();
    else if (event.key === "Backspace") back();
    else if (/^\d$/.test(event.key)) choose(event.key);
    else if (/^[a-z]$/.test(event.key) && giveReason(event.key)) event.preventDefault();
    else if (!marks.takeKey(event.key) && !strip.takeKey(event.key)) return;
    event.preventDefault();
  };

  // --- begin ---------------------------------------------------------------------------------------
  document.addEventListener("keydown", onKey);
  root.addEventListener("submit", (event) => {
    if (!event.target.closest(".step")) return;
    event.preventDefault();
    confirm();
  });
  root.addEventListener("click", (event) => {
    if (!event.target.closest("a[data-back]") || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    back();
  });
  root.addEventListener("focusin", (event) => {
    const fieldset = event.target.closest("fieldset.asked");
    if (!fieldset || !current.contains(fieldset)) return;
    activate(Question.of(fieldset));
    showMarks(Question.of(fieldset).item);
  });
  root.addEventListener("input", (event) => {
    const fieldset = event.target.closest("fieldset.asked");
    if (!fieldset) return;
    const question = Question.of(fieldset);
    question.forgetMistakes();
    if (event.target.matches("textarea")) Question.showCount(event.target);
    if (event.target.matches("[data-other]:checked")) event.target.closest(".why").querySelector("textarea").focus();
    drafts.put(question.key, question.read());
    settle(fieldset.closest(".rate-dialogue"));
    bar.showProgress(0);
  });
  addEventListener("popstate", (event) => event.state && go(event.state.position, event.state.number, false));

  const number = Number(first.querySelector(".step:not([hidden])").dataset.step);
  dialogues.set(first.dataset.position, first);
  restore(first);
  show(first, number);
  history.replaceState({ position: first.dataset.position, number }, "");
  bar.done += outbox.entries().filter((entry) => entry.is_new).length;
  bar.showProgress(0);
  outbox.send();
  strip.load();
  (window.requestIdleCallback ?? setTimeout)(prefetch);
})();
