import { amountOf, numeral } from '../plain-text.ts';
import { after, before, COUNT, type FactPattern, N, numberWithin, oneOf } from './pattern.ts';
import { perSqm } from './price.ts';

/** Other parts of a house that have a floor. */
const besideFlat =
  /(?:store|storage|laundry|parking|garage|cellar|keller|waschkuche|abstellraum|trastero|garaje|lavanderia|cave|buanderie)[a-z ]{0,16}$/;

/** Words before an amount a month that is not the rent. */
export const besideRent =
  /(?:nebenkosten|\bnk|hausgeld|heizkosten|heating|charges|service charge|ground rent|bills|council tax|gastos|comunidad|parking|stellplatz|garage)[a-z :+(]{0,14}$/;
/** A sentence about a single room: a flat whose kitchen is not furnished may well be. */
const ofOneRoom =
  /\b(?:kuche|bad|badezimmer|schlafzimmer|wohnzimmer|kinderzimmer|keller|balkon|terrasse|flur|kitchen|bathroom|bedroom|living room|lounge|cellar|balcony|hallway|cocina|bano|dormitorio|salon|terraza|balcon|cuisine|salle de bains?|chambre|sejour|cave) (?:ist|is|isn't|isnt|esta|no esta|est|n'est|war|bleibt|wird)(?: (?:nicht|not|no|pas|leider|jedoch|noch|nur|auch|fully|voll|komplett|teilweise|totalmente|entierement|currently|derzeit|un))* ?$/;
/** The amount before "per month" or "pcm". */
const amountAtEnd = new RegExp(`[€£$]? ?(?:${numeral}) ?(?:€|£|\\$|euros?|eur|chf)? ?$`);

const rooms = new RegExp(
  `(?<![a-z0-9])${COUNT}[ -]{0,2}(?:bedrooms?|bed (?:flat|house|apartment|home|semi|terrace|end terrace|mid terrace|detached|bungalow|maisonette|cottage|townhouse|property)|zimmer-?(?:wohnung|whg)|zkb|dormitorios|chambres|raum-?wohnung)(?![a-z])`,
);

/** Without one of these, no number has to be looked at. */
const roomWords =
  /bed(?:room| (?:flat|house|apartment|home|semi|terrace|end|mid|detached|bungalow|maisonette|cottage|townhouse|property))|zimmer|zkb|dormitorios|chambres|raum-?wohnung/;

/** Whether a plain text counts rooms as only a home has them. */
export function countsRooms(plain: string): boolean {
  return roomWords.test(plain) && rooms.test(plain);
}

/** Whether a plain title names a home; in prose, a home is also where a carpet lay. */
export function namesHome(title: string): boolean {
  return /(?<![a-z])(?:wohnung|apartment|appartement)(?:en|s)?(?![a-z])/.test(title);
}

/** A place to work in, beside a word of letting: a chair for an office is let, too. "Bureau" is also a desk. */
const workplace = new RegExp(
  [
    '(?:offices?|work ?spaces?|workshops?|warehouse|(?:meeting|treatment|consulting|conference) rooms?|(?:industrial|retail|shop) units?|shop)(?: (?:space|suite|unit|room)s?)? (?:is |are )?(?:to let|to rent|for rent|for hire|to hire|rental)',
    '(?:office|desk) space',
    '(?:hot ?desks?|hot-desking|co-?working(?:-[a-z]+)?)',
    '(?:buros?|buro(?:raum|raume|flachen?|zimmer|platz)|gewerbe(?:raum|raume|flachen?)|ladenlokal|praxisr(?:aum|aume)|(?:lager|seminar|besprechungs|konferenz|schulungs)r(?:aum|aume)|lagerhalle|werkstatt)(?: [a-z]{2,12}){0,2} (?:zu (?:ver)?mieten|zur (?:unter)?miete|mieten)',
    '(?:alquil(?:er|o|amos)|se alquilan?)(?: de)?(?: una?)? (?:oficinas?|despachos?|locales|local comercial|nave|salas? de reunion(?:es)?)|(?:oficinas?|despachos?|nave industrial|salas? de reunion(?:es)?) (?:en|de|para) alquil(?:er|ar)',
    "bureaux?(?: (?:partages?|fermes?|individuels?|equipes?|professionnels?|meubles?))? a louer|location (?:de )?bureaux?(?: (?:partages?|fermes?|individuels?|equipes?|professionnels?|meubles?|a la (?:journee|demi-journee|semaine))| ?$)|location (?:de |d'une )?salles? de (?:reunion|formation)|salles? de (?:reunion|formation) a louer",
  ]
    .map((words) => `(?<![a-z-])(?:${words})(?![a-z])`)
    .join('|'),
);

/** Whether a plain title offers a place to work in: nobody lives there, and it may be let by the day. */
export function namesWorkplace(title: string): boolean {
  return workplace.test(title);
}

const offerOf = oneOf({
  'holiday let': /holiday|per week/,
  rent: /let|rent|pcm|month|mo\b|miet|^km|wg|alquil|loue|location|loyer/,
  sale: /sale|kauf|eigentum|kp|vend|venta|vente|fai|agence inclus|asking|freehold|guide|offers|oiro|lease|traspas|cession|fonds/,
});

/** A service charge is paid per month for a flat that is for sale, too. */
function isOfCharge(match: RegExpExecArray, text: string): boolean {
  return (
    /^(?:pcm|per month|\/mo|a month|per week)/.test(match[0]) &&
    besideRent.test(before(text, match, 48).replace(amountAtEnd, ''))
  );
}

/** "Vermietet" says how a flat is let, unless it "wird vermietet". */
function isLetAlready(match: RegExpExecArray, text: string): boolean {
  return (
    /^vermietete?[mnrs]?$/.test(match[0]) &&
    !/\b(?:wird|werden)\b[^.;\n]{0,40}$/.test(before(text, match, 60)) &&
    !/^ (?:wird|werden)\b/.test(after(text, match))
  );
}

const isSold =
  /for sale|zu verkaufen|zum kauf|verkauf|kaufpreis|se vende|\bvendo\b|en venta|a vendre|\bventes?\b|\bkauf|asking|freehold|leasehold|traspas|cession/;

/** Who lets a room gives the area of the room. */
const isRoom =
  /^(?:(?:large|big|nice|lovely|bright|double|single|spare|ensuite|grande|belle|petite|jolie|loue|se alquila|alquilo|alquiler(?: de)?|location) )*(?:chambre|room|bedroom|habitacion|dormitorio)(?![a-z])/;
const ofRoom = /(?<![a-z])(?:chambre|bedroom|dormitorio)(?![a-z])/;

/** What belongs to a house, or is for sale without one. */
const plot =
  '\\bplot|grundst(?:uck[a-z]*|\\.|\\b)|\\bgrund\\b|\\bgrdst\\.?|parcel(?:a|le)|terreno|terrain|\\bsite|\\blote';
const squareMetres = '(?:m2|m²|qm|sqm|mts2?\\b|mts²)';

/** Facts read about a flat, a house or a plot. */
export const propertyPatterns: readonly FactPattern[] = [
  {
    fact: 'areaSqft',
    type: 'number',
    kinds: ['property'],
    pattern: new RegExp(`(?<![\\d.,])${N} ?(?:sq\\.? ?ft|sqft|square f(?:ee|oo)t|ft2|ft²)`, 'g'),
    read: (match, text) => (/£|€|\$|per $/.test(before(text, match, 4)) ? undefined : String(amountOf(match[1] ?? ''))),
  },
  {
    fact: 'areaSqm',
    type: 'number',
    kinds: ['property'],
    fields: [
      'area',
      'areasqm',
      'floorarea',
      'livingarea',
      'squaremeters',
      'squaremetres',
      'sqm',
      'wohnflache',
      'wohnflaeche',
      'flache',
      'superficie',
      'surface',
      'm2',
      'metros',
      'livingspace',
      'flaeche',
      'surfacehabitable',
      'superficiehabitable',
      'superficieconstruida',
      'superficieutil',
      'metroscuadrados',
      'qm',
      'grosse',
    ],
    pattern: new RegExp(
      `(?<![\\d.,€£$x])${N} ?(?:m2|m²|qm|sqm|sq\\.? ?m\\b|square met(?:er|re)s?|quadratmeter|metros cuadrados|metres? carres?|mq\\b|m cuadrados|mt(?:r?s)?[2²])`,
      'g',
    ),
    read: (match, text) => {
      const value = amountOf(match[1] ?? '');
      const words = `${before(text, match, 28)
        .split(/[.;,\n]/)
        .at(-1)}`;
      const next = after(text, match, 28).split(/[.;,\n]/)[0] ?? '';
      const outside =
        /garden|terrace|terras|garten|plot|grundst|grdst|jardin|parcel(?:a|le)|terrain|balkon|balcon|keller|cellar|up to|patio|cave|site|dwelling|kuche|kitchen|cocina|cuisine|\bsalon|living ?room|wohnzimmer|schlafzimmer|sejour|\bchambre\b|court|courette|\bcour\b|veranda|loggia|\bhof\b|innenhof|\byard\b|dependance|\bannexe?\b|mezzanine|buhardilla|galeria|porche|pisc?in[ae]|\bpool\b|wintergarten|dachboden|nebengebaude|anbau|schuppen|scheune|outbuilding|\bshed\b|cochera|bodega|\bremise\b|bedroom\b|dormitorio\b|\bbad\b|garage|trastero/;
      return (outside.test(words) && !(isRoom.test(text) && ofRoom.test(words))) ||
        /^ ?(?:of )?(?:garden|terrace|terras|garten|grundst|grdst|jardin|de jardin|de parcel(?:a|le)|de terrain|de terraza|balkon|terraza|patio|plot)/.test(
          next,
        ) ||
        value < 1
        ? undefined
        : String(value);
    },
  },
  {
    fact: 'pricePerSqm',
    type: 'number',
    kinds: ['property'],
    needs: /(?:€|£|\$|eur[a-z]{0,2}|chf) ?[a-z/]{1,4} ?(?:m[2²]|qm|sqm|sq|quadrat|metr)/,
    pattern: new RegExp(`(?:[€£$] ?(${numeral})|(?<![\\d.,])(${numeral}) ?(?:€|eur(?:os?)?|chf|£|\\$))${perSqm}`, 'g'),
    read: (match) => String(amountOf(match[1] ?? match[2] ?? '')),
  },
  {
    fact: 'plotArea',
    kinds: ['property'],
    fields: [
      'plotarea',
      'plotsize',
      'plot',
      'landsize',
      'grundstucksflache',
      'grundstuck',
      'parcela',
      'superficieparcela',
      'superficieterrain',
      'surfaceterrain',
      'terrain',
    ],
    pattern: new RegExp(
      `(?<![\\d.,])${N} ?(acres?|ha\\b|hectares?|hektar|hectareas?)|(?:${plot})[a-z :.]{0,20}?(${numeral}) ?${squareMetres}|(?:terreno|parcela|\\blote)(?: de)? (\\d{1,3}) ?(?:m|mts)? ?x ?(\\d{1,3})(?!\\d)|(?<![\\d.,])(${numeral}) ?(?:m2|m²|qm|sqm)(?! (?:on|in|with|and|auf|mit|und|im|sobre|en|con|y|sur|avec|et|dans)\\b)[a-z ]{1,12}(?:${plot})`,
      'g',
    ),
    read: (match) => {
      const [, large, unit = '', named, wide, long, last] = match;
      if (wide !== undefined) return `${wide} x ${long} m`;
      const amount = amountOf(large ?? named ?? last ?? '');
      return `${amount} ${large === undefined ? 'm²' : unit.startsWith('a') ? 'acres' : 'ha'}`;
    },
  },
  {
    fact: 'bedrooms',
    kinds: ['property'],
    fields: ['bedrooms', 'beds', 'schlafzimmer', 'dormitorios', 'chambres', 'numberofbedrooms', 'anzahlschlafzimmer'],
    pattern: new RegExp(
      `${COUNT}[ -]?(?:double |dbl\\.? )?(?:bed(?:s|rooms?|roomed|roms?)?|br|schlafzimmer|dormitorios?|recamaras?|chambres?|ch(?:am)?b(?:re?s?)?|ch\\.?|dorms?\\.?|habitacion(?:es)?|habs?\\.?)(?![a-z])`,
      'g',
    ),
    read: numberWithin(1, 50),
  },
  {
    fact: 'rooms',
    type: 'number',
    kinds: ['property'],
    fields: [
      'rooms',
      'zimmer',
      'habitaciones',
      'pieces',
      'numberofrooms',
      'anzahlzimmer',
      'zimmeranzahl',
      'nombredepieces',
      'estancias',
    ],
    pattern: new RegExp(
      `${COUNT}[ -]?(?:rooms?|zimmer(?:n)?|zi\\.?|zkbb?|zkdb|habitaciones|habitacion|habs?\\.?|pieces?|pces?\\.?|p\\.?(?= ?\\d{2} ?m[2²])|raum(?=-?(?:wohnung|whg))|estancias)-?(?:wohnung|whg\\.?|eigentumswohnung|mietwohnung|etw|haus)?(?![a-z])|\\b[tf]([1-9])(?: ?bis)?\\b|\\bstudio|\\bapartestudio|\\bestudio\\b`,
      'g',
    ),
    read: (match) =>
      // "Double room" says how many people it is for, not how many rooms there are.
      /^(?:double|single)/.test(match[0])
        ? undefined
        : /studio|estudio/.test(match[0])
          ? '1'
          : numberWithin(1, 60)(match, ''),
  },
  {
    fact: 'floor',
    type: 'number',
    kinds: ['property'],
    fields: ['floor', 'etage', 'stockwerk', 'planta', 'piso'],
    pattern:
      /\b(\d{1,2})(?:st|nd|rd|th|\.|o|a|e|er|eme|ª|º)? ?(?:floor|flor|og|stock(?:werk)?|obergeschoss|etage|et\.|planta|piso)(?![a-z])|\b(\d{1,2})[ªº],?(?= (?:con|sin) |,? (?:izq|dcha|derecha|izquierda|exterior|interior)| ?-?[b-f]\b)|(?:etage|planta|floor) \d{1,2}\b|(ground|first|second|third|fourth|fifth) floor|erdgeschoss|\beg\b|rez[ -]de[ -]chaussee|\brdc\b|planta baja|(?:primer[ao]?|segund[ao]|tercer[ao]?|cuart[ao]|quint[ao]) (?:planta\b|piso\b|(?=(?:con|sin) ascensor))|(?:premier|deuxieme|troisieme|quatrieme|cinquieme) etage|(?:ersten?|zweiten?|dritten?|vierten?|funften?) (?:stock|og|obergeschoss|etage)/g,
    read: (match, text) => (besideFlat.test(before(text, match, 28)) ? undefined : floorOf(match[0])),
  },
  {
    fact: 'energyClass',
    kinds: ['property', 'electronics'],
    fields: [
      'epc',
      'ber',
      'energyclass',
      'energyrating',
      'dpe',
      'energieklasse',
      'energieeffizienzklasse',
      'effizienzklasse',
      'calificacionenergetica',
      'certificadoenergetico',
      'classeenergetique',
      'classeenergie',
      'eficienciaenergetica',
    ],
    pattern:
      /(?:epc(?: (?:rating|band|grade))?|\bber|\beek|\bc\.e\.|energy (?:class|rating|label|efficiency)|energy efficiency class|energie(?:effizienz)?(?:klasse|label)?|effizienzklasse|dpe|certificad[oa] energetic[oa]|calificacion energetica|consumo energetico|\bcee|etiqueta energetica|clase (?:energetica|de eficiencia)|eficiencia energetica|classe energetique|classe energie|etiquette energie)(?: (?:classe|clase|class|letra|rating|rated|is|of|en cours :))?[ :=-]{1,3}([a-h](?:[1-3](?!\d)|\+{1,3})?)(?![a-z0-9+'])/g,
    read: (match) => match[1]?.toUpperCase(),
  },
  {
    fact: 'energyClass',
    kinds: ['property'],
    // In fewer words, which mean something else of other things.
    pattern:
      /(?:\benergiekl\.?|\bklasse|\bkl\.|\bcertificado(?: energetico)?|\bcert\.|\bhwb|\bkwh\/?\(?m[2²] ?\/?a?n?\)?[ /.,:]{1,3}(?:kl(?:asse|\.) ?)?|\b(?:dpe|epc|ber)) ?:? ?\d{0,3}(?:[.,]\d)? ?\(?([a-h](?:[1-3](?!\d)|\+{1,3})?)(?![a-z0-9+'])|\bepc exempt\b|\bexempt from epc\b/g,
    read: (match) => match[1]?.toUpperCase() ?? 'exempt',
  },
  {
    // Certificates of the older kind have no letter: "Verbrauch 98 kWh/(m²a)", "DPE 210 kWh/m²/an".
    fact: 'energyUseKwh',
    type: 'number',
    kinds: ['property'],
    needs: /kwh/,
    fields: [
      'energyuse',
      'energieverbrauch',
      'energiebedarf',
      'energiekennwert',
      'endenergiebedarf',
      'consumoenergetico',
    ],
    pattern: new RegExp(
      `(?<![\\d.,])(${numeral}) ?kwh ?(?:\\/|per|pro|por|par|je)? ?\\(? ?(?:m[2²]|qm)|(?:energieausweis|verbrauch(?:sausweis)?|(?:end)?energie(?:bedarf|verbrauch|kennwert)|bedarf(?:sausweis)?|kennwert|dpe|consumo|consommation)[a-z .:(-]{0,24}(${numeral}) ?kwh`,
      'g',
    ),
    read: (match) => String(amountOf(match[1] ?? match[2] ?? '')),
  },
  {
    fact: 'yearBuilt',
    type: 'number',
    kinds: ['property'],
    fields: [
      'yearbuilt',
      'baujahr',
      'built',
      'constructionyear',
      'anodeconstruccion',
      'construccion',
      'anneedeconstruction',
      'construction',
    ],
    pattern:
      /(?:baujahr|\bbj\.?|erbaut|gebaut|errichtet|altbau von|\bbuilt|constructed|built in|dating from|construid[oa]|edificado|ano de construccion|construccion|edificio|finca|construite?|annee de construction|construction|immeuble)(?: (?:in|en|de|del|um|ca\.?|around|circa|c\.|von|im jahr|vers|ano))?[ :]{1,2}(?:del? )?(1[5-9]\d\d|20[0-4]\d)(?!\d| ?(?:m2|m²|qm|€|eur))/g,
    read: (match) => match[1],
  },
  {
    // "Maison de 1982", "Haus aus dem Jahr 1974", "piso del año 1990".
    fact: 'yearBuilt',
    type: 'number',
    kinds: ['property'],
    unlessSaid: true,
    pattern:
      /(?:haus|halfte|wohnung|villa|bungalow|maison|pavillon|appartement|longere|casa|piso|chalet|vivienda|house|cottage|flat|semi)(?: [a-z-]{3,16})? (?:de|del|von|from|of|aus(?: dem(?: jahr)?)?|anno|ano|(?:dating )?from)(?: (?:el )?ano| jahr| annee| l'annee)? (1[7-9]\d\d|20[0-4]\d)(?!\d|[.,]\d| ?(?:m2|m²|qm|€|eur|euros?)(?![a-z]))/g,
    read: (match) => match[1],
  },
  {
    fact: 'deposit',
    type: 'number',
    kinds: ['property'],
    fields: ['deposit', 'kaution', 'fianza', 'caution', 'depotdegarantie'],
    pattern: new RegExp(
      `(?:kaution|deposit|fianza|caution|depot(?: de garantie)?)(?: (?:of|von|de|is|ist|betragt|in hohe von|i\\.?h\\.?v\\.?))?[ :]{1,2}[€£$]? ?(${numeral})(?!\\d| ?(?:months?|monats|monats?mieten|kaltmieten|km\\b|mm\\b|nkm|mes|mois|weeks?|x\\b))(?: ?(?:€|eur(?:os?)?\\b|chf|£))?`,
      'g',
    ),
    // "Two months' rent" is a deposit of another form.
    read: (match) => (amountOf(match[1] ?? '') < 20 ? undefined : String(amountOf(match[1] ?? ''))),
  },
  {
    // In fewer letters, which need a currency beside the sum: "KT 1.380 €", "DG : 720 €", "Dep £500".
    fact: 'deposit',
    type: 'number',
    kinds: ['property'],
    pattern: new RegExp(
      `(?<![a-z])(?:kt|dg|dep|fza)\\.?[ :]{1,3}(?:[€£$] ?(${numeral})|(${numeral})(?:,-)? ?(?:€|eur(?:os?)?\\b|chf\\b|£))`,
      'g',
    ),
    read: (match) => String(amountOf(match[1] ?? match[2] ?? '')),
  },
  {
    // "£650 deposit"
    fact: 'deposit',
    type: 'number',
    kinds: ['property'],
    needs: /deposit|kaution|fianza|caution/,
    pattern: new RegExp(
      `[€£$] ?(${numeral}) (?:refundable |security )?deposit\\b|(?<![\\d.,])(${numeral}) ?(?:€|eur(?:os?)?|chf|£) (?:de )?(?:kaution|fianza|caution|deposit|depot de garantie)(?![a-z])`,
      'g',
    ),
    read: (match) => String(amountOf(match[1] ?? match[2] ?? '')),
  },
  {
    fact: 'furnished',
    denied: { true: 'false', false: 'true' },
    type: 'boolean',
    kinds: ['property'],
    fields: ['furnished', 'mobliert', 'moebliert', 'amueblado', 'meuble'],
    pattern:
      /(?:part(?:ly|ially)?[ -]|semi[ -]?|teil-?|parcialmente )?(?:unfurn(?:ished)?(?![a-z])|furn(?:ished\b|\.)|unmobl(?:iert|\.)|mobl(?:iert|\.)|moebliert|sin amueblar|sin muebles|amueblad[oa]|non[ -]meublee?|pas meublee?|\bmeublee?s?\b(?! [a-z]* ?(?:a vendre|tv))|\bvide\b(?= ?[,.;]))/g,
    read: (match, text) => {
      if (/^(?:part|semi|teil)/.test(match[0]) || ofOneRoom.test(before(text, match, 36))) return undefined;
      return String(!/^(?:un|sin|non|pas|vide)/.test(match[0]));
    },
  },
  {
    fact: 'petsAllowed',
    // "No pets" is said by the match itself.
    denied: { true: 'false', false: 'false' },
    type: 'boolean',
    kinds: ['property'],
    fields: ['petsallowed', 'pets', 'haustiere', 'haustiereerlaubt', 'mascotas', 'animaux', 'animauxacceptes'],
    pattern:
      /no pets|pets (?:are |is )?(?:not )?(?:allowed|welcome|considered|ok|accepted)|pet.?friendly|haustiere (?:sind |leider )*(?:nicht )?(?:erlaubt|willkommen|gestattet|moglich|erwunscht)|keine (?:haus)?tiere|(?:no )?(?:se )?(?:admiten|aceptan|permiten) (?:animales|mascotas)|mascotas no|(?:sin|no) mascotas|(?:animaux|chats|chiens) (?:non |pas )?(?:acceptes|autorises|admis|bienvenus)|pas d'animaux|(?:pets|haustiere|mascotas|animaux) ?[:?-] ?(?:no|nein|non|yes|ja|si|oui)(?= ?(?:[,.;!)\n]|$))/g,
    read: (match) => String(!/\b(?:no|not|nein|nicht|keine|sin|non|pas)\b/.test(match[0])),
  },
  {
    fact: 'minimumStayMonths',
    type: 'number',
    kinds: ['property'],
    fields: ['minimumstay', 'mindestmietdauer', 'estanciaminima', 'dureeminimum'],
    pattern: new RegExp(
      `(?:mindest(?:ens|mietdauer|mietzeit|dauer)|minimum(?: (?:stay|let|term|tenancy))?|min\\.?(?: (?:stay|let|term|tenancy|rental|contract))?|minimo|estancia minima(?: de)?|contrato minimo(?: de)?|bail (?:minimum )?de|duree minim(?:um|ale)|at least|mindestmietdauer)(?: (?:of|von|de))?[ :]{1,2}${COUNT}[ -](?:months?|monaten?|meses|mois)|${COUNT}[ -]months? minimum`,
      'g',
    ),
    read: numberWithin(1, 60),
  },
  {
    // A flat with its tenant is for sale, whatever it says of the rent.
    fact: 'offer',
    denied: {},
    kinds: ['property'],
    pattern:
      /\bvermietete[nrs]? (?:[a-z0-9-]+ ){0,2}(?:eigentums|dachgeschoss|erdgeschoss)?(?:wohnung|etw|immobilie|haus|apartment|einheit)|(?:seit \d{4}|langjahrig|langfristig|solide|fest|zuverlassig|unbefristet) vermietet|vermietet seit|kaufpreis[ :]{1,2}\d{2,3}[.' ]\d{3}|kapitalanlage|anlage(?:objekt|immobilie|wohnung)|rendite(?:objekt|immobilie)|mieteinnahm|mietrendite|\btenants? in[ -]situ|sitting tenants?|rental (?:income|yield)|buy.to.let|investment property|con inquilin[oa]s? dentro|(?:piso|casa|vivienda|local) alquilad[oa]|rentabilidad|\bse traspasa\b|\btraspaso(?= ?(?:[:.,;\n€\d]|de (?:negocio|bar|local|restaurante|peluqueria|tienda)|bar\b|local\b|negocio))|cession d[eu] (?:fonds|bail)|fonds de commerce|vendue?s? lou|rendement locatif|locataire en place/g,
    read: Object.assign(() => 'sale', { type: 'choice' as const, choices: ['sale'] }),
  },
  {
    // Whoever stays for nights stays on holiday, unless the place is sold as one.
    fact: 'offer',
    denied: {},
    kinds: ['property'],
    needs: /ferien|gite|vacacional|casa rural|turistic|saisonnier|vacances|nacht|night|noche|nuit|self.catering/,
    pattern:
      /\bferien(?:wohnung|haus|apartment|zimmer|hauschen)|\bgites?\b|alquiler (?:vacacional|turistico)|\bcasa rural\b|(?:apartamento|piso|vivienda) turistic[oa]|location (?:saisonniere|de vacances)|self.catering|(?:pro|\/|je|per|a|por|la|par) ?(?:nacht|night|noche|nuit(?:ee)?)(?![a-z])/g,
    read: Object.assign((_match: RegExpExecArray, text: string) => (isSold.test(text) ? undefined : 'holiday let'), {
      type: 'choice' as const,
      choices: ['holiday let'],
    }),
  },
  {
    fact: 'offer',
    denied: {},
    kinds: ['property'],
    fields: ['offer', 'offertype', 'transaction', 'angebotsart', 'operacion', 'tipodeoperacion'],
    inCategory: true,
    pattern:
      /for sale|to let|lettings|for rent|to rent|(?<!ground )\brent(?:als?)?\b|pcm|per month|\/mo\b|a month|zu vermieten|vermiet[a-z]*|miet(?:e(?!innahm)|en|wohnung|shaus)|nachmieter|\bkm (?=\d)|wg-?zimmer|\bwg\b|untermiete|zu verkaufen|verkauf|kaufpreis|(?:zum|haus|hauser|wohnung|wohnungen|kaufen|zu) kauf(?:en)?\b|kaufen\b|eigentumswohnung|\bkp\b|alquil(?!ad[oa])|se vende|\bvendo\b|en venta|\bventa\b|a louer|(?<=^|[.!:;,\n] ?|\b(?:je|particulier|proprietaire|agence) )loue\b|\b(?:en|a la|courte|bail de) location\b|location (?:meublee|vide)|locations?(?=$|[ ,.]+(?:appartement|maison|studio|immobili))|colocation|\bloyer|a vendre|\bvends\b|\bventes?\b|\bfai\b|frais d.agence inclus|\basking\b|\bsales\b|offers over|\boiro\b|freehold|leasehold|long lease\b|years? (?:remaining|left|unexpired) on (?:the )?lease|guide price|per week|holiday/g,
    read: Object.assign(
      (match: RegExpExecArray, text: string) =>
        isOfCharge(match, text) || isLetAlready(match, text) ? undefined : offerOf(match, text),
      { type: offerOf.type, choices: offerOf.choices, choose: offerOf.choose },
    ),
  },
];

function floorOf(text: string): string {
  const digits = /\d+/.exec(text)?.[0];
  if (digits) return digits;
  const names: readonly RegExp[] = [
    /ground|erd|\beg|rez|rdc|baja/,
    /first|primer|premier|erste/,
    /second|segund|deuxieme|zweite/,
    /third|tercer|troisieme|dritte/,
    /fourth|cuart|quatrieme|vierte/,
    /fifth|quint|cinquieme|funfte/,
  ];
  return String(names.findIndex((name) => name.test(text)));
}
