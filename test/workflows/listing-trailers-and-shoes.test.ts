// Trailers, scooters, land and shoes: which kind of thing they are, and what cannot be true of them.
import { describe, expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { readFacts } from '../../src/workflows/listing/facts.ts';
import { kindsOf } from '../../src/workflows/listing/kinds.ts';
import type { Kind } from '../../src/workflows/listing/patterns/pattern.ts';
import { ask } from './ask.ts';

const factIn = (kind: Kind, name: string, text: string) =>
  readFacts(text, {}, kind).facts.find((fact) => fact.name === name)?.value;

const blockersOf = (listing: object) =>
  ask(readinessFamily, ScoreListingRequestSchema, {
    listing: { price: 900, currency: 'EUR', images: [{ url: 'https://img.example/1.jpg' }], ...listing },
  }).blockers.map(({ check }) => check);

describe('the kind of thing', () => {
  it.each<[Kind, string, string]>([
    ['vehicles', 'Ifor Williams GD85 twin axle trailer', '8x5 ft, 2700kg gross, galvanised, 2016, new tyres.'],
    ['vehicles', 'Kofferanhänger 1300 kg', 'Bj. 2019, gebremst, Stützrad.'],
    ['vehicles', 'Remorque bagagère 500 kg', 'Roue jockey et bâche.'],
    ['vehicles', 'Remolque de carga', 'Un eje, 750 kg, con papeles.'],
    ['fashion', 'Wintermantel von Hugo Boss', 'Schwarz, Wolle.'],
    ['vehicles', 'Roller Piaggio Zip 50', '4-Takt, EZ 05/2017, Benzin, läuft super.'],
    ['generic', 'Kinderrad 12 Zoll mit Stützrädern', 'Gut erhalten, blau.'],
    ['generic', 'Stromerzeuger 4-Takt', 'Läuft, wenig benutzt.'],
    ['property', 'Terreno en venta 1.200 m2', 'Lote plano con escrituras, agua y luz.'],
    ['property', 'Paddock for sale', '2.5 acres with water and road access.'],
    ['property', 'Freizeitgrundstück am See', '600 m2, Strom und Wasser, Verkauf.'],
  ])('%s: %s', (kind, title, description) => expect(kindsOf(title, description, '').kind).toBe(kind));
});

describe('what is said of it', () => {
  it.each<[Kind, string, string, string | undefined]>([
    ['vehicles', 'make', 'Anhänger Humbaur HA 752513\nPlane mit Spriegel.', 'Humbaur'],
    ['vehicles', 'make', 'Camping-car Pilote G740 profilé\nBase Fiat Ducato 2.3.', 'Pilote'],
    ['vehicles', 'make', 'Wohnwagen Fendt Bianco 465\nVorzelt.', 'Fendt'],
    ['jobs', 'contract', 'Serveuse pour la saison\nCDD 6 mois.', 'fixed-term'],
    ['jobs', 'contract', 'Serveuse pour la saison\nLogée.', 'temporary'],
    ['vehicles', 'make', 'Pilote G740 profilé\nBase Fiat Ducato 2.3.', 'Pilote'],
    ['vehicles', 'year', 'Ford Model T\nBuilt 1924, runs well.', '1924'],
    ['vehicles', 'year', 'Peugeot 208\nAño 1908, nafta.', '1908'],
    ['vehicles', 'year', 'Peugeot 208\nPrecio 1900, año 2018.', '2018'],
    ['fashion', 'size', 'Chaussures Salomon\nPointure 42 2/3, comme neuves.', '42 2/3'],
    ['fashion', 'size', 'Zapatillas\nTalla 42, como nuevas.', '42'],
  ])('%s: %s of %s', (kind, name, text, value) => expect(factIn(kind, name, text)).toBe(value));
});

describe('what cannot be', () => {
  const car = { description: 'Impecable, nafta, 45.000 km, 5 puertas.', location: 'Córdoba' };

  it('a year before the model was built', () => {
    expect(blockersOf({ ...car, title: 'Peugeot 208 Allure', attributes: { ano: 1908 } })).toContain('impossible-year');
    expect(blockersOf({ ...car, title: 'Peugeot 208 Allure año 1908' })).toContain('impossible-year');
    expect(blockersOf({ ...car, title: 'Ford T año 1924' })).toEqual([]);
  });

  it('a size that no shoe has', () => {
    const shoes = { title: 'Dr Martens 1460 boots', location: 'Norwich' };
    expect(blockersOf({ ...shoes, description: 'Black, great condition, boxed. UK size 85.' })).toEqual([
      'impossible-size',
    ]);
    expect(blockersOf({ ...shoes, description: 'Black, great condition, boxed. UK size 8.5.' })).toEqual([]);
    expect(blockersOf({ ...shoes, title: 'Jeans', description: 'Guter Zustand, kaum getragen. Größe 176.' })).toEqual(
      [],
    );
  });
});

describe('what is missing', () => {
  it('a make, if the title only says what it is', () => {
    const caravan = { description: '2009, damp checked last month, no leaks.', location: 'Skegness' };
    expect(blockersOf({ ...caravan, title: 'Touring caravan 4 berth' })).toEqual(['model-given']);
    expect(blockersOf({ ...caravan, title: 'Bailey touring caravan 4 berth' })).toEqual([]);
    expect(blockersOf({ ...caravan, title: 'Elddis touring caravan 4 berth' })).toEqual([]);
  });

  it('no fuel of a scooter', () => {
    const scooter = { description: 'De 2018, 21.000 km, revisada.', location: 'Gijón' };
    expect(blockersOf({ ...scooter, title: 'Kymco Agility City 125' })).toEqual([]);
  });

  it('no area of a parking space', () => {
    const space = { description: 'Videoüberwacht, 115 € monatlich, ab sofort.', location: 'Wien' };
    expect(blockersOf({ ...space, title: 'Tiefgaragenstellplatz zu vermieten' })).toEqual([]);
    expect(blockersOf({ ...space, title: 'Außenstellplatz zu vermieten' })).toEqual([]);
  });
});

describe('a condition', () => {
  it.each<[string, string]>([
    ['Black, great condition.', 'very good'],
    ['Immaculate throughout.', 'very good'],
    ['VGC, boxed.', 'very good'],
    ['Fair condition for its age.', 'good'],
    ['Preloved, some bobbling.', 'used'],
    ['BNWT.', 'new'],
    ['Nearly new, no box.', 'like new'],
    ['Fully functional.', 'working'],
    ['Works perfectly.', 'working'],
    ['Läuft super.', 'working'],
    ['Faulty screen.', 'for parts'],
    ['Fast neu, kaum benutzt.', 'like new'],
    ['In tadellosem Zustand.', 'very good'],
    ['Bestzustand, Nichtraucher.', 'very good'],
    ['Geht nicht mehr an.', 'for parts'],
    ['Reparaturbedürftig.', 'for parts'],
    ['Casi nueva, con caja.', 'like new'],
    ['Está impecable.', 'very good'],
    ['Bien cuidado.', 'good'],
    ['Para repuestos.', 'for parts'],
    ['No prende.', 'for parts'],
    ['Quasi neuf, avec boîte.', 'like new'],
    ['TBE, peu servi.', 'very good'],
    ['Bien entretenu.', 'good'],
    ['En état de marche.', 'working'],
    ['Ne démarre plus.', 'for parts'],
    ['À réparer.', 'for parts'],
  ])('%s', (said, condition) => expect(factIn('electronics', 'condition', `A thing\n${said}`)).toBe(condition));
});
