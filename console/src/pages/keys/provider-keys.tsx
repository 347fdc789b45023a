import { useEffect, useState } from 'preact/hooks';
import type { ProviderKeyJson } from '../../../gen/intelligence/key/v1/provider_key_pb';
import type { ListProviderKeysResponseJson } from '../../../gen/intelligence/key/v1/provider_key_service_pb';
import { useSecretCall } from '../../credentials/use-secret-call.ts';
import { t } from '../../i18n/index.ts';
import { useAllRows } from '../../paging.ts';
import { useRpcMutation } from '../../query.ts';
import { Async, Button, type Column, Dialog, Failure, Field, Section, Table, Time, toast } from '../../ui/index.ts';

const activeOf = ({ providerKeys = [] }: ListProviderKeysResponseJson) =>
  providerKeys.filter(({ state }) => state === 'active');

/** The account's own keys at model providers. */
export function ProviderKeys() {
  const keys = useAllRows('ProviderKeyService.ListProviderKeys', {}, activeOf);
  const [adding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<ProviderKeyJson>();
  const columns: Column<ProviderKeyJson>[] = [
    { id: 'provider', title: t('keys.ownProvider'), phone: 'title', cell: ({ provider }) => provider },
    { id: 'name', title: t('keys.ownName'), cell: ({ displayName }) => displayName },
    { id: 'four', title: t('keys.lastFour'), cell: ({ lastFour }) => <code>…{lastFour}</code> },
    { id: 'made', title: t('keys.made'), cell: ({ createTime }) => <Time at={createTime} /> },
    {
      id: 'used',
      title: t('keys.lastUsed'),
      cell: ({ lastUsedTime }) => (lastUsedTime ? <Time at={lastUsedTime} /> : t('keys.never')),
    },
    {
      id: 'delete',
      title: t('keys.ownDelete'),
      align: 'end',
      cell: (key) => (
        <Button
          kind="quiet"
          of={[key.provider, key.displayName].filter(Boolean).join(' ')}
          onClick={() => setLeaving(key)}
        >
          {t('keys.ownDelete')}
        </Button>
      ),
    },
  ];
  return (
    <Section title={t('keys.own')} actions={<Button onClick={() => setAdding(true)}>{t('keys.ownAdd')}</Button>}>
      <p class="muted">{t('keys.ownHelp')}</p>
      <Async
        query={keys}
        lines={2}
        isEmpty={({ rows }) => rows.length === 0}
        empty={<p class="empty">{t('keys.ownNone')}</p>}
      >
        {({ rows }) => (
          <Table
            caption={t('keys.own')}
            columns={columns}
            rows={rows}
            rowKey={({ providerKeyId }) => providerKeyId ?? ''}
          />
        )}
      </Async>
      <AddDialog open={adding} onClose={() => setAdding(false)} />
      <DeleteDialog target={leaving} onClose={() => setLeaving(undefined)} />
    </Section>
  );
}

function AddDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [provider, setProvider] = useState('openai');
  const [secret, setSecret] = useState('');
  const [displayName, setDisplayName] = useState('');
  const { run, busy, failure, reset } = useSecretCall('ProviderKeyService.CreateProviderKey');
  useEffect(reset, [open]);
  const close = () => {
    setSecret('');
    onClose();
  };
  const add = async () => {
    const reply = await run({ provider: provider.trim(), secret: secret.trim(), displayName: displayName.trim() });
    if (!reply) return;
    toast(t('keys.ownAdded'));
    close();
  };
  return (
    <Dialog
      title={t('keys.ownAdd')}
      open={open}
      onClose={close}
      actions={
        <>
          <Button onClick={close}>{t('common.cancel')}</Button>
          <Button
            kind="primary"
            busy={busy}
            disabled={secret.trim() === '' || provider.trim() === ''}
            onClick={() => void add()}
          >
            {t('keys.ownAdd')}
          </Button>
        </>
      }
    >
      {failure && <Failure failure={failure} />}
      <Field
        label={t('keys.ownProvider')}
        help={t('keys.ownProviderHelp')}
        value={provider}
        onValue={setProvider}
        maxLength={128}
      />
      <Field
        label={t('keys.ownSecret')}
        help={t('keys.ownSecretHelp')}
        type="password"
        autocomplete="off"
        value={secret}
        onValue={setSecret}
        maxLength={512}
      />
      <Field label={t('keys.ownName')} value={displayName} onValue={setDisplayName} maxLength={100} />
    </Dialog>
  );
}

function DeleteDialog({ target, onClose }: { target: ProviderKeyJson | undefined; onClose: () => void }) {
  const remove = useRpcMutation('ProviderKeyService.DeleteProviderKey', {
    onSuccess: () => {
      toast(t('keys.ownDeleted'));
      onClose();
    },
  });
  useEffect(() => remove.reset(), [target?.providerKeyId]);
  return (
    <Dialog
      title={t('keys.ownDeleteTitle', { name: target?.displayName || `…${target?.lastFour ?? ''}` })}
      open={target !== undefined}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button
            kind="danger"
            busy={remove.isPending}
            onClick={() => target?.providerKeyId && remove.mutate({ providerKeyId: target.providerKeyId })}
          >
            {t('keys.ownDelete')}
          </Button>
        </>
      }
    >
      {remove.error && <Failure failure={remove.error} />}
      <p>{t('keys.ownDeleteHelp')}</p>
    </Dialog>
  );
}
