import type { Attack } from './attack.ts';
import { bodyAttacks } from './bodies.ts';
import { consoleAttacks } from './console.ts';
import { crumbAttacks } from './crumbs.ts';
import { expressionAttacks } from './expressions.ts';
import { facadeAttacks } from './facades.ts';
import { firstBytesAttacks } from './first-bytes.ts';
import { guardrailAttacks } from './guardrails.ts';
import { headerBlockAttacks } from './header-blocks.ts';
import { pipelineAttacks } from './pipelines.ts';
import { schemaAttacks } from './schemas.ts';
import { strangerAttacks } from './strangers.ts';
import { streamAttacks } from './streams.ts';
import { tenantAttacks } from './tenants.ts';
import { textAttacks } from './texts.ts';
import { uploadAttacks } from './uploads.ts';
import { windowAttacks } from './windows.ts';

export type { Assault, Attack } from './attack.ts';

/** Everything that has stopped a node or taken what belongs to others, and then random input. */
export const attacks: readonly Attack[] = [
  ...firstBytesAttacks,
  ...schemaAttacks,
  ...expressionAttacks,
  ...bodyAttacks,
  ...strangerAttacks,
  ...tenantAttacks,
  ...textAttacks,
  ...uploadAttacks,
  ...crumbAttacks,
  ...pipelineAttacks,
  ...headerBlockAttacks,
  ...windowAttacks,
  ...guardrailAttacks,
  ...facadeAttacks,
  ...streamAttacks,
  ...consoleAttacks,
].sort((one, other) => Number(one.generated ?? false) - Number(other.generated ?? false));
