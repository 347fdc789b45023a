import { amountOf, numeral } from '../plain-text.ts';
import { after, before, type FactPattern, numberWithin } from './pattern.ts';

/** Names that are a model on their own or with a few words more. */
const families =
  'iphone|ipad|macbook|imac|airpods|apple watch|galaxy|pixel|playstation|ps[345]|xbox|switch|kindle|thinkpad|thinkbook|ideapad|yoga|legion|surface|xps|latitude|inspiron|precision|vostro|pavilion|omen|envy|spectre|elitebook|probook|vivobook|zenbook|rog|aspire|nitro|predator|chromebook|gopro|hero|echo|fairphone|redmi|moto|eos|lumix|alpha|rtx|ryzen|oled|mini|quietcomfort|serie|series|thermomix|roomba|steam deck|fire tv|chromecast|soundlink|magic';
/** What follows such a name and belongs to it. */
const parts =
  'pro|max|plus|ultra|lite|mini|air|fe|se|xl|oled|digital|slim|fold|flip|note|tab|watch|buds|book|studio|neo|classic|active|series|serie|paperwhite|oasis|show|dot|duo|carbon|nano|go|laptop|edition|deck|one|elite|black|(?:mark|mk|gen) ?[0-9iv]{1,3}|[ivx]{1,4}|x[123]|[smz]\\d{1,2}|(?!\\d+ ?(?:gb|go|tb|to|zoll|inch|pulgadas|pouces|hz|€|£|eur|mm|"))(?!\\d{3,} ?(?:vh?b|fp|festpreis|ono|obo)\\b)(?!(?:19|20)\\d\\d(?![a-z0-9]))(?!\\d+ ?\\/ ?\\d)[a-z]{0,3}\\d{1,4}[a-z]{0,3}(?:-[a-z0-9]+)?';
/** A number with a unit, or an ordinal. */
const measure =
  '\\d+(?:gb|tb|go|to|cm|mm|ft|f(?:ee|oo)t|m|hz|w|kw|kg|g|zoll|inch|mp|mah|k|in|x|st|nd|rd|th|er|l|v|h|p|ah|wh|kwh|eur|pulgadas|pouces|gen|a|o|e|d|er|eme|jahre|megapixel)\\b';

/** A graphics card has memory of its own. */
const graphics = /(?<![a-z])(?:rtx|gtx|rx|radeon|geforce|arc) ?[a-z]{0,3} ?\d{3,4}(?: ?(?:ti|super|xtx?))? ?\(?$/;

/** A storage right after another number of gigabytes. */
const storageNext = /^[ ,+/-]{1,3}(?:ssd )?(?:(?:128|256|512|1024) ?(?:gb|go|ssd|nvme|emmc)|[1-8] ?(?:tb|to))(?![a-z])/;

/** Facts read about a device. */
export const electronicsPatterns: readonly FactPattern[] = [
  {
    fact: 'model',
    kinds: ['electronics'],
    fields: ['model', 'modell', 'modelo', 'modele'],
    asWritten: true,
    // A product's name with what belongs to it, or a word of letters and digits that is not a measurement.
    pattern: new RegExp(
      `\\b(?:${families})\\b(?: ?-?(?:${parts})(?![a-z0-9]))*|` +
        '\\b(?:xiaomi|oneplus|realme|oppo|nokia|huawei|honor|nothing phone)(?: [a-z]+)? \\(?\\d{1,3}[a-z]{0,2}\\)?(?! ?(?:gb|go|tb|zoll|inch|pulgadas|pouces|hz|w\\b|mp|mah|eur|€|monat|month|mes|mois))(?: (?:pro|ultra|lite|plus|max|t)\\b)*|' +
        `\\b(?!${measure})(?=[a-z-]*\\d)[a-z]*\\d+[a-z0-9-]*[a-z][a-z0-9-]*\\b|\\b(?:[a-z]-)?[a-z]{1,6}-?\\d{1,5}[a-z0-9-]*\\b(?: (?:ii|iii|iv|vii?|(?:mark|mk) ?[0-9iv]{1,3})(?![a-z0-9]))?`,
      'g',
    ),
    read: (match) =>
      /^(?:usb|hdmi|mp3|mp4|ip\d\d|4k|[a-d]\d?(?!\d)|grade|bt|wifi|fhd|uhd|hd\d*|in\d*|um|ab|vor|seit|fur|de|en|a)\W?\d*$/.test(
        match[0],
      ) ||
      /^(?:gen|mk|mark)\b|^i[3579]-|^[0-9]+(?:er|fach)\b|^\d+x\d*$|^i[3579]$|^(?:oled|rtx|ryzen|series|serie)$/.test(
        match[0],
      )
        ? undefined
        : match[0].trim(),
  },
  {
    fact: 'storageGb',
    type: 'number',
    kinds: ['electronics'],
    fields: [
      'storage',
      'speicher',
      'speicherplatz',
      'speicherkapazitat',
      'internerspeicher',
      'almacenamiento',
      'memoriainterna',
      'stockage',
      'storagegb',
      'ssd',
      'festplatte',
      'discoduro',
      'disquedur',
    ],
    pattern:
      /\b(\d{2,4}) ?(?:gb|go|gig)\b(?! ?(?:of |de )?(?:ram|ddr|\/|arbeitsspeicher|memor|memoire vive))(?![ -]?(?:micro|sd\b|speicherk|karte|card|memory|tarjeta|carte|stick|usb|cf\b|cfexpress|compact))|\/(\d{2,4}) ?(?:gb|go)\b|\b\d{1,2} ?\/ ?(64|128|256|512)\b(?! ?(?:gb|euros?|€))|\b([1-8]) ?(?:tb|to)\b|\b(?:iphone|ipad|galaxy|pixel)[a-z0-9 ]{1,18} (64|128|256|512)\b|\b(128|256|512)(?:er)?[ -]?(?:ssd|nvme|emmc)\b/g,
    read: (match, text) => {
      if (Number(match[1]) <= 48 && graphics.test(before(text, match, 24))) return undefined;
      // Of "16GB 512SSD" and "8 GB / 256 GB" the first is the memory.
      if (Number(match[1]) <= 64 && storageNext.test(after(text, match, 16))) return undefined;
      return match[4] ? String(Number(match[4]) * 1000) : (match[1] ?? match[2] ?? match[3] ?? match[5] ?? match[6]);
    },
  },
  {
    fact: 'ramGb',
    type: 'number',
    kinds: ['electronics'],
    fields: ['ram', 'memory', 'arbeitsspeicher', 'ramgb', 'memoriaram', 'memoireram', 'memoirevive'],
    pattern:
      /\b(\d{1,3}) ?(?:gb|go|gigas?)(?: de| of)? ?(?:ram|memoria ram|memory|memoire vive|ddr\d?|arbeitsspeicher|\/)|\bram ?:? ?(\d{1,3}) ?(?:gb|go)\b|\b(\d{1,2})(?= ?\/ ?(?:64|128|256|512|1024) ?(?:gb|go)\b)|\b(\d{1,2}) ?(?:gb|go)(?=[ ,+/-]{1,3}(?:ssd )?(?:(?:128|256|512|1024) ?(?:gb|go|ssd|nvme|emmc)|[1-8] ?(?:tb|to))(?![a-z]))/g,
    read: (match) => match[1] ?? match[2] ?? match[3] ?? match[4],
  },
  {
    fact: 'screenInch',
    type: 'number',
    kinds: ['electronics'],
    fields: [
      'screensize',
      'screen',
      'display',
      'displaygrosse',
      'bildschirm',
      'bildschirmgrosse',
      'bildschirmdiagonale',
      'diagonale',
      'zoll',
      'pulgadas',
      'pantalla',
      'pouces',
      'ecran',
      'tailleecran',
    ],
    pattern: /\b(?<![.,\d])(\d{1,2}(?:[.,]\d{1,2})?) ?(?:inch|in\b(?! [a-z])|zoll|pulgadas|pouces|"|'')/g,
    // "5 ft 9 in" is the height of something else.
    read: (match, text) =>
      /(?:\d ?(?:ft|f(?:ee|oo)t|fuss|pies|pieds|')[ ,]{0,2}(?:and |und |y |et )?)$/.test(before(text, match, 14))
        ? undefined
        : String(amountOf(match[1] ?? '')),
  },
  {
    fact: 'batteryHealthPercent',
    denied: {},
    type: 'number',
    kinds: ['electronics', 'vehicles'],
    fields: [
      'batteryhealth',
      'akkuzustand',
      'akkukapazitat',
      'batteriezustand',
      'saludbateria',
      'santebatterie',
      'soh',
    ],
    pattern:
      /(?:batter(?:y|ie)|bateria|akku[a-z]*|\bsoh|\bbh)[a-z' :(]{0,28}(\d{2,3}) ?%|(\d{2,3}) ?% (?:battery health|battery capacity|akku[a-z]*|batteri[ae][a-z]*|(?:de )?(?:salud|capacidad|sante|capacite|bateria|batterie)|soh)/g,
    read: (match) => (/\b(?:not|no longer|nicht|ya no|plus)\b/.test(match[0]) ? undefined : (match[1] ?? match[2])),
  },
  {
    fact: 'processor',
    kinds: ['electronics'],
    fields: ['processor', 'cpu', 'prozessor', 'procesador', 'processeur'],
    asWritten: true,
    pattern:
      /(?<![a-z0-9])(?:(?:intel )?core (?:ultra )?|intel )?i[3579](?:(?:-| )\d{3,5}[a-z]{0,2}\d?)?(?![a-z0-9]|-\d)|(?<![a-z0-9])ryzen [3579](?: pro)?(?: \d{4}[a-z]{0,3}\d?)?(?![a-z0-9])|(?<![a-z0-9])snapdragon [0-9a-z]+(?: gen \d)?/g,
    read: (match) => match[0].replace(/^(?:intel )?(?:core (?:ultra )?)?(?=i\d)/, ''),
  },
  {
    fact: 'refreshHz',
    kinds: ['electronics'],
    fields: ['refreshrate', 'refreshhz', 'bildwiederholrate', 'frecuencia', 'frequence', 'hz'],
    pattern: /(?<![\d.,])(\d{2,3}) ?hz\b/g,
    read: numberWithin(24, 600),
  },
  {
    fact: 'shutterCount',
    type: 'number',
    kinds: ['electronics'],
    fields: ['shuttercount', 'auslosungen', 'disparos', 'declenchements'],
    needs: /shutter|actuations|clicks|auslosungen|disparos|declenchements|clics/,
    pattern: new RegExp(
      `(?<![\\d.,])(${numeral}) (?:shutter|actuations|clicks|auslosungen|disparos|declenchements|clics)|(?:shutter count|auslosungen|disparos|declenchements)[ :]{1,2}(?:of |de |about |ca\\.? )?(${numeral})`,
      'g',
    ),
    read: (match) => String(amountOf(match[1] ?? match[2] ?? '')),
  },
  {
    fact: 'megapixels',
    type: 'number',
    kinds: ['electronics'],
    fields: ['megapixels', 'megapixel', 'resolution', 'mp'],
    pattern: /(?<![\d.,])(\d{1,3}(?:[.,]\d)?) ?(?:mp\b|megapixel|mpx|megapixeles)/g,
    read: (match) => String(amountOf(match[1] ?? '')),
  },
  {
    fact: 'operatingHours',
    type: 'number',
    kinds: ['electronics'],
    fields: ['operatinghours', 'betriebsstunden', 'horasdeuso', 'heuresdutilisation'],
    needs: /hours|betriebsstunden|horas de uso|heures d'utilisation/,
    pattern: new RegExp(
      `(?<![\\d.,])(${numeral}) (?:operating hours|betriebsstunden|hours(?: of use| on it| used|[.,;]|$)|horas de uso|heures d'utilisation)|(?:betriebsstunden|operating hours)[ :]{1,2}(${numeral})`,
      'g',
    ),
    read: (match) => {
      const value = amountOf(match[1] ?? match[2] ?? '');
      return value >= 100 ? String(value) : undefined;
    },
  },
];
