/**
 * Builds the local inspector's page: one file of HTML with its script and its style in it, that asks nobody for anything but the
 * server that it came from.
 */
import { resolve } from 'node:path';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '..');

/** What its server puts a nonce in place of, each time that it gives the page away. */
const nonce = '__NONCE__';

/** The page's policy lets no text become code: zod is not to try, which the browser would report. */
const withoutEval = 'globalThis.__zod_globalConfig={jitless:true};';

/** The name by which the page finds the reader of files, once it has loaded it. */
const readerName = 'troupeFileReader';

const bundled = async (entryPoint: string, globalName?: string): Promise<string> => {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entryPoint],
    bundle: true,
    write: false,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    ...(globalName === undefined ? {} : { globalName }),
    ...(entryPoint.endsWith('.css') ? {} : { banner: { js: withoutEval } }),
    logLevel: 'warning',
  });
  const text = outputFiles[0]?.text;
  if (text === undefined) throw new Error(`Cannot build the page as nothing came of ${entryPoint}`);
  return text;
};

/** Nothing in a script ends it. */
const withinScript = (script: string): string => script.replaceAll(/<\/(?=script)/gi, '<\\/');

/** The page of the local inspector. */
export const buildPage = async (): Promise<string> => {
  const [script, style, reader] = await Promise.all([
    bundled('src/inspect/page/main.tsx'),
    bundled('src/inspect/page/style/page.css'),
    bundled('src/inspect/page/files/read-run-file.ts', readerName),
  ]);
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, interactive-widget=resizes-content">',
    '<meta name="referrer" content="no-referrer">',
    '<title>troupe: inspector</title>',
    '<link rel="icon" href="data:,">',
    `<style nonce="${nonce}">${style.replaceAll('</', '<\\/')}</style>`,
    '<body>',
    // The reader is a text, on a line of its own, until somebody opens a file.
    `<script type="module" nonce="${nonce}">globalThis.${readerName}Text=${withinScript(JSON.stringify(reader))};`,
    `${withinScript(script)}</script>`,
    '</html>',
    '',
  ].join('\n');
};
