// A draft that threatens somebody, or calls somebody a criminal, is approved by nobody unawares.
import { describe, expect, it } from 'vitest';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { draftFamily, inspectDraft } from '../../src/workflows/families/draft.ts';
import { draftWords } from '../../src/workflows/packs/draft-kinds.ts';
import { ask } from './ask.ts';

const gravest = (locale: string, body: string) =>
  inspectDraft(body, { facts: [], mustAvoid: [], domain: '', locale }).findings.find(
    ({ severity }) => severity === 'critical',
  );

const threats = [
  ['en', 'If you do not pay, we will come to your house and break your legs.'],
  ['en', 'Otherwise we will send two men with baseball bats.'],
  ['en', 'It would be a shame if something happened to your daughter.'],
  ['de', 'Wenn Sie nicht zahlen, zünden wir Ihr Autohaus an.'],
  ['en', 'Transfer the money, or your dog dies.'],
  ['de', 'Andernfalls landen Sie im Krankenhaus.'],
  ['de', 'Wir wissen, wo Ihre Kinder zur Schule gehen.'],
  ['es', 'Vamos a matar a tu familia si no pagas.'],
  ['es', 'Si no paga, le va a pasar algo a su hija.'],
  ['es', 'No volverá a caminar si no nos paga.'],
  ['es', 'Mandaremos a unos amigos a darle una paliza.'],
  ['fr', 'Si vous ne payez pas, on viendra vous casser les jambes.'],
  ['fr', "Nous savons où vos enfants vont à l'école."],
  ['fr', 'Vous ne marcherez plus jamais si vous ne payez pas.'],
  ['fr', 'Je vais mettre le feu à votre voiture.'],
  ['en', 'If he does not pay: we will send two men round to break his hands.'],
  ['de', 'Sonst kommen zwei Männer und brechen ihm die Hände.'],
  ['es', 'Si no paga: irán dos hombres a romperle las manos.'],
  ['fr', 'Sinon : deux hommes iront lui casser les mains.'],
] as const;

const accusations = [
  ['en', 'Your manager Peter Slade is a thief, a liar and a filthy pervert.'],
  ['en', 'Ms Carol Dunn stole £400 from the till.'],
  ['en', 'Everyone knows that Councillor Bryce takes bribes.'],
  ['de', 'Herr Kranich ist ein Betrüger und ein dreckiger Dieb.'],
  ['en', 'The doctor, Dr. Hale, killed my father.'],
  ['de', 'Frau Seidel hat 400 Euro aus der Kasse gestohlen.'],
  ['de', 'Dieser Verbrecher Kranich gehört ins Gefängnis.'],
  ['es', 'El dueño, Julián Porras, es un ladrón y un delincuente.'],
  ['es', 'La profesora, Sra. Leal, pega a los niños.'],
  ['es', 'El administrador Luis Mora ha malversado fondos.'],
  ['es', 'Su empresa es una banda de estafadores.'],
  ['fr', 'Le gardien, Alain Besson, est un voleur et un escroc.'],
  ['fr', 'Mme Roux a volé 400 euros dans la caisse.'],
  ['fr', 'M. Henry touche des pots-de-vin.'],
  ['fr', 'Le plombier, un escroc notoire, est venu lundi.'],
] as const;

const unlawfulReasons = [
  ['en', 'The reason: you are pregnant.'],
  ['en', 'We do not rent to foreigners.'],
  ['en', 'We do not hire black people.'],
  ['en', 'We did not choose you because of your disability.'],
  ['en', 'You are too old for our team.'],
  ['de', 'Der Grund der Absage: Wir stellen keine Türkinnen und keine Frauen mit Kopftuch ein.'],
  ['de', 'Wir vermieten nicht an Ausländer.'],
  ['de', 'Wegen Ihrer Behinderung können wir Sie nicht einstellen.'],
  ['es', 'El motivo: lleva velo y es musulmana.'],
  ['es', 'No queremos gitanos en el edificio.'],
  ['es', 'No le contratamos por su discapacidad.'],
  ['fr', "Nous n'embauchons pas d'Arabes."],
  ['fr', 'La raison : vous êtes enceinte.'],
  ['fr', 'Nous ne pouvons pas vous embaucher à cause de votre handicap.'],
] as const;

const harmless = [
  ['en', 'My bicycle was stolen from the shed.'],
  ['en', 'If you do not pay by 1 December, we will take legal action.'],
  ['en', 'The manager was robbed on her way to the bank.'],
  ['en', 'At the end of your stay in hospital you receive a letter.'],
  ['en', 'Mr Slade is not a thief.'],
  ['de', 'Unbekannte Diebe haben die Räder gestohlen.'],
  ['de', 'Andernfalls leiten wir gerichtliche Schritte ein.'],
  ['de', 'Frau Bast lügt nicht, das Datum war falsch notiert.'],
  ['de', 'Herr Brandt schlägt einen neuen Termin vor.'],
  ['de', 'Können wir den Termin auf Freitag umlegen?'],
  ['es', 'Nos han robado la furgoneta con las herramientas.'],
  ['es', 'De lo contrario, iniciaremos acciones legales.'],
  ['es', 'Si le pasa algo a su hijo en la escuela, llame al centro.'],
  ['fr', "On m'a volé mon ordinateur dans le train."],
  ['fr', 'À défaut, nous engagerons une procédure.'],
  ['fr', 'Je me suis cassé la jambe et serai absent.'],
  ['en', 'Because of your wheelchair we have reserved a room on the ground floor.'],
  ['en', 'We cannot accept returns of underwear for women.'],
  ['en', 'Our men will come round on Monday to break up the old floor.'],
  ['en', 'We do not have the coat in black.'],
  ['de', 'Für Familien gibt es keine freien Zimmer mehr.'],
  ['de', 'Wir nehmen keine schwarzen Schuhe zurück.'],
  ['de', 'Frau Ott ist schwanger, Herr Roy vertritt sie.'],
  ['es', 'No aceptamos devoluciones del vestido negro.'],
  ['fr', 'En raison de votre handicap, une place vous est réservée.'],
  ['en', 'We have to reject the delivery. The reason: the wheelchair arrived damaged.'],
  ['en', 'I withdraw my application. The reason: I found another job.'],
  ['de', 'Wir müssen das Angebot ablehnen. Der Grund: Alter und Zustand der Maschine.'],
  ['es', 'Rechazamos el pedido. El motivo: el velo llegó roto.'],
  ['fr', 'Nous refusons la livraison. Le motif : le voile est déchiré.'],
] as const;

describe('in a draft', () => {
  it.each(threats)('a threat is critical (%s): %s', (locale, body) => {
    expect(gravest(locale, body)?.category).toMatch(/^(threat|harassment)$/);
  });

  // The risk check's own words are for those who are threatened.
  it.each(threats)('the advice on a threat is for its writer (%s): %s', (locale, body) => {
    const { findings } = inspectDraft(body, { facts: [], mustAvoid: [], domain: '', locale });
    const { message, action } = draftWords.get(locale)?.checks.threat ?? {};
    const told = findings.filter(({ category }) => category === 'threat');
    for (const { reason, suggestion } of told) expect([reason, suggestion]).toEqual([message, action]);
  });

  it.each(accusations)('an accusation is critical (%s): %s', (locale, body) => {
    expect(gravest(locale, body)?.category).toBe('accusation');
  });

  it.each(unlawfulReasons)('who is turned away for who they are is critical (%s): %s', (locale, body) => {
    expect(gravest(locale, body)?.category).toBe('discrimination');
  });

  it.each(harmless)('what accuses and threatens nobody is not (%s): %s', (locale, body) => {
    expect(gravest(locale, body)).toBeUndefined();
  });

  it.each([
    ['en', "Don't make me come to your house.", 'threat'],
    ['de', 'Mein Mann schlägt mich.', 'threat'],
  ] as const)('a vague threat, or violence told by who suffers it, stays medium (%s): %s', (locale, body, category) => {
    const { findings } = inspectDraft(body, { facts: [], mustAvoid: [], domain: '', locale });
    expect(findings).toMatchObject([{ category, severity: 'medium' }]);
  });

  it('a phrase to avoid is found with the dots of its titles', () => {
    const { findings } = inspectDraft('We met Dr. Hale.', {
      facts: [],
      mustAvoid: ['Dr. Hale'],
      domain: '',
      locale: 'en',
    });
    expect(findings.map(({ category }) => category)).toEqual(['must_avoid']);
  });

  it.each([
    ['en', 'Mr Slade is a thief.', 'thief'],
    ['de', 'Herr Kranich ist ein Betrüger.', 'Betrüger'],
    ['es', 'El dueño, Julián Porras, es un ladrón.', 'ladrón'],
    ['fr', 'Le gardien, Alain Besson, est un voleur.', 'voleur'],
    ['en', 'I will kill you tonight.', 'kill'],
  ] as const)('a phrase to avoid is found inside something graver (%s): %s', (locale, body, phrase) => {
    const facts = [{ name: 'note', value: body, source: '' }];
    const { draft, basis } = ask(draftFamily, DraftDocumentRequestSchema, {
      ...{ purpose: 'note', kind: 'notice', locale, mustAvoid: [phrase], facts },
    });
    expect(draft?.findings.map(({ severity }) => severity)).toContain('critical');
    expect(draft?.findings).toContainEqual(expect.objectContaining({ category: 'must_avoid', phrase, source: 'own' }));
    const check = basis?.checks.find(({ id }) => id === 'avoided-phrases');
    expect(check).toMatchObject({ outcome: 'failed', action: expect.stringContaining(phrase) });
  });

  it('an accusation is told in the language of the draft', () => {
    expect(gravest('de', 'Herr Kranich ist ein Betrüger.')?.suggestion).toContain('ohne über jemanden zu urteilen');
  });
});
