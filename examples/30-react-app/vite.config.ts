import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const sources = resolve(import.meta.dirname, '../../src');

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  // Only here, where the package is not installed but lies next door.
  resolve: {
    alias: [
      { find: /^troupe\/react$/, replacement: resolve(sources, 'react/index.ts') },
      { find: /^troupe\/models$/, replacement: resolve(sources, 'models/index.ts') },
      { find: /^troupe$/, replacement: resolve(sources, 'index.ts') },
    ],
  },
  server: { fs: { allow: [resolve(import.meta.dirname, '../..')] } },
});
