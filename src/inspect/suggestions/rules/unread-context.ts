import type { Move, ToolFact } from '../run-facts.ts';
import { movesByPath } from '../run-facts.ts';
import type { Rule } from '../rule.ts';
import { Table, Tally } from '../rule.ts';

/** Characters from which a result is long. */
const LONG = 2_000;
/** Characters of a word that tells where it is from. */
const TELLING = 6;
const LEAST = 5;
/** The part of the long results of a tool that nothing refers to. */
const MOST_UNREAD = 0.9;
const CHARACTERS_PER_TOKEN = 4;

/** Finds long results of tools of which no later answer or call of the agent has a word. */
export const unreadContext = (): Rule => {
  const byTool = new Table(() => new Tally());
  return {
    take: (run) => {
      for (const moves of movesByPath(run))
        for (const [index, move] of moves.entries()) {
          if (move.kind !== 'tool' || move.text.length < LONG) continue;
          const tally = byTool.of(move.agent, move.tool);
          tally.of += 1;
          const later = moves.slice(index + 1);
          const calls = later.filter(({ kind }) => kind === 'model').length;
          if (calls === 0 || isRead(move, moves.slice(0, index), later)) continue;
          const tokens = Math.ceil(move.text.length / CHARACTERS_PER_TOKEN) * calls;
          tally.add(run.runId, { tokens });
        }
    },
    findings: () =>
      [...byTool.rows].flatMap(({ agent, name: tool, value: tally }) => {
        const { count, of, tokens } = tally;
        if (count < LEAST || count / of < MOST_UNREAD) return [];
        return [
          {
            type: 'unread-context' as const,
            agent,
            tool,
            description: `Long results of '${tool}' stay in the conversation of agent '${agent}', and nothing that follows refers to them: shorten them`,
            expected: { tokens },
            evidence: tally.evidence({ unreadShare: count / of, tokens }),
            proven: false,
            basis: `searched what followed ${of} long results for words of theirs; assumes four characters to a token; not proven as no run was tried with shorter ones`,
          },
        ];
      }),
  };
};

/** Checks whether anything later has a telling word of the result that was not said before. */
const isRead = (result: ToolFact, before: readonly Move[], later: readonly Move[]): boolean => {
  const known = wordsIn([...before.map(textOf), JSON.stringify(result.input)].join(' '));
  const said = wordsIn(later.map(textOf).join(' '));
  return [...wordsIn(result.text)].some((word) => said.has(word) && !known.has(word));
};

const textOf = (move: Move): string =>
  move.kind === 'tool' ? `${JSON.stringify(move.input)} ${move.text}` : move.text;

const wordsIn = (text: string): Set<string> =>
  new Set(
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .filter(({ length }) => length >= TELLING),
  );
