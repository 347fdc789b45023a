// Threats under a condition, victims who need help, and the everyday texts that only share words with them.
import { describe, expect, it } from 'vitest';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { inspectDraft } from '../../src/workflows/families/draft.ts';
import { riskFamily } from '../../src/workflows/families/risk.ts';
import { ask } from './ask.ts';

const check = (text: string, locale = '') => ask(riskFamily, CheckRiskRequestSchema, { text, locale });
const inDraft = (locale: string, body: string) => inspectDraft(body, { facts: [], mustAvoid: [], domain: '', locale });

describe('threats under a condition', () => {
  it.each([
    ['en', 'If you do not pay I will kill you'],
    ['en', "Don't call the police or I will kill you."],
    ['de', 'Wenn Sie nicht zahlen, bringe ich Sie um'],
    ['de', 'Wenn du nicht zahlst bringe ich dich um.'],
    ['de', 'Sonst bringe ich Sie um'],
    ['de', 'Sonst erschieße ich Sie.'],
    ['de', 'Wenn Sie nicht zahlen, steche ich Sie ab.'],
    ['de', 'Wenn Sie nicht zahlen, werde ich Sie umbringen.'],
    ['es', 'Si no paga le mato'],
    ['es', 'Si no paga le mataré'],
    ['es', 'Pague o le mato'],
    ['es', 'Si no pagas te mato.'],
    ['fr', 'Si vous ne payez pas je vous tue'],
  ])('are critical in a text and in a draft: %s %s', (locale, text) => {
    expect(check(text, locale).riskLevel).toBe('critical');
    expect(inDraft(locale, text).riskLevel).toBe('critical');
  });

  it('to break bones are grave in French', () => {
    expect(check('Payez ou je vous casse les jambes').riskLevel).toBe('high');
    expect(inDraft('fr', 'Payez ou je vous casse les jambes.').riskLevel).toBe('critical');
  });

  it.each([
    'If you do not water it, the sun will kill it.',
    'If you do not like it, we will refund you.',
    'I will not kill you if you do not come.',
    'Wenn Sie nicht fahren, bringe ich Sie um 8 Uhr zum Bahnhof.',
    'Wenn du nicht kannst, bringe ich dich um die Ecke nach Hause.',
    'Ich bringe Sie um den Block.',
    'Ich werde dich nicht umbringen.',
    'Sonst töte ich dich im Schachspiel.',
    'Si no llueve, le mato las hormigas del jardín.',
    'Con este juego le mato el aburrimiento.',
    'No te mato por dinero, tranquilo.',
    'Si vous ne venez pas je vous casse les prix.',
    "Il s'est cassé la jambe au ski.",
    'Je te tue aux échecs.',
  ])('are not: %s', (text) => {
    expect(check(text).riskLevel).toBe('low');
  });
});
