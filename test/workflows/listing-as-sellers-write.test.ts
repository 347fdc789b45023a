// Listings as sellers, employers and trades write them: in few words, with times, models and sums beside each other.
import { describe, expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { readFacts } from '../../src/workflows/listing/facts.ts';
import type { Kind } from '../../src/workflows/listing/patterns/pattern.ts';
import { detect } from '../../src/workflows/text/detect.ts';
import { ask } from './ask.ts';

const factOf = (kind: Kind, name: string, title: string, description = '') =>
  readFacts(`${title}\n${description}`, {}, kind).facts.find((fact) => fact.name === name)?.value;

const judged = (listing: Record<string, unknown>) =>
  ask(readinessFamily, ScoreListingRequestSchema, { listing: { currency: 'EUR', ...listing }, assist: 'off' });
const blockersOf = (listing: Record<string, unknown>) => judged(listing).blockers.map(({ check }) => check);

describe('hours of a job', () => {
  it.each([
    ['Roulement 7h/19h, CDI.', undefined],
    ['Horaires 3h-10h, repos le lundi.', undefined],
    ['20 h semanales. Llamar de 17 a 19 h.', '20'],
    ['Servicio de 9 a 17 h.', undefined],
    ['Llamar hasta las 20 h.', undefined],
    ['Bewerbung telefonisch um 9 h, Vollzeit mit 38 h.', '38'],
    ['From 9 to 17 h, then a break.', undefined],
    ['De 20 a 24 h semanales.', '24'],
    ['40 hours over 5 days.', '40'],
    ['Three 10-hour waking nights a week.', undefined],
    ['Mo–Fr abends ab 18 h, ca. 10 Std./Woche.', '10'],
  ])('are no times of the day: %s', (text, hours) => {
    expect(factOf('jobs', 'hoursPerWeek', 'Job', text)).toBe(hours);
  });
});

describe('who hires', () => {
  it.each([
    ['Chef de Partie – The Old Mill Inn in Ludlow', '', 'The Old Mill Inn'],
    ['Night porter, Grand Hotel Whitby', '', 'Grand Hotel Whitby'],
    ['Koch (m/w/d) bei Gasthof Adler', '', 'Gasthof Adler'],
    ['Vendeur chez Boulangerie Petit', '', 'Boulangerie Petit'],
    ['Camarero', 'Bar La Parra (Almería centro) busca camarero.', 'Bar La Parra'],
    ['Infirmier', "L'EHPAD Les Tilleuls à Bergerac (82 lits) recrute un IDE.", 'EHPAD Les Tilleuls'],
    ['Apprenti', 'Boulangerie Marchand, Cahors, cherche apprenti pour septembre.', 'Boulangerie Marchand'],
    ['Night care', 'Rowan Lodge Care Home, Hexham. Three nights a week.', 'Rowan Lodge Care Home'],
    [
      'Reinigungskraft',
      'Für unsere Zahnarztpraxis Dr. Köhler in Passau suchen wir Hilfe.',
      'Zahnarztpraxis Dr. Köhler',
    ],
  ])('is named by %s %s', (title, text, employer) => {
    expect(factOf('jobs', 'employer', title, text)).toBe(employer);
  });

  it.each(['Chef - Full Time', 'Cleaner, School Hours', 'Night porter at Weekends', 'Koch im Hotel'])(
    'is not named by the title %s',
    (title) => {
      expect(factOf('jobs', 'employer', title)).toBeUndefined();
    },
  );
});

describe('what applicants must not be chosen by', () => {
  it.each([
    'Bäckerei Lohmann sucht Verkäufer bis max. 35 Jahre. 25 Std/Woche.',
    'Bäckerei Lohmann sucht Verkäufer, höchstens 40 Jahre alt. 25 Std/Woche.',
    'Bäckerei Lohmann sucht Verkäufer in Teilzeit. Keine Kopftücher.',
    'Harwood Ltd is hiring a clerk, full-time, no older than 45 years.',
    'Talleres García busca mecánico, jornada completa, no mayor de 40 años.',
    'La société Marchand recrute un commis à temps plein, pas plus de 35 ans.',
  ])('%s', (description) => {
    expect(blockersOf({ title: 'Stelle', description, category: 'Jobs', location: 'Celle' })).toContain('fair-hiring');
  });

  it.each([
    'Bäckerei Lohmann sucht Verkäufer in Vollzeit, seit 35 Jahren am Ort, bis zu 30 Tage Urlaub.',
    'Harwood Ltd is hiring a clerk, full-time. Founded 45 years ago, no older than its neighbours.',
    'Talleres García busca mecánico, jornada completa. Hasta 40 horas.',
  ])('is none of it: %s', (description) => {
    const blockers = blockersOf({ title: 'Stelle', description, category: 'Jobs', location: 'Celle' });
    expect(blockers).not.toContain('fair-hiring');
  });

  it.each([
    'Se pide un pago de 49 € por el material de formación.',
    'Eine Zahlung von 49 € für die Schulungsunterlagen wird erwartet.',
    'Un versement de 49 € pour la formation est demandé.',
    'A payment of £49 for the training materials is due.',
  ])('nor be asked to pay: %s', (description) => {
    expect(blockersOf({ title: 'Trabajo', description, category: 'Jobs', location: 'Jaén' })).toContain('work-is-paid');
  });
});

describe('numbers in names', () => {
  it.each([
    ['Fujifilm X-T30 II with 15-45mm', 'X-T30 II'],
    ['Olympus E-M10 Mark III', 'E-M10 Mark III'],
    ['Canon R6 Mark II body', 'R6 Mark II'],
    ['MacBook Pro 14 M1 Pro 16/512', 'MacBook Pro 14 M1 Pro'],
    ['Nikon D750', 'D750'],
  ])('belong to the model: %s', (title, model) => {
    expect(factOf('electronics', 'model', title)).toBe(model);
  });

  it('are no measures', () => {
    expect(factOf('electronics', 'depthCm', 'Fujifilm X-T30', 'A lens of 3 cm.')).toBeUndefined();
    expect(factOf('generic', 'dimensions', 'Cube Kathmandu', 'Rahmenhöhe 54 cm')).toBeUndefined();
    expect(factOf('generic', 'dimensions', 'Mirror', 'Frame of oak, 54 cm')).toBe('54 cm');
  });

  it.each([
    ['Lenovo T14 i5 16GB 512SSD', '512', '16'],
    ['Dell XPS 8 GB / 256 GB', '256', '8'],
    ['HP Omen 32GB 1TB', '1000', '32'],
    ['MacBook Air 16 Go 512 Go', '512', '16'],
    ['iPhone 11 64GB', '64', undefined],
    ['PC gaming RTX 3060 12GB, 32 GB DDR4, NVMe 1 TB', '1000', '32'],
    ['PC RTX 3060, 256GB SSD', '256', undefined],
  ])('tell memory from storage: %s', (title, storage, ram) => {
    expect([factOf('electronics', 'storageGb', title), factOf('electronics', 'ramGb', title)]).toEqual([storage, ram]);
  });

  it('of a motorhome are no model of a car', () => {
    expect(factOf('vehicles', 'model', 'Swift Bolero 712SB motorhome, 4 berth')).toBe('Bolero');
    expect(factOf('vehicles', 'model', 'Swift 1.3 GLX')).toBe('Swift');
  });
});

describe('sums', () => {
  it.each([
    ['electronics', 'Collection from Stockport or £9 post.', undefined],
    ['electronics', 'Collect, or £15 insured post.', undefined],
    ['vehicles', 'Transferencia de 500 € para reservar el envío.', undefined],
    ['vehicles', '£200 to secure it, £5,400 in all', '200'],
    ['electronics', '£90 for holders and the phone', '90'],
  ] as const)('of %s: %s', (kind, text, price) => {
    expect(factOf(kind, 'price', 'Thing', text)).toBe(price);
  });

  const house = { title: 'Maison T5 à vendre', category: 'Immobilier', location: 'Betton' };
  it('with two digits exchanged are two prices', () => {
    const description = 'Maison de 118 m² avec jardin, 4 chambres. Prix 294 000 € FAI.';
    expect(blockersOf({ ...house, description, price: 249000 })).toContain('contradiction-price');
    expect(blockersOf({ ...house, description, price: 294000 })).not.toContain('contradiction-price');
    expect(blockersOf({ ...house, description, price: 285000 })).not.toContain('contradiction-price');
  });
});

describe('a thing called new', () => {
  const phone = { title: 'Switch OLED', category: 'Konsolen', attributes: { zustand: 'neu' } };
  it.each([
    ['Gebrauchte Switch OLED, 64 GB.', true],
    ['Consola de segunda mano, 64 GB.', true],
    ['Switch OLED, 64 GB, wird nicht mehr gebraucht.', false],
    ['Switch OLED, 64 GB, can be used with any screen.', false],
  ])('is not used: %s', (description, contradicts) => {
    expect(blockersOf({ ...phone, description }).includes('contradiction-condition')).toBe(contradicts);
  });
});

describe('payment ahead', () => {
  const car = { title: 'BMW X3 20d 2020', category: 'Cars', location: 'Leeds', price: 7900 };
  it.each([
    'No se puede ver antes. Solo una transferencia de 500 € para reservar el envío.',
    'The car cannot be viewed now. A bank transfer of 500 to reserve it is enough.',
    'Besichtigung leider nicht möglich. Überweisung von 500 € zum Reservieren.',
    'Visite impossible. Un virement de 500 € pour réserver suffit.',
  ])('for what nobody may see: %s', (description) => {
    expect(blockersOf({ ...car, description })).toContain('no-payment-ahead');
  });

  it.each([
    'Besichtigung leider nicht möglich vor Montag. Kaution drei Monatsmieten.',
    'Deposit of 200 to hold it. Viewing any evening.',
  ])('is none: %s', (description) => {
    expect(blockersOf({ ...car, description })).not.toContain('no-payment-ahead');
  });
});

it('who must not publish a text is not told to complete it', () => {
  const { riskLevel, blockers, nextBestAction } = judged({
    title: 'Trabajo desde casa, gana 3.000 € al mes',
    description:
      'Empresa internacional busca gente seria. Gana hasta 3.000 € al mes desde casa, sin experiencia. Solo recibes transferencias en tu cuenta y las reenvías, te quedas el 8 %.',
    category: 'Empleo',
  });
  expect(riskLevel).toBe('critical');
  expect(blockers.map(({ check }) => check)).toEqual(['employer-given', 'terms-given']);
  expect(nextBestAction).not.toBe(blockers[0]?.action);
});

it.each([
  ['Cleaning in north Leeds for 9 years.', 'Leeds'],
  ['Reformas al sur de Zaragoza.', 'Zaragoza'],
  ['Tonte au nord de Nantes, devis gratuit.', 'Nantes'],
  ['Gartenpflege südlich von Bamberg.', 'Bamberg'],
  ["Peinture, région d'Angers.", 'Angers'],
])('a part of a town is in the town: %s', (text, place) => {
  expect(factOf('services', 'location', 'Service', text)).toBe(place);
});

it('what is paid by the session is a service', () => {
  const { kind } = judged({
    title: 'Biomagnetismo',
    description: 'Terapeuta en Murcia, 20 años de práctica. 60 € la sesión.',
  });
  expect(kind).toBe('services');
});

it('a date that ends a sentence begins no telephone number', () => {
  expect(detect('Mise en circulation 04/2012. 164 000 km au compteur.')).toEqual([]);
  expect(detect('Since 04/2012. 0171 1234567').map(({ kind }) => kind)).toEqual(['phone']);
});

it('a strap among batteries is no weapon', () => {
  const { findings } = judged({
    title: 'Fujifilm X-T30 II with 15-45mm',
    description: 'Silver body plus kit lens. Boxed, 2 batteries, strap never used. Bought from Wex in 2023.',
  });
  expect(findings).toEqual([]);
});

it('a thing is in the town where it is handed over', () => {
  expect(factOf('electronics', 'location', 'Sony A7 III', '£780 ono. Leicester, can post for £12.')).toBe('Leicester');
  expect(factOf('electronics', 'location', 'Guide', 'Bought last year. Paris, the city of light.')).toBeUndefined();
  expect(factOf('electronics', 'location', 'Kühlschrank', 'Abzuholen ab dem 15. in Fürth, EG.')).toBe('Fürth');
  expect(factOf('vehicles', 'location', 'Honda CB500X', '£4,600, no offers via text please. Ripon.')).toBe('Ripon');
  expect(factOf('vehicles', 'location', 'Honda CB500X', '£4,600, runs very well. Nice.')).toBeUndefined();
  expect(factOf('property', 'location', 'Place de parking sécurisée Montpellier Antigone')).toBe('Montpellier');
  expect(factOf('services', 'location', 'Werkstatt', 'Reparatur vor Ort: Bremsen, Platten.')).toBeUndefined();
});

it('a room that is let has its own area, and no other room has', () => {
  const area = (title: string) => factOf('property', 'areaSqm', title, 'Chambre meublée 11 m² dans coloc de 4.');
  expect(area('Chambre meublée en colocation')).toBe('11');
  expect(area('Maison avec jardin')).toBeUndefined();
});

it('of a business that is handed over nobody asks how many rooms it has', () => {
  const blockers = blockersOf({
    title: 'Traspaso cafetería en funcionamiento',
    description: 'Se traspasa cafetería de 70 m² con terraza. Alquiler 900 €/mes. Ruzafa, Valencia.',
    price: 35000,
  });
  expect(blockers).not.toContain('rooms-given');
});

it('what was tested works', () => {
  const condition = (text: string) => factOf('electronics', 'condition', 'Dyson V11', text);
  expect(condition('Moteur ok, testé hier.')).toBe('working');
  expect(condition('Untested, non testé.')).toBeUndefined();
});

it('a caravan whose gas was inspected runs on none', () => {
  expect(factOf('vehicles', 'fuel', 'Wohnwagen Hobby 460', 'TÜV und Gas neu.')).toBeUndefined();
  expect(factOf('vehicles', 'fuel', 'Ford Fiesta', 'Gas, automatic.')).toBe('petrol');
});

it('who wrote of light wear gave the condition', () => {
  expect(factOf('electronics', 'condition', 'MacBook', 'Light wear on the palm rest.')).toBe('used');
});

it.each([
  [
    'Mobile Fahrradwerkstatt',
    'Zweiradmeister repariert dein Rad vor Ort: E-Bike-Inspektion 69 €, sonst 45 €/Std.',
    'services',
  ],
  ['Kühl-Gefrierkombi Liebherr', 'Gebraucht, 180 cm hoch, in Fürth.', 'electronics'],
])('%s is known for what it is', (title, description, kind) => {
  expect(judged({ title, description }).kind).toBe(kind);
});

it('who says how many nights a week said the hours', () => {
  const blockers = blockersOf({
    title: 'Night Care Assistant',
    description: 'Rowan Lodge Care Home, Hexham. Three waking nights a week, £12.60/hr, paid breaks and training.',
    category: 'Care jobs',
    location: 'Hexham',
  });
  expect(blockers).toEqual([]);
});
