// Harm in coded words (favours for officials, goods past an embargo, kept passports, paid intimacy, blackmail), and the same words in a
// harmless sense, in four languages.
import { describe, expect, it } from 'vitest';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { riskFamily } from '../../src/workflows/families/risk.ts';
import { ask } from './ask.ts';

const graveOf = (text: string) =>
  ask(riskFamily, CheckRiskRequestSchema, { text })
    .findings.filter(({ severity, source }) => source === 'rules' && severity !== 'info' && severity !== 'low')
    .map(({ category }) => category);

describe('the same words in a harmless sense', () => {
  it.each([
    'We return every envelope that a bidder hands us. The tender is decided in writing, by three people.',
    'The councillor is on trial: an envelope for a permit, and nothing in writing.',
    'The invoice names Istanbul as the port of call. Customs cleared the tractor parts in a day.',
    'How do firms get around sanctions? A talk on compliance, with cases that ended in fines.',
    'Roses at the entrance, a gift table in the hallway: the wedding was lovely and the masseuse of the hotel too.',
    'The club receives generous donations from gentlemen and ladies alike.',
    'Please add the photos of my husband to the family album. How much are ten prints?',
    'Five stars, though I have not tried the breakfast. The hotel refunded the parking.',
    'Our neighbour who reported the leak lives on the third floor, thank her when you knock.',
    'Pay the deposit over the phone or at the desk, and your son can start the course on Monday.',
    'Day 4 of the hike: nothing but broth and rice, goal is the hut at 2,000 metres.',
    'We found a young owl with no ring and took it to the sanctuary in a box.',
    'The first two weeks of training are paid like any other, and nobody keeps your passport.',
    'If you leave early, nothing is lost: the last month is paid in full, holidays included.',
    'My neighbour said the drops cure migraine. They did nothing for me, so do not buy it.',
    'Wer die Genehmigung braucht, stellt den Antrag schriftlich beim Bauamt. Ein Umschlag liegt bei.',
    'Die Rechnung nennt Istanbul, im Container sind Landmaschinen, der Zoll war in einem Tag fertig.',
    'Rosen und ein Geschenk auf dem Tisch zum Geburtstag, dazu ein Gutschein für eine Massage.',
    'Danach gehen die Bilder an die Redaktion, das Porträt erscheint am Samstag.',
    'Noch kein Spiel haben sie verloren, und auch am Sonntag gewinnen sie hoffentlich.',
    'Der Ausweis bleibt bei Ihnen, wir machen für die Saison nur eine Kopie.',
    'Wer früher geht, verliert keinen Lohn: Der letzte Monat wird anteilig ausgezahlt.',
    'Die Nachbarin, die den Wasserschaden gemeldet hat, wohnt im Gartenweg, dritter Stock.',
    'Die Salbe soll Arthrose heilen, bei mir hat sie nichts gebracht.',
    'Nos han devuelto el expediente de la licencia en un sobre, hay que presentarlo otra vez por escrito.',
    'La factura pasa por Estambul porque allí está el almacén de repuestos agrícolas.',
    'Recibo a los señores alumnos en mi despacho los martes.',
    'No hemos perdido ni un partido, y este domingo también queremos ganar.',
    'Cinco estrellas aunque nos fuimos sin probar la piscina, el hotel nos devolvió el parking.',
    'El profesor que me suspendió vive en mi calle y me saluda siempre.',
    'El loro tiene anilla y certificado, y come de la mano.',
    'La primera semana de prueba se cobra igual, y el pasaporte se queda en tu bolso.',
    'Me dijo que su infusión cura la gastritis, pero no noté nada.',
    'Tomo lo de siempre: un café con leche, y al salir pago en efectivo. Hoy hay nieve.',
    "Le dossier du permis est dans l'enveloppe, merci de répondre par écrit.",
    'La facture part de Dubaï parce que le siège y est, les pièces détachées viennent de Lyon.',
    "Un cadeau à l'entrée et une rose sur chaque table : le mariage était superbe.",
    'Ce serait dommage que ta mère reçoive les photos avant la surprise.',
    "Nous n'avons perdu aucun match cette saison, on espère gagner dimanche aussi.",
    'Le voisin qui a signalé la fuite habite au deuxième étage, rue Pasteur.',
    'La tortue a une puce et ses papiers, elle hiberne dans une caisse.',
    'Votre passeport reste chez vous, la photocopie suffit pour la saison.',
    'Le premier mois de formation est payé, le contrat le dit noir sur blanc.',
    'Menu du soir : velouté, bar au citron et île flottante. Remise pour les fidèles.',
    "On m'a volé mon vélo, le cadenas était cassé. J'ai la facture et j'ai porté plainte.",
  ])('are no finding: %s', (text) => {
    expect(graveOf(text)).toEqual([]);
  });
});

describe('harm', () => {
  it.each([
    [
      'prohibited_goods',
      'If the permit is signed by Friday there is something for you in the folder, like last time. Best not by email.',
    ],
    [
      'prohibited_goods',
      'Despite the embargo we deliver the pumps within six weeks, the invoice runs through a cousin.',
    ],
    [
      'prohibited_goods',
      'On paper it stays in Istanbul and we call it agricultural. From there it travels on, nobody checks the end user.',
    ],
    ['sexual_content', 'Discreet and affectionate, afternoons only. The present goes on the table at the start.'],
    [
      'threat',
      'I kept the messages to your wife. You know how much it takes to help my memory, you have until Sunday.',
    ],
    ['misleading_marketing', 'Give us five stars before you have opened the box and we refund the 20 pounds.'],
    ['personal_data', 'The woman who reported us: Mill Lane 9, second floor. Feel free to pop round, all of you.'],
    ['impersonation', 'This is the consulate. Your son is detained, and the fine can be paid over the phone.'],
    ['self_harm', 'day 3 of nothing but ice and gum, goal is 40 kilos, who is in?'],
    ['wildlife', 'Two young owls, no ring, hand over at night in a box with holes, 300 each'],
    [
      'unfair_terms',
      'Pickers wanted, start Monday. The first three weeks are training and not paid, we take care of your passport.',
    ],
    [
      'prohibited_goods',
      'Kommt die Genehmigung bis Ostern, liegt eine kleine Aufmerksamkeit bei, wie beim letzten Mal. Sie verstehen mich.',
    ],
    [
      'prohibited_goods',
      'Auf dem Papier bleibt alles in Istanbul und heißt Landmaschinen. Von dort geht es weiter, das prüft keiner.',
    ],
    ['sexual_content', 'Massage privat bei mir, sehr offen. Die Rosen bitte zu Beginn auf den Tisch.'],
    ['threat', 'Du meldest dich heute noch. Danach gehen die Bilder an deine ganze Firma.'],
    ['misleading_legal', 'Wir haben noch keinen Prozess verloren, und Ihren gewinnen wir auch.'],
    ['personal_data', 'Der Typ, der uns angezeigt hat: Ulmenweg 3, erster Stock. Schaut mal vorbei!'],
    ['unfair_terms', 'Wir holen dich am Bus ab, Handy aus. Die Pässe bleiben bis zum Ende der Ernte im Büro.'],
    ['unfair_terms', 'Wer früher abreist, bekommt den letzten Monat nicht ausgezahlt.'],
    ['wildlife', 'Zwei Papageien ohne Ring, Übergabe nachts, 200 Euro'],
    ['prohibited_goods', 'Si la licencia sale antes del lunes hay un detallito para usted. Mejor nada por escrito.'],
    [
      'prohibited_goods',
      'En los papeles ponemos que son repuestos y que se quedan en Dubai. Desde allí siguen, nadie mira.',
    ],
    ['sexual_content', 'Recibo en mi piso a caballeros generosos, trato discreto.'],
    ['misleading_legal', 'No hemos perdido ni un juicio y el suyo lo ganamos también.'],
    ['drugs', 'Ha llegado lo de siempre y nieve para el finde. Te lo acerco a casa, trae el dinero justo.'],
    ['wildlife', 'Guacamayo joven recién llegado de la selva, se entrega de noche, 500'],
    ['unfair_terms', 'Los pasaportes se quedan guardados hasta que acabe la cosecha, luego se cobra todo junto.'],
    ['unfair_terms', 'Las dos primeras semanas son de prueba y no se cobran.'],
    ['impersonation', 'Abuela, soy yo, tengo catarro y por eso la voz. El abogado pasa a recoger un sobre.'],
    [
      'prohibited_goods',
      'Si le permis sort cette semaine, une petite attention vous attend. Rien par écrit, de vive voix.',
    ],
    ['prohibited_goods', "Malgré l'embargo nous livrons les vannes, la facture passe par un ami."],
    ['sexual_content', "Dame discrète reçoit messieurs courtois, le cadeau se laisse à l'entrée."],
    ['threat', 'Ce serait gênant que ton patron tombe sur les vidéos de samedi. Tu as jusqu’à lundi.'],
    ['misleading_marketing', 'Mettez cinq étoiles sans avoir testé et nous ajoutons dix euros.'],
    ['stolen_goods', 'Vélo volé hier, antivol coupé, sans papiers, 150 euros cash'],
    ['unfair_terms', 'Stage de trois mois non payé, et votre passeport reste au coffre jusqu’à la fin du contrat.'],
    ['wildlife', 'Deux tortues du maquis, sans puce, remise la nuit, 80 euros'],
  ])('%s: %s', (category, text) => {
    expect(graveOf(text)).toContain(category);
  });
});

it('takes the words of others, with their denial, for a warning', () => {
  for (const text of [
    'Me dijo que su crema cura la psoriasis, pero mi dermatóloga lo niega y yo no noté nada. No la compréis.',
    'Er meinte, das Öl heilt Asthma. Hat bei mir nichts gebracht, kauft es nicht.',
  ])
    expect(graveOf(text)).toEqual([]);
  expect(graveOf('Esta crema cura la psoriasis en dos semanas.')).toContain('misleading_health');
});
