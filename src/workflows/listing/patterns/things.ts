import { after, before, type ChoiceReader, type FactPattern, unlessNegated } from './pattern.ts';

const part =
  '(?:handles?|knobs?|legs?|foot|feet|drawers?|hinges?|screws?|straps?|zips?|zippers?|buttons?|buckles?|corners?|edges?|hooks?|slats?|castors?|wheels?|griffe?|knopfe?|knauf|fu(?:ss|ß)e?|beine?|schubladen?|scharniere?|riemen|rei(?:ss|ß)verschluss|schnalle|ecke|kante|rollen?|lattenrost|tirador(?:es)?|pomos?|patas?|cajon(?:es)?|bisagras?|cremallera|boton(?:es)?|correa|hebilla|esquina|ruedas?|asa|poignees?|boutons?|pieds?|tiroirs?|charnieres?|fermeture(?: eclair)?|sangle|boucle|coin|roulettes?|anse)';
/** A broken handle is wear of a chest that can be used. */
const afterPart = new RegExp(
  `\\b${part}(?: (?:is|are|ist|sind|esta|estan|est|sont|a bit|slightly|leicht|etwas|un poco|algo|un peu))* $`,
);
const beforePart = new RegExp(`^(?:e[nrsm]?)? (?:(?:de|del|de la|d') ?)?${part}\\b`);
const isBroken = /^(?:broken|defekt|damaged|averiad|crack|kaputt|rot[oa]|cass|brise)/;
/** Flaws that leave a thing what it is. */
const isFlaw =
  /^(?:scratch|marks|kratzer|schramme|delle|beule|macken|gebrauchsspuren|aranazo|golpes?|rozadura|abolladura|rayure|eraflure|petite? eclat|un eclat|quelques eclat|eclat|bosse|dent|scuff|chipped|stain|flecken|marcas|senales|signs)/;
/** "Otherwise good" says what a thing is like, whatever stands before it. */
const otherwise =
  /^[^.;\n]{0,40}[,;.:-] ?(?:aber |but |pero |mais )?(?:otherwise|sonst|ansonsten|por lo demas|sinon|par ailleurs|a part ca)\b/;

const named = unlessNegated({
  'like new': /like new|as new|neuwertig|wie neu|como nuev|comme neu|mint|no marks|casi nuev|quasi neuf/,
  'for parts':
    /parts|spares|not work|longer work|n't work|nicht|no (?:funciona|enciende)|fonctionne p|broken|defekt|averiad|piezas|panne|pieces|damaged|kaputt|\brot[oa]|cass|brise|bastler/,
  new: /new|nuev|sealed|unopened|nagelneu|verpackt|unbenutzt|ungetragen|estrenar|precintad|jamais|never used|nie benutzt|sin usar|^neu|ovp/,
  'very good':
    /very good|sehr gut|muy buen|tres bon|excel|exzel|hervor|perfecto estado|parfait|top|(?:8|9|10) ?\/ ?10|never crashed/,
  good: /good|buen|bon|gut|gepflegt|well kept|grade [ab]|(?:without|no) scratch|scratch.?free|(?:ohne|keine).* kratzer|kratzerfrei|sin .*(?:aranazo|rayones|rayas)|(?:sans|aucune) rayure|^(?:otherwise|sonst|ansonsten|por lo demas|sinon|par ailleurs)/,
  working: /work|runs|funktion|einwandfrei|lauft|funciona|va |marche|tourne|fonctionne/,
  refurbished: /refurb|general|reacond|recond|rest/,
  used: /./,
});

/** "Worn twice, very good condition": what it says of the condition counts, and not that it was used. */
const conditionOf: ChoiceReader = Object.assign(
  (match: RegExpExecArray, text: string) => {
    const isOfPart =
      isBroken.test(match[0]) && (afterPart.test(before(text, match, 40)) || beforePart.test(after(text, match, 24)));
    if ((isOfPart || isFlaw.test(match[0])) && otherwise.test(after(text, match, 60))) return undefined;
    if (isOfPart) return named(match, text) && 'used';
    return /^(?:worn|used|getragen|gebraucht|usad|d'occasion|occasion)/.test(match[0]) &&
      /^[^.;\n]{0,24}[,;.:] ?(?:in |en |im )?(?:sehr gut|gut|neuwertig|wie neu|very good|good|excellent|like new|muy buen|buen|excelente|como nuev|tres bon|bon|parfait|comme neu)[a-z]*(?: (?:condition|zustand|estado|etat))?/.test(
        after(text, match, 60),
      )
      ? undefined
      : named(match, text);
  },
  { type: named.type, choices: named.choices, choose: named.choose },
);

/** Facts read about services, and about clothing, furniture and other possessions. */
export const thingPatterns: readonly FactPattern[] = [
  {
    fact: 'quoted',
    type: 'boolean',
    kinds: ['services'],
    pattern:
      /\bquotes?\b|estimate|on request|angebot|auf anfrage|kostenvoranschlag|festpreis|presupuesto|sin compromiso|a consultar|devis|sur demande/g,
    read: () => 'true',
  },
  {
    fact: 'condition',
    denied: {},
    kinds: ['electronics', 'furniture', 'fashion', 'generic'],
    fields: ['condition', 'zustand', 'artikelzustand', 'estado', 'etat', 'grade'],
    pattern:
      /like new|as new(?! [a-z])|neuwertig|wie neu|como nuev[oa]|comme neuf|comme neuve|brand new|(?:^|[.,;:!-] ?)new(?= sealed|[.,;!]|$| in box| with tags| and unused)|new sealed|unopened|\bsealed\b|nagelneu|originalverpackt|\bovp\b(?= ungeoffnet)|unbenutzt|ungetragen|sin estrenar|a estrenar|precintad[oa]|neu(?:f|ve)? (?:et )?(?:jamais|sous blister|avec etiquette)|jamais (?:porte|servi|utilise)e?|neu(?:f|ve|wertig)?(?=[.,;!]|$)|very good|sehr gut(?:er|em|en)?|muy buen(?:o|a|as)?|tres bon(?:ne)?|excellent|exzellent|excelente|hervorragend|perfecto estado|parfait etat|top.?zustand|good (?:used )?condition|otherwise (?:(?:in )?(?:very )?good|(?:all |works? |works )?(?:fine|ok(?:ay)?\b|great|perfect|excellent))|(?:sonst|ansonsten) (?:ist )?(?:alles |noch )?(?:(?:in )?(?:sehr )?gut|ok\b|okay|top|in ordnung|einwandfrei|tadellos)|por lo demas (?:esta )?(?:todo )?(?:en )?(?:muy )?(?:buen|bien|perfect|correct)|(?:sinon|par ailleurs) (?:tout )?(?:est )?(?:en )?(?:tres )?(?:bon|bien|ok\b|nickel|impeccable|parfait)|good working|\bcondition:? good|buen estado|buenas condiciones|bon etat|bonne etat|gut(?:er|em|en)? (?:gebrauchter )?zustand|gut erhalten|gepflegt|well kept|used\b|gebraucht|usad[oa]|segunda mano|occasion|d'occasion|worn\b|getragen|(?:without|no) scratch(?:es)?\b|scratch.?free|ohne (?:einen )?kratzer|keine(?:rlei)? kratzer|kratzerfrei|sin (?:ningun )?(?:aranazos?|rayones|rayas)|(?:sans|aucune) rayures?|refurbished|generaluberholt|reacondicionad|reconditionne|(?:not|no longer|n't) work(?:s|ing)?\b|(?:works?|runs?) (?:fine|well|great|perfect(?:ly)?|like new)|fully working|einwandfrei|lauft (?:gut|super|problemlos|tadellos)|va (?:muy )?bien|marche (?:tres )?bien|marche parfaitement|tourne bien|funktioniert (?:leider |gar |uberhaupt )?nicht|funktioniert|\b(?:no|ya no) (?:funciona|enciende)|funciona|ne fonctionne (?:pas|plus)|fonctionne|for parts|spares (?:or|and|&) repairs?|for spares|\bcrack(?:s|ed)?\b|\bmarks\b|signs of (?:wear|use)|broken|defekt|kaputt|(?:nur )?fur bastler|bastlergerat|averiad|(?<!(?:blanco|crudo|vaqueros?|jeans?|pantalon(?:es)?|estilo|rosa) )\brot[oa]s?\b|(?<!(?:blancs?|blanches?|prix) )\b(?:cassee?s?|brisee?s?)(?![a-z-])|para piezas|en panne|pour pieces|scratch|kratzer|schramme|\bdelle|\bbeule|gebrauchsspuren|macken|marcas de uso|senales de uso|\btraces (?:du temps|d'us(?:age|ure)|d'utilisation)|aranazo|\bgolpes?\b|rozadura|abolladura|rayure|eraflure|\b(?:petite?|un|quelques) eclats?\b|\bbosses?\b|\bdents?\b|\bscuffs?\b|\bchipped\b|restored|restauriert|restaurad|\b(?:[5-9]|10) ?\/ ?10\b|grade [abc]\b|condition \d|never used|nie benutzt|sin usar|mint\b|no marks|never crashed|damaged|stains?\b|flecken|zustand[ :]{1,2}(?:ist )?gut\b|zustand(?![ :]{1,2}(?:ist )?(?:sehr|neu|wie|top|einwand|gebraucht|defekt|hervor))/g,
    read: conditionOf,
  },
  {
    fact: 'dimensions',
    kinds: ['furniture', 'generic'],
    fields: [
      'dimensions',
      'size',
      'masse',
      'medidas',
      'width',
      'height',
      'length',
      'breite',
      'ancho',
      'largeur',
      'widthcm',
      'lengthcm',
      'heightcm',
    ],
    pattern:
      /\b\d{2,3}(?:[.,]\d)? ?(?:cm)? ?(?:x|×|by|mal|por|sur|auf) ?\d{2,3}|\b\d{2,3}(?:[.,]\d)? ?(?:cm|mm|centimet|zentimeter)|\b\d[.,]\d{1,2} ?(?:m|metros?|metres?|meter)\b|\b\d ?m ?\d{2}\b|\b\d{1,2}(?:[.,]\d)? ?(?:ft|feet)\b(?: ?(?:x|×|by) ?\d{1,2}(?:[.,]\d)? ?(?:ft|feet)?)?|\d"/g,
    read: (match) => match[0],
  },
  {
    fact: 'size',
    kinds: ['fashion'],
    fields: ['size', 'grosse', 'groesse', 'talla', 'taille', 'pointure'],
    pattern:
      /(?:size|gr(?:osse|oße|\.)?|talla|t\.|taille|pointure|numero|uk|eu|us|konfektionsgrosse|schuhgrosse)[ :]{0,2}(\d{1,3}(?:[.,]5)?(?:[/-]\d{1,3})?|x{0,3}[sml]|one size|unica|unique)(?![a-z0-9])|\b(x{1,3}[sl])\b|\bw\d\d ?\/? ?l\d\d|\b(\d{2,3})\/(\d{2,3}) ?cm|\b\d{1,2} ?- ?\d{1,2} (?:years|jahre|anos|ans|months|monate|meses|mois)/g,
    read: (match) => (match[1] ?? match[0]).toUpperCase(),
  },
];
