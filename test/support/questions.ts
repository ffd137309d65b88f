/** A question that exactly one file of the corpus answers. */
export interface Question {
  readonly question: string;
  /** What a right answer contains, and no other file of the corpus. */
  readonly phrase: RegExp;
  /** How the path of that file ends. */
  readonly file: string;
}

/** Asked of 1,000 Markdown and source files of installed packages. */
export const questions: readonly Question[] = [
  {
    question: 'How long before expiry does the OpenAI client refresh the token by default?',
    phrase: /1200 seconds \(20 minutes\) before expiration/,
    file: 'openai/README.md',
  },
  {
    question: 'How big does a bundle get that uses every feature of fflate?',
    phrase: /maximum bundle size that is possible with `fflate` is about 33kB/,
    file: 'fflate/README.md',
  },
  {
    question: 'Does tinyexec throw an error if a process exits with a code other than zero?',
    phrase: /tinyexec does not throw on non.zero exit codes/,
    file: 'tinyexec/README.md',
  },
  {
    question: 'Is the permessage-deflate extension of ws enabled on the server by default?',
    phrase: /disabled by default on the server/,
    file: 'ws/README.md',
  },
  {
    question: 'How fast can es-module-lexer parse Angular 1?',
    phrase: /fully parsed in 5ms/,
    file: 'es-module-lexer/README.md',
  },
  {
    question: 'What does graceful-fs do when reading a file results in EAGAIN?',
    phrase: /retries reading a file if `read` results in EAGAIN/,
    file: 'graceful-fs/README.md',
  },
  {
    question: 'From which project was PartySocket forked?',
    phrase: /Forked from the wonderful \[reconnecting-websocket\]/,
    file: 'partysocket/README.md',
  },
  {
    question: 'Which timers do not keep the Node process from exiting?',
    phrase: /`unref`ed timers do not prevent the Node process from exiting/,
    file: 'why-is-node-running/README.md',
  },
  {
    question: 'Does copy-anything copy properties that are not enumerable?',
    phrase:
      /copy-anything only copies enumerable properties|copy-anything does not copy non-enumerable props/,
    file: 'copy-anything/README.md',
  },
  {
    question: 'Can I use jsonfile in a browser?',
    phrase: /this module cannot be used in the browser/,
    file: 'jsonfile/README.md',
  },
  {
    question: 'How long may a semver component be to be considered for coercion?',
    phrase: /maximum length for any semver component considered for\s+coercion is 16 characters/,
    file: 'semver/README.md',
  },
  {
    question: 'Does MiniSearch stem the terms of a document by default?',
    phrase: /No stemming is performed/,
    file: 'minisearch/README.md',
  },
  {
    question: 'How many times does the repeat operator repeat its source by default?',
    phrase: /number of times to repeat the source\. Defaults to `Infinity`/,
    file: 'rxjs/dist/types/internal/operators/repeat.d.ts',
  },
  {
    question: 'With which character does sprintf pad a value if nothing is specified?',
    phrase: /default is to pad with \*spaces\*/,
    file: 'sprintf-js/README.md',
  },
  {
    question: 'What privilege is needed on Windows to create symbolic links in the fs-extra tests?',
    phrase: /on Windows you need elevated privilege/,
    file: 'fs-extra/README.md',
  },
  {
    question: 'What is the one basic rule of escaping HTML characters in a string?',
    phrase: /do not \*\*ever\*\* replace one char after another/,
    file: 'html-escaper/README.md',
  },
  {
    question: 'How long does an undici client keep a socket alive without active requests?',
    phrase: /after which a socket without active requests will time out/,
    file: 'undici-types/client.d.ts',
  },
  {
    question: 'How do I keep the parent from waiting for a detached child to exit?',
    phrase: /To prevent the\s+(?:\* )?parent from waiting/,
    file: '@types/node/child_process.d.ts',
  },
  {
    question: 'What happens to tasks of the same name in a Tinybench instance?',
    phrase: /task name should always be unique in an instance/,
    file: 'tinybench/README.md',
  },
  {
    question: 'How many bytes is nanoid when it is minified and gzipped?',
    phrase: /13\d bytes \(minified/,
    file: 'nanoid/README.md',
  },
];

/** Nothing in the corpus answers it. */
export const unanswerable = 'Who won the football world cup in Uruguay in 1930?';
