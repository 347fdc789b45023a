// Trains the classifiers of the risk check from test/evaluation/training and writes them beside the packs. `npm run train:risk -- --help`.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { z } from 'zod';
import { riskCategories } from '../src/workflows/packs/risk-categories.ts';
import { type classifierFile, classifierLanguages } from '../src/workflows/packs/risk-classifier.ts';
import {
  featuresOf,
  groups,
  type Linear,
  lengthBonus,
  passagesOf,
  type Span,
  scoresOf,
} from '../src/workflows/text/classifier/index.ts';
import { type Tokens, tokensOf } from '../src/workflows/text/signs/index.ts';

type Language = (typeof classifierLanguages)[number];
type ClassifierFile = z.infer<typeof classifierFile>;

const training = new URL('../test/evaluation/training/', import.meta.url);
const development = new URL('../test/evaluation/risk/', import.meta.url);
const target = new URL('../src/workflows/packs/risk/classifier/', import.meta.url);

// Settings chosen on the development texts, which are not trained on.
const harmfulBuckets = 2 ** 19;
const categoryBuckets = 2 ** 13;
const harmfulRun = { epochs: 20, rate: 0.1, decay: 0.01 };
const categoryRun = { epochs: 12, rate: 0.1, decay: 0.001 };
/** Of harmless texts that it was not trained on, the share that may resemble harmful ones. */
const falselyLikely = 0.02;
/** Of harmful texts that it was not trained on, the share that may read like talk about a matter. */
const falselyTalk = 0.02;
/**
 * What a passage's length counts for. Chosen on the corpus in four parts, each judged by a classifier trained on the others: with one
 * threshold, 4 of 100 harmless passages of 12 words pass it, and hardly one of 50. In German too many long harmless texts passed it then.
 */
const lengthWeights: Record<Language, number> = { en: 0.3, de: 0, es: 0.3, fr: 0.3 };
/** A development file of fewer texts takes no part: one text of a handful would move a threshold. */
const developmentMin = 40;
/** Parts of the corpus that are judged by a classifier trained on the others. */
const folds = 4;

const row = z.object({
  text: z.string().min(1),
  language: z.string().optional(),
  labels: z.array(z.object({ category: z.enum(riskCategories) })),
});
type Row = z.infer<typeof row>;

/** A text as the trainer sees it: bucket hashes and their values, and the classes that are right. */
interface Example {
  hashes: Uint32Array;
  values: Float64Array;
  right: readonly number[];
}

function rowsOf(text: string): Row[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => row.parse(JSON.parse(line)));
}

function exampleOf({ tokens }: Tokens, right: readonly number[]): Example {
  const counts = Array.from({ length: groups }, () => new Map<number, number>());
  const totals = new Array<number>(groups).fill(0);
  featuresOf(tokens, 0, tokens.length, (group, hash) => {
    const known = counts[group] as Map<number, number>;
    known.set(hash, (known.get(hash) ?? 0) + 1);
    totals[group] = (totals[group] as number) + 1;
  });
  const hashes: number[] = [];
  const values: number[] = [];
  for (const [group, known] of counts.entries())
    for (const [hash, count] of known) {
      hashes.push(hash);
      values.push(count / Math.sqrt(totals[group] as number));
    }
  return { hashes: Uint32Array.from(hashes), values: Float64Array.from(values), right };
}

/** xorshift32: the order of the examples is the same each time. */
function shuffled(count: number, seed: number): number[] {
  const order = Array.from({ length: count }, (_, index) => index);
  let state = seed;
  for (let at = count - 1; at > 0; at--) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const other = (state >>> 0) % (at + 1);
    [order[at], order[other]] = [order[other] as number, order[at] as number];
  }
  return order;
}

/** Logistic regression, or multinomial with several classes, by AdaGrad (Duchi et al., 2011) with an L2 penalty. */
function train(
  examples: readonly Example[],
  classes: number,
  buckets: number,
  { epochs, rate, decay }: { epochs: number; rate: number; decay: number },
): { weights: Float64Array; bias: number[] } {
  const weights = new Float64Array(buckets * classes);
  const squares = new Float64Array(buckets * classes);
  const bias = new Array<number>(classes).fill(0);
  const biasSquares = new Array<number>(classes).fill(1);
  const errors = new Float64Array(classes);
  for (let epoch = 0; epoch < epochs; epoch++)
    for (const index of shuffled(examples.length, epoch * 7919 + 13)) {
      const { hashes, values, right } = examples[index] as Example;
      const scores = [...bias];
      for (const [at, hash] of hashes.entries()) {
        const start = (hash & (buckets - 1)) * classes;
        for (let one = 0; one < classes; one++)
          scores[one] = (scores[one] as number) + (weights[start + one] as number) * (values[at] as number);
      }
      const likely = classes === 1 ? [1 / (1 + Math.exp(-(scores[0] as number)))] : softmax(scores);
      for (let one = 0; one < classes; one++)
        errors[one] = (likely[one] as number) - (right.includes(one) ? 1 / Math.max(1, right.length) : 0);
      for (const [at, hash] of hashes.entries()) {
        const start = (hash & (buckets - 1)) * classes;
        for (let one = 0; one < classes; one++) {
          const place = start + one;
          const slope = (errors[one] as number) * (values[at] as number) + decay * (weights[place] as number);
          squares[place] = (squares[place] as number) + slope * slope;
          weights[place] = (weights[place] as number) - (rate * slope) / (Math.sqrt(squares[place] as number) + 1e-4);
        }
      }
      for (let one = 0; one < classes; one++) {
        const error = errors[one] as number;
        biasSquares[one] = (biasSquares[one] as number) + error * error;
        bias[one] = (bias[one] as number) - (rate * error) / Math.sqrt(biasSquares[one] as number);
      }
    }
  return { weights, bias };
}

function softmax(scores: readonly number[]): number[] {
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

function rounded({ weights, bias }: { weights: Float64Array; bias: number[] }): Linear {
  const scale = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0) / 127;
  return { weights: Int8Array.from(weights, (weight) => Math.round(weight / scale)), scale, bias };
}

function written({ weights, scale, bias }: Linear): ClassifierFile['harmful'] {
  const bytes = Buffer.from(weights.buffer, weights.byteOffset, weights.byteLength);
  return { buckets: weights.length / bias.length, scale, bias: [...bias], weights: bytes.toString('base64') };
}

interface TextScores {
  isHarmful: boolean;
  /** Of its highest passage, as `classify` compares it with each threshold: by its length as well, or alone. */
  likely: number;
  talk: number;
}

function textScores(linear: Linear, { tokens }: Tokens, lengthWeight: number): Omit<TextScores, 'isHarmful'> {
  const spans = passagesOf(tokens);
  const scores = spans.map((span) => scoresOf(linear, tokens, span)[0] as number);
  const odds = Math.log(Math.max(1, spans.length));
  const likely = scores.map((score, at) => score + lengthBonus(spans[at] as Span, lengthWeight));
  return { likely: Math.max(...likely) - odds, talk: Math.max(...scores) - odds };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number;
}

/** The scores of each text of the corpus by a classifier that has not seen it. */
function foldScores(texts: readonly { tokens: Tokens; example: Example }[], lengthWeight: number): TextScores[] {
  return Array.from({ length: folds }, (_, fold) => {
    const seen = texts.filter((_, at) => at % folds !== fold).map(({ example }) => example);
    const linear = rounded(train(seen, 1, harmfulBuckets, harmfulRun));
    return texts
      .filter((_, at) => at % folds === fold)
      .map(({ tokens, example }) => ({
        isHarmful: example.right.length > 0,
        ...textScores(linear, tokens, lengthWeight),
      }));
  }).flat();
}

/** Trains a language's classifier. The same texts give the same file. */
export function trainClassifier(
  language: Language,
  corpus: string,
  development: readonly Row[],
  version: number,
): ClassifierFile {
  const rows = rowsOf(corpus).map((one) => ({ ...one, tokens: tokensOf(one.text) }));
  const harmfulRows = rows.filter(({ labels }) => labels.length > 0);
  const judged = rows.map(({ tokens, labels }) => exampleOf(tokens, labels.length > 0 ? [0] : []));
  const harmful = rounded(train(judged, 1, harmfulBuckets, harmfulRun));
  const kinds = harmfulRows.map(({ tokens, labels }) =>
    exampleOf(tokens, [...new Set(labels.map(({ category }) => riskCategories.indexOf(category)))]),
  );
  const category = rounded(train(kinds, riskCategories.length, categoryBuckets, categoryRun));
  const lengthWeight = lengthWeights[language];
  const texts = rows.map(({ tokens }, at) => ({ tokens, example: judged[at] as Example }));
  const held = foldScores(texts, lengthWeight);
  const scored = development.map(({ text, labels }) => ({
    isHarmful: labels.length > 0,
    ...textScores(harmful, tokensOf(text), lengthWeight),
  }));
  // The development texts are few, and the corpus is not quite like them: each has half a say.
  const threshold = (isHarmful: boolean, scoreOf: (one: TextScores) => number, share: number) => {
    const [own, other] = [held, scored].map((scores) =>
      quantile(scores.filter((one) => one.isHarmful === isHarmful).map(scoreOf), share),
    ) as [number, number];
    return Math.round(((own + other) / 2) * 1000) / 1000;
  };
  return {
    language,
    version,
    card: {
      texts: rows.length,
      harmful: harmfulRows.length,
      corpus: createHash('sha256').update(corpus).digest('hex'),
    },
    likelyFrom: threshold(false, ({ likely }) => likely, 1 - falselyLikely),
    lengthWeight,
    talkBelow: threshold(true, ({ talk }) => talk, falselyTalk),
    categories: [...riskCategories],
    harmful: written(harmful),
    category: written(category),
  };
}

export function readTraining(language: Language): { corpus: string; development: Row[] } {
  const parts = readdirSync(development).filter((file) => file.startsWith(`${language}.dev-`));
  return {
    corpus: readFileSync(new URL(`${language}.jsonl`, training), 'utf8'),
    development: parts
      .sort()
      .map((file) => rowsOf(readFileSync(new URL(file, development), 'utf8')))
      .filter((rows) => rows.length >= developmentMin)
      .flat(),
  };
}

if (import.meta.main) {
  const program = new Command('train-risk')
    .description(
      `Trains the classifiers of the risk check from test/evaluation/training (${classifierLanguages.join(', ')}); thresholds come from the development texts. Then run \`npm run evaluate\`.`,
    )
    .argument('[languages...]', 'which languages', [...classifierLanguages])
    .requiredOption('--release <number>', 'the version that the files state', Number)
    .parse();
  for (const language of program.args.length > 0 ? (program.args as Language[]) : classifierLanguages) {
    const { corpus, development } = readTraining(language);
    const file = trainClassifier(language, corpus, development, program.opts<{ release: number }>().release);
    writeFileSync(new URL(`${language}.json`, target), `${JSON.stringify(file)}\n`);
    const { card, likelyFrom, lengthWeight, talkBelow } = file;
    console.log(
      `${language}: ${card.texts} texts, ${card.harmful} harmful; likely from ${likelyFrom} (length ${lengthWeight}), talk below ${talkBelow}`,
    );
  }
}
