import { useState } from 'preact/hooks';
import { t } from '../../i18n/index.ts';
import { useRpcMutation } from '../../query.ts';
import { Dialog, Field, Select, toast } from '../../ui/index.ts';
import { RequestForm } from './request-form.tsx';

const metrics = ['error_rate', 'stall_rate'] as const;

interface AlertDialogProps {
  journey: string;
  open: boolean;
  onClose: () => void;
}

/** Asks what to watch, and the threshold for an alert. */
export function AlertDialog({ journey, open, onClose }: AlertDialogProps) {
  const [metric, setMetric] = useState<string>(metrics[0]);
  const [above, setAbove] = useState('');
  const [clearBelow, setClearBelow] = useState('');
  const [windowHours, setWindowHours] = useState('1');
  const [leastSessions, setLeastSessions] = useState('50');
  const set = useRpcMutation('PulseService.SetAlert', {
    onSuccess: () => {
      toast(t('pulse.watched'));
      onClose();
    },
  });
  const band = { above: shareOf(above), clearBelow: shareOf(clearBelow) };
  const isWrong = band.above === null || band.clearBelow === null;
  const request = {
    ...{ journey, metric, windowHours: Number(windowHours), leastSessions: Number(leastSessions) },
    ...(typeof band.above === 'number' && { above: band.above }),
    ...(typeof band.clearBelow === 'number' && { clearBelow: band.clearBelow }),
  };
  return (
    <Dialog
      title={t('pulse.watchTitle')}
      open={open}
      onClose={() => {
        set.reset();
        onClose();
      }}
    >
      <RequestForm
        name="PulseService.SetAlert"
        request={request}
        change={set}
        saveText={t('pulse.watch')}
        isWrong={isWrong}
        onCancel={onClose}
      >
        <Select
          label={t('pulse.alertMetric')}
          value={metric}
          options={metrics.map((each) => ({ value: each, label: t(`pulse.alert-${each}`) }))}
          onValue={setMetric}
        />
        <div class="halves">
          <Percent label={t('pulse.above')} help={t('pulse.aboveHelp')} value={above} onValue={setAbove} />
          <Percent
            label={t('pulse.clearBelow')}
            help={t('pulse.clearHelp')}
            value={clearBelow}
            onValue={setClearBelow}
          />
          <Field
            label={t('pulse.windowHours')}
            help={t('pulse.windowHelp')}
            type="number"
            min={0}
            max={23}
            value={windowHours}
            onValue={setWindowHours}
            required
          />
          <Field
            label={t('pulse.leastSessions')}
            help={t('pulse.leastHelp')}
            type="number"
            min={10}
            max={1_000_000}
            value={leastSessions}
            onValue={setLeastSessions}
            required
          />
        </div>
      </RequestForm>
    </Dialog>
  );
}

interface PercentProps {
  label: string;
  help: string;
  value: string;
  onValue: (value: string) => void;
}

function Percent({ value, ...rest }: PercentProps) {
  return (
    <Field
      {...rest}
      value={value}
      inputMode="decimal"
      maxLength={8}
      autocomplete="off"
      error={shareOf(value) === null ? t('pulse.percentWrong') : undefined}
    />
  );
}

/** Percent as a share; undefined if nothing was typed, null if it is impossible. */
function shareOf(percent: string): number | undefined | null {
  if (percent.trim() === '') return undefined;
  const share = Number(percent.trim().replace(',', '.')) / 100;
  return share > 0 && share < 1 ? share : null;
}
