import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { entryPointsOf } from '../../scripts/entry-points.ts';
import { builtFile } from '../support/built-package.ts';

const root = resolve(import.meta.dirname, '../..');

/** An app that is served as one file of HTML and one script. */
export interface BuiltApp {
  readonly url: string;
  close(): Promise<void>;
}

/** The script and the style of an app, for React as it is while somebody develops: with its warnings, and with what StrictMode does twice. */
const bundleApp = async (file: string): Promise<{ script: string; style: string }> => {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [file],
    bundle: true,
    write: false,
    outdir: 'built',
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxDev: true,
    define: { 'process.env.NODE_ENV': '"development"' },
    alias: Object.fromEntries(entryPointsOf().map(({ name, built }) => [name, builtFile(built)])),
    // What is loaded by those only who use it.
    external: ['node:*', 'openai', '@anthropic-ai/sdk', '@pydantic/genai-prices'],
    logLevel: 'warning',
  });
  const textOf = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  return { script: textOf('.js'), style: textOf('.css') };
};

/** Builds the app in a folder once, and serves it: a page of it is open in a tenth of the time that it takes where each module is asked for. */
export const serveBuiltApp = async (folder: string): Promise<BuiltApp> => {
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  const source = /src="\/(?<file>.+?)"/.exec(html)?.groups?.['file'];
  if (source === undefined) throw new Error(`Cannot build the app in ${folder} as its page has no script`);
  const { script, style } = await bundleApp(join(folder, source));
  const page = html.replace(source, 'app.js').replace('</head>', () => `<style>${style}</style></head>`);
  const server = createServer(({ url }, response) => {
    const [type, text] = url === '/app.js' ? ['text/javascript', script] : ['text/html', page];
    response.setHeader('content-type', `${type}; charset=utf-8`).end(text);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
};
