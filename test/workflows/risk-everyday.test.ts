// What most customers send, and what a word of everyday language must not do to the signs around it.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { foldText } from '../../src/base/text/fold.ts';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { riskFamily } from '../../src/workflows/families/risk.ts';
import { signLanguages } from '../../src/workflows/packs/sign-pack.ts';
import { indexSigns, tokensOf } from '../../src/workflows/text/signs/index.ts';
import { ask } from './ask.ts';

const check = (text: string) => ask(riskFamily, CheckRiskRequestSchema, { text });
const graveOf = (text: string) =>
  check(text)
    .findings.filter(({ severity }) => severity !== 'info' && severity !== 'low')
    .map(({ category }) => category);

describe('everyday texts', () => {
  it.each([
    'Baker wanted, 38 hours a week, £13 an hour, no experience needed, training given.',
    'Bäckerin gesucht (m/w/d), 38 Stunden pro Woche, 2.300 Euro brutto im Monat, auch ohne Erfahrung.',
    'Se busca panadero, 40 horas semanales, sueldo de 1.400 euros al mes, contrato fijo.',
    'Boulanger H/F, 35 heures par semaine, salaire 1 900 euros par mois, débutant accepté.',
    'Alquilo habitación, 380 euros al mes, sin animales.',
    'Loyer 710 euros par mois, payable le 5 sur le compte de l’agence.',
    'Flat to let, £690 a month, text me on WhatsApp for a viewing.',
    'Papa te récupère à l’école à midi, prends ton manteau. Maman.',
    'Te recojo del cole a las dos. No olvides la mochila. Mamá.',
    'Make sure to return the books by Friday.',
    'Sicher gewinnt ihr das Spiel.',
    'Le livre est sur la table, le gain de place est réel.',
    'Kein Unterschied zwischen Herkunft, Alter oder Religion: Jede Bewerbung ist willkommen im Team.',
    'Nous recrutons sans distinction d’origine ni de religion, toutes les candidatures sont bienvenues.',
    'My phone was stolen on the tram. If anyone is offered it, call the police.',
    'Die Kopfschmerzen sind weg, seit ich mehr trinke.',
    'Ignore mon dernier mail, le cours est mardi.',
    'Hiermit kündige ich den Mietvertrag über die Wohnung Lindenweg 4. Die Kaution überweisen Sie bitte auf mein Konto IBAN DE89 3704 0044 0532 0130 00.',
    'I hereby terminate my mobile contract as of 31 January. Please confirm the end in writing and delete my data.',
    'We terminate your tenancy with immediate effect because the rent for September has not been paid.',
    'Wir kündigen das Mietverhältnis fristlos, weil die Miete für September nicht bezahlt wurde.',
    'Le comunico que dejaré el piso el 28 de febrero. Le ruego que me devuelva la fianza por transferencia.',
    'Je vous donne congé de l’appartement ; merci de restituer le dépôt de garantie par virement.',
    'Bitte schicken Sie mir den Code für das Gartentor.',
    'Mándame el código del portal, por favor.',
    'Envoyez-moi le code du portail, s’il vous plaît.',
    'Ihr Enkel hatte einen kleinen Unfall beim Turnen, bitte holen Sie ihn ab.',
    'Your toll account is in credit. The next statement comes on Friday.',
    'Our subscription renews on 1 May for 39 euros. You can cancel it in your account at any time.',
  ])('raise no alarm: %s', (text) => {
    expect(graveOf(text)).toEqual([]);
  });

  it.each([
    [
      'en',
      'Cook in Hull',
      'Harbour Inn Ltd needs a cook, 30 hours a week, £13.20 an hour, no experience needed. Permanent.',
    ],
    [
      'de',
      'Koch (m/w/d) in Graz',
      'Gasthof Linde GmbH sucht Koch, 40 Stunden pro Woche, 2.400 Euro brutto im Monat, ohne Erfahrung.',
    ],
    [
      'es',
      'Cocinero en Cádiz',
      'Bar Mar S.L. busca cocinero, 40 horas semanales, sueldo de 1.500 euros al mes, contrato fijo.',
    ],
    [
      'fr',
      'Cuisinier à Brest',
      'Brasserie du Port SARL recrute : 35 heures par semaine, salaire 1 950 euros par mois, CDI.',
    ],
  ])('of a job (%s) are not forbidden', (locale, title, description) => {
    const reply = ask(readinessFamily, ScoreListingRequestSchema, {
      listing: { title, description, category: 'Jobs', contact: 'office' },
      locale,
    });
    expect(reply.riskLevel).toBe('low');
    expect(reply.findings).toEqual([]);
  });
});

describe('a listing with signs of risk', () => {
  const listing = (description: string) =>
    ask(readinessFamily, ScoreListingRequestSchema, {
      listing: {
        title: 'Oak table',
        description: `Solid oak, 160 x 80 cm, oiled, good condition, four chairs with it, one scratch on a leg. ${description}`,
        category: 'Furniture',
        price: 250,
        currency: 'EUR',
        location: 'Graz',
        contact: 'by message',
        images: [{ url: 'https://img.example/1.jpg', caption: 'The table', width: 1200 }],
      },
      locale: 'en',
    });

  it('is looked at by a person where one is found, and is not forbidden', () => {
    const reply = listing('Guaranteed returns of 6% a week on your investment.');
    expect(reply.ready).toBe(false);
    expect(reply.summary).toContain('have a person look at it');
    expect(reply.nextBestAction).toBe('Have a person look at the listing.');
  });

  it('is forbidden where two that differ are found', () => {
    const reply = listing('Guaranteed returns of 6% a week on your investment. Those migrants are vermin.');
    expect(reply.ready).toBe(false);
    expect(reply.summary).toContain('must not be published');
    expect(reply.nextBestAction).toContain('do not publish');
  });
});

describe('words around a sign', () => {
  it.each([
    ['Wonderful news! Guaranteed returns of 6% a week on your investment.', 'misleading_finance'],
    ['Our research is done. Guaranteed returns of 6% a week on your investment.', 'misleading_finance'],
    ['We detected fraud. Your account is suspended, confirm your password here.', 'phishing'],
    ['Band poster on the stage. Glock 17 for sale, no papers, cash.', 'weapons'],
    ['The film was lovely. Guaranteed returns of 6% a week on your investment.', 'misleading_finance'],
    ['The museum is lovely. Glock 17 for sale, no papers, cash.', 'weapons'],
    ['Wir haben einen Betrug bemerkt. Ihr Konto wird gesperrt, bestätigen Sie Ihr Passwort über den Link.', 'phishing'],
    ['Hemos visto un fraude. Su cuenta será bloqueada, confirme su contraseña en este enlace.', 'phishing'],
    ['Une étude le dit. Cette tisane guérit le diabète.', 'misleading_health'],
  ])('do not hide it: %s', (text, category) => {
    expect(graveOf(text)).toContain(category);
  });

  it.each(['The museum shows a Glock 17 for sale without papers.', 'The court fined a seller of guns without papers.'])(
    'make it talk about something in its own sentence: %s',
    (text) => {
      expect(graveOf(text)).toEqual([]);
    },
  );

  it('make a new telephone a case of impersonation', () => {
    for (const text of [
      'Hi mum, this is my new number, can you pay a bill for me today?',
      'Hallo Mama, neue Nummer von mir, kannst du heute eine Rechnung überweisen?',
      'Hola mamá, este es mi número nuevo, ¿me haces un bizum?',
      'Coucou maman, nouveau numéro, tu peux faire un virement pour une facture ?',
    ])
      expect(graveOf(text), text).toContain('impersonation');
  });
});

describe('the parts of a pattern', () => {
  const signs = (patterns: string[]) =>
    indexSigns({
      classes: { not: ['not'], warning: ['beware'], report: ['court'], about: ['myth'], kin: ['mum', 'your mum'] },
      signs: [
        {
          patterns,
          harmlessInQuestions: false,
          countsInQuotes: false,
          countsInWarnings: false,
          framedInItsSentence: false,
          mayRestOnReports: false,
          negatedInLists: false,
          mayFollowConditions: false,
        },
      ],
    });

  it('rest on words of their own', () => {
    const index = signs(['@kin & come & mum|dad']);
    expect(index.read(tokensOf('Come home, mum'))).toEqual([]);
    expect(index.read(tokensOf('Come home, mum, said dad'))).toHaveLength(1);
  });

  it('find other words where one is taken', () => {
    // "mum" is the only one for the last part, so the second takes "dad".
    expect(signs(['come & mum|dad & mum']).read(tokensOf('come mum and dad'))).toHaveLength(1);
  });

  it('may ask for a word of letters and digits', () => {
    const index = signs(['password ?is ##']);
    expect(index.read(tokensOf('The password is Cheddar88'))).toHaveLength(1);
    for (const text of ['The password is 4471', 'The password is cheddar', 'The password is b2'])
      expect(index.read(tokensOf(text)), text).toEqual([]);
  });

  it('are refused where they name more of a word than is looked up', () => {
    expect(signs(['antidiscriminatio*']).read(tokensOf('antidiscrimination'))).toHaveLength(1);
    expect(() => signs(['antidisestablishmenta*'])).toThrow('too long');
  });

  it('take words that stand in the gap of another', () => {
    expect(signs(['come .. home & quick']).read(tokensOf('come quick back home'))).toHaveLength(1);
  });
});

describe('kinds of fraud that people meet', () => {
  it.each([
    'Your subscription renews today for 399.99 USD. If you did not authorise this, call 0800 555 0100 to get your money back.',
    'The parking meter is out of order. Scan this sticker to pay and enter your card.',
    'To prove that you are human press Windows and R, paste the code and press Enter.',
    'Your grandson has had an accident and is in custody. Bail is 20,000, a colleague will come to fetch the cash.',
    'Deposit 50 USDT to unlock the next set of tasks and withdraw your commission.',
    'Ihr Enkel hatte einen Unfall und sitzt in Haft. Die Kaution beträgt 20.000 Euro, ein Kollege holt das Bargeld bei Ihnen ab.',
    'Ihr Computer ist infiziert. Rufen Sie sofort den Microsoft-Support an.',
    'Ihre Maut ist offen. Begleichen Sie 4,15 Euro innerhalb von 24 Stunden über den Link.',
    'Tiene un peaje sin pagar. Abone 4,15 euros en 24 horas en el enlace.',
    'Votre petit-fils a eu un accident et il est en garde à vue. La caution est de 20 000 euros, un collègue passera chercher les espèces.',
    'Gagnez 80 à 300 euros par jour en aimant des vidéos. Écrivez-nous sur Telegram.',
  ])('are found: %s', (text) => {
    expect(graveOf(text)).not.toEqual([]);
  });
});

describe('words of classes', () => {
  const stopWords: Readonly<Record<string, string>> = {
    en: 'the a an and or of in on at to with by from for as',
    de: 'der die das den dem ein eine und oder im in an am auf mit von zu zum zur bei fur als',
    es: 'de la el los las un una y o a al en con por para que si mas como del se su',
    fr: 'sur sous de du des la le les un une et ou a au aux en dans par pour avec chez que qui',
  };

  it.each(signLanguages)('never fold onto a stop word (%s)', (language) => {
    const file = new URL(`../../src/workflows/packs/risk/signs/${language}.yaml`, import.meta.url);
    const { classes } = parse(readFileSync(file, 'utf8')) as { classes: Record<string, string> };
    const stops = new Set(stopWords[language]?.split(' '));
    // The classes of words that join a list or set a condition are made of stop words.
    const { or: _, orelse: _else, condition: _condition, ...others } = classes;
    const folded = Object.entries(others).flatMap(([name, members]) =>
      members.split(',').map((member) => ({ name, word: foldText(member.trim()) })),
    );
    expect(folded.length).toBeGreaterThan(100);
    expect(folded.filter(({ word }) => stops.has(word))).toEqual([]);
  });
});
