import { useEffect, useRef, useState } from 'preact/hooks';
import { type Geometry, geometryOf, margin } from './geometry.ts';
import type { ChartProps } from './props.ts';

/** Bars or lines over axes. Arrow keys move along it, and the values at that position are read out. */
export function Drawing(props: ChartProps & { height: number }) {
  const { label, kind = 'bars', categories, series, tickText, height } = props;
  const [box, width] = useWidth();
  const [current, setCurrent] = useState<number>();
  const nameLength = Math.max(0, ...categories.map((name) => name.length));
  const geometry = geometryOf(kind, categories.length, series, { width, height }, tickText, nameLength);
  const move = (to: number): void => setCurrent(Math.max(0, Math.min(categories.length - 1, to)));
  const column = current === undefined ? undefined : geometry.columns[current];
  return (
    <div ref={box} class="chart-box">
      <svg
        role="img"
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the same
        tabIndex={0}
        width={width}
        height={height}
        onKeyDown={(event) => {
          const at = current ?? (event.key === 'ArrowLeft' ? categories.length : -1);
          const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: categories.length - 1 }[event.key];
          if (to === undefined) return;
          event.preventDefault();
          move(to);
        }}
        onBlur={() => setCurrent(undefined)}
        onPointerMove={(event) => {
          const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
          const at = geometry.columns.findIndex(({ start, width: wide }) => x >= start && x < start + wide);
          setCurrent(at < 0 ? undefined : at);
        }}
        onPointerLeave={() => setCurrent(undefined)}
      >
        <Axes geometry={geometry} categories={categories} width={width} height={height} />
        {column && (
          <rect
            class="chart-current"
            x={column.start}
            y={margin.top}
            width={column.width}
            height={height - margin.top - margin.bottom}
          />
        )}
        {geometry.bars.map(({ series: of, category, ...bar }) => (
          <rect key={`${of}-${category}`} class={`series-${of % 8}`} {...bar} />
        ))}
        {geometry.lines.map(({ series: of, path }) => (
          <path key={of} class={`line series-${of % 8}`} d={path} />
        ))}
      </svg>
      <Readout {...props} current={current} />
    </div>
  );
}

interface AxesProps {
  geometry: Geometry;
  categories: readonly string[];
  width: number;
  height: number;
}

function Axes({ geometry, categories, width, height }: AxesProps) {
  return (
    <g class="axes">
      {geometry.ticks.map(({ value, text, y }) => (
        <g key={value}>
          <line x1={geometry.start} x2={width - margin.end} y1={y} y2={y} />
          <text x={geometry.start - 8} y={y} dy="0.32em" text-anchor="end">
            {text}
          </text>
        </g>
      ))}
      {geometry.labels.map(({ category, x, anchor }) => (
        <text key={category} x={x} y={height - 6} text-anchor={anchor}>
          {categories[category]}
        </text>
      ))}
    </g>
  );
}

function Readout({ categories, series, totals, current }: ChartProps & { current: number | undefined }) {
  return (
    <p class="readout small" aria-live="polite">
      {current !== undefined && (
        <>
          <strong>{categories[current]}</strong>
          {totals && <span>{totals[current]}</span>}
          {series
            .filter(({ values }) => values[current] !== 0)
            .map(({ id, label, texts }) => (
              <span key={id} class="muted">
                {label} {texts[current]}
              </span>
            ))}
        </>
      )}
    </p>
  );
}

/** The available width: letters of a scaled drawing are too small on a phone. */
function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(320);
  useEffect(() => {
    if (!box.current) return;
    const observer = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return [box, width] as const;
}
