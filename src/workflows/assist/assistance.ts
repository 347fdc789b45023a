import type { z } from 'zod';
import type { Reconsider } from '../family.ts';
import type { MessageLanguage } from '../packs/risk-messages.ts';
import type { Judged } from './ask.ts';
import type { Wordable } from './judge-text.ts';
import type { Outcome } from './outcome.ts';

/** A reply with the valid parts of a model's answer, and what became of each part. */
export interface Assisted<Reply> {
  reply: Reply;
  outcome: Outcome;
}

/** What an answer is checked against. */
export interface Terms<Request, Reply> {
  request: Request;
  /** The reply by the rules alone. */
  reply: Reply;
  /** The language of the reply's reader; undefined if texts in it cannot be checked. */
  reader: MessageLanguage | undefined;
  /** Recomputes the reply with verified evidence; undefined if the family takes none. */
  reconsider: Reconsider<Reply> | undefined;
}

/** How a model helps one family: what it is asked, and what of its answer is valid. */
export interface Assistance<Request, Reply, Answer = unknown> {
  /** The answer's schema. */
  answer: z.ZodType<Answer>;
  /** The task, in words. */
  task: string;
  /** What the model may draw on besides the rules' reply. */
  material(request: Request): unknown;
  /** The words that reveal the reader's language if no locale is given. */
  reading(request: Request): string;
  /** The rules' texts that may be reworded. */
  texts(request: Request, reply: Reply): Wordable[];
  /** Whether a model is useful even if its texts cannot be checked, because it also finds evidence. */
  seeksEvidence: boolean;
  /** The reply with the valid parts; a problem sends the whole answer back. */
  judge(terms: Terms<Request, Reply>, answer: Answer): Judged<Assisted<Reply>> | Promise<Judged<Assisted<Reply>>>;
}
