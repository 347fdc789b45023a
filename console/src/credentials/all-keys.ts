import type { UseQueryResult } from '@tanstack/preact-query';
import type { KeyJson } from '../../gen/intelligence/key/v1/key_pb';
import type { ListKeysResponseJson } from '../../gen/intelligence/key/v1/key_service_pb';
import type { ApiFailure } from '../api.ts';
import { type AllRows, useAllRows } from '../paging.ts';

const keysOf = ({ keys }: ListKeysResponseJson) => keys;

/** Every key of the account, up to 5,000: of each kind, including revoked ones, because their cost is still of interest. */
export function useAllKeys(options: { enabled?: boolean } = {}): UseQueryResult<AllRows<KeyJson>, ApiFailure> {
  return useAllRows('KeyService.ListKeys', {}, keysOf, options);
}
