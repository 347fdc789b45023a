import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../../i18n/index.ts';
import { Button } from '../button.tsx';
import { type Column, Table } from '../table.tsx';
import type { ChartProps } from './props.ts';

/** Bars or lines, with a switch to a table of the same values. Arrow keys move along it and read the values out. */
export function Chart(props: ChartProps) {
  const { label, series, height = 220 } = props;
  const [asTable, setAsTable] = useState(false);
  return (
    <figure class="chart">
      <figcaption>
        <ul class="legend">
          {series.map(({ id, label: name }, index) => (
            <li key={id}>
              <span class={`swatch series-${index % 8}`} aria-hidden="true" /> {name}
            </li>
          ))}
        </ul>
        <Button kind="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? t('common.chart') : t('common.table')}
        </Button>
      </figcaption>
      {asTable ? <ChartTable {...props} /> : <Drawn {...props} height={height} key={label} />}
    </figure>
  );
}

/** The drawing, whose scales are in a separate file: a page's figures do not wait for it. */
function Drawn(props: ChartProps & { height: number }) {
  const [Drawing, setDrawing] = useState<ComponentType<ChartProps & { height: number }>>();
  useEffect(() => {
    import('./drawing.tsx').then(
      (module) => setDrawing(() => module.Drawing),
      // The file may be gone, as after an update: the table has the same values.
      () => {},
    );
  }, []);
  return Drawing ? <Drawing {...props} /> : <svg class="chart-wait" height={props.height} aria-hidden="true" />;
}

function ChartTable({ label, categories, series, totals }: ChartProps) {
  const columns: Column<number>[] = [
    { id: 'category', title: label, quiet: true, phone: 'title', cell: (row) => categories[row] },
    ...series.map(
      (each): Column<number> => ({ id: each.id, title: each.label, align: 'end', cell: (row) => each.texts[row] }),
    ),
    ...(totals
      ? [{ id: 'total', title: t('common.total'), align: 'end', cell: (row: number) => totals[row] } as const]
      : []),
  ];
  return (
    <div class="chart-table">
      <Table caption={label} columns={columns} rows={categories.map((_, index) => index)} rowKey={String} />
    </div>
  );
}
