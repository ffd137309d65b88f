import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { HttpRules } from '../../src/tools/built-in/http/http-rules.ts';
import { publicHttp } from '../../src/tools/built-in/http/http-environment.ts';
import { isPublicAddress } from '../../src/tools/built-in/http/public-address.ts';
import { codeOf } from './contract.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A server on the loopback interface, which has to be trusted to be reached at all. */
const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const fetching = (url: string, rules: HttpRules = {}) =>
  publicHttp(rules)
    .request({ url })
    .then(() => 'let through', codeOf);

const nobody = () => Promise.reject(new Error('a name was looked up'));

test.each([Infinity, 2 ** 40 + 0.5])('HTTP has as long as it is given: %d ms', async (timeoutMs) => {
  const host = await serve((_, response) => response.end('well'));
  expect(await fetching(`http://${host}/`, { trusted: [host], timeoutMs })).toBe('let through');
});

/** The registries of IANA for special-purpose addresses, each network of them, and multicast. */
const SPECIAL = `
  0.0.0.0/8 0.0.0.0/32 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
  192.0.0.0/29 192.0.0.8/32 192.0.0.9/32 192.0.0.10/32 192.0.0.170/31 192.0.2.0/24 192.31.196.0/24
  192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24
  224.0.0.0/4 240.0.0.0/4 255.255.255.255/32 ::1/128 ::/128 ::ffff:0:0/96 64:ff9b::/96 64:ff9b:1::/48
  100::/64 100:0:0:1::/64 2001::/23 2001::/32 2001:1::1/128 2001:1::2/128 2001:1::3/128 2001:2::/48
  2001:3::/32 2001:4:112::/48 2001:10::/28 2001:20::/28 2001:30::/28 2001:db8::/32 2002::/16
  2620:4f:8000::/48 3fff::/20 5f00::/16 fc00::/7 fe80::/10 ff00::/8
`
  .trim()
  .split(/\s+/);

/** The first address of a network, and its last. */
const endsOf = (network: string): readonly string[] => {
  const [first = '', bits] = network.split('/');
  const isSix = first.includes(':');
  const parts = isSix ? hextetsOf(first) : first.split('.').map(Number);
  const size = isSix ? 16 : 8;
  const last = parts.map((part, at) => {
    const fixed = Math.min(size, Math.max(0, Number(bits) - at * size));
    return (part | (2 ** (size - fixed) - 1)).toString(isSix ? 16 : 10);
  });
  return [first, last.join(isSix ? ':' : '.')];
};

const hextetsOf = (address: string): readonly number[] => {
  const [head = [], tail = []] = address
    .split('::')
    .map((side) => side.split(':').filter((part) => part !== ''));
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].map((part) => Number.parseInt(part, 16));
};

describe('[M27] HTTP reaches the public internet only', () => {
  test.each([
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '１２７.0.0.1',
    '0.0.0.0',
    '10.0.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '[::1]',
    '[::]',
    '[::ffff:7f00:1]',
    '[::7f00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[fd00::1]',
    '[fe80::1]',
    '[2001:db8::1]',
    '[2001::1]',
    '[ff02::1]',
  ])('the literal address %s is refused without asking anybody', async (host) => {
    expect(await fetching(`http://${host}/`, { lookup: nobody })).toBe('tool.denied');
  });

  test('no address of the registries of special purposes is public, first or last, nor one that a cloud serves its machines by', () => {
    const networks = SPECIAL.flatMap((network) => endsOf(network));
    const clouds = ['169.254.169.254', '168.63.129.16', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254'];
    const embedding = ['2a00:1450::5efe:7f00:1', '2a00:1450::200:5efe:7f00:1', '2a00:1450:1:2:0:5efe:a00:1'];
    expect([...networks, ...clouds, ...embedding].filter(isPublicAddress)).toEqual([]);
    expect(networks).toHaveLength(SPECIAL.length * 2);
  });

  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '2606:4700:4700::1111',
    '168.63.129.15',
    '168.63.129.17',
    '192.31.195.255',
    '192.31.197.0',
    '192.52.192.255',
    '192.52.194.0',
    '192.175.47.255',
    '192.175.49.0',
    '2620:4f:7fff:ffff::1',
    '2620:4f:8001::1',
    '2a00:5efe:1:2::1',
    '2a00:1450::5eff:7f00:1',
  ])('the address %s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each(['', 'localhost', '1.1.1', '::ffff:8.8.8.8', 'fe80::1%eth0', '2606:4700::1%1', '999.1.1.1'])(
    '%j is no public address',
    (address) => {
      expect(isPublicAddress(address)).toBe(false);
    },
  );

  test.each([
    [['127.0.0.1']],
    [['::1']],
    [['93.184.216.34', '10.0.0.1']],
    [['fd00::8']],
    [['64:ff9b::7f00:1']],
    [[]],
    [['not an address']],
  ])('a name with the addresses %j is refused', async (addresses) => {
    expect(await fetching('http://name.test/', { lookup: async () => addresses })).toBe('tool.denied');
  });

  test.each([
    'ftp://a.test',
    'file:///etc/passwd',
    'gopher://a.test',
    'http://user:pass@a.test',
    'http://a.test:22',
    'nonsense',
    'http://',
    'data:text/plain,x',
  ])('the URL %j is refused', async (url) => {
    expect(await fetching(url, { lookup: async () => ['1.1.1.1'] })).toBe('tool.denied');
  });

  test('the connection goes to the address that was checked, whatever the name means a moment later', async () => {
    const host = await serve((_, response) => response.end('inside'));
    const port = Number(host.split(':')[1]);
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    let asked = 0;
    const lookup = async () => answers[asked++] ?? [];
    const rules = { lookup, trusted: [`rebound.test:${port}`] };
    const { text } = await publicHttp(rules).request({ url: `http://rebound.test:${port}/` });
    expect({ text, asked }).toEqual({ text: 'inside', asked: 1 });
  });

  test.each([
    'http://169.254.169.254/latest',
    'http://[::1]/',
    'file:///etc/passwd',
    '//10.0.0.1/x',
    'http://u:p@1.1.1.1/',
  ])('a redirect to %s is not followed', async (target) => {
    const host = await serve((_, response) => response.writeHead(302, { location: target }).end());
    expect(await fetching(`http://${host}/`, { trusted: [host] })).toBe('tool.denied');
  });

  test('redirects are followed so far and no further, and never in a circle', async () => {
    const host = await serve((request, response) => {
      const count = Number(request.url?.slice(1));
      if (count === 0) response.end('there');
      else response.writeHead(302, { location: `/${count - 1}` }).end();
    });
    const rules = { trusted: [host] };
    expect(await publicHttp(rules).request({ url: `http://${host}/5` })).toMatchObject({
      status: 200,
      text: 'there',
      url: `http://${host}/0`,
    });
    expect(await fetching(`http://${host}/6`, rules)).toBe('tool.denied');
    const circle = await serve((_, response) => response.writeHead(302, { location: '/' }).end());
    expect(await fetching(`http://${circle}/`, { trusted: [circle] })).toBe('tool.denied');
  });

  test('secrets are not carried to another origin', async () => {
    const seen: unknown[] = [];
    const second = await serve((request, response) => {
      seen.push(request.headers.authorization, request.headers.cookie, request.headers['x-plain']);
      response.end('ok');
    });
    const first = await serve((_, response) =>
      response.writeHead(307, { location: `http://${second}/` }).end(),
    );
    const headers = { Authorization: 'Bearer x', Cookie: 'a=b', 'X-Plain': 'yes', Host: 'other.test' };
    await publicHttp({ trusted: [first, second] }).request({ url: `http://${first}/`, headers });
    expect(seen).toEqual([undefined, undefined, undefined]);
  });

  test('an answer is cut at its limit, and one that never comes is given up', async () => {
    const long = await serve((_, response) => response.end('x'.repeat(10_000)));
    expect(
      await publicHttp({ trusted: [long], maxBytes: 10 }).request({ url: `http://${long}/` }),
    ).toMatchObject({
      text: 'x'.repeat(10),
      isCut: true,
    });
    const silent = await serve(() => undefined);
    expect(await fetching(`http://${silent}/`, { trusted: [silent], timeoutMs: 50 })).toBe('tool.timeout');
    expect(
      await fetching('http://slow.test', { lookup: () => new Promise(() => undefined), timeoutMs: 50 }),
    ).toBe('tool.failed');
  });

  test('only the methods that are allowed are sent', async () => {
    const host = await serve((request, response) => response.end(request.method));
    const send = (rules: HttpRules) =>
      publicHttp({ trusted: [host], ...rules }).request({ url: `http://${host}/`, method: 'post' });
    expect(await send({}).catch(codeOf)).toBe('tool.denied');
    expect(await send({ methods: ['POST'] })).toMatchObject({ text: 'POST' });
  });
});

describe('headers at a redirect', () => {
  test('[FIND-58] a key of any name stays with the origin that it is for', async () => {
    const seen: Record<string, unknown>[] = [];
    const other = await serve(({ headers }, response) => {
      seen.push(headers);
      response.end('other');
    });
    const first = await serve(({ url, headers }, response) => {
      if (url === '/here') seen.push(headers);
      if (url === '/here') response.end('here');
      else response.writeHead(307, { location: url === '/on' ? '/here' : `http://${other}/` }).end();
    });
    const http = publicHttp({ trusted: [first, other], methods: ['GET'] });
    const headers = {
      Accept: 'text/plain',
      'X-Api-Key': 'secret',
      'Private-Token': 'secret',
      Authorization: 'secret',
      'X-Anything': 'secret',
    };
    await http.request({ url: `http://${first}/on`, headers });
    await http.request({ url: `http://${first}/away`, headers });
    const [here, away] = seen;
    expect(here).toMatchObject({ 'x-api-key': 'secret', 'private-token': 'secret', accept: 'text/plain' });
    expect(away).toMatchObject({ accept: 'text/plain' });
    expect(JSON.stringify(away)).not.toContain('secret');
  });
});

test('what the rules refuse says which rule to write', async () => {
  const ops = publicHttp();
  await expect(ops.request({ url: 'http://shop.example/', method: 'POST' })).rejects.toThrow(
    "the method POST is not allowed here: write publicHttp({ methods: ['GET', 'HEAD', 'POST'] })",
  );
  await expect(ops.request({ url: 'http://127.0.0.1:41669/' })).rejects.toThrow(
    "the port 41669 is not allowed here: write publicHttp({ trusted: ['127.0.0.1:41669'] })",
  );
  await expect(ops.request({ url: 'http://127.0.0.1/' })).rejects.toThrow(
    "write publicHttp({ trusted: ['127.0.0.1:80'] })",
  );
  // What is allowed already is kept: who writes the one rule needs the other still.
  const poster = publicHttp({ methods: ['POST'] });
  await expect(poster.request({ url: 'http://127.0.0.1:41669/', method: 'POST' })).rejects.toThrow(
    "write publicHttp({ methods: ['POST'], trusted: ['127.0.0.1:41669'] })",
  );
  const trusting = publicHttp({ trusted: ['127.0.0.1:41669'] });
  await expect(trusting.request({ url: 'http://127.0.0.1:41669/', method: 'POST' })).rejects.toThrow(
    "write publicHttp({ methods: ['GET', 'HEAD', 'POST'], trusted: ['127.0.0.1:41669'] })",
  );
});
