import type { UseMutationResult } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import type { ApiFailure, RpcName, RpcRequest } from '../../api.ts';
import { t } from '../../i18n/index.ts';
import { Button, Curl, Failure } from '../../ui/index.ts';

interface RequestFormProps<Name extends RpcName> {
  /** The request, also shown as curl. */
  name: Name;
  request: RpcRequest<Name>;
  change: Pick<UseMutationResult<unknown, ApiFailure, RpcRequest<Name>>, 'error' | 'isPending' | 'mutate'>;
  saveText: string;
  /** Whether something in it is invalid. */
  isWrong?: boolean;
  onCancel: () => void;
  children: ComponentChildren;
}

/** The fields of one request in a dialog, with errors above and the request below. */
export function RequestForm<Name extends RpcName>(props: RequestFormProps<Name>) {
  const { name, request, change, saveText, isWrong = false, onCancel, children } = props;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isWrong) change.mutate(request);
      }}
    >
      {change.error && <Failure failure={change.error} />}
      {children}
      <Curl name={name} request={request} />
      <div class="actions">
        <Button onClick={onCancel}>{t('common.cancel')}</Button>
        <Button kind="primary" type="submit" busy={change.isPending} disabled={isWrong}>
          {saveText}
        </Button>
      </div>
    </form>
  );
}
