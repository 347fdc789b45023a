import { foldText } from '../../base/text/fold.ts';

const lengthMax = 40;

const none =
  /^(?:none|nothing|no|zero|kein(?:e[nrs]?)?|nein|nichts|null|ningun[oa]?s?|no tengo|no hay|nada|cero|aucune?s?|non|rien|neant|zero)(?: (?:known|at all|bekannt|vorhanden|conocid[oa]s?|connue?s?))?[.!]?$/;
const no = /^(?:no|nein|non)[.!]?$/;
const yes = /^(?:yes|yep|y|ja|jawohl|j|si|oui|o)[.!]?$/;
const notApplicable =
  /^(?:n ?[/.] ?a\.?|not applicable|entfallt|nicht zutreffend|trifft nicht zu|no aplica|no procede|non applicable|sans objet|neant|s\.? ?o\.?)$/;

/** Whether an answer says that there is none: "keine", "ninguno", "aucun", "none known". */
export function saysNone(text: string): boolean {
  return text.length <= lengthMax && none.test(foldText(text));
}

/** Whether an answer is only no. */
export function saysNo(text: string): boolean {
  return text.length <= lengthMax && no.test(foldText(text));
}

/** Whether an answer is only yes. */
export function saysYes(text: string): boolean {
  return text.length <= lengthMax && yes.test(foldText(text));
}

/** Whether an answer says that the question is not meant for the reader: "n/a", "entfällt", "no procede", "sans objet". */
export function saysNotApplicable(text: string): boolean {
  return text.length <= lengthMax && notApplicable.test(foldText(text));
}
