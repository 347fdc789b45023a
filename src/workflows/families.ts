import {
  create,
  type DescMessage,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { WriteDecisionMemoResponseSchema } from '../gen/intelligence/workflow/v1/decision_pb.ts';
import { DraftDocumentResponseSchema } from '../gen/intelligence/workflow/v1/draft_pb.ts';
import { CheckProfileResponseSchema } from '../gen/intelligence/workflow/v1/guidance_pb.ts';
import { ScoreListingResponseSchema } from '../gen/intelligence/workflow/v1/readiness_pb.ts';
import { CheckRiskResponseSchema } from '../gen/intelligence/workflow/v1/risk_pb.ts';
import { ScoreBusinessReadinessResponseSchema } from '../gen/intelligence/workflow/v1/scoring_pb.ts';
import { decisionFamily } from './families/decision.ts';
import { draftFamily } from './families/draft.ts';
import { guidanceFamily } from './families/guidance.ts';
import { readinessFamily } from './families/readiness.ts';
import { riskFamily } from './families/risk.ts';
import { scoringFamily } from './families/scoring.ts';
import type { Family, FamilyReply } from './family.ts';

/** A family ready to run: its rules, and how its replies are stored for retries. */
export interface RunnableFamily<Request, Reply extends FamilyReply> {
  family: Family<Request, Reply>;
  store(reply: Reply): Uint8Array;
  restore(bytes: Uint8Array): Reply;
}

/** All families. A new one takes one line here. */
export const families = {
  guidance: runnable(guidanceFamily, CheckProfileResponseSchema),
  readiness: runnable(readinessFamily, ScoreListingResponseSchema),
  risk: runnable(riskFamily, CheckRiskResponseSchema),
  draft: runnable(draftFamily, DraftDocumentResponseSchema),
  decision: runnable(decisionFamily, WriteDecisionMemoResponseSchema),
  scoring: runnable(scoringFamily, ScoreBusinessReadinessResponseSchema),
};

export type Families = typeof families;
export type RequestFor<Name extends keyof Families> =
  Families[Name] extends RunnableFamily<infer Request, infer _> ? Request : never;
export type ReplyFor<Name extends keyof Families> =
  Families[Name] extends RunnableFamily<infer _, infer Reply> ? Reply : never;

function runnable<Request, Reply extends FamilyReply, Schema extends DescMessage>(
  family: Family<Request, Reply>,
  schema: Schema,
): RunnableFamily<Request, Reply> {
  return {
    family,
    // A reply has its message's own fields, but the compiler cannot see that through a type that stands for any message.
    store: (reply) => toBinary(schema, create(schema, reply as unknown as MessageInitShape<Schema>)),
    restore: (bytes) => fromBinary(schema, bytes) as MessageShape<Schema> & Reply,
  };
}
