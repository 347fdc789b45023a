import { useEffect, useState } from 'preact/hooks';
import type { KeyJson } from '../../../gen/intelligence/key/v1/key_pb';
import { showSecret } from '../../credentials/show-secret.tsx';
import { useSecretCall } from '../../credentials/use-secret-call.ts';
import { findText, t } from '../../i18n/index.ts';
import { useRpcMutation } from '../../query.ts';
import { AmountField, Button, Dialog, Failure, Field, Select, TextArea, timeText, toast } from '../../ui/index.ts';
import {
  createRequest,
  type Draft,
  draftOf,
  isCap,
  isLimit,
  isWhole,
  limitNames,
  scopes,
  updateRequest,
} from './draft.ts';
import { GuardrailFields } from './guardrail-fields.tsx';

interface KeyFormProps {
  open: boolean;
  /** The key to edit; a new one when unset. */
  target?: KeyJson;
  onClose: () => void;
}

/** A key's settings and permissions: for a new key, or an existing one. */
export function KeyForm({ open, target, onClose }: KeyFormProps) {
  const [draft, setDraft] = useState(() => draftOf(target));
  const create = useSecretCall('KeyService.CreateKey');
  const update = useRpcMutation('KeyService.UpdateKey', {
    onSuccess: ({ key }) => {
      toast(t('keys.saved', { name: key?.displayName ?? '' }));
      onClose();
    },
  });
  useEffect(() => {
    if (!open) return;
    setDraft(draftOf(target));
    create.reset();
  }, [open]);
  const set = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const submit = async () => {
    if (target) {
      const request = updateRequest(target, draft, new Date());
      return request ? update.mutate(request) : onClose();
    }
    const reply = await create.run(createRequest(draft, new Date()));
    if (!reply?.secret) return;
    onClose();
    showSecret({
      title: t('keys.created', { name: reply.key?.displayName ?? '' }),
      secret: reply.secret,
      help: <p>{t('keys.createdHelp')}</p>,
    });
  };
  const failure = create.failure ?? update.error;
  return (
    <Dialog
      title={target ? t('keys.editTitle', { name: target.displayName ?? '' }) : t('keys.createTitle')}
      open={open}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button
            kind="primary"
            busy={create.busy || update.isPending}
            disabled={!isWhole(draft)}
            onClick={() => void submit()}
          >
            {target ? t('keys.save') : t('keys.create')}
          </Button>
        </>
      }
    >
      {failure && <Failure failure={failure} />}
      <Field
        label={t('keys.name')}
        help={t('keys.nameHelp')}
        value={draft.name}
        onValue={(name) => set({ name })}
        maxLength={200}
        required
      />
      <TextArea
        label={t('keys.purpose')}
        help={t('keys.purposeHelp')}
        value={draft.purpose}
        onValue={(purpose) => set({ purpose })}
        maxLength={1_000}
        rows={2}
        required
      />
      <Scopes chosen={draft.scopes} onChoose={(chosen) => set({ scopes: chosen })} />
      <AmountField
        label={t('keys.cap')}
        help={t('keys.capHelp')}
        error={isCap(draft.cap) ? undefined : t('keys.capWrong')}
        value={draft.cap}
        onValue={(cap) => set({ cap })}
      />
      <Select
        label={t('keys.expiry')}
        value={draft.expiry}
        onValue={(expiry) => set({ expiry })}
        options={expiryOptions(target)}
      />
      <Advanced draft={draft} set={set} />
    </Dialog>
  );
}

/** Choices for a key's expiry, counted from today. */
export function expiryOptions(target: KeyJson | undefined) {
  const kept = target?.expireTime;
  return [
    ...(kept ? [{ value: 'keep', label: t('keys.expiryKeep', { time: timeText(new Date(kept), 'full') }) }] : []),
    { value: '', label: t('keys.expiryNever') },
    ...[7, 30, 90, 365].map((count) => ({ value: String(count), label: t('keys.expiryDays', { count }) })),
  ];
}

function Scopes({ chosen, onChoose }: { chosen: readonly string[]; onChoose: (chosen: readonly string[]) => void }) {
  return (
    <fieldset class="keys-checks">
      <legend>{t('keys.scopes')}</legend>
      {scopes.map((scope) => (
        <label key={scope} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(scope)}
            onChange={({ currentTarget: { checked } }) =>
              onChoose(checked ? [...chosen, scope] : chosen.filter((each) => each !== scope))
            }
          />
          {findText('keys', `scope-${scope}`) ?? scope}
        </label>
      ))}
    </fieldset>
  );
}

function Advanced({ draft, set }: { draft: Draft; set: (changes: Partial<Draft>) => void }) {
  return (
    <details class="keys-advanced">
      <summary>{t('keys.advanced')}</summary>
      <p class="help">{t('keys.limitsHelp')}</p>
      <div class="keys-limits">
        {limitNames.map((name) => (
          <Field
            key={name}
            label={t(`keys.${name}`)}
            error={isLimit(draft.limits[name]) ? undefined : t('keys.wholeNumber')}
            inputMode="numeric"
            value={draft.limits[name]}
            onValue={(value) => set({ limits: { ...draft.limits, [name]: value } })}
            maxLength={9}
          />
        ))}
      </div>
      <TextArea
        label={t('keys.origins')}
        help={t('keys.originsHelp')}
        value={draft.origins}
        onValue={(origins) => set({ origins })}
        rows={2}
      />
      <GuardrailFields label={t('keys.guardInput')} value={draft.input} onValue={(input) => set({ input })} />
      <GuardrailFields label={t('keys.guardOutput')} value={draft.output} onValue={(output) => set({ output })} />
    </details>
  );
}
