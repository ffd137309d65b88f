import { oneLine } from '../../../base/text/printable.ts';
import { messageOf, TroupeError } from '../../../contracts/errors/error.ts';
import type { BrowserDriver, BrowserPage, PageRequests, PageText } from './browser-driver.ts';
import { PageNetwork } from './page-network.ts';
import type {
  PlaywrightBrowser,
  PlaywrightContext,
  PlaywrightLocator,
  PlaywrightPage,
} from './playwright-shapes.ts';

/** In ms, for one action of a page. */
const PATIENCE = 20_000;

/** Redirects of a page that are followed. */
const MOST_REDIRECTS = 5;

/** Nobody listens there: what does not pass by the routes, such as what a page fetches ahead, comes to nothing. */
const NOWHERE = 'http://127.0.0.1:1';

/** Ways to the network that no route of Playwright's sees. */
const NO_OTHER_WAY =
  "for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection', 'WebTransport']) Object.defineProperty(globalThis, name, { value: undefined });";

/** Drives a browser of Playwright, by contexts of its own. */
export const playwrightDriver = (browser: PlaywrightBrowser): BrowserDriver => ({
  open: async (requests) => {
    const context = await browser.newContext({
      serviceWorkers: 'block',
      acceptDownloads: false,
      proxy: { server: NOWHERE },
    });
    try {
      return await openPage(context, requests);
    } catch (thrown) {
      await context.close();
      throw thrown;
    }
  },
});

const openPage = async (context: PlaywrightContext, makeRequest: PageRequests): Promise<BrowserPage> => {
  context.setDefaultTimeout(PATIENCE);
  await context.addInitScript(NO_OTHER_WAY);
  const page = await context.newPage();
  const network = new PageNetwork(context, page, makeRequest);
  await context.route('**/*', (route) => network.answer(route));
  await context.routeWebSocket(/./, (socket) => socket.close());
  // A pop-up is closed: there is one page, which the agent sees.
  context.on('page', (other) => void other.close().catch(() => undefined));
  return new PlaywrightDriven(context, page, network);
};

class PlaywrightDriven implements BrowserPage {
  readonly #context: PlaywrightContext;
  readonly #page: PlaywrightPage;
  readonly #network: PageNetwork;

  constructor(context: PlaywrightContext, page: PlaywrightPage, network: PageNetwork) {
    this.#context = context;
    this.#page = page;
    this.#network = network;
  }

  go(url: string): Promise<void> {
    return this.#act(() => this.#goto(url));
  }

  read(): Promise<PageText> {
    return inWords(async () => {
      await this.#settle();
      const text = await this.#page.ariaSnapshot({ mode: 'ai', timeout: PATIENCE });
      return { url: this.#page.url(), title: await this.#page.title(), text };
    });
  }

  click(ref: string): Promise<void> {
    return this.#act(() => this.#element(ref).click());
  }

  type(ref: string, text: string, submit: boolean): Promise<void> {
    return this.#act(async () => {
      await this.#element(ref).fill(text);
      if (submit) await this.#element(ref).press('Enter');
    });
  }

  screenshot(): Promise<Uint8Array> {
    return inWords(() => this.#page.screenshot({ type: 'png' }));
  }

  close(): Promise<void> {
    return this.#context.close();
  }

  #element(ref: string): PlaywrightLocator {
    return this.#page.locator(`aria-ref=${ref}`);
  }

  #act(work: () => Promise<void>): Promise<void> {
    return inWords(async () => {
      this.#network.begin();
      await work();
      await this.#settle();
      this.#network.throwIfRefused();
    });
  }

  async #goto(url: string): Promise<void> {
    // A redirect to a file of this machine would pass by all routes.
    if (!/^https?:/i.test(url))
      throw new TroupeError(
        'tool.denied',
        `Cannot open ${JSON.stringify(url.slice(0, 200))} as it is neither http nor https`,
      );
    await this.#page.goto(url, { waitUntil: 'domcontentloaded' });
  }

  /** Waits for the document, and goes on to where it redirects. */
  async #settle(): Promise<void> {
    await this.#page.waitForLoadState('domcontentloaded');
    for (let hop = 0; hop <= MOST_REDIRECTS; hop += 1) {
      const target = this.#network.takeRedirect();
      if (target === undefined) return;
      await this.#goto(target);
    }
    throw new TroupeError(
      'tool.denied',
      `Cannot go on as the page redirects more than ${MOST_REDIRECTS} times`,
    );
  }
}

/** The errors of Playwright are for programmers: their first line, without the log of what was tried. */
const inWords = async <Value>(work: () => Promise<Value>): Promise<Value> => {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof TroupeError) throw thrown;
    const isLate = thrown instanceof Error && thrown.name === 'TimeoutError';
    throw new TroupeError(
      isLate ? 'tool.timeout' : 'tool.failed',
      `Cannot use the page: ${oneLine(messageOf(thrown).split('\n', 1)[0] ?? '', 500)}`,
      { cause: thrown },
    );
  }
};
