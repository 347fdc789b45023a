// Parcel notices, deadlines, house rules and courtesies that were judged as harm, and harm in the same words, in four languages.
import { describe, expect, it } from 'vitest';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { riskFamily } from '../../src/workflows/families/risk.ts';
import { ask } from './ask.ts';

const graveOf = (text: string) =>
  ask(riskFamily, CheckRiskRequestSchema, { text })
    .findings.filter(({ severity }) => severity !== 'info' && severity !== 'low')
    .map(({ category }) => category);

describe('messages of every day', () => {
  it.each([
    'Good night and sleep well!',
    'Sleep well, my love, see you in the morning.',
    'Did the baby sleep well?',
    'Enjoy your last day at work tomorrow, we will miss you.',
    'Watch your step, the floor is wet.',
    'Lock your doors and windows when you leave, says the insurance.',
    "Label the bags so yours doesn't get lost.",
    'You can get lost in that market, take a map.',
    'I can get you into the concert if you like, my sister works at the door.',
    'I can get you a ticket if you want.',
    'Como me cuentes el final te mato jaja',
    'Como te comas mi tarta te mato',
    'Diese Hitze bringt mich noch um.',
    'Der Lärm bringt mich um den Verstand.',
    'Die Arbeit bringt mich um, ich brauche Urlaub.',
    'Bitte keine Bilder der Kinder posten.',
    'Bitte gebt keine Süßigkeiten an die Kinder.',
    'Bitte keine Namen der Kinder auf den Ranzen schreiben.',
    'La Guardia Civil liberó cuarenta jilgueros cogidos con red.',
    'Los agentes liberaron cuarenta jilgueros que un hombre había cogido con red en Murcia.',
    'El Seprona soltó a los pájaros cazados con liga.',
    'Agentes forestales rescatan tortugas cogidas del monte.',
    'Hola papá, guarda este número nuevo, el otro lo he dado de baja. Te llamo luego.',
    "Oma, ich bin's, Lisa! Neues Handy, alte Nummer. Holst du mich Samstag vom Bahnhof ab?",
    'Papa, holst du mich um sechs vom Training ab? Mein Handy ist leer.',
    'Gran, new phone, same number. Can you pick me up from the station on Saturday?',
    'Abuela, móvil nuevo y el mismo número. ¿Me recoges el sábado en la estación?',
    'Mamie, nouveau portable mais même numéro. Tu viens me chercher à la gare samedi ?',
    'Never write passwords on paper; they belong in the manager.',
    'Never write the root password into the deploy notes; it belongs in the vault, and everyone has a login of their own.',
    "Don't put API keys in the repo, they go in the vault.",
    'Passwörter gehören in den Tresor, nicht auf einen Zettel.',
    "À 12 ans, pas de caméra dans la chambre : c'est la règle chez nous, et on en parle avec elle.",
    'Chez nous, pas de téléphone à table ni dans la chambre avant 14 ans.',
    'In our house phones stay downstairs at night, she is 12 and knows the rule.',
    'Bei uns gilt: kein Handy im Zimmer nach acht, sie ist zwölf.',
    'En casa la norma es clara: nada de móvil en la habitación, tiene doce años.',
    "J'ai rangé l'appart et laissé un mot à chacun pour la fête. Demain vous n'avez plus qu'à mettre la table.",
    "J'ai fait le ménage et les courses, il n'y a plus qu'à mettre la table pour l'anniversaire.",
    'Für das Regal brauchst du vier Rohre, Muttern und ein paar Nägel.',
    'Our Ramadan fasting group meets for iftar at seven, everyone brings a dish.',
    'Hotel de cinco estrellas con desayuno gratis.',
    'Hostal de tres estrellas, parking gratis y piscina.',
    'Su envío ha llegado a la oficina. Puede recogerlo hoy hasta las 20:30.',
    'Ihre Sendung wartet in der Packstation 102 auf Sie, Code in der App.',
    'Ihr Paket wartet am Schalter, Nummer 12, bitte Ausweis mitbringen.',
    'Ihr Paket konnte heute nicht zugestellt werden und liegt ab morgen ab 10 Uhr in der Filiale Bahnhofstraße für Sie bereit.',
    'DHL: Ihre Sendung 00340434 wird voraussichtlich am Dienstag zwischen 11 und 14 Uhr zugestellt.',
    'Ihr Paket wurde beim Nachbarn Müller abgegeben. Bitte holen Sie es dort ab.',
    'Leider haben wir Sie nicht angetroffen. Ihr Paket liegt zur Abholung bereit, bringen Sie bitte Ihren Ausweis mit.',
    'Ihre Sendung ist unterwegs. Sie können den Ablageort bis heute Abend in der App ändern.',
    'Hermes: Ihr Paket ist im PaketShop angekommen und liegt dort sieben Tage für Sie bereit.',
    'Ihr Paket wartet im PaketShop auf Sie, bitte innerhalb von 7 Tagen abholen.',
    'Su paquete no ha podido ser entregado hoy. Puede recogerlo mañana en la oficina de Correos con su DNI.',
    'Correos: su envío está en reparto y se entregará hoy antes de las 15:00.',
    'Su pedido ha salido del almacén. Puede seguir el envío en la aplicación.',
    'Tiene un paquete pendiente de recoger en el punto de recogida de la calle Luna hasta el viernes.',
    'SEUR: hemos intentado entregar su paquete. Elija otro día en nuestra aplicación, sin coste.',
    'Su paquete está en la aduana; en cuanto salga le avisaremos, no tiene que hacer nada.',
    "Votre colis n'a pas pu être livré, il vous attend au bureau de poste jusqu'au 12 avec une pièce d'identité.",
    "Colissimo : votre colis arrive demain avant 13 h. Vous pouvez choisir un autre jour dans l'application.",
    'Your parcel could not be delivered today. You can pick it up from the post office tomorrow with ID.',
    'Your order has left the warehouse, track it in the app.',
    'Send me the photos by tonight or we post the listing without pictures.',
    "Send me your pictures by Friday or we'll publish the page without them.",
    'Send the logo by noon or we print the flyer without it.',
    'Schick mir die Fotos bis heute Abend, sonst stellen wir die Anzeige ohne Bilder ein.',
    'Schick uns die Bilder bis Freitag, sonst veröffentlichen wir das Inserat ohne Fotos.',
    'Mándame las fotos antes de esta noche o publicamos el anuncio sin imágenes.',
    'Si no me mandas las fotos hoy, publicamos el anuncio sin fotos.',
    "Envoie-moi les photos avant ce soir, sinon on publie l'annonce sans images.",
    "Envoyez-nous les photos avant vendredi ou nous mettons l'annonce en ligne sans photo.",
  ])('are no finding: %s', (text) => {
    expect(graveOf(text)).toEqual([]);
  });
});

describe('harm in the same words', () => {
  it.each([
    ['threat', 'I know where you park. Sleep well.'],
    ['threat', 'You should have kept quiet. Sleep well tonight, both of you, we have your address.'],
    ['harassment', 'Get lost, you idiot, nobody wants you here'],
    ['threat', 'I will get you if you talk'],
    ['threat', 'Como vuelvas a acercarte a mi hermana te mato'],
    ['threat', 'Si vuelves a mirarla te mato, te lo juro'],
    ['threat', 'Kommst du noch einmal her, bring ich dich um'],
    ['self_harm', 'Ich kann nicht mehr und bring mich heute noch um.'],
    ['self_harm', 'Wenn du gehst, bring ich mich um'],
    ['discrimination_housing', 'Bitte keine Kinder, das Haus ist ruhig. Wohnung ab Mai.'],
    ['wildlife', 'Vendo jilgueros cogidos este año, cantan muy bien'],
    ['phishing', 'Ihr Paket wartet seit 3 Tagen, klicken Sie hier und zahlen Sie den Zoll.'],
    ['phishing', 'Ihre Sendung wurde angehalten (Nr. 44), Adresse unvollständig: post-info.example'],
    [
      'phishing',
      'Ihr Paket konnte nicht zugestellt werden. Zahlen Sie 1,99 Euro Zustellgebühr unter paket-info.example.',
    ],
    ['threat', 'Send me 500 by tonight or I post your pictures on your school page.'],
    ['threat', 'Schick mir 500 bis heute Abend, sonst stell ich deine Bilder ins Netz.'],
    ['threat', 'Envoie-moi 500 avant ce soir sinon je publie tes photos.'],
    ['threat', 'Send me more pics by tonight or the ones I have go to your mum.'],
  ])('is found (%s): %s', (category, text) => {
    expect(graveOf(text)).toContain(category);
  });
});
