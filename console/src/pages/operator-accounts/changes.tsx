import { useState } from 'preact/hooks';
import type { AccountJson } from '../../../gen/intelligence/account/v1/account_pb';
import { t } from '../../i18n/index.ts';
import { ReasonField } from '../../operator/reason-field.tsx';
import { useWrite } from '../../operator/use-write.ts';
import { WriteFailure } from '../../operator/write-failure.tsx';
import { Button, Dialog, Field, toast } from '../../ui/index.ts';

/** What an operator changes of an account: its name, and whether it is served. */
export function AccountChanges({ account }: { account: AccountJson }) {
  const [open, setOpen] = useState<'rename' | 'standing'>();
  const isSuspended = account.suspendTime !== undefined;
  return (
    <>
      <Button onClick={() => setOpen('rename')}>{t('operator-accounts.rename')}</Button>
      <Button kind={isSuspended ? 'plain' : 'danger'} onClick={() => setOpen('standing')}>
        {isSuspended ? t('operator-accounts.resume') : t('operator-accounts.suspend')}
      </Button>
      {open === 'rename' && <Rename account={account} onClose={() => setOpen(undefined)} />}
      {open === 'standing' && <ChangeStanding account={account} onClose={() => setOpen(undefined)} />}
    </>
  );
}

interface ChangeProps {
  account: AccountJson;
  onClose: () => void;
}

function Rename({ account: { accountId = '', displayName: before = '' }, onClose }: ChangeProps) {
  const [displayName, setDisplayName] = useState(before);
  const [reason, setReason] = useState('');
  const { send, busy, failure } = useWrite('AccountService.UpdateAccount');

  async function rename(): Promise<void> {
    if (!(await send({ accountId, displayName, reason }))) return;
    toast(t('operator-accounts.isNowRenamed', { name: displayName }));
    onClose();
  }

  return (
    <Dialog
      title={t('operator-accounts.rename')}
      open
      onClose={onClose}
      actions={
        <Button
          kind="primary"
          busy={busy}
          disabled={displayName.trim() === '' || reason.trim() === ''}
          onClick={() => void rename()}
        >
          {t('operator-accounts.renameDo')}
        </Button>
      }
    >
      <div class="form">
        <Field
          label={t('operator-accounts.name')}
          required
          maxLength={200}
          value={displayName}
          onValue={setDisplayName}
        />
        <ReasonField value={reason} onValue={setReason} />
        <WriteFailure failure={failure} again={() => void rename()} />
      </div>
    </Dialog>
  );
}

function ChangeStanding({ account, onClose }: ChangeProps) {
  const { accountId = '', displayName: name = '' } = account;
  // As it was when the dialog was opened: the account behind it is read again.
  const [isSuspended] = useState(account.suspendTime !== undefined);
  const [reason, setReason] = useState('');
  const suspend = useWrite('AccountService.SuspendAccount');
  const resume = useWrite('AccountService.ResumeAccount');
  const { busy, failure } = isSuspended ? resume : suspend;

  async function change(): Promise<void> {
    const request = { accountId, reason };
    if (!(await (isSuspended ? resume.send(request) : suspend.send(request)))) return;
    toast(
      isSuspended ? t('operator-accounts.isNowResumed', { name }) : t('operator-accounts.isNowSuspended', { name }),
    );
    onClose();
  }

  return (
    <Dialog
      title={isSuspended ? t('operator-accounts.resumeTitle', { name }) : t('operator-accounts.suspendTitle', { name })}
      open
      onClose={onClose}
      actions={
        <Button
          kind={isSuspended ? 'primary' : 'danger'}
          busy={busy}
          disabled={reason.trim() === ''}
          onClick={() => void change()}
        >
          {isSuspended ? t('operator-accounts.resumeDo') : t('operator-accounts.suspendDo')}
        </Button>
      }
    >
      <div class="form">
        <p>{isSuspended ? t('operator-accounts.resumeHelp') : t('operator-accounts.suspendHelp')}</p>
        <ReasonField value={reason} onValue={setReason} />
        <WriteFailure failure={failure} again={() => void change()} />
      </div>
    </Dialog>
  );
}
