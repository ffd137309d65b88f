/** The parts of Playwright's objects that are used: a package of it need not be installed for their types. */
export interface PlaywrightBrowser {
  newContext(options: {
    readonly serviceWorkers: 'block';
    readonly acceptDownloads: boolean;
    readonly proxy: { readonly server: string };
  }): Promise<PlaywrightContext>;
}

export interface PlaywrightContext {
  newPage(): Promise<PlaywrightPage>;
  on(event: 'page', listener: (page: PlaywrightPage) => void): unknown;
  route(url: string, handler: (route: PlaywrightRoute) => Promise<void>): Promise<unknown>;
  routeWebSocket(
    url: RegExp,
    handler: (socket: { close(): Promise<void> }) => Promise<void>,
  ): Promise<unknown>;
  addInitScript(script: string): Promise<unknown>;
  cookies(url: string): Promise<readonly { readonly name: string; readonly value: string }[]>;
  setDefaultTimeout(ms: number): void;
  close(): Promise<void>;
}

export interface PlaywrightPage {
  goto(url: string, options: { readonly waitUntil: 'domcontentloaded' }): Promise<unknown>;
  waitForLoadState(state: 'domcontentloaded'): Promise<void>;
  url(): string;
  title(): Promise<string>;
  ariaSnapshot(options: { readonly mode: 'ai'; readonly timeout: number }): Promise<string>;
  locator(selector: string): PlaywrightLocator;
  screenshot(options: { readonly type: 'png' }): Promise<Uint8Array>;
  close(): Promise<void>;
}

export interface PlaywrightLocator {
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  press(key: string): Promise<void>;
}

export interface PlaywrightFrame {
  page(): PlaywrightPage;
  parentFrame(): PlaywrightFrame | null;
}

export interface PlaywrightRequest {
  url(): string;
  method(): string;
  headers(): Readonly<Record<string, string>>;
  postDataBuffer(): Uint8Array | null;
  isNavigationRequest(): boolean;
  frame(): PlaywrightFrame;
}

export interface PlaywrightRoute {
  request(): PlaywrightRequest;
  abort(reason: 'blockedbyclient'): Promise<void>;
  fulfill(answer: {
    readonly status: number;
    readonly headers: Record<string, string>;
    readonly body: string | Buffer;
  }): Promise<void>;
}
