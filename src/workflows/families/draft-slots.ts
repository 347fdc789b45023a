import type { UnusedField } from '../../gen/intelligence/workflow/v1/unused_field_pb.ts';
import type { Plain } from '../family.ts';
import type { FactMeaning } from '../packs/draft-names.ts';

/** The text that fills a field. */
export interface Slot {
  /** As named by the caller, or the field's label. */
  name: string;
  text: string;
  /** Not known yet: the text is a placeholder. */
  isOpen: boolean;
  /** What the reader's language calls it, if that is known and the caller's own name is not in that language. */
  label?: string;
  /** What its name means; absent if nobody has asked yet. */
  meanings?: readonly FactMeaning[];
}

/** The content of a document: by field, and the rest. */
export interface Assigned {
  slots: Map<string, Slot>;
  /** Facts without a field, in the order of the request. */
  others: Slot[];
  /** The document ends a contract. */
  isEnding: boolean;
  /** The writer's own purchase or contract is the matter. */
  isOwn: boolean;
  /** "From" and "to" are places. */
  isJourney: boolean;
  unusedFields: Plain<UnusedField>[];
}
