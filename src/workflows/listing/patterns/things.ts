import { conditionOf, conditionPattern } from './condition.ts';
import { before, type FactPattern } from './pattern.ts';

const ofFrame =
  /(?:(?<![a-z])rh|rahmen[a-z]*|frame(?: size| height)?|(?:talla|tamano|altura)(?: de(?:l)?)? cuadro|cuadro(?: de)?|(?:taille|hauteur)(?: de| du)? cadre|cadre(?: de)?)[ .:]{0,2}$/;

/** Facts read about services, and about clothing, furniture and other possessions. */
export const thingPatterns: readonly FactPattern[] = [
  {
    fact: 'quoted',
    type: 'boolean',
    kinds: ['services'],
    pattern:
      /\bquotes?\b|estimate|on request|angebot|auf anfrage|kostenvoranschlag|festpreis|presupuesto|sin compromiso|a consultar|devis|sur demande/g,
    read: () => 'true',
  },
  {
    fact: 'condition',
    denied: {},
    kinds: ['electronics', 'furniture', 'fashion', 'generic'],
    fields: ['condition', 'zustand', 'artikelzustand', 'estado', 'etat', 'grade'],
    pattern: conditionPattern,
    read: conditionOf,
  },
  {
    fact: 'dimensions',
    kinds: ['furniture', 'generic'],
    fields: [
      'dimensions',
      'size',
      'masse',
      'medidas',
      'width',
      'height',
      'length',
      'breite',
      'ancho',
      'largeur',
      'widthcm',
      'lengthcm',
      'heightcm',
    ],
    pattern:
      /(?:\b|(?<=\b[bwhtdlp]))\d{2,3}(?:[.,]\d)? ?(?:cm)? ?(?:x|×|by|mal|por|sur|auf) ?(?:[bwhtdlp] ?)?\d{2,3}(?: ?(?:cm)? ?[x×] ?(?:[bwhtdlp] ?)?\d{2,3})?|(?:\b|(?<=\b[bwhtdlp]))\d{2,3}(?:[.,]\d)? ?(?:cm|mm|centimet|zentimeter)|\b\d[.,]\d{1,2} ?(?:m|metros?|metres?|meter)\b|\b\d ?m ?\d{2}\b|\b\d{1,2}(?:[.,]\d)? ?(?:ft|feet)\b(?: ?(?:x|×|by) ?\d{1,2}(?:[.,]\d)? ?(?:ft|feet)?)?|\d"/g,
    // A frame's height says what rider a bicycle fits, not how large it is.
    read: (match, text) => (ofFrame.test(before(text, match, 24)) ? undefined : match[0]),
  },
  {
    fact: 'size',
    kinds: ['fashion'],
    fields: ['size', 'grosse', 'groesse', 'talla', 'taille', 'pointure'],
    pattern:
      /(?<![a-z])(?:size|gr(?:osse|oße|\.)?|talla|t\.?|taille|pointure|uk|eu|us|konfektionsgrosse|schuhgrosse|numero|talle)(?:[ :]{0,2}(\d{1,3}(?: [12]\/3|[.,]5)?(?:[/-]\d{1,3})?)|[ :]{1,2}(x{0,3}[sml]|one size|unica|unique))(?![a-z0-9]| ?%)|(?<![a-z])c(\d\d)(?![a-z0-9])|\b(x{1,3}[sl])\b|\bw\d\d ?\/? ?l\d\d|\b(\d{2,3})\/(\d{2,3}) ?cm|\b\d{1,2} ?- ?\d{1,2} (?:years|jahre|anos|ans|months|monate|meses|mois)/g,
    read: (match) => (match[1] ?? match[2] ?? match[3] ?? match[0]).toUpperCase(),
  },
];
