import type { HttpRequest, HttpResponse } from '../../../contracts/environments/operations.ts';

/**
 * Makes a request of a page. `page` is the origin of the page that makes it; undefined for a page that is opened, by an address or a link. Follows no redirect: it is the answer.
 * Rejects with `tool.denied` for what may not be reached.
 */
export type PageRequests = (request: HttpRequest, page: string | undefined) => Promise<HttpResponse>;

/** A browser, as `browserTools` drives one. */
export interface BrowserDriver {
  /** Opens a page for one agent of one run: without cookies and storage of others, without downloads, with no way to the network but `requests`. */
  open(requests: PageRequests): Promise<BrowserPage>;
}

/** A page of a browser; what fails rejects. */
export interface BrowserPage {
  /** Goes to an address, and waits until its document is there. */
  go(url: string): Promise<void>;
  /** Reads what a person would see of it; `[ref=e2]` behind an element names it for {@link click} and {@link type}. */
  read(): Promise<PageText>;
  click(ref: string): Promise<void>;
  /** Replaces the text of a field; `submit` presses Enter there. */
  type(ref: string, text: string, submit: boolean): Promise<void>;
  /** Takes a picture of what is in sight, as PNG. */
  screenshot(): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** A page, read. */
export interface PageText {
  readonly url: string;
  readonly title: string;
  readonly text: string;
}
