// Harm that persons do to persons, and the everyday texts that only share a word with it.
import { describe, expect, it } from 'vitest';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { riskFamily } from '../../src/workflows/families/risk.ts';
import { riskMessages } from '../../src/workflows/families/risk-assessment.ts';
import { withModelFindings } from '../../src/workflows/families/risk-evidence.ts';
import type { MessageLanguage } from '../../src/workflows/packs/risk-messages.ts';
import { ask } from './ask.ts';

const check = (text: string) => ask(riskFamily, CheckRiskRequestSchema, { text });
const found = (text: string) =>
  check(text)
    .findings.filter(({ severity }) => severity !== 'info' && severity !== 'low')
    .map(({ category }) => category);

describe('no alarm', () => {
  it.each([
    // Poles hold up tents, and colours are no people.
    'Coleman tent, all poles and pegs are there.',
    'All poles included with the gazebo.',
    'Trekking poles, gas cooker and mat.',
    'Gas cooker, black, works well.',
    'Zwei schwarze Ratten mit Käfig abzugeben.',
    'Cubos de basura negros, 50 litros.',
    'Deux rats noirs avec cage.',
    // Calling in sick, and lawful demands.
    'No me siento bien hoy, creo que tengo fiebre y no iré a trabajar.',
    'Ich bin heute krank und komme nicht zur Arbeit.',
    'If payment is not received within 7 days we will start court proceedings.',
    'Si no nos paga antes del día 30 iniciaremos acciones legales',
    'The fees are not high and we help you.',
    // An account to be refunded to is no password.
    "Envoyez-moi votre RIB pour le remboursement, s'il vous plaît.",
    "Merci de m'envoyer ton RIB, je te rembourse le cinéma.",
    'Grass seed 5 kg and weed killer.',
    // Those who win, infect or annoy do not beat.
    'My husband beats me at chess every time.',
    'Mein Bruder schlägt mich immer beim Schach.',
    'Meine Frau schlägt mich als Kandidatin vor.',
    'Mi novio me pega la gripe cada invierno.',
    'Mon mari me tape sur les nerfs.',
    'Wir bringen dich um acht zum Bahnhof.',
    "I'll kill you at chess tonight.",
    'Te voy a matar de risa con este vídeo.',
  ])('is raised by: %s', (text) => {
    expect(found(text)).toEqual([]);
  });
});

describe('threats to kill or to burn', () => {
  it.each([
    'I will kill you and your family.',
    "I'm going to burn your house down.",
    'We are going to kill you.',
    'Ich bringe dich um.',
    'Wir werden dich abstechen.',
    'Ich zünde dein Haus an.',
    'Te voy a matar.',
    'Te mato, puta.',
    'Quemaré tu casa si no pagas.',
    'Je vais te tuer.',
    'Si tu parles, je mets le feu chez toi.',
    'Retire ta plainte ou je fous le feu à ta maison avec ta famille dedans.',
  ])('are critical: %s', (text) => {
    const { riskLevel, findings } = check(text);
    expect(riskLevel).toBe('critical');
    expect(findings).toContainEqual(expect.objectContaining({ category: 'threat', severity: 'critical' }));
  });

  it.each(['I will kill you 😂 you ate my pizza', 'Te voy a matar jaja, te comiste mi tarta.'])(
    'are not meant in: %s',
    (text) => {
      expect(check(text).riskLevel).not.toBe('critical');
    },
  );
});

describe('threats', () => {
  it.each([
    'Publicaré tus fotos íntimas si no me pagas 500 euros',
    'Envíame fotos desnuda o le mando las que tengo a tu familia',
    'Paie 500 € ou je publie tes photos nues',
    'Zahl 500 Euro oder ich veröffentliche deine Nacktfotos',
    'Pay me 500 or I publish your nudes',
    'Sé a qué colegio va tu hija.',
    'I know which school your daughter goes to.',
    'Ich weiß, auf welche Schule deine Tochter geht.',
    'Je sais dans quelle école va ta fille.',
    'Te vas a arrepentir, sé dónde vives.',
  ])('are told apart from what they threaten with: %s', (text) => {
    const { riskLevel, findings, nextBestAction, assessment } = check(text);
    const language = assessment?.languages[0] as MessageLanguage;
    expect(riskLevel).toBe('high');
    expect(new Set(findings.map(({ category }) => category))).toEqual(new Set(['threat']));
    expect(nextBestAction).toBe(riskMessages.get(language)?.categories.threat.action);
  });

  it.each([
    'No me obligues a ir a tu casa.',
    'Zwing mich nicht, zu dir nach Hause zu kommen.',
    "Ne m'oblige pas à venir chez toi.",
    "Don't make me come to your house.",
  ])('hide in a plea: %s', (text) => {
    expect(found(text)).toEqual(['threat']);
  });

  it('are found beside an insult in the same words', () => {
    expect(found('Ich bring dich um, du Schlampe.')).toEqual(['threat', 'harassment']);
    expect(found('Te voy a matar, zorra.')).toEqual(['threat', 'harassment']);
  });
});

describe('insults to a person for their origin', () => {
  it.each([
    'Hau ab du dreckiger Kanake.',
    'Dreckiger Jude.',
    'Sale arabe, rentre chez toi.',
    'Sucio moro, vete a tu país.',
    'Dirty Arab, go home.',
  ])('are hate: %s', (text) => {
    expect(found(text)).toContain('hate');
    expect(check(text).riskLevel).toBe('high');
  });
});

describe('those who suffer violence', () => {
  it.each([
    ['en', 'My boyfriend beats me'],
    ['en', 'I am afraid of my ex.'],
    ['en', 'My dad beats me with a belt.'],
    ['de', 'Mein Ex bedroht mich jeden Tag.'],
    ['es', 'Mi novio me ha pegado.'],
    ['fr', 'Mon ex me menace de mort.'],
    ['de', 'Mein Mann schlägt mich und ich habe Angst.'],
    ['es', 'Mi marido me pega'],
    ['fr', 'Mon mari me frappe'],
  ] as const)('are helped first (%s): %s', (language, text) => {
    const reply = check(text);
    const help = riskMessages.get(language)?.victim;
    expect(reply.nextBestAction).toBe(help?.action);
    // Death threats that somebody tells of are graver than blows.
    const severity = expect.stringMatching(/^(medium|high)$/);
    expect(reply.findings).toMatchObject([{ category: 'threat', severity, reason: help?.reason }]);
    const worse = { ...reply.findings[0], category: 'harassment', severity: 'critical', source: 'model' };
    const assisted = withModelFindings(reply, [worse as (typeof reply.findings)[number]], language);
    expect(assisted.nextBestAction).toBe(help?.action);
  });
});

describe('help', () => {
  const worse = (reply: ReturnType<typeof check>) => {
    const first = reply.findings[0] as (typeof reply.findings)[number];
    return { ...first, category: 'threat', severity: 'critical', source: 'model' };
  };

  it.each([
    ['en', 'self_harm', 'I want to end my life tonight.'],
    ['de', 'self_harm', 'Ich will heute Nacht sterben und mir das Leben nehmen.'],
    ['es', 'self_harm', 'Quiero quitarme la vida esta noche.'],
    ['fr', 'self_harm', 'Je veux mettre fin à mes jours ce soir.'],
    ['en', 'victim', 'My boyfriend beats me'],
    ['de', 'victim', 'Mein Ex bedroht mich jeden Tag.'],
    ['es', 'victim', 'Mi novio me ha pegado.'],
    ['fr', 'victim', 'Mon mari me frappe'],
  ] as const)('comes first whatever a model adds (%s, %s): %s', (language, need, text) => {
    const reply = check(text);
    const { victim, categories } = riskMessages.get(language) ?? {};
    const help = need === 'victim' ? victim?.action : categories?.[need].action;
    expect(reply.nextBestAction).toBe(help);
    const assisted = withModelFindings(reply, [worse(reply)], language);
    expect(assisted).toMatchObject({ riskLevel: 'critical', nextBestAction: help });
    // Not even if the reply's wording has been bettered since.
    const reworded = { ...reply, nextBestAction: 'Help first. Then decide.' };
    expect(withModelFindings(reworded, [worse(reply)], language).nextBestAction).toBe(help);
  });

  it.each([
    ['My boyfriend beats me.', 'victim'],
    ['I want to end my life tonight.', 'self_harm'],
  ] as const)('is not lost behind all that a caller has of their own: %s', (text, need) => {
    const own = Array.from({ length: 120 }, (_, index) => `zeugma${index}`);
    const reply = ask(riskFamily, CheckRiskRequestSchema, {
      text: `${own.join(' ')} ${own.join(' ')}. ${text}`,
      phrases: own.map((phrase) => ({ phrase, category: 'brand' })),
      locale: 'en',
    });
    const { victim, categories } = riskMessages.get('en') ?? {};
    expect(reply.basis?.checks).toHaveLength(100);
    const assisted = withModelFindings(reply, [worse(reply)], 'en');
    expect(assisted.nextBestAction).toBe(need === 'victim' ? victim?.action : categories?.[need].action);
  });

  it('is not taken for needed because a required fact is called so', () => {
    const reply = ask(riskFamily, CheckRiskRequestSchema, {
      text: 'The bicycle is blue.',
      requiredFacts: [{ name: 'self_harm' }],
      locale: 'en',
    });
    const found = { ...worse(check('My boyfriend beats me')), category: 'phishing' };
    const assisted = withModelFindings(reply, [found], 'en');
    expect(assisted.nextBestAction).toBe(riskMessages.get('en')?.categories.phishing.action);
  });
});

describe('accounts of others', () => {
  it.each([
    'Lend us your bank account',
    'Prêtez-nous votre compte',
    'Kaufe deine Bank-Zugangsdaten',
    'Leih mir dein Konto',
    'Alquilamos tu cuenta bancaria, 200 € al mes.',
    'Recibe transferencias en tu cuenta y quédate el 10 por ciento.',
    'Recevez des virements sur votre compte et gardez 10 %.',
  ])('are asked for: %s', (text) => {
    expect(found(text)).toEqual(['phishing']);
  });
});

it('finds what a German advertisement wants of sex and age', () => {
  const text = 'Wir suchen eine Sekretärin, gerne weiblich, deutsche Muttersprache, unter 40.';
  expect(check(text)).toMatchObject({ riskLevel: 'high', findings: [{ category: 'discrimination_hiring' }] });
});
