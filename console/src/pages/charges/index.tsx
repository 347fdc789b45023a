import './charges.css';
import { useMemo } from 'preact/hooks';
import { useLocation, useParams, useSearch } from 'wouter-preact';
import type { ChargeJson } from '../../../gen/intelligence/wallet/v1/wallet_pb';
import { FirstRequest } from '../../credentials/first-request.tsx';
import { t } from '../../i18n/index.ts';
import { useRowList } from '../../row-list.ts';
import { Async, Banner, Curl, More, Page, Section, useFilters } from '../../ui/index.ts';
import { ChargePanel } from './charge-panel.tsx';
import { ChargeTable } from './charge-table.tsx';
import { ChargeFilters, noFilters, requestOf } from './filters.tsx';

/** Every request with its cost; one of them in a panel beside the list. */
export default function Charges() {
  const [filters, setFilters] = useFilters(noFilters);
  const { chargeId } = useParams<{ chargeId?: string }>();
  const [, navigate] = useLocation();
  const search = useSearch();
  // The period starts where it did when the filters were chosen, so that loaded pages stay.
  const request = useMemo(() => requestOf(filters, new Date()), [JSON.stringify(filters)]);
  const list = useRowList('WalletService.ListCharges', request, ({ charges }) => charges);
  const isFiltered = JSON.stringify(filters) !== JSON.stringify(noFilters);
  const kept = search === '' ? '' : `?${search}`;
  const close = () => {
    // After Back, the address is already the list's.
    if (chargeId !== undefined) navigate(`/charges${kept}`);
  };

  return (
    <Page title={t('charges.title')} lead={t('charges.lead')}>
      <ChargeFilters values={filters} set={setFilters} />
      <Section title={t('charges.title')}>
        <Async
          query={list.query}
          lines={12}
          isEmpty={(rows) => rows.length === 0 && list.more === undefined}
          empty={
            isFiltered ? (
              <Banner title={t('charges.empty')}>{t('charges.emptyHelp')}</Banner>
            ) : (
              <FirstRequest title={t('charges.none')} />
            )
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
      <ChargePanel chargeId={chargeId} onClose={close} />
    </Page>
  );
}
