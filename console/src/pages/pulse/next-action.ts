import { formatNumber, t } from '../../i18n/index.ts';

/** The sentences of pulse's rules (src/pulse/next-action.ts), with the values in each. */
const sentences: readonly [RegExp, (found: Readonly<Record<string, string>>) => string][] = [
  [/^No session began in this period: /, () => t('pulse.actionNone')],
  [
    /^Fix error (?<code>.+) at step "(?<step>.+)": it met (?<count>\d+) sessions?(?<share> \(.+\))?, and (?<lost>\d+) of them /,
    ({ code = '', step = '', count = '', share, lost = '' }) =>
      t('pulse.actionError', { code, step, count: Number(count), share: shareText(share), lost: Number(lost) }),
  ],
  [
    /^Look at step "(?<step>.+)": (?<count>\d+) sessions? stopped there without completing it(?<share> \(.+\))?\.$/,
    ({ step = '', count = '', share }) =>
      t('pulse.actionStop', { step, count: Number(count), share: shareText(share) }),
  ],
  [
    /^Lead people on from step "(?<step>.+)": (?<count>\d+) sessions? completed it and did not go on to "(?<next>.+)"\.$/,
    ({ step = '', count = '', next = '' }) => t('pulse.actionLeadTo', { step, count: Number(count), next }),
  ],
  [
    /^Lead people on from step "(?<step>.+)": (?<count>\d+) sessions? completed it\.$/,
    ({ step = '', count = '' }) => t('pulse.actionLead', { step, count: Number(count) }),
  ],
  [
    /^Shorten step "(?<step>.+)": half of its sessions take over (?<amount>\d+) (?<unit>second|minute)s there, (?<times>[\d.]+) times /,
    ({ step = '', amount = '', unit = '', times = '' }) =>
      t('pulse.actionShorten', {
        step,
        time: formatNumber(Number(amount), { style: 'unit', unit, unitDisplay: 'long' }),
        times: formatNumber(Number(times), { minimumFractionDigits: 1 }),
      }),
  ],
  [/^Nothing stands out: /, () => t('pulse.actionFine')],
];

/** What to do next in the page's language; undefined for an unknown sentence. */
export function nextActionText(said: string): string | undefined {
  for (const [sentence, words] of sentences) {
    const found = sentence.exec(said);
    if (found) return words(found.groups ?? {});
  }
  return undefined;
}

/** ` (31.5% of those that entered)`, or nothing. */
function shareText(share: string | undefined): string {
  if (share === undefined) return '';
  const percent = formatNumber(Number.parseFloat(share.slice(2)) / 100, { style: 'percent', maximumFractionDigits: 1 });
  return ` ${t('pulse.actionShare', { percent })}`;
}
