import { type UseQueryResult, useInfiniteQuery } from '@tanstack/preact-query';
import { type ApiFailure, callRpc, type RpcReply, type RpcRequest } from './api.ts';
import { type PagedName, tokenOf } from './paging.ts';

export interface RowList<Row> {
  /** For `Async`: the rows of the loaded pages. */
  query: UseQueryResult<readonly Row[], ApiFailure>;
  /** Reads the next page; undefined on the last one. */
  more: (() => void) | undefined;
  loadingMore: boolean;
}

/** Reads one page at first, and further pages on request. */
export function useRowList<Name extends PagedName, Row>(
  name: Name,
  request: RpcRequest<Name>,
  rowsOf: (reply: RpcReply<Name>) => readonly Row[] | undefined,
): RowList<Row> {
  const query = useInfiniteQuery<RpcReply<Name>, ApiFailure, readonly Row[], readonly unknown[], string | undefined>({
    queryKey: [name, request, 'list'],
    initialPageParam: undefined,
    queryFn: ({ pageParam, signal }) =>
      callRpc(name, { ...request, ...(pageParam && { pageToken: pageParam }) }, { signal }),
    getNextPageParam: tokenOf,
    select: ({ pages }) => pages.flatMap((page) => rowsOf(page) ?? []),
  });
  return {
    query: query as unknown as UseQueryResult<readonly Row[], ApiFailure>,
    more: query.hasNextPage ? () => void query.fetchNextPage() : undefined,
    loadingMore: query.isFetchingNextPage,
  };
}
