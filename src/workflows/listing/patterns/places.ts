import { placeAtStart } from '../names.ts';
import { townAfterPreposition, townAtStart } from '../towns.ts';
import { vehicleName } from './makes.ts';
import { after, before, type FactPattern, type Kind } from './pattern.ts';

const possible =
  '(?: (?:only|is|it|them|possible|available|welcome|preferred|in person|nur|bitte|gerne?|jederzeit|moglich|ist|solo|unicamente|en mano|en persona|personal|personalmente|sin compromiso|uniquement|seulement|sur place|gratuite?))*';

/** After these, a place is named that ends the sentence or its part: "Pick up Didcot." */
const bareCues = [
  `(?:collections?|collect|pick[ -]?up|(?:selbst)?abholung|ubergabe|recogida|retrait|(?:remise en )?mains? propres?|located|based)(?: (?:only|nur|solo))?(?: ?[:,-])? `,
  '(?<=[.!\\n] )en ',
];
const isBare = new RegExp(`^(?:${bareCues.join('|')})$`);
const endsHere = /^ ?(?:[.,;!)\n]|$|(?:or|oder|ou|o|and|und|only|nur)(?![a-z])|[a-z]{1,2}\d{1,2}(?![a-z]))/;
const startsWithVehicle = new RegExp(`^(?:${vehicleName})`);

/** In French, "au" has the article of a name in it: who is "au Mans" is in Le Mans. Of countries it is no part of the name. */
const ofCountry =
  /^(?:portugal|maroc|canada|luxembourg|japon|bresil|mexique|danemark|royaume|liban|senegal|chili|perou|congo|etats|pays|antilles)/i;
function withArticle(found: string, name: string): string {
  const article = /(?:^| )(?:(au)|aux) $/.exec(found.slice(0, -name.length));
  if (!article || ofCountry.test(name)) return name;
  return `${article[1] ? 'Le' : 'Les'} ${name}`;
}

const homes = [
  '[a-z-]{0,16}(?:haus|wohnung|whg|zimmer|haushalfte|grundstuck|stellplatz)',
  ...[
    'flat',
    'house',
    'apartment',
    'studio',
    'bungalow',
    'cottage',
    'room',
    'maisonette',
    'land',
    'plot',
    'garage',
    'semi',
  ],
  ...[
    'piso',
    'casa',
    'atico',
    'chalet',
    'apartamento',
    'departamento',
    'estudio',
    'duplex',
    'local',
    'terreno',
    'parcela',
  ],
  ...[
    'solar',
    'finca',
    'habitacion',
    'garaje',
    'trastero',
    'appartement',
    'maison',
    'terrain',
    'chambre',
    'villa',
    'loft',
  ],
  '[tf][1-6]',
];

/** Words after which a place is named, by language. "Collection" is also of stamps: what is said before it tells. */
const cues = [
  `(?<=(?:^|[.,;:!?()\\n/|+-] ?|\\b(?:for|on|local|free|cash|buyer|own|only|self|easy|or|and|by|is|welcome|no|please|arrange|available|prefer|preferred|possible|personal) ))collections?${possible} (?:from|in|at|near) `,
  `(?:(?:to )?collect(?:ed|able)?|pick(?:ed)?[ -]?up|viewings?)${possible} (?:from|in|at|near) `,
  '(?:can|may|could) be (?:seen|viewed|inspected|tried|tested)(?: any time| anytime)? (?:in|at|near|around|just outside|close to) ',
  '(?:available|ready) (?:to (?:view|see)|for (?:viewing|inspection)) (?:in|at|near) ',
  '(?:based|located|situated|moored|berthed|stabled)(?: (?:just outside|outside|near|close to)| (?:in|at)(?: or near)?) ',
  '(?:lying|ashore|afloat|laid up|kept|(?:car|bike|van|boat|vehicle|caravan|item) is)(?: ashore| afloat| currently)? (?:in|at) ',
  '(?:for sale|to let|to rent|for rent) in ',
  '(?:location|place of work|workplace|town|city)(?: ?[:=] ?| is )(?:in |near )?',
  `(?:selbst)?abhol(?:ung|er|bar|bereit)${possible} (?:in|nahe|im raum) |abzuholen in `,
  `(?:ubergabe|zum abholen)${possible} in |(?<=[.,;(\\n] )raum `,
  `(?:besichtigung(?:en|stermine?)?|probefahrt(?:en)?)${possible} in `,
  'zu (?:besichtigen|sehen|verkaufen|vermieten) in ',
  'kann(?: (?:jederzeit|gerne?|auch))* in (?=[^.,;\\n]{3,40}? (?:abgeholt|besichtigt|angesehen|angeschaut|probegefahren) )',
  '(?:[a-z]{0,12}standort|(?:arbeits|dienst|einsatz|abhol|besichtigungs)ort|liegeplatz)(?: (?:des|der) [a-z]{3,14})?(?: ?[:=-] ?| ist | in | )(?:in )?|(?<!vor )ort ?: ?',
  '(?:stehe?n?t?|befinde[nt] sich|liege?n?t?)(?: [a-z]{2,12}){0,5} (?:bei|nahe|in der nahe von) ',
  '(?:stehe?n?t?|befinde[nt] sich|liege?n?t?|gelegen|ansassig)(?: (?:derzeit|aktuell|zurzeit|momentan|jetzt|am [a-z]{3,14}|an der [a-z]{3,14}))? in |mit sitz in |im (?:gross)?raum ',
  '(?<=[.,;:(\\n] ?)(?:zona|barrio|secteur|quartier)(?: (?:de|du))? |(?<=[.,;:(\\n] ?)(?:covering|serving) ',
  `(?:recogida|recoger(?:lo|la|se)?|se recogen?|se entregan?|entrega)${possible} en `,
  `pueden? (?:ver|visitar|probar)(?:se|lo|la)?${possible} (?:en|cerca de|por) |(?:para ver(?:lo|la)?|visitas?|visible) en `,
  '(?:trato(?: directo| en mano)?|en mano|amarre|fondead[oa]|varad[oa]|se encuentra) en |se trouve (?:a|au|aux|sur) |(?<=[.,;!\\n] )vist[ao] en ',
  '(?:(?:ubicad|situad|localizad|amarrad|atracad|domiciliad)[oa]s?|con sede|se (?:vende|alquila)|en (?:venta|alquiler)) en ',
  '(?:ubicacion|localidad|poblacion|ciudad|lugar de (?:recogida|trabajo|entrega)|centro de trabajo) ?: ?(?:en )?',
  `(?:visibles?|a (?:voir|retirer|recuperer|enlever|venir chercher|prendre)|retrait|enlevement|remise en mains? propres?|visites?)${possible} (?:a|au|aux|sur|en|pres de|du cote de|(?:aux )?(?:environs|alentours) de|dans le secteur de) `,
  '(?:situee?s?|localisee?s?|implantee?s?|amarree?s?) (?:a|au|aux|sur|pres de) |basee?s? (?:a|au|aux|sur) |a (?:vendre|louer) (?:a|au|aux|sur) ',
  '(?:au sec|a sec|a flot|au mouillage|dispo(?:nible)?s?) (?:a|au|aux|sur) ',
  '(?:lieu|lieu de (?:travail|retrait)|localisation|ville|secteur) ?: ?(?:a )?',
]
  // Words without "in" or "from" come last: the name has to end what they say.
  .concat(bareCues);

/** Places of work before their town's name, and legal forms at the end of an employer's. */
const workplaces = [
  '(?:gmbh|ag|kg|ohg|e\\.? ?v\\.?|ltd\\.?|limited|plc|llp|s\\.?l\\.?u?\\.?|s\\.?a\\.?|sarl|sas|eurl)(?:,| aus)? (?:in|en|a) ',
  '[a-z]{0,14}(?:filiale|niederlassung|werkstatt|betrieb|praxis|klinik|restaurant|hotel|backerei|buro|zentrale|werk|lager|kanzlei|kita|laden|markt|team)(?:s)? in ',
  '(?:branch|office|depot|warehouse|site|clinic|kitchen|school|nursery|factory|plant|store|shop|salon|garage|surgery|pub|restaurant|cafe|hotel|practice|care home) (?:in|at|near) ',
  '(?:delegacion|tienda|oficina|sede|centro|fabrica|planta|sucursal|almacen|nave|restaurante|hotel|clinica|taller|obra|obras|local|supermercado)(?: de| en|,) (?!empresas?|grandes)',
  "(?:magasin|agence|site|usine|boutique|atelier|restaurant|antenne|depot|entrepot|clinique|cabinet|hotel|garage|salon|boulangerie|chantiers?)(?: (?:de|du|a|sur)|,) |(?:magasin|agence|site|usine|boutique|atelier|restaurant|antenne|depot|entrepot|clinique|cabinet|hotel) d'",
];

/** What is said right after the place of one who hires. */
const hires =
  /,? (?:sucht|suchen wir|stellt|recrute|recherche|cherche|busca|buscamos|necesita|selecciona|precisa|incorpora|is (?:looking|hiring|seeking)|are (?:looking|hiring|seeking)|needs|seeks|requires)(?![a-z])/;

/** Kinds of which people ask first where they are. */
const placed: readonly Kind[] = ['jobs', 'services', 'property', 'vehicles'];
const goods: readonly Kind[] = ['electronics', 'furniture', 'fashion', 'generic'];

/** Where a thing was made or bought, or what is some way off, is not where it is. */
const elsewhere =
  /(?:\b(?:bought|made|built|born|registered|studied|trained|gekauft|gebaut|hergestellt|zugelassen|geboren|studiert|comprad[oa]|hech[oa]|fabricad[oa]|matriculad[oa]|nacid[oa]|achetee?|fabriquee?|immatriculee?|nee?)|\d ?(?:min|mins|minutes?|minuten|minutos|km|miles|h|hours?|stunden?|horas?|heures?))(?: [a-z]{2,8})?[ .,:]{1,2}$/;
const elsewhereAfter = /^ (?:gekauft|gebaut|hergestellt|zugelassen|produziert|geboren)/;
/** What ends the name of a place that stands on its own. */
const townEnds =
  /^(?: ?(?:[.,;:!?)(/|+\n]|$)| - | (?:und|and|et|y|&|or|oder|ou|o|area|region|city|centre|center|zentrum|centro|ville|[a-z]{1,2}\d{1,2}[a-z]?)(?![a-z]))/;
const sentenceEnds = /^ ?(?:[.!\n]|$)/;
/** How one gets a thing from the town: "Leicester, can post". */
const isHandedOver =
  /^,? (?:or |oder |o |ou |nur |solo )?(?:can|will|collect|pick|post|deliver|cash|abhol|selbst|versand|recog|envi[oa]|entreg|en mano|main propre|remise|retrait)/;
/** Tickets name the town of what they are for. */
const isEvent =
  /\b(?:tickets?|konzert[a-z]*|concerts?|conciertos?|entradas?|eintrittskarten?|billets?|festival|gigs?|fluge?|flights?|vuelos?|vols?)(?![a-z])/;

const townIn = (match: RegExpExecArray, text: string) =>
  elsewhere.test(before(text, match, 32)) || elsewhereAfter.test(after(text, match)) ? undefined : match[1];

const praises = /^(?:nice|deal|sale|mobile|bath|reading|rugby|gap|sens|tours|inca|buffalo|hof|lens|wells|worms)$/;
const isVehicle = (name: string) => startsWithVehicle.test(name);

/** Where a thing is, or where the work is done. */
export const placePatterns: readonly FactPattern[] = [
  {
    fact: 'location',
    kinds: [],
    asWritten: true,
    denied: {},
    fields: [
      'location',
      'standort',
      'ort',
      'stadt',
      'arbeitsort',
      'city',
      'town',
      'ubicacion',
      'localidad',
      'ciudad',
      'localisation',
      'lieu',
      'ville',
    ],
    pattern: new RegExp(`(?<![a-z0-9])(?:${cues.join('|')})`, 'g'),
    nameAfter: placeAtStart,
    called: withArticle,
    read(match, text) {
      const name = match[1] ?? '';
      const cue = match[0].slice(0, -name.length);
      const isOpen = isBare.test(cue) && (!endsHere.test(after(text, match, 8)) || startsWithVehicle.test(name));
      return isOpen ? undefined : name;
    },
  },
  {
    // A title says where a home is by "in" alone: "Piso en Triana".
    fact: 'location',
    kinds: ['property'],
    asWritten: true,
    inTitle: true,
    denied: {},
    pattern: new RegExp(
      `(?<![a-z])(?:in|near|en|au|aux|a) (?<=(?<![a-z])(?:${homes.join('|')})(?![a-z])[^.,;\\n]{0,40})`,
      'g',
    ),
    nameAfter: placeAtStart,
    called: withArticle,
    read: (match) => match[1],
  },
  {
    fact: 'location',
    kinds: ['property'],
    asWritten: true,
    inTitle: true,
    denied: {},
    needs: /cent(?:re|er|ro)/,
    pattern:
      /[a-z]{2,14} (?=[a-z'-]{3,20}(?: [a-z'-]{2,12})? (?:city|town) cent(?:re|er))|(?<![a-z])centr[eo](?:-ville)? (?:de |d')?/g,
    nameAfter: placeAtStart,
    read: (match) => match[1],
  },
  {
    // Where people work: "the firm's seat", "our branch in", "nuestra tienda de".
    fact: 'location',
    kinds: ['jobs', 'services'],
    asWritten: true,
    unlessSaid: true,
    denied: {},
    pattern: new RegExp(`(?<![a-z])(?:${workplaces.join('|')})`, 'g'),
    nameAfter: placeAtStart,
    called: withArticle,
    read: (match) => match[1],
  },
  {
    // "Restaurant Zur Alten Post in Füssen sucht": whoever hires there.
    fact: 'location',
    kinds: ['jobs'],
    asWritten: true,
    unlessSaid: true,
    denied: {},
    needs: hires,
    pattern: /(?<![a-z])(?:in|en|a|at|bei) /g,
    nameAfter: placeAtStart,
    called: withArticle,
    read: (match, text) => (hires.exec(after(text, match, 24))?.index === 0 ? match[1] : undefined),
  },
  {
    // "Our kitchen in York needs a chef": known towns need no other word.
    fact: 'location',
    kinds: placed,
    asWritten: true,
    unlessSaid: true,
    denied: {},
    // "In north Leeds", "al sur de Granada", "au nord de Nantes": a part of the town, or beside it.
    pattern:
      /(?<![a-z0-9])(?:(?:norte|sur|este|oeste|centro|nord|sud|est|ouest|region|environs|alrededores|cercanias) (?:de |d')|(?:region|umgebung(?: von)?) |(?:in|near|nr|at) (?:(?:north|south|east|west|central|greater|inner)(?:[ -](?:east|west))? )?|en |a |bei |nahe |sur |pres de |cerca de |(?:nordlich|sudlich|ostlich|westlich|norden|suden|osten|westen) von )/g,
    nameAfter: townAfterPreposition,
    called: withArticle,
    read: townIn,
  },
  {
    fact: 'location',
    kinds: placed,
    asWritten: true,
    unlessSaid: true,
    denied: {},
    pattern: /^|[.,;:!?()/|\n] ?| - /g,
    nameAfter: townAtStart,
    read: (match, text) =>
      townEnds.test(after(text, match, 8)) && !isVehicle(match[1] ?? '') ? townIn(match, text) : undefined,
  },
  {
    // "Studio Montpellier", "Place de parking Lyon": a home's title has its town anywhere.
    fact: 'location',
    kinds: ['property', 'services'],
    asWritten: true,
    inTitle: true,
    unlessSaid: true,
    denied: {},
    pattern: /(?<= )/g,
    nameAfter: townAtStart,
    read: townIn,
  },
  {
    // "Abzuholen ab dem 15. in Fürth": what is handed over there may stand between.
    fact: 'location',
    kinds: goods,
    asWritten: true,
    unlessSaid: true,
    denied: {},
    needs: /abhol|abzuholen|collect|pick[ -]?up|recog|retir/,
    pattern:
      /(?<![a-z])(?:abzuholen|abhol[a-z]*|collect(?:ion|ed)?|pick[ -]?up|recog[a-z]*|retir[a-z]*)(?! in)[^,;\n]{1,24}? (?:in|from|en|a) /g,
    nameAfter: townAfterPreposition,
    read: townIn,
  },
  {
    // A town whose name is also a word may end a text as a sentence of its own: "Ripon."
    fact: 'location',
    kinds: [],
    asWritten: true,
    unlessSaid: true,
    denied: {},
    pattern: /(?<=[.!] )(?=[a-z' -]{3,30}\.?$)/g,
    nameAfter: townAfterPreposition,
    read: (match, text) =>
      /^\.?$/.test(after(text, match, 3)) && !praises.test(match[1] ?? '') ? townIn(match, text) : undefined,
  },
  {
    // Of other things a town is told last, or in a sentence that is nothing else.
    fact: 'location',
    kinds: goods,
    asWritten: true,
    unlessSaid: true,
    denied: {},
    pattern: /[.,!\n] ?| - /g,
    nameAfter: townAtStart,
    read: (match, text) => {
      const title = text.indexOf('\n');
      const next = after(text, match, 16);
      const isAlone = (sentenceEnds.test(next) || isHandedOver.test(next)) && match.index >= title;
      return isAlone && !isEvent.test(text.slice(0, title)) ? townIn(match, text) : undefined;
    },
  },
];
