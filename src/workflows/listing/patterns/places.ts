import { placeAtStart } from '../names.ts';
import type { FactPattern } from './pattern.ts';

const possible =
  '(?: (?:only|is|it|them|possible|available|welcome|preferred|in person|nur|bitte|gerne?|jederzeit|moglich|ist|solo|unicamente|en mano|en persona|personal|personalmente|sin compromiso|uniquement|seulement|sur place|gratuite?))*';

/** Words after which a place is named, by language. "Collection" is also of stamps: what is said before it tells. */
const cues = [
  `(?<=(?:^|[.,;:!?()\\n/|+-] ?|\\b(?:for|on|local|free|cash|buyer|own|only|self|easy|or|and|by|is|welcome|no|please|arrange|available|prefer|preferred|possible|personal) ))collections?${possible} (?:from|in|at|near) `,
  `(?:(?:to )?collect(?:ed|able)?|pick(?:ed)?[ -]?up|viewings?)${possible} (?:from|in|at|near) `,
  '(?:can|may|could) be (?:seen|viewed|inspected|tried|tested)(?: any time| anytime)? (?:in|at|near) ',
  '(?:available|ready) (?:to (?:view|see)|for (?:viewing|inspection)) (?:in|at|near) ',
  '(?:based|located|situated|moored|berthed|stabled)(?: (?:just outside|outside|near|close to)| (?:in|at)(?: or near)?) ',
  '(?:for sale|to let|to rent|for rent) in ',
  '(?:location|place of work|workplace|town|city)(?: ?[:=] ?| is )(?:in |near )?',
  `(?:selbst)?abhol(?:ung|er|bar|bereit)${possible} (?:in|nahe|im raum) |abzuholen in `,
  `(?:besichtigung(?:en|stermine?)?|probefahrt(?:en)?)${possible} in `,
  'zu (?:besichtigen|sehen|verkaufen|vermieten) in ',
  'kann(?: (?:jederzeit|gerne?|auch))* in (?=[^.,;\\n]{3,40}? (?:abgeholt|besichtigt|angesehen|angeschaut|probegefahren) )',
  '(?:[a-z]{0,12}standort|(?:arbeits|dienst|einsatz|abhol|besichtigungs)ort|liegeplatz)(?: (?:des|der) [a-z]{3,14})?(?: ?[:=-] ?| ist | in | )(?:in )?|ort ?: ?',
  '(?:stehe?n?t?|befinde[nt] sich|liege?n?t?|gelegen|ansassig)(?: (?:derzeit|aktuell|zurzeit|momentan|jetzt))? in |mit sitz in |im (?:gross)?raum ',
  `(?:recogida|recoger(?:lo|la|se)?|se recogen?|se entregan?|entrega)${possible} en `,
  `pueden? (?:ver|visitar|probar)(?:se|lo|la)?${possible} en |(?:para ver(?:lo|la)?|visitas?|visible) en `,
  '(?:(?:ubicad|situad|localizad|amarrad|atracad|domiciliad)[oa]s?|con sede|se (?:vende|alquila)|en (?:venta|alquiler)) en ',
  '(?:ubicacion|localidad|poblacion|ciudad|lugar de (?:recogida|trabajo|entrega)|centro de trabajo) ?: ?(?:en )?',
  `(?:visibles?|a (?:voir|retirer|recuperer|enlever|venir chercher)|retrait|enlevement|remise en mains? propres?|visites?)${possible} (?:a|au|aux|sur|en|pres de) `,
  '(?:situee?s?|localisee?s?|implantee?s?|amarree?s?) (?:a|au|aux|sur|pres de) |basee?s? (?:a|au|aux|sur) |a (?:vendre|louer) (?:a|au|aux|sur) ',
  '(?:lieu|lieu de (?:travail|retrait)|localisation|ville|secteur) ?: ?(?:a )?',
];

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
    read: (match) => match[1],
  },
];
