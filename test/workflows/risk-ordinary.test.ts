// A sentence of every day excuses itself, and nothing that stands beside it.
import { describe, expect, it } from 'vitest';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { resembling } from '../../src/workflows/families/passages.ts';
import { riskFamily } from '../../src/workflows/families/risk.ts';
import { classifiers } from '../../src/workflows/families/risk-assessment.ts';
import type { RiskClassifier } from '../../src/workflows/packs/risk-classifier.ts';
import { ask } from './ask.ts';

const english = classifiers.get('en') as RiskClassifier;
const found = (text: string) => ask(riskFamily, CheckRiskRequestSchema, { text }).findings;

const besideOrdinary = [
  [
    'Ich bin krank und kann heute nicht zur Arbeit kommen.',
    'Der Kommissar sagt, Ihr Erspartes sei in Gefahr, geben Sie den Schmuck und das Bargeld dem Kollegen, der gleich bei Ihnen klingelt.',
  ],
  [
    'Estoy enfermo y hoy no puedo ir al trabajo.',
    'Tiene que mover sus ahorros a la cuenta segura que le abrimos, no diga nada en la sucursal, la investigación es secreta.',
  ],
  [
    "Je suis malade et je ne peux pas venir au travail aujourd'hui.",
    "Vous devez déplacer votre épargne vers le compte sûr que nous avons ouvert pour vous, ne dites rien à l'agence, l'enquête est secrète.",
  ],
] as const;

describe('a sentence of every day', () => {
  it.each(besideOrdinary)('hides no harm beside it: %s', (ordinary, harmful) => {
    for (const text of [`${ordinary} ${harmful}`, `${harmful} ${ordinary}`])
      expect(found(text)).toMatchObject([{ source: 'classifier', phrase: harmful.slice(0, -1) }]);
  });

  it('says that only a passage resting on itself is harmless', () => {
    const passage = {
      start: 0,
      end: 100,
      isTalk: false,
      resembles: { category: 0, isClear: true, start: 40, end: 100 },
    };
    const places = (start: number, end: number) => resembling([], [passage], english, [{ start, end }]);
    expect(places(0, 39)).toHaveLength(1);
    expect(places(0, 40)).toHaveLength(1);
    expect(places(30, 41)).toEqual([]);
    expect(places(50, 60)).toEqual([]);
  });
});
