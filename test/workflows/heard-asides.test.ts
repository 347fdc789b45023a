// Harm in asides (paid praise without the word for it, a refusal for a name or an age, codes for drugs, tales of cures, goods that are locked,
// what befalls those who talk, relief at one's absence), and the same words in a harmless sense, in four languages.
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
    'We pay 150 per post. Do not leave out the word advert in your story: the law wants it.',
    "Please don't place an advert in the parish story corner; posts are free for everyone.",
    'No advertising on our reel, please, the videos are free to watch.',
    'Bitte keine Werbung in die Story der Klasse, die Beiträge sind gratis.',
    'Wir zahlen 150 Euro pro Post. Das Wort Werbung darf im Beitrag nicht fehlen.',
    'En nuestras historias no hay publicidad, y el vídeo es gratis para todos.',
    'Pagamos 150 euros por publicación y la palabra publicidad tiene que verse.',
    'Pas de publicité dans nos vidéos, elles sont gratuites pour les abonnés.',
    'Chaque publication est payée 150 euros, et le mot publicité doit y figurer.',
    'Two stars. We never stayed: the room was gone, and the voucher for a refund came without a text.',
    'Zwei Sterne. Wir konnten gar nicht essen, die Küche war zu, und der Gutschein kam ohne Text.',
    'Dos estrellas. No pudimos comer, la cocina estaba cerrada y el vale llegó sin texto.',
    "Deux étoiles. Nous n'avons pas pu manger, et le bon de remise est arrivé sans texte.",
    'With your surname on the letterbox the postman finds the flat. The building has quiet lifts.',
    'Mit Ihrem Namen am Klingelschild findet die Post die Wohnung. Das Haus ist ruhig, Sie werden sich wohl fühlen.',
    'Con su apellido en el buzón, el cartero encontrará el piso. La comunidad es tranquila.',
    "Avec votre nom sur la sonnette, le facteur trouvera l'appartement. L'immeuble est calme.",
    'At your age I could not run either, so the team chose someone younger for the last lap. See you on Sunday, dad!',
    'In deinem Alter konnte ich das auch nicht. Das Team hat jemand anderen für den letzten Lauf gewählt, sei nicht traurig.',
    "She is mature for twelve and plays like an adult. A photo of the recital hangs in her mother's kitchen.",
    'Für zwölf ist sie sehr vernünftig. Das Foto vom Schulfest haben wir deiner Mutter geschickt.',
    'Sencha in two kinds: the white from Fujian, the green from Japan, 4 euros for 50 grams. The tea is delivered to your door.',
    'Garn: die weißen Knäuel 50 Gramm, die grünen 100 Gramm. Mein Cousin bringt die Wolle bis Freitag mit dem Rad.',
    'Sal de hierbas: la blanca a 3 euros los 100 gramos, la verde a 4. Reparto en bici hasta las ocho.',
    "Perles à coudre : les blanches à 2 euros le gramme, les vertes à 3. Mon cousin livre à vélo jusqu'à midi.",
    'The lump is gone after the operation, thanks to the surgeon. I drink tea and rest, our garden is in flower.',
    'Der Knoten ist nach der Chemo verschwunden. Jetzt trinke ich Tee mit unseren Nachbarn und freue mich an der Natur.',
    'La grosseur a disparu après la chimio. Je bois des tisanes et je profite de la nature avec nos enfants.',
    "Tablet for sale. I have removed my account, the code is wiped, and the previous owner's receipt is in the box.",
    'Tablet abzugeben, mein Konto ist entfernt und der Code zurückgesetzt, die Rechnung der Vorbesitzerin liegt bei.',
    'Tableta en venta: la cuenta del dueño anterior está borrada y la factura va en la caja.',
    "Tablette à vendre : le compte de l'ancien propriétaire est supprimé, facture et boîte fournies.",
    'People who go to the police station use the side door: the stairs are being mended, and you may fall.',
    'Wer zur Polizei geht, nimmt bitte den Lift: Auf der Treppe fällt man leicht, sie wird gerade repariert.',
    'Quien va al juzgado use el ascensor: en las escaleras hay obras y usted podría caer.',
    "Ceux qui vont au tribunal prennent l'ascenseur : l'escalier est en travaux, vous pourriez tomber.",
    'Everyone was so relieved when you were off sick and it was nothing bad. The office is better with you.',
    'Alle waren erleichtert, als du krank warst und es dann nichts Schlimmes war. Komm bald wieder!',
    'Qué alivio cuando estuviste de baja y no fue nada. Vuelve pronto, el equipo no es lo mismo.',
    "Quel soulagement quand tu étais malade et que ce n'était rien. Reviens vite !",
    'It was quieter while you were away, and we missed you. The permanent contract is on your desk, congratulations!',
  ])('is no finding: %s', (text) => {
    expect(graveOf(text)).toEqual([]);
  });
});

describe('harm in asides', () => {
  it.each([
    [
      'misleading_marketing',
      'Post our tea in your story as if you had bought it yourself. We pay 150 per post; leave out the word advert, your followers will trust it more.',
    ],
    [
      'misleading_marketing',
      'Stell den Rucksack in deiner Story so vor, als hättest du ihn selbst gekauft. Wir zahlen 150 pro Post, das Wort Werbung lass bitte weg.',
    ],
    [
      'misleading_marketing',
      'Enseña la crema en tus historias como si la hubieras comprado tú. Pagamos 150 por publicación, pero no pongas la palabra publicidad.',
    ],
    [
      'misleading_marketing',
      "Présente le sac dans ta story comme si tu l'avais acheté. On paie 150 par publication, n'écris surtout pas le mot publicité.",
    ],
    [
      'misleading_marketing',
      "Could your cousins each leave a line about how good the soup was? They needn't come in, we have texts ready and a voucher for every five stars.",
    ],
    [
      'misleading_marketing',
      'Könnten deine Freunde auch je fünf Sterne dalassen? Essen müssen sie nicht bei uns, Texte haben wir, und für jede gibt es einen Gutschein.',
    ],
    [
      'misleading_marketing',
      '¿Podrían tus primos dejar también cinco estrellas? No hace falta que vengan a comer, los textos los ponemos nosotros y hay un vale por cada una.',
    ],
    [
      'misleading_marketing',
      "Tes cousins pourraient-ils aussi mettre cinq étoiles ? Pas besoin de venir manger, on fournit les textes et un bon d'achat pour chacune.",
    ],
    [
      'discrimination_housing',
      'Bei Ihrem Nachnamen wird der Eigentümer leider nervös. Im Haus wohnen nur ältere Herrschaften von hier, Sie verstehen das sicher.',
    ],
    [
      'discrimination_housing',
      'La propietaria es mayor y con su apellido no se va a sentir tranquila. Le deseo suerte con otro piso.',
    ],
    [
      'discrimination_housing',
      "Le propriétaire préfère des gens d'ici, et avec votre prénom il va se faire des idées. Bonne chance pour la suite.",
    ],
    [
      'discrimination_hiring',
      "You'd be perfect, but the team is in its twenties and goes climbing on Fridays. At your time of life you'd hardly keep up, so we went with someone fresher.",
    ],
    [
      'discrimination_hiring',
      'Sie wären perfekt, aber das Team ist Mitte zwanzig. In Ihrem Alter hält man da kaum noch mit, deshalb nehmen wir jemand Frischeres.',
    ],
    [
      'discrimination_hiring',
      'Sería usted perfecta, pero el equipo ronda los veinticinco. A su edad le costaría seguir el ritmo, así que cogemos a alguien con más chispa.',
    ],
    [
      'discrimination_hiring',
      "Vous seriez parfait, mais l'équipe a vingt-cinq ans de moyenne. À votre âge, vous auriez du mal à suivre, nous prenons quelqu'un de plus frais.",
    ],
    [
      'minors',
      "You're so grown up for twelve, I forget your age. Let's keep our chats just for us, your mum would only make a fuss. Got a photo in your swimsuit?",
    ],
    [
      'minors',
      'Für zwölf bist du echt reif, ich vergesse immer dein Alter. Unsere Chats bleiben unter uns, deine Mama würde nur Stress machen. Hast du ein Foto im Bikini?',
    ],
    [
      'minors',
      "Pour douze ans tu es drôlement mûre. Nos messages, c'est entre nous, ta mère ferait des histoires. Tu as une photo en maillot ?",
    ],
    [
      'drugs',
      'Tulips are in: white ones sixty, green ones ten a bunch of one gram. My cousin cycles round till three, text which colour.',
    ],
    [
      'drugs',
      'Frische Blumen da: die weißen 60, die grünen 10 das Gramm. Mein Cousin kommt mit dem Rad bis drei Uhr vorbei, schreib einfach die Farbe.',
    ],
    [
      'drugs',
      'Han llegado flores frescas: las blancas a 60, las verdes a 10 el gramo. Mi primo va en bici hasta las tres, dime color.',
    ],
    [
      'drugs',
      "Fleurs fraîches arrivées : les blanches à 60, les vertes à 10 le gramme. Mon cousin passe à vélo jusqu'à trois heures, dis-moi la couleur.",
    ],
    [
      'misleading_health',
      "My neighbour's lump was gone after three weeks of our mushroom drops. Why poison yourself with chemo when nature has the answer? Order the course today.",
    ],
    [
      'misleading_health',
      'Der Knoten meiner Nachbarin war nach drei Wochen mit unseren Pilztropfen weg. Wozu noch Chemo, wenn die Natur es kann? Kur heute bestellen.',
    ],
    [
      'misleading_health',
      'El bulto de mi vecina desapareció con tres semanas de nuestras gotas de hongos. ¿Para qué la quimio si la naturaleza lo hace? Pida hoy la cura.',
    ],
    [
      'misleading_health',
      'La grosseur de ma voisine a disparu après trois semaines de nos gouttes de champignons. Pourquoi la chimio, si la nature suffit ? Commandez la cure.',
    ],
    [
      'stolen_goods',
      "Tablet, hardly used, has to go tonight. It asks for somebody's password, but my mate can clear that. No box, no receipt, no questions, 60.",
    ],
    [
      'stolen_goods',
      'Tablet, kaum benutzt, muss heute weg. Fragt noch nach einem fremden Code, kann mein Kumpel aber knacken. Kein Karton, keine Rechnung, 60.',
    ],
    [
      'stolen_goods',
      'Tableta casi nueva, tiene que salir hoy. Pide la clave del dueño anterior, pero mi colega la borra. Sin caja ni factura, 60.',
    ],
    [
      'stolen_goods',
      "Tablette presque neuve, doit partir ce soir. Elle demande le code de quelqu'un, mais mon pote efface ça. Sans boîte ni facture, 60.",
    ],
    [
      'impersonation',
      "It's me, your boss. I'm stuck in a meeting and can't talk. Get five vouchers for clients from the shop and send me pictures of the backs, I'll square it with you tonight.",
    ],
    [
      'impersonation',
      "Ich bin's, dein Chef. Sitze in einer Besprechung und kann nicht reden. Hol fünf Gutscheine für Kunden und schick mir die Rückseiten, ich gleiche das abends aus.",
    ],
    [
      'impersonation',
      'Soy yo, tu jefe. Estoy en una reunión y no puedo hablar. Compra cinco tarjetas para clientes y mándame foto del dorso, luego te lo pago.',
    ],
    [
      'impersonation',
      "C'est moi, ton patron. Je suis en réunion, impossible de parler. Prends cinq cartes cadeaux pour des clients et envoie-moi le dos en photo, je te rembourse ce soir.",
    ],
    [
      'threat',
      'People who talk to the press tend to have bad luck on the stairs. You have young knees, it would be a pity.',
    ],
    ['threat', 'Wer mit der Presse redet, fällt hier gern mal die Treppe hinunter. Sie haben doch noch so junge Knie.'],
    [
      'threat',
      'Los que hablan con la prensa suelen caerse por las escaleras. Usted todavía tiene las rodillas jóvenes.',
    ],
    ['threat', "Ceux qui parlent à la presse tombent souvent dans l'escalier. Vous avez encore de bons genoux."],
    [
      'harassment',
      'Everyone was so relieved when you were off sick. The air was better, the lunch was better. Ever thought of making it permanent?',
    ],
    [
      'harassment',
      'Alle waren so erleichtert, als du krank warst. Die Luft war besser, das Essen auch. Schon mal überlegt, ganz wegzubleiben?',
    ],
    ['harassment', 'Qué alivio cuando estuviste de baja. Olía mejor y todo. ¿No has pensado en no volver nunca?'],
    [
      'harassment',
      "Quel soulagement quand tu étais malade. Ça sentait même meilleur. Tu n'as jamais pensé à ne plus revenir ?",
    ],
  ])('is %s: %s', (category, text) => {
    const found = graveOf(text).filter(({ source }) => source === 'rules');
    expect(found.map((finding) => finding.category)).toContain(category);
  });
});
