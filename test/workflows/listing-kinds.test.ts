// Everyday goods are no cars, homes or jobs, whoever made them and in whatever branch they are used.
import { describe, expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { ask } from './ask.ts';

const score = (title: string, description: string, category: string) =>
  ask(readinessFamily, ScoreListingRequestSchema, {
    listing: {
      ...{ title, description, category, price: 320, currency: 'EUR', location: 'Graz' },
      images: [{ url: 'https://img.example/1.jpg' }],
    },
  });

describe('goods have no demands of cars, homes and jobs', () => {
  it.each([
    [
      'Yamaha F310 acoustic guitar',
      'Spruce top, bought in 2019, played at home only, one scratch.',
      'Musical instruments',
    ],
    ['Yamaha F310 Akustikgitarre', '2019 gekauft, nur zu Hause gespielt. Neue Saiten, mit Tasche.', 'Musikinstrumente'],
    ['Guitarra acústica Yamaha F310', 'Comprada en 2019, tocada solo en casa. Con funda.', 'Instrumentos musicales'],
    ['Guitare acoustique Yamaha F310', 'Achetée en 2019, jouée à la maison. Avec housse.', 'Instruments de musique'],
    [
      'Honda lawn mower HRX 476',
      'Petrol mower with a four-stroke motor and gearbox drive, starts first time.',
      'Garden',
    ],
    ['Honda Rasenmäher HRX 476', 'Benzinrasenmäher mit Viertaktmotor, letztes Frühjahr gewartet.', 'Garten'],
    ['Honda generator EU22i', 'Quiet petrol generator with an inverter motor, 120 hours, runs well.', 'Tools'],
    [
      'Bürosessel schwarz',
      'Verstellbar, mit Armlehnen, ein Jahr im Arbeitszimmer benutzt. Rollen für Hartböden.',
      'Büro',
    ],
    [
      'Wooden doll house',
      'Three floors, four rooms and twelve pieces, furnished. Our daughter has outgrown it.',
      'Toys',
    ],
    ['Puppenhaus aus Holz', 'Drei Etagen, vier Zimmer, mit Möbeln. Unsere Tochter ist zu groß dafür.', 'Spielzeug'],
    ['Casa de muñecas de madera', 'Casa con tres plantas y cuatro habitaciones. Una bisagra floja.', 'Juguetes'],
    ['Maison de poupée en bois', 'Maison avec trois étages et quatre chambres, meublée.', 'Jouets'],
    ['Job lot of Lego, 4 kg', 'Mixed bricks, washed and sorted by colour. Postage £6 or collect from Leeds.', 'Toys'],
    [
      'Pflegebett elektrisch',
      'Mit Matratze und Seitengittern, zwei Jahre benutzt. Abholbereit im Erdgeschoss.',
      'Pflege',
    ],
    ['Thermomètre sans contact', 'Utilisé trois fois, piles neuves, mesure en une seconde. Notice comprise.', 'Santé'],
    ['Machine à café deux groupes', 'Révisée par un technicien en mars. Contrat terminé, salon fermé.', 'Restauration'],
    ['Caja registradora con cajón', 'Usada dos años en nuestro bar, con manual y llaves.', 'Hostelería'],
    ['Damenfahrrad 28 Zoll', '7 Gänge, Licht und Korb, neue Reifen. Rahmenhöhe 50 cm.', 'Fahrräder'],
    ['Trek mountain bike, size M', 'Hydraulic brakes, frame size M, new chain, small scratch on the fork.', 'Bikes'],
    ['Coleman tent for four', 'Four person tent with two rooms and a porch, used on three trips.', 'Camping'],
    ['Labrador puppies', 'Six puppies born in September, vaccinated and chipped, mother can be seen.', 'Pets'],
    ['Vorhangstoff grau', 'Aus der Wohnung meiner Oma, zusammen 6 m2, gereinigt.', 'Haus & Garten'],
    ['Peugeot pepper mill', 'Wooden mill, 22 cm, grinds well. A present that we do not use.', 'Kitchen'],
  ])('%s', (title, description, category) => {
    const { kind, blockers, ready } = score(title, description, category);
    expect(kind).toBe('generic');
    expect(blockers).toEqual([]);
    expect(ready).toBe(true);
  });

  it.each([
    ['Office chair, black mesh', 'Armrests and headrest, used for a year. No stains. Height 48 to 58 cm.', 'Office'],
    ['Chaise de bureau noire', 'Réglable, utilisée un an. Aucune tache, bon état. Hauteur 58 cm.', 'Bureau'],
  ])('a chair for an office is a chair: %s', (title, description, category) => {
    const { kind, ready } = score(title, description, category);
    expect(kind).toBe('furniture');
    expect(ready).toBe(true);
  });
});

describe('cars, homes and jobs have them', () => {
  it.each([
    ['vehicles', 'Peugeot 208, very clean', "My mother's, small and economical, two keys.", ''],
    ['vehicles', 'Yamaha, wie neu', 'Sehr gepflegt, 12.400 km, steht in der Garage.', ''],
    ['vehicles', 'Audi in Blau', 'Sauber und gepflegt, fährt super.', 'Gebrauchtwagen'],
    ['vehicles', 'Toyota, blue', 'Clean and reliable, drives very well.', 'Cars'],
    ['vehicles', 'Sprinter 316 CDI', 'Guter Zustand, frisch gewartet.', ''],
    ['vehicles', 'Vito 109 CDI', 'Läuft gut, wenig Rost, mit Trennwand.', ''],
    ['vehicles', 'Mercedes 2.2 CDI', 'Bon état, deux clés.', ''],
    ['jobs', 'Vendeur CDI 35h', 'Magasin cherche vendeur en CDI.', ''],
    ['property', 'Muy luminoso', 'Recién pintado, cerca del metro.', 'Pisos'],
    ['property', '3 bedroom place in Leeds', 'Garden, close to the park and to schools.', ''],
    ['property', 'Schöne Wohnung', 'Hell, zweiter Stock mit Balkon, nahe der Straßenbahn.', ''],
    ['jobs', 'Vendeuse', 'Dans notre magasin, bonne ambiance, équipe jeune.', 'Emplois'],
    ['jobs', 'Kellner gesucht', 'Für unser Restaurant in Graz, ab sofort in Vollzeit.', 'Gastronomie'],
  ])('%s: %s', (kind, title, description, category) => {
    expect(score(title, description, category).kind).toBe(kind);
  });
});
