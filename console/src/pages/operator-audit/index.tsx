import { t } from '../../i18n/index.ts';
import { actionText, Events } from '../../operator/events.tsx';
import { Curl, Field, Filters, Page, Section, Select, useFilters } from '../../ui/index.ts';
import { LedgerAudit } from './ledger-audit.tsx';

const actions = [
  ...['account.create', 'account.update', 'account.suspend', 'account.resume', 'account.credit', 'account.adjust'],
  'ledger.audit',
  ...['key.create', 'key.update', 'key.rotate', 'key.revoke', 'provider_key.create', 'provider_key.delete'],
  ...['client.create', 'client.disable', 'device.approve', 'device.deny', 'device.revoke', 'token.revoke'],
  ...['webhook_endpoint.create', 'webhook_endpoint.delete', 'webhook_endpoint.rotate_secret', 'webhook_delivery.retry'],
  ...['workflow.create', 'workflow.retire', 'workflow.delete', 'draft.approve', 'draft.reject'],
  ...['risk_pack.create', 'risk_pack.update', 'risk_pack.delete', 'passkey.create', 'passkey.delete'],
];

/** Who did what, by account, actor and action. */
export default function OperatorAudit() {
  const [{ account, actor, action }, setFilters] = useFilters({ account: '', actor: '', action: '' });
  const request = {
    ...(account !== '' && { accountId: account }),
    ...(actor !== '' && { actor }),
    ...(action !== '' && { action }),
  };
  return (
    <Page title={t('operator-audit.title')} lead={t('operator-audit.lead')}>
      <LedgerAudit />
      <Section title={t('operator-audit.events')}>
        <Filters label={t('operator-audit.events')}>
          <Select
            label={t('operator-audit.action')}
            value={action}
            options={[
              { value: '', label: t('common.all') },
              ...actions.map((value) => ({ value, label: actionText(value) })),
            ]}
            onValue={(value) => setFilters({ action: value })}
          />
          <Field
            label={t('operator-audit.actor')}
            placeholder={t('operator-audit.actorHelp')}
            maxLength={200}
            size={30}
            value={actor}
            onValue={(value) => setFilters({ actor: value })}
          />
          <Field
            label={t('operator-audit.account')}
            placeholder="acc_..."
            maxLength={64}
            size={32}
            value={account}
            onValue={(value) => setFilters({ account: value })}
          />
        </Filters>
        <Events {...request} />
        <Curl name="AuditService.ListEvents" request={request} credential="OPERATOR_TOKEN" />
      </Section>
    </Page>
  );
}
