import type { Script, ScriptReply, ScriptTurn } from './script-schema.ts';
import type { ScriptView } from './script-view.ts';

/** The turn to play and how errors call it, or why there is none. */
export type ChosenTurn =
  | {
      readonly kind: 'chosen';
      readonly turn: ScriptTurn;
      readonly label: string;
      readonly otherwise: string | undefined;
    }
  | { readonly kind: 'none'; readonly problem: string };

/**
 * A reply whose `when` matches the user message wins; the other messages take the replies without `when` one
 * after the other, and the last of these answers all further ones.
 */
export function chooseTurn(script: Script, view: ScriptView): ChosenTurn {
  const reply = chooseReply(script, view.userTexts);
  if (reply === undefined) {
    return { kind: 'none', problem: 'no reply of the script fits the user message' };
  }
  const replyNumber = script.replies.indexOf(reply) + 1;
  const last = reply.turns.at(-1);
  const turn = reply.turns[view.turnIndex] ?? (last?.repeat ? last : undefined);
  if (turn === undefined) {
    return {
      kind: 'none',
      problem: `reply ${replyNumber} has ${reply.turns.length} turns, and turn ${view.turnIndex + 1} was asked for`,
    };
  }
  const label = `reply ${replyNumber}, turn ${view.turnIndex + 1}`;
  return { kind: 'chosen', turn, label, otherwise: reply.otherwise };
}

function chooseReply(script: Script, userTexts: readonly string[]): ScriptReply | undefined {
  const matching = (text: string) =>
    script.replies.find(reply => reply.when !== undefined && new RegExp(reply.when, 'imu').test(text));
  const inOrder = script.replies.filter(reply => reply.when === undefined);
  const earlier = userTexts.slice(0, -1).filter(text => matching(text) === undefined).length;
  return matching(userTexts.at(-1) ?? '') ?? inOrder[earlier] ?? inOrder.at(-1);
}
