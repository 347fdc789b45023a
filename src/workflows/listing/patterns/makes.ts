import type { FactPattern } from './pattern.ts';

// Makes of vehicles with their models, and brands of devices.

const makesAsWritten =
  'Acura|Aixam|Aprilia|Benelli|Buick|CFMoto|Chery|Derbi|GasGas|Geely|Gilera|GWM|Haval|Husqvarna|Italika|Jaecoo|Keeway|Kreidler|Kymco|Leapmotor|Ligier|MBK|Microcar|Moto Guzzi|Motomel|Omoda|Pontiac|Rieju|Royal Enfield|Simson|Trabant|Voge|Wartburg|Xpeng|Zanella|Zontes|Zündapp|Bayliner|Beneteau|Boston Whaler|Fairline|Four Winns|Jeanneau|Quicksilver|Sea Ray|Sealine|Sunseeker|Zodiac|Anssems|Böckmann|Brenderup|Brian James|Humbaur|Ifor Williams|Indespension|Saris|Stema|Westfalia|Abarth|Alfa Romeo|Alpine|Aston Martin|Audi|Bentley|BMW|BYD|Cadillac|Chevrolet|Chrysler|Citroën|Cupra|Dacia|Daewoo|Daihatsu|Dodge|DS|Ducati|Ferrari|Fiat|Ford|Genesis|GMC|Harley-Davidson|Honda|Hyundai|Infiniti|Isuzu|Iveco|Jaguar|Jeep|Kawasaki|Kia|KTM|Lada|Lamborghini|Lancia|Land Rover|Lexus|Lincoln|Lotus|MAN|Maserati|Mazda|Mercedes-Benz|MG|Mini|Mitsubishi|Nissan|Opel|Peugeot|Piaggio|Polestar|Porsche|Ram|Renault|Rolls-Royce|Saab|Scania|Seat|Skoda|Smart|SsangYong|Subaru|Suzuki|Tesla|Toyota|Triumph|Vauxhall|Vespa|Volkswagen|Volvo|Yamaha';
/** Who builds caravans and motorhomes, most of them on a van of another make. */
const caravanMakersAsWritten =
  'Adria|Auto-Sleepers|Auto-Trail|Autocruise|Autostar|Bailey|Benimar|Buccaneer|Bürstner|Carado|Caravelair|Carthago|Challenger|Chausson|Coachman|Concorde|Dethleffs|Dreamer|Elddis|Elnagh|Eriba|Etrusco|Eura Mobil|Fendt|Fleurette|Font Vendôme|Forster|Frankia|Giottiline|Globecar|Hobby|Hymer|Ilusion|Itineo|Karmann|Knaus|Laika|Le Voyageur|LMC|Lunar|Malibu|McLouis|Mobilvetta|Moncayo|Mooveo|Morelo|Niesmann|Notin|Phoenix|Pilote|Pössl|Rapido|Rimor|Roller Team|Sterckeman|Stylevan|Sun Living|Sunlight|Sunroller|Swift|Tabbert|Trigano|Weinsberg|Wilk';
const brandsAsWritten =
  'Acer|AEG|Amazon|Black & Decker|DeWalt|Einhell|Festool|Hilti|Metabo|Milwaukee|Ryobi|AMD|Anker|Apple|Asus|Balay|Bang & Olufsen|Beko|Bosch|Bose|Braun|Brother|Canon|Casio|Dell|De’Longhi|DJI|Dyson|Electrolux|Epson|Fairphone|Fitbit|Fujifilm|Garmin|Gigabyte|Google|Gorenje|GoPro|Grundig|Haier|Hisense|HP|Indesit|Huawei|JBL|Jura|Kärcher|KitchenAid|Krups|Leica|Lenovo|LG|Liebherr|Logitech|Makita|Marshall|Medion|Microsoft|Miele|Motorola|Moulinex|MSI|Neff|Nikon|Nintendo|Nokia|Nothing|Oculus|OnePlus|Oppo|Panasonic|Philips|Razer|Realme|Roborock|Rowenta|Samsung|Seagate|Sennheiser|Siemens|Smeg|Sonos|Sony|Steam|TCL|Toshiba|Vorwerk|Western Digital|Whirlpool|Xiaomi|Yamaha|Zanussi';

/** Of furniture, clothes, toys, tools, instruments, bicycles and what else people sell. */
const goodsBrandsAsWritten =
  "AllSaints|Adidas|Armani|Asics|Atomic|Ba&sh|Babolat|Barbour|Benetton|Bergamont|Bershka|Bianchi|Birkenstock|Black & Decker|Boden|Bosch|Brio|Britax|Brompton|Btwin|Bugaboo|Bulls|Burberry|Calvin Klein|Canada Goose|Cannondale|Canyon|Carhartt|Chanel|Chicco|Clarks|Coleman|Comptoir des Cotonniers|Conforama|Converse|Cube|Cybex|Decathlon|Desigual|DeWalt|Dior|Dr. Martens|Ecco|Einhell|Ercol|Esprit|Fender|Festool|Fjällräven|Furla|Gardena|Gazelle|Geox|Gerry Weber|Ghost|Giant|Gibson|Gucci|H&M|Habitat|Haibike|Hercules|Hermès|Hilti|Hugo Boss|Hülsta|Husqvarna|Ibanez|IKEA|Isabel Marant|Jack Wolfskin|Joules|Kalkhoff|Kärcher|Kartell|Kawai|Kiabi|Lacoste|Lapierre|Laura Ashley|Lego|Levi's|Ligne Roset|Longchamp|Louis Vuitton|Maisons du Monde|Maje|Makita|Mammut|Mango|Marc O'Polo|Marks & Spencer|Massimo Dutti|Maxi-Cosi|Merida|Metabo|Michael Kors|Milwaukee|Moncler|Moustache|Mulberry|New Balance|Nike|Omega|Orbea|Outwell|Pandora|Patagonia|Petit Bateau|Pikolinos|Playmobil|Prada|Puky|Puma|Pull&Bear|Quechua|Ralph Lauren|Ray-Ban|Reebok|Riese & Müller|Roche Bobois|Rockrider|Rolex|Rolf Benz|Rossignol|Ryobi|s.Oliver|Salomon|Sandro|Schleich|Scott|Seiko|Sézane|Specialized|Steinway|Stihl|Stokke|Stone Island|Stradivarius|Stressless|Superdry|Swarovski|Ted Baker|The North Face|Thonet|Thule|Timberland|Tom Tailor|Tommy Hilfiger|Trek|UGG|Uniqlo|USM Haller|Vango|Vans|Vaude|Vitra|Wilson|Winora|Yamaha|Zara";

/** Names by the form in which they are found in a text without capitals and accents. */
function names(asWritten: string, others: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const bare = (name: string) => name.normalize('NFD').replace(/\p{M}/gu, '').replace('’', "'").toLowerCase();
  return new Map([...asWritten.split('|').map((name) => [bare(name), name] as const), ...Object.entries(others)]);
}

// Products and abbreviations that identify a maker.
const makes = names(`${makesAsWritten}|${caravanMakersAsWritten}`, {
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

const goodsBrands = names(goodsBrandsAsWritten, { levis: "Levi's", 'doc martens': 'Dr. Martens' });

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
  'saris',
  'zodiac',
  ...'bailey coachman fendt pilote rapido atomic boden brio bulls canyon coleman converse cube esprit fender gazelle ghost giant habitat hercules joules mango moustache mulberry omega pandora patagonia puma scott specialized trek vans wilson'.split(
    ' ',
  ),
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

/** Makers of caravans whose names are words as well: they count of what is lived in, or after a word for it: "Wohnwagen Hobby". */
const ofCaravans: ReadonlySet<string> = new Set(
  'challenger concorde dreamer etrusco forster hobby ilusion karmann lunar malibu notin phoenix sunlight swift'.split(
    ' ',
  ),
);
/** What only a vehicle has that people live in. */
const livedIn =
  /(?<![a-z])(?:caravan(?:[ae]?s?)?|wohnwagen|motor ?homes?|wohnmobile?|reisemobile?|autocaravanas?|camping-?cars?|camper(?: ?vans?)?s?|fourgon amenage|(?<!low )profile|capucine|perfilad[oa]|capuchina|(?:teil|voll)?integriert(?:e[rs]?|es)?|alkoven|\d ?-?(?:berths?|schlafplatze|couchages))(?![a-z])/;

/** Who made the engine did not make the boat. */
const ofEngine = /(?:motor|moteur|engine|outboard|borda|aussenborder) $/;

/** Makers of the vans that others build motorhomes on. */
const ofChassis =
  /^(?:citroen|fiat|ford|iveco|man|mercedes(?:[ -]benz)?|opel|peugeot|renault|vauxhall|volkswagen|vw)(?![a-z])/;
const chassisBefore =
  /\b(?:auf|on(?: an?| the)?|sur(?: une?)?|sobre(?: un)?|base|basis(?:fahrzeug)?|chassis|fahrgestell|porteur|based on(?: an?| the)?|basad[oa] en(?: un)?)(?: (?:de|von|eines?|einem))?[ :(]{1,2}$/;
const chassisAfter = /^[^.,;\n]{0,30}? (?:chassis|fahrgestell|porteur|base\b|basis\b)/;

/** Whether a make is that of the van below a motorhome: "auf Fiat Ducato", or any beside the builder that the title names. */
function isOfChassis({ index, 0: { length } }: RegExpExecArray, found: string, text: string): boolean {
  if (!ofChassis.test(found) || !livedIn.test(text)) return false;
  return (
    chassisBefore.test(text.slice(Math.max(0, index - 20), index)) ||
    chassisAfter.test(text.slice(index + length, index + length + 44)) ||
    caravanMaker.test(text.split('\n', 1)[0] ?? '')
  );
}

/** Names that are words, too, begin a line or come after a number; those of makers of caravans do so only of such. */
function isNamed({ index }: RegExpExecArray, found: string, text: string): boolean {
  const isOfCaravans = ofCaravans.has(found);
  if (!isOfCaravans && !words.has(found)) return true;
  const near = text.slice(Math.max(0, index - 14), index);
  if (isOfCaravans && !livedIn.test(text)) return false;
  return startsName.test(near) || afterItsKind.test(near);
}

const startsName = /(?:^|\n|\d |: ?)$/;
/** A name after the word for what it is of: "camping-car Pilote", "E-Bike Cube". */
const afterItsKind =
  /(?:camping-car|wohnmobil|wohnwagen|autocaravana|caravan[ae]?|motorhome|camper|bike|rad|velo|vtt|mtb|bici|bicicleta) $/;

function oneOfNames(known: ReadonlyMap<string, string>): Pick<FactPattern, 'pattern' | 'read'> {
  return {
    pattern: new RegExp(`(?<![a-z0-9])(?:${inText(known)})(?![a-z])`, 'g'),
    read(match, text) {
      const found = match[0];
      if (ofEngine.test(text.slice(Math.max(0, match.index - 12), match.index))) return undefined;
      if (!isNamed(match, found, text) || isOfChassis(match, found, text)) return undefined;
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
/** Without those that are words as well: "Hobby: Golf" is no vehicle. */
const plainMakeWord = `(?<![a-z0-9])(?:${inText(new Map([...makes].filter(([name]) => !ofCaravans.has(name))))})(?![a-z])`;
const caravanMaker = new RegExp(
  `(?<![a-z0-9])(?:${inText(new Map([...names(caravanMakersAsWritten, {})].filter(([name]) => !ofCaravans.has(name))))}|^(?:${[...ofCaravans].join('|')}))(?![a-z])`,
);

const makeAndModel = new RegExp(
  `${plainMakeWord}[ ,:-]{1,2}(?:${Object.values(modelsOf).join('|')}|${modelsAfterMake})(?![a-z0-9-])`,
);

/** Caravans have numbers and names that are models of cars, too: an Antarès 406 is no Peugeot, a Swift motorhome no Suzuki. */
const caravan =
  /(?<![a-z])(?:caravan(?:[ae]?s?)?|wohnwagen|motor ?homes?|wohnmobile?|reisemobile?|autocaravanas?|camping-cars?)(?![a-z])/;

/** A make or a model that people name without it. Part of a RegExp. */
export const vehicleName = `${plainMakeWord}|(?<![a-z0-9-])(?:${Object.values(modelsOf).join('|')})(?![a-z0-9-])`;

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
    pattern: new RegExp(`(${makeWord})[ ,:-]{1,2}(?:motorrad |moto |e-)?(${modelAfterMake})`, 'g'),
    read(match, text) {
      const [, make = '', name = ''] = match;
      if ((ofCaravans.has(make) && !isNamed(match, make, text)) || isOfChassis(match, make, text)) return undefined;
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
  {
    fact: 'brand',
    kinds: ['furniture', 'fashion', 'generic'],
    fields: ['brand', 'marke', 'hersteller', 'marca', 'marque', 'manufacturer', 'fabricante', 'fabricant'],
    ...oneOfNames(goodsBrands),
  },
];

/** Some makers' models are numbers: Fiat 500, Peugeot 208, Mazda 3, KTM 390. */
function isNumber(match: RegExpExecArray): boolean {
  return /^(?:fiat|peugeot|ktm|mazda|abarth|volvo|porsche|polestar|ducati|mg|ds|saab|smart)[ -]\d{1,4}$/.test(match[0]);
}
