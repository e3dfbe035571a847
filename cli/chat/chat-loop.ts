import { Code, ConnectError } from '@connectrpc/connect';
import { messageContent } from '../client/message-content.ts';
import { rpcFailure } from '../client/rpc-failure.ts';
import { CommandFailure, EXIT_CODES } from '../command-failure.ts';
import { type Chat, tryChatCommand } from './chat-commands.ts';
import { takeTurn } from './chat-turn.ts';
import { openLineHistory } from './line-history.ts';
import { readMessage } from './read-message.ts';

/** Reads messages and shows their replies until the person leaves. Returns the exit code. */
export async function chatLoop(chat: Chat): Promise<number> {
  const { context } = chat;
  const { io, style, folder } = context;
  const history = openLineHistory(folder.chatHistory, problem => context.say(style('dim', problem)));
  while (true) {
    const typed = await readMessage({ io, style, history });
    if (typed.kind === 'left') {
      if (!typed.byInterrupt) io.stdout.write('\n');
      return typed.byInterrupt ? EXIT_CODES.interrupted : EXIT_CODES.ok;
    }
    if (typed.text.trim() !== '' && (await surviving(chat, () => answer(chat, typed.text)))) {
      return EXIT_CODES.ok;
    }
  }
}

/** Does the work and says in one line what went wrong; only what no further message can mend ends the chat. */
export async function surviving(chat: Chat, work: () => Promise<boolean>): Promise<boolean> {
  const { context, client } = chat;
  try {
    return await work();
  } catch (error) {
    context.io.interrupts.signal.throwIfAborted();
    if (error instanceof ConnectError && error.code === Code.NotFound) throw error;
    const failure = rpcFailure(error, client.address);
    if (!(failure instanceof CommandFailure)) throw error;
    context.io.stderr.write(`${failure.message}\n`);
    return false;
  }
}

/** Sends what was typed, or does what it asks for; true ends the chat. */
async function answer(chat: Chat, text: string): Promise<boolean> {
  const done = await tryChatCommand(chat, text);
  if (done !== 'message') return done === 'left';
  const { context, client, sessionId, files } = chat;
  const content = [...messageContent(text.trim(), [], context.io.workingFolder), ...files];
  files.length = 0;
  await takeTurn(context, client, sessionId, content);
  return false;
}
