// What a seller denies, and shorter ways to say what a thing has.
import { expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { ask } from './ask.ts';

const factsOf = (category: string, description: string) =>
  Object.fromEntries(
    ask(readinessFamily, ScoreListingRequestSchema, {
      listing: { title: 'For sale', description, category },
    }).facts.map(({ name, value }) => [name, value]),
  );

it.each([
  ['vehicle', 'Seat Ibiza 2018 diésel, único dueño, nunca accidentado', { accidentFree: 'true' }],
  ['vehicle', 'Seat Ibiza, nunca ha tenido un accidente', { accidentFree: 'true' }],
  ['vehicle', 'Seat Ibiza accidentado, para piezas', { accidentFree: 'false' }],
  ['vehicle', 'Opel Corsa, hatte nie einen Unfall', { accidentFree: 'true' }],
  ['vehicle', 'Ford Focus, never been in an accident', { accidentFree: 'true' }],
  ['vehicle', "Peugeot 208, n'a jamais eu d'accident", { accidentFree: 'true' }],
  ['property', 'Maison 5 pièces à Nantes, 349 000 € FAI', { offer: 'sale', price: '349000' }],
  ['electronics', 'ThinkPad T14, 16 GB RAM, 512er SSD', { ramGb: '16', storageGb: '512' }],
])('%s: %s', (category, description, expected) => {
  expect(factsOf(category, description)).toMatchObject(expected);
});

it.each([
  ['vehicle', 'Toyota Yaris 2015. It is not an automatic.', 'transmission', 'manual'],
  ['vehicle', 'Seat León 2016. No es automático, gasolina.', 'transmission', 'manual'],
  ['vehicle', "Clio 2016, ce n'est pas une automatique", 'transmission', 'manual'],
  ['vehicle', 'VW Golf. Not one owner, four on the V5.', 'owners', undefined],
  ['vehicle', 'Opel Astra. Unfallfrei kann ich nicht bestätigen.', 'accidentFree', undefined],
  ['vehicle', "Clio, non accidentée je ne peux pas le garantir, c'est la deuxième main", 'accidentFree', undefined],
  ['vehicle', 'Opel Astra. Nicht unfallfrei.', 'accidentFree', 'false'],
  ['property', '2 bed flat to let. Not furnished.', 'furnished', 'false'],
  ['property', '3 Zimmer zu vermieten, nicht möbliert', 'furnished', 'false'],
  ['property', 'Piso en alquiler, no está amueblado', 'furnished', 'false'],
  ['job', 'Verkäufer gesucht. Keine Vollzeit, 20 Stunden.', 'workload', 'part-time'],
  ['job', 'Pflegefachfrau gesucht, nicht befristet, Gehalt 4.000 €', 'contract', 'permanent'],
  ['electronics', 'ThinkPad T480. Battery not at 100% any more', 'batteryHealthPercent', undefined],
  ['electronics', 'Dell monitor, 2560x1440', 'model', undefined],
])('denied in a %s: %s', (category, description, fact, expected) => {
  expect(factsOf(category, description)[fact]).toBe(expected);
});

it.each([
  ['vehicle', 'VW Golf 2015. Automatik: nein, Diesel', 'transmission', 'manual'],
  ['vehicle', 'Clio, boîte automatique : non, diesel', 'transmission', 'manual'],
  ['vehicle', 'Opel Astra, unfallfrei - nein', 'accidentFree', 'false'],
  ['vehicle', 'Seat León 2016. Accidentado: no.', 'accidentFree', 'true'],
  ['vehicle', 'Seat León que no ha sido accidentado', 'accidentFree', 'true'],
  ['property', '3 Zimmer zu vermieten. Möbliert ist sie nicht', 'furnished', 'false'],
  ['property', 'Piso en alquiler. Amueblado: no', 'furnished', 'false'],
  ['property', '2 bed flat to let, furnished - no', 'furnished', 'false'],
  ['property', '2 bed flat to let, pets allowed? no', 'petsAllowed', 'false'],
  ['property', '2 bed flat to let. Pets: no. Not quiet', 'petsAllowed', 'false'],
  ['job', 'Verkäufer gesucht. Teilzeit ist leider nicht möglich', 'workload', 'full-time'],
  ['job', 'Barista wanted. Full time is not possible', 'workload', 'part-time'],
  ['job', 'Vendeur recherché, temps partiel pas possible', 'workload', 'full-time'],
  ['job', 'Se busca camarero, media jornada no es posible', 'workload', 'full-time'],
  ['job', 'Nachhilfelehrer gesucht, Vollzeit nicht möglich', 'workload', 'part-time'],
  ['job', 'Developer wanted. Remote is not possible', 'remote', undefined],
  ['phone', 'iPhone 12. Wie neu? Nein, leider nicht', 'condition', undefined],
  ['phone', 'iPhone 12, nichts kaputt, wie neu', 'condition', 'like new'],
])('denied after the word in a %s: %s', (category, description, fact, expected) => {
  expect(factsOf(category, description)[fact]).toBe(expected);
});

it.each([
  ['property', 'Furnished - no pets, 2 bed to let', 'furnished', 'true'],
  ['property', 'The furnished flat to let is not in the centre', 'furnished', 'true'],
  ['property', 'Die möblierte Wohnung ist nicht im Zentrum', 'furnished', 'true'],
  ['vehicle', 'Opel Astra, die Automatik ist nicht verschlissen', 'transmission', 'automatic'],
  ['vehicle', 'Ford Focus, white, no rust', 'colour', 'white'],
])('a "not" of something else denies nothing in a %s: %s', (category, description, fact, expected) => {
  expect(factsOf(category, description)[fact]).toBe(expected);
});

it.each([
  ['Opel Corsa 2012, ob unfallfrei weiß ich nicht', { accidentFree: undefined, colour: undefined }],
  ['Opel Astra. Unfallfrei? Weiß ich nicht. Weiß lackiert', { accidentFree: undefined, colour: 'white' }],
  ["Toyota Yaris. I don't know if it is accident free", { accidentFree: undefined }],
  ['Ford Focus 2012, not red but blue', { colour: 'blue' }],
])('what a seller does not know is no fact: %s', (description, expected) => {
  const found = factsOf('vehicle', description);
  expect(Object.fromEntries(Object.keys(expected).map((name) => [name, found[name]]))).toEqual(expected);
});

it('a flat is not offered for what its landlord rules out', () => {
  const listing = { title: '2 bed flat', description: 'Not a holiday let. £1200 pcm', category: 'property' };
  const { facts } = ask(readinessFamily, ScoreListingRequestSchema, { listing });
  expect(facts.find(({ name }) => name === 'offer')?.value).toBe('rent');
});

it.each([
  ['vehicle', 'Toyota Yaris 2015. £20 tax, £4,500', '4500'],
  ['vehicle', 'Renault Zoe. Batterie en location 69€/mois, prix 6 900 €', '6900'],
  ['bike', 'Vélo Trek. Facture 6 800 €, je vends 4 200 €', '4200'],
  ['bike', 'Vélo Trek, valeur 1500 €, prix : 400€', '400'],
  ['phone', 'iPhone 12, für 1200 € gekauft, jetzt 300€', '300'],
  ['phone', 'MacBook, bought for £1200, asking £450 ono', '450'],
  ['phone', 'iPhone 12 VB 300€', '300'],
  ['sofa', 'Sofa, Neupreis 1200€, FP 300,-', '300'],
  ['guitar', 'Gitarre, Wert ca. 400 €, für 220 € abzugeben', '220'],
  ['laptop', 'Desktop PC, cost £2,000 to build, £900', '900'],
  ['sofa', 'Sofa 300€ Neupreis 1200 €', '300'],
  ['sofa', 'Sofa was £500 now £200', '200'],
  ['vehicle', 'Seat Ibiza, seguro 300 € al año, pido 5.500€', '5500'],
  ['vehicle', 'Seat Ibiza, impuesto 60 € al año, 5.500€', '5500'],
  ['vehicle', 'Opel Corsa, Reparatur 800 €, Preis 3500 VB', '3500'],
  ['vehicle', 'Renault Zoe, loc. batterie 69€ par mois, 6900 €', '6900'],
  ['vehicle', 'Golf. Spent over £600 on tyres, £4,500', '4500'],
  ['property', 'Leasehold flat for sale. Ground rent £250 a year, £210,000', '210000'],
])('another sum is no price in a %s: %s', (category, description, price) => {
  expect(factsOf(category, description).price).toBe(price);
});

it.each([
  ['2 bed flat, leasehold. Service charge £120 per month. £210,000', 'sale'],
  ['2 bed flat. Service charge £120 per month. £210,000', undefined],
  ['2 bed flat, service charge £120 pcm, guide price £210,000', 'sale'],
  ['Vermietete Eigentumswohnung, 60 m², 180.000 €', 'sale'],
  ['3 Zimmer Wohnung, langjährig vermietet, Kaltmiete 700 €, Kaufpreis 180.000 €', 'sale'],
  ['Piso alquilado en venta, 120.000 €', 'sale'],
  ['Appartement T2 vendu loué, loyer 600 €', 'sale'],
  ['2 bed flat, tenant in situ, rental income £800 pcm', 'sale'],
  ['2 bed flat, £900 per month including service charge', 'rent'],
  ['Vermietet wird eine 3 Zimmer Wohnung', 'rent'],
  ['Meine 3 Zimmer Wohnung wird ab Mai vermietet', 'rent'],
  ['3 Zimmer Wohnung zu vermieten, bisher nicht vermietet', 'rent'],
  ['Piso en alquiler con inquilinos tranquilos al lado', 'rent'],
])('a flat that is let is offered as its landlord says: %s', (description, offer) => {
  const { facts } = ask(readinessFamily, ScoreListingRequestSchema, {
    listing: { title: 'A flat', description, category: 'property' },
  });
  expect(facts.find(({ name }) => name === 'offer')?.value).toBe(offer);
});

it.each([
  ['3 Zimmer Wohnung, vermietet seit 2015, Mieteinnahmen 8.400 €, 180.000 €', '180000'],
  ['3 Zimmer Wohnung, Kaltmiete 700 €, Kaufpreis 180.000 €', '180000'],
])('a let flat costs what it is sold for: %s', (description, price) => {
  expect(factsOf('property', description).price).toBe(price);
});

it.each([
  ['vehicle', 'BMW 118i, Leasing 199 € mtl.'],
  ['vehicle', 'Renault Zoe, batterie en location'],
  ['things', 'Registration fee of £50'],
  ['sofa', 'Sofa, jetzt 3-4 Jahre alt'],
])('no price is asked in a %s: %s', (category, description) => {
  expect(factsOf(category, description)).not.toHaveProperty('price');
});

it.each([
  ['phone', 'iPhone 11 mit Rechnung 450€', '450'],
  ['phone', 'iPhone 11 con factura 450€', '450'],
  ['vehicle', 'Golf Sport 4500 £. Great car, spent £600', '4500'],
  ['things', 'Travel cot £30', '30'],
  ['laptop', 'Laptop for spares or repair £50', '50'],
  ['tiles', 'Fliesen 12 €/m², 30 m²', '12'],
  ['bike', 'Vélo 45€ port compris', '45'],
  ['services', 'Reparatur 80 €, Anfahrt 20 €', '80'],
  ['property', '2 bed flat to let, £900 a month, registration fee £50', '900'],
])('a sum is the price beside words of other sums in a %s: %s', (category, description, price) => {
  expect(factsOf(category, description).price).toBe(price);
});

it.each([
  [
    'property for sale',
    'Leasehold flat for sale. Ground rent £250 a year, £210,000',
    { offer: 'sale', rentPerMonth: undefined },
  ],
  ['property', 'Haus in Graz, HWB 58 (C), 420.000 €', { energyClass: 'C' }],
  ['property', '3 Zimmer Wohnung, Klasse F', { energyClass: 'F' }],
  ['property', 'Piso en Lugo, certificado G', { energyClass: 'G' }],
  ['job', 'Camarero. Hotel Miramar necesita camarero', { employer: 'Hotel Miramar' }],
  ['job', 'Pflege. Spitex Thun sucht Pflegefachfrau', { employer: 'Spitex Thun' }],
  ['job', 'Die Gemeinde Lochau sucht eine Kraft für den Bauhof, Vollzeit', { employer: 'Gemeinde Lochau' }],
  ['job', 'Chef. The Red Lion needs a chef', { employer: 'Red Lion' }],
  ['job', 'Cleaner. Leeds City Council is recruiting', { employer: 'Leeds City Council' }],
  ['job', 'Serveur. Le Bistrot du Port recrute un serveur', { employer: 'Bistrot du Port' }],
  ['job', 'Koch. Gasthof Adler in Lochau sucht einen Koch', { employer: 'Gasthof Adler' }],
  ['job', 'Camarero. Grupo La Marina busca camarero', { employer: 'Grupo La Marina' }],
  ['job', "Nurse. St. Mary's is hiring nurses", { employer: "St. Mary's" }],
  ['job', 'Developer. Remote is not possible. Acme Ltd seeks one', { employer: 'Acme Ltd' }],
  ['job', 'Fahrer. E. Huber GmbH sucht Fahrer', { employer: 'E. Huber GmbH' }],
  ['job', 'Koch. Unser Team sucht Verstärkung', { employer: undefined }],
  ['job', 'Koch sucht neue Stelle in Wien, Vollzeit', { employer: undefined }],
  ['job', 'Nanny. My sister is looking for a nanny', { employer: undefined }],
  ['job', 'Chef. Our kitchen needs a deep clean', { employer: undefined }],
  ['job', 'Chef. Our client is recruiting a chef', { employer: undefined }],
  ['job', 'Vendeur. La personne cherche un emploi', { employer: undefined }],
  ['job', 'Earn from home. Pay only $35 for the starter kit, earn $500 a week', { salaryMin: '500' }],
  ['furniture', 'Chest of drawers, drawer handle broken, otherwise good', { condition: 'good' }],
  ['furniture', 'Table, one scratch, otherwise fine', { condition: 'good' }],
  ['furniture', 'Kommode, defekter Griff, sonst alles gut', { condition: 'good' }],
  ['fashion', 'Lederjacke, Reißverschluss defekt', { condition: 'used' }],
  ['furniture', 'Chest of drawers, broken handle', { condition: 'used' }],
  ['furniture', 'Cómoda, tirador roto', { condition: 'used' }],
  ['furniture', 'Commode, poignée cassée', { condition: 'used' }],
  ['furniture', 'Armario blanco roto', { condition: undefined }],
  ['furniture', 'Armoire blanc cassé, prix cassé', { condition: undefined }],
  ['laptop', 'Laptop kaputt, nur für Bastler', { condition: 'for parts' }],
  ['phone', 'iPhone 11, pantalla rota', { condition: 'for parts' }],
  ['phone', 'Pixel 7, screen cracked, otherwise fine', { condition: 'used' }],
  ['phone', 'Samsung A52, rien de cassé', { condition: undefined }],
  ['laptop', 'Dell laptop i7, 16 GB RAM', { processor: 'i7' }],
  ['laptop', 'Dell laptop, Intel Core i5, 16 GB RAM', { processor: 'i5' }],
  ['laptop', 'Dell laptop, Core i5-8250U', { processor: 'i5-8250U' }],
  ['laptop', 'HP laptop, Ryzen 5, 8 GB RAM', { processor: 'Ryzen 5' }],
  ['property', 'Wohnung, Küche ist nicht möbliert, 3 Zimmer', { furnished: undefined }],
  ['property', 'Möblierte Wohnung, Küche ist nicht möbliert', { furnished: 'true' }],
  ['property', 'Wohnung, die Wohnung ist nicht möbliert', { furnished: 'false' }],
  ['property', '2 Zimmer Küche Bad möbliert', { furnished: 'true' }],
  ['property', 'Flat, the kitchen is not furnished', { furnished: undefined }],
  ['property', 'Flat, the bathroom is unfurnished', { furnished: undefined }],
  ['property', 'Piso, la cocina no está amueblada', { furnished: undefined }],
  ['property', "Appartement, la cuisine n'est pas meublée", { furnished: undefined }],
  ['property', 'Two bed leasehold flat, £285,000, 95 years remaining', { offer: 'sale', price: '285000' }],
  ['property', '2 bed flat, £285,000, 95 years left on the lease', { offer: 'sale' }],
  ['property', 'Bar, alquiler 900 €/mes. Traspaso 25.000 €', { offer: 'sale', price: '25000', rentPerMonth: '900' }],
  ['property', 'Se traspasa bar por 25.000 €, alquiler 900 €/mes', { offer: 'sale', price: '25000' }],
  ['property', 'Bar, loyer 900 € par mois, cession 45 000 €', { price: '45000', rentPerMonth: '900' }],
  ['car', 'Golf, Bremsen neu (repariert 1.200 €). 7.900 €', { price: '7900' }],
  ['car', 'Golf, Zahnriemen gewechselt für 800 €. 7.900 €', { price: '7900' }],
  ['car', 'Focus, new clutch fitted (£650). £4,500', { price: '4500' }],
  ['car', 'Focus, repaired last year for £650. £4,500', { price: '4500' }],
  ['car', 'Ibiza, embrague cambiado (650 €). 4.500 €', { price: '4500' }],
  ['car', 'Clio, embrayage changé (650 €). 4 500 €', { price: '4500' }],
  ['car', 'Golf, frisch repariert, 1.200 €', { price: '1200' }],
  ['phone', 'iPhone 12 300 VB', { price: '300', model: 'iPhone 12' }],
  ['phone', 'iPhone 12 VB 300', { price: '300', model: 'iPhone 12' }],
  ['phone', 'iPhone 13 450 € VB', { price: '450', model: 'iPhone 13' }],
  ['phone', 'Galaxy S21 250 €', { price: '250', model: 'Galaxy S21' }],
  ['phone', 'Playstation 5 350 VB', { price: '350', model: 'Playstation 5' }],
  ['car', 'Clio 4 500 €', { price: '4500' }],
  ['furniture', 'Sofa, guter Zustand, VB 300', { price: '300' }],
  ['furniture', 'Sofa, VHB: 1.250, nur Abholung', { price: '1250' }],
  ['furniture', 'Sofa VB 120 cm breit', { price: undefined }],
  ['job', 'Die Meier GmbH & Co. KG sucht einen Fahrer', { employer: 'Meier GmbH & Co. KG' }],
  ['job', 'Wir, die Spedition Huber AG & Co. KGaA, suchen Fahrer', { employer: 'Spedition Huber AG & Co. KGaA' }],
  ['job', 'Baker. Work from 7.30. Leeds', { startDate: undefined }],
  ['job', 'Verkäuferin. Arbeitsbeginn 7.30 in Graz', { startDate: undefined }],
  ['job', 'Verkäuferin. Ab 06.27 in Graz', { startDate: '2027-06' }],
  ['job', 'Verkäuferin. Arbeitsbeginn 06.28 Uhr', { startDate: undefined }],
])('%s: %s', (category, description, expected) => {
  const found = factsOf(category, description);
  expect(Object.fromEntries(Object.keys(expected).map((name) => [name, found[name]]))).toEqual(expected);
});
