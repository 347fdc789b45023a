import type { z } from 'zod';
import type { Reconsider } from '../family.ts';
import type { MessageLanguage } from '../packs/risk-messages.ts';
import type { Judged } from './ask.ts';
import type { Wordable } from './judge-text.ts';
import type { Outcome } from './outcome.ts';

/** A reply with the valid parts of a model's answer, and the result for the rest. */
export interface Assisted<Reply> {
  reply: Reply;
  outcome: Outcome;
}

/** What an answer is held against. */
export interface Terms<Request, Reply> {
  request: Request;
  /** The reply by rules alone. */
  reply: Reply;
  /** The language of the reply's reader; undefined when texts in it cannot be checked. */
  reader: MessageLanguage | undefined;
  /** Computes the reply anew, with evidence that was verified; undefined where the family takes none. */
  reconsider: Reconsider<Reply> | undefined;
}

/** How a model helps one family: what it is asked, and what of its answer holds. */
export interface Assistance<Request, Reply, Answer = unknown> {
  /** What is asked for. */
  answer: z.ZodType<Answer>;
  /** The task, in words. */
  task: string;
  /** What the model may draw on besides the rules' reply. */
  material(request: Request): unknown;
  /** The words by whose language the reader's is told where no locale is given. */
  reading(request: Request): string;
  /** The texts of the rules that may be put into better words. */
  texts(request: Request, reply: Reply): Wordable[];
  /** Whether a model is of use where its texts cannot be checked: it finds evidence besides. */
  seeksEvidence: boolean;
  /** The reply with what holds; a problem sends the whole answer back. */
  judge(terms: Terms<Request, Reply>, answer: Answer): Judged<Assisted<Reply>>;
}
