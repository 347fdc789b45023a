import { useState } from 'preact/hooks';
import { t } from '../../i18n/index.ts';
import { useRpcMutation } from '../../query.ts';
import { Button, Curl, Dialog, Failure, TextArea, toast } from '../../ui/index.ts';

interface PropertiesDialogProps {
  /** The current declaration; undefined: closed. */
  declared: readonly string[] | undefined;
  onClose: () => void;
}

/** Asks which properties break down reports. */
export function PropertiesDialog({ declared, onClose }: PropertiesDialogProps) {
  return (
    <Dialog title={t('pulse.properties')} open={declared !== undefined} onClose={onClose}>
      {declared && <Form declared={declared} onClose={onClose} />}
    </Dialog>
  );
}

function Form({ declared, onClose }: { declared: readonly string[]; onClose: () => void }) {
  const [text, setText] = useState(declared.join('\n'));
  const declare = useRpcMutation('PulseService.DeclareProperties', {
    onSuccess: () => {
      toast(t('pulse.saved'));
      onClose();
    },
  });
  const request = { properties: linesOf(text) };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        declare.mutate(request);
      }}
    >
      {declare.error && <Failure failure={declare.error} />}
      <TextArea
        label={t('pulse.properties')}
        help={t('pulse.propertiesHelp')}
        value={text}
        onValue={setText}
        rows={6}
      />
      <Curl name="PulseService.DeclareProperties" request={request} />
      <div class="actions">
        <Button onClick={onClose}>{t('common.cancel')}</Button>
        <Button kind="primary" type="submit" busy={declare.isPending}>
          {t('pulse.save')}
        </Button>
      </div>
    </form>
  );
}

/** The lines that are not blank. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}
