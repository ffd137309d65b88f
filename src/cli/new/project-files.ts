import type { ModelProvider, Project, Template } from './project.ts';

/** The part of this package's own manifest that a project builds on. */
export interface OwnManifest {
  readonly version: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

interface About {
  /** A sentence on what is in it. */
  readonly about: string;
  /** The file that exports what is run. */
  readonly main: string;
  /** A first input, which the offline model has an answer to. */
  readonly input: string;
}

const byTemplate: Readonly<Record<Template, About>> = {
  agent: { about: 'An agent with a tool.', main: 'src/agent.ts', input: 'What is 19 + 23?' },
  team: {
    about:
      'A team: a dispatcher and a cashier look into their own notes at the same time, and both replies are the answer.',
    main: 'src/team.ts',
    input: 'A parcel to Norway',
  },
};

/** Packages that a project shares with troupe, and what checks and runs it. */
const PEERS = ['rxjs', 'xstate', 'zod'] as const;
const TOOLS = ['@types/node', 'tsx', 'typescript', 'vitest'] as const;

const SDK: Readonly<Record<ModelProvider, { readonly name: string; readonly key: string } | undefined>> = {
  none: undefined,
  openai: { name: 'openai', key: 'OPENAI_API_KEY' },
  anthropic: { name: '@anthropic-ai/sdk', key: 'ANTHROPIC_API_KEY' },
};

/** The files of a project by their paths, beside those of its template, with versions that this release of troupe is tested with. */
export const projectFiles = (project: Project, own: OwnManifest): Readonly<Record<string, string>> => ({
  'package.json': `${JSON.stringify(manifestOf(project, own), undefined, 2)}\n`,
  'tsconfig.json': TSCONFIG,
  '.gitignore': 'node_modules/\n*.db*\n.env\n',
  'README.md': readmeOf(project),
});

const manifestOf = ({ name, template, provider, isServed }: Project, own: OwnManifest) => {
  const { main, input } = byTemplate[template];
  const sdk = SDK[provider]?.name;
  const versions: Readonly<Record<string, string>> = {
    ...own.devDependencies,
    ...own.peerDependencies,
    troupe: `^${own.version}`,
  };
  const listed = (names: readonly string[]) =>
    Object.fromEntries(names.toSorted().map((each) => [each, versions[each] ?? '*']));
  return {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    scripts: {
      start: `troupe run ${main} ${JSON.stringify(input)}`,
      dev: `troupe dev ${main} ${JSON.stringify(input)} --open`,
      ...(isServed ? { serve: `troupe serve ${main}` } : {}),
      test: 'vitest run',
      typecheck: 'tsc --noEmit',
    },
    dependencies: listed(['troupe', ...PEERS, ...(sdk === undefined ? [] : [sdk])]),
    devDependencies: listed(TOOLS),
  };
};

const TSCONFIG = `{
  "compilerOptions": {
    "target": "es2023",
    "module": "nodenext",
    "strict": true,
    "noEmit": true,
    "allowImportingTsExtensions": true,
    "erasableSyntaxOnly": true,
    "verbatimModuleSyntax": true,
    "skipLibCheck": true,
    "types": ["node"]
  },
  "include": ["src", "test"]
}
`;

const readmeOf = ({ name, template, provider, isServed }: Project): string => {
  const { about, main, input } = byTemplate[template];
  const key = SDK[provider]?.key;
  const model =
    key === undefined
      ? 'Without a key of a provider the offline model answers: it needs no network, and is not a language model. Set `TROUPE_MODEL`, `OPENAI_API_KEY` or\n`ANTHROPIC_API_KEY` for one that is.'
      : `Set \`${key}\` for its model; without it the offline model answers, which is not a language model.`;
  return `# ${name}

${about}

\`\`\`sh
npm install
npm start                 # ${input}
npm run dev               # the same in a browser: again at each change, as a statechart
npm test                  # with a scripted model: no key, no network
npm run typecheck
${isServed ? 'npm run serve             # over HTTP; prints its address\n' : ''}\`\`\`

${model}

- \`${main}\` exports what is run.
- \`test\` shows how a model is scripted, so that a test says what it answers.
`;
};
