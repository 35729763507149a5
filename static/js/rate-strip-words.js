// What the strip of all items calls them, and what it says to a number that leads nowhere.
(() => {
  "use strict";
  const PAIR = "pair"; // the unit of a comparison that is a piece of its own, and the word for such pieces
  const TALK = "conversation";
  const put = (text, values) => interpolate(text, values, true);
  const UNITS = {
    response: gettext("response %(n)s"),
    candidate_set: gettext("set %(n)s"),
    model: gettext("collection %(n)s"),
    dialogue: gettext("the whole dialogue"),
    comparison: gettext("pair %(n)s"),
  };

  const nameOf = (piece, item, number) => {
    const place = placeOf(piece, item, number);
    const isAlone = item.unit === PAIR || (item.turn && item.isOnly && item.unit !== "dialogue");
    return isAlone ? place : put(gettext("%(place)s, %(item)s"), { place, item: put(UNITS[item.unit], { n: item.number }) });
  };

  const placeOf = ({ isConversation }, { unit, turn }, number) => {
    if (turn && unit !== "dialogue") return put(gettext("Conversation %(number)s, turn %(turn)s"), { number, turn });
    if (isConversation) return put(gettext("Conversation %(number)s"), { number });
    return put(unit === PAIR ? gettext("Pair %(number)s") : gettext("Dialogue %(number)s"), { number });
  };

  // In the numbers that would have led somewhere: `n` pieces, of which the one asked for has these items.
  const whyNot = (word, n, [piece, number], items) => {
    if (!n) return gettext("The list of items cannot be loaded: there is no connection.");
    if (word === PAIR) return put(gettext("Enter the number of a pair, from 1 to %(n)s."), { n });
    if (!piece) return whatToType(word);
    if (!items) return noPiece(word, piece, n);
    const most = items.length;
    const missing = ngettext(
      "There is no item %(piece)s.%(number)s: the only item of %(piece)s is %(piece)s.1.",
      "There is no item %(piece)s.%(number)s: there are %(piece)s.1 to %(piece)s.%(most)s.",
      most,
    );
    return put(missing, { piece, number, most });
  };

  const whatToType = (word) =>
    word === TALK
      ? gettext("Enter the number of a conversation, such as 2, or of an item in a conversation, such as 2.3.")
      : gettext("Enter the number of a dialogue, such as 2, or of an item in a dialogue, such as 2.3.");

  const noPiece = (word, number, n) => {
    const dialogue = ngettext(
      "There is no dialogue %(number)s: this batch has only dialogue 1.",
      "There is no dialogue %(number)s: this batch has dialogues 1 to %(n)s.",
      n,
    );
    const conversation = ngettext(
      "There is no conversation %(number)s: this batch has only conversation 1.",
      "There is no conversation %(number)s: this batch has conversations 1 to %(n)s.",
      n,
    );
    return put(word === TALK ? conversation : dialogue, { number, n });
  };

  window.Parley = { ...window.Parley, StripWords: { nameOf, whyNot } };
})();
