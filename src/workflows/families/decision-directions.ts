import { foldText } from '../../base/text/fold.ts';
import type { DecisionRequest } from './decision-memo.ts';

/** A direction that a request left open. */
export interface Guess {
  criterion: string;
  isLower: boolean;
  /** The criterion's name implies the direction; otherwise more counts as better by default. */
  isNamed: boolean;
}

/** Names for which less is better, in the four languages of replies. Parts of German compounds come last. */
const costs = new RegExp(
  [
    '(?<![a-z])(?:price|costs?|fees?|rent|charges|(?:monthly|annual|yearly|service|delivery|hourly|daily) charge|expenses?|premium|risks?|defects?|complaints?|errors?|latency|duration|delays?|downtime|noise|emissions?|co2|wait(?:ing)? ?time|response ?time|delivery ?(?:time|days)|lead ?time|travel ?time|commute|consumption|energy|(?:energy |electricity |power )?(?:k?wh|watts?)|water|fuel|noise ?(?:level|db)?|db|decibels?|failures?|debts?|churn|coste?s?|precio|gastos|alquiler|tarifas?|riesgos?|plazo|demora|espera|tiempo de (?:respuesta|espera|entrega)|consumo|energia|agua|ruido|decibelios|errores|deudas?|prix|couts?|frais|loyer|tarif|risques?|delai|duree|attente|temps d.attente|temps de reponse|taux d.erreurs?|consommation|energie|eau|bruit|decibels|dettes?)(?![a-z])',
    'risikos?(?:score|wert|punkte)|lautstarke|gerausch(?:pegel)?|(?:strom|wasser|energie)(?:bedarf)?|[a-z]*(?:preis|kosten|gebuehr|gebuhr|gebuhren|miete|zinsen|risiko|dauer|wartezeit|lieferzeit|fahrzeit|antwortzeit|fehlerquote|fehlerrate|verbrauch|ausfallzeit|ausfalle|emissionen|larm|schulden|aufwand)(?![a-z])',
  ].join('|'),
);

/** Savings of a cost, its properties, and durability are better the more there is of them. */
const notCosts =
  /sav(?:ing|ed)|reduction|reduktion|ersparnis|einsparung|ahorro|economie|stabil|transparen|control|kontroll|flexib|performance|leistung|quality|qualit|calidad|value|income|revenue|einnahm|ingreso|revenu|yield|rendite|cancel|manag|protect|schutz|proteccion|handling|toleran|correct|waiver|battery|akku|bater|batter|capacit|kapazit|capacid|class|klasse|clase|label|effici|effizienz|eficien|efficac|output|generat|solar|ertrag|erzeug|resist|proof|dicht|warrant|garant|lebens|life|nutzungs|haltbar|vida|\bvie\b/;

/** Names for which more is better. */
const gains =
  /quality|qualitat|calidad|qualite|rating|bewertung|valoracion|\bnote\b|score|punkte|puntos|points|satisf|zufrieden|comfort|komfort|comodidad|confort|revenue|umsatz|ingresos|chiffre|profit|gewinn|beneficio|margin|marge|margen|return|rendite|rentab|rendement|saving|ersparnis|ahorro|economies|capacity|kapazitat|capacidad|capacite|warrant|garantie|garantia|reliab|zuverlass|fiab|security|safety|sicherheit|seguridad|securite|experience|erfahrung|experiencia|skill|performance|leistung|rendimiento|battery|akku|bateria|batterie|autonomi|reichweite|\brange\b|payload|\bload ?(?:m3|kg|volume|space|area)|nutzlast|ladevolumen|laderaum|carga util|charge utile|footfall|laufkundschaft|lebensdauer|uptime|verfugbar|disponib|fit\b|eignung|potential|benefit|nutzen|flexib|light|licht|\bluz\b|lumiere/;

// Pay costs whoever hires, and is the gain of whoever takes a job.
const pay =
  /\bsalar(?:y|ies|ios?)\b|\bwages?\b|\bpay\b|(?<![a-z])(?:jahres|monats|brutto)?gehalt(?![a-z])|(?<![a-z])(?:stunden|monats)?lohn(?![a-z])|\bsueldos?\b|\bsalaires?\b/;
const hiring =
  /\bhir(?:e|ing)\b|recruit|candidate|applicant|einstell|anstell|bewerber|contrat(?:ar|amos|o)\b|candidat|embauch|recrut/;
const takingAJob =
  /\boffers?\b|job should i|(?:job|stellen)angebot|angebot|stelle annehmen|\bofertas?\b|aceptar|\boffres?\b|accepter/;

function directionOfPay(name: string, question: string): 'lower' | 'higher' | undefined {
  if (!pay.test(name)) return undefined;
  if (hiring.test(question)) return 'lower';
  return takingAJob.test(question) ? 'higher' : undefined;
}

/** If no direction is given, the name decides; otherwise more is better. The reply states this as an assumption. */
export function withDirections(request: DecisionRequest): { request: DecisionRequest; guessed: Guess[] } {
  const guessed: Guess[] = [];
  const question = foldText(request.question);
  const criteria = request.criteria.map((criterion) => {
    if (criterion.direction !== '') return criterion;
    const name = foldText(criterion.name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[_-]/g, ' '));
    const ofPay = directionOfPay(name, question);
    const isLower = ofPay === 'lower' || (costs.test(name) && !notCosts.test(name));
    // Points are given for what is good.
    const isNamed =
      isLower || ofPay !== undefined || gains.test(name) || notCosts.test(name) || criterion.scale === 'points';
    guessed.push({ criterion: criterion.name, isLower, isNamed });
    return isLower ? { ...criterion, direction: 'lower' } : criterion;
  });
  return { request: { ...request, criteria }, guessed };
}
