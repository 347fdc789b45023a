import { fail, invalid, type Result, succeed } from '../../base/failure.ts';
import { ownValue } from '../../base/own-value.ts';
import { roundTo } from '../../base/round.ts';
import { nearestName } from '../../base/text/nearest.ts';
import type {
  CheckProfileRequest,
  CheckProfileResponse,
  FieldReport,
  FormField,
} from '../../gen/intelligence/workflow/v1/guidance_pb.ts';
import { type CheckResult, type CheckRule, failedByUrgency } from '../checks/checks.ts';
import {
  basisOf,
  boundJson,
  type Family,
  ownRules,
  type PatternFits,
  type Plain,
  type Prepared,
  type ReplyOf,
} from '../family.ts';
import type { PackChecks } from '../packs/pack-checks.ts';
import { readProfilePacks } from '../packs/profile-pack.ts';
import { countryCodeOf } from '../sense/countries.ts';
import { type DayOrder, dayAt, dayOrderIn, dayOrderOf } from '../sense/days.ts';
import { asksHome, wordsOf } from '../sense/field-meaning.ts';
import type { SenseContext } from '../sense/field-sense.ts';
import { type FormSubject, formSubjectOf } from '../sense/form-subject.ts';
import { type Labels, unusedFieldsOf } from '../unused-fields.ts';
import { formLabels, formWordsOf, notEvaluated, type Words, wordsFor } from '../words/index.ts';
import { inspectValue, patternText, type Status } from './field-value.ts';
import { type Contradiction, contradictionsIn } from './form-contradictions.ts';
import { choiceNamesOf, ownChoiceNames, withChoices } from './named-choices.ts';
import { withKind } from './named-kinds.ts';
import { shownField } from './shown-form.ts';

export type ProfileRequest = Plain<CheckProfileRequest>;
export type ProfileReply = ReplyOf<CheckProfileResponse>;

export const profilePacks = readProfilePacks();
const choiceNames = new Map([...profilePacks].map(([template, pack]) => [template, choiceNamesOf(template, pack)]));

interface Judged {
  inspected: readonly Inspected[];
  contradictions: readonly Contradiction[];
}

interface Inspected {
  field: Plain<FormField>;
  status: Status;
  report: Plain<FieldReport>;
  importance: number;
}

/** Guides a user through a form: how complete it is, what is wrong, what to fill in next. */
export const guidanceFamily: Family<ProfileRequest, ProfileReply> = {
  name: 'guidance',
  patternsOf: ({ form, values }) =>
    (form?.fields ?? []).flatMap(({ name, pattern }, index) =>
      pattern === ''
        ? []
        : [{ field: `form.fields[${index}].pattern`, pattern, text: patternText(ownValue(values, name)) }],
    ),
  prepare(asked, { fits, nowMs }): Result<Prepared<ProfileReply>> {
    const bounded = boundJson('values', asked.values);
    if (!bounded.ok) return bounded;
    const choices = asked.form === undefined ? choiceNames.get(asked.template) : ownChoiceNames(asked.form.fields);
    const request = { ...asked, values: withChoices(choices, asked.values ?? {}) };
    const words = wordsFor(request.locale, textOf(request));
    const form = formOf(request, words);
    if (!form.ok) return form;
    const stray = strayStep(request.journeyStep, form.value.fields);
    if (stray) return stray;
    const fields = form.value.fields.filter(({ step }) => request.journeyStep === '' || step === request.journeyStep);
    const values = request.values ?? {};
    // A shipped form's patterns run here; a caller's own never do.
    const judged = request.form === undefined ? undefined : (fits ?? (() => false));
    const country = homeOf(form.value.fields, values, request.locale);
    const context = {
      ...{ country, language: words.language, today: dayAt(nowMs), subject: subjectOf(request) },
      decimal: words.number(0.5).includes(',') ? (',' as const) : ('.' as const),
    };
    const { inspected, contradictions } = inspectAll(request, fields, context, words, judged);
    const labels = [
      ...form.value.fields.map(({ name, label }) => [label, name] as const),
      ...formLabels(request.template),
    ];
    const names = new Set(form.value.fields.map(({ name }) => name));
    const unusedFields = [
      ...strayFocus(request.focusedField, names, labels),
      ...unusedFieldsOf('values', values, names, labels),
    ].slice(0, 100);
    const variables = {
      values,
      filled: inspected
        .filter(({ status }) => status !== 'missing' && status !== 'empty')
        .map(({ field }) => field.name),
      fields: inspected.map(({ field }) => field.name),
    };
    // Checks look at several fields at once; while one step is being filled in, the others' fields are not there yet.
    const results = request.journeyStep === '' ? form.value.checks(variables) : [];
    const { label, done } = form.value;
    return succeed({
      variables,
      ownChecks: ownRules(request.checks, words),
      compute: (own) =>
        guide(request, inspected, [...contradictions.map(({ result }) => result), ...results, ...own], {
          words,
          label,
          done,
          contradictions,
          unusedFields,
        }),
    });
  },
};

/** A step without any fields would check nothing and call that complete. */
function strayStep(step: string, fields: readonly Plain<FormField>[]): ReturnType<typeof fail> | undefined {
  const steps = new Set(fields.map((field) => field.step).filter((name) => name !== ''));
  if (step === '' || steps.has(step)) return undefined;
  const known = steps.size === 0 ? 'the form has no steps' : `is not one of ${[...steps].slice(0, 20).join(', ')}`;
  const near = nearestName(step, steps);
  return fail(invalid('journeyStep', near === undefined ? known : `${known}; perhaps ${near} is meant`));
}

/** A focus on no field of the form, such as a button, is only told: nothing comes first then. */
function strayFocus(focused: string, names: ReadonlySet<string>, labels: Labels): ProfileReply['unusedFields'] {
  const [stray] = focused === '' ? [] : unusedFieldsOf('', { [focused]: true }, names, labels);
  return stray === undefined ? [] : [{ field: 'focusedField', nearest: stray.nearest }];
}

/** The shipped forms are for adults, and none is a booking. */
function subjectOf({ form }: ProfileRequest): FormSubject {
  return form === undefined ? { isForAdults: true, isBooking: false } : formSubjectOf(form.name, form.fields);
}

/** The country of the form's subject: from a country field, or else the locale's region. */
function homeOf(
  fields: readonly Plain<FormField>[],
  values: Readonly<Record<string, unknown>>,
  locale: string,
): string | undefined {
  const field = fields.find(({ name, label, kind }) => kind === 'country' && asksHome(wordsOf(name, label)));
  return (field && countryCodeOf(ownValue(values, field.name))) ?? /^[a-z]{2,3}[-_]([A-Z]{2})$/.exec(locale)?.[1];
}

interface ReadForm {
  fields: Plain<FormField>[];
  checks: PackChecks;
  label: string;
  done: string;
}

function formOf(request: ProfileRequest, words: Words): Result<ReadForm> {
  if (request.form !== undefined && request.template !== '')
    return fail(invalid('form', 'send either template or form'));
  if (request.form === undefined) {
    const pack = profilePacks.get(request.template);
    if (pack) return succeed(inWords(pack, formWordsOf(words, request.template)));
    const names = [...profilePacks.keys()].join(', ');
    return fail(
      invalid(
        'template',
        request.template === '' ? `name a template (${names}) or send a form` : `is not one of ${names}`,
      ),
    );
  }
  const { fields, name } = request.form;
  const seen = new Set<string>();
  for (const [index, field] of fields.entries()) {
    if (seen.has(field.name)) return fail(invalid(`form.fields[${index}].name`, `${field.name} is there twice`));
    seen.add(field.name);
    const needsChoices = field.kind === 'choice' || field.kind === 'choices';
    if (needsChoices && field.choices.length === 0)
      return fail(invalid(`form.fields[${index}].choices`, `a field of kind ${field.kind} needs choices`));
  }
  return succeed({
    fields: fields.map((field) => withKind(field)),
    checks: () => [],
    label: `form/${name}`,
    done: words.say('form.save'),
  });
}

/** A shipped form with its checks' messages in the reader's language. */
function inWords({ fields, checks, label, done }: ReadForm, spoken: ReturnType<typeof formWordsOf>): ReadForm {
  if (spoken === undefined) return { fields, checks, label, done };
  const said = ({ rule, outcome }: CheckResult) => ({ outcome, rule: { ...rule, ...spoken.checks[rule.id] } });
  return { fields, checks: (variables) => checks(variables).map(said), label, done: spoken.done };
}

// Names and addresses are shorter, and in the language of a place rather than a reader.
const proseWords = 8;

/** Text that reveals the reader's language: the labels of the caller's own form, or the prose written into a shipped one. */
function textOf({ form, values }: ProfileRequest): string {
  const written =
    form === undefined
      ? Object.values(values ?? {}).filter(
          (value) => typeof value === 'string' && value.split(' ', proseWords).length === proseWords,
        )
      : form.fields.flatMap(({ label, help }) => [label, help]);
  return written.join('\n');
}

/** Judges each field alone, then what contradicts each other. Days whose order nobody knows are read in the one that fits best. */
function inspectAll(
  request: ProfileRequest,
  fields: readonly Plain<FormField>[],
  context: Omit<SenseContext, 'dayOrder'>,
  words: Words,
  fits?: PatternFits,
): Judged {
  const { locale, values = {} } = request;
  const judge = (dayOrder: DayOrder): Judged => {
    const read = { ...context, dayOrder };
    const inspected = fields.map((field) => inspect(request, field, read, words, fits));
    const right = inspected
      .filter(({ status }) => status === 'ok')
      .map(({ field, report }) => ({ ...field, title: report.label }));
    return { inspected, contradictions: contradictionsIn(right, values, read, words) };
  };
  const order =
    dayOrderIn(fields.flatMap(({ kind, name }) => (kind === 'date' ? [String(ownValue(values, name) ?? '')] : []))) ??
    dayOrderOf(locale || context.language) ??
    (context.country === 'US' ? 'month first' : undefined);
  const first = judge(order ?? 'day first');
  if (order !== undefined || faultsOf(first) === 0) return first;
  const second = judge('month first');
  return faultsOf(second) < faultsOf(first) ? second : first;
}

function faultsOf({ inspected, contradictions }: Judged): number {
  return contradictions.length + inspected.filter(({ status }) => status === 'invalid').length;
}

function inspect(
  { template, values }: ProfileRequest,
  field: Plain<FormField>,
  context: SenseContext,
  words: Words,
  fits?: PatternFits,
): Inspected {
  const value = ownValue(values, field.name);
  const shown = shownField(field, template, words);
  const { status, message, suggestion } = inspectValue(shown, value, context, words, fits);
  const importance = field.importance ?? (field.required ? 3 : 1);
  return {
    field,
    status,
    importance,
    report: { field: field.name, label: shown.shown.label, status, message, suggestion },
  };
}

// A value that could be better counts partially.
const earned: Readonly<Record<Status, number>> = { ok: 1, weak: 0.6, invalid: 0, missing: 0, empty: 0 };

function guide(
  request: ProfileRequest,
  inspected: readonly Inspected[],
  results: readonly CheckResult[],
  pack: {
    words: Words;
    label: string;
    done: string;
    contradictions: readonly Contradiction[];
    unusedFields: ProfileReply['unusedFields'];
  },
): ProfileReply {
  const { words, contradictions } = pack;
  const all = inspected.reduce((sum, { importance }) => sum + importance, 0);
  const got = inspected.reduce((sum, { importance, status }) => sum + importance * earned[status], 0);
  const completeness = all === 0 ? 100 : roundTo((got / all) * 100, 1);
  const unusable = inspected
    .filter(({ field, status }) => field.required && (status === 'missing' || status === 'invalid'))
    .sort((a, b) => b.importance - a.importance);
  const missing = unusable.filter(({ status }) => status === 'missing').length;
  const failed = failedByUrgency(results, (rule) => notEvaluated(rule, words));
  const next = nextField(request, inspected);
  const wrong = inspected.filter(({ status }) => status === 'invalid').length;
  const blocking = failed.find(({ severity }) => severity === 'critical');
  // A form with nothing filled in is not ready, even if nothing is required.
  const filled = inspected.some(({ status }) => status !== 'missing' && status !== 'empty');
  const ready = unusable.length === 0 && wrong === 0 && blocking === undefined && filled;
  const isUrgent =
    next !== undefined && (next.status === 'invalid' || (next.status === 'missing' && next.field.required));
  // Blockers come first: fields without a usable value, then checks, then possible improvements. The field returned is that of the action.
  const advised =
    isUrgent || blocking === undefined
      ? { field: next?.field.name, action: next && actionOf(next, words) }
      : { field: fieldOf(blocking, contradictions, inspected), action: blocking.action };
  return {
    completeness,
    ready,
    fields: inspected.map(({ report }) => report),
    missingFacts: unusable.map(({ report }) => report.label),
    nextField: advised.field ?? '',
    nextBestAction: advised.action ?? failed[0]?.action ?? (ready ? pack.done : words.say('form.fillIn')),
    unusedFields: pack.unusedFields,
    summary: summaryOf(
      ready,
      completeness,
      { missing, wrong, contradictions: contradictions.slice(0, toldMax).map(({ result }) => result.rule.message) },
      blocking?.message,
      words,
    ),
    basis: basisOf([...results, ...inspected.map(asCheck)], pack.label, words),
  };
}

/** What to do about a field: its suggestion, or what is wrong where the suggestion only names the field. */
function actionOf({ status, report }: Inspected, { say }: Words): string {
  const { label, message, suggestion } = report;
  const namesOnly = status === 'invalid' && suggestion === say('field.correct', { label });
  return namesOnly ? say('form.correctThis', { message }) : suggestion;
}

/** The field that a failed check is about: the contradiction's field, or the one named as its fact. */
function fieldOf(
  { id, fact }: CheckRule,
  contradictions: readonly Contradiction[],
  inspected: readonly Inspected[],
): string | undefined {
  return (
    contradictions.find(({ result }) => result.rule.id === id)?.field ??
    inspected.find(({ field, report }) => fact === field.name || fact === report.label)?.field.name
  );
}

/**
 * The field in focus while it is not right; then what is required and invalid; then what is required and missing; then what is
 * optional and invalid; then what could be better; then what is optional and empty. Among equals, the most important.
 */
function nextField(request: ProfileRequest, inspected: readonly Inspected[]): Inspected | undefined {
  const open = inspected.filter(({ status }) => status !== 'ok');
  const focused = open.find(({ field }) => field.name === request.focusedField);
  return focused ?? [...open].sort((a, b) => urgency(b) - urgency(a) || b.importance - a.importance)[0];
}

function urgency({ field, status }: Inspected): number {
  if (status === 'invalid') return field.required ? 4 : 2;
  if (status === 'missing' && field.required) return 3;
  return status === 'weak' ? 1 : 0;
}

function asCheck({ report, field, status, importance }: Inspected): CheckResult {
  const failed = status === 'missing' || status === 'invalid' || status === 'weak';
  return {
    outcome: status === 'empty' ? 'skipped' : failed ? 'failed' : 'passed',
    rule: {
      id: `field-${field.name}`,
      fact: report.label,
      pass: '',
      weight: importance,
      severity: field.required ? 'high' : 'low',
      message: report.message,
      action: report.suggestion,
    },
  };
}

/** A summary stays one that can be read. */
const toldMax = 3;

function summaryOf(
  ready: boolean,
  percent: number,
  { missing, wrong, contradictions }: { missing: number; wrong: number; contradictions: readonly string[] },
  blocking: string | undefined,
  { say }: Words,
): string {
  if (blocking !== undefined && missing + wrong === 0) return say('form.blocked', { message: blocking });
  if (ready && percent === 100) return say('form.whole');
  if (ready) return say('form.requiredIsThere', { percent });
  const needed = missing === 0 ? [] : [say('form.needed', { count: missing })];
  const corrected = wrong === 0 ? [] : [say('form.wrong', { count: wrong })];
  return [say('form.percent', { percent }), ...needed, ...corrected, ...contradictions].join(' ');
}
