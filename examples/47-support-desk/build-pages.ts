// Builds the pages with Vite: two that need troupe alone, and that of `useChat` where its packages are installed.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { build } from 'vite';

const folder = import.meta.dirname;
const sources = resolve(folder, '../../src');

/** The packages of the page of `useChat`, by name: their folders. */
export type ChatPackages = Readonly<Record<string, string>>;

/** Those of `npm --prefix examples/47-support-desk/chat install`; undefined where nobody did that. */
export const installedPackages = (): ChatPackages | undefined => {
  const modules = join(folder, 'chat/node_modules');
  if (!existsSync(join(modules, '@ai-sdk/react'))) return undefined;
  return { '@ai-sdk/react': join(modules, '@ai-sdk/react'), ai: join(modules, 'ai') };
};

/** Builds the pages into `into`. */
export const buildPages = async (into: string, packages: ChatPackages | undefined): Promise<void> => {
  const pages = ['customer', 'lead', ...(packages === undefined ? [] : ['chat'])];
  await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    plugins: [react()],
    resolve: {
      dedupe: ['react', 'react-dom'],
      alias: [
        // Only here, where the package is not installed but lies next door.
        { find: /^troupe\/react$/, replacement: resolve(sources, 'react/index.ts') },
        { find: /^troupe\/client$/, replacement: resolve(sources, 'client/index.ts') },
        ...Object.entries(packages ?? {}).map(([name, replacement]) => ({
          find: new RegExp(`^${name}$`),
          replacement,
        })),
      ],
    },
    build: {
      outDir: into,
      emptyOutDir: true,
      chunkSizeWarningLimit: 1_000,
      rolldownOptions: { input: pages.map((page) => join(folder, `${page}.html`)) },
    },
  });
};
