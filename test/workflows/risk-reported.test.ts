// Words of others, deeds that are told, rules that are stated, and jokes: what people report is no harm of theirs.
import { describe, expect, it } from 'vitest';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { riskFamily } from '../../src/workflows/families/risk.ts';
import { ask } from './ask.ts';

const check = (text: string) => ask(riskFamily, CheckRiskRequestSchema, { text, assist: 'off' });
const graveOf = (text: string) =>
  check(text)
    .findings.filter(({ severity }) => severity !== 'info' && severity !== 'low')
    .map(({ category }) => category);

describe('quotations', () => {
  it.each([
    "Je souhaite signaler mon chef d'équipe. Le 4 mars il m'a écrit : « Retourne dans ton pays, sale étranger. » J'ai gardé le message.",
    'Le 4 mars il m’a écrit : «\u00a0Retourne dans ton pays.\u00a0» J’ai gardé le message.',
    'Er schrieb mir: »Geh zurück in dein Land, du Dreck.« Ich möchte das melden.',
  ])('are known with blanks inside, and turned round: %s', (text) => {
    expect(graveOf(text)).toEqual([]);
  });

  it.each([
    ['Il dit « bonjour » et puis : retourne dans ton pays. Et « au revoir ».', 'hate'],
    ['»Hallo«, sagte er. Geh zurück in dein Land, du Dreck. »Tschüss«, sagte sie.', 'hate'],
  ])('excuse nothing between them: %s', (text, category) => {
    expect(graveOf(text)).toContain(category);
  });
});

describe('laughing faces, as people type them', () => {
  it.each([
    'Ich bring dich um, wenn du mir noch einmal die Milch leer machst :D Nein, bringst du welche mit?',
    'Ich bring dich um, du hast schon wieder alles verraten ;-)',
    "I'll kill you for this :P nobody touches my lunch",
    "Je te tue ;) tu m'as encore piqué mon stylo",
    'Te voy a matar :D, te has comido lo mío',
  ])('laugh: %s', (text) => {
    expect(graveOf(text)).toEqual([]);
  });

  it.each([
    'Ich bring dich um. Gruppe B:D, Freitag.',
    "I'll kill you :) and you know it.",
    'Je te tue ;demain soir, devant chez toi.',
  ])('are neither bare smiles nor other signs: %s', (text) => {
    expect(graveOf(text)).toContain('threat');
  });
});

describe('a threat with laughter', () => {
  it.each([
    "I'll murder you lol, that was my parking space",
    "omg I'm gonna kill you lol why didn't you tell me about the party",
    'Ich bring dich um haha, du hast meinen Stift',
    'Te voy a matar jaja, te has llevado mi silla',
    'Je vais te tuer mdr, où est mon parapluie ?',
  ])('is banter: %s', (text) => {
    expect(check(text).riskLevel).toBe('low');
  });

  it.each([
    "I'll kill you lol. You think I'm joking?",
    "I'll kill you lol, snitch",
    'Ich bring dich heute Nacht um haha',
    'Ich bring dich um haha, und das ist kein Witz',
    'Te voy a matar jaja, ya verás',
    'Je vais te tuer mdr, tu vas voir',
  ])('stays one when it goes on: %s', (text) => {
    expect(graveOf(text)).toContain('threat');
  });
});

describe('what is told, removed or refused', () => {
  it.each([
    'In 1942 the regime declared that Jews were to be deported to the east. The pupils read the original decree.',
    'After 1933 Jews were banned from public office, and in 1938 thousands were deported. The archive has their letters.',
    '1938 wurden Juden aus ihren Wohnungen vertrieben und später deportiert. Das Stadtarchiv zeigt Briefe von damals.',
    'En 1492 los Reyes Católicos ordenaron expulsar a los judíos. En clase comparamos el texto del edicto con las cartas de las familias que tuvieron que irse.',
    'En 1609 Felipe III mandó expulsar a los moriscos; los judíos ya habían sido expulsados. Trabajo de bachillerato.',
    'En 1290, les Juifs furent expulsés du royaume. Le manuel cite la charte.',
  ])('is history: %s', (text) => {
    expect(check(text).riskLevel).toBe('low');
  });

  it.each([
    'Moderation log 14:02: post removed (hate). User wrote that all refugees should be shot. Account suspended for 30 days, appeal possible.',
    'Kommentar entfernt: Der Nutzer schrieb, alle Flüchtlinge gehören erschossen. Konto für 30 Tage gesperrt.',
    'Comentario eliminado. Decía que había que fusilar a todos los inmigrantes. Usuario expulsado del foro.',
    'Registro de moderación, 17:40: eliminado el comentario del usuario 2231 ("ojalá os muráis todos, sudacas"). Motivo: odio. 17:52: sin incidencias.',
    "Commentaire supprimé : l'auteur écrivait qu'il faut brûler tous les migrants. Compte fermé.",
  ])('is a log of moderation: %s', (text) => {
    expect(check(text).riskLevel).toBe('low');
  });

  it.each([
    'Bei uns gibt es keine Waffen, keine Drogen, keinen Alkohol an Jugendliche und keine Barzahlung über 10.000 Euro.',
    'No vendemos tabaco ni alcohol a menores de 18 años. No se aceptan pagos con tarjeta regalo ni por Western Union. No guardamos los datos de su tarjeta.',
    'Bei Ihrem Blutverdünner rate ich von Aspirin ab, nehmen Sie lieber Paracetamol und setzen Sie sonst nichts ohne Ihre Ärztin ab.',
    "Il m'a dit : « Rentre chez toi, sale Arabe. » J'ai deux témoins et je veux porter plainte.",
    "The best espresso you have ever had at home, or your money back within 60 days, no questions asked. Over 12,000 customers can't be wrong.",
    'Curso de ciberseguridad, ejercicio 2. ¿Qué tiene de sospechoso este mensaje? "Su cuenta será bloqueada. Pulse aquí y confirme su contraseña." Señale al menos tres indicios.',
  ])('is a rule, advice, a complaint or an exercise: %s', (text) => {
    expect(check(text).riskLevel).toBe('low');
  });

  it.each([
    ['They took my words down, but I say it again: all refugees should be shot.', 'hate'],
    ['Ausländer raus, alle abschieben oder erschießen.', 'hate'],
    ['Hay que expulsar a los moros de España de una vez.', 'hate'],
    ['Il faut expulser tous les Juifs et tous les Arabes, comme en 1942.', 'hate'],
    ['Cook wanted, over 45 need not apply.', 'discrimination_hiring'],
    ['Verkaufe Pistole, keine Papiere, nur bar.', 'weapons'],
  ])('is none of these: %s', (text, category) => {
    expect(graveOf(text)).toContain(category);
  });

  it('is discrimination in hiring where a worker is sought', () => {
    expect([...new Set(graveOf('Waiter wanted. No Muslims please.'))]).toEqual(['discrimination_hiring']);
    expect(graveOf('Room to let. No Muslims please.')).toEqual(['discrimination_housing']);
  });

  it('counts a passage that is nothing but a quotation', () => {
    const sent =
      'Deine Frau weiß noch nichts von dem Wochenende in Prag, oder? Dann behalte ich die Fotos für mich, sagen wir 3.000.';
    expect(check(`"${sent}"`).findings.map(({ source }) => source)).toEqual(
      check(sent).findings.map(({ source }) => source),
    );
    expect(check(sent).findings).not.toEqual([]);
  });
});

describe('an insult or a threat that somebody else is quoted with', () => {
  it.each([
    'Complaint about driver 4471: he called my wife "a fat cow" and told her to "crawl back under your stone". We expect an apology.',
    'Beschwerde: Ihr Fahrer nannte mich eine »blöde Kuh« und rief »hau ab, sonst setzt es was«. Ich erwarte eine Entschuldigung.',
    'Reclamación: su empleado dijo que soy una «puta gorda» y me escribió «te vas a enterar». Exijo una disculpa.',
    "Réclamation : votre livreur a traité ma femme de « grosse vache » et lui a dit « signe ou tu vas le regretter ». J'attends des excuses.",
  ])('is a report: %s', (text) => {
    expect(check(text).riskLevel).toBe('low');
  });

  it.each([
    ['You are a "fat cow" and everybody knows it.', 'harassment'],
    ['I will "break" both of your legs, you know that.', 'threat'],
    ['Du bist eine »blöde Kuh« und eine Schlampe.', 'harassment'],
  ])('is none without a word that quotes: %s', (text, category) => {
    expect(graveOf(text)).toContain(category);
  });

  it('still tells of somebody who suffers violence', () => {
    const text = 'My husband said he will "kill" me if I leave, help me please.';
    expect(graveOf(text)).toContain('threat');
  });
});

describe('harm that names nothing', () => {
  it.each([
    ["The agency holds on to the workers' passports until they have paid back the recruitment fee.", 'unfair_terms'],
    ['Die Pässe der Arbeiter behalten wir ein, bis die Vermittlung abbezahlt ist.', 'unfair_terms'],
    ['Guardamos los pasaportes de los trabajadores hasta que devuelvan el viaje con su trabajo.', 'unfair_terms'],
    ["On confisque les passeports des ouvriers jusqu'au remboursement du voyage.", 'unfair_terms'],
    ['Die Katze ist bei der Nachbarin, alles ist bezahlt. Sucht mich bitte nicht.', 'self_harm'],
    ['He dejado el perro con mi hermana. No me busquéis, es mejor así.', 'self_harm'],
    [
      "J'ai encore tes photos de cet été. Ce serait bête que ton patron les reçoive lundi. 1 500 d'ici vendredi.",
      'threat',
    ],
  ])('is found: %s', (text, category) => {
    expect(graveOf(text)).toContain(category);
  });

  it.each([
    'Please hand over your passport at reception; you get it back as soon as the copy is made.',
    'I keep my passport in a safe until the day of the flight.',
    'Sammeln Sie Ihre Pässe bitte ein und behalten Sie sie griffbereit bis zum Flug.',
    'Guarda el pasaporte y el billete hasta que acabe el viaje, hace falta para el seguro.',
    'Mein Hund ist bei meiner Schwester, ich bin bis Sonntag auf einem Seminar und schwer erreichbar.',
    'He dejado la gata con mi vecina hasta el lunes. No me busquéis en la oficina, teletrabajo.',
    'La carta está encima de la mesa; esta noche descanso y mañana la contesto.',
    'Le code du coffre de votre chambre est à choisir vous-même, quatre chiffres.',
  ])('is not mistaken for what happens every day: %s', (text) => {
    expect(check(text).riskLevel).toBe('low');
  });

  it('finds the code of a safe that is given away', () => {
    expect(graveOf('Le code du coffre est 4471.')).toContain('secrets');
  });
});
