import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import type { ViteDevServer } from 'vite';
import { createServer } from 'vite';
import { builtFile } from '../support/built-package.ts';

const root = resolve(import.meta.dirname, '../..');

/** An app that Vite serves as it does while somebody develops it: with fast refresh, and unbuilt. */
export interface ServedApp {
  readonly url: string;
  readonly vite: ViteDevServer;
  close(): Promise<void>;
}

/** Serves the app in a folder; at `/rendered`, what `render` gives stands in the page in place of the app. */
export const serveApp = async (
  folder: string,
  render: (vite: ViteDevServer) => Promise<string>,
): Promise<ServedApp> => {
  const server = createHttpServer();
  const vite = await createServer({
    root: folder,
    configFile: false,
    appType: 'custom',
    logLevel: 'error',
    // Prepared anew each time, as for somebody who has just installed everything.
    cacheDir: join(folder, '.vite'),
    plugins: [react()],
    resolve: {
      alias: [
        { find: /^troupe\/react$/, replacement: builtFile('react/index.js') },
        { find: /^troupe\/models$/, replacement: builtFile('models/index.js') },
        { find: /^troupe$/, replacement: builtFile('index.js') },
      ],
    },
    server: { middlewareMode: true, hmr: { server }, fs: { allow: [root] } },
  });
  const page = async (url: string): Promise<string> => {
    const html = readFileSync(join(folder, 'index.html'), 'utf8');
    const whole = await vite.transformIndexHtml(url, html);
    return whole.replace(
      '<div id="app"></div>',
      `<div id="app">${url === '/rendered' ? await render(vite) : ''}</div>`,
    );
  };
  server.on('request', (request, response) => {
    vite.middlewares(request, response, () => {
      page(request.url ?? '/').then(
        (html) => response.setHeader('content-type', 'text/html').end(html),
        (thrown: unknown) => {
          response.writeHead(500).end(String(thrown));
        },
      );
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    vite,
    close: async () => {
      await vite.close();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
};
