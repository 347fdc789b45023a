import './charges.css';
import { useMemo } from 'preact/hooks';
import { useLocation, useParams, useSearch } from 'wouter-preact';
import type { ChargeJson } from '../../../gen/intelligence/wallet/v1/wallet_pb';
import { t } from '../../i18n/index.ts';
import { useRowList } from '../../paging.ts';
import { Async, Banner, Curl, More, Page, Section, useFilters } from '../../ui/index.ts';
import { ChargePanel } from './charge-panel.tsx';
import { ChargeTable } from './charge-table.tsx';
import { ChargeFilters, noFilters, requestOf } from './filters.tsx';

/** Every request with what it cost; one of them in a panel beside the list. */
export default function Charges() {
  const [filters, setFilters] = useFilters(noFilters);
  const { chargeId } = useParams<{ chargeId?: string }>();
  const [, navigate] = useLocation();
  const search = useSearch();
  // Rounded to a minute, so that the same filters are the same request for a while.
  const minute = Math.floor(Date.now() / 60_000);
  const request = useMemo(() => requestOf(filters, minute), [JSON.stringify(filters), minute]);
  const list = useRowList('WalletService.ListCharges', request, ({ charges }) => charges);
  const isFiltered = JSON.stringify(filters) !== JSON.stringify(noFilters);
  const kept = search === '' ? '' : `?${search}`;

  return (
    <Page title={t('charges.title')} lead={t('charges.lead')}>
      <ChargeFilters values={filters} set={setFilters} />
      <Section title={t('charges.title')}>
        <Async
          query={list.query}
          lines={12}
          isEmpty={(rows) => rows.length === 0 && list.more === undefined}
          empty={
            <Banner title={isFiltered ? t('charges.empty') : t('charges.none')}>
              {isFiltered ? t('charges.emptyHelp') : undefined}
            </Banner>
          }
        >
          {(rows: readonly ChargeJson[]) => (
            <>
              {rows.length === 0 && <p class="muted">{t('charges.moreToLook')}</p>}
              <ChargeTable rows={rows} current={chargeId} search={kept} />
              <More list={list} />
            </>
          )}
        </Async>
      </Section>
      <Curl name="WalletService.ListCharges" request={request} />
      <ChargePanel chargeId={chargeId} onClose={() => navigate(`/charges${kept}`)} />
    </Page>
  );
}
