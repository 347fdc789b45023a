import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import type { Judged } from './ask.ts';

/** How a model helps one family: what it is asked, and what of its answer holds. */
export interface Assistance<Request, Reply, Schema extends DescMessage = DescMessage> {
  schema: Schema;
  /** The task, in words. */
  task: string;
  /** What the model may draw on besides the rules' reply. */
  material(request: Request): unknown;
  /** The reply with what holds, or what is wrong with the answer. */
  judge(request: Request, reply: Reply, answer: MessageShape<Schema>): Judged<Reply>;
}
