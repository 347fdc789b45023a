import { useState } from 'preact/hooks';
import type { AlertJson } from '../../../gen/intelligence/pulse/v1/alert_pb';
import { findText, t } from '../../i18n/index.ts';
import { useRpc, useRpcMutation } from '../../query.ts';
import { Async, Badge, Button, type Column, Failure, Section, Table, Time, toast } from '../../ui/index.ts';
import { AlertDialog } from './alert-dialog.tsx';
import { shareText } from './words.tsx';

/** What is watched about a journey. */
export function Alerts({ journey }: { journey: string }) {
  const query = useRpc('PulseService.ListAlerts', {});
  const [isNew, setIsNew] = useState(false);
  const end = useRpcMutation('PulseService.DeleteAlert', { onSuccess: () => toast(t('pulse.alertEnded')) });
  const metricText = (metric = '') => findText('pulse', `alert-${metric}`) ?? metric;
  const columns: Column<AlertJson>[] = [
    { id: 'metric', title: t('pulse.alertMetric'), phone: 'title', cell: ({ metric }) => metricText(metric) },
    { id: 'band', title: t('pulse.band'), cell: bandText },
    {
      id: 'state',
      title: t('pulse.alertState'),
      cell: ({ state = '' }) => (
        <Badge kind={state === 'outside' ? 'danger' : 'good'}>{findText('pulse', `alert-${state}`) ?? state}</Badge>
      ),
    },
    {
      id: 'changed',
      title: t('pulse.changed'),
      cell: ({ changeTime }) => (changeTime === undefined ? t('pulse.neverChanged') : <Time at={changeTime} />),
    },
    {
      id: 'end',
      title: t('pulse.actions'),
      align: 'end',
      cell: ({ metric = '' }) => (
        <Button
          kind="quiet"
          busy={end.isPending && end.variables?.metric === metric}
          aria-label={t('pulse.endAlertOf', { metric: metricText(metric) })}
          onClick={() => end.mutate({ journey, metric })}
        >
          {t('pulse.endAlert')}
        </Button>
      ),
    },
  ];
  return (
    <Section title={t('pulse.alerts')} actions={<Button onClick={() => setIsNew(true)}>{t('pulse.watch')}</Button>}>
      <p class="muted">{t('pulse.alertsHelp')}</p>
      {end.error && <Failure failure={end.error} />}
      <Async query={query} lines={2}>
        {({ alerts = [] }) => (
          <Table
            caption={t('pulse.alerts')}
            columns={columns}
            rows={alerts.filter((alert) => alert.journey === journey)}
            rowKey={({ metric = '' }) => metric}
            empty={<p class="empty">{t('pulse.alertsNone')}</p>}
          />
        )}
      </Async>
      <AlertDialog journey={journey} open={isNew} onClose={() => setIsNew(false)} />
    </Section>
  );
}

function bandText({ above, clearBelow }: AlertJson): string {
  if (typeof above !== 'number') return t('pulse.bandLearned');
  const below = typeof clearBelow === 'number' ? clearBelow : above * 0.8;
  return t('pulse.bandAbove', { above: shareText(above), below: shareText(below) });
}
