/** A service that searches the web over HTTP, as data: its request, and the places in its answer. */
export interface SearchService {
  readonly name: 'brave' | 'tavily';
  readonly url: string;
  /** `GET` has the fields in the query, `POST` as JSON. */
  readonly method: 'GET' | 'POST';
  /** The names of the fields of a request. */
  readonly fields: { readonly query: string; readonly limit: string };
  /** The header with the key, and what stands before it. */
  readonly key: { readonly header: string; readonly before: string };
  /** The most results of one request. */
  readonly most: number;
  /** The place of the results. */
  readonly results: readonly string[];
  /** The field of a result that has its text. */
  readonly text: string;
}

/** The services by name. One more is a row, with its answers in the test. */
export const searchServices: Readonly<Record<SearchService['name'], SearchService>> = {
  // https://api-dashboard.search.brave.com/app/documentation/web-search
  brave: {
    name: 'brave',
    url: 'https://api.search.brave.com/res/v1/web/search',
    method: 'GET',
    fields: { query: 'q', limit: 'count' },
    key: { header: 'x-subscription-token', before: '' },
    most: 20,
    results: ['web', 'results'],
    text: 'description',
  },
  // https://docs.tavily.com/documentation/api-reference/endpoint/search
  tavily: {
    name: 'tavily',
    url: 'https://api.tavily.com/search',
    method: 'POST',
    fields: { query: 'query', limit: 'max_results' },
    key: { header: 'authorization', before: 'Bearer ' },
    most: 20,
    results: ['results'],
    text: 'content',
  },
};
