import type { UseMutationResult } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { ApiFailure } from '../../api.ts';
import { t } from '../../i18n/index.ts';
import { Button, Dialog, Failure } from '../../ui/index.ts';

interface EndingProps<Request> {
  /** The action, in a word. */
  name: string;
  /** The row that ends. */
  of: string;
  /** What the action ends. */
  help: string;
  change: UseMutationResult<unknown, ApiFailure, Request>;
  request: Request;
}

/** A button for an irreversible action: it asks first, and says what ends. */
export function Ending<Request>({ name, of, help, change, request }: EndingProps<Request>) {
  const [asking, setAsking] = useState(false);
  const close = (): void => {
    setAsking(false);
    change.reset();
  };
  return (
    <>
      <Button kind="quiet" of={of} onClick={() => setAsking(true)}>
        {name}
      </Button>
      <Dialog
        title={name}
        open={asking}
        onClose={close}
        actions={
          <>
            <Button onClick={close}>{t('common.cancel')}</Button>
            <Button
              kind="danger"
              busy={change.isPending}
              onClick={() => change.mutate(request, { onSuccess: () => setAsking(false) })}
            >
              {name}
            </Button>
          </>
        }
      >
        <p>{help}</p>
        {change.error && <Failure failure={change.error} />}
      </Dialog>
    </>
  );
}
