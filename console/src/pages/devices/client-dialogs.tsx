import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { KeyJson } from '../../../gen/intelligence/key/v1/key_pb';
import type { ClientJson } from '../../../gen/intelligence/token/v1/client_pb';
import { t } from '../../i18n/index.ts';
import { useRpcMutation } from '../../query.ts';
import { Banner, Button, Curl, Dialog, Failure, Field, Select, toast } from '../../ui/index.ts';

interface RegisterProps {
  open: boolean;
  /** The account's keys; undefined while unknown. */
  keys: readonly KeyJson[] | undefined;
  onClose: () => void;
}

/** Asks what to register. */
export function RegisterDialog({ open, keys, onClose }: RegisterProps) {
  const usable = (keys ?? []).filter(({ kind, state }) => kind === 'live' && state === 'active');
  const [displayName, setDisplayName] = useState('');
  const [chosen, setChosen] = useState('');
  const [activationUri, setActivationUri] = useState('');
  const keyId = chosen === '' ? (usable[0]?.keyId ?? '') : chosen;
  const create = useRpcMutation('ClientService.CreateClient', {
    onSuccess: ({ client }) => {
      toast(t('devices.isRegistered', { name: client?.displayName ?? '' }));
      setDisplayName('');
      setActivationUri('');
      onClose();
    },
  });
  const request = {
    displayName: displayName.trim(),
    keyId,
    ...(activationUri.trim() !== '' && { activationUri: activationUri.trim() }),
  };
  const wrong = (field: string) => create.error?.violations.find((each) => each.field === field)?.description;
  const isShownBeside = wrong('displayName') ?? wrong('keyId') ?? wrong('activationUri');
  return (
    <Dialog
      title={t('devices.addClient')}
      open={open}
      onClose={() => {
        create.reset();
        onClose();
      }}
    >
      {keys !== undefined && usable.length === 0 ? (
        <Banner
          kind="warning"
          title={t('devices.noKey')}
          action={
            <Link class="button" href="/keys">
              {t('devices.toKeys')}
            </Link>
          }
        />
      ) : (
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault();
            create.mutate(request);
          }}
        >
          {create.error && isShownBeside === undefined && <Failure failure={create.error} />}
          <Field
            label={t('devices.name')}
            help={t('devices.nameHelp')}
            error={wrong('displayName')}
            value={displayName}
            onValue={setDisplayName}
            maxLength={200}
            autocomplete="off"
            required
          />
          <Select
            label={t('devices.key')}
            help={t('devices.keyHelp')}
            error={wrong('keyId')}
            value={keyId}
            options={usable.map((key) => ({
              value: key.keyId ?? '',
              label: `${key.displayName} …${key.lastFour}`,
            }))}
            onValue={setChosen}
          />
          <Field
            label={t('devices.activationUri')}
            help={t('devices.activationUriHelp')}
            error={wrong('activationUri')}
            type="url"
            placeholder="https://"
            value={activationUri}
            onValue={setActivationUri}
            maxLength={500}
          />
          <Curl name="ClientService.CreateClient" request={request} />
          <div class="actions">
            <Button kind="primary" type="submit" disabled={keys === undefined} busy={create.isPending}>
              {t('devices.register')}
            </Button>
          </div>
        </form>
      )}
    </Dialog>
  );
}

interface DisableProps {
  /** Undefined: closed. */
  client: ClientJson | undefined;
  onClose: () => void;
}

/** Asks for confirmation before disabling an application. */
export function DisableDialog({ client, onClose }: DisableProps) {
  const disable = useRpcMutation('ClientService.DisableClient', {
    onSuccess: () => {
      toast(t('devices.disabled'));
      onClose();
    },
  });
  return (
    <Dialog
      title={t('devices.disableTitle')}
      open={client !== undefined}
      onClose={() => {
        disable.reset();
        onClose();
      }}
      actions={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button
            kind="danger"
            busy={disable.isPending}
            onClick={() => disable.mutate({ clientId: client?.clientId ?? '' })}
          >
            {t('devices.disable')}
          </Button>
        </>
      }
    >
      {disable.error && <Failure failure={disable.error} />}
      <p>{t('devices.disableText', { name: client?.displayName ?? '' })}</p>
    </Dialog>
  );
}
