import { amountOf } from '../plain-text.ts';
import type { FactPattern } from './pattern.ts';

/** Facts read about a device. */
export const electronicsPatterns: readonly FactPattern[] = [
  {
    fact: 'model',
    kinds: ['electronics'],
    fields: ['model', 'modell', 'modelo', 'modele'],
    // A word of letters and digits that is not a measurement, or a name that is a model on its own.
    pattern:
      /\b(?:iphone|ipad|macbook|imac|airpods|galaxy|pixel|playstation|ps[345]|xbox|switch|kindle|thinkpad|ideapad|surface|xps|gopro|hero|echo|fairphone|redmi|moto|eos|lumix|alpha|rtx|ryzen|oled|mini|quietcomfort|serie|series|thermomix|roomba)\b(?: (?!\d+ ?(?:gb|go|tb|to)\b)[a-z0-9]+){0,2}|\b(?:xiaomi|oneplus|realme|oppo|nokia|huawei|nothing phone)(?: [a-z]+)? \(?\d{1,3}[a-z]{0,2}\)?(?! ?(?:gb|go|tb|zoll|inch|pulgadas|pouces|hz|w\b|mp|mah|eur|€|monat|month|mes|mois))(?: (?:pro|ultra|lite|plus|max|t))*|\b(?!\d+(?:gb|tb|go|to|cm|mm|m|hz|w|kw|kg|g|zoll|inch|mp|mah|k|in|x|st|nd|rd|th|er|l|v|h|p|ah|wh|kwh|eur|pulgadas|pouces|gen|a|o|e|d|er|eme|jahre)\b)(?=[a-z-]*\d)[a-z]*\d+[a-z0-9-]*[a-z][a-z0-9-]*\b|\b[a-z]{1,6}-?\d{1,5}[a-z0-9-]*\b/g,
    read: (match) =>
      /^(?:usb|hdmi|mp3|mp4|ip\d\d|4k|[a-d]\d?|grade|bt|wifi|fhd|uhd|hd\d*|in\d*|um|ab|vor|seit|fur|de|en|a)\W?\d*$/.test(
        match[0],
      )
        ? undefined
        : match[0],
  },
  {
    fact: 'storageGb',
    type: 'number',
    kinds: ['electronics'],
    fields: ['storage', 'speicher', 'almacenamiento', 'stockage', 'storagegb'],
    pattern:
      /\b(\d{2,4}) ?(?:gb|go|gig)\b(?! ?(?:of |de )?(?:ram|ddr|\/|arbeitsspeicher|memor|memoire vive))|\/(\d{2,4}) ?gb|\b\d{1,2} ?\/ ?(64|128|256|512)\b(?! ?(?:gb|euros?|€))|\b([1-8]) ?(?:tb|to)\b|\b(?:iphone|ipad|galaxy|pixel)[a-z0-9 ]{1,18} (64|128|256|512)\b/g,
    read: (match) => (match[4] ? String(Number(match[4]) * 1000) : (match[1] ?? match[2] ?? match[3] ?? match[5])),
  },
  {
    fact: 'ramGb',
    type: 'number',
    kinds: ['electronics'],
    fields: ['ram', 'memory', 'arbeitsspeicher', 'ramgb'],
    pattern:
      /\b(\d{1,3}) ?(?:gb|go|gigas?)(?: de| of)? ?(?:ram|memoria ram|memory|memoire vive|ddr\d?|arbeitsspeicher|\/)|\b(\d{1,2}) ?gb(?= ?, ?\d{3} ?gb)/g,
    read: (match) => match[1] ?? match[2],
  },
  {
    fact: 'screenInch',
    type: 'number',
    kinds: ['electronics'],
    fields: ['screensize', 'screen', 'zoll', 'pulgadas', 'pouces'],
    pattern: /\b(?<![.,\d])(\d{1,2}(?:[.,]\d{1,2})?) ?(?:inch|in\b(?! [a-z])|zoll|pulgadas|pouces|"|'')/g,
    read: (match) => String(amountOf(match[1] ?? '')),
  },
  {
    fact: 'batteryHealthPercent',
    type: 'number',
    kinds: ['electronics', 'vehicles'],
    pattern: /batter(?:y|ie|ia)[a-z ]{0,24}(\d{2,3}) ?%/g,
    read: (match) => match[1],
  },
];
