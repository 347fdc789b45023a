import {
  addCell,
  addErrorCell,
  type Cell,
  type ErrorCell,
  emptyCell,
  emptyErrorCell,
  emptySums,
  errorPlace,
  isNoError,
  isNothing,
  ofErrorPlace,
  type StepSums,
} from './cell.ts';
import { getOrMake } from './get-or-make.ts';
import { decodeInto, type Histogram, mergeEncoded } from './histogram.ts';
import { NumberReader, NumberWriter } from './varint.ts';

/**
 * All sums of one segment for one hour or day, in stored form: one row instead of one for each step and error. Times are
 * separate from the counts, since most queries need only counts.
 */
export interface EncodedSums {
  /** For each step: the step, its counts, the number of its error codes, and each code with its counts. */
  counts: Uint8Array;
  /** For each step: the step, the length of its histogram in bytes, and the histogram. */
  times: Uint8Array;
}

const nothing = new Uint8Array();
export const noSums: EncodedSums = { counts: nothing, times: nothing };

const writer = new NumberWriter();
const histogramWriter = new NumberWriter();

/** The stored sums with changes applied. */
export function mergeSums(stored: EncodedSums, changes: StepSums): EncodedSums {
  return { counts: mergeCounts(stored.counts, changes), times: mergeTimes(stored.times, changes) };
}

function mergeCounts(stored: Uint8Array, changes: StepSums): Uint8Array {
  const sums = emptySums();
  addCounts(sums, stored);
  for (const [step, cell] of changes.steps)
    addCell(getOrMake(sums.steps, step, emptyCell), { ...cell, dwell: noTimes });
  for (const [place, cell] of changes.errors) addErrorCell(getOrMake(sums.errors, place, emptyErrorCell), cell);
  const errors = errorsByStep(sums);
  for (const [step, cell] of sums.steps) {
    const codes = errors.get(step) ?? [];
    if (isNothing(cell) && codes.length === 0) continue;
    write(step);
    for (const count of countsOf(cell)) write(count);
    write(codes.length);
    for (const [code, { sessions, recovered }] of codes) {
      write(code);
      write(sessions);
      write(recovered);
    }
  }
  return writer.take();
}

const noTimes: Histogram = new Map();

function write(count: number): void {
  if (count < 0) throw new Error('sums of stored sessions have a negative count');
  writer.write(count);
}

function countsOf({ sessions, completed, reached, abandoned, ended, errored, offsetSum }: Cell): number[] {
  return [sessions, completed, reached, abandoned, ended, errored, offsetSum];
}

function errorsByStep({ errors }: StepSums): Map<number, [code: number, cell: ErrorCell][]> {
  const steps = new Map<number, [number, ErrorCell][]>();
  for (const [place, cell] of errors) {
    if (isNoError(cell)) continue;
    const { step, code } = ofErrorPlace(place);
    getOrMake(steps, step, (): [number, ErrorCell][] => []).push([code, cell]);
  }
  return steps;
}

/** Adds stored sums to `sums`. */
export function addEncoded(sums: StepSums, { counts, times }: EncodedSums): void {
  addCounts(sums, counts);
  for (const [step, histogram] of histogramsOf(times))
    decodeInto(getOrMake(sums.steps, step, emptyCell).dwell, histogram);
}

function addCounts({ steps, errors }: StepSums, counts: Uint8Array): void {
  const reader = new NumberReader(counts);
  while (!reader.done) {
    const step = reader.read();
    const cell = getOrMake(steps, step, emptyCell);
    cell.sessions += reader.read();
    cell.completed += reader.read();
    cell.reached += reader.read();
    cell.abandoned += reader.read();
    cell.ended += reader.read();
    cell.errored += reader.read();
    cell.offsetSum += reader.read();
    for (let codes = reader.read(); codes > 0; codes--) {
      const error = getOrMake(errors, errorPlace(step, reader.read()), emptyErrorCell);
      error.sessions += reader.read();
      error.recovered += reader.read();
    }
  }
}

function mergeTimes(stored: Uint8Array, changes: StepSums): Uint8Array {
  const left = new Map([...changes.steps].filter(([, { dwell }]) => dwell.size > 0));
  const put = (step: number, histogram: Uint8Array) => {
    if (histogram.length === 0) return;
    writer.write(step);
    writer.write(histogram.length);
    writer.copy(histogram, 0, histogram.length);
  };
  for (const [step, histogram] of histogramsOf(stored)) {
    const changed = left.get(step);
    left.delete(step);
    put(step, changed ? merged(histogram, changed.dwell) : histogram);
  }
  for (const [step, { dwell }] of left) put(step, merged(nothing, dwell));
  return writer.take();
}

function merged(histogram: Uint8Array, changes: Histogram): Uint8Array {
  mergeEncoded(histogram, changes, histogramWriter);
  return histogramWriter.take();
}

function* histogramsOf(times: Uint8Array): Iterable<[step: number, histogram: Uint8Array]> {
  const reader = new NumberReader(times);
  while (!reader.done) {
    const step = reader.read();
    const length = reader.read();
    yield [step, times.subarray(reader.at, reader.at + length)];
    reader.at += length;
  }
}
