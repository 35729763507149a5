// The same batch in two tabs: what one has saved comes on screen in the other, except over what is not saved there.
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

  // `load` fetches the dialogue on screen anew. What is saved here meanwhile is newer than what it brings.
  const followTabs = ({ outbox, isBusy, dialogueHere, load, onChange }) => {
    const renew = async () => {
      const before = outbox.order;
      const isIdle = () => !document.hidden && !isBusy() && outbox.order === before && !outbox.waiting().length;
      if (!isIdle()) return;
      const here = dialogueHere();
      const fresh = await load(here).catch(() => null);
      if (!fresh || !isIdle()) return;
      take(here, fresh);
      onChange(here);
    };
    document.addEventListener("visibilitychange", renew);
    addEventListener("storage", (event) => event.key?.startsWith(outbox.store.prefix) && !event.newValue && renew());
  };

  window.Parley = { ...window.Parley, followTabs };
})();
