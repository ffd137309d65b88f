/** The part that troupe plays: `mcpServer` is a client, `serveMcp` a server. */
export type Side = 'client' | 'server';

/** A revision of the protocol, of which the suite has its own list of scenarios. */
export type Revision = '2025-11-25' | '2026-07-28';

/** Scenarios that fail, or single checks of them (`scenario:check`), and the reason, which is a decision and no defect. */
interface ExpectedFailures {
  readonly because: string;
  readonly of: readonly string[];
}

/** What is expected of each scenario that the suite runs. */
export interface Expectation {
  readonly passes: readonly string[];
  readonly fails: readonly ExpectedFailures[];
}

/** Scenarios of authorization, by an OAuth client of the package of the client, given as `auth`. */
const authorization = [
  'auth/metadata-default',
  'auth/metadata-var1',
  'auth/metadata-var2',
  'auth/metadata-var3',
  'auth/basic-cimd',
  'auth/scope-from-www-authenticate',
  'auth/scope-from-scopes-supported',
  'auth/scope-omitted-when-undefined',
  'auth/scope-step-up',
  'auth/scope-retry-limit',
  'auth/token-endpoint-auth-basic',
  'auth/token-endpoint-auth-post',
  'auth/token-endpoint-auth-none',
  'auth/pre-registration',
  'auth/client-credentials-jwt',
  'auth/client-credentials-basic',
  'auth/enterprise-managed-authorization',
  'auth/dpop',
  'auth/dpop-nonce',
  'auth/wif-jwt-bearer',
];

const DIALECT: ExpectedFailures = {
  because: 'a schema is shown to models without `$schema`, which some providers refuse',
  of: ['json-schema-2020-12-preservation:json-schema-2020-12-client-$schema-preserved'],
};

/** Scenarios of pictures, sound and files. */
const media = [
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
];

const NO_RESOURCES = 'agents are served as tools: a server of them has no resources, prompts or completions';

const resourcesAndPrompts = [
  'completion-complete',
  'prompts-get-embedded-resource',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-with-image',
  'prompts-list',
  'resources-list',
  'resources-read-binary',
  'resources-read-text',
  'resources-templates-read',
];

const OWN_MODEL = 'an agent has a model of its own, and needs neither sampling nor roots of its client';
const OWN_FORM = 'the question of an agent is a form of one text, `answer`';
const OWN_SCHEMAS =
  'the schema of a served tool is that of an agent; the suite wants one with keywords of its own';

/** The scenarios of the conformance suite: all that it runs, and what comes of each. */
export const conformanceTable: Readonly<Record<Side, Readonly<Record<Revision, Expectation>>>> = {
  client: {
    '2025-11-25': {
      passes: [
        ...authorization,
        'initialize',
        'tools_call',
        'elicitation-sep1034-client-defaults',
        'sse-retry',
      ],
      fails: [DIALECT],
    },
    '2026-07-28': {
      passes: [
        ...authorization,
        'auth/resource-mismatch',
        'auth/offline-access-scope',
        'auth/offline-access-not-supported',
        'auth/authorization-server-migration',
        'auth/iss-supported',
        'auth/iss-not-advertised',
        'auth/iss-supported-missing',
        'auth/iss-wrong-issuer',
        'auth/iss-unexpected',
        'auth/iss-normalized',
        'auth/metadata-issuer-mismatch',
        'tools_call',
        'request-metadata',
        'sep-2322-client-request-state',
        'http-standard-headers',
        'http-invalid-tool-headers',
        'json-schema-ref-no-deref',
      ],
      fails: [
        {
          because: 'the suite sends null for a boolean: what does not fit the schema of the tool is not sent',
          of: ['http-custom-headers:sep-2243-client-omit-null'],
        },
        DIALECT,
      ],
    },
  },
  server: {
    '2025-11-25': {
      passes: [
        'server-initialize',
        'server-session-lifecycle',
        'server-sse-multiple-streams',
        'server-sse-polling',
        'ping',
        'tools-list',
        'tools-call-simple-text',
        ...media,
        'tools-call-error',
        'tools-call-with-progress',
        'tools-call-elicitation',
        'dns-rebinding-protection',
      ],
      fails: [
        {
          because: NO_RESOURCES,
          of: [...resourcesAndPrompts, 'resources-subscribe', 'resources-unsubscribe'],
        },
        {
          because: 'the activity of a run is progress, and no log messages are sent',
          of: ['logging-set-level', 'tools-call-with-logging'],
        },
        { because: OWN_MODEL, of: ['tools-call-sampling'] },
        { because: OWN_FORM, of: ['elicitation-sep1034-defaults', 'elicitation-sep1330-enums'] },
        { because: OWN_SCHEMAS, of: ['json-schema-2020-12'] },
      ],
    },
    '2026-07-28': {
      passes: [
        'tools-list',
        'tools-call-simple-text',
        ...media,
        'tools-call-error',
        'tools-call-with-progress',
        'server-sse-multiple-streams',
        'sep-2164-resource-not-found',
        'dns-rebinding-protection',
        'http-header-validation',
        'input-required-result-request-state',
        'input-required-result-multi-round',
        'input-required-result-missing-input-response',
        'input-required-result-result-type',
        'input-required-result-unsupported-methods',
        'input-required-result-tampered-state',
        'input-required-result-ignore-extra-params',
        'input-required-result-validate-input',
        'tasks-status-notifications',
        'tasks-capability-negotiation',
        'tasks-dispatch-and-envelope',
        'tasks-mrtr-input',
        'tasks-request-headers',
        'tasks-request-state-removal',
        'tasks-wire-fields',
      ],
      fails: [
        {
          because: NO_RESOURCES,
          of: [
            ...resourcesAndPrompts,
            'caching:sep-2549-prompts-list-caching-hints',
            'caching:sep-2549-resources-list-caching-hints',
            'caching:sep-2549-resources-templates-list-caching-hints',
            'input-required-result-non-tool-request',
          ],
        },
        {
          because: OWN_MODEL,
          of: [
            'input-required-result-basic-sampling',
            'input-required-result-basic-list-roots',
            'input-required-result-capability-check',
            'server-stateless:sep-2575-missing-capability-http-400',
            'server-stateless:sep-2575-server-rejects-undeclared-capability',
          ],
        },
        {
          because: OWN_FORM,
          of: [
            'input-required-result-basic-elicitation',
            'input-required-result-multiple-input-requests',
            'tasks-mrtr-composition',
          ],
        },
        { because: OWN_SCHEMAS, of: ['json-schema-2020-12', 'http-custom-header-server-validation'] },
        {
          because: 'a run that fails is a call that failed, also as a task, and no error of the protocol',
          of: ['tasks-lifecycle:sep-2663-tasks-get-status-failed'],
        },
        {
          because: 'no agent is served to clients that take tasks only',
          of: ['tasks-required-task-error'],
        },
      ],
    },
  },
};
