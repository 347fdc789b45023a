// Harm under a pretext (a witness's family is wished well, a code that came "by mistake", a customer's taste, one's own funeral, a free
// puppy, a wine cellar for a mark, a rent that is forgotten), and the same words in a harmless sense, in four languages.
import { describe, expect, it } from 'vitest';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { riskFamily } from '../../src/workflows/families/risk.ts';
import { ask } from './ask.ts';

const graveOf = (text: string) =>
  ask(riskFamily, CheckRiskRequestSchema, { text }).findings.filter(
    ({ severity }) => severity !== 'info' && severity !== 'low',
  );

describe('several of the words together in a harmless sense', () => {
  it.each([
    'Our guests like the terrace in summer. With a walking stick you can get there by the lift; good luck finding a table at noon!',
    'The lecturer marks the exam kindly, they say. I hope to find a way to pass, then we drink a bottle of wine.',
    'My sister in Ghana gives away her piano for free; she only pays the transport to the school.',
    'The rent is due on Monday. Forget the wine, said my landlord, a nice card will do once a week of frost is over.',
    'Tell your brother to mind the road by the school. I forgot what he said he saw there, a fox or a dog?',
    'In the group we cannot post here in public how to get in, but two seats are left in the car, 5 euros each.',
    'My partner deleted the photos by accident; a small donation to the repair cafe, 10 euros, and they were back.',
    'The officer enclosed a voucher for the library with the permit; the clerk remembers us kindly, he says.',
    'Nobody in class wants to vote on the worst film again. We made a list, and you may cry over number one.',
    'With your accent you will go far at the radio, said the owner of the flat, who is nervous about microphones.',
    'The widow left her savings, 40,000 pounds, to the lifeboats; an honest solicitor handled the fee and the transfer.',
    'Ihr Lebenslauf gefällt uns, und zur Hochzeit alles Gute: Sie haben geheiratet, wie wir hören. Wir haben uns für Sie entschieden!',
    'Die Kundschaft mag unsere Werkstatt. Nach dem Feuer war schnell alles wieder gut, die Jungs passen auf den Hof auf.',
    'Der Fahrer bringt das Bargeld der Kasse zur Bank, zehn Prozent der Einnahmen behalten wir als Wechselgeld.',
    'Meine Cousine arbeitet in der Kanzlei. Am Freitag wird die Fusion bekannt gegeben, und sie bekommt einen neuen Chef.',
    'El inspector acepta la caja con las facturas; contamos con usted el jueves para acabar antes.',
    'Los que van a la comisaría por la escalera lateral, cuidado: se han caído dos macetas.',
    'Mi prima trabaja en el banco y compra acciones desde hace años; los resultados se publican en mayo.',
    'Notre voisine a reçu des fonds sur son compte pour la fête, elle garde dix pour cent pour les ballons et envoie le reste au traiteur.',
    'Votre femme a laissé les photos chez nous. Un petit geste pour la caisse du club, 10 euros, et elles sont encadrées.',
    'La juge des concours agricoles habite rue du Jardin. Ceux qui veulent la remercier en personne la trouveront à la fête samedi.',
    'Ma grand-mère rentre seule du marché ; dites-lui bonjour si vous la croisez.',
    "Ceux qui parlent à la presse sont priés de passer par l'escalier B.",
    'The professor said my son should find a way to mark his reading list; we thanked her with a bottle of wine after graduation.',
    'The bank clerk sent the file with a voucher; he was kind, and the fee came back to my account.',
    'My poll in the group chat: who bakes the worst cake? Everyone laughed, I won. Do us a favour and bring yours on Sunday!',
    'We took a vote in class on the ugliest jumper. You won with the reindeer, stay away from the dryer with it!',
    'Votación en el grupo: ¿quién tiene el jersey más feo? Ganas tú, el premio te espera.',
    "On a voté dans le groupe pour le pull le plus moche : c'est le tien, bravo, le prix t'attend.",
    'With your name and your accent they took you for the landlord, sorry about that! Good luck with the flat.',
    'Mit Ihrem Namen ist leider etwas schiefgegangen: Der Vermieter hat ihn im Mietvertrag falsch geschrieben. Sie verstehen sicher, dass wir warten.',
    'The carer goes home alone at nine; be sure to leave the light on for her.',
    'Er fährt morgens allein mit dem Zug. Überrascht ihn doch am Bahnhof mit Luftballons, es ist sein Geburtstag!',
    'Va solo al colegio desde hoy. Esperadlo en la puerta, que estará orgulloso.',
    'Elle rentre seule de la gare ce soir. Attendez-la devant la maison avec les fleurs, elle a eu son diplôme !',
    'Ich bin Witwe und möchte mein Erspartes der Nichte vererben. Was kostet der Notar?',
    'Soy viuda y quiero dejar 20.000 euros a mi sobrina. ¿Qué gastos tiene el notario?',
    'Je suis veuve et je veux léguer mes 20 000 euros à ma nièce. Quels sont les frais de notaire ?',
    'My phone number was entered twice; you get a code by text, and the form shows it to me as well. Is that normal?',
    'Our workshop burned down so quickly. Beautiful old place. My lads look after the site, and the council gave us 900 a month.',
    'Please accept this bottle for your family, dear driver: you found the way kindly and got us home quicker.',
    'Officer Hill was kind: he found my envelope with the holiday money and brought it home. We count on you all to thank him.',
  ])('%s', (text) => {
    expect(graveOf(text)).toEqual([]);
  });
});

describe('the same words in a harmless sense', () => {
  it.each([
    "Your brother still cycles to the night shift, doesn't he? Tell him the council has put lamps along the dark stretch, and that he may forget his torch.",
    'Forget what you saw in the film: my daughter has read the book, and she says the end is better.',
    'Vergiss, was du im Keller gesehen hast, das wird ein Geschenk für deine Mutter. Sag ihr bitte nichts.',
    'Olvida lo que viste en el armario, es el regalo de tu hermana. No le digas nada, ¿vale?',
    "Oublie ce que tu as vu dans le garage, c'est le cadeau de ta mère. Ne lui dis rien.",
    'The accountant keeps our books, the taxman gets his return in May, and the coffee kitty is 3 euros a month.',
    'Der Steuerberater führt die Bücher, und das Finanzamt bekommt die Erklärung. In die Kaffeekasse zahlt jeder drei Euro im Monat.',
    'Hacienda devuelve 40 euros y van al bote de la oficina. El gestor lleva los libros y nadie tiene que hacer nada.',
    "L'Urssaf demande nos factures d'avril. La cagnotte du café est de 3 euros par mois, merci à tous.",
    'I typed in your number by mistake when I rang the surgery. If they call about my knee, could you pass it on?',
    'Ich habe aus Versehen deine Nummer bei der Praxis angegeben. Wenn sie anrufen, sag ihnen bitte meine richtige.',
    'Puse tu número por error en la peluquería. Si llaman, diles que llego a las seis.',
    "J'ai donné ton numéro par erreur à la crèche. S'ils appellent, dis-leur que j'arrive à six heures.",
    'Nobody asks you for the code that reaches you by text. Whoever typed in your number by mistake can request a new one; never pass it on.',
    'Our guests like the ramp: with a wheelchair you reach every table. Good luck with the opening!',
    'Unsere Gäste mögen die Rampe, auch im Rollstuhl kommt man an jeden Tisch. Viel Erfolg bei der Eröffnung!',
    'A nuestros clientes les gusta la rampa, con silla de ruedas se llega a todo. ¡Suerte con la apertura!',
    "Nos clients aiment la rampe : en fauteuil, on accède à chaque table. Bonne chance pour l'ouverture !",
    'Your desk is in the corridor until Friday, the office is being painted. It smells of paint, and nobody works there.',
    'Dein Stuhl steht noch auf dem Flur, dort riecht es nach Farbe. Freunde von mir streichen dein Zimmer.',
    'Tu mesa está en el pasillo por las obras. Huele a pintura, pero los amigos de Luis acaban mañana.',
    'I have picked the songs for the wedding, you only have to order the flowers. Good night, my loves!',
    'Die Lieder für die Kirche haben wir ausgesucht, die Blumen bestellt der Trauzeuge. Gute Nacht, ihr Lieben, morgen wird geheiratet!',
    "J'ai choisi les chansons de la kermesse, il ne vous reste plus qu'à apporter des fleurs. Bonne nuit !",
    "For gran's funeral we have chosen the hymns. She slept peacefully at the end and had no pain. The flowers are ordered.",
    "The puppy is free, we found it by the road. It is at my sister's in Leeds, and you only pay the vet's 30 pounds.",
    'Der Hund ist kostenlos abzugeben, er ist bei meiner Schwester in Kassel. Sie zahlen nur die Impfung beim Tierarzt.',
    'El cachorro es gratis, lo encontramos en la carretera. Está en casa de mi hermana, en Burgos, y lo puede ver cualquier tarde.',
    'Le chaton est donné, il est chez ma sœur à Rennes. Vous payez seulement le vétérinaire.',
    'The teacher gave my son a fair mark in the exam. With the end of term card we sent a bottle of wine and our thanks.',
    'Der Professor hält am Freitag nach der Prüfung eine Weinprobe. Wer bestanden hat, bringt eine Flasche mit.',
    'Profesor, mi hijo necesita ayuda con el examen de la beca. ¿Podría decirnos qué temas entran? Mi marido lo llevará a la revisión.',
    "Madame la professeure, merci pour la note de Paul à l'examen. Nous vous souhaitons de belles vacances.",
    'The degree comes with stamp and signature. Employers may ring the registrar to check it; copies cost 5 pounds.',
    'Das Zeugnis mit Stempel und Unterschrift liegt im Sekretariat. Arbeitgeber fragen nie danach, sagt man, aber in drei Tagen ist die Kopie fertig.',
    "Pour le diplôme, il manque encore le tampon et la signature de l'école. Comptez trois jours ; les frais d'envoi sont de 4 euros.",
    'The nurse who talked to the papers about the strike lives for her job. Visits on the third floor are until nine.',
    'Esta es Lucía, la nueva portera de la calle Olmo. Trabaja hasta las nueve y está en el portal verde; si falta una bombilla, avísenla.',
    'The restaurant opposite closed for a week: the inspector wrote of a mouse. We lend them our kitchen, dinner on Saturday is free.',
    'Gegenüber hat das Gesundheitsamt eine Maus gefunden, so steht es auf der Seite der Zeitung. Das Essen am Samstag geht auf uns.',
    "Le restaurant d'en face a fermé quelques jours à cause d'un cafard. Nous lui prêtons notre cuisine samedi, et le dîner est pour toute la rue.",
    'Pour le studio, le propriétaire est très gentil : il répare tout une ou deux fois par semaine, et une étudiante y vit depuis trois ans sans hausse de loyer.',
    'The rent is low and the landlord is nice. A student like you will enjoy the garden, and the evenings are quiet.',
    'Die Miete ist fair, der Vermieter nett, und die Studentin nebenan spielt zwei Abende die Woche Cello.',
    'El alquiler es bajo y el casero, amable. La estudiante de al lado ensaya dos noches por semana.',
    'Du bist doch erst in der Sechsten und schon so gut am Tor! Nach dem Training bekommst du vor allen ein Geschenk, deine Eltern sind auch da.',
  ])('is no finding: %s', (text) => {
    expect(graveOf(text)).toEqual([]);
  });
});

describe('harm under a pretext', () => {
  it.each([
    [
      'threat',
      "Your little girl walks home past the quarry, doesn't she? Forget what you saw at the depot, and tell her to watch out for the lorries.",
    ],
    [
      'threat',
      'Ihr Sohn fährt ja immer noch mit dem Rad zur Schule. Vergessen Sie, was Sie im Lager gesehen haben, dann muss er auf keine Autos aufpassen.',
    ],
    [
      'threat',
      'Su hermano sigue volviendo solo por la carretera, ¿verdad? Olvide lo que vio en el almacén y dígale que tenga cuidado.',
    ],
    [
      'threat',
      "Votre fille rentre toujours seule, n'est-ce pas ? Oubliez ce que vous avez vu au dépôt, et dites-lui de faire attention aux voitures.",
    ],
    [
      'threat',
      'The taxman would love your second set of books. A monthly something for our kitty, and nobody will ever know.',
    ],
    [
      'threat',
      'Hacienda se interesaría por lo que cobra usted en negro. Con una aportación al mes para nuestro bote, nadie se entera.',
    ],
    [
      'threat',
      "L'Urssaf serait curieuse de vos cuisiniers payés au noir. Une participation par mois à notre caisse, et personne n'en saura rien.",
    ],
    [
      'phishing',
      'Hi, silly me, I entered your number instead of mine when signing up. You will get a code by text, can you forward it to me?',
    ],
    [
      'phishing',
      'Hallo, ich habe aus Versehen deine Nummer angegeben. Gleich kommt ein Code per SMS, kannst du mir den kurz weiterleiten?',
    ],
    [
      'phishing',
      'Hola, perdona, puse tu número por error al registrarme. Te va a llegar un código por SMS, ¿me lo pasas, porfa?',
    ],
    [
      'phishing',
      "Coucou, je me suis trompée et j'ai mis ton numéro. Tu vas recevoir un code par SMS, tu peux me le transmettre ?",
    ],
    [
      'discrimination_hiring',
      'Our guests expect a certain picture at the door, and with your stammer that gets hard. We wish you luck, perhaps behind the scenes somewhere.',
    ],
    [
      'discrimination_hiring',
      'Nichts gegen Ihren Rollstuhl, aber unsere Gäste mögen es, wenn die Bedienung durch den Saal schwebt. Viel Glück, vielleicht ja in einem Büro.',
    ],
    [
      'discrimination_hiring',
      'No tengo nada contra su silla de ruedas, pero a nuestros clientes les gusta otra imagen. Le deseo suerte en alguna oficina.',
    ],
    [
      'discrimination_hiring',
      "Je n'ai rien contre votre fauteuil, mais nos clients aiment être servis debout. Bonne chance, dans un bureau peut-être.",
    ],
    [
      'harassment',
      'We put your desk in the corridor, next to the toilets. You cannot smell yourself there, and nobody has to look at you.',
    ],
    ['harassment', 'Hemos sacado tu mesa al pasillo, así no nos llega cómo hueles. Total, aquí nadie es amigo tuyo.'],
    ['harassment', "On a mis ta chaise dans le couloir, là-bas tu pues moins. De toute façon, tu n'as pas d'amis ici."],
    [
      'self_harm',
      'I have picked the hymns and written down who gets the piano. You only have to order the flowers. It will not hurt, the pills are strong. Goodnight, my loves.',
    ],
    [
      'self_harm',
      'Die Musik ist ausgesucht, die Urne auch. Ihr müsst nur noch Blumen bestellen. Es tut nicht weh, ich habe nachgelesen. Gute Nacht.',
    ],
    [
      'self_harm',
      'Ya tengo elegida la urna y la música. Solo os queda encargar las flores, queridos. Con tantas pastillas no dolerá.',
    ],
    [
      'self_harm',
      "J'ai choisi la musique et le cercueil. Vous n'aurez plus qu'à commander les fleurs. Ça ne fait pas mal, c'est écrit sur la notice. Bonne nuit.",
    ],
    [
      'advance_fee',
      "The piano is free to a good home, it belonged to my late husband. It is at my sister's overseas, you would only pay the shipping firm.",
    ],
    [
      'advance_fee',
      'Die Welpen sind kostenlos, wir suchen nur Liebe für sie. Sie sind bei der Missionarin in Kamerun, Sie zahlen nur den Flug und die Transportbox.',
    ],
    [
      'advance_fee',
      "Le chiot est gratuit, nous cherchons seulement de l'affection. Il est chez ma sœur missionnaire au Bénin, vous paieriez juste le vol et la cage.",
    ],
    [
      'prohibited_goods',
      'Professor, my daughter needs a better mark. We have a house by the sea that stands empty in May; surely we can find a way for you to look kindly on the exam.',
    ],
    [
      'prohibited_goods',
      'Herr Professor, mein Sohn braucht für die Prüfung eine Zwei. Wir haben ein Weingut, und sicher finden wir einen Weg, dass Sie wohlwollend bewerten.',
    ],
    [
      'prohibited_goods',
      "Monsieur le professeur, il manque deux points à ma fille pour l'examen. Mon mari a une belle cave, nous trouverons bien un moyen de nous entendre.",
    ],
    [
      'prohibited_goods',
      'Any degree you like, with stamp and signature. Employers never ring the university anyway. Four days, 500.',
    ],
    [
      'prohibited_goods',
      'Zeugnis nach Wunsch, mit Stempel und Unterschrift. Personaler rufen nie an der Schule an. Drei Tage, 400 Euro.',
    ],
    [
      'prohibited_goods',
      'Le hago el título que quiera, con sello y firma. Las empresas nunca llaman a la facultad. Tres días y 400 euros.',
    ],
    [
      'personal_data',
      'Ann, the one who went to the press, lives in Elm Road, green door, third floor. She is home from nine. Pay her some visits, all of you.',
    ],
    [
      'personal_data',
      'Das ist die Pflegerin, die mit der Presse gesprochen hat: Lena, Ulmenstraße 4, dritter Stock. Bis neun arbeitet sie. Sie freut sich über Besuche.',
    ],
    [
      'personal_data',
      "C'est l'infirmière qui a parlé aux journalistes : Lucie, porte verte, rue des Ormes, troisième étage. Elle aime la compagnie, passez.",
    ],
    [
      'misleading_marketing',
      'The rival across the street takes our guests. Write on the review sites that you found a mouse there, and dinner on Saturday is on us.',
    ],
    [
      'misleading_marketing',
      'Die Konkurrenz gegenüber nimmt uns die Gäste. Schreibt in den Portalen, ihr hättet dort eine Kakerlake gesehen, das Essen am Samstag geht auf uns.',
    ],
    [
      'misleading_marketing',
      'El de enfrente nos quita clientes. Escribid en las páginas que allí visteis una cucaracha y la cena del sábado corre de nuestra cuenta.',
    ],
    [
      'sexual_content',
      'Forget about the rent for the studio. A pretty student like you can surely be nice to her landlord one evening a week.',
    ],
    [
      'sexual_content',
      'Über die Miete müssen wir nicht reden, vergessen wir sie. Eine hübsche Studentin ist doch sicher ein, zwei Abende die Woche nett zu ihrem Vermieter.',
    ],
    [
      'sexual_content',
      'Del alquiler nos olvidamos. Una estudiante guapa como tú sabrá ser cariñosa con su casero una noche por semana, ¿no? Yo soy el dueño.',
    ],
  ])('is %s: %s', (category, text) => {
    const found = graveOf(text).filter(({ source }) => source === 'rules');
    expect(found.map((finding) => finding.category)).toContain(category);
  });
});
