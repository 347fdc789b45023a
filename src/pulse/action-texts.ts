import { readLocale, tagOf } from '../base/locale.ts';
/** What a report's next action says, in one language. Steps and codes stay as the caller's events name them. */
export interface ActionTexts {
  none: string;
  /** Of what share of the sessions nothing was lost. */
  fine(percent: string): string;
  error(found: { code: string; step: string; sessions: number; share: string; lost: number }): string;
  stop(found: { step: string; sessions: number; share: string }): string;
  lead(found: { step: string; sessions: number; next: string | undefined }): string;
  shorten(found: { step: string; time: string; times: string }): string;
  /** ` (31.5% of those that entered)`. */
  share(percent: string): string;
  seconds(count: string): string;
  minutes(count: string): string;
}

const en: ActionTexts = {
  none: 'No session began in this period: send entered and completed events for this journey.',
  fine: (percent) => `Nothing stands out: no step or error lost ${percent} of the sessions.`,
  error: ({ code, step, sessions, share, lost }) =>
    `Fix error ${code} at step "${step}": it met ${inEnglish(sessions)}${share}, and ${lost} of them did not complete the step afterwards.`,
  stop: ({ step, sessions, share }) =>
    `Look at step "${step}": ${inEnglish(sessions)} stopped there without completing it${share}.`,
  lead: ({ step, sessions, next }) =>
    `Lead people on from step "${step}": ${inEnglish(sessions)} completed it${next === undefined ? '' : ` and did not go on to "${next}"`}.`,
  shorten: ({ step, time, times }) =>
    `Shorten step "${step}": half of its sessions take over ${time} there, ${times} times what is usual for this journey.`,
  share: (percent) => ` (${percent} of those that entered)`,
  seconds: (count) => `${count} seconds`,
  minutes: (count) => `${count} minutes`,
};

function inEnglish(sessions: number): string {
  return sessions === 1 ? '1 session' : `${sessions} sessions`;
}

const de: ActionTexts = {
  none: 'In diesem Zeitraum begann keine Sitzung: Senden Sie für diesen Ablauf die Ereignisse entered und completed.',
  fine: (percent) => `Nichts fällt auf: Kein Schritt und kein Fehler kostete ${percent} der Sitzungen.`,
  error: ({ code, step, sessions, share, lost }) =>
    `Beheben Sie den Fehler ${code} im Schritt „${step}“: Er traf ${inGerman(sessions)}${share}, davon ${lost} ohne späteren Abschluss des Schritts.`,
  stop: ({ step, sessions, share }) =>
    `Sehen Sie sich den Schritt „${step}“ an: ${inGerman(sessions)} ${sessions === 1 ? 'endete' : 'endeten'} dort, ohne ihn abzuschließen${share}.`,
  lead({ step, sessions, next }) {
    const [closed, ended, went] = sessions === 1 ? ['schloss', 'endete', 'ging'] : ['schlossen', 'endeten', 'gingen'];
    const then = next === undefined ? `${ended} dann` : `${went} nicht zu „${next}“ weiter`;
    return `Führen Sie nach dem Schritt „${step}“ weiter: ${inGerman(sessions)} ${closed} ihn ab und ${then}.`;
  },
  shorten: ({ step, time, times }) =>
    `Verkürzen Sie den Schritt „${step}“: Die Hälfte seiner Sitzungen braucht dort über ${time}, das ${times}-Fache des in diesem Ablauf Üblichen.`,
  share: (percent) => ` (${percent} der Sitzungen in diesem Schritt)`,
  seconds: (count) => `${count} Sekunden`,
  minutes: (count) => `${count} Minuten`,
};

function inGerman(sessions: number): string {
  return sessions === 1 ? '1 Sitzung' : `${sessions} Sitzungen`;
}

const es: ActionTexts = {
  none: 'En este período no empezó ninguna sesión: envíe los eventos entered y completed de este recorrido.',
  fine: (percent) => `Nada llama la atención: ningún paso ni error costó el ${percent} de las sesiones.`,
  error: ({ code, step, sessions, share, lost }) =>
    `Corrija el error ${code} en el paso «${step}»: afectó a ${inSpanish(sessions)}${share}, de las que ${lost} no completaron después el paso.`,
  stop: ({ step, sessions, share }) =>
    `Revise el paso «${step}»: ${inSpanish(sessions)} ${sessions === 1 ? 'terminó' : 'terminaron'} ahí sin completarlo${share}.`,
  lead({ step, sessions, next }) {
    const [completed, went] = sessions === 1 ? ['lo completó', 'no siguió'] : ['lo completaron', 'no siguieron'];
    const then = next === undefined ? '' : ` y ${went} a «${next}»`;
    return `Guíe a las personas desde el paso «${step}»: ${inSpanish(sessions)} ${completed}${then}.`;
  },
  shorten: ({ step, time, times }) =>
    `Acorte el paso «${step}»: la mitad de sus sesiones pasa ahí más de ${time}, ${times} veces lo habitual en este recorrido.`,
  share: (percent) => ` (${percent} de las que entraron)`,
  seconds: (count) => `${count} segundos`,
  minutes: (count) => `${count} minutos`,
};

function inSpanish(sessions: number): string {
  return sessions === 1 ? '1 sesión' : `${sessions} sesiones`;
}

const fr: ActionTexts = {
  none: 'Aucune session n’a commencé pendant cette période : envoyez les événements entered et completed de ce parcours.',
  fine: (percent) => `Rien ne se distingue : aucune étape ni erreur n’a coûté ${percent} des sessions.`,
  error: ({ code, step, sessions, share, lost }) =>
    `Corrigez l’erreur ${code} à l’étape « ${step} » : elle a touché ${inFrench(sessions)}${share}, dont ${lost} sans terminer l’étape ensuite.`,
  stop: ({ step, sessions, share }) =>
    `Examinez l’étape « ${step} » : ${inFrench(sessions)} ${sessions === 1 ? 's’y est arrêtée' : 's’y sont arrêtées'} sans la terminer${share}.`,
  lead({ step, sessions, next }) {
    const [completed, went] =
      sessions === 1 ? ['l’a terminée', 'n’est pas allée'] : ['l’ont terminée', 'ne sont pas allées'];
    const then = next === undefined ? '' : ` et ${went} à « ${next} »`;
    return `Guidez les personnes après l’étape « ${step} » : ${inFrench(sessions)} ${completed}${then}.`;
  },
  shorten: ({ step, time, times }) =>
    `Raccourcissez l’étape « ${step} » : la moitié de ses sessions y passe plus de ${time}, ${times} fois ce qui est habituel dans ce parcours.`,
  share: (percent) => ` (${percent} de celles qui y sont entrées)`,
  seconds: (count) => `${count} secondes`,
  minutes: (count) => `${count} minutes`,
};

function inFrench(sessions: number): string {
  return sessions === 1 ? '1 session' : `${sessions} sessions`;
}

const texts = { en, de, es, fr };

/** The texts for a locale (BCP 47), with the tag by which numbers are written. A language that is not here is ignored: English. */
export function actionTextsFor(locale: string): { texts: ActionTexts; tag: string } {
  const read = readLocale(locale);
  const language = read?.language;
  if (language !== 'en' && language !== 'de' && language !== 'es' && language !== 'fr') return { texts: en, tag: 'en' };
  return { texts: texts[language], tag: tagOf({ language, region: read?.region }) };
}
