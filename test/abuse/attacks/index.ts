import type { Attack } from './attack.ts';
import { bodyAttacks } from './bodies.ts';
import { expressionAttacks } from './expressions.ts';
import { firstBytesAttacks } from './first-bytes.ts';
import { schemaAttacks } from './schemas.ts';
import { strangerAttacks } from './strangers.ts';
import { tenantAttacks } from './tenants.ts';

export type { Assault, Attack } from './attack.ts';

/** All that was seen to stop a node or to take what is others', and then what chance makes. */
export const attacks: readonly Attack[] = [
  ...firstBytesAttacks,
  ...schemaAttacks,
  ...expressionAttacks,
  ...bodyAttacks,
  ...strangerAttacks,
  ...tenantAttacks,
].sort((one, other) => Number(one.generated ?? false) - Number(other.generated ?? false));
