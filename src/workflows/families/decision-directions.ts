import type { JsonValue } from '@bufbuild/protobuf';
import { foldText } from '../../base/text/fold.ts';
import { spaced } from '../../base/text/spaced.ts';
import { areJudged } from './criterion-values.ts';
import type { ReadOption } from './decision-constraints.ts';
import { type DecisionRequest, decisionWords } from './decision-memo.ts';
import { interest, measuredIn } from './measured-values.ts';
import { isMoneyMeasure } from './quantity.ts';

/** A direction that a request left open. */
export interface Guess {
  criterion: string;
  isLower: boolean;
  /** The criterion's name implies the direction; otherwise it is taken by default, which is unsure. */
  isNamed: boolean;
}

/** Names for which less is better, in the four languages of replies. Parts of German compounds come last. */
const costs = new RegExp(
  [
    '(?<![a-z])(?:price|support response|reaction time|costs?|fees?|(?<!return on )investment|subscriptions?|deductible|insurance excess|quotes?|bids?|notice period|minimum (?:order(?: (?:quantity|value))?|term|contract|commitment)|moq|lock in(?: period)?|contract (?:term|length)|absen(?:ces?|teeism)|days absent|sick days|rent|charges|(?:monthly|annual|yearly|service|delivery|hourly|daily) charge|(?:monthly|weekly|daily|hourly|nightly|annual|yearly|day|lease|leasing|hire|rental) (?:rate|payment|instal?ment)s?|instal?ments?|cuotas?|mensualites?|expenses?|premium|risks?|latency|duration|delays?|noise|emissions?|co2|wait(?:ing)? ?time|response ?time|delivery ?(?:time|days)|lead ?time|(?:transit|set ?up|installation|implementation|onboarding|turnaround|processing) ?time|claims|(?:travel|journey|driving|drive|walking|commuting) ?time|commute|walking distance|pay ?back(?: ?(?:period|time))?|consumption|energy|(?:energy |electricity |power )?(?:k?wh|watts?)|water|fuel|noise ?(?:level|db)?|db|decibels?|debts?|apr|co ?pay(?:ments?)?|time to (?:launch|market|value|hire|delivery|go live|implement)|cost[eo]s?|copagos?|precio|gastos|alquiler|tarifas?|riesgos?|plazo|demora|espera|comision(?:es)?|tiempo de (?:respuesta|espera|entrega|transito|implantacion|tramitacion|viaje|trayecto|desplazamiento)|(?:periodo|tiempo) de (?:recuperacion|amortizacion)|consumo|energia|agua|ruido|decibelios|emisiones|deudas?|prix|couts?|frais|loyer|tarif|risques?|delai|duree|attente|temps d.attente|mise en (?:place|oeuvre|service)|temps de (?:reponse|transit|traitement|trajet|transport|parcours|deplacement|route|retour)|consommation|energie|eau|bruit|decibels|dettes?|taeg|renta|presupuesto|prima|franquicia|suscripcion|inversion|preaviso|(?:pedido|compra|cantidad) minim[oa]|ausencias|dias de baja|tiempo (?:en|de) (?:taller|montaje|instalacion|inactividad|parada)|abonnement|cotisations?|prime d.assurance|prime annuelle|franchise|investissement|preavis|(?:commande|quantite) minim(?:um|ale)|duree d.engagement|ticket moderateur|reste a charge|absences|jours d.absence)(?![a-z])',
    '(?<![a-z])(?:anschaffung(?:s(?:wert|betrag))?|investition|abo|abonnement|selbstbehalt|selbstbeteiligung|kundigungsfrist|mindest(?:bestellmenge|bestellwert|abnahme|laufzeit|vertragslaufzeit)|vertragslaufzeit|bindefrist|fehltage|krankheitstage|anfahrt|anfahrtsweg|anreise|praemie|pramie)(?![a-z])|risikos?(?:score|wert|punkte)|lautstarke|gerausch(?:pegel)?|(?:strom|wasser|energie)(?:bedarf)?|(?:monats|leasing|wochen|tages|kredit)raten?|[a-z]*(?:preis|kosten|gebuehr|gebuhr|gebuhren|miete|risiko|dauer|wartezeit|lieferzeit|zuzahlung|transitzeit|einrichtungszeit|montagezeit|umsetzungszeit|durchlaufzeit|bearbeitungszeit|fahrt?zeit|reisezeit|anfahrtszeit|wegzeit|gehzeit|antwortzeit|amortisationszeit|verbrauch|emissionen|larm|schulden|aufwand)(?![a-z])',
  ].join('|'),
);

/** Things that go wrong: fewer are better, also those of quality, of performance or of the battery. */
const harms = new RegExp(
  [
    '(?<![a-z])(?:defects?|complaints?|errors?|downtime|failures?|breakdowns?|outages?|incidents?|accidents?|injur(?:y|ies)|loss(?:es)?|bugs|faults?|breakages?|scrap rate|damages?|refunds?|chargebacks?|churn|absenteeism|quejas?|roturas?|mermas?|reclamacion(?:es)?|averias?|fallos?|fallas?|defectos?|errores|incidencias?|accidentes?|retrasos?|perdidas?|danos|absentismo|plaintes?|casse|rebuts?|reclamations?|pannes?|defauts?|defaillances?|retards?|pertes?|dommages|litiges?|erreurs?|absenteisme)(?![a-z])',
    '[a-z]*(?:reklamation(?:en|s?(?:quote|rate))?|beschwerden?|beschwerdequote|bruchquote|ausschuss(?:quote|rate)?|retourenquote|ausfall(?:quote|rate|zeit|zeiten|e)?|pannen?|pannen(?:quote|statistik)|storungen|mangel|fehler|fehler(?:quote|rate|zahl)|defekte|schaden|unfalle|verluste|verspatungen|fehlzeiten)(?![a-z])',
  ].join('|'),
);

/** What lessens harm: more of it is better. */
const protections = /sav(?:ing|ed)|reduction|reduktion|reduccion|toleran|resist|protec|schutz|prevent|preven|proof/;

/** What is done about harm: more of it may be better or only follow from more harm. */
const remedies = /manag|gestion|handling|bearbeitung|tratamiento|traitement|atencion|resol|losung|correct|correc|detec/;

/** Savings of a cost, its properties, and durability are better the more there is of them. */
const notCosts =
  /sav(?:ing|ed)|\bgained\b|gespart|gewonnen|ahorrad|ganad|gagnee?s?\b|economisee?s?\b|reduction|reduktion|ersparnis|einsparung|ahorro|economie|stabil|transparen|control|kontroll|flexib|performance|leistung|quality|qualit|calidad|value|income|revenue|einnahm|ingreso|revenu|yield|rendite|cancel|manag|protect|schutz|proteccion|handling|toleran|correct|waiver|battery|akku|bater|batter|capacit|kapazit|capacid|class|klasse|clase|label|effici|effizienz|eficien|efficac|output|generat|solar|ertrag|erzeug|resist|proof|dicht|warrant|garant|lebens|life|nutzungs|haltbar|vida|\bvie\b/;

// These turn a cost's direction but have none of their own: there are cancellations, and values of anything.
const withoutDirection = /control|kontroll|value|cancel|manag|handling|class|klasse|clase|label|dicht/;

/** Names for which more is better. */
const gains =
  /taux de (?:remboursement|couverture|reussite)|success rate|erfolgsquote|tasa de exito|souplesse|income|einkommen|\bincomes?\b|ingresos|\brevenus?\b|seniority|betriebszugehorigkeit|antiguedad|anciennete|liefertreue|termintreue|puntualidad|punctuality|\bon time\b|ponctualit|punktlich|pay raise|cobertura|coverage|couverture|deckung|(?<![a-z])cover(?![a-z])|(?:sum|amount|capital) (?:insured|assured)|versicherungssumme|(?:suma|capital) asegurad[oa]|capital (?:assure|garanti)|visitors|besucher|visitantes|visiteurs|\bstars\b|sterne|estrellas|etoiles|reviews?\b|\bavis\b|resenas|diplom|quality|qualitat|calidad|qualite|rating|bewertung|valoracion|score|punkte|puntos|points|satisf|zufrieden|comfort|komfort|comodidad|confort|revenue|umsatz|ingresos|chiffre|profit|gewinn|beneficio|margin|marge|margen|return|rendite|rentab|rendement|saving|ersparnis|ahorro|economies|capacity|kapazitat|capacidad|capacite|warrant|garantie|garantia|reliab|zuverlass|fiab|security|safety|sicherheit|seguridad|securite|experience|erfahrung|experiencia|skill|performance|leistung|rendimiento|battery|akku|bateria|batterie|autonomi|reichweite|\brange\b|payload|zuladung|\bload ?(?:m3|kg|volume|space|area)|nutzlast|ladevolumen|laderaum|carga util|charge utile|footfall|laufkundschaft|lebensdauer|uptime|verfugbar|disponib|fit\b|eignung|potential|benefit|nutzen|flexib|light|licht|\bluz\b|lumiere/;

/** Energy, water and the like of a better kind: more of it is better, whatever the thing itself costs. */
const greener =
  /(?<![a-z])(?:green|renewables?|recycled|recyclable|organic|solar|vertes?|renouvelables?|recycle(?:es?|s)?|verdes?|renovables?|recicl[a-z]*|ecologic[oa]s?|[a-z]*okostrom[a-z]*|grun(?:e|er|es)?|erneuerbar[a-z]*|recycl[a-z]*)(?![a-z])/;

/** A way to a place where people want to be. Of a motorway, or of nothing named, it is unsure which is better. */
const way =
  /(?<![a-z])(?:distance|distancia|entfernung|weg)(?![a-z]).* (?:city|town|cent(?:er|re)|centro|zentrum|innenstadt|downtown|office|buro|oficina|bureau|work|arbeit|trabajo|travail|school|schule|escuela|colegio|ecole|station|bahnhof|haltestelle|estacion|parada|gare|arret|metro|subway|u bahn|port|harbou?r|hafen|puerto|airport|flughafen|aeropuerto|aeroport|beach|strand|playa|plage|sea|meer|mar|mer|shops?|home|casa|maison)(?![a-z])/;

/** Days alone are those until something comes, if the question is who brings it. */
const waiting = /^(?:working |business |werk|arbeits)?(?:days?|tage|weeks?|wochen|dias|semanas|jours|semaines)$/;
const bringing =
  /courier|carrier|deliver|shipp|supplier|lieferant|spedition|versand|paketdienst|mensajer|transportista|proveedor|envio|entrega|transporteur|livr|fournisseur|envoi/;

// Interest costs whoever borrows, and is the gain of whoever saves.
const borrowing =
  /loan|mortgage|borrow|credit|kredit|darlehen|hypothek|finanzier|sollzins|prestamo|hipoteca|financ|(?<![a-z])prets?(?![a-z])|emprunt|hypothe/;
const keeping =
  /saving|deposit|invest|sparen|spar[a-z]|tagesgeld|festgeld|anlage|anlegen|guthaben|ahorr|epargne|livret|placement|placer/;

// Pay costs whoever hires, and is the gain of whoever takes a job. Only candidates have expectations of it.
const pay =
  /\bsalar(?:y|ies|ios?)\b|\bwages?\b|\bpay\b(?! back)|(?<![a-z])(?:jahres|monats|brutto)?gehalt(?![a-z])|(?<![a-z])(?:stunden|monats)?lohn(?![a-z])|\bsueldos?\b|\bsalaires?\b/;
const wantedPay =
  /(?:gehalts?|lohn)(?:vorstellung|wunsch|forderung|erwartung)|(?:pretension|expectativa|aspiracion)[a-z]* (?:salarial|economica)|pretentions? (?:salarial|financier)|(?:salaire|remuneration) (?:souhaite|demande|attendu)|(?:salario|sueldo) (?:deseado|pretendido|solicitado)|(?:salary|pay|wage) (?:expectation|requirement|demand|claim)|(?:expected|desired|asking|requested) (?:salary|pay|wage)/;
const hiring =
  /\bhir(?:e|ing)\b|recruit|candidate|applicant|einstell|anstell|bewerber|contrat(?:ar|amos|o)\b|candidat|embauch|recrut/;
const takingAJob =
  /\boffers?\b|job should i|(?:job|stellen)angebot|angebot|stelle annehmen|\bofertas?\b|aceptar|\boffres?\b|accepter/;

/** Merits whose direction it would be idle to ask for; not what is of them, such as support tickets. */
const merits =
  /(?<![a-z])(?:design|support|service|ease|usability|features?|functionality|speed|location|reputation|growth|culture|innovation|sustainability|accuracy|coverage|knowledge|motivation|communication|teamwork|interview|test|exam|references|strengths?|scalability|integrations?|area|space|impact|atmosphere|friendliness|availability|certificates?|ram|memory|storage|resolution|bandwidth|throughput|boot|trunk|kofferraum|maletero|coffre|trato|memoria|almacenamiento|resolucion|ancho de banda|memoire|stockage|accueil|bande passante|diseno|soporte|servicio|facilidad|velocidad|ubicacion|reputacion|crecimiento|cultura|innovacion|sostenibilidad|precision|cobertura|conocimientos?|motivacion|comunicacion|entrevista|prueba|referencias|superficie|espacio|impacto|amabilidad|conception|facilite|vitesse|emplacement|croissance|durabilite|couverture|connaissances?|entretien d.embauche|surface|espace|ambiance|amabilite|clarte|claridad|clarity)(?=$| (?:of|for|in|to|and|de|du|des|del|al?|aux?|en|para|pour|y|et)(?![a-z])| d')|[a-z]*(?:gestaltung|bedienbarkeit|bedienung|geschwindigkeit|wachstum|nachhaltigkeit|genauigkeit|abdeckung|speicher|bandbreite|auflosung|kenntnisse|wissen|kommunikation|gesprach|referenzen|flache|wirkung|freundlichkeit|skalierbarkeit|barkeit)(?![a-z])|(?<![a-z])(?:ruf|lage|standort|stimmung)(?![a-z])/;

// The way to a location, or the time until a test, has another direction than these.
const measured = /distan[cz]|entfernung|(?<![a-z])(?:weg|time|tiempo|temps)(?![a-z])|zeit/;

// A French note is the better the higher it is; 1 is the best German one.
const note = /\bnote\b/;

type Direction = 'lower' | 'higher';

/** The direction of what is a cost to one side and a gain to the other; undefined if the side is not known. */
function directionBySide(name: string, question: string): Direction | undefined {
  if (wantedPay.test(name)) return 'lower';
  if (pay.test(name)) {
    if (hiring.test(question)) return 'lower';
    return takingAJob.test(question) ? 'higher' : undefined;
  }
  // The name says more than the question.
  for (const text of [name, question]) {
    if (borrowing.test(text)) return 'lower';
    if (keeping.test(text)) return 'higher';
  }
  return undefined;
}

/** The direction that a name implies; undefined if it implies none. */
function directionOf(name: string, question: string, isGerman: boolean): Direction | undefined {
  if (wantedPay.test(name) || pay.test(name) || interest.test(name)) return directionBySide(name, question);
  if (greener.test(name) && !/price|cost|preis|kosten|precio|coste|prix|cout|tarif/.test(name)) return 'higher';
  if (harms.test(name)) {
    if (costs.test(name)) return 'lower';
    if (protections.test(name)) return 'higher';
    return remedies.test(name) ? undefined : 'lower';
  }
  if (way.test(name) || (costs.test(name) && !notCosts.test(name))) return 'lower';
  if (waiting.test(name) && bringing.test(question)) return 'lower';
  if (gains.test(name) || (merits.test(name) && !measured.test(name)) || (note.test(name) && !isGerman))
    return 'higher';
  return notCosts.test(name) && (costs.test(name) || !withoutDirection.test(name)) ? 'higher' : undefined;
}

/** What people rate by how bad it is. */
const burdens =
  /difficult|complex|stress|strain|pain|effort|schwierig|komplex|belast|beschwer|dificult|complej|estres|esfuerzo|molest|complique|penib|effort|gene(?![a-z])/;

/** Marks out of 5 or 10 are given for what is good. */
function directionOfRatings(name: string, values: readonly (JsonValue | undefined)[]): Direction | undefined {
  const given = values.filter((value) => value !== undefined && value !== null && value !== '');
  const rated = measuredIn(given, name);
  const areRatings = given.length > 0 && rated.every((one) => one?.measure === 'rating');
  return areRatings && !burdens.test(name) ? 'higher' : undefined;
}

const worth = /value|worth|wert(?![a-z])|valor(?![a-z])|valeur|budget/;
const ownWeight = /^(?:(?:own|net|total) )?weight$|^(?:eigen|leer)?gewicht$|^peso(?: propio)?$|^poids(?: net)?$/;
const apart = /distan[cz]|entfernung|abstand|(?<![a-z])[a-z]*weg(?![a-z])/;

/** What is spent or waited for, and the way to a place, are mostly better the less there is of them. That is no certainty. */
function isMostlyLower(name: string, values: readonly (JsonValue | undefined)[]): boolean {
  // Days alone may be those of a holiday.
  if (pay.test(name) || waiting.test(name) || worth.test(name)) return false;
  if (apart.test(name)) return true;
  const measures = measuredIn(values, name).flatMap((one) => (one ? [one.measure.split('/')[0] ?? ''] : []));
  const isSpent = (one: string) =>
    isMoneyMeasure(one) || one === 'time' || one === 'months' || (one === 'mass' && ownWeight.test(name));
  return measures.length > 0 && measures.every(isSpent);
}

/** If no direction is given, the name decides, else what is measured. The reply states this as an assumption. */
export function withDirections(
  request: DecisionRequest,
  options: readonly ReadOption[],
): { request: DecisionRequest; guessed: Guess[] } {
  const guessed: Guess[] = [];
  const question = foldText(request.question);
  const isGerman = decisionWords(request).language === 'de';
  const criteria = request.criteria.map((criterion) => {
    if (criterion.direction !== '') return criterion;
    const name = foldText(spaced(criterion.name).replaceAll('-', ' '));
    const values = options.map((option) => option.values.get(criterion.name));
    const direction = areJudged(values)
      ? 'higher'
      : (directionOf(name, question, isGerman) ?? directionOfRatings(name, values));
    // Points are given for what is good.
    const isNamed = direction !== undefined || criterion.scale === 'points';
    const isLower = isNamed ? direction === 'lower' : isMostlyLower(name, values);
    guessed.push({ criterion: criterion.name, isLower, isNamed });
    return isLower ? { ...criterion, direction: 'lower' } : criterion;
  });
  return { request: { ...request, criteria }, guessed };
}
