import { lastDays } from '../../days.ts';
import { findText, t } from '../../i18n/index.ts';
import { useRpc } from '../../query.ts';
import { Async, Curl, Filters, Section, Select, useFilters } from '../../ui/index.ts';
import { Calibration } from './calibration.tsx';
import { familyNames } from './families.ts';

const periods = ['30', '90', '400'] as const;

/** The outcomes of judged items, and what they say about the judging. */
export function Outcomes() {
  const [filters, set] = useFilters({ family: '', days: '90' });
  const days = periods.find((each) => each === filters.days) ?? '90';
  const family = judged.find((each) => each === filters.family) ?? '';
  const request = { ...(family !== '' && { family }), from: lastDays(Number(days)).startTime };
  const query = useRpc('OutcomeService.GetCalibration', request);
  return (
    <>
      <Section
        class="workflows-card"
        title={t('workflows.name-outcomes')}
        actions={
          <Filters label={t('workflows.name-outcomes')}>
            <Select
              label={t('workflows.workflow')}
              value={family}
              options={[
                { value: '', label: t('workflows.allWorkflows') },
                ...judged.map((value) => ({ value, label: familyText(value) })),
              ]}
              onValue={(value) => set({ family: value })}
            />
            <Select
              label={t('workflows.period')}
              value={days}
              options={periods.map((value) => ({ value, label: t(`workflows.period-${value}`) }))}
              onValue={(value) => set({ days: value })}
            />
          </Filters>
        }
      >
        <p class="muted">{t('workflows.outcomesHelp')}</p>
        <Async
          query={query}
          lines={10}
          isEmpty={({ families = [] }) => families.length === 0}
          empty={
            <>
              <p class="empty">{t('workflows.noOutcomes')}</p>
              <Curl
                name="OutcomeService.ReportOutcome"
                request={{ outcome: { subjectId: 'listing-4711', outcome: 'sold', valueUsd: '180.00' } }}
                credential="API_KEY"
              />
            </>
          }
        >
          {({ outcomes = 0, truncated }) => (
            <>
              {truncated && <p class="muted">{t('workflows.moreOutcomes', { count: outcomes })}</p>}
              <Curl name="OutcomeService.GetCalibration" request={request} />
            </>
          )}
        </Async>
      </Section>
      {query.data?.families?.map((each) => (
        <Calibration
          key={`${each.family} ${each.packVersion}`}
          title={familyText(each.family ?? '')}
          calibration={each}
        />
      ))}
    </>
  );
}

/** What can be judged: the families, and the account's own workflows. */
const judged = [...familyNames, 'custom'] as const;

function familyText(family: string): string {
  return findText('workflows', `name-${family === 'custom' ? 'definitions' : family}`) ?? family;
}
