import { type DescField, type DescMessage, type DescMethod, getOption, hasOption } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { JsonSchemas } from '../../base/message-schema.ts';
import type { ProtoComments } from '../../base/proto-comments.ts';
import { FieldBehavior, field_behavior } from '../../gen/google/api/field_behavior_pb.ts';
import { always_set } from '../../gen/intelligence/common/v1/replies_pb.ts';
import { PulseService } from '../../gen/intelligence/pulse/v1/pulse_service_pb.ts';
import type { WorkflowPrice } from '../../gen/intelligence/workflow/v1/definition_pb.ts';
import { WorkflowService } from '../../gen/intelligence/workflow/v1/workflow_service_pb.ts';

/** A method as a Model Context Protocol tool. */
export interface McpTool {
  name: string;
  method: DescMethod;
  /** The family that `ListPrices` names for its price; undefined if it is free. */
  family: string | undefined;
  /** Its description in `tools/list`, without the price. */
  description: string;
  listed: object;
}

const workflow = WorkflowService.method;
const pulse = PulseService.method;

/**
 * The methods offered to agents. Approving and rejecting are not among them: a review is a person's task, and a model that
 * approves its own draft is no review. Neither are methods that delete.
 */
const offered: readonly { method: DescMethod; family?: string }[] = [
  { method: workflow.checkProfile, family: 'guidance' },
  { method: workflow.scoreListing, family: 'readiness' },
  { method: workflow.checkRisk, family: 'risk' },
  { method: workflow.draftDocument, family: 'draft' },
  { method: workflow.writeDecisionMemo, family: 'decision' },
  { method: workflow.scoreBusinessReadiness, family: 'scoring' },
  { method: workflow.runWorkflow, family: 'custom' },
  { method: workflow.getDraft },
  { method: workflow.listDrafts },
  { method: workflow.listPacks },
  { method: workflow.estimateWorkflow },
  { method: workflow.listPrices },
  { method: pulse.recordEvents, family: 'pulse' },
  { method: pulse.listJourneys },
  { method: pulse.getJourneyReport },
  { method: pulse.compareSegments },
  { method: pulse.findDifferences },
];

/** The tools for the served methods, with the schemas and comments of their definitions. */
export function mcpTools(serves: (method: DescMethod) => boolean, comments: ProtoComments): Map<string, McpTool> {
  const tools = offered
    .filter(({ method }) => serves(method))
    .map(({ method, family }): McpTool => {
      const name = method.name.replace(/(?<=.)[A-Z]/g, '_$&').toLowerCase();
      const isRead = method.idempotency === IdempotencyLevel.NO_SIDE_EFFECTS;
      return {
        ...{ name, method, family },
        description: comments.get(`${method.parent.typeName}.${method.name}`) ?? '',
        listed: {
          name,
          title: method.name.replace(/(?<=.)[A-Z]/g, ' $&'),
          inputSchema: standalone(method.input, asked(comments)),
          outputSchema: standalone(method.output, replied(comments)),
          annotations: { readOnlyHint: isRead, destructiveHint: false, idempotentHint: isRead, openWorldHint: false },
        },
      };
    });
  return new Map(tools.map((tool) => [tool.name, tool]));
}

/** The tool as listed by `tools/list`: its price is in its description, where models read it, and in `_meta`. */
export function listedTool(tool: McpTool, prices: readonly WorkflowPrice[]): object {
  const price = prices.find(({ family }) => family === tool.family);
  return {
    ...tool.listed,
    description: `${tool.description}\n\n${priceText(price)}`,
    _meta: {
      'intelligence/price': price ? { usd: price.priceUsd, unit: price.unit } : { usd: '0', unit: 'request' },
    },
  };
}

function priceText(price: WorkflowPrice | undefined): string {
  if (!price) return 'Free of charge.';
  const unit = price.unit === 'thousand_events' ? 'a thousand events' : 'a call; tokens of a model come on top';
  return `Costs ${price.priceUsd} USD ${unit}.`;
}

/** A schema with an object as its root, as the protocol requires. */
function standalone(desc: DescMessage, schemas: JsonSchemas): object {
  const root = schemas.object(desc);
  return Object.keys(schemas.definitions).length === 0 ? root : { ...root, $defs: schemas.definitions };
}

function asked(comments: ProtoComments): JsonSchemas {
  return new JsonSchemas({
    isRequired: (field) => behaves(field, FieldBehavior.REQUIRED),
    isReadOnly: (field) => behaves(field, FieldBehavior.OUTPUT_ONLY),
    comments,
  });
}

function replied(comments: ProtoComments): JsonSchemas {
  const isAlwaysSet = (field: DescField) => hasOption(field, always_set) && getOption(field, always_set);
  return new JsonSchemas({ ofReplies: true, isAlwaysSet, comments });
}

function behaves(field: DescField, behavior: FieldBehavior): boolean {
  return hasOption(field, field_behavior) && getOption(field, field_behavior).includes(behavior);
}
