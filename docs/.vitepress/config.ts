import { readFileSync } from 'node:fs';
import { posix, resolve } from 'node:path';
import { defineConfig } from 'vitepress';

/** Where `scripts/docs.ts` of the project leaves what it draws and bundles. */
const made = resolve(import.meta.dirname, '../../.tmp/site-public');
const source = 'https://github.com/troupe-actors/troupe/blob/main';

/** Pages of the site; a link to any other file leads to the repository. */
const isPage = (path: string): boolean => /^(?:guide\/.*|index|models|providers|react)\.md$/.test(path);

const teams: readonly (readonly [text: string, page: string])[] = [
  ['supervisorWorker', 'supervisor-worker'],
  ['pipeline', 'pipeline'],
  ['parallel', 'parallel'],
  ['race', 'race'],
  ['ensemble', 'ensemble'],
  ['router', 'router'],
  ['handoffs', 'handoffs'],
  ['consensus', 'consensus'],
  ['debate', 'debate'],
  ['jury', 'jury'],
  ['writerCritic', 'writer-critic'],
  ['plannerExecutor', 'planner-executor'],
  ['contractNet', 'contract-net'],
  ['blackboard', 'blackboard'],
  ['groupChat', 'group-chat'],
  ['orchestrator', 'orchestrator'],
  ['saga', 'saga'],
  ['workflow', 'workflow'],
  ['delegate, fanOut', 'delegation'],
];

export default defineConfig({
  title: 'troupe',
  description: 'An actor-model runtime for LLM agents in TypeScript: agents and teams as statecharts.',
  base: process.env['DOCS_BASE'] ?? '/',
  outDir: '../.tmp/site',
  cacheDir: '../.tmp/site-cache',
  srcExclude: ['api/**', 'decisions/**', 'diagrams/**', 'coverage.md', 'node_modules/**'],
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  lastUpdated: false,
  vite: { publicDir: made },
  // A page with programs has room for a chart beside them, and no outline there.
  transformPageData: ({ relativePath, frontmatter }) =>
    readFileSync(resolve(import.meta.dirname, '..', relativePath), 'utf8').includes('```ts playground')
      ? { frontmatter: { ...frontmatter, aside: false, pageClass: 'plays' } }
      : {},
  markdown: {
    config: (markdown) => {
      // A link to a file that is no page of the site leads to the repository.
      markdown.core.ruler.push('links-to-files', ({ tokens, env }) => {
        const { relativePath } = env as { readonly relativePath?: string };
        if (relativePath === undefined) return;
        const page = posix.dirname(relativePath);
        for (const { children } of tokens) {
          for (const token of children ?? []) {
            const href = token.type === 'link_open' ? token.attrGet('href') : null;
            if (href === null || /^(?:[a-z]+:|#|\/)/.test(href)) continue;
            const [path = '', ...rest] = href.split(/(?=#)/);
            const place = posix.join(page, path);
            if (isPage(place) || place === '.') continue;
            token.attrSet('href', `${source}/${posix.join('docs', place)}${rest.join('')}`);
          }
        }
      });
      const fence = markdown.renderer.rules.fence;
      markdown.renderer.rules.fence = (tokens, index, options, env, self) => {
        const token = tokens[index];
        const shown = (): string => fence?.(tokens, index, options, env, self) ?? '';
        if (token === undefined) return '';
        const [language, ...marks] = token.info.trim().split(/\s+/);
        if (language === 'mermaid') {
          const name = /<!-- chart:([\w-]+) -->/.exec(tokens[index - 1]?.content ?? '')?.[1] ?? '';
          return `<Chart name="${name === 'phases' ? 'agent' : name}" />\n`;
        }
        token.info = language ?? '';
        if (!marks.includes('playground')) return shown();
        return `<Playground code="${Buffer.from(token.content).toString('base64')}" />\n`;
      };
    },
  },
  themeConfig: {
    outline: [2, 3],
    search: { provider: 'local' },
    socialLinks: [{ icon: 'github', link: 'https://github.com/troupe-actors/troupe' }],
    nav: [
      { text: 'Guide', link: '/guide/', activeMatch: '^/guide/(?!teams|migration)' },
      { text: 'Teams', link: '/guide/teams/' },
      { text: 'Migration', link: '/guide/migration/' },
    ],
    sidebar: [
      {
        text: 'Guide',
        items: [
          { text: 'Overview', link: '/guide/' },
          { text: 'Start', link: '/guide/start' },
          { text: 'Agents', link: '/guide/agents' },
          { text: 'Tools', link: '/guide/tools' },
          { text: 'MCP', link: '/guide/mcp' },
          { text: 'Agents of other programs', link: '/guide/other-agents' },
          { text: 'Coding agents', link: '/guide/coding-agents' },
          { text: 'Skills', link: '/guide/skills' },
          { text: 'Memory', link: '/guide/memory' },
          {
            text: 'Models',
            link: '/guide/models',
            collapsed: true,
            items: [
              { text: 'Retries and time-outs', link: '/models' },
              { text: 'Providers', link: '/providers' },
            ],
          },
        ],
      },
      {
        text: 'Teams',
        items: [
          {
            text: 'Patterns',
            link: '/guide/teams/',
            collapsed: false,
            items: teams.map(([text, page]) => ({ text, link: `/guide/teams/${page}` })),
          },
          { text: 'When members fail', link: '/guide/supervision' },
          { text: 'Agents that talk', link: '/guide/messages' },
          { text: 'A pattern of your own', link: '/guide/your-own-pattern' },
        ],
      },
      {
        text: 'In production',
        items: [
          { text: 'Durability', link: '/guide/durability' },
          { text: 'Workers', link: '/guide/workers' },
          { text: 'Schedules', link: '/guide/schedules' },
          { text: 'People', link: '/guide/people' },
          { text: 'Watching', link: '/guide/watching' },
          { text: 'Screens of others', link: '/guide/screens' },
          { text: 'Ten questions', link: '/guide/ten-questions' },
          {
            text: 'Embedding',
            link: '/guide/embedding',
            collapsed: true,
            items: [{ text: 'React', link: '/react' }],
          },
          { text: 'Testing', link: '/guide/testing' },
          { text: 'Evals', link: '/guide/evals' },
          { text: 'Proof', link: '/guide/proof' },
          { text: 'Serving', link: '/guide/serving' },
          { text: 'Operating', link: '/guide/operating' },
          {
            text: 'Security',
            link: '/guide/security',
            collapsed: true,
            items: [{ text: 'A microVM', link: '/guide/microvm' }],
          },
          { text: 'Command line', link: '/guide/command-line' },
        ],
      },
      {
        text: 'Coming from',
        collapsed: true,
        items: [
          { text: 'Overview', link: '/guide/migration/' },
          { text: 'LangGraph', link: '/guide/migration/langgraph' },
          { text: 'AI SDK', link: '/guide/migration/ai-sdk' },
          { text: 'Mastra', link: '/guide/migration/mastra' },
          { text: 'OpenAI Agents', link: '/guide/migration/openai-agents' },
          { text: 'AutoGen', link: '/guide/migration/autogen' },
        ],
      },
    ],
  },
});
