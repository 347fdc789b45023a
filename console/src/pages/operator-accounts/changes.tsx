import { useState } from 'preact/hooks';
import type { AccountJson } from '../../../gen/intelligence/account/v1/account_pb';
import { t } from '../../i18n/index.ts';
import { ReasonField } from '../../operator/reason-field.tsx';
import { useWrite } from '../../operator/use-write.ts';
import { WriteFailure } from '../../operator/write-failure.tsx';
import { Button, Dialog, toast } from '../../ui/index.ts';
import { NameDialog } from './name-dialog.tsx';

/** What an operator can change about an account: its name, and whether it is served. */
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
  const write = useWrite('AccountService.UpdateAccount');

  async function rename(named: { displayName: string; reason: string }): Promise<void> {
    if (!(await write.send({ accountId, ...named }))) return;
    toast(t('operator-accounts.isNowRenamed', { name: named.displayName }));
    onClose();
  }

  return (
    <NameDialog
      title={t('operator-accounts.rename')}
      action={t('operator-accounts.renameDo')}
      before={before}
      write={write}
      send={rename}
      onClose={onClose}
    />
  );
}

function ChangeStanding({ account, onClose }: ChangeProps) {
  const { accountId = '', displayName: name = '' } = account;
  // The state when the dialog was opened: the account behind it is read again.
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
