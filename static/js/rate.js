// The rating screen: shows one step at a time, takes keys, and hands every answer to the outbox before it moves on.
//
// The forms come from the server, one dialogue at a time, and work without this file: there is no second renderer here.
(() => {
  "use strict";
  const root = document.getElementById("rate");
  const { ActiveTimer, Bar, Outbox, Store } = window.Parley;
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

  // --- one question ------------------------------------------------------------------------------
  const questionsOf = (within) => [...within.querySelectorAll("fieldset.asked")];
  const itemOf = (question) => question.closest(".step").dataset.item;
  const draftKey = (question) => `${itemOf(question)}:${question.dataset.criterion}`;
  const chosen = (question) => question.querySelector("input[type=radio]:checked");
  const whyOf = (question, option) => question.querySelector(`[data-why="${option}"]`);
  // As the server counts (protocols/words.py): a character of Chinese or Japanese is a word.
  const ALONE = "\\u3005\\u3007\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3ffff}";
  const MARKS = "\\u3000-\\u3004\\u3006\\u3008-\\u303f\\uff00-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65";
  const WORD = new RegExp(`[${ALONE}]|[^\\s${ALONE}${MARKS}]+`, "gu");
  const countWords = (text) => text.match(WORD)?.length ?? 0;

  const read = (question) => {
    const option = chosen(question)?.value ?? "";
    const why = option && whyOf(question, option);
    return {
      option,
      explanations: why ? [...why.querySelectorAll("input:checked")].map((box) => box.value) : [],
      free_text: why ? why.querySelector("textarea").value.trim() : "",
    };
  };

  const write = (question, answer) => {
    const radio = question.querySelector(`input[type=radio][value="${answer.option}"]`);
    if (radio) radio.checked = true;
    const why = whyOf(question, answer.option);
    if (!why) return;
    why.querySelectorAll("input").forEach((box) => (box.checked = answer.explanations.includes(box.value)));
    why.querySelector("textarea").value = answer.free_text;
    showCount(why.querySelector("textarea"));
  };

  const showCount = (text) => {
    const { wordsMin, wordsMax } = text.closest(".why").dataset;
    const n = countWords(text.value);
    const count = part("count", text.closest(".why"));
    count.textContent = n ? `${n} of ` : "";
    count.parentElement.toggleAttribute("data-over", n > Number(wordsMax));
    count.parentElement.toggleAttribute("data-under", n > 0 && n < Number(wordsMin));
  };

  // The server's own rules, said before a request is made; the server checks again.
  const mistake = (question) => {
    const { option, free_text: text } = read(question);
    if (!option) return ["option", `Choose one of the answers to “${question.dataset.name}”.`];
    const why = whyOf(question, option);
    if (!why) return null;
    const { wordsMin, wordsMax } = why.dataset;
    const n = countWords(text);
    if (why.dataset.asks === "explanation_required" && !n && !why.querySelector("input:checked"))
      return ["explanations", "Choose at least one reason, or say why in your own words."];
    if (why.dataset.asks === "free_text" && !n) return ["free_text", `Say why, in ${wordsMin} words or more.`];
    const isWrong = n && (n < Number(wordsMin) || n > Number(wordsMax));
    return isWrong ? ["free_text", `Write ${wordsMin} to ${wordsMax} words: this has ${n}.`] : null;
  };

  const showMistake = (question, [field, sentence]) => {
    const within = field === "option" ? question : whyOf(question, read(question).option);
    const line = within.querySelector(`[data-error="${field}"]`);
    line.textContent = sentence;
    line.hidden = false;
    const control = within.querySelector(field === "option" ? "input[type=radio]" : "textarea");
    control.setAttribute("aria-invalid", "true");
    question.scrollIntoView({ block: "nearest" });
    control.focus({ preventScroll: field === "option" });
  };

  const forgetMistakes = (question) => {
    question.querySelectorAll("[data-error]").forEach((line) => (line.hidden = true));
    question.querySelectorAll("[aria-invalid]").forEach((control) => control.removeAttribute("aria-invalid"));
  };

  // --- what is known and what is not yet sent ------------------------------------------------------
  // The server's answers are in the page; over them come the ones it has not acknowledged, then what was only begun.
  const restore = (dialogue) => {
    const unsent = new Map(outbox.entries().map((entry) => [`${entry.item}:${entry.criterion}`, entry]));
    questionsOf(dialogue).forEach((question) => {
      question.known = question.hasAttribute("data-answered") ? JSON.stringify(read(question)) : "";
      const waiting = unsent.get(draftKey(question));
      if (waiting) {
        write(question, waiting);
        question.known = JSON.stringify(read(question));
      }
      const draft = drafts.get(draftKey(question));
      if (draft) write(question, draft);
      question.querySelectorAll("textarea").forEach(showCount);
    });
  };

  const save = (question, activeMs) => {
    outbox.add({
      item: itemOf(question),
      criterion: question.dataset.criterion,
      ...read(question),
      active_ms: activeMs,
      is_new: !question.known,
    });
    drafts.remove(draftKey(question));
    if (!question.known) bar.done += 1;
    question.known = JSON.stringify(read(question));
  };

  // --- between the page and the server ---------------------------------------------------------------
  // Refused as it is: back into the form, where it can be put right.
  const takeBack = (entry) => {
    const key = `${entry.item}:${entry.criterion}`;
    drafts.put(key, entry);
    const questions = [...dialogues.values()].flatMap(questionsOf);
    questions.filter((question) => draftKey(question) === key).forEach((question) => (question.known = ""));
    if (entry.is_new) bar.done -= 1;
  };

  const onRefused = (entry, error) => {
    if (error.code === "lease_expired") return bar.endLease();
    if (error.code === "invalid") takeBack(entry);
    return bar.showProblem(error.message ?? "The server refused an answer. It is kept on this device.");
  };

  const outbox = new Outbox({
    assignment: root.dataset.assignment,
    url: root.dataset.answers,
    onChange: (changed) => bar.showState(changed),
    onRefused,
  });

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

  const show = (dialogue, number) => {
    if (!dialogue.isConnected) stage.replaceChildren(dialogue);
    dialogue.querySelectorAll(".step").forEach((step) => (step.hidden = Number(step.dataset.step) !== number));
    current = dialogue.querySelector(`[data-step="${number}"]`);
    dialogue.querySelectorAll("[data-next].turn").forEach((turn) => (turn.hidden = turn.dataset.next !== current.dataset.item));
    const scroller = dialogue.querySelector(".history-scroll");
    scroller.scrollTop = scroller.scrollHeight;
    activate(questionsOf(current).find((question) => !chosen(question)) ?? questionsOf(current)[0]);
    shownAt = performance.now();
  };

  const arrive = () => {
    const heading = current.querySelector("h2");
    heading.focus({ preventScroll: true });
    current.scrollIntoView({ block: "nearest" });
    bar.announce(`${current.querySelector(".step-place").textContent.trim()}. ${heading.textContent}`);
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
    const number = step || dialogue.querySelectorAll(".step").length;
    show(dialogue, number);
    if (isNew) history.pushState({ position, number }, "", `${base}${position}/${number}/`);
    arrive();
  };

  const failToLoad = (error, again) => {
    if (error.status) {
      location.assign(base); // the server has a page that says why
    } else if (error.isSignedOut) {
      bar.showProblem("You are signed out. Your answers are kept. ", bar.signIn("Sign in again"));
    } else {
      const button = Object.assign(document.createElement("button"), { type: "button", className: "inline", textContent: "Try again" });
      button.addEventListener("click", again, { once: true });
      addEventListener("online", again, { once: true });
      bar.showProblem("The next dialogue cannot be loaded: there is no connection. Your answers are kept. ", button);
    }
  };

  const finish = async () => {
    await Promise.race([outbox.send(), new Promise((resolve) => setTimeout(resolve, 3000))]);
    location.assign(root.dataset.submit);
  };

  const advance = () => {
    const dialogue = current.closest(".rate-dialogue");
    const number = Number(current.dataset.step);
    if (number < dialogue.querySelectorAll(".step").length) return go(dialogue.dataset.position, number + 1);
    return dialogue.dataset.next ? go(dialogue.dataset.next, 1) : finish();
  };

  const back = () => {
    const dialogue = current.closest(".rate-dialogue");
    const number = Number(current.dataset.step);
    if (number > 1) go(dialogue.dataset.position, number - 1);
    else if (dialogue.dataset.previous) go(dialogue.dataset.previous, 0);
  };

  const confirm = () => {
    if (isLoading()) return;
    const questions = questionsOf(current);
    questions.forEach(forgetMistakes);
    const wrong = questions.map((question) => [question, mistake(question)]).find(([, found]) => found);
    if (wrong && performance.now() - shownAt < HASTE && questions.every((question) => !chosen(question))) return;
    if (wrong) {
      showMistake(...wrong);
      return;
    }
    const changed = questions.filter((question) => JSON.stringify(read(question)) !== question.known);
    const activeMs = changed.length ? Math.round(timer.take() / changed.length) : 0;
    changed.forEach((question) => save(question, activeMs));
    bar.showProgress(activeMs);
    advance();
  };

  // --- keys ----------------------------------------------------------------------------------------
  const activate = (question) => {
    questionsOf(current).forEach((each) => each.toggleAttribute("data-active", each === question));
  };

  const active = () => current.querySelector("fieldset[data-active]") ?? questionsOf(current)[0];

  const choose = (key) => {
    const question = active();
    const radio = question.querySelector(`input[type=radio][data-key="${key}"]`);
    if (!radio) return false;
    radio.checked = true;
    radio.focus();
    radio.dispatchEvent(new Event("input", { bubbles: true }));
    const why = whyOf(question, radio.value);
    if (why?.dataset.asks === "free_text") why.querySelector("textarea").focus();
    const next = questionsOf(current).find((each) => !chosen(each));
    if (!why && next) {
      activate(next);
      next.scrollIntoView({ block: "nearest" });
    }
    return true;
  };

  const giveReason = (code) => {
    const option = chosen(active())?.value;
    const box = option && whyOf(active(), option)?.querySelector(`input[value="${code}"]`);
    box?.click();
    return Boolean(box);
  };

  const onKey = (event) => {
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
    else if (!(/^[a-z]$/.test(event.key) && giveReason(event.key))) return;
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
    const question = event.target.closest("fieldset.asked");
    if (question && current.contains(question)) activate(question);
  });
  root.addEventListener("input", (event) => {
    const question = event.target.closest("fieldset.asked");
    if (!question) return;
    forgetMistakes(question);
    if (event.target.matches("textarea")) showCount(event.target);
    drafts.put(draftKey(question), read(question));
  });
  addEventListener("popstate", (event) => event.state && go(event.state.position, event.state.number, false));

  const first = stage.querySelector(".rate-dialogue");
  const number = Number(first.querySelector(".step:not([hidden])").dataset.step);
  dialogues.set(first.dataset.position, first);
  restore(first);
  show(first, number);
  history.replaceState({ position: first.dataset.position, number }, "");
  bar.done += outbox.entries().filter((entry) => entry.is_new).length;
  bar.showProgress(0);
  outbox.send();
  (window.requestIdleCallback ?? setTimeout)(prefetch);
})();
