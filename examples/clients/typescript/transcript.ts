import type { DescEnum } from '@bufbuild/protobuf';
import type { Event } from '#gen/toolgate/gateway/v1/event_pb.ts';
import { OutcomeReasonSchema, OutcomeSchema, type ToolResult } from '#gen/toolgate/tool/v1/tool_result_pb.ts';
import { PermissionBehaviorSchema } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';

const LONGEST_LINE = 300;

/** Shows the events of a reply to a person and keeps the answer. */
export interface Transcript {
  /** What the model said since it was last asked: the answer, once the reply has ended. */
  answer(): string;
  /** Writes what a person wants to know of an event to standard error. */
  show(event: Event): void;
}

/** The transcript of one reply. */
export function createTranscript(): Transcript {
  let answer = '';
  const show = ({ event }: Event): void => {
    switch (event.case) {
      case 'modelCallStart':
        answer = '';
        break;
      case 'textBlockDelta':
        answer += event.value.text;
        break;
      case 'textBlockEnd':
        say(`agent     ${oneLine(answer)}`);
        break;
      case 'toolCallStart':
        say(`call      ${visible(event.value.toolName)} ${oneLine(event.value.argumentsText)}`);
        break;
      case 'toolCallDecided': {
        const { behavior, reason = '' } = event.value.decision ?? {};
        say(`decision  ${nameOf(PermissionBehaviorSchema, behavior)}: ${oneLine(reason)}`);
        break;
      }
      case 'confirmationAnswered':
        say(`answered  by ${oneLine(event.value.approver)}`);
        break;
      case 'toolResultEnd':
        say(`result    ${oneLine(textOf(event.value.result))}`);
        break;
      case 'toolCallEnd': {
        const { outcome, reason } = event.value;
        const why = reason === 0 ? '' : ` (${nameOf(OutcomeReasonSchema, reason)})`;
        say(`outcome   ${nameOf(OutcomeSchema, outcome)}${why}`);
        break;
      }
      default:
    }
  };
  return { answer: () => answer, show };
}

/** Writes one line to standard error. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Escapes control, bidirectional and zero-width characters: models and tools write this text. */
export function visible(text: string): string {
  return text.replace(
    /(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu,
    character => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/** The same on one line, cut where it is long. */
export function oneLine(text: string): string {
  const line = visible(text.trim().split('\n').join(' ⏎ '));
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE - 1)}…`;
}

/** Name of an enum's value, without the name of the enum; its number where it is newer than these stubs. */
export function nameOf(schema: DescEnum, value = 0): string {
  return schema.value[value]?.localName ?? String(value);
}

function textOf(result: ToolResult | undefined): string {
  const blocks = result?.content ?? [];
  return blocks.flatMap(({ block }) => (block.case === 'text' ? [block.value.text] : [])).join('\n');
}
