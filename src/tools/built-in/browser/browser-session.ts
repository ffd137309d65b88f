import { oneLine, printable } from '../../../base/text/printable.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import { failed } from '../../calls/tool-result.ts';
import type { BrowserDriver, BrowserPage, PageRequests } from './browser-driver.ts';

/** Characters of a page that a model reads at once. */
const MOST_CHARACTERS = 50_000;

/** The page of one agent in one run: opened by its first call, closed with its tools. */
export class BrowserSession {
  readonly #driver: BrowserDriver;
  readonly #requests: PageRequests;
  #page: Promise<BrowserPage> | undefined;
  #isClosed = false;
  /** The elements that the agent has read of, by their refs. */
  #elements: ReadonlyMap<string, string> = new Map();

  constructor(driver: BrowserDriver, requests: PageRequests) {
    this.#driver = driver;
    this.#requests = requests;
  }

  /** Goes to an address, and returns the page. */
  async open(url: string): Promise<string> {
    if (this.#isClosed) throw new TroupeError('tool.cancelled', 'Cannot open a page as the run has ended');
    const page = await (this.#page ??= this.#opening());
    await page.go(url);
    return this.read();
  }

  async #opening(): Promise<BrowserPage> {
    try {
      return await this.#driver.open(this.#requests);
    } catch (thrown) {
      // The next call may find a browser again.
      this.#page = undefined;
      throw thrown;
    }
  }

  /** Returns the page as text, with what can be acted on. */
  async read(): Promise<string> {
    const { url, title, text } = await (await this.#opened()).read();
    const shown = printable(text);
    const cut = shown.length <= MOST_CHARACTERS ? shown : shown.slice(0, MOST_CHARACTERS);
    this.#elements = elementsIn(cut);
    const end = cut === shown ? '' : '\n[cut here: the page is longer]';
    return `URL: ${oneLine(url, 2_000)}\nTitle: ${oneLine(title)}\n\n${cut.trim() === '' ? '(no text)' : cut}${end}`;
  }

  /** Acts on an element that was read of, and returns what the page is then. */
  async act(ref: string, act: (page: BrowserPage) => Promise<void>): Promise<string> {
    const page = await this.#opened();
    if (!this.#elements.has(ref))
      return failed(`The page as you read it has no element [ref=${oneLine(ref, 20)}]: read it again.`);
    await act(page);
    return this.read();
  }

  async screenshot(): Promise<Uint8Array> {
    return (await this.#opened()).screenshot();
  }

  /** The words of an element, for people: those of the page, not of the model. */
  wordsOf(ref: string): string {
    return this.#elements.get(ref) ?? `an element that was not read (${oneLine(ref, 20)})`;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const page = await this.#page?.catch(() => undefined);
    this.#page = undefined;
    await page?.close();
  }

  #opened(): Promise<BrowserPage> {
    return this.#page ?? failed('No page is open: open one first.');
  }
}

const ELEMENT = /^\s*- (.{1,300}?) \[ref=(\w{1,20})\]/;

const elementsIn = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split('\n').flatMap((line): [string, string][] => {
      const [, words = '', ref = ''] = ELEMENT.exec(line) ?? [];
      return ref === '' ? [] : [[ref, oneLine(words)]];
    }),
  );
