import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import type { ChargeCorrectionJson, ChargeJson, PriceLineJson } from '../../../gen/intelligence/wallet/v1/wallet_pb';
import { useAllKeys } from '../../credentials/all-keys.ts';
import { findText, formatNumber, t } from '../../i18n/index.ts';
import { exactText, readUsd, sumUsd } from '../../money.ts';
import { useRpc } from '../../query.ts';
import { Async, type Column, Curl, Dialog, Money, Table, Time } from '../../ui/index.ts';
import { countText } from './charge-table.tsx';
import { Labels } from './labels.tsx';
import { StateBadge } from './state.tsx';

interface ChargePanelProps {
  /** Undefined: closed. */
  chargeId: string | undefined;
  onClose: () => void;
}

/** Everything known about one charge. */
export function ChargePanel({ chargeId, onClose }: ChargePanelProps) {
  return (
    <Dialog kind="side" title={chargeId ?? ''} open={chargeId !== undefined} onClose={onClose}>
      {chargeId !== undefined && <Loaded chargeId={chargeId} />}
    </Dialog>
  );
}

function Loaded({ chargeId }: { chargeId: string }) {
  const query = useRpc('WalletService.GetCharge', { chargeId });
  return (
    <Async query={query} lines={12}>
      {({ charge }) => charge && <Details charge={charge} />}
    </Async>
  );
}

function Details({ charge }: { charge: ChargeJson }) {
  const { lines = [], corrections = [], state, metadata = {} } = charge;
  return (
    <div class="charges-panel">
      <p class="charges-sum">
        <Money usd={charge.chargedUsd} /> <StateBadge state={state} />
      </p>
      <section>
        <h3>{t('charges.consists')}</h3>
        {state === 'held' && <p>{t('charges.stillHeld', { amount: exactText(readUsd(charge.heldUsd) ?? 0n) })}</p>}
        {state !== 'held' && lines.length === 0 && <p>{t('charges.nothingCharged')}</p>}
        {lines.length > 0 && <Lines lines={lines} />}
      </section>
      {corrections.length > 0 && (
        <section>
          <h3>{t('charges.corrections')}</h3>
          <Corrections rows={corrections} reversedUsd={charge.reversedUsd} />
        </section>
      )}
      <section>
        <h3>{t('charges.facts')}</h3>
        <Facts charge={charge} />
      </section>
      <section>
        <h3>{t('charges.labels')}</h3>
        <Labels metadata={metadata} />
      </section>
      <Curl name="WalletService.GetCharge" request={{ chargeId: charge.chargeId ?? '' }} />
    </div>
  );
}

/** The price lines and their sum, which is what was charged. */
function Lines({ lines }: { lines: readonly PriceLineJson[] }) {
  const columns: Column<PriceLineJson>[] = [
    {
      id: 'kind',
      title: t('charges.kind'),
      phone: 'title',
      cell: ({ kind = '' }) => findText('charges', `line-${kind}`) ?? kind,
      total: t('common.total'),
    },
    { id: 'quantity', title: t('charges.quantity'), align: 'end', cell: ({ quantity }) => countText(quantity) },
    { id: 'rate', title: t('charges.rate'), align: 'end', cell: ({ perMillionUsd }) => <Money usd={perMillionUsd} /> },
    {
      id: 'amount',
      title: t('charges.amount'),
      align: 'end',
      cell: ({ amountUsd }) => <Money usd={amountUsd} />,
      total: <Money usd={sumUsd(lines.map(({ amountUsd }) => amountUsd))} />,
    },
  ];
  return <Table caption={t('charges.consists')} columns={columns} rows={lines} rowKey={({ kind = '' }) => kind} />;
}

interface CorrectionsProps {
  rows: readonly ChargeCorrectionJson[];
  reversedUsd: string | undefined;
}

/** What was refunded for it, individually and in total; if there is more than is listed, the full total is shown below. */
function Corrections({ rows, reversedUsd }: CorrectionsProps) {
  const sum = sumUsd(rows.map(({ amountUsd }) => amountUsd));
  const columns: Column<ChargeCorrectionJson>[] = [
    { id: 'time', title: t('charges.time'), cell: ({ time }) => <Time at={time} />, total: t('common.total') },
    {
      id: 'correction',
      title: t('charges.correction'),
      phone: 'title',
      cell: ({ adjustmentId }) => <code>{adjustmentId}</code>,
    },
    {
      id: 'amount',
      title: t('charges.amount'),
      align: 'end',
      cell: ({ amountUsd }) => <Money usd={amountUsd} />,
      total: <Money usd={sum} />,
    },
  ];
  return (
    <>
      <Table
        caption={t('charges.corrections')}
        columns={columns}
        rows={rows}
        rowKey={({ adjustmentId = '' }) => adjustmentId}
      />
      {sum !== readUsd(reversedUsd) && (
        <p class="muted small">{t('charges.correctionsMore', { amount: exactText(readUsd(reversedUsd) ?? 0n) })}</p>
      )}
    </>
  );
}

function Facts({ charge }: { charge: ChargeJson }) {
  const { createTime, endTime, keyId, deviceId, subject, model } = charge;
  const keys = useAllKeys();
  const key = keys.data?.rows.find((one) => one.keyId === keyId);
  return (
    <dl class="pairs">
      <Fact name={t('charges.operation')}>{charge.operation}</Fact>
      <Fact name={t('charges.provider')}>{charge.provider}</Fact>
      <Fact name={t('charges.model')}>{model}</Fact>
      <Fact name={t('charges.key')}>{keyId && <Link href={`/keys/${keyId}`}>{key?.displayName || keyId}</Link>}</Fact>
      <Fact name={t('charges.ownKey')}>{charge.providerKeyId}</Fact>
      <Fact name={t('charges.subject')}>{subject}</Fact>
      <Fact name={t('charges.device')}>{deviceId}</Fact>
      <Fact name={t('charges.token')}>{charge.tokenId}</Fact>
      <Fact name={t('charges.reasoning')}>{charge.reasoningTokens && countText(charge.reasoningTokens)}</Fact>
      <Fact name={t('charges.attempts')}>
        {charge.requests && charge.requests !== '1' && countText(charge.requests)}
      </Fact>
      <Fact name={t('charges.calls')}>{charge.attempts && formatNumber(charge.attempts)}</Fact>
      <Fact name={t('charges.finish')}>
        {charge.finishReason && (findText('charges', `finish-${charge.finishReason}`) ?? charge.finishReason)}
      </Fact>
      <Fact name={t('charges.estimated')}>{charge.estimated && t('charges.estimatedText')}</Fact>
      <Fact name={t('charges.admitted')}>
        <Time at={createTime} as="full" />
      </Fact>
      <Fact name={t('charges.ended')}>{endTime && <Time at={endTime} as="full" />}</Fact>
      <Fact name={t('charges.took')}>{charge.latencyMs && durationText(charge.latencyMs)}</Fact>
      <Fact name={t('charges.modelTook')}>{charge.modelLatencyMs && durationText(charge.modelLatencyMs)}</Fact>
      <Fact name={t('charges.request')}>{charge.requestId && <code>{charge.requestId}</code>}</Fact>
      <Fact name={t('charges.heldFor')}>
        <Money usd={charge.heldUsd} />
      </Fact>
      <Fact name={t('charges.owed')}>{charge.owedUsd && <Money usd={charge.owedUsd} />}</Fact>
      <Fact name={t('charges.reversed')}>{charge.reversedUsd && <Money usd={charge.reversedUsd} />}</Fact>
      <Fact name={t('charges.book')}>{t('charges.bookVersion', { version: charge.priceVersion ?? '–' })}</Fact>
    </dl>
  );
}

/** Renders nothing for unknown values. */
function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  if (!children) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function durationText(milliseconds: string): string {
  const ms = Number(milliseconds);
  if (ms < 1_000) return t('charges.milliseconds', { count: ms });
  return t('charges.seconds', { seconds: formatNumber(ms / 1_000, { maximumFractionDigits: 1 }) });
}
