import { link, readFile, readdir, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Asked } from '../../../src/inspect/local/server/request-guard.ts';
import { refusalOf } from '../../../src/inspect/local/server/request-guard.ts';
import { hostEnvironment } from '../../../src/tools/built-in/host/host-environment.ts';
import { publicHttp } from '../../../src/tools/built-in/http/http-environment.ts';
import { isPublicAddress } from '../../../src/tools/built-in/http/public-address.ts';
import { codeOf } from '../../environment/contract.ts';
import type { TemporaryWorld } from '../../environment/temporary-world.ts';
import { CANARY } from '../../environment/temporary-world.ts';
import type { Row } from './row.ts';

const ADDRESSES = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '１２７.0.0.1',
  '①②⑦.0.0.1',
  '0.0.0.0',
  '0',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '198.18.0.1',
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[::ffff:7f00:1]',
  '[::ffff:169.254.169.254]',
  '[::7f00:1]',
  '[64:ff9b::7f00:1]',
  '[2002:7f00:1::]',
  '[fd00::1]',
  '[fe80::1]',
  '[2001:db8::1]',
  '[2001::1]',
  '[ff02::1]',
];
const NAMES = [
  ['127.0.0.1'],
  ['::1'],
  ['10.0.0.8'],
  ['169.254.169.254'],
  ['100.64.0.1'],
  ['fd00::8'],
  ['::ffff:7f00:1'],
  ['64:ff9b::7f00:1'],
  ['2002:7f00:1::'],
  ['0.0.0.0'],
  ['93.184.216.34', '10.0.0.1'],
  [],
  ['no address'],
];
const URLS = [
  'ftp://a.test',
  'file:///etc/passwd',
  'gopher://a.test',
  'data:text/plain,x',
  'nonsense',
  'http://',
  'http://user:pass@a.test',
  'http://a.test:22',
  'http://a.test@127.0.0.1/',
  'http://127.0.0.1#@a.test/',
  'http://127.0.0.1\\@a.test/',
  'javascript:1',
  'http:127.0.0.1',
  'http://localhost./',
];
const TARGETS = [
  'http://169.254.169.254/latest',
  'http://[::1]/',
  'file:///etc/passwd',
  '//10.0.0.1/x',
  'http://u:p@1.1.1.1/',
  'http://0x7f.1/',
];

const fetching = (url: string, lookup: () => Promise<readonly string[]>, trusted: readonly string[] = []) =>
  publicHttp({ lookup, trusted })
    .request({ url })
    .then(() => 'let through', codeOf);

/** A server here that answers `/`, and elsewhere redirects to what its path says. */
const redirecting = async (work: (host: string) => Promise<boolean>): Promise<boolean> => {
  const server = createServer(({ url = '/' }, response) => {
    if (url === '/') response.end('here');
    else response.writeHead(302, { location: decodeURIComponent(url.slice(1)) }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await work(`127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
};

const nobody = () => Promise.reject(new Error('a name was looked up'));
const isDenied = async (said: Promise<unknown>): Promise<boolean> => (await said) === 'tool.denied';

export const requests: Row = {
  hostile: [
    ...ADDRESSES.map((host) => [host, () => isDenied(fetching(`http://${host}/`, nobody))] as const),
    ...NAMES.map(
      (found) =>
        [`a name of ${found.join()}`, () => isDenied(fetching('http://a.test/', async () => found))] as const,
    ),
    ...URLS.map((url) => [url, () => isDenied(fetching(url, async () => ['127.0.0.1']))] as const),
    ...TARGETS.map(
      (target) =>
        [
          `a redirect to ${target}`,
          () =>
            redirecting((host) =>
              isDenied(fetching(`http://${host}/${encodeURIComponent(target)}`, nobody, [host])),
            ),
        ] as const,
    ),
  ],
  honest: [
    ...[
      '1.1.1.1',
      '8.8.8.8',
      '93.184.216.34',
      '172.32.0.1',
      '192.169.0.1',
      '2606:4700:4700::1111',
      '2a00:1450::1',
    ].map((address) => [address, () => !isPublicAddress(address)] as const),
    [
      'a host that is trusted',
      () => redirecting((host) => isDenied(fetching(`http://${host}/`, nobody, [host]))),
    ],
    [
      'a redirect to the same host',
      () =>
        redirecting((host) =>
          isDenied(fetching(`http://${host}/${encodeURIComponent('/')}`, nobody, [host])),
        ),
    ],
  ],
};

const PATHS = [
  '../canary.txt',
  './../canary.txt',
  'src/../../canary.txt',
  'src/../../../etc/passwd',
  '..',
  '../',
  '../..',
  '/etc/passwd',
  '//etc/passwd',
  '/proc/self/environ',
  '/dev/zero',
  '~/x',
  'file:///etc/passwd',
  '/',
  '../root-twin/canary.txt',
  '..\\canary.txt',
  'src\\..\\..\\canary.txt',
  'C:\\x',
  '%2e%2e/canary.txt',
  '..%2fcanary.txt',
  '%2e%2e%2fcanary.txt',
  '..%c0%afcanary.txt',
  '%252e%252e%252fcanary.txt',
  '..;/canary.txt',
  '....//canary.txt',
  '．．/canary.txt',
  '..\0/canary.txt',
  '../canary.txt\0.md',
  '\0',
  'notes.md/../../canary.txt',
  ' ../canary.txt',
  '../canary.txt ',
  '..\n/canary.txt',
  '\u202e../canary.txt',
  'up/canary.txt',
  'up',
  'link.txt',
  'twin.txt',
  'dangling.txt',
  'up/new.txt',
];
const OPERATIONS = ['read', 'write', 'list', 'stat', 'remove'] as const;

/** What stands outside the root: names, and the text of the canaries. */
const outside = async ({ top, canary }: TemporaryWorld): Promise<string> =>
  JSON.stringify([
    await readdir(top),
    await readdir(join(top, 'root-twin')),
    await readFile(canary, 'utf8'),
    await readFile(join(top, 'root-twin', 'canary.txt'), 'utf8'),
  ]);

/** Paths: refused is what neither gives anything of outside nor changes it. */
export const paths = async (world: TemporaryWorld): Promise<Row> => {
  const { root, top, canary } = world;
  await symlink(canary, join(root, 'link.txt'));
  await symlink(top, join(root, 'up'));
  await symlink(join(top, 'made.txt'), join(root, 'dangling.txt'));
  await link(canary, join(root, 'twin.txt'));
  const environment = hostEnvironment({ root, maxReadBytes: 10_000 });
  await environment.setup?.({ runId: 'r', path: 'a' });
  const { files } = environment.ops;
  if (files === undefined) throw new Error('there are no files');
  const perform = (operation: (typeof OPERATIONS)[number], path: string) =>
    operation === 'write' ? files.write(path, 'written over') : files[operation](path);
  const before = await outside(world);
  const staysInside = async (operation: (typeof OPERATIONS)[number], path: string): Promise<boolean> => {
    const given = await perform(operation, path).then((found) => JSON.stringify(found), String);
    return (
      !given.includes(CANARY) &&
      !given.includes('root:x:0:0') &&
      !given.includes('"root-twin"') &&
      (await outside(world)) === before
    );
  };
  const fails = (operation: (typeof OPERATIONS)[number], path: string) =>
    perform(operation, path).then(
      () => false,
      () => true,
    );
  return {
    hostile: OPERATIONS.flatMap((operation) =>
      PATHS.map(
        (path) => [`${operation} ${JSON.stringify(path)}`, () => staysInside(operation, path)] as const,
      ),
    ),
    honest: [
      ...['notes.md', './notes.md', 'src/main.ts', 'src//main.ts'].map(
        (path) => [`read ${path}`, () => fails('read', path)] as const,
      ),
      ...['a b.txt', '..hidden', '...', 'ü/é.md', 'new/deep/file.txt', 'C', '~'].map(
        (path) => [`write ${path}`, () => fails('write', path)] as const,
      ),
      ['list .', () => fails('list', '.')],
      ['remove a b.txt', () => fails('remove', 'a b.txt')],
    ],
  };
};

const known = { port: 4100, token: 'right' };
const good: Asked = {
  host: '127.0.0.1:4100',
  origin: undefined,
  site: undefined,
  cookie: 'troupe_4100=right',
  authorization: undefined,
  token: undefined,
};
const refused = (change: Partial<Asked>) =>
  [JSON.stringify(change), () => refusalOf({ ...good, ...change }, known) !== undefined] as const;

export const inspectors: Row = {
  hostile: [
    { host: undefined },
    { host: 'evil.test:4100', token: 'right' },
    { host: '127.0.0.1:4101' },
    { host: '127.0.0.1' },
    { host: '127.0.0.1:4100.evil.test' },
    { host: '0.0.0.0:4100' },
    { host: '[::1]:4101' },
    { origin: 'http://evil.test', token: 'right' },
    { origin: 'http://127.0.0.1:3000' },
    { origin: 'https://127.0.0.1:4100' },
    { origin: 'http://127.0.0.1:4100.evil.test' },
    { origin: 'null' },
    { origin: '' },
    { site: 'cross-site' },
    { site: 'same-site' },
    { cookie: undefined },
    { cookie: 'troupe_4100=righ' },
    { cookie: 'troupe_4100=right1' },
    { cookie: 'troupe_4100=', token: '', authorization: 'Bearer ' },
    { cookie: 'troupe_4101=right' },
    { cookie: undefined, authorization: 'Basic right' },
    { cookie: undefined, authorization: 'Bearer RIGHT' },
    { cookie: undefined, token: 'right ' },
  ].map(refused),
  honest: [
    {},
    { cookie: 'a=b; troupe_4100=right; c=d' },
    { cookie: undefined, token: 'right' },
    { cookie: undefined, authorization: 'Bearer right' },
    { origin: 'http://127.0.0.1:4100', site: 'same-origin' },
    { host: 'localhost:4100', origin: 'http://localhost:4100' },
    { site: 'none' },
    { cookie: undefined, site: 'cross-site', token: 'right' },
  ].map(refused),
};
