import { DecisionStage, type DecisionStep } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { PermissionBehavior } from '#gen/toolgate/tool/v1/tool_spec_pb.ts';
import { matchWidely } from './bash/command-matching.ts';
import { destructionOf } from './bash/destructive-commands.ts';
import { optionCommandsOf } from './bash/option-commands.ts';
import { programNameOf } from './bash/simple-command.ts';
import type { CallPart, CommandPart, PathPart, UnseenPart } from './call-parts.ts';
import { displayedText, isDeceptive } from './displayed-text.ts';
import { guardedRead, guardedWrite } from './files/sensitive-paths.ts';
import { describePart, type JudgedCall, noOpinion, opinion } from './judged-call.ts';

// The length of PATH_MAX; no file system call takes more.
const longestPath = 4096;

const nothingDangerous = noOpinion(DecisionStage.SAFETY, 'Nothing that always needs a person.');

/**
 * The floor: calls that a person must see whatever rules and mode say. It only ever asks, because a person may
 * have a good reason; what nobody may do belongs into deny rules.
 */
export function judgeSafety(judged: JudgedCall): DecisionStep {
  for (const part of judged.parts) {
    const danger = dangerOf(part, judged);
    if (danger !== undefined)
      return opinion(
        DecisionStage.SAFETY,
        PermissionBehavior.ASK,
        `It would ${describePart(part)}, which ${danger}.`,
      );
  }
  return nothingDangerous;
}

function dangerOf(part: CallPart, judged: JudgedCall): string | undefined {
  switch (part.kind) {
    case 'path':
      return pathDanger(part, judged);
    case 'command':
      return commandDanger(part, judged);
    case 'url':
      return isDeceptive(part.url) ? 'holds characters that nobody sees' : undefined;
    case 'unseen':
      return unseenDanger(part);
    default:
      return undefined;
  }
}

function unseenDanger(part: UnseenPart): string | undefined {
  if (part.isDangerous) return 'a person must see first';
  return part.script.isDeceptive ? 'holds characters that nobody sees' : undefined;
}

function pathDanger(part: PathPart, judged: JudgedCall): string | undefined {
  if (part.path === undefined) return undefined;
  const real = part.path.real ?? '';
  if (isDeceptive(part.path.named) || isDeceptive(real)) return 'holds characters that nobody sees';
  if (part.path.named.length > longestPath) return 'is longer than any path';
  return part.access === 'write' ? guardedWrite(part.path, judged.guarded) : guardedRead(part.path);
}

function commandDanger(part: CommandPart, judged: JudgedCall): string | undefined {
  if (part.script.isDeceptive) return 'holds characters that nobody sees';
  const name = programNameOf(part.command);
  if (name !== undefined && /[^\x20-\x7e]/.test(name)) return 'has a name that looks like another one';
  const listed = judged.context.dangers?.commands.find(
    ({ pattern }) => matchWidely(pattern, part.command) !== 'no',
  );
  if (listed !== undefined) return `the operator lists as dangerous (${displayedText(listed.content)})`;
  const started = part.command.isGuess ? undefined : optionCommandsOf(part.command);
  if (started !== undefined) return `runs a program by ${displayedText(started.because)}`;
  return destructionOf(part.command, judged.facts);
}
