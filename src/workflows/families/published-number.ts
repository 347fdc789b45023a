import { foldText } from '../../base/text/fold.ts';

const nearUnits = 60;

// Numbers that firms pay for, which no person has: 0800 in Europe, 0180 and 0900 in Germany, 900 to 902 in Spain, 800 and the like in
// North America. Others that begin so are somewhere a town's.
const ofServices =
  /^(?:\+800\d{8}|0800\d{5,8}|0180[1-7]\d{5,7}|0900\d{6,7}|90[0-2]\d{6}|(?:\+?1)?8(?:00|33|44|55|66|77|88)\d{7})$/;

// Whose number it is, folded, in the same sentence: a firm's, not a person's.
const firms =
  /\b(?:hotlines?|helplines?|help ?desk|switchboard|customer (?:service|care|support)s?|service (?:line|number|desk)|support (?:line|number|team)|our (?:shop|store|office|branch|showroom|clinic|practice|restaurant|team|reception)|the (?:shop|store|office|reception|surgery)|reception|box office|kunden(?:service|dienst|hotline|betreuung)|service ?(?:nummer|telefon|hotline)|servicecenter|zentrale|filiale|werkstatt|geschaftsstelle|empfang|rezeption|praxis|(?:unser(?:e[mnrs]?)?|der|im|das) (?:laden|geschaft|buro|restaurant|team)|bestellhotline|storungsstelle|notdienst|atencion al (?:cliente|publico)|servicio (?:de atencion|al cliente|tecnico)|centralita|linea de ayuda|(?:nuestr[ao]|la|el) (?:tienda|oficina|clinica|taller|restaurante|recepcion)|taquilla|service (?:client(?:s|ele)?|apres-vente|consommateurs)|standard|numero vert|accueil|(?:notre|le|la) (?:magasin|boutique|bureau|agence|cabinet|restaurant|garage|atelier|secretariat))\b/;

// A person's own number may stand beside a firm's name.
const persons =
  /\b(?:mobile|cell|private|personal|home|his|her|my|mobil\w*|handy\w*|privat\w*|mein\w*|sein\w*|ihre? (?:handy|private)\w*|movil|privad\w*|personal|mi|su (?:movil|numero)|portable|perso\w*|prive\w*|mon|son)\b/;

/** Whether a telephone number is a firm's that it gives as its contact: it identifies nobody, and readers need it. */
export function isPublishedNumber(text: string, start: number, end: number): boolean {
  if (ofServices.test(text.slice(start, end).replace(/[^\d+]/g, ''))) return true;
  const before = text.slice(Math.max(0, start - nearUnits), start);
  const after = text.slice(end, end + nearUnits);
  // Only what stands in its sentence, or its line; "Tel." ends none.
  const sentence = foldText(
    `${before.split(/[!?\n]|(?<!\b\p{L}{1,4})\.\s/u).at(-1) ?? ''} ${after.split(/[!?\n]|\.(?:\s|$)/u, 1)[0] ?? ''}`,
  );
  return firms.test(sentence) && !persons.test(sentence);
}
