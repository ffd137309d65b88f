// A support desk as a product has it: customers on one page (`useAgent`, and the AI SDK's `useChat`), the lead who releases refunds on another, and
// a server that is killed twice in the middle, by kill -9. The pages go on without being loaded again.
//
//   npx tsx examples/47-support-desk.ts [FOLDER FOR PICTURES]
//
// The page of `useChat` is shown once its packages are there: `npm --prefix examples/47-support-desk/chat install`.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installedPackages } from './47-support-desk/build-pages.ts';
import { rehearse } from './47-support-desk/rehearse.ts';

const chromium = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);

if (chromium === undefined) console.log('There is no Chromium on this machine: install one to see the desk.');
else {
  const folder = mkdtempSync(join(tmpdir(), 'support-desk-'));
  await rehearse({
    folder,
    chromium,
    packages: installedPackages(),
    pictures: process.argv[2],
    report: console.log,
  });
  rmSync(folder, { recursive: true });
}
