import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { Caller } from '../base/caller.ts';
import type { Failure, Result } from '../base/failure.ts';
import type { ItemErrorSchema } from '../gen/intelligence/common/v1/item_error_pb.ts';

/** What the gate does for a call, for one item of a batch. */
export interface Items {
  /** Checks an item's message against the contract's rules; fails with `invalid_argument`, with field paths after `at`. */
  check<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>, at: string): Result<void>;
  /** A failure as this caller may see it, as data. */
  errorOf(caller: Caller, failure: Failure): MessageInitShape<typeof ItemErrorSchema>;
}
