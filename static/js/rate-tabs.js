// The same batch in two tabs: what one has saved comes on screen in the other, except over what is not saved there. A
// dialogue that is not on screen is fetched again before it is shown: choosing what it showed of old would save nothing.
(() => {
  "use strict";
  const { Question } = window.Parley;

  const take = (dialogue, fresh) => {
    const now = new Map(Question.allIn(fresh).map((question) => [question.key, question.known]));
    const isOlder = (question) => !question.isUnsaved && now.get(question.key) && now.get(question.key) !== question.known;
    Question.allIn(dialogue).filter(isOlder).forEach((question) => {
      question.known = now.get(question.key);
      question.write(JSON.parse(question.known));
    });
  };

  // `load` fetches the dialogue on screen anew. What is saved here meanwhile is newer than what it brings. What cannot be
  // done at once, because this tab is hidden or busy, is done as soon as `catchUp` or the tab itself finds it idle.
  const followTabs = ({ outbox, dialogues, isBusy, dialogueHere, load, onChange }) => {
    let isBehind = false;
    const renew = async () => {
      isBehind = true;
      const before = outbox.order;
      const isIdle = () => !document.hidden && !isBusy() && outbox.order === before && !outbox.waiting().length;
      if (!isIdle()) return;
      const here = dialogueHere();
      const fresh = await load(here).catch(() => null);
      if (!fresh || !isIdle()) return;
      isBehind = false;
      take(here, fresh);
      onChange(here);
    };
    const isSavedElsewhere = (event) => event.key?.startsWith(outbox.store.prefix) && !event.newValue;
    document.addEventListener("visibilitychange", renew);
    addEventListener("storage", (event) => {
      if (!isSavedElsewhere(event)) return;
      dialogues.forget(dialogueHere());
      renew();
    });
    return { catchUp: () => isBehind && renew() };
  };

  window.Parley = { ...window.Parley, followTabs };
})();
