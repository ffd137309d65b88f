import { posix } from 'node:path';

/** An import as written: `value` is loaded with the file, `dynamic` when called, `type` never. */
export interface Import {
  readonly from: string;
  readonly kind: 'value' | 'type' | 'dynamic';
}

/** What the rules see of a source file. Its path is relative to `src`, with forward slashes. */
export interface Source {
  readonly path: string;
  readonly imports: readonly Import[];
  readonly exportsEverything: boolean;
  readonly lines: number;
  /** The first line of each docstring. */
  readonly docstrings: readonly string[];
  readonly text: string;
}

/** A rule over all sources. It answers with one readable line per offence. */
export type Rule = (sources: readonly Source[]) => string[];

/** A room imports only from floors below it, and never from another room on its own floor. */
export const floors: readonly (readonly string[])[] = [
  ['base'],
  ['contracts'],
  ['machines', 'tools', 'models', 'memory', 'events', 'persistence', 'policy'],
  ['actors', 'coordination', 'client'],
  ['runtime'],
  ['patterns', 'mcp', 'a2a', 'acp'],
  ['inspect', 'testing', 'react'],
  ['cli'],
];

/** Folders or files that may import a package. Whoever is in `types` may name its types only. */
export interface Permit {
  readonly packages: RegExp;
  readonly allowed: readonly string[];
  readonly types?: readonly string[];
  readonly lazily?: readonly string[];
}

export const permits: readonly Permit[] = [
  {
    packages: /^xstate(\/|$)/,
    allowed: ['machines', 'coordination', 'runtime', 'inspect', 'testing', 'react'],
    types: ['contracts', 'patterns'],
  },
  {
    packages: /^rxjs(\/|$)/,
    allowed: ['events', 'runtime', 'inspect', 'testing', 'cli'],
    types: ['contracts'],
  },
  // Everything else also runs in a browser.
  { packages: /^node:/, allowed: ['persistence', 'tools/built-in', 'inspect', 'cli'] },
  { packages: /^react(\/|$)/, allowed: ['react'] },
  { packages: /^@dagrejs\/dagre$/, allowed: ['inspect/drawing'] },
  { packages: /^get-east-asian-width$/, allowed: ['cli/terminal'] },
  // Whoever uses one provider need not have installed the other.
  { packages: /^(openai|@anthropic-ai\/sdk)(\/|$)/, allowed: [], types: ['models'], lazily: ['models'] },
  { packages: /^@opentelemetry\//, allowed: [], types: ['inspect'], lazily: ['inspect'] },
  {
    packages: /^@modelcontextprotocol\//,
    allowed: [],
    types: ['tools/mcp', 'mcp'],
    lazily: ['tools/mcp', 'mcp'],
  },
  { packages: /^@a2a-js\//, allowed: [], types: ['a2a'], lazily: ['a2a'] },
  { packages: /^@agentclientprotocol\//, allowed: [], types: ['acp'], lazily: ['acp'] },
  { packages: /^nostr-tools(\/|$)/, allowed: [], types: ['inspect'], lazily: ['inspect'] },
  { packages: /^croner$/, allowed: [], lazily: ['runtime'] },
  { packages: /^@cedar-policy\//, allowed: [], types: ['policy'], lazily: ['policy'] },
];

const longestFile = 400;

/** More than that stand in rooms of their own: a newcomer sees from the folders what there is. */
const fullestFolder = 25;

const vagueNames = ['types', 'utils', 'util', 'helpers', 'common', 'core', 'misc', 'shared', 'lib'];

/** Reads what the rules need to know out of a file's text. */
export const readSource = (path: string, text: string): Source => {
  const code = text.replace(/^\s*\/\*[\s\S]*?\*\//gm, '').replace(/^\s*\/\/.*$/gm, '');
  const statements = code.matchAll(
    /^\s*(?:import|export)\s+(type\s+)?(?:[^'"`;]*?\bfrom\s*)?['"]([^'"]+)['"]/gm,
  );
  const calls = code.matchAll(/\bimport\(\s*['"`]([^'"`]+)['"`]/g);
  return {
    path,
    imports: [
      ...[...statements].map(([, type, from]): Import => ({
        from: from ?? '',
        kind: type ? 'type' : 'value',
      })),
      ...[...calls].map(([, from]): Import => ({ from: from ?? '', kind: 'dynamic' })),
    ],
    exportsEverything: /^\s*export\s+(type\s+)?\*/m.test(code),
    lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
    docstrings: [...text.matchAll(/^ *\/\*\*\s*(?:\* )?([^\n]*)/gm)].map(([, first = '']) => first),
    text,
  };
};

const isRelative = (from: string): boolean => from.startsWith('.');
const resolve = (source: Source, from: string): string => posix.join(posix.dirname(source.path), from);
const roomOf = (path: string): string | undefined => (path.includes('/') ? path.split('/')[0] : undefined);
const floorOf = (room: string): number => floors.findIndex((rooms) => rooms.includes(room));
const isIn = (path: string, place: string): boolean => path.startsWith(`${place}/`) || path === `${place}.ts`;

/** Every offence of a single import. */
const eachImport =
  (offence: (source: Source, each: Import) => string | undefined): Rule =>
  (sources) =>
    sources.flatMap((source) =>
      source.imports.flatMap((each) => {
        const found = offence(source, each);
        return found === undefined ? [] : [`${source.path} imports ${each.from}: ${found}`];
      }),
    );

/** Every offence of a file by itself. */
const eachFile =
  (offence: (source: Source) => string | undefined): Rule =>
  (sources) =>
    sources.flatMap((source) => {
      const found = offence(source);
      return found === undefined ? [] : [`${source.path}: ${found}`];
    });

export const everyFileHasARoom = eachFile(({ path }) => {
  const room = roomOf(path);
  if (room === undefined) return path === 'index.ts' ? undefined : 'only index.ts stands outside a room';
  return floorOf(room) >= 0 ? undefined : `'${room}' is not a room of the house`;
});

export const importsGoDown = eachImport((source, { from }) => {
  if (!isRelative(from)) return undefined;
  const target = resolve(source, from);
  if (target.startsWith('..')) return 'it lies outside src';
  const [here, there] = [roomOf(source.path), roomOf(target)];
  if (there === undefined) return 'the public surface is for users';
  if (here === there) return undefined;
  if (here === undefined) return ['cli', 'testing'].includes(there) ? `${there} is not public` : undefined;
  const up = floorOf(there) - floorOf(here);
  if (up === 0) return `${here} and ${there} are on the same floor`;
  return up > 0 ? `${there} is above ${here}` : undefined;
});

export const packagesStayInTheirRooms = eachImport((source, { from, kind }) => {
  const permit = permits.find(({ packages }) => packages.test(from));
  const may = (places: readonly string[] = []): boolean => places.some((place) => isIn(source.path, place));
  if (permit === undefined || may(permit.allowed)) return undefined;
  if (kind === 'type' && may(permit.types)) return undefined;
  if (kind === 'dynamic' && may(permit.lazily)) return undefined;
  const places = [
    ...permit.allowed,
    ...(permit.types ?? []).map((place) => `${place} (types)`),
    ...(permit.lazily ?? []).map((place) => `${place} (dynamically)`),
  ];
  return `only ${places.join(', ')} may`;
});

/** The page of the local inspector is bundled when the package is built, with what it is made of. */
const page = 'inspect/page';
const bundledIntoPage = /^(marked|preact|@preact\/signals)(\/|$)/;

/** What of a recording is read in the page as it is read elsewhere: it imports types, how compositions are grouped, and what follows from events. */
const readByThePage = [
  'breakpoints',
  'composition-in',
  'entry',
  'member-name',
  'packs/unpack',
  'sequence',
  'tableau',
  'work-of',
].map((name) => `inspect/recording/${name}.ts`);

/** Files that are opened in the page are read as those that are named to a command. */
const readersOfFiles = [
  'trace',
  'trace-in-text',
  'recorded/trace-in-page',
  'recorded/trace-recording',
  'trace-text',
].map((name) => `inspect/traces/${name}.ts`);

/** Totals of a run are counted, two runs compared, and numbers written, here as there: they import nothing but collections, JSON and types. */
const foldedByThePage = [
  'runtime/actors/run-counter.ts',
  'runtime/log/sent-requests.ts',
  'runtime/journal/replay/compared-runs.ts',
  'base/text/number-words.ts',
];

/** The page runs in a browser, and knows of the rest only what a recording holds, and how it is drawn. */
export const thePageStandsAlone = eachImport((source, { from, kind }) => {
  const isBundled = bundledIntoPage.test(from);
  if (!isIn(source.path, page)) return isBundled ? 'only the page is bundled with it' : undefined;
  if (!isRelative(from))
    return isBundled || from === 'zod/mini' ? undefined : 'it is not bundled into the page';
  const target = resolve(source, from);
  if (isIn(target, page) || isIn(target, 'inspect/drawing')) return undefined;
  if (foldedByThePage.includes(target) || readByThePage.includes(target)) return undefined;
  if (isIn(source.path, `${page}/files`) && readersOfFiles.includes(target)) return undefined;
  const isKnown = ['base', 'contracts', 'inspect/recording'].some((place) => isIn(target, place));
  return kind === 'type' && isKnown ? undefined : 'the page knows types of contracts, and recordings';
});

/** The layout of charts and the widths of characters are bundled with the package. */
const isBundled = ({ path }: Source, from: string): boolean => {
  if (isIn(path, page)) return bundledIntoPage.test(from);
  if (isIn(path, 'inspect/drawing')) return from === '@dagrejs/dagre';
  return isIn(path, 'cli/terminal') && from === 'get-east-asian-width';
};

/** Whoever installs the package has what its sources import. */
export const importsAreDeclared = (declared: readonly string[]): Rule =>
  eachImport((source, { from }) => {
    if (isRelative(from) || from.startsWith('node:') || isBundled(source, from)) return undefined;
    const name = from
      .split('/')
      .slice(0, from.startsWith('@') ? 2 : 1)
      .join('/');
    return declared.includes(name) ? undefined : 'it is neither a dependency nor a peer';
  });

export const namesAreKebabCase = eachFile(({ path }) =>
  path.split('/').every((part) => /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/.test(part))
    ? undefined
    : 'names are in kebab-case',
);

export const namesSaySomething = eachFile(({ path }) => {
  const vague = path.split('/').find((part) => vagueNames.includes(part.replace(/\..*$/, '')));
  return vague === undefined ? undefined : `'${vague}' says nothing: a thing lives in the room of its noun`;
});

/** The public surface is a list of names: as long as there are names. */
export const filesAreShort = eachFile(({ path, lines }) =>
  lines > longestFile && path !== 'index.ts'
    ? `${lines} lines: past ${longestFile} it is asking to be two`
    : undefined,
);

export const foldersHaveRooms: Rule = (sources) => {
  const folders = new Map<string, number>();
  for (const { path } of sources) {
    const folder = posix.dirname(path);
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  return [...folders].flatMap(([folder, count]) =>
    count > fullestFolder ? [`${folder}: ${count} files want rooms`] : [],
  );
};

export const exportsAreNamed = eachFile(({ exportsEverything }) =>
  exportsEverything ? 'it exports everything (`export *`) instead of names' : undefined,
);

/** No file reaches itself through what it imports, types included. */
export const importsHaveNoCycles: Rule = (sources) => {
  const next = new Map(
    sources.map((source) => [
      source.path,
      source.imports.filter(({ from }) => isRelative(from)).map(({ from }) => resolve(source, from)),
    ]),
  );
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, above: readonly string[]): void => {
    if (above.includes(path)) cycles.push([...above.slice(above.indexOf(path)), path].join(' → '));
    if (above.includes(path) || done.has(path)) return;
    for (const each of next.get(path) ?? []) visit(each, [...above, path]);
    done.add(path);
  };
  for (const path of next.keys()) visit(path, []);
  return cycles;
};

/** Functions that are named after what has happened: reducers, which mirror the verbs of states, and values that users write. */
const participles: readonly string[] = [
  // Reducers of the machines.
  'observed decided acted reduced critiqued entered checked prepared received',
  'troubled abandoned expired returned approved denied cancelled',
  // Ends of a team, results and wrapped tools and models, as they stand in an app's code.
  'answeredWith endedAs failedWith stoppedBy failed planned shared intercepted buffered combined judgedBy',
  'requiredBy',
].flatMap((names) => names.split(' '));

const PARTICIPLE = new RegExp(
  '^(?:(?!(?:em|un)?(?:bed|feed|heed|need|seed|shed|speed|proceed|exceed)$)[a-z]+ed' +
    '|begun|born|bound|built|chosen|done|drawn|found|given|gone|heard|held|kept|known|lost|made|said|seen|sent|shown|spent|taken|thrown|told|written)' +
    '(?:Again|As|At|Away|Back|Before|By|From|In|Of|Off|On|Out|Through|To|Too|Until|With)?$',
);

/** A function is a verb phrase (`releaseLease`), or the noun of what it gives (`leaseOf`): a participle says neither. */
export const functionsAreNotParticiples: Rule = (sources) =>
  sources.flatMap(({ path, text }) =>
    [...text.matchAll(/^(?:export )?(?:const (\w+) = (?:async )?[(<]|(?:async )?function\*? (\w+))/gm)]
      .map(([, constant, named]) => constant ?? named ?? '')
      .filter((name) => PARTICIPLE.test(name) && !participles.includes(name))
      .map((name) => `${path}: ${name}() is a participle: name it by what it does`),
  );

/** Rooms of what lives for a run, a step or a call. */
const RUN_LIVED = /^runtime\/(?:effects|engines|journal|log|mail|people|run|turn)\//;

/** A getter in an object literal keeps its whole run alive until the next major collection (decision 0033). */
export const runsHaveNoLiteralGetters: Rule = (sources) =>
  sources.flatMap(({ path, text }) =>
    RUN_LIVED.test(path)
      ? [...text.matchAll(/^ {4,}get (\w+)\(\)/gm)].map(
          ([, name]) => `${path}: the getter '${name}' of an object literal: make it a class (decision 0033)`,
        )
      : [],
  );
