import type { ProfileReply, ProfileRequest } from '../families/guidance.ts';
import { textsAnswer } from './answer.ts';
import type { Assistance } from './assistance.ts';
import type { Wordable } from './judge-text.ts';
import type { Verdict } from './verdict.ts';
import { mainTexts, subjectOf, withMain, wordTexts } from './wording.ts';

/** Better wording for a form: how it stands, what to do next, and what each field that is not right needs. */
export const guidanceAssistance: Assistance<ProfileRequest, ProfileReply, { texts: { id: string; text: string }[] }> = {
  answer: textsAnswer,
  task: 'A user fills in a form. Word the texts so that the user knows at once what to do.',
  material: ({ values, form, locale }) => ({ values, form, locale }),
  // Shipped forms are in English.
  reading: ({ form }) => (form?.fields ?? []).map(({ label }) => label).join(' '),
  seeksEvidence: false,
  texts,
  judge({ request, reply, reader }, answer) {
    const subject = reader && subjectOf(request, reply, reader, verdictOf(reply));
    const { words, outcome } = wordTexts(answer.texts, texts(request, reply), texts(request, reply), subject);
    const fields = reply.fields.map((one) => ({ ...one, suggestion: words.get(idOf(one.field)) ?? one.suggestion }));
    return { ok: true, output: { reply: { ...withMain(reply, words), fields }, outcome } };
  },
};

const fieldsMax = 40;

function texts(_request: ProfileRequest, reply: ProfileReply): Wordable[] {
  const open = reply.fields.filter(({ status, suggestion }) => status !== 'ok' && suggestion !== '');
  return [
    ...mainTexts(reply),
    ...open.slice(0, fieldsMax).map(({ field, label, suggestion }) => ({
      ...{ id: idOf(field), kind: 'field' as const },
      ...{ name: label, text: suggestion },
    })),
  ];
}

function idOf(field: string): string {
  return `field:${field}`;
}

function verdictOf({ ready }: ProfileReply): Verdict {
  return { side: ready ? 'good' : 'bad', level: '', rating: '' };
}
