// Threats under a condition, victims who need help, and the everyday texts that only share words with them.
import { describe, expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { inspectDraft } from '../../src/workflows/families/draft.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { riskFamily } from '../../src/workflows/families/risk.ts';
import { messagesFor } from '../../src/workflows/families/risk-words.ts';
import { draftWords } from '../../src/workflows/packs/draft-kinds.ts';
import { ask } from './ask.ts';

const check = (text: string, locale = '') => ask(riskFamily, CheckRiskRequestSchema, { text, locale });
const inDraft = (locale: string, body: string) => inspectDraft(body, { facts: [], mustAvoid: [], domain: '', locale });

describe('threats under a condition', () => {
  it.each([
    ['en', 'If you do not pay I will kill you'],
    ['en', "Don't call the police or I will kill you."],
    ['de', 'Wenn Sie nicht zahlen, bringe ich Sie um'],
    ['de', 'Wenn du nicht zahlst bringe ich dich um.'],
    ['de', 'Sonst bringe ich Sie um'],
    ['de', 'Sonst erschieße ich Sie.'],
    ['de', 'Wenn Sie nicht zahlen, steche ich Sie ab.'],
    ['de', 'Wenn Sie nicht zahlen, werde ich Sie umbringen.'],
    ['es', 'Si no paga le mato'],
    ['es', 'Si no paga le mataré'],
    ['es', 'Pague o le mato'],
    ['es', 'Si no pagas te mato.'],
    ['fr', 'Si vous ne payez pas je vous tue'],
  ])('are critical in a text and in a draft: %s %s', (locale, text) => {
    expect(check(text, locale).riskLevel).toBe('critical');
    expect(inDraft(locale, text).riskLevel).toBe('critical');
  });

  it('to break bones are grave in French', () => {
    expect(check('Payez ou je vous casse les jambes').riskLevel).toBe('high');
    expect(inDraft('fr', 'Payez ou je vous casse les jambes.').riskLevel).toBe('critical');
  });

  it.each([
    'If you do not water it, the sun will kill it.',
    'If you do not like it, we will refund you.',
    'I will not kill you if you do not come.',
    'Wenn Sie nicht fahren, bringe ich Sie um 8 Uhr zum Bahnhof.',
    'Wenn du nicht kannst, bringe ich dich um die Ecke nach Hause.',
    'Ich bringe Sie um den Block.',
    'Ich werde dich nicht umbringen.',
    'Sonst töte ich dich im Schachspiel.',
    'Si no llueve, le mato las hormigas del jardín.',
    'Con este juego le mato el aburrimiento.',
    'No te mato por dinero, tranquilo.',
    'Si vous ne venez pas je vous casse les prix.',
    "Il s'est cassé la jambe au ski.",
    'Je te tue aux échecs.',
  ])('are not: %s', (text) => {
    expect(check(text).riskLevel).toBe('low');
  });
});

describe('somebody who suffers', () => {
  it.each([
    'I was raped last night',
    'I was raped by a friend of mine at a party.',
    'My boss raped me.',
    "He raped me and I don't know what to do",
    'ich wurde gestern vergewaltigt',
    'Ich bin vergewaltigt worden.',
    'Mein Onkel hat mich vergewaltigt.',
    'Me violaron anoche',
    'Ayer me han violado.',
    'He sido violada por mi jefe.',
    "J'ai été violée hier",
    "Il m'a violée.",
    "On m'a violé hier soir.",
    'I am 12 and my uncle touches me',
    'My stepfather touches me at night and I am scared',
    'Ich bin 12 und mein Onkel fasst mich an',
    'Mein Stiefvater fasst mich nachts an.',
    'Tengo 12 años y mi tío me toca',
    'Mi padrastro me toca por las noches',
    "J'ai 12 ans et mon oncle me touche",
    'Mon beau-père me touche la nuit',
    'He says he will kill me. I need help',
    'My ex said he would kill me if I leave.',
    'She threatened to kill me.',
    'Er sagt, er bringt mich um. Ich brauche Hilfe',
    'Mein Ex droht mich umzubringen',
    'Er hat gesagt, dass er mich umbringt.',
    'Dice que me va a matar. Necesito ayuda',
    'Mi ex me amenaza con matarme.',
    "Il dit qu'il va me tuer. J'ai besoin d'aide",
    'Mon ex menace de me tuer',
    'They took my passport and I have to work without pay',
    'My boss keeps my passport and locks me in at night',
    'I am forced to work as a prostitute',
    'Sie haben mir meinen Pass weggenommen und ich muss arbeiten',
    'Mein Chef hat meinen Pass und lässt mich nicht gehen',
    'Ich werde zur Prostitution gezwungen. Bitte helfen Sie mir',
    'Me quitaron el pasaporte y me obligan a trabajar',
    'Mi jefe tiene mi pasaporte y no me deja salir',
    'Ils ont pris mon passeport et je dois travailler sans être payée',
    "Mon patron garde mon passeport et m'enferme la nuit",
    "I'm 14 and he wants me to send nudes",
    'A man online asks me for nude pictures, I am 13',
    'Ich bin 13 und er will Nacktbilder von mir',
    'Tengo 13 años y un hombre me pide fotos desnuda',
    'Soy menor y me pide nudes',
    "J'ai 13 ans et un homme me demande des photos nue",
    "Un mec me demande des nudes, j'ai 14 ans",
    "He threatens to publish my nude photos if I don't pay",
    'Er droht, meine Nacktbilder zu veröffentlichen, wenn ich nicht zahle',
    'Me amenaza con publicar mis fotos desnuda si no pago',
    'Il menace de publier mes photos nue si je ne paie pas',
    'On me fait chanter avec mes photos intimes',
    "He says he'll kill me and I'm scared",
    "I've been raped.",
    "I'm 14 and he asks me for nudes",
  ])('is helped first: %s', (text) => {
    const { nextBestAction, assessment, riskLevel } = check(text);
    const messages = messagesFor('', assessment?.languages ?? []);
    expect(nextBestAction).toBe(messages.victim.action);
    expect(riskLevel).toBe('high');
  });

  it.each([
    'i took 30 paracetamol an hour ago',
    'I took all my pills, please help',
    "My girlfriend took an overdose and won't wake up",
    'Ich habe 30 Paracetamol genommen',
    'Ich habe alle meine Tabletten geschluckt, bitte helft mir',
    'Meine Freundin hat eine Überdosis genommen und wacht nicht auf',
    'Me he tomado 30 paracetamoles hace una hora',
    'Me tomé todas las pastillas, ayuda',
    'Mi novia ha tomado una sobredosis y no despierta',
    "J'ai pris 30 paracétamols il y a une heure",
    "J'ai avalé tous mes cachets, aidez-moi",
    'Ma copine a fait une overdose et ne se réveille pas',
    'my daughter says she wants to die',
    "My son told me he doesn't want to live anymore.",
    'My friend wants to kill herself.',
    'Meine Tochter sagt, sie will sterben',
    'Mi hija dice que quiere morirse',
    'Mi hijo dice que no quiere vivir',
    "Ma fille dit qu'elle veut mourir",
    'Mon fils ne veut plus vivre',
    "I've taken an overdose",
  ])('is in danger from what they do to themselves: %s', (text) => {
    const { nextBestAction, assessment, riskLevel } = check(text);
    const messages = messagesFor('', assessment?.languages ?? []);
    expect(nextBestAction).toBe(messages.categories.self_harm.action);
    expect(riskLevel).toMatch(/high|critical/);
  });

  it.each([
    ['en', 'My husband beats me.'],
    ['fr', 'Mon mari me frappe.'],
    ['de', 'Mein Mann schlägt mich.'],
    ['es', 'Mi marido me pega.'],
    ['en', 'My ex threatened to kill me.'],
  ])('accuses nobody in a draft: %s %s', (locale, text) => {
    const { findings } = inDraft(locale, text);
    expect(findings).toEqual([expect.objectContaining({ category: 'threat' })]);
    expect(findings[0]?.suggestion).toBe(messagesFor(locale, []).victim.action);
    expect(findings[0]?.severity).not.toBe('critical');
  });

  it('does not keep others from being accused', () => {
    expect(inDraft('en', 'Mr Smith beats his wife.').riskLevel).toBe('critical');
  });

  it.each([
    'The film is about a woman who was raped in 1970.',
    'The raped seed oil is cold pressed.',
    'Rape seed oil, 5 litres.',
    'My uncle touches me with his kindness.',
    'My dog touches me with its nose when I sleep.',
    'Your story touches me deeply.',
    'I am 12 and my uncle teaches me chess.',
    'Mein Onkel fasst mich beim Klettern an der Hand.',
    'Diese Geschichte fasst mich an.',
    'Mi tío me toca la guitarra.',
    'Me toca trabajar el lunes.',
    'Mi padre me toca las narices.',
    'Mon oncle me touche deux mots.',
    'Son histoire me touche.',
    'Mon père me touche beaucoup par sa gentillesse.',
    "My mum will kill me if I don't clean my room.",
    'My wife will kill me if I buy another bike.',
    'This heat is killing me.',
    'My back is killing me.',
    'Meine Frau bringt mich um, wenn ich noch ein Fahrrad kaufe.',
    'Die Hitze bringt mich um.',
    'Mi mujer me va a matar si compro otra bici.',
    'Este calor me va a matar.',
    "Ma femme va me tuer si j'achète encore un vélo.",
    'Cette chaleur va me tuer.',
    'I took 2 paracetamol an hour ago and my headache is gone.',
    'I took the pills the doctor gave me.',
    'I took all my tablets with water as prescribed.',
    'Ich habe 2 Paracetamol genommen.',
    'Me he tomado un paracetamol.',
    'Me tomé la pastilla de la tensión.',
    "J'ai pris 2 paracétamols ce matin.",
    "J'ai pris mes cachets comme d'habitude.",
    'I took 30 photos an hour ago.',
    'Sie haben 30 Paracetamol in der Packung.',
    'Overdose on cuteness: my cat.',
    'My daughter wants to be a doctor.',
    'My daughter says she is dying to see the film.',
    'My son wants to die his hair blue.',
    'My phone wants to die.',
    'Meine Tochter will sterben vor Lachen.',
    'Mi hija se muere de risa.',
    'Mi hija quiere morirse de risa con el perro.',
    'Ma fille meurt de rire.',
    'Ma fille veut mourir de rire.',
    'They took my passport to the embassy to renew it.',
    'My boss keeps my passport copy in the file for the visa.',
    'I have to work on Sunday.',
    'Sie haben meinen Pass verlängert und ich muss morgen arbeiten.',
    'Mein Chef hat meinen Pass kopiert.',
    'Me quitaron una muela y tengo que trabajar.',
    'Renové el pasaporte y tengo que trabajar mañana.',
    "Ils ont pris mon passeport à l'aéroport pour le contrôle.",
    "J'ai pris mon passeport et je dois travailler demain.",
    "I'm 14 and he wants me to send photos of my homework.",
    'Tengo 13 años y me pide fotos del perro.',
    "J'ai 13 ans et il me demande des photos de vacances.",
    "He threatens to sue if I don't pay.",
    'Sie werden es nicht bereuen.',
    'Sie werden es bereuen, wenn Sie dieses Angebot verpassen.',
    'Sie werden den Kauf nie bereuen.',
    'Ich habe mir heute das Leben leichter gemacht.',
    'Nobody was raped.',
    'I was robbed last night.',
    'I had 30 tablets left in the cupboard.',
    'She has taken 20 tablets so far this month.',
    'Er hat 20 Tabletten genommen, eine pro Tag.',
    "J'ai pris 10 comprimés en une semaine.",
    'My mother is going to die of cancer.',
    'Mi madre va a morir de cáncer.',
    "My daughter doesn't want to live with her father.",
    'Meine Tochter will nicht mehr zu Hause leben.',
    'Mi hijo no quiere vivir en Madrid.',
    'Ma fille ne veut plus vivre avec nous.',
    'My manager took my papers to work on them.',
    'The agency took my passport to help with the visa.',
    'Die Behörde hat meinen Pass eingezogen.',
    'Me guarda los documentos del trabajo.',
    'On a pris mes papiers pour travailler sur le dossier.',
    'My husband locked me out at night.',
    'Your music touches me. I am 60.',
    'This song touches me, I am 15.',
    'Mein Vater berührt mich immer mit seinen Worten.',
    'Mein Nachbar küsst mich an Silvester.',
    'Mi padre está enfermo y me toca cuidarle por las noches.',
    'My wife says smoking will kill me.',
    'Meine Frau sagt, der Stress bringt mich noch um.',
    'Mi madre dice que el tabaco me va a matar.',
    'Ma femme dit que le tabac va me tuer.',
    'Se arrepentirá de no haberlo probado.',
    'He threatened to leave me.',
    'Sie hat gesagt, sie bringt mich um acht zum Bahnhof.',
    'Er hat gesagt, er bringt mich um 9 zur Schule.',
    'Mi novio me quiere matar de risa.',
  ])('is nobody in: %s', (text) => {
    expect(check(text).riskLevel).toMatch(/low|unknown/);
  });
});

it('finds who wants to die in a listing whose title is in another language', () => {
  const listing = { title: 'Garden table for sale', description: 'Ich will mir heute Nacht das Leben nehmen.' };
  const { findings, riskLevel } = ask(readinessFamily, ScoreListingRequestSchema, { listing });
  expect(riskLevel).toBe('critical');
  expect(findings).toEqual([expect.objectContaining({ category: 'self_harm' })]);
});

describe('what somebody will regret', () => {
  it.each([
    ['de', 'Sie werden es bereuen.'],
    ['es', 'Se arrepentirá.'],
  ])('is a threat in a draft: %s %s', (locale, text) => {
    expect(inDraft(locale, text).riskLevel).toBe('critical');
  });

  it.each([
    ['de', 'Sie werden es nicht bereuen.'],
    ['de', 'Sie werden es bereuen, wenn Sie dieses Angebot verpassen.'],
    ['es', 'No se arrepentirá de su visita.'],
    ['es', 'Se arrepentirá de no haberlo probado.'],
  ])('is none in: %s %s', (locale, text) => {
    expect(inDraft(locale, text).riskLevel).toBe('low');
  });
});

it.each([
  ['de', 'Sonst sperren wir Ihren Zugang.'],
  ['en', 'Your account is suspended, confirm your password at the link below.'],
])('who drafts a lure is told to write otherwise: %s %s', (locale, text) => {
  const [finding] = inDraft(locale, text).findings;
  expect(finding?.category).toBe('phishing');
  expect(finding?.suggestion).toBe(draftWords.get(locale as 'de' | 'en')?.checks.fraud.action);
});
