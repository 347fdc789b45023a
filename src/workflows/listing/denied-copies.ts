const copies =
  'replicas?|clones?|cop(?:y|ies)|copias?|imitacion(?:es)?|falsificacion(?:es)?|falschung(?:en)?|nachbau|plagiat|replik|repliques?|contrefacons?|imitations?|falsos?';
const no =
  "\\b(?:no|not|isn.t|kein(?:e|en)?|nicht|ni|pas|sin|never|n.est|aucune?) (?:es |son |an? |una? |d(?:e|u)? ?|d'|l.)?";
const materials =
  'imitation (?:leather|suede|fur|pearl|diamond|cuir|bois|fourrure|marbre)|imitacion (?:an? |de )?(?:piel|cuero|ante|madera)';
const denied = new RegExp(`${no}(?:${copies})\\b|\\b(?:${materials})`, 'g');
const anyCopy = new RegExp(copies);

/** What a folded text says without its denials of being a copy ("no es replica") and without materials that imitate others. */
export function withoutDeniedCopies(folded: string): string {
  return anyCopy.test(folded) ? folded.replace(denied, ' ') : folded;
}
