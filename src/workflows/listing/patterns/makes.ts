import type { FactPattern } from './pattern.ts';

// Makes of vehicles with their models, and brands of devices.

const makesAsWritten =
  'Acura|Aixam|Aprilia|Benelli|Buick|CFMoto|Chery|Derbi|GasGas|Geely|Gilera|GWM|Haval|Husqvarna|Italika|Jaecoo|Keeway|Kreidler|Kymco|Leapmotor|Ligier|MBK|Microcar|Moto Guzzi|Motomel|Omoda|Pontiac|Rieju|Royal Enfield|Simson|Trabant|Voge|Wartburg|Xpeng|Zanella|Zontes|Zündapp|Bayliner|Beneteau|Boston Whaler|Fairline|Four Winns|Jeanneau|Quicksilver|Sea Ray|Sealine|Sunseeker|Zodiac|Anssems|Böckmann|Brenderup|Brian James|Humbaur|Ifor Williams|Indespension|Saris|Stema|Autostar|Auto-Trail|Auto-Sleepers|Bailey|Benimar|Caravelair|Coachman|Eriba|Eura Mobil|Fendt|Fleurette|Frankia|Itineo|Laika|LMC|Mobilvetta|Pilote|Rapido|Sterckeman|Tabbert|Trigano|Westfalia|Abarth|Adria|Bürstner|Carado|Carthago|Chausson|Dethleffs|Elddis|Hymer|Knaus|Niesmann|Pössl|Rimor|Roller Team|Weinsberg|Alfa Romeo|Alpine|Aston Martin|Audi|Bentley|BMW|BYD|Cadillac|Chevrolet|Chrysler|Citroën|Cupra|Dacia|Daewoo|Daihatsu|Dodge|DS|Ducati|Ferrari|Fiat|Ford|Genesis|GMC|Harley-Davidson|Honda|Hyundai|Infiniti|Isuzu|Iveco|Jaguar|Jeep|Kawasaki|Kia|KTM|Lada|Lamborghini|Lancia|Land Rover|Lexus|Lincoln|Lotus|MAN|Maserati|Mazda|Mercedes-Benz|MG|Mini|Mitsubishi|Nissan|Opel|Peugeot|Piaggio|Polestar|Porsche|Ram|Renault|Rolls-Royce|Saab|Scania|Seat|Skoda|Smart|SsangYong|Subaru|Suzuki|Tesla|Toyota|Triumph|Vauxhall|Vespa|Volkswagen|Volvo|Yamaha';
const brandsAsWritten =
  'Acer|AEG|Amazon|AMD|Anker|Apple|Asus|Balay|Bang & Olufsen|Beko|Bosch|Bose|Braun|Brother|Canon|Casio|Dell|De’Longhi|DJI|Dyson|Electrolux|Epson|Fairphone|Fitbit|Fujifilm|Garmin|Gigabyte|Google|Gorenje|GoPro|Grundig|Haier|Hisense|HP|Indesit|Huawei|JBL|Jura|Kärcher|KitchenAid|Krups|Leica|Lenovo|LG|Liebherr|Logitech|Makita|Marshall|Medion|Microsoft|Miele|Motorola|Moulinex|MSI|Neff|Nikon|Nintendo|Nokia|Nothing|Oculus|OnePlus|Oppo|Panasonic|Philips|Razer|Realme|Roborock|Rowenta|Samsung|Seagate|Sennheiser|Siemens|Smeg|Sonos|Sony|Steam|TCL|Toshiba|Vorwerk|Western Digital|Whirlpool|Xiaomi|Yamaha|Zanussi';

/** Names by the form in which they are found in a text without capitals and accents. */
function names(asWritten: string, others: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const bare = (name: string) => name.normalize('NFD').replace(/\p{M}/gu, '').replace('’', "'").toLowerCase();
  return new Map([...asWritten.split('|').map((name) => [bare(name), name] as const), ...Object.entries(others)]);
}

// Products and abbreviations that identify a maker.
const makes = names(makesAsWritten, {
  vw: 'Volkswagen',
  mercedes: 'Mercedes-Benz',
  benz: 'Mercedes-Benz',
  alfa: 'Alfa Romeo',
  'range rover': 'Land Rover',
  chevy: 'Chevrolet',
  'harley davidson': 'Harley-Davidson',
  'rolls royce': 'Rolls-Royce',
});
const brands = names(brandsAsWritten, {
  iphone: 'Apple',
  ipad: 'Apple',
  macbook: 'Apple',
  imac: 'Apple',
  airpods: 'Apple',
  'apple watch': 'Apple',
  galaxy: 'Samsung',
  pixel: 'Google',
  playstation: 'Sony',
  ps4: 'Sony',
  ps5: 'Sony',
  xbox: 'Microsoft',
  surface: 'Microsoft',
  thinkpad: 'Lenovo',
  ideapad: 'Lenovo',
  kindle: 'Amazon',
  redmi: 'Xiaomi',
  thermomix: 'Vorwerk',
  delonghi: 'De’Longhi',
  quietcomfort: 'Bose',
});

/** Names that are also words: they count only at the beginning of the text or of a line. */
const words = new Set([
  'mini',
  'smart',
  'man',
  'ram',
  'ds',
  'seat',
  'steam',
  'nothing',
  'surface',
  'galaxy',
  'pixel',
  'triumph',
  'mg',
  'alpine',
  'genesis',
  'lotus',
  'ford',
  'bailey',
  'coachman',
  'fendt',
  'pilote',
  'rapido',
  'saris',
  'zodiac',
]);

/** By first letters, so that at most positions of a text one comparison is enough. */
function inText(known: ReadonlyMap<string, string>): string {
  const rests = new Map<string, string[]>();
  for (const name of [...known.keys()].sort((one, other) => other.length - one.length)) {
    const [first = ''] = name;
    const rest = name
      .slice(1)
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replace(/[ -]/g, '[ -]?');
    rests.set(first, [...(rests.get(first) ?? []), rest]);
  }
  return [...rests].map(([first, all]) => `${first}(?:${all.join('|')})`).join('|');
}

/** Makers of caravans, which are words as well, after what they make: "camping-car Pilote". */
const ofCaravans = new Set(['bailey', 'coachman', 'fendt', 'pilote', 'rapido']);
const caravanBefore = /(?:camping-car|wohnmobil|wohnwagen|autocaravana|caravan[ae]?|motorhome) $/;

/** Who made the engine did not make the boat. */
const ofEngine = /(?:motor|moteur|engine|outboard|borda|aussenborder) $/;

function oneOfNames(known: ReadonlyMap<string, string>): Pick<FactPattern, 'pattern' | 'read'> {
  return {
    pattern: new RegExp(`(?<![a-z0-9])(?:${inText(known)})(?![a-z])`, 'g'),
    read(match, text) {
      const found = match[0];
      if (ofEngine.test(text.slice(Math.max(0, match.index - 12), match.index))) return undefined;
      const isOfCaravan =
        ofCaravans.has(found) && caravanBefore.test(text.slice(Math.max(0, match.index - 14), match.index));
      if (
        words.has(found) &&
        !isOfCaravan &&
        !/(?:^|\n|\d |: ?)$/.test(text.slice(Math.max(0, match.index - 4), match.index))
      )
        return undefined;
      return known.get(found) ?? known.get(found.replace(' ', '-')) ?? known.get(found.replace('-', ' '));
    },
  };
}

/** Models that people name without their make, by make. Many are also words, so they are looked for in titles only. */
const modelsOf: Readonly<Record<string, string>> = {
  Audi: 'a[1-8]|q[2-8]|rs ?[3-7]|s[3-8](?= )|e-tron',
  BMW: '[1-8]er|[1-8]\\d{2}[di]x?|x[1-7]|z[34]|i3s?|i8|ix3?',
  Citroën: 'c[1-8]|c-elysee|berlingo|picasso|jumpy|jumper|saxo|xsara|nemo|ami',
  Dacia: 'duster|sandero|logan|dokker|lodgy|jogger',
  Fiat: 'punto|panda|ducato|doblo|bravo|fiorino|multipla|qubo|tipo',
  Ford: 'fiesta|focus|mondeo|kuga|ecosport|mustang|galaxy|s-max|c-max|transit(?: custom| connect| courier)?|tourneo(?: custom| connect)?|ranger|ka\\+?',
  Honda: 'civic|jazz|accord|cr-v|hr-v|africa twin',
  Hyundai: 'i10|i20|i30|i40|ix20|ix35|tucson|kona|santa fe|ioniq(?: [56])?',
  Kia: 'picanto|rio|ceed|sportage|sorento|niro|stonic|venga|e-?niro',
  Mazda: 'mx-?5|cx-?[3-9]0?|mazda ?[2356]',
  'Mercedes-Benz':
    '[abcegs]-?klasse|[abcegs] ?\\d{3}(?: ?(?:d|cdi))?|cl[aks]|gl[abces]|vito|sprinter|viano|citan|clase [abcegs]|classe [abcegs]',
  Nissan: 'qashqai|juke|micra|leaf|x-trail|navara|note|nv200',
  Opel: 'corsa|astra|insignia|mokka|zafira|meriva|adam|crossland|grandland|vivaro|combo|vectra|agila|karl',
  Peugeot: '[1-5]0[678]|[2-5]008|partner|expert|boxer|rifter',
  Renault: 'clio|megane|scenic|grand scenic|twingo|captur|kangoo|kadjar|zoe|trafic|master|laguna|espace|modus|talisman',
  Seat: 'ibiza|leon|ateca|arona|alhambra|mii|altea|toledo',
  Skoda: 'octavia|fabia|superb|kodiaq|karoq|kamiq|citigo|yeti|rapid|roomster|enyaq',
  Suzuki: 'swift|vitara|jimny|ignis|baleno|sx4',
  Tesla: 'model [3sxy]',
  Toyota: 'yaris(?: cross)?|corolla|auris|aygo|prius|rav4|c-hr|avensis|verso|hilux|land cruiser|proace',
  Volkswagen:
    'golf|polo|passat|tiguan|touran|sharan|caddy|up!?|t-roc|t-cross|touareg|arteon|multivan|transporter|crafter|beetle|scirocco|lupo|t[3-6](?:[.,]1)?|id[.] ?[3-7]',
  Volvo: '[vs][3-9]0|xc ?[469]0|c30',
};

/** Models that people name with their make, since other things are called so, too. */
const modelsAfterMake = [
  ...[
    'aveo',
    'spark',
    'cruze',
    'captiva',
    'matiz',
    'trax',
    'onix',
    'silverado',
    'camaro',
    'corvette',
    'equinox',
    'tahoe',
  ],
  ...['versa', 'tsuru', 'sentra', 'march', 'frontier', 'gol', 'jetta', 'vento', 'saveiro', 'amarok', 'kwid', 'stepway'],
  ...[
    'fluence',
    'figo',
    'explorer',
    'escape',
    'fusion',
    'edge',
    'bronco',
    'f-?150',
    'camry',
    'tacoma',
    '4runner',
    'etios',
  ],
  ...[
    'sienna',
    'accord',
    'odyssey',
    'elantra',
    'sonata',
    'accent',
    'creta',
    'soul',
    'sorento',
    'charger',
    'challenger',
  ],
  ...[
    'wrangler',
    'cherokee',
    'compass',
    'renegade',
    'palio',
    'siena',
    'uno',
    'cronos',
    'strada',
    'toro',
    'spring',
    'zs',
    'forester',
  ],
  ...[
    'outback',
    'impreza',
    'outlander',
    'pajero',
    'asx',
    'colt',
    'space star',
    'f-?pace',
    'defender',
    'discovery',
    'freelander',
  ],
  ...[
    'mt-?\\d\\d',
    'yzf',
    'r(?:1|3|6|7|125)',
    'xj6',
    '[xtn]-?max',
    'tracer',
    'tenere',
    'xsr ?\\d+',
    'fazer',
    'fz[168s]',
    'aerox',
    'virago',
  ],
  ...[
    'z ?\\d{3,4}',
    'ninja',
    'versys',
    'vulcan',
    'er-?6[nf]?',
    'gsx',
    'gsr',
    'sv ?\\d{3,4}',
    'v-?strom',
    'burgman',
    'bandit',
    'hayabusa',
  ],
  ...[
    'cb[a-z]{0,3} ?\\d{2,4}[a-z]{0,3}',
    'crf ?\\d+',
    'nc ?\\d{3}',
    'rebel',
    'vfr',
    'hornet',
    'transalp',
    'pcx',
    'sh ?\\d{3}i?',
    'forza',
  ],
  ...[
    'gold ?wing',
    'shadow',
    'msx',
    'monster',
    'scrambler',
    'panigale',
    'multistrada',
    'diavel',
    'hypermotard',
    'duke',
    '\\d{3,4} duke',
  ],
  ...[
    'bonneville',
    'street (?:twin|triple)',
    'speed triple',
    'tiger',
    'thruxton',
    'sportster',
    'softail',
    'fat boy',
    'road king',
  ],
  ...[
    'iron 883',
    'primavera',
    'gts',
    'px ?\\d*',
    'lx ?\\d*',
    'sprint ?\\d*',
    'liberty',
    'beverly',
    'medley',
    'typhoon',
    'nrg',
    'zip',
    'mp3',
    'vespa',
  ],
  ...['[rfks] ?\\d{3,4} ?(?:gs|rt|rr|xr)'],
].join('|');

/** What begins a name of several words, or has a part after a blank. */
const longNames =
  'model [3sxy]|transit (?:custom|connect|courier)|tourneo (?:custom|connect|courier)|land cruiser|santa fe|africa twin|discovery sport|range rover(?: (?:sport|evoque|velar))?|grand [a-z0-9-]+|gran [a-z]+|(?:clase|classe) [a-z]{1,3}|(?:serie|series) [1-8]|street (?:twin|triple)|v-strom \\d+|[a-z]{1,3} \\d{2,4}(?: ?(?:gs|rt|rr?|s|xr|cdi|tdi|d|i|e))?(?![a-z0-9.,])';
/** What follows a make and is no model: what it is, who offers it, what it runs on, small words. */
const noModel =
  /^(?:(?:19|20)\d\d|\d[.,]\d.*|\d+(?:km|ps|cv|ch|kw|hp|l|t|tkm)?|[a-z]|kombi|limousine|cabrio|combi|auto|autos|car|cars|van|vans|suv|pkw|coche|coches|voiture|vehicule|wagen|motorrad|moto|roller|scooter|diesel|benzin(?:er)?|petrol|essence|gasolina|hybrid[eo]?|hibrido|electric|elektro|automatik|automatic|manual|zu|for|in|im|mit|von|aus|und|oder|bj|baujahr|ez|tuv|de|del|en|con|y|a|au|aux|et|avec|sans|ohne|vendo|vende|se|with|and|or|to|sale|the|my|very|good|super|top|gut|guter|sehr|neu|new|nuevo|usado|occasion|gebraucht|used|haendler|handler|dealer|garage|werkstatt|service|original|ligne|parts|only|unico|unica|color|verkauf.*|schwarz|weiss|rot|blau|silber|grau|negro|blanco|rojo|azul|noire?|blanche?|rouge|bleue?|black|white|red|blue|silver|grey)$/;
const modelAfterMake = `${longNames}|[a-z0-9][a-z0-9'.!-]{0,18}[a-z0-9!]|\\d(?![\\d.,]| ?t(?:uren|urig)|[a-z])`;

const modelNames = Object.entries(modelsOf).map(([make, models]) => [make, new RegExp(`^(?:${models})$`)] as const);
const anyModel = new RegExp(`(?<![a-z0-9-])(?:${Object.values(modelsOf).join('|')})(?![a-z0-9-])`, 'g');

const makeWord = `(?<![a-z0-9])(?:${inText(makes)})(?![a-z])`;

const makeAndModel = new RegExp(
  `${makeWord}[ ,:-]{1,2}(?:${Object.values(modelsOf).join('|')}|${modelsAfterMake})(?![a-z0-9-])`,
);

/** Caravans have numbers and names that are models of cars, too: an Antarès 406 is no Peugeot, a Swift motorhome no Suzuki. */
const caravan =
  /(?<![a-z])(?:caravan(?:[ae]?s?)?|wohnwagen|motor ?homes?|wohnmobile?|reisemobile?|autocaravanas?|camping-cars?)(?![a-z])/;

/** A make or a model that people name without it. Part of a RegExp. */
export const vehicleName = `${makeWord}|(?<![a-z0-9-])(?:${Object.values(modelsOf).join('|')})(?![a-z0-9-])`;

/** Whether a plain text names a make with one of its models: no other thing is called so. */
export function namesModel(plain: string): boolean {
  return makeAndModel.test(plain);
}

/** Facts that are names, of vehicles and devices. */
export const makePatterns: readonly FactPattern[] = [
  {
    fact: 'make',
    kinds: ['vehicles'],
    fields: ['make', 'brand', 'marke', 'hersteller', 'marca', 'marque', 'fabricante'],
    ...oneOfNames(makes),
  },
  {
    fact: 'make',
    kinds: ['vehicles'],
    inTitle: true,
    pattern: anyModel,
    read: (match, text) => (caravan.test(text) ? undefined : modelNames.find(([, names]) => names.test(match[0]))?.[0]),
  },
  {
    fact: 'model',
    kinds: ['vehicles'],
    fields: ['model', 'modell', 'modelo', 'modele'],
    asWritten: true,
    // In a title the make is followed by its model; in prose by anything.
    inTitle: true,
    pattern: new RegExp(`${makeWord}[ ,:-]{1,2}(?:motorrad |moto |e-)?(${modelAfterMake})`, 'g'),
    read(match) {
      const name = match[1] ?? '';
      const isModel = /^[2-5]008$/.test(name) ? match[0].startsWith('peugeot') : !noModel.test(name) || isNumber(match);
      if (!isModel) return undefined;
      return match[0].startsWith('range rover') ? match[0] : name;
    },
  },
  {
    fact: 'model',
    kinds: ['vehicles'],
    asWritten: true,
    inTitle: true,
    pattern: anyModel,
    read: (match, text) => (caravan.test(text) ? undefined : match[0]),
  },
  {
    fact: 'brand',
    kinds: ['electronics'],
    fields: ['brand', 'make', 'marke', 'hersteller', 'marca', 'marque', 'manufacturer', 'fabricante', 'fabricant'],
    ...oneOfNames(brands),
  },
];

/** Some makers' models are numbers: Fiat 500, Peugeot 208, Mazda 3, KTM 390. */
function isNumber(match: RegExpExecArray): boolean {
  return /^(?:fiat|peugeot|ktm|mazda|abarth|volvo|porsche|polestar|ducati|mg|ds|saab|smart)[ -]\d{1,4}$/.test(match[0]);
}
