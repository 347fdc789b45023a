import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { WriteDecisionMemoRequestSchema } from '../../src/gen/intelligence/workflow/v1/decision_pb.ts';
import { WorkflowDefinitionSchema } from '../../src/gen/intelligence/workflow/v1/definition_pb.ts';
import { CheckProfileRequestSchema } from '../../src/gen/intelligence/workflow/v1/guidance_pb.ts';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { ScoreBusinessReadinessRequestSchema } from '../../src/gen/intelligence/workflow/v1/scoring_pb.ts';
import { rulesOf } from '../../src/workflows/custom/index.ts';
import { decisionFamily } from '../../src/workflows/families/decision.ts';
import { guidanceFamily, profilePacks } from '../../src/workflows/families/guidance.ts';
import { listingPacks, readinessFamily } from '../../src/workflows/families/readiness.ts';
import { scorecards, scoringFamily } from '../../src/workflows/families/scoring.ts';
import { packWords, sentenceValues, wordsFor } from '../../src/workflows/words/index.ts';
import { ask } from './ask.ts';

const translations = ['de', 'es', 'fr'] as const;
type Spoken = (typeof translations)[number] | 'en';

describe('message catalogues', () => {
  for (const language of translations) {
    it(`${language}: every check of every listing pack is there, and nothing else`, () => {
      const packs = packWords.listing.get(language) ?? {};
      expect(Object.keys(packs).sort()).toEqual([...listingPacks.keys()].sort());
      const generic = new Set(listingPacks.get('generic')?.checks.map(({ id }) => id));
      for (const [name, { checks }] of listingPacks) {
        const own = checks.map(({ id }) => id).filter((id) => name === 'generic' || !generic.has(id));
        expect(Object.keys(packs[name]?.checks ?? {}).sort(), name).toEqual(own.sort());
      }
      expect(packs.generic?.done).toBeTruthy();
    });

    it(`${language}: every field, choice and check of every form is there, and nothing else`, () => {
      const forms = packWords.profile.get(language) ?? {};
      expect(Object.keys(forms).sort()).toEqual([...profilePacks.keys()].sort());
      for (const [name, { fields, checks }] of profilePacks) {
        const spoken = forms[name];
        expect(Object.keys(spoken?.fields ?? {}).sort(), name).toEqual(fields.map((field) => field.name).sort());
        for (const field of fields)
          expect(Object.keys(spoken?.fields[field.name]?.choices ?? {}), field.name).toEqual(field.choices);
        const ids = checks({ values: {}, filled: [], fields: [] }).map(({ rule }) => rule.id);
        expect(Object.keys(spoken?.checks ?? {}).sort(), name).toEqual(ids.sort());
      }
    });

    it(`${language}: every dimension and indicator of every scorecard is there, and nothing else`, () => {
      const cards = packWords.scorecard.get(language) ?? {};
      expect(Object.keys(cards)).toEqual([...scorecards.keys()]);
      for (const [name, { dimensions }] of scorecards) {
        expect(Object.keys(cards[name]?.dimensions ?? {})).toEqual(dimensions.map((one) => one.name));
        const indicators = dimensions.flatMap((one) => one.indicators.map((indicator) => indicator.name));
        expect(Object.keys(cards[name]?.indicators ?? {}).sort()).toEqual(indicators.sort());
      }
    });

    it(`${language}: every sentence is in words of its own`, () => {
      const [english, other] = [wordsFor('en', ''), wordsFor(language, '')];
      // Words that two languages share.
      const same = new Set(['memo.option', 'fact.condition', 'fact.description']);
      for (const name of Object.keys(sentenceValues) as (keyof typeof sentenceValues)[]) {
        const values = Object.fromEntries(sentenceValues[name].map((value) => [value, `<${value}>`]));
        const [a, b] = [english.tell({ name, values }), other.tell({ name, values })];
        if (!same.has(name)) expect(b, name).not.toBe(a);
        for (const value of Object.values(values)) expect(b.includes(value), `${name}: ${value}`).toBe(true);
      }
    });
  }
});

describe('the reader’s language', () => {
  it('is the locale’s, whatever its region, then the text’s where it is certain, then English', () => {
    const german = 'Ein sehr gut erhaltener Esstisch aus massiver Eiche';
    const heard = (locale: string, text = '') => wordsFor(locale, text).language;
    expect(['de-AT', 'DE_ch', 'deu', 'es-419', 'fr-CA', 'en-GB'].map((tag) => heard(tag))).toEqual([
      'de',
      'de',
      'de',
      'es',
      'fr',
      'en',
    ]);
    expect(heard('fr', german)).toBe('fr');
    expect(heard('', german)).toBe('de');
    expect(heard('pt', german)).toBe('de');
    expect(heard('pt')).toBe('en');
    expect(heard('not a locale!')).toBe('en');
    // Names say little of a language, and these are in none that is spoken here.
    expect(heard('', 'iPhone 12')).toBe('en');
    expect(heard('', 'Um apartamento muito luminoso com duas casas de banho')).toBe('en');
  });

  it('writes numbers and plurals as the locale does, and puts values in once', () => {
    expect(wordsFor('de', '').number(1234.5)).toBe('1.234,5');
    // The region counts; which apostrophe it is depends on the version of ICU.
    expect(wordsFor('de-CH', '').number(1234.5)).toMatch(/^1.234\.5$/);
    expect(wordsFor('fr', '').say('form.needed', { count: 1 })).toBe('Il reste 1 champ obligatoire à remplir.');
    expect(wordsFor('fr', '').say('form.needed', { count: 2 })).toBe('Il reste 2 champs obligatoires à remplir.');
    expect(wordsFor('en', '').say('form.before', { second: '{first}', first: '$&' })).toBe('{first} is before $&.');
  });
});

const ad = {
  de: {
    title: 'VW Golf 1.4 TSI aus erster Hand',
    description: 'Sehr gepflegter Golf mit Benzinmotor, Erstzulassung 2017, Nichtraucherfahrzeug, immer in der Garage.',
  },
  en: {
    title: 'VW Golf 1.4 TSI with one owner',
    description: 'A very well kept Golf with a petrol engine, first registered in 2017, always kept in the garage.',
  },
  es: {
    title: 'VW Golf 1.4 TSI de un solo dueño',
    description:
      'Golf de gasolina muy cuidado, matriculado en 2017, siempre en garaje y con todas las revisiones hechas.',
  },
  fr: {
    title: 'VW Golf 1.4 TSI de première main',
    description: 'Golf essence très bien entretenue, mise en circulation en 2017, toujours au garage, non fumeur.',
  },
} as const;

function judged(language: Spoken, locale = '', more: object = {}) {
  const listing = { ...ad[language], images: [{ url: 'https://img.example/1.jpg' }], location: 'Graz', ...more };
  return ask(readinessFamily, ScoreListingRequestSchema, { listing: { price: 8450, ...listing }, locale });
}

describe('readiness speaks the reader’s language', () => {
  const said = {
    en: [
      'Add the mileage as the odometer shows it.',
      'The mileage is not given.',
      'mileage',
      'The listing is not ready: it scores',
      '1 thing blocks it.',
    ],
    de: [
      'Geben Sie den Kilometerstand laut Tacho an.',
      'Der Kilometerstand fehlt.',
      'Kilometerstand',
      'Das Inserat ist noch nicht bereit: Es erreicht',
      '1 Hindernis steht der Veröffentlichung im Weg.',
    ],
    es: [
      'Añada el kilometraje que marca el cuentakilómetros.',
      'Falta el kilometraje.',
      'kilometraje',
      'El anuncio aún no está listo: obtiene',
      'Hay 1 problema que impide publicarlo.',
    ],
    fr: [
      'Ajoutez le kilométrage affiché au compteur.',
      'Le kilométrage manque.',
      'kilométrage',
      'L’annonce n’est pas encore prête : elle obtient',
      '1 obstacle empêche la publication.',
    ],
  } as const;

  for (const language of ['en', ...translations] as const)
    it(`${language}: of the text, and of the locale whatever the text`, () => {
      const [action, message, fact, notReady, blocked] = said[language];
      for (const reply of [judged(language), judged(language === 'en' ? 'de' : 'en', `${language}-XX`)]) {
        expect(reply.nextBestAction).toBe(action);
        expect(reply.blockers).toEqual([{ check: 'mileage-given', fact, message, action }]);
        expect(reply.missingFacts).toContain(fact);
        expect(reply.summary.startsWith(notReady)).toBe(true);
        expect(reply.summary.endsWith(blocked)).toBe(true);
        expect(reply.basis?.checks.find(({ id }) => id === 'mileage-given')?.message).toBe(message);
      }
    });

  it('says the same of a listing in every language', () => {
    const bare = (language: Spoken) => {
      const { readinessScore, ready, riskLevel, kind, basis } = judged('en', language);
      return { readinessScore, ready, riskLevel, kind, checks: basis?.checks.map(({ id, outcome }) => [id, outcome]) };
    };
    for (const language of translations) expect(bare(language)).toEqual(bare('en'));
  });

  it('tells contradictions, impossible values and findings in it', () => {
    const reply = judged('de', '', {
      description: `${ad.de.description} Kilometerstand 61.400 km. Nur Barzahlung vorab, Mail an golf@posteo.de.`,
      attributes: { mileage: 90000, year: 2035 },
    });
    const messages = reply.blockers.map(({ message }) => message);
    expect(messages).toContain('Das Jahr 2035 liegt in der Zukunft.');
    expect(messages).toContain('Es gibt zwei verschiedene Angaben: 90000 und „61.400 km“.');
    expect(reply.findings.map(({ reason }) => reason)).toContain(
      'Es zeigt, verkauft oder verlangt Daten einer Person, ohne dass es nötig ist.',
    );
  });

  it('leaves a caller’s own words as they are, and speaks for a check that has none', () => {
    const checks = [
      { id: 'own', fact: 'serial', pass: 'false', message: 'No serial number.', action: 'Add it.' },
      { id: 'bare', fact: 'Farbe', pass: 'false' },
      { id: 'broken', fact: 'Farbe', pass: 'number(attributes, "colour") > 1.0' },
    ];
    const { basis } = ask(readinessFamily, ScoreListingRequestSchema, { listing: ad.de, checks });
    const messageOf = (id: string) => basis?.checks.find((one) => one.id === id)?.message;
    expect(messageOf('own')).toBe('No serial number.');
    expect(messageOf('bare')).toBe('Die Prüfung bare ist nicht bestanden.');
    expect(messageOf('broken')).toMatch(/^Die Prüfung „Farbe“ war nicht möglich: Eine nötige Angabe fehlt/);
  });
});

describe('guidance speaks the reader’s language', () => {
  const values = { givenName: 'Ana', familyName: 'Kovac', email: 'ana@kovac', dateOfBirth: '2099-01-01' };
  const said = {
    en: [
      'E-mail address',
      'E-mail address is not an e-mail address.',
      'Date of birth lies in the future.',
      '2 values have to be corrected.',
    ],
    de: [
      'E-Mail-Adresse',
      'Das Feld „E-Mail-Adresse“ enthält keine gültige E-Mail-Adresse.',
      'Das Datum im Feld „Geburtsdatum“ liegt in der Zukunft.',
      '2 Angaben sind zu berichtigen.',
    ],
    es: [
      'Correo electrónico',
      'El campo «Correo electrónico» no contiene una dirección de correo electrónico válida.',
      'La fecha del campo «Fecha de nacimiento» es futura.',
      'Hay que corregir 2 datos.',
    ],
    fr: [
      'Adresse e-mail',
      'Le champ « Adresse e-mail » ne contient pas d’adresse e-mail valide.',
      'La date du champ « Date de naissance » est dans le futur.',
      'Il reste 2 informations à corriger.',
    ],
  } as const;

  for (const language of ['en', ...translations] as const)
    it(`${language}: labels, messages, suggestions and the summary of a shipped form`, () => {
      const [label, email, birth, needed] = said[language];
      const reply = ask(guidanceFamily, CheckProfileRequestSchema, { template: 'person', values, locale: language });
      const field = (name: string) => reply.fields.find((one) => one.field === name);
      expect(field('email')).toMatchObject({ label, message: email });
      expect(field('dateOfBirth')?.message).toBe(birth);
      expect(reply.summary.endsWith(needed)).toBe(true);
      expect(reply.missingFacts).toContain(label);
      expect(reply.nextBestAction).toBe(field('email')?.suggestion);
    });

  it('names choices with the value that is to be sent', () => {
    const reply = ask(guidanceFamily, CheckProfileRequestSchema, { template: 'seller', locale: 'de-AT' });
    expect(reply.fields.find(({ field }) => field === 'sellerType')?.suggestion).toBe(
      'Füllen Sie das Feld „Art des Verkäufers“ aus. Gewerbliche Verkäufer haben mehr Pflichten gegenüber Käufern. Wählen Sie aus: privat (private), gewerblich (business).',
    );
  });

  it('is the language of a form of the caller’s own, without a locale', () => {
    const form = {
      name: 'rechnung',
      fields: [
        {
          name: 'issueDate',
          label: 'Rechnungsdatum',
          kind: 'date',
          required: true,
          help: 'Der Tag, an dem die Rechnung gestellt wurde.',
        },
        {
          name: 'dueDate',
          label: 'Fällig am',
          kind: 'date',
          required: true,
          help: 'Der Tag, bis zu dem bezahlt werden muss.',
        },
      ],
    };
    const reply = ask(guidanceFamily, CheckProfileRequestSchema, {
      form,
      values: { issueDate: '2026-05-17', dueDate: '2026-04-17' },
    });
    expect(reply.summary).toBe('Das Formular ist noch nicht fertig: „Fällig am“ liegt vor „Rechnungsdatum“.');
    expect(reply.nextBestAction).toBe(
      'Berichtigen Sie eine der beiden Angaben: „Fällig am“ liegt vor „Rechnungsdatum“.',
    );
  });
});

describe('scoring speaks the reader’s language', () => {
  const best = { booksUpToDate: 'weekly', marketEvidence: 'contracts', continuityPlan: 'tested', backups: 'daily' };
  const numbers = { cashRunwayMonths: 18, customerCount: 500, retentionPercent: 140, keyRolesFilledPercent: 100 };
  const known = { metrics: { ...numbers, grossMarginPercent: 62.5 }, answers: { ...best, registered: 'no' } };
  const rest = { largestCustomerPercent: 10, onTimeDeliveryPercent: 99, debtToEquity: 0.5, openDisputes: 0 };
  const said = {
    en: [
      'There is not enough data for a rating: ',
      'Register the business.',
      'Finance',
      'Customers who stay for a year in percent cannot be above 100.',
    ],
    de: [
      'Für eine Bewertung reichen die Daten nicht: ',
      'Lassen Sie das Unternehmen eintragen.',
      'Finanzen',
      '„Kunden nach einem Jahr noch da in Prozent“ kann nicht größer als 100 sein.',
    ],
    es: [
      'No hay datos suficientes para una calificación: ',
      'Registre la empresa.',
      'Finanzas',
      '«Clientes que siguen tras un año en porcentaje» no puede ser mayor que 100.',
    ],
    fr: [
      'Les données ne suffisent pas pour une note : ',
      'Faites immatriculer l’entreprise.',
      'Finances',
      '« Clients encore là après un an en pourcentage » ne peut pas être supérieur à 100.',
    ],
  } as const;

  for (const language of ['en', ...translations] as const)
    it(`${language}: summary, action, labels, caps and impossible values`, () => {
      const [notEnough, action, finance, impossible] = said[language];
      const reply = ask(scoringFamily, ScoreBusinessReadinessRequestSchema, { ...known, locale: language });
      expect(reply.summary.startsWith(notEnough)).toBe(true);
      expect(reply.nextBestAction).toBe(action);
      expect(reply.dimensions[0]?.label).toBe(finance);
      expect(reply.impossibleValues.map(({ message }) => message)).toEqual([impossible]);
    });

  it('words drivers and numbers as a German reader does', () => {
    const reply = ask(scoringFamily, ScoreBusinessReadinessRequestSchema, {
      metrics: { ...known.metrics, ...rest },
      answers: {
        ...known.answers,
        taxesPaid: 'yes',
        licencesHeld: 'all',
        founderDependence: 'low',
        goalsReviewed: 'monthly',
      },
      locale: 'de-DE',
    });
    expect(reply.caps.map(({ message }) => message)).toEqual([
      'Eine bessere Bewertung als D ist nicht möglich, solange dies nicht erfüllt ist: Eintragung des Unternehmens.',
    ]);
    const messages = reply.dimensions.flatMap(({ drivers }) => drivers.map(({ message }) => message));
    expect(messages).toContain(
      '„Reichweite der liquiden Mittel in Monaten“ erreicht 100 Punkte und hebt das Gesamtergebnis.',
    );
    expect(messages).toContain('„Eintragung des Unternehmens“ erreicht 0 Punkte und senkt das Gesamtergebnis.');
    expect(reply.summary).toMatch(
      /^Das Ergebnis: \d+(,\d)? von 100 Punkten, Bewertung D\. Nach Punkten allein wäre es [A-C]\. \d+ Kennzahlen sind nicht bekannt\.$/,
    );
  });

  it('hears the language of a scorecard of the caller’s own, and keeps its labels', () => {
    const indicator = (name: string, label: string) => ({
      name,
      label,
      curve: [
        { value: 0, score: 0 },
        { value: 10, score: 100 },
      ],
    });
    const reply = ask(scoringFamily, ScoreBusinessReadinessRequestSchema, {
      customScorecard: {
        name: 'proveedor',
        dimensions: [
          {
            name: 'servicio',
            label: 'Calidad del servicio',
            indicators: [indicator('plazo', 'Cumplimiento de los plazos de entrega')],
          },
        ],
      },
      metrics: { plazo: 4 },
    });
    expect(reply.summary).toBe('El resultado es de 40 puntos de 100, calificación D. Se conoce todo lo que cuenta.');
    expect(reply.nextBestAction).toBe('Mejore este punto: Cumplimiento de los plazos de entrega.');
  });
});

describe('a decision memo speaks the reader’s language', () => {
  const memo = (more: object) =>
    ask(decisionFamily, WriteDecisionMemoRequestSchema, {
      question: 'Which supplier?',
      options: [
        { name: 'Nord', attributes: { price: 12000, quality: 80, mail: 'x' } },
        { name: 'Sud', attributes: { price: 15500, quality: 90.5, mail: 'x' } },
        { name: 'West', attributes: { price: 11000, quality: 10 } },
      ],
      criteria: [
        { name: 'price', weight: 3, direction: 'lower', scale: 'ratio' },
        { name: 'quality', scale: 'points' },
      ],
      constraints: [{ attribute: 'mail', operator: 'present' }],
      deadline: '2026-12-01',
      ...more,
    });
  const said = {
    en: [
      'Nord leads with 95 of 100 among 2 options.',
      'Choose Nord by 2026-12-01.',
      '## Recommendation',
      '| | Weight | | 75 % | 25 % |',
      '12,000 → 100',
      '- West: mail is present. Mail is not known.',
    ],
    de: [
      'Nord liegt mit 95 von 100 Punkten vorn; zur Wahl stehen 2 Optionen.',
      'Entscheiden Sie sich für Nord; Termin: 2026-12-01.',
      '## Empfehlung',
      '| | Gewicht | | 75 % | 25 % |',
      '12.000 → 100',
      '- West: mail ist vorhanden. „mail“ ist nicht bekannt.',
    ],
    es: [
      'Nord va en cabeza con 95 puntos de 100, de 2 opciones.',
      'Decídase por Nord; fecha límite: 2026-12-01.',
      '## Recomendación',
      '| | Peso | | 75 % | 25 % |',
      '12.000 → 100',
      '- West: mail está presente. No se conoce «mail».',
    ],
    fr: [
      'Nord arrive en tête avec 95 points sur 100, parmi 2 options.',
      'Choisissez Nord ; date limite : 2026-12-01.',
      '## Recommandation',
      '| | Poids | | 75 % | 25 % |',
      '12 000 → 100',
      '- West: mail est présent. « mail » n’est pas connu.',
    ],
  } as const;

  for (const language of ['en', ...translations] as const)
    it(`${language}: summary, action and the memo’s headings, weights and reasons`, () => {
      const [summary, action, ...lines] = said[language];
      const reply = memo({ locale: language });
      expect(reply).toMatchObject({ summary, nextBestAction: action });
      for (const line of lines) expect(reply.markdown.replace(/\p{Zs}/gu, ' ')).toContain(line);
      expect(reply.recommendation?.option).toBe('Nord');
    });

  it('hears the language of the question, and says in it what is not known', () => {
    const reply = memo({
      question: 'Welchen Lieferanten sollen wir für die nächsten zwei Jahre beauftragen?',
      options: [
        { name: 'Nord', attributes: { price: 12000 } },
        { name: 'Süd', attributes: { quality: 'angenehm' } },
      ],
      constraints: [],
    });
    expect(reply.summary).toBe('Über die Optionen ist zu wenig bekannt, um eine zu empfehlen.');
    expect(reply.nextBestAction).toBe('Ermitteln Sie diesen Wert: price bei Süd.');
    expect(reply.assumptions).toContainEqual(
      expect.stringContaining('beim Kriterium „quality“ ist keine Zahl und gilt als nicht bekannt.'),
    );
    expect(reply.risks).toContain('3 Werte sind nicht bekannt und zählen als 0.');
    expect(reply.basis?.checks.map(({ message }) => message)).toEqual([
      '„price“ ist nicht bekannt bei: Süd.',
      '„quality“ ist nicht bekannt bei: Nord, Süd.',
    ]);
  });
});

describe('a client’s own workflow speaks as its definition does', () => {
  it('in what a check does not say itself', () => {
    const definition = create(WorkflowDefinitionSchema, {
      displayName: 'Prüfung von Kreditanträgen',
      checks: [
        { id: 'income', fact: 'Einkommen', pass: 'false' },
        {
          id: 'rate',
          fact: 'Rate',
          pass: 'false',
          message: 'Die Rate ist zu hoch.',
          action: 'Wählen Sie eine kleinere Rate.',
        },
      ],
    });
    const { checks } = rulesOf(definition, undefined);
    expect(checks.map(({ message, action }) => [message, action])).toEqual([
      ['Die Prüfung income ist nicht bestanden.', 'Bringen Sie dies in Ordnung: Einkommen.'],
      ['Die Rate ist zu hoch.', 'Wählen Sie eine kleinere Rate.'],
    ]);
  });
});
