// Harm said politely or by a hint (extortion as a favour asked, a gift for an official, a tip from inside, who passes on other
// people's money, a refusal for a private reason, a poll against one), and the same words in a harmless sense, in four languages.
import { describe, expect, it } from 'vitest';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { riskFamily } from '../../src/workflows/families/risk.ts';
import { ask } from './ask.ts';

const graveOf = (text: string) =>
  ask(riskFamily, CheckRiskRequestSchema, { text }).findings.filter(
    ({ severity }) => severity !== 'info' && severity !== 'low',
  );

describe('the same words in a harmless sense', () => {
  it.each([
    // Affection, and polls that are kind.
    'Everyone loves you, grandma, and everybody wants you to stay another week.',
    'The whole office wants you on the quiz team, so say yes!',
    'Everyone in the choir misses you and wants you back by Easter.',
    "Tout le monde t'aime, mamie, et tout le monde te réclame à Noël.",
    "Bravo pour ta photo ! On a fait un sondage dans la classe : tout le monde veut venir avec toi l'année prochaine.",
    'We did a poll in class: everyone wants you to come along again next year.',
    'Wir haben in der Klasse abgestimmt: Alle wollen, dass du wieder mitkommst.',
    'Hemos hecho una encuesta en clase: todos quieren que vuelvas el año que viene.',
    // Tools are no weapons, and supper is no drug.
    'Glue gun for sale with two boxes of sticks. Also a wooden toy, no papers but lots of history. Collect in Leeds.',
    'Vendo pistola de silicona y dos cajas de barras. También una bicicleta sin papeles, del pueblo. Entrega en mano.',
    'Verkaufe Heißklebepistole mit zwei Kartons Sticks. Dazu ein Holzspielzeug, ohne Papiere. Abholung in Kassel.',
    'Vends pistolet à colle et deux boîtes de bâtons. Aussi un tableau, sans papiers mais signé. À retirer à Nantes.',
    'Soirée pizza vendredi : la verte est au pesto, la blanche à la crème, et il y aura des bonbons pour les enfants. Commandez avant midi !',
    // Who moves or is away.
    "I've tidied the flat and given Sophie my plants. I won't be here tomorrow, I'll be in Lisbon by noon. Come and see me!",
    'Ich habe aufgeräumt und Sophie meine Pflanzen geschenkt. Morgen bin ich nicht mehr da, sondern in Lissabon. Kommt mich besuchen!',
    'Demain je ne serai plus là, mais mon collègue Marc répondra à vos questions.',
    'Demain je ne serai plus là, mais à Lisbonne : venez tous me voir, il y a un canapé.',
    'Ab morgen habt ihr zwei Wochen Ruhe vor mir, ich fahre an die See. Sucht nicht nach mir, der Hund ist bei Oma.',
    "You'll have peace and quiet from me for two weeks: I'm off to Crete tomorrow. Don't look for me, the dog is at gran's.",
    "It's not your fault, I'm just tired of the noise. From tomorrow the office is rid of me for a week, holiday at last!",
    // Requests, fees and gifts in the open.
    'Parents, please remember the 5 euro contribution for the class photos, so that nobody is left out by accident.',
    'The messages went to my boss by accident. He laughed and gave 20 pounds to our charity run.',
    'Lovely restaurant, and a candle fire in the corner. They look after you well; lunch is 14 pounds.',
    'A nice workshop to let, wired anew after the fire. 600 a month, and the landlord looks after the yard.',
    'Die Fotos hat mein Mann aus Versehen gelöscht. Für 30 Euro Beitrag stellt das Labor sie wieder her.',
    'Hübsches Lokal mit Kamin. Nach dem Brand wurde alles erneuert, die Pacht beträgt 900 Euro im Monat.',
    'Por error borré los mensajes de mi jefe. Con una aportación de 20 euros el club recupera las fotos.',
    'Bonita tienda con chimenea, reformada tras el incendio. El traspaso incluye las existencias, 700 euros al mes.',
    "Mon mari a effacé les photos par erreur. L'association demande une participation de 15 euros pour les retrouver.",
    'Joli commerce à louer, refait après un incendie. Le loyer est de 800 euros par mois, charges comprises.',
    'Think carefully before you give evidence: our leaflet for witnesses says what happens in court. Bring the children if you must.',
    'Überlegen Sie gut, was Sie bei der Anzeige angeben. Der Hund ist schön gezeichnet, ein Foto hilft der Polizei sehr.',
    'The inspector comes on Thursday. The envelope on the desk holds the papers for his file, please find them a place.',
    'For the farewell of our director we collected for a hamper and a bottle. Please find the card in the kitchen and sign it.',
    'Der Prüfer kommt am Donnerstag. Im Umschlag liegen die Belege, damit es schneller geht.',
    'El inspector viene el jueves. En el sobre están los recibos, así terminamos antes.',
    "L'inspectrice passe jeudi. Dans l'enveloppe se trouvent les factures, pour aller plus vite.",
    // Work, shares and wills as they are.
    'Your wages arrive in your account on the 28th, and the rest of the holiday pay, 10 percent, comes in July.',
    'Das Gehalt geht am 28. auf Ihr Konto. Zehn Prozent behalten wir als Steuer ein, der Rest wird überwiesen.',
    'I work in the audit department. The results are announced on Thursday; until then I may not buy shares, that is insider trading.',
    'Mein Bruder arbeitet in einer Kanzlei. Nach der Übernahme hat er seine Aktien verkauft, das stand in jeder Zeitung.',
    'Trabajo en un banco. El jueves se publican los resultados y las acciones ya han subido, lo cuenta el periódico.',
    "Je travaille dans une banque. Le rachat a été annoncé jeudi et les actions ont monté, comme l'écrit le journal.",
    'As a widow without children I leave my house to the hospice. The solicitor says the fee is 300 pounds.',
    "We're delighted: Anna got married in May and is expecting a baby. For the year of her leave we seek someone for the position.",
    'Die Bewerbung hat uns gefallen, und ob Sie ein Kopftuch tragen, ist egal. Wir haben uns für Sie entschieden.',
    'Su candidatura nos gustó mucho. La persona elegida conoce ya nuestro programa; sentimos no poder ofrecerle el puesto.',
    // Neighbours and helpers.
    'Mrs Hall leaves at half past five and walks home alone through the park. Could somebody give her a lift?',
    'The lady from the council who helped us retires on Friday. Whoever wants to thank her in person: the party is in Mill Lane 4.',
    'Die Dame vom Jugendamt geht in Rente. Wer ihr persönlich danken will: Die Feier ist in der Gartenstraße 14.',
    'Type your password, then the six digits from your phone. Never send them to anyone, not even to us.',
    'Geben Sie Ihr Passwort ein und danach die Ziffern vom Handy. Schicken Sie sie niemandem, auch uns nicht.',
  ])('is no finding: %s', (text) => {
    expect(graveOf(text)).toEqual([]);
  });
});

describe('harm by hint', () => {
  it.each([
    // Extortion that asks for a favour.
    [
      'threat',
      'It would be a pity to disturb your husband with those hotel pictures. A small token of goodwill, say £800, and they vanish for good.',
    ],
    [
      'threat',
      'We would hate to bother the parish with your emails to the choirmaster. For a modest donation of 600 euros we forget them.',
    ],
    [
      'threat',
      'Ihre Verlobte muss von den Nachrichten nichts wissen. Gegen eine kleine Anerkennung von 700 Euro vergessen wir sie gern.',
    ],
    [
      'threat',
      'Nur ungern würden wir Ihren Arbeitgeber mit den Bildern vom Oktoberfest behelligen. Eine Spende von 2000 Euro, und sie verschwinden.',
    ],
    [
      'threat',
      'No nos gustaría que su esposa viera las fotos del hotel. Con un gesto de mil euros se borran para siempre.',
    ],
    [
      'threat',
      'Esos mensajes podrían llegar a su empresa por error. Una aportación de 600 euros y nos olvidamos de ellos.',
    ],
    [
      'threat',
      'Nous ne souhaitons pas inquiéter votre épouse avec ces photos. Une petite contribution de 900 euros et elles disparaissent.',
    ],
    [
      'threat',
      'Vos courriels pourraient parvenir par erreur à la direction. Avec un effort de mille euros, nous saurons les oublier.',
    ],
    // Protection that nobody asked for, and hints to witnesses.
    [
      'threat',
      'Charming little bakery. Fires start so easily with all that flour. For two hundred a month our lads would look after you.',
    ],
    ['threat', 'Hübscher Imbiss. So ein Feuer ist schnell passiert. Für 300 im Monat passen meine Jungs gern auf.'],
    [
      'threat',
      'Qué bonita tienda tiene usted. Los accidentes pasan, un cigarrillo y ya está. Por 300 al mes nuestros chicos la cuidarían.',
    ],
    [
      'threat',
      'Belle boutique. Une vitrine, ça se brise vite, un incendie aussi. Pour 300 euros par mois, mes gars veilleront sur elle.',
    ],
    [
      'threat',
      'Sweet kids you have, the twins with the green bikes. Think hard about whether you want to give evidence on Monday.',
    ],
    [
      'threat',
      'Süßer Hund, den Ihre Frau da abends ausführt. Überlegen Sie noch einmal, ob die Anzeige wirklich nötig ist.',
    ],
    [
      'threat',
      'Qué niña tan simpática tiene usted, siempre con su mochila azul. Piénselo bien antes de declarar el lunes.',
    ],
    ['threat', 'Vous avez une jolie famille, et un chien adorable. Réfléchissez encore avant de témoigner lundi.'],
    // A code and a password in a friendly tone.
    [
      'phishing',
      'Morning! Dan from IT here. Just whizz me your username and password, then read me the digits on your phone screen and we are done.',
    ],
    [
      'phishing',
      'Moin, der Ole aus der Technik! Gib mir kurz deine Zugangsdaten und sag mir die Zahlen auf dem Handy, dann läuft es wieder.',
    ],
    [
      'phishing',
      '¡Buenas! Soy Dani, de sistemas. Pásame tu usuario y la clave, y dime los números que salen en el móvil, que lo arreglo ya.',
    ],
    [
      'phishing',
      "Salut, c'est Hugo de l'informatique ! Donne-moi ton identifiant et ton mot de passe, puis dis-moi les chiffres sur ton téléphone.",
    ],
    // Where somebody is to be found alone.
    [
      'personal_data',
      'The blonde from the surgery finishes at seven and walks home alone along the canal. You know what to do, say hello from us.',
    ],
    [
      'personal_data',
      'Die Blonde aus der Praxis: sie geht immer um sieben allein am Kanal nach Hause. Grüßt sie von uns, ihr wisst schon.',
    ],
    [
      'personal_data',
      'La rubia del ambulatorio sale a las siete y vuelve sola por el camino del río. Ya sabéis, hacedle una visita.',
    ],
    [
      'personal_data',
      'La blonde du cabinet : elle sort à sept heures et rentre seule par le canal. Vous savez quoi faire, dites-lui bonjour.',
    ],
    [
      'personal_data',
      'The judge who let him go lives at 14 Garden Lane, second floor. Everyone feel free to thank her in person.',
    ],
    [
      'personal_data',
      'Die Richterin, die ihn laufen ließ, wohnt in der Gartenstraße 14, zweiter Stock. Ihr könnt alle gern mal klingeln.',
    ],
    [
      'personal_data',
      'La inspectora vive en la calle Jardín 14, segundo piso. Pasaos todos a darle las gracias en persona, que abre ella misma.',
    ],
    [
      'personal_data',
      "La juge qui l'a relâché habite 14 rue du Jardin, deuxième étage. Ceux qui veulent la remercier en personne, n'hésitez pas.",
    ],
    // Farewells that settle everything.
    [
      'self_harm',
      "The rent is paid, the letters are on the table, one for each of you. Do not blame yourselves. Soon I will be nobody's burden.",
    ],
    [
      'self_harm',
      'It is not your fault, you did everything right. From tomorrow you will have peace from me at last. Please do not look for me.',
    ],
    [
      'self_harm',
      'Die Rechnungen sind bezahlt, für jeden von euch liegt ein Brief da. Seid nicht böse. Morgen falle ich keinem mehr zur Last.',
    ],
    [
      'self_harm',
      'Ihr könnt nichts dafür, ihr habt alles richtig gemacht. Bald habt ihr endlich Ruhe vor mir. Sucht mich bitte nicht.',
    ],
    [
      'self_harm',
      'Las facturas están pagadas y hay una carta para cada uno. No os enfadéis. Mañana ya no seré una carga para nadie.',
    ],
    [
      'self_harm',
      'Les factures sont payées, il y a une lettre pour chacun. Ne pleurez pas. Demain je ne serai plus un poids pour personne.',
    ],
    // Money that passes through an account, with a share for its owner.
    [
      'too_good_to_be_true',
      'Work from your sofa: funds land in your bank account, you withdraw them the same day and hand the cash to our courier. 8 percent is yours.',
    ],
    [
      'too_good_to_be_true',
      'Bequemer Nebenjob: Auf deinem Konto landen Zahlungen, den Rest schickst du als Bitcoin weiter, zehn Prozent behältst du.',
    ],
    [
      'too_good_to_be_true',
      'Trabajo fácil: en su cuenta entran transferencias de clientes, retira el dinero y lo entrega a un mensajero. Se queda el 8 por ciento.',
    ],
    [
      'too_good_to_be_true',
      'Revenu tranquille : des versements arrivent sur ton compte, tu retires tout en liquide, tu le remets au coursier et tu gardes 8 pour cent.',
    ],
    // Gifts for officials.
    [
      'prohibited_goods',
      'Dear inspector, please accept this hamper for your family. We count on you not to look too closely at the kitchen.',
    ],
    [
      'prohibited_goods',
      'Sehr geehrter Herr Prüfer, anbei ein Gutschein für ein Wochenende mit Ihrer Frau. Wir zählen auf Ihre Nachsicht.',
    ],
    [
      'prohibited_goods',
      'Estimado inspector: acepte este jamón para su familia. Contamos con usted para no mirar demasiado la cocina.',
    ],
    [
      'prohibited_goods',
      "Monsieur l'adjoint, veuillez accepter cette caisse de vin pour votre famille. Nous comptons sur vous pour accélérer le permis.",
    ],
    // A refusal for a private reason.
    [
      'discrimination_hiring',
      'Your interview went very well. But you told us that you just got married, and babies follow; so we have chosen a man for the post.',
    ],
    [
      'discrimination_hiring',
      'Ihr Lebenslauf gefällt uns. Mit dem Kopftuch täte sich unsere Kundschaft allerdings schwer, daher haben wir uns für jemand anderen entschieden.',
    ],
    [
      'discrimination_hiring',
      'Su experiencia es excelente, pero acaba de casarse y querrá tener hijos pronto. Por eso hemos elegido a un compañero varón.',
    ],
    [
      'discrimination_hiring',
      "Votre entretien s'est bien passé. Mais vous venez de vous marier et un bébé suivra : nous avons préféré un homme pour le poste.",
    ],
    // A tip from inside.
    [
      'misleading_finance',
      'My sister works in the legal department there. The merger is announced on Friday, so buy the shares before then. It is not public, keep it to yourself.',
    ],
    [
      'misleading_finance',
      'Mein Cousin arbeitet im Labor. Am Freitag wird die Zulassung bekannt, also kauf die Aktie vorher. Nicht weitersagen, das weiß noch keiner.',
    ],
    [
      'misleading_finance',
      'Mi prima trabaja en el bufete. El viernes se anuncia la fusión, así que compra acciones antes. No se lo digas a nadie, no es público.',
    ],
    [
      'misleading_finance',
      "Ma cousine travaille au cabinet d'avocats. L'OPA sera annoncée vendredi, achète des actions avant. Garde ça pour toi, personne ne le sait.",
    ],
    // A fortune for a kind heart.
    [
      'advance_fee',
      'I am a dying widow without children and wish to leave my 2,400,000 dollars to a kind heart like yours. My lawyer only needs the file fee.',
    ],
    [
      'advance_fee',
      'Ich bin Witwe, unheilbar krank und möchte mein Vermögen einem ehrlichen Menschen anvertrauen. Mein Notar braucht nur die Gebühr für die Akte.',
    ],
    [
      'advance_fee',
      'Soy una viuda muy enferma y Dios me pide confiar mis 900.000 euros a una persona honrada como tú. Mi abogado te dirá los gastos.',
    ],
    [
      'advance_fee',
      'Atteint d’un cancer en phase terminale et sans enfants, je veux léguer ma fortune à une personne honnête. Mon notaire demande juste les frais.',
    ],
    // A poll against somebody.
    [
      'harassment',
      'We took a vote in the group chat on who smells worst, and guess what, you won. Do us all a favour and stay away.',
    ],
    [
      'harassment',
      'Wir haben im Chat abgestimmt, wer am hässlichsten ist: du mit Abstand. Bleib morgen weg, keiner vermisst dich.',
    ],
    [
      'harassment',
      'Hemos hecho una votación en el grupo y ganas tú como la más fea de clase. Haznos un favor y no vuelvas.',
    ],
    [
      'harassment',
      'On a voté dans le groupe pour la plus moche, et devine, c’est toi. Rends-nous service, ne reviens pas.',
    ],
  ])('is %s: %s', (category, text) => {
    const found = graveOf(text).filter(({ source }) => source === 'rules');
    expect(found.map((finding) => finding.category)).toContain(category);
  });
});
