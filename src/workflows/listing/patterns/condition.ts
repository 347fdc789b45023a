import { after, before, type ChoiceReader, unlessNegated } from './pattern.ts';

/** What people write of a thing's condition, by what it says; each line in one language: English, German, Spanish, French. */
const conditionWords = {
  likeNew: [
    /like new|as new(?! [a-z])|mint\b|no marks|(?:nearly|almost|practically) new|as good as new/,
    /neuwertig|(?:so gut )?wie neu|fast neu(?![a-z])|ladenneu/,
    /como nuev[oa]|(?:casi|practicamente) nuev[oa]|seminuev[oa]/,
    /comme neuf|comme neuve|(?:quasi(?:ment)?|presque) neu(?:f|ve)|etat (?:quasi )?neuf/,
  ],
  unused: [
    /brand new|\bbnwt\b|\bbnib\b|(?:^|[.,;:!-] ?)new(?= sealed|[.,;!]|$| in box| with tags| and unused)|new sealed|unopened|\bsealed\b|never used/,
    /nagelneu|originalverpackt|\bovp\b(?= ungeoffnet)|unbenutzt|ungetragen|nie benutzt/,
    /sin estrenar|nuev[oa]s? (?:con etiqueta|en caja|sin uso)|(?:^|[.,;:!-] ?)nuev[oa]s?(?=[.,;!]|$)|a estrenar|precintad[oa]|sin usar/,
    /neu(?:f|ve)? (?:et )?(?:jamais|sous blister|avec etiquette)|jamais (?:porte|servi|utilise)e?/,
    // A German "neu", too.
    /(?<!(?:inspektion|tuv|hu|pickerl|service|akku|batterie|kette|chaine|ritzel|kassette|pedale|griffe|lager|filter|zahnriemen|kupplung|birne|lampe|dichtung|motor|reifen|mantel|schlauche?|bremsen|bremsbelage|sattel|selle|saiten|bezug|housse|display|armband|ladegerat|kabel|polster|matratze) )neu(?:f|ve|wertig)?(?=[.,;!]|$)/,
  ],
  veryGood: [
    /very good|excellent|never crashed|(?:great|superb|fantastic|perfect|lovely|beautiful|top|amazing|outstanding) (?:used |overall )?(?:condition|nick|shape|order)|immaculate|pristine|\bvgc\b/,
    /sehr gut(?:er|em|en)?|exzellent|hervorragend|top.?zustand|bestzustand|(?:best|perfekt|super|makellos|tadellos|einwandfrei|ausgezeichnet)(?:e[rmn]?)? zustand|makellos|tip ?top\b|top erhalten/,
    /muy buen(?:o|a|as)?|excelente|(?:perfecto|impecable|optimo) estado|perfectas condiciones|impecable|inmejorable/,
    /tres bon(?:ne)?|(?:parfait|superbe|excellent) etat|impeccable|\bnickel\b|\btbe\b/,
  ],
  good: [
    /(?:good|decent|nice|sound|reasonable|fair) (?:used )?condition|in good (?:order|nick|shape)|good working|\bcondition:? good|well kept/,
    /gut(?:er|em|en)? (?:gebrauchter )?zustand|gut erhalten|gepflegt|zustand[ :]{1,2}(?:ist )?gut\b|ordentliche[rmn]? zustand/,
    /buen estado|buenas condiciones|bien (?:cuidad|conservad)[oa]s?|\bbuen uso\b/,
    /bon etat|bonne etat|etat correct|bien (?:entretenu|conserve)/,
  ],
  otherwiseGood: [
    /otherwise (?:(?:in )?(?:very )?good|(?:all |works? |works )?(?:fine|ok(?:ay)?\b|great|perfect|excellent))/,
    /(?:sonst|ansonsten) (?:ist )?(?:alles |noch )?(?:(?:in )?(?:sehr )?gut|ok\b|okay|top|in ordnung|einwandfrei|tadellos)/,
    /por lo demas (?:esta )?(?:todo )?(?:en )?(?:muy )?(?:buen|bien|perfect|correct)/,
    /(?:sinon|par ailleurs) (?:tout )?(?:est )?(?:en )?(?:tres )?(?:bon|bien|ok\b|nickel|impeccable|parfait)/,
  ],
  withoutScratches: [
    /(?:without|no) scratch(?:es)?\b|scratch.?free/,
    /ohne (?:einen )?kratzer|keine(?:rlei)? kratzer|kratzerfrei/,
    /sin (?:ningun )?(?:aranazos?|rayones|rayas)/,
    /(?:sans|aucune) rayures?/,
  ],
  used: [
    /used\b|worn\b|pre-?(?:loved|owned)|second.?hand\b/,
    /gebraucht(?:e[rsnm]?(?![a-z]))?|getragen/,
    /usad[oa]|segunda mano/,
    /occasion|d'occasion/,
  ],
  refurbished: [/refurbished|restored/, /generaluberholt|restauriert/, /reacondicionad|restaurad/, /reconditionne/],
  working: [
    /(?:not|no longer|n't) work(?:s|ing)?\b|(?:works?|runs?) (?:fine|well|great|perfect(?:ly)?|like new)|fully (?:working|functional)|(?:full|perfect) working order|in working order|\btested\b/,
    /einwandfrei|(?:geht|springt|startet) nicht(?: mehr)?(?: an)?(?=[.,;!]|$)|lauft (?:gut|super|problemlos|tadellos)|funktioniert (?:leider |gar |uberhaupt )?nicht|funktioniert|\bgetestet\b/,
    /va (?:muy )?bien|\b(?:no|ya no) (?:funciona|enciende|prende|arranca)|funciona|\bprobad[oa]s?\b/,
    /marche (?:tres )?bien|marche parfaitement|tourne bien|ne (?:fonctionne|demarre|s'allume|charge) (?:pas|plus)|fonctionne|en etat de marche|(?<!non )\btestee?s?\b/,
  ],
  broken: [
    /for parts|\bfaulty\b|(?:won't|will not|doesn't|does not) (?:turn|switch) on|spares (?:or|and|&) repairs?|for spares|\bcrack(?:s|ed)?\b|broken|damaged/,
    /defekt|kaputt|(?:nur )?(?:fur|an) bastler|bastlergerat|ersatzteilspender|reparaturbedurftig/,
    // "Rota" and "cassé" are also the names of colours and styles.
    /averiad|(?<!(?:blanco|crudo|vaqueros?|jeans?|pantalon(?:es)?|estilo|rosa) )\brot[oa]s?\b|para (?:piezas|repuestos?|despiece|reparar)|estropead[oa]/,
    /(?<!(?:blancs?|blanches?|prix) )\b(?:cassee?s?|brisee?s?)(?![a-z-])|en panne|pour pieces|\ba reparer\b/,
  ],
  flawed: [
    /\bmarks\b|signs of (?:wear|use)|\b(?:light|slight|some|minor|normal) wear\b|scratch|\bdents?\b|\bscuffs?\b|stains?\b/,
    // A cup is chipped, and so are cats, by a vet.
    /(?<!(?:vaccinated|wormed|neutered|spayed|checked|vet|micro)(?:,? and|[,-])? ?)\bchipped\b(?!(?:,? and|,)? (?:vaccinated|wormed|neutered|spayed|vet|by))/,
    /kratzer|schramme|\bdelle|\bbeule|gebrauchsspuren|macken|flecken/,
    /marcas de uso|senales de uso|aranazo|\bgolpes?\b|rozadura|abolladura/,
    /\btraces (?:du temps|d'us(?:age|ure)|d'utilisation)|rayure|eraflure|\b(?:petite?|un|quelques) eclats?\b|\bbosses?\b/,
  ],
  graded: [/\b(?:[5-9]|10) ?\/ ?10\b|grade [abc]\b|condition \d/],
  /** A "Zustand" that says nothing of the above is whatever follows it. */
  named: [/zustand(?![ :]{1,2}(?:ist )?(?:sehr|neu|wie|top|einwand|gebraucht|defekt|hervor))/],
};

export const conditionPattern = new RegExp(
  Object.values(conditionWords)
    .flat()
    .map(({ source }) => source)
    .join('|'),
  'g',
);

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
  /^(?:scratch|marks|kratzer|schramme|delle|beule|macken|gebrauchsspuren|aranazo|golpes?|rozadura|abolladura|rayure|eraflure|petite? eclat|un eclat|quelques eclat|eclat|bosse|dent|scuff|chipped|stain|flecken|marcas|senales|signs|light|slight|some|minor|normal)/;
/** What was done with it, which is no condition where one is stated: "Used for one job, so in very good condition." */
const isUse = /^(?:used|worn)/;
/** A condition by its name says more than a flaw beside it: "Some ring marks. Good used condition." */
const stated =
  /(?:good|excellent) (?:used |overall |general |all.?round )?condition|gut(?:er|em|en)? (?:gebrauchter |allgemeiner )?zustand|gut erhalten|buen estado|bon etat/;
/** "Otherwise good" says what a thing is like, whatever stands before it. */
const otherwise =
  /^[^.;\n]{0,40}[,;.:-] ?(?:aber |but |pero |mais )?(?:otherwise|sonst|ansonsten|por lo demas|sinon|par ailleurs|a part ca)\b/;

const named = unlessNegated({
  'like new':
    /like new|as new|neuwertig|wie neu|como nuev|comme neu|mint|no marks|(?:casi |practicamente |semi)nuev|quasi|presque|etat neuf|nearly|almost|practically|as good as|fast neu|ladenneu/,
  'for parts':
    /parts|spares|not work|longer work|n't work|nicht|no (?:funciona|enciende|prende|arranca)|(?:fonctionne|demarre|s'allume|charge) p|faulty|n't|not (?:turn|switch)|ersatzteil|reparatur|repuesto|despiece|repar[ae]r|estropead|broken|defekt|averiad|piezas|panne|pieces|damaged|kaputt|\brot[oa]|cass|brise|bastler/,
  new: /new|bnwt|bnib|nuev|sealed|unopened|nagelneu|verpackt|unbenutzt|ungetragen|estrenar|precintad|jamais|never used|nie benutzt|sin usar|^neu|ovp/,
  'very good':
    /very good|sehr gut|muy buen|tres bon|excel|exzel|hervor|^(?:perfect (?:used|overall|cond|nick|shape|order)|perfect[oa]s? (?:estado|cond)|impec|optimo|inmejorable|superb|nickel|tbe|vgc|great|fantastic|lovely|beautiful|amazing|outstanding|immaculate|pristine|best|perfekt|super|makellos|tadellos|einwandfreie|ausgezeichnet)|parfait|top|(?:8|9|10) ?\/ ?10|never crashed/,
  good: /good|decent|nice|sound|reasonable|fair|ordentlich|bien |buen|bon|gut|gepflegt|well kept|grade [ab]|(?:without|no) scratch|scratch.?free|(?:ohne|keine).* kratzer|kratzerfrei|sin .*(?:aranazo|rayones|rayas)|(?:sans|aucune) rayure|^(?:otherwise|sonst|ansonsten|por lo demas|sinon|par ailleurs)/,
  working:
    /work|functional|runs|funktion|einwandfrei|lauft|funciona|va |marche|tourne|fonctionne|tested|getestet|probad|teste/,
  refurbished: /refurb|general|reacond|recond|rest/,
  used: /./,
});

/** "Worn twice, very good condition": what it says of the condition counts, and not that it was used. */
export const conditionOf: ChoiceReader = Object.assign(
  (match: RegExpExecArray, text: string) => {
    const isOfPart =
      isBroken.test(match[0]) && (afterPart.test(before(text, match, 40)) || beforePart.test(after(text, match, 24)));
    if ((isOfPart || isFlaw.test(match[0])) && otherwise.test(after(text, match, 60))) return undefined;
    if ((isFlaw.test(match[0]) || isUse.test(match[0])) && stated.test(after(text, match, 200))) return undefined;
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
