import type { SearchService } from './search-services.ts';

/** A page that a search found. */
export interface SearchHit {
  readonly title: string;
  /** http or https. */
  readonly url: string;
  /** The part of the page that fits, or what it is about; it may be HTML. */
  readonly text: string;
}

/**
 * A search of the web, for `searchTool`: any service, or an index of your own.
 *
 * @example
 * searchTool({ engine: { name: 'archive', find: (query, { limit, signal }) => findPages(query, limit, signal) } });
 */
export interface SearchEngine {
  /** The name by which errors call it. */
  readonly name: string;
  /** Gives the best hits first, at most `limit`; what it rejects with fails the call. */
  find(
    query: string,
    options: { readonly limit: number; readonly signal: AbortSignal },
  ): Promise<readonly SearchHit[]>;
}

/** The name of a service that is known. */
export type SearchServiceName = SearchService['name'];
