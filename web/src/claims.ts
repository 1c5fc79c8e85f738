// Claims as cards: the statement, its verdict, the evidence, what held it back and what would settle
// it.
import type { Claim, ComparedReport, VerdictWord } from './compare-data';
import { el } from './dom';
import { unbroken } from './format';
import { toned } from './verdict';
import type { Tone } from './data';

const kVerdicts: { word: VerdictWord; title: string; tone: Tone }[] = [
  { word: 'supported', title: 'Supported', tone: 'good' },
  { word: 'not supported', title: 'Not supported', tone: 'bad' },
  { word: 'cannot tell', title: 'Cannot tell', tone: 'caution' },
];

function withVerdict(report: ComparedReport, word: VerdictWord): Claim[] {
  return report.comparison.claims.filter((claim) => claim.verdict === word);
}

export function claimCounts(report: ComparedReport): HTMLElement {
  return el(
    'dl',
    { class: 'figures' },
    ...kVerdicts.map(({ word, title, tone }) =>
      el(
        'div',
        {},
        el('dt', {}, toned(tone, title)),
        el('dd', {}, el('span', { class: 'big' }, String(withVerdict(report, word).length)), el('small', {}, 'claims')),
      ),
    ),
  );
}

function card(claim: Claim, tone: Tone, question: string | undefined): HTMLElement {
  return el(
    'article',
    { class: `claim ${tone}` },
    el('p', { class: 'claim-kind', title: question }, claim.claim),
    el('h4', {}, unbroken(claim.statement)),
    el('ul', {}, ...claim.evidence.map((line) => el('li', {}, unbroken(line)))),
    ...claim.guards.map((guard) =>
      el('p', { class: 'guard' }, el('b', {}, `${guard.guard}: `), unbroken(guard.limit)),
    ),
    claim.settle === null
      ? null
      : el('p', { class: 'next-step' }, el('span', {}, 'What would settle it: '), unbroken(claim.settle)),
  );
}

export function claimCards(report: ComparedReport): HTMLElement[] {
  return kVerdicts
    .map(({ word, title, tone }) => {
      const claims = withVerdict(report, word);
      if (claims.length === 0) return null;
      return el(
        'div',
        { class: 'verdict-group' },
        el('h3', {}, toned(tone, title), ` ${claims.length}`),
        el('div', { class: 'cards' }, ...claims.map((claim) => card(claim, tone, report.questions[claim.claim]))),
      );
    })
    .filter((one): one is HTMLDivElement => one !== null);
}
