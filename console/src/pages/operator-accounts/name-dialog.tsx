import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { RpcName } from '../../api.ts';
import { t } from '../../i18n/index.ts';
import { ReasonField } from '../../operator/reason-field.tsx';
import type { Write } from '../../operator/use-write.ts';
import { WriteFailure } from '../../operator/write-failure.tsx';
import { Button, Dialog, Field } from '../../ui/index.ts';

interface NameDialogProps {
  title: string;
  /** The button's text. */
  action: string;
  /** The current name. */
  before?: string;
  write: Pick<Write<RpcName>, 'busy' | 'failure'>;
  send: (named: { displayName: string; reason: string }) => Promise<void>;
  onClose: () => void;
  /** Content above the fields. */
  children?: ComponentChildren;
}

/** Asks for the name of an account, and why. */
export function NameDialog({ title, action, before = '', write, send, onClose, children }: NameDialogProps) {
  const [displayName, setDisplayName] = useState(before);
  const [reason, setReason] = useState('');
  const isWhole = displayName.trim() !== '' && reason.trim() !== '';
  const sendNow = () => void send({ displayName, reason });
  return (
    <Dialog
      title={title}
      open
      onClose={onClose}
      actions={
        <Button kind="primary" busy={write.busy} disabled={!isWhole} onClick={sendNow}>
          {action}
        </Button>
      }
    >
      <div class="form">
        {children}
        <Field
          label={t('operator-accounts.name')}
          required
          maxLength={200}
          value={displayName}
          onValue={setDisplayName}
        />
        <ReasonField value={reason} onValue={setReason} />
        <WriteFailure failure={write.failure} again={sendNow} />
      </div>
    </Dialog>
  );
}
