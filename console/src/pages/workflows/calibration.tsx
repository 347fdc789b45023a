import type { RpcReply } from '../../api.ts';
import { formatNumber, t } from '../../i18n/index.ts';
import { pointsText, shareText } from '../../shares.ts';
import { Badge, Section, Table } from '../../ui/index.ts';

type FamilyCalibration = NonNullable<RpcReply<'OutcomeService.GetCalibration'>['families']>[number];
type AdverseRate = NonNullable<FamilyCalibration['overall']>;
type Check = NonNullable<FamilyCalibration['checks']>[number];
type Band = NonNullable<FamilyCalibration['scores']>[number];
type Reweighing = NonNullable<FamilyCalibration['reweighing']>;

/** What outcomes say about one version of a family's rules. */
export function Calibration({ title, calibration }: { title: string; calibration: FamilyCalibration }) {
  const { packVersion = '', notEnoughData, overall = {}, neutral = 0 } = calibration;
  return (
    <Section class="workflows-card" title={title}>
      <p class="muted small">{t('workflows.rules', { pack: packVersion })}</p>
      <p>
        {t('workflows.badly')} <Rate of={overall} /> {neutral > 0 && t('workflows.neutral', { count: neutral })}
      </p>
      {notEnoughData ? (
        <p>
          {t('workflows.tooFew')}{' '}
          <span class="muted" lang="en">
            ({notEnoughData})
          </span>
        </p>
      ) : (
        <Figures calibration={calibration} />
      )}
    </Section>
  );
}

function Figures({ calibration: { scores = [], checks = [], reweighing } }: { calibration: FamilyCalibration }) {
  return (
    <>
      {scores.length > 0 && <Scores scores={scores} />}
      <h3>{t('workflows.byCheck')}</h3>
      <Checks checks={checks} />
      {reweighing && <Weights reweighing={reweighing} />}
    </>
  );
}

function Scores({ scores }: { scores: readonly Band[] }) {
  return (
    <>
      <h3>{t('workflows.byScore')}</h3>
      <Table
        caption={t('workflows.byScore')}
        rows={scores}
        rowKey={({ from }) => String(from)}
        columns={[
          {
            id: 'score',
            title: t('workflows.score'),
            phone: 'title',
            cell: ({ from = 0, to = 0 }) => t('workflows.band', { from: Number(from), to: Number(to) }),
          },
          { id: 'rate', title: t('workflows.badly'), cell: ({ result = {} }) => <Rate of={result} /> },
        ]}
      />
    </>
  );
}

function Checks({ checks }: { checks: readonly Check[] }) {
  return (
    <Table
      caption={t('workflows.byCheck')}
      rows={checks}
      rowKey={({ checkId }) => checkId ?? ''}
      empty={<p class="muted">{t('workflows.noChecks')}</p>}
      columns={[
        {
          id: 'check',
          title: t('workflows.check'),
          phone: 'title',
          cell: ({ checkId }) => <code>{checkId}</code>,
        },
        { id: 'failed', title: t('workflows.whenFailed'), cell: ({ failed = {} }) => <Rate of={failed} /> },
        { id: 'not', title: t('workflows.whenNotFailed'), cell: ({ notFailed = {} }) => <Rate of={notFailed} /> },
        {
          id: 'difference',
          title: t('workflows.difference'),
          cell: ({ difference: { value, low, high } = {} }) => (
            <Interval value={pointsText(value)} low={pointsText(low)} high={pointsText(high)} />
          ),
        },
        {
          id: 'says',
          title: t('workflows.says'),
          cell: (check) => <Says check={check} />,
        },
      ]}
    />
  );
}

/** If the interval contains 0, failing may mean nothing; otherwise it predicts a bad outcome, or the opposite. */
function Says({ check: { foretells, difference } }: { check: Check }) {
  if (!foretells) return <Badge kind="plain">{t('workflows.chance')}</Badge>;
  return Number(difference?.value) > 0 ? (
    <Badge kind="warning">{t('workflows.foretells')}</Badge>
  ) : (
    <Badge kind="good">{t('workflows.foretellsGood')}</Badge>
  );
}

function Weights({ reweighing: { presentAuc, proposedAuc, weights = [] } }: { reweighing: Reweighing }) {
  return (
    <>
      <h3>{t('workflows.weights')}</h3>
      <p>{t('workflows.weightsHelp', { present: shareText(presentAuc), proposed: shareText(proposedAuc) })}</p>
      <Table
        caption={t('workflows.weights')}
        rows={weights}
        rowKey={({ checkId }) => checkId ?? ''}
        columns={[
          {
            id: 'check',
            title: t('workflows.check'),
            phone: 'title',
            cell: ({ checkId }) => <code>{checkId}</code>,
          },
          { id: 'present', title: t('workflows.present'), align: 'end', cell: ({ present }) => weightText(present) },
          {
            id: 'proposed',
            title: t('workflows.proposed'),
            align: 'end',
            cell: ({ proposed }) => weightText(proposed),
          },
        ]}
      />
    </>
  );
}

function weightText(weight: number | string | undefined): string {
  return formatNumber(Number(weight ?? 0), { maximumFractionDigits: 2 });
}

/** How often something came out badly: the rate if there is one, and always out of how many. */
function Rate({ of: { outcomes = 0, adverse = 0, rate } }: { of: AdverseRate }) {
  const counts = t('workflows.adverseOf', { adverse, outcomes });
  if (!rate) return <>{counts}</>;
  const { value, low, high } = rate;
  return <Interval value={shareText(value)} low={shareText(low)} high={shareText(high)} more={`, ${counts}`} />;
}

/** One element, so that a phone's card row keeps it together. */
function Interval({ value, low, high, more = '' }: { value: string; low: string; high: string; more?: string }) {
  return (
    <span>
      <strong>{value}</strong>{' '}
      <span class="muted">
        {t('workflows.interval', { low, high })}
        {more}
      </span>
    </span>
  );
}
