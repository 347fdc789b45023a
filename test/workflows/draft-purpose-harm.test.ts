// To turn somebody away for who they are stays wrong, however neutral the text.
import { describe, expect, it } from 'vitest';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { whyNotApprovable } from '../../src/workflows/drafts/approval.ts';
import { draftFamily, inspectDraft } from '../../src/workflows/families/draft.ts';
import { ask } from './ask.ts';

const drafted = (locale: string, purpose: string, kind = 'rejection') => {
  const facts = [{ name: 'position', value: 'Sales assistant', source: 'hr' }];
  const { draft } = ask(draftFamily, DraftDocumentRequestSchema, {
    purpose,
    kind,
    locale,
    audience: 'Ms Kovac',
    facts,
  });
  if (!draft) throw new Error('no draft');
  return draft;
};

describe('the purpose of a rejection', () => {
  it.each([
    ['en', 'rejection of her application because she is pregnant', 'because she is pregnant'],
    ['en', 'Rejection because of her pregnancy', 'Rejection because of her pregnancy'],
    ['en', 'reject him as he is too old for the team', 'as he is too old'],
    ['de', 'Absage an Frau Yilmaz, weil sie schwanger ist', 'weil sie schwanger'],
    ['de', 'Absage, weil er zu alt ist', 'weil er zu alt'],
    ['es', 'rechazo de la candidatura porque es musulmana', 'porque es musulmana'],
    ['es', 'rechazo porque está embarazada', 'porque está embarazada'],
    ['fr', 'refus de candidature parce qu’elle est enceinte', 'parce qu’elle est enceinte'],
    ['fr', 'refus car il est trop âgé', 'car il est trop âgé'],
  ])('%s: %s', (locale, purpose, phrase) => {
    const draft = drafted(locale, purpose);
    expect(draft.riskLevel).toBe('critical');
    const [finding] = draft.findings;
    expect(finding).toMatchObject({ category: 'discrimination', severity: 'critical', field: 'purpose' });
    expect(finding?.phrase).toContain(phrase.slice(-12));
    expect([...purpose].slice(finding?.start, finding?.end).join('')).toBe(finding?.phrase);
    expect(whyNotApprovable(draft)).toContain('(discrimination) in the purpose. Draft it anew for another reason');
  });

  it.each([
    ['en', 'rejection because the applicant has too little experience'],
    ['en', 'rejection because another candidate was more experienced'],
    ['en', 'rejection of a pregnant applicant because she lacks the required licence'],
    ['de', 'Absage an den Bewerber, weil ein anderer mehr Erfahrung hat'],
    ['de', 'Absage, weil die Stelle schon besetzt ist'],
    ['de', 'Absage, weil er noch keine 18 ist und die Arbeit nachts ist'],
    ['es', 'rechazo porque le falta el permiso de conducir'],
    ['fr', 'refus car le poste est pourvu'],
  ])('%s, for a reason in the matter: %s', (locale, purpose) => {
    expect(drafted(locale, purpose)).toMatchObject({ riskLevel: 'low', findings: [] });
  });

  it.each([
    ['en', 'notice', 'End the tenancy because she is pregnant'],
    ['en', 'refund_refused', 'Refuse the refund because he is Black'],
    ['en', '', 'Tell the guest that we do not rent to Arabs'],
    ['en', '', 'Write a warning to the cleaner because she wears a headscarf'],
    ['de', 'notice', 'Mieter kündigen, weil er Ausländer ist'],
    ['es', '', 'Despedir a la empleada porque está embarazada'],
    ['fr', '', 'Licencier la salariée parce qu’elle est enceinte'],
  ])('counts in other letters that turn somebody away, %s, %s: %s', (locale, kind, purpose) => {
    const draft = drafted(locale, purpose, kind);
    expect(draft).toMatchObject({ kind, riskLevel: 'critical' });
    expect(draft.findings[0]).toMatchObject({ category: 'discrimination', field: 'purpose' });
  });

  it.each([
    ['en', '', 'Answer the customer who complains that we turned him down because he is black'],
    ['en', 'complaint', 'Complain that the landlord turned her down because she is pregnant'],
    ['en', 'notice', 'Cancel my gym contract because I am pregnant'],
    ['de', 'complaint', 'Beschwerde, weil man meine Frau wegen ihres Kopftuchs abgelehnt hat'],
    ['de', '', 'Der Bewerberin antworten, die meint, sie wurde abgelehnt, weil sie schwanger ist'],
    ['fr', 'notice', 'Résilier mon abonnement parce que je suis enceinte'],
    ['en', 'invitation', 'Decline the invitation because she is pregnant'],
  ])('does not count where it is told, or is one’s own: %s, %s: %s', (locale, kind, purpose) => {
    expect(inspectDraft('Good day.', { facts: [], mustAvoid: [], domain: '', locale, purpose, kind }).riskLevel).toBe(
      'low',
    );
  });

  it('is judged with each version of the text, and in no other kind of letter', () => {
    const terms = { facts: [], mustAvoid: [], domain: '', locale: 'en', purpose: 'because she is pregnant' };
    expect(inspectDraft('We regret that we have to decline.', { ...terms, kind: 'rejection' }).riskLevel).toBe(
      'critical',
    );
    expect(inspectDraft('Please grant the leave.', { ...terms, kind: 'leave_request' }).riskLevel).toBe('low');
  });
});
