import type {
  CircuitJson,
  HealthJson,
  PriceBookVersionJson,
} from '../../../gen/intelligence/operations/v1/operations_pb';
import { findText, formatNumber, t } from '../../i18n/index.ts';
import { useRpc } from '../../query.ts';
import { Async, Banner, type Column, Curl, Page, Section, Table, Time, timeText } from '../../ui/index.ts';

const everyMs = 10_000;

/** The service's current health, for operators. */
export default function OperatorHealth() {
  const health = useRpc('OperationsService.GetHealth', {}, { refetchInterval: everyMs });
  const { data, error, refetch, isFetching } = health;
  // Data read before a failure is not the current state: no green below red, and counts are shown with their time.
  const versions = useRpc('OperationsService.ListPriceVersions', {});
  // A service that answers neither is a single fault, reported once.
  const isAway = Boolean(error && versions.error && !versions.data);
  const again = () => {
    if (isAway) void versions.refetch();
    return refetch();
  };
  const now = { data: error ? undefined : data, error, refetch: again, isFetching };
  return (
    <Page title={t('operator-health.title')} lead={t('operator-health.lead')}>
      <Async query={now} lines={12}>
        {(reply) => (
          <>
            <Verdict health={reply.health ?? {}} />
            <Counts health={reply.health ?? {}} />
          </>
        )}
      </Async>
      {error && data?.health && <Counts health={data.health} past />}
      <Curl name="OperationsService.GetHealth" request={{}} credential="OPERATOR_TOKEN" />
      {!isAway && (
        <Section title={t('operator-health.versions')}>
          <Async query={versions} lines={4}>
            {({ versions: rows = [] }) => (
              <Table
                caption={t('operator-health.versions')}
                columns={versionColumns()}
                rows={rows}
                rowKey={({ version }) => String(version)}
                empty={<p class="empty">{t('operator-health.noVersions')}</p>}
              />
            )}
          </Async>
        </Section>
      )}
    </Page>
  );
}

/** Whether the service works, and whether somebody has to look at it. */
function Verdict({ health }: { health: HealthJson }) {
  const { ready, problem = '', ledgerUp } = health;
  const { overdueHolds = 0, deadLetters = 0, webhookOverdue = 0 } = health;
  return (
    <>
      {ready ? (
        <Banner kind="good" title={t('operator-health.ready')} />
      ) : (
        <Banner kind="danger" title={t('operator-health.notReady', { problem })} />
      )}
      {!ledgerUp && <Banner kind="danger" title={t('operator-health.ledgerDown')} />}
      {overdueHolds + deadLetters + webhookOverdue > 0 && (
        <Banner kind="warning" title={t('operator-health.look')}>
          {t('operator-health.lookHelp')}
        </Banner>
      )}
    </>
  );
}

interface CountsProps {
  health: HealthJson;
  /** Whether the service has failed to answer since. */
  past?: boolean;
}

/** The counts, with their time if they are not current. */
function Counts({ health, past = false }: CountsProps) {
  const { ready, circuits = [], countedTime } = health;
  const time = countedTime === undefined ? undefined : timeText(new Date(countedTime), 'full');
  const asOf = time !== undefined && <p class="muted">{t('operator-health.asOf', { time })}</p>;
  return (
    <>
      <Section title={t('operator-health.all')}>
        {(past || !ready) && asOf}
        {time === undefined ? (
          <p class="empty">{t('operator-health.neverCounted')}</p>
        ) : (
          <dl class="cards">
            <Figure name="openHolds" value={health.openHolds} />
            <Figure name="nodesWithHolds" value={health.nodesWithHolds} />
            <Figure name="overdueHolds" value={health.overdueHolds} />
            <Figure name="deadLetters" value={health.deadLetters} />
            <Figure name="webhookBacklog" value={health.webhookBacklog} />
            <Figure name="webhookOverdue" value={health.webhookOverdue} />
          </dl>
        )}
      </Section>
      <Section title={t('operator-health.node')}>
        {past && asOf}
        <dl class="cards">
          <Figure name="waiting" value={health.waitingOperations} />
          <Figure name="priceVersion" value={health.priceVersion} />
        </dl>
        <h3>{t('operator-health.circuits')}</h3>
        <p class="help">{t('operator-health.circuitsHelp')}</p>
        <Table
          caption={t('operator-health.circuits')}
          columns={circuitColumns()}
          rows={circuits}
          rowKey={({ route = '' }) => route}
          empty={<p class="empty">{t('operator-health.noCircuits')}</p>}
        />
      </Section>
    </>
  );
}

type FigureName =
  | 'openHolds'
  | 'nodesWithHolds'
  | 'overdueHolds'
  | 'deadLetters'
  | 'webhookBacklog'
  | 'webhookOverdue'
  | 'waiting'
  | 'priceVersion';

function Figure({ name, value = 0 }: { name: FigureName; value: number | undefined }) {
  const help = findText('operator-health', `help-${name}`);
  return (
    <div class="figure">
      <dt>{t(`operator-health.${name}`)}</dt>
      <dd>{formatNumber(value)}</dd>
      {help !== undefined && <dd class="help">{help}</dd>}
    </div>
  );
}

function circuitColumns(): Column<CircuitJson>[] {
  return [
    { id: 'route', title: t('operator-health.route'), phone: 'title', cell: ({ route }) => route },
    {
      id: 'state',
      title: t('operator-health.state'),
      cell: ({ state = '' }) => findText('operator-health', `circuit-${state}`) ?? state,
    },
  ];
}

function versionColumns(): Column<PriceBookVersionJson>[] {
  return [
    { id: 'version', title: t('operator-health.version'), phone: 'title', cell: ({ version }) => version },
    {
      id: 'since',
      title: t('operator-health.since'),
      cell: ({ effectiveTime }) => <Time at={effectiveTime} as="full" />,
    },
    { id: 'prices', title: t('operator-health.prices'), align: 'end', cell: ({ prices = 0 }) => formatNumber(prices) },
    { id: 'items', title: t('operator-health.items'), cell: ({ items = [] }) => <Items items={items} /> },
  ];
}

function Items({ items }: { items: readonly string[] }) {
  return <span class="small">{items.slice(0, 6).join(', ') + (items.length > 6 ? ', …' : '')}</span>;
}
