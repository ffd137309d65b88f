import type { Page } from 'playwright-core';
import type { Situation } from '../../support/situations/situation.ts';
import { failedMember } from '../../support/situations/failed-member.ts';
import { loop } from '../../support/situations/loop.ts';
import { refusedDeadlock } from '../../support/situations/refused-deadlock.ts';
import { resumedCrash } from '../../support/situations/resumed-crash.ts';
import { spentBudget } from '../../support/situations/spent-budget.ts';
import { waitingPerson } from '../../support/situations/waiting-person.ts';

/** The questions that a person has about a run. */
export const questions = [
  'who is there',
  'who works',
  'who waits, and for whom',
  'what did it cost',
  'why did it fail',
  'what was the model sent, and what did it say',
  'what changed',
  'which message came from whom',
  'what took so long',
  'what would happen if',
] as const;

export type Question = (typeof questions)[number];

/** One key, or one click. */
export type Move = (page: Page) => Promise<void>;

/** The moves that lead to an answer, and what is read there, in this order. */
export interface Answer {
  readonly moves: readonly Move[];
  readonly says: readonly string[];
}

const press =
  (key: string): Move =>
  (page) =>
    page.keyboard.press(key);

const click =
  (selector: string, hasText?: string): Move =>
  (page) =>
    page
      .locator(selector, hasText === undefined ? {} : { hasText })
      .last()
      .click();

const actor = (name: string): Move => click('.actor .name', name);
const request = click('.request-part:last-of-type summary');
const figure = (name: string): Move => click('.run-bar .figure', name);
const firstProblem = click('.problem');

const at = (moves: readonly Move[], ...says: readonly string[]): Answer => ({ moves, says });

/** A situation with where the page answers. */
export interface Answered {
  readonly situation: () => Situation;
  readonly answers: Readonly<Record<Question, Answer>>;
}

export const answered: readonly Answered[] = [
  {
    situation: loop,
    answers: {
      'who is there': at([], 'archivist', 'stopped'),
      'who works': at([press('w')], 'archivist stopped', 'search done · 5 times · 15.0 s'),
      'who waits, and for whom': at([], 'archivist stopped'),
      'what did it cost': at([press('8')], '$0.020', 'archivist 1', 'step 1'),
      'why did it fail': at([figure('stop')], 'it was in a loop: the same step, 5 times in a row (search)'),
      'what was the model sent, and what did it say': at(
        [request],
        'Search until you know.',
        'Who kept the light in 1850?',
        'Nothing is known about the keeper of 1850.',
        'search {"query":"the keeper of 1850"}',
      ),
      'what changed': at([press('4')], 'changed last', 'end'),
      'which message came from whom': at([press('2')], 'archivist', 'search', 'Nothing is known about'),
      'what took so long': at([press('7')], 'tool search archivist 3.0 s'),
      'what would happen if': at([press('f')], 'Fork', 'at its end'),
    },
  },
  {
    situation: failedMember,
    answers: {
      'who is there': at([], 'trip', 'trains-1', 'weather-2', 'hotels-3 failed'),
      'who works': at([press('w')], 'trains timetable done · 44.4 s', 'weather done', 'hotels failed'),
      'who waits, and for whom': at([], 'trip', 'stopped', 'trains-1 completed', 'hotels-3 failed'),
      'what did it cost': at([press('8')], '$0.012', 'trip 1', 'trains 1', '$0.00800', '66.7 %'),
      'why did it fail': at(
        [figure('error')],
        'hotels',
        'it refused the key: 401 invalid_api_key',
        '2 of 3 answered',
      ),
      'what was the model sent, and what did it say': at(
        [actor('weather'), request],
        'Say what the weather will be.',
        'Plan a day in Whitby.',
        'Dry, and windy',
      ),
      'what changed': at([press('4')], 'changed last', 'end'),
      'which message came from whom': at([], 'trip → hotels-3', 'Plan a day in Whitby.', 'hotels-3 failed'),
      'what took so long': at([press('7')], 'tool timetable trains-1 42.0 s'),
      'what would happen if': at([press('f')], 'Fork', 'at its end', 'With another model'),
    },
  },
  {
    situation: waitingPerson,
    answers: {
      'who is there': at([], 'complaints', 'reader-1 completed', 'cashier-2 waits', 'whether refund'),
      'who works': at([press('w')], 'reader done', 'cashier refund waits for a person'),
      'who waits, and for whom': at(
        [],
        'waiting for a person',
        'cashier wants to call refund {"order":"1174","euros":59}',
        'complaints waits for cashier-2',
        'cashier-2 waits for a person',
      ),
      'what did it cost': at([], '$0.00800 cost 2 calls 0 errors'),
      'why did it fail': at([press('9')], 'Nothing went wrong.'),
      'what was the model sent, and what did it say': at(
        [actor('reader'), request],
        'Say in one sentence what the customer wants.',
        'My lamp came broken.',
      ),
      'what changed': at([press('4')], 'changed last'),
      'which message came from whom': at([], 'complaints → cashier-2', 'Order 1174 came broken'),
      'what took so long': at([press('7')], 'model scripted:small reader-1 1.2 s', 'person', 'cashier-2'),
      'what would happen if': at([press('f')], 'Fork', 'at its end'),
    },
  },
  {
    situation: spentBudget,
    answers: {
      'who is there': at([], 'report', 'collector-1', 'analyst-2', 'editor-3'),
      'who works': at([press('w')], 'collector done', 'analyst done', 'editor stopped'),
      'who waits, and for whom': at([], 'report stopped', 'collector-1 completed', 'editor-3 stopped'),
      'what did it cost': at([press('8')], '$0.103', 'analyst 1', '$0.097', '94.2 %'),
      'why did it fail': at([figure('stop')], 'its budget is spent: $0.1'),
      'what was the model sent, and what did it say': at(
        [actor('analyst'), request],
        'Say what they mean.',
        'Sales were 12 in May and 31 in June.',
      ),
      'what changed': at([press('4')], 'changed last', 'end'),
      'which message came from whom': at([], 'report → analyst-2', 'Sales were 12 in May'),
      'what took so long': at([press('7')], 'model scripted:small collector-1 2.5 s'),
      'what would happen if': at([press('f')], 'Fork', 'at its end'),
    },
  },
  {
    situation: resumedCrash,
    answers: {
      'who is there': at([], 'clerk completed'),
      'who works': at([press('w')], 'clerk done · 2 h 0 min', 'receipt done · 1.5 s'),
      'who waits, and for whom': at([], 'clerk completed'),
      'what did it cost': at([press('8')], '$0.012', 'clerk 1', 'step 1'),
      'why did it fail': at(
        [press('9')],
        '1 setback',
        'clerk was interrupted and resumed',
        'Its process was gone',
        'receipt {} 1.5 s',
        '11:00:01',
      ),
      'what was the model sent, and what did it say': at(
        [request],
        'Pay first, then write the receipt.',
        'The rent is paid',
      ),
      'what changed': at([press('4')], 'changed last', 'end'),
      'which message came from whom': at([press('2')], 'clerk', '640 euros are paid.'),
      'what took so long': at([press('7')], 'tool receipt clerk'),
      'what would happen if': at([press('f')], 'Fork', 'at its end'),
    },
  },
  {
    situation: refusedDeadlock,
    answers: {
      'who is there': at([], 'desk completed', 'ann-1 completed', 'ben-2 completed'),
      'who works': at([press('w')], 'ann', 'done', 'ben', 'done'),
      'who waits, and for whom': at(
        [figure('error'), firstProblem],
        'desk waits for ann-1, ben-2',
        'ann-1 ACT',
        'colleagues.ask',
        '"to":"ben"',
      ),
      'what did it cost': at([press('8')], '$0.020', 'desk 1', 'ben 1', '$0.012'),
      'why did it fail': at([figure('error')], 'colleagues.ask failed', 'ben'),
      'what was the model sent, and what did it say': at(
        [actor('ann'), request],
        'You know the place. Ask Ben for the day.',
        'The party is on Friday, on the pier.',
      ),
      'what changed': at([press('4')], 'changed last', 'end'),
      'which message came from whom': at(
        [],
        'ann-1 → ben-2',
        'Which day is it?',
        'ben-2 → ann-1',
        'It is on Friday.',
      ),
      'what took so long': at([press('7')], 'tool colleagues.ask ann-1'),
      'what would happen if': at([press('f')], 'Fork', 'at its end'),
    },
  },
];
