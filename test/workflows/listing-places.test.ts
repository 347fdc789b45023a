// A place named in the prose is where the thing is.
import { describe, expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { readFacts } from '../../src/workflows/listing/facts.ts';
import type { Kind } from '../../src/workflows/listing/patterns/pattern.ts';
import { ask } from './ask.ts';

const placeIn = (description: string) =>
  readFacts(`Offer\n${description}`, {}, 'generic').facts.find(({ name }) => name === 'location');

describe('a place in prose', () => {
  it.each([
    ['Solid oak, collection from Stockport.', 'Stockport', 'collection from Stockport'],
    ['Cash on collection from Leeds on Saturday.', 'Leeds', 'collection from Leeds'],
    ['Pick-up only in Newcastle upon Tyne or Durham.', 'Newcastle upon Tyne', 'Pick-up only in Newcastle upon Tyne'],
    ['Viewing in Leeds.', 'Leeds', 'Viewing in Leeds'],
    ['Can be seen in Stoke on Trent.', 'Stoke on Trent', 'Can be seen in Stoke on Trent'],
    ['We are a small firm based in Bury St. Edmunds, founded 1990.', 'Bury St. Edmunds', undefined],
    ['A cottage located in Ashby de la Zouch with a garden.', 'Ashby de la Zouch', undefined],
    ['Collect from SE15 any evening.', 'SE15', 'Collect from SE15'],
    ['Location: Leeds', 'Leeds', 'Location: Leeds'],
    ['Standort Freiburg, Abholung nach Absprache.', 'Freiburg', 'Standort Freiburg'],
    ['Standort: 79098 Freiburg im Breisgau.', '79098 Freiburg im Breisgau', undefined],
    ['Nur Abholung in Graz am Wochenende.', 'Graz', 'Abholung in Graz'],
    ['Selbstabholung in Frankfurt am Main.', 'Frankfurt am Main', undefined],
    ['Zu besichtigen in St. Gallen.', 'St. Gallen', 'Zu besichtigen in St. Gallen'],
    ['Besichtigung jederzeit in Neustadt an der Weinstraße, gern abends.', 'Neustadt an der Weinstraße', undefined],
    ['Der Wagen steht in Bad Homburg vor der Höhe.', 'Bad Homburg vor der Höhe', undefined],
    ['Kann in Linz abgeholt werden.', 'Linz', undefined],
    ['Im Raum Stuttgart, Versand möglich.', 'Stuttgart', undefined],
    ['Se puede ver en Zaragoza.', 'Zaragoza', 'puede ver en Zaragoza'],
    ['Recogida en Sevilla, no hago envíos.', 'Sevilla', 'Recogida en Sevilla'],
    ['Entrega en mano en San Sebastián de los Reyes.', 'San Sebastián de los Reyes', undefined],
    ['Piso situado en Vitoria-Gasteiz.', 'Vitoria-Gasteiz', undefined],
    ['Ubicación: Jerez de la Frontera', 'Jerez de la Frontera', undefined],
    ['Visible à Angers.', 'Angers', 'Visible à Angers'],
    ['À retirer à Lyon le samedi.', 'Lyon', 'À retirer à Lyon'],
    ['Visible sur Aix-en-Provence, le soir.', 'Aix-en-Provence', undefined],
    ['Remise en main propre à La Rochelle.', 'La Rochelle', undefined],
    ['Maison située à Villeneuve d’Ascq, proche métro.', 'Villeneuve d’Ascq', undefined],
    ['Retrait à Saint-Étienne uniquement.', 'Saint-Étienne', undefined],
    ['Lying in Hamble, sails well.', 'Hamble', 'Lying in Hamble'],
    ['She is ashore at Conwy Marina.', 'Conwy Marina', 'ashore at Conwy Marina'],
    ['You need a van. Pick up Didcot', 'Didcot', 'Pick up Didcot'],
    ['Cash only. Collection Barnsley S70.', 'Barnsley', 'Collection Barnsley'],
    ['Preis VB. Abholung Mödling.', 'Mödling', 'Abholung Mödling'],
    ['Zum Abholen in Winterthur.', 'Winterthur', undefined],
    ['Übergabe in Bern Bümpliz.', 'Bern Bümpliz', undefined],
    ['Abgabe ab Mai, Raum Ulm.', 'Ulm', 'Raum Ulm'],
    ['Trato en mano en Vigo o envío.', 'Vigo', undefined],
    ['Chapa con golpes. En Alcalá de Henares.', 'Alcalá de Henares', 'En Alcalá de Henares'],
    ['Transferencia aparte. Vista en Castellón de la Plana.', 'Castellón de la Plana', undefined],
    ['Se encuentra en Dénia, listo para navegar.', 'Dénia', undefined],
    ['Remise en main propre Villeurbanne ou envoi.', 'Villeurbanne', undefined],
    ['À prendre sur place à Bayeux.', 'Bayeux', undefined],
    ['Bateau au sec à Arcachon.', 'Arcachon', undefined],
    ['Disponible à Dijon.', 'Dijon', undefined],
    ['Visible au Mans, prix ferme.', 'Le Mans', 'Visible au Mans'],
    ['Visible aux Sables-d’Olonne.', 'Les Sables-d’Olonne', 'Visible aux Sables-d’Olonne'],
    ['À vendre au Portugal.', 'Portugal', 'À vendre au Portugal'],
    ['Bike is in Truro and can be viewed evenings.', 'Truro', 'Bike is in Truro'],
    ['Trailer included. Kept at Porthmadog.', 'Porthmadog', 'Kept at Porthmadog'],
    ['390 € en mano en Donostia.', 'Donostia', 'en mano en Donostia'],
    ['Au mouillage à Lorient.', 'Lorient', undefined],
  ])('%s', (description, place, quote) => {
    const { value, quote: said } = placeIn(description) ?? {};
    expect(value).toBe(place);
    if (quote !== undefined) expect(said).toBe(quote);
    else expect(description).toContain(said);
  });

  it.each([
    'Collection from the shop.',
    'Collection From Our Shop Only.',
    'COLLECTION FROM THE SHOP IN TOWN',
    'Dress of the new collection from Zara.',
    'My stamp collection from Poland.',
    'No collection from Leeds, courier only.',
    'Viewing in the evening, viewing in May, viewing in Person.',
    'Viewings at Weekends.',
    'The price is based in part on the survey. Based in Part.',
    'Visible à l’œil, visible sur Rendez-vous.',
    'Retrait en magasin ou en Magasin.',
    'À vendre à Prix réduit.',
    'Standort: zentral. Standort: Zentral. Standort: Halbschatten.',
    'Abholung im Mai, Abholung in Absprache, Abholung in Originalverpackung.',
    'Abholung in Graz nicht möglich.',
    'Besichtigung in Kürze.',
    'Die Wohnung liegt in Bestlage, das Auto steht in Tiefgarage.',
    'Recogida en tienda, recogida en Mano.',
    'Se vende en Buen estado.',
    'Se puede ver en Julio, se puede ver en Lunes.',
    'Location: Appartement meublé de deux pièces.',
    'Location: Close to the station.',
    'Pick up Toyota Hilux, 2015.',
    'Collection Strongly preferred. Collection Cash. Collection Only.',
    'Abholung Selbstabholer. Abholung Freitag.',
    'Poco uso. En Garantía. En Perfecto estado. En Venta.',
    'Disponible à Partir de mai.',
  ])('but not in: %s', (description) => {
    expect(placeIn(description)).toBeUndefined();
  });

  it('is read from attributes, and is enough', () => {
    const scored = (description: string, attributes = {}) =>
      ask(readinessFamily, ScoreListingRequestSchema, {
        listing: {
          ...{ title: 'Yamaha MT-07, un solo dueño', category: 'Motos', price: 5900, currency: 'EUR', attributes },
          ...{ description, images: [{ url: 'https://img.example/1.jpg' }] },
        },
      }).blockers.map(({ check }) => check);
    const text = 'Moto de 2020, 14.300 km, revisión al día, siempre en garaje.';
    expect(scored(text)).toEqual(['place-given']);
    expect(scored(`${text} Se puede ver en Zaragoza.`)).toEqual([]);
    expect(scored(text, { Localidad: 'Zaragoza' })).toEqual([]);
  });
});

describe('a place in the title of a home', () => {
  const placeOf = (title: string, kind: Kind = 'property') =>
    readFacts(`${title}\nWith a lift.`, {}, kind).facts.find(({ name }) => name === 'location')?.value;

  it.each([
    ['2 bed flat to rent Leeds city centre', 'Leeds'],
    ['Flat in Bury St Edmunds', 'Bury St Edmunds'],
    ['Helle Wohnung in Linz-Urfahr', 'Linz-Urfahr'],
    ['Piso en Triana, 3 habitaciones', 'Triana'],
    ['Casa en Venta en Dos Hermanas', 'Dos Hermanas'],
    ['Appartement T3 64 m² centre Angers', 'Angers'],
    ['Maison de ville au Havre', 'Le Havre'],
    ['Terrain à bâtir 650 m² au Bouscat', 'Le Bouscat'],
    ['Baugrundstück in Kirchschlag, 812 m²', 'Kirchschlag'],
    ['Wohnung in Toplage', undefined],
    ['House in Multiple Occupation', undefined],
    ['Zimmer in WG', undefined],
    ['Casa en Venta', undefined],
    ['Appartement centre Commercial', undefined],
  ])('%s', (title, place) => {
    expect(placeOf(title)).toBe(place);
  });

  it('says nothing of where a thing is', () => {
    expect(placeOf('Poster of a house in Malibu', 'generic')).toBeUndefined();
  });
});

it('is not read beside a location of the listing’s own', () => {
  const listing = { title: 'Solid oak table', description: 'Collection from Stockport.' };
  const placesOf = (location: string) =>
    ask(readinessFamily, ScoreListingRequestSchema, { listing: { ...listing, location } }).facts.filter(
      ({ name }) => name === 'location',
    );
  expect(placesOf('Leeds')).toEqual([]);
  expect(placesOf('TBD')).toHaveLength(1);
});

it('reads a text of nothing but words for places in little time', () => {
  const text = 'Abholung in kann in based in visible à recogida en '.repeat(400);
  const before = performance.now();
  expect(readFacts(text, {}, 'generic').facts.filter(({ name }) => name === 'location')).toEqual([]);
  expect(performance.now() - before).toBeLessThan(1500);
});
