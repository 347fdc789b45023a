// What private sellers shorten: each fact is read from its abbreviations in four languages, and from nothing that only looks like them.
import { describe, expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { readFacts } from '../../src/workflows/listing/facts.ts';
import type { Kind } from '../../src/workflows/listing/patterns/pattern.ts';
import { ask } from './ask.ts';

const factIn = (kind: Kind, name: string, text: string) =>
  readFacts(text, {}, kind).facts.find((fact) => fact.name === name);

describe('an abbreviation', () => {
  it.each<[Kind, string, string, string | undefined]>([
    ['property', 'plotArea', 'Haus\nWfl. 120 m², 612 m² Grdst., 5 Zi.', '612 m²'],
    ['property', 'plotArea', 'Haus\nGrdst. 612 m²', '612 m²'],
    ['property', 'plotArea', 'Haus\nGrundst. ca. 800 qm', '800 m²'],
    ['property', 'plotArea', 'Haus\nauf 430 m² Grund', '430 m²'],
    ['property', 'rooms', '3-Raum-Wohnung\nfrei', '3'],
    ['property', 'rentPerMonth', 'Whg\nKaltmiete: 690,- €', '690'],
    ['property', 'rentPerMonth', 'Whg\n690 kalt', '690'],
    ['property', 'rentPerMonth', 'Whg\nNKM 690 €', '690'],
    ['property', 'rentPerMonth', 'Whg\nWM 870 €', '870'],
    ['property', 'rentPerMonth', 'Whg\nMiete 870 warm', '870'],
    ['property', 'rentPerMonth', 'Whg\nKaltmiete beträgt 690 €', '690'],
    ['property', 'deposit', 'Whg\nKT 1.380 €', '1380'],
    ['property', 'furnished', 'Whg möbl.\nfrei', 'true'],
    ['property', 'furnished', 'Whg\nunmöbl.', 'false'],
    ['property', 'yearBuilt', 'Haus aus dem Jahr 1974\n', '1974'],
    ['property', 'energyClass', 'Haus\nEnergieausweis: Bedarf 168 kWh/(m²a), Kl. F', 'F'],
    ['property', 'energyClass', 'Haus\nEEK D', 'D'],
    ['property', 'rooms', '3P 68m²\n', '3'],
    ['property', 'rooms', 'Appartement 3 pces\n', '3'],
    ['property', 'bedrooms', 'Maison\n3 ch., sdb', '3'],
    ['property', 'bedrooms', 'Maison\n3 chbres', '3'],
    ['property', 'plotArea', 'Maison\nparcelle de 650 m²', '650 m²'],
    ['property', 'plotArea', 'Maison\nTerrain clos 430m2', '430 m²'],
    ['property', 'deposit', 'T2\nDG 720 €', '720'],
    ['property', 'rentPerMonth', 'T2\nLoyer charges comprises : 780 €', '780'],
    ['property', 'floor', 'T2\n3ème ét.', '3'],
    ['property', 'floor', 'T2\nRDC', '0'],
    ['property', 'floor', 'T2\nrez-de-chaussée', '0'],
    ['property', 'offer', 'Loue T2\n', 'rent'],
    ['property', 'offer', 'Vends maison\n', 'sale'],
    ['property', 'bathrooms', 'Maison\n2 sdb', '2'],
    ['property', 'yearBuilt', 'Maison de 1982\n', '1982'],
    ['property', 'bathrooms', 'Piso\ndos cuartos de baño', '2'],
    ['property', 'areaSqm', 'Piso\n92 mts2', '92'],
    ['property', 'floor', 'Piso\n4º con ascensor', '4'],
    ['property', 'floor', 'Piso\nen un tercero sin ascensor', '3'],
    ['property', 'energyClass', 'Piso\nC.E. letra E', 'E'],
    ['property', 'plotArea', 'Chalet\n500 m2 de parcela', '500 m²'],
    ['property', 'plotArea', 'Terreno 1.500 m2\n', '1500 m²'],
    ['property', 'bedrooms', '2 dbl bed flat\n', '2'],
    ['property', 'bedrooms', '3 bedroomed semi\n', '3'],
    ['property', 'rentPerMonth', 'Flat\n1350pcm', '1350'],
    ['property', 'deposit', 'Flat\nDep £500', '500'],
    ['property', 'furnished', 'Flat\nunfurn', 'false'],
    ['property', 'energyClass', 'Flat\nEPC band C', 'C'],
    ['property', 'energyClass', 'Flat\nEPC - C', 'C'],
    ['property', 'availableFrom', 'Flat\navail. 1 Feb 2027', '2027-02-01'],
    ['vehicles', 'mileageKm', 'Corsa\nKM-Stand 128.000', '128000'],
    ['vehicles', 'mileageKm', 'Corsa\nKM: 128000', '128000'],
    ['vehicles', 'mileageKm', 'Corsa\nkm Stand: 128.000', '128000'],
    ['vehicles', 'mileageKm', 'Corsa\nerst 45.000 gelaufen', '45000'],
    ['vehicles', 'mileageKm', 'Leon\nKm: 142.000', '142000'],
    ['vehicles', 'mileageMiles', 'Fiesta\nmileage 62,000', '62000'],
    ['vehicles', 'mileageMiles', 'Fiesta\ndone 62k', '62000'],
    ['vehicles', 'mileageMiles', 'Fiesta\nonly 62k', '62000'],
    ['vehicles', 'mileageMiles', 'Fiesta\ncovered 62,000', '62000'],
    ['vehicles', 'year', 'Corsa\nEZ 3/11', '2011'],
    ['vehicles', 'year', 'Corsa Bj. 11\n', '2011'],
    ['vehicles', 'owners', 'Corsa\n2. Hd.', '2'],
    ['vehicles', 'owners', 'Corsa\n2.Hand', '2'],
    ['vehicles', 'owners', 'Corsa\nErsthand', '1'],
    ['vehicles', 'owners', 'Fiesta\n2 prev owners', '2'],
    ['vehicles', 'owners', 'Fiesta\n2 former keepers', '2'],
    ['vehicles', 'fuel', 'Clio\n0.9 TCe', 'petrol'],
    ['vehicles', 'fuel', 'Leon\ngasóleo', 'diesel'],
    ['vehicles', 'fuel', 'Kia Niro HEV\n', 'hybrid'],
    ['vehicles', 'fuel', 'BMW 320d\n', 'diesel'],
    ['vehicles', 'fuel', 'Golf 1.6 FSI\n', 'petrol'],
    ['vehicles', 'fuel', 'Civic 1.8 i-VTEC\n', 'petrol'],
    ['vehicles', 'fuel', 'Tesla Model 3\n', 'electric'],
    ['vehicles', 'fuel', 'Nissan Leaf\n', 'electric'],
    ['vehicles', 'transmission', 'Corsa\nSchaltgetr.', 'manual'],
    ['vehicles', 'transmission', 'Corsa\nAutom.', 'automatic'],
    ['vehicles', 'transmission', 'Clio\nbte auto', 'automatic'],
    ['vehicles', 'transmission', 'Clio\nboîte auto', 'automatic'],
    ['vehicles', 'doors', 'Corsa\n5-trg.', '5'],
    ['vehicles', 'doors', 'Leon 5p\n', '5'],
    ['vehicles', 'doors', 'Clio 5p\n', '5'],
    ['vehicles', 'engineLitres', 'Fiesta 1.25 petrol\n', '1.25'],
    ['vehicles', 'engineLitres', 'Corsa 1.2\nBenziner', '1.2'],
    ['vehicles', 'price', 'Corsa\n2.900,- VHB', '2900'],
    ['jobs', 'contract', 'Job\nunbefr.', 'permanent'],
    ['jobs', 'contract', 'Job\n6 month FTC', 'fixed-term'],
    ['jobs', 'employer', 'Job\nWe are Brightside Care, a family-run provider.', 'Brightside Care'],
    ['jobs', 'employer', 'Job\nEmpresa internacional del sector logístico busca', undefined],
    ['jobs', 'employer', 'Job\nImportante empresa del sector busca', undefined],
    ['jobs', 'employer', 'Job\nEntreprise leader recrute', undefined],
    ['jobs', 'location', 'Job\npara su delegación de Sagunto', 'Sagunto'],
    ['jobs', 'location', 'Job\nson magasin d’Arras', 'Arras'],
    ['jobs', 'location', 'Job\nnuestra tienda de Lugo', 'Lugo'],
    ['jobs', 'location', 'Job\nunsere Filiale in Bad Tölz', 'Bad Tölz'],
    ['services', 'pricePerHour', 'X\n£25ph', '25'],
    ['electronics', 'ramGb', 'MacBook 8/256 Go\n', '8'],
    ['electronics', 'ramGb', 'PC\nRAM 16GB', '16'],
    ['electronics', 'batteryHealthPercent', 'iPhone\nBH 87%', '87'],
    ['electronics', 'batteryHealthPercent', 'iPhone\n89% de batería', '89'],
    ['furniture', 'widthCm', 'Sofa\n228 wide', '228'],
    ['furniture', 'heightCm', 'Schrank\n200 cm breit, 236 hoch, 58 tief', '236'],
    ['furniture', 'brand', 'Ikea Kivik sofa\n', 'IKEA'],
    ['fashion', 'size', 'Barbour jacket C40\n', '40'],
    ['fashion', 'size', 'Manteau T38\n', '38'],
    ['fashion', 'brand', 'Barbour jacket\n', 'Barbour'],
    ['fashion', 'material', 'Manteau\nlaine', 'wool'],
  ])('of %s, %s: %s', (kind, name, text, value) => {
    expect(factIn(kind, name, text)?.value).toBe(value);
  });
});

describe('what is none', () => {
  it.each<[Kind, string, string]>([
    ['vehicles', 'mileageMiles', 'Fiesta\nOnly 2 owners, £6,000 only.'],
    ['vehicles', 'mileageMiles', 'Fiesta\nOnly 12000 km.'],
    ['vehicles', 'year', 'Corsa\nBj. auf Anfrage, EZ 3 km.'],
    ['vehicles', 'engineLitres', 'Anhänger 2.5 t\nGebremst.'],
    ['vehicles', 'engineLitres', 'Schlauchboot 4.5 m\nMit Motor.'],
    ['vehicles', 'fuel', 'Citroën C3\nPlace de parking.'],
    ['property', 'deposit', 'Flat\nDG throughout, dep. by bus in 5 minutes.'],
    ['property', 'floor', 'Piso\nA 2º minuto de la plaza.'],
    ['property', 'bedrooms', 'Maison\n3 chiens acceptés.'],
    ['property', 'offer', 'Maison\nQuartier loué pour son calme.'],
    ['fashion', 'size', 'Wax jacket\nSmall repair inside the left pocket. 100% waxed cotton.'],
    ['fashion', 'material', 'Bag\nMade of faux leather.'],
    ['fashion', 'size', 'Zapatillas\nTallas de la 38 a la 45.'],
    ['generic', 'condition', 'E-Bike Cube\nKette und Ritzel neu.'],
    ['furniture', 'heightCm', 'Schrank\n2 hoch gestapelt.'],
    ['jobs', 'employer', 'Job\nUnternehmen der Lebensmittelbranche sucht Fahrer.'],
    ['jobs', 'employer', 'Job\nSomos líderes del sector.'],
    ['jobs', 'workload', 'Job\nVZ/TZ möglich.'],
  ])('of %s, %s: %s', (kind, name, text) => {
    expect(factIn(kind, name, text)?.value).toBeUndefined();
  });
});

describe('who hires', () => {
  it.each([
    ['Junges Team im Gasthof Hirsch in Kempten sucht Kellner.', 'Gasthof Hirsch'],
    ['Cafe Luna in Derby is looking for a barista.', 'Cafe Luna'],
    ['Partners in Care Ltd is hiring.', 'Partners in Care Ltd'],
  ])('is named without the town: %s', (text, employer) => {
    expect(factIn('jobs', 'employer', `Job\n${text}`)?.value).toBe(employer);
  });

  it('is known by the work in few words', () => {
    const text = 'Despacho de abogados en Jaén busca secretaria, jornada completa, 1.200 € al mes.';
    expect(listing('Secretaria', text, '').kind).toBe('jobs');
  });

  it('may offer both workloads', () => {
    expect(factIn('jobs', 'workload', 'Job\nVoll- oder Teilzeit.')?.value).toBeUndefined();
    expect(factIn('jobs', 'workload', 'Job\nFull or part-time.')?.value).toBeUndefined();
    expect(factIn('jobs', 'workload', 'Job\nIn Teilzeit.')?.value).toBe('part-time');
  });
});

it('asks nobody what an outboard runs on', () => {
  const text = 'De 2004, moteur Yamaha 100 ch, 620 heures, remorque.';
  expect(listing('Bateau Beneteau Antares 600', text, '').blockers.map(({ check }) => check)).not.toContain(
    'fuel-given',
  );
});

describe('a place', () => {
  it.each<[Kind, string, string | undefined]>([
    ['vehicles', 'Wohnmobil\nSteht trocken in der Scheune bei Soest.', 'Soest'],
    ['vehicles', 'Camping-car\nVisible du côté de Saumur.', 'Saumur'],
    ['vehicles', 'Motorhome\nCan be seen just outside Hexham.', 'Hexham'],
    ['jobs', 'Kfz-Mechatroniker\nDas Autohaus Brinkmann GmbH in Lingen sucht Verstärkung.', 'Lingen'],
    ['jobs', 'Night shift\nOur depot in Thirsk needs you.', 'Thirsk'],
    ['jobs', 'Koch\nFür unser Restaurant Zur Alten Post in Füssen suchen wir einen Koch.', 'Füssen'],
    ['jobs', 'Cocinero\nCasa Paco en Ayamonte busca cocinero.', 'Ayamonte'],
    ['jobs', 'Koch\nWer in Vollzeit sucht, ist hier richtig.', undefined],
    ['jobs', 'Koch\nUnser Betrieb in Vollzeit.', undefined],
    ['jobs', 'Vendeur\nMagasin de chaussures en centre-ville.', undefined],
  ])('of %s: %s', (kind, text, place) => {
    expect(factIn(kind, 'location', text)?.value).toBe(place);
  });
});

it.each<[Kind, string, string, string]>([
  ['property', 'offer', 'Alquilo piso\nTres habitaciones.', 'Alquilo'],
  ['vehicles', 'fuel', 'Corsa\nDieselmotor, 120.000 km.', 'Dieselmotor'],
  ['services', 'location', 'Umzug\n35 € pro Stunde. Köln und Umkreis.', 'Köln'],
  ['fashion', 'condition', 'Botas\nTalla 40. Nuevas.', 'Nuevas'],
])('whole words are quoted: %s, %s: %s', (kind, name, text, quote) => {
  expect(factIn(kind, name, text)?.quote).toBe(quote);
});

describe('what one square metre costs', () => {
  it.each([
    ['Parcela urbana\nSale a 145 €/m². Precio 60.900 €.', '60900', '145'],
    ['Grundstück\n180 € pro qm, voll erschlossen.', undefined, '180'],
    ['Terrain\n45 euros le m2.', undefined, '45'],
    ['Parcela\n60.900 €, 420 m².', '60900', undefined],
  ])('is no price of the whole: %s', (text, price, perSqm) => {
    expect(factIn('property', 'price', text)?.value).toBe(price);
    expect(factIn('property', 'pricePerSqm', text)?.value).toBe(perSqm);
  });

  it('is a price all the same', () => {
    const { missingFacts } = listing(
      'Parcela urbana en Denia',
      'Parcela de 420 m², a 145 €/m², con agua y luz.',
      'Terrenos',
    );
    expect(missingFacts.join()).not.toMatch(/precio/);
  });
});

const listing = (title: string, description: string, category: string) =>
  ask(readinessFamily, ScoreListingRequestSchema, {
    listing: { title, description, category, images: [{ url: 'https://img.example/1.jpg' }], location: 'Lugo' },
  });

it.each([
  ['Verbrauchsausweis 98 kWh/(m²a), Gas.', '98'],
  ['Energiekennwert: 168 kWh.', '168'],
  ['DPE 210 kWh/m²/an.', '210'],
  ['PV-Anlage mit 9 kWp, Speicher 10 kWh.', undefined],
])('what a home needs in a year is an energy rating: %s', (text, use) => {
  expect(factIn('property', 'energyUseKwh', `Wohnung\n${text}`)?.value).toBe(use);
  const missing = listing('3-Zimmer-Wohnung zu vermieten', `78 m², ${text} Ruhige Lage.`, 'Wohnungen').missingFacts;
  expect(missing.some((one) => /energ/i.test(one))).toBe(use === undefined);
});

it.each([
  ['Damen Lederjacke', 'Größe 38, sehr guter Zustand. Keine Fälschung.', false],
  ['Handbag, imitation leather', 'Good condition, barely used.', false],
  ['Bolso Gucci', 'Buen estado. No es réplica, con factura.', false],
  ['Bolso Gucci', 'Nuevo, réplica perfecta.', true],
  ['Chanel handbag', 'Not a cheap one: a replica. No copy of the receipt.', true],
  ['Gucci bag', 'Not a replica but a perfect imitation.', true],
  ['Nike Jordan', 'Réplica AAA, no es copia barata. Talla 42, nuevas.', true],
])('only a copy is called one: %s. %s', (title, description, isCopy) => {
  const { blockers } = listing(title, description, 'Mode');
  expect(blockers.some(({ check }) => check === 'genuine')).toBe(isCopy);
});

it('who employs an electrician is no electrician', () => {
  const text =
    'Instalaciones Montero S.L. incorpora oficial 1ª. Contrato indefinido, 40 h semanales, 22.000-25.000 € brutos/año.';
  expect(listing('Oficial electricista', text, '').kind).toBe('jobs');
  expect(listing('Electricista', 'Instalaciones y averías, 25 €/h, presupuesto sin compromiso.', '').kind).toBe(
    'services',
  );
});
