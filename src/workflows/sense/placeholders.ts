import { foldText } from '../../base/text/fold.ts';

const lengthMax = 60;

// Placeholders for a value still to come, in English, German, Spanish and French, folded. Words that are also values are left
// out: "none", "keine" and "pending" answer a question.
const words = [
  'tbd|tba|tbc|to be (?:defined|determined|decided|announced|confirmed|completed|added|filled in)|to follow|to ?do|fill (?:me )?in|fill this in|insert (?:here|text)|coming soon|placeholder|lorem ipsum.*',
  'n ?[/.] ?a\\.?|n ?[/.] ?d\\.?|n ?[/.] ?c\\.?|s ?/ ?d|not (?:available|applicable|specified|provided|given|known(?: yet)?)|unknown|null|undefined|nil|no (?:data|info|information|value)',
  'k ?[/.] ?a\\.?|keine angaben?|ohne angaben?|unbekannt|nicht (?:bekannt|angegeben|vorhanden|verfugbar)|noch (?:offen|unbekannt|nicht bekannt)|wird (?:noch )?(?:nachgereicht|erganzt|nachgetragen)|folgt(?: noch)?|zu erganzen|bitte (?:erganzen|ausfullen|eintragen)|platzhalter|siehe (?:oben|unten)|s\\. ?[ou]\\.?',
  'por (?:definir|determinar|confirmar|completar|concretar|rellenar|anadir)|a (?:definir|determinar|confirmar|completar)|sin (?:datos|especificar|definir|informacion)|no (?:especificado|disponible|consta|aplica|indicado|se sabe)|desconocid[oa]|rellenar|completar',
  'a (?:definir|determiner|completer|preciser|venir|renseigner|remplir|ajouter)|non (?:renseigne|precise|communique|disponible|applicable|specifie|connu)e?|inconnue?|sans objet|neant',
].join('|');
const placeholder = new RegExp(`^(?:${words})$`);
const signs = /^[\s.?!_x*#/–—-]{2,}$/;

/** Whether a value is only a placeholder: "TBD", "n/a", "k. A.", "xxx", "à compléter", "por definir". */
export function isPlaceholder(value: string): boolean {
  const bare = value.trim();
  if (bare === '' || bare.length > lengthMax) return false;
  const folded = foldText(bare)
    .replace(/^[\s[({<"']+|[\s\])}>"'.!:…]+$/g, '')
    .trim();
  if (folded === '') return !/[\p{L}\p{N}]/u.test(bare);
  return placeholder.test(folded) || signs.test(folded);
}
