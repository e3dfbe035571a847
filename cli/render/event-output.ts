import { toJson } from '@bufbuild/protobuf';
import { type Event, EventSchema } from '#gen/toolgate/gateway/v1/event_pb.ts';
import type { CommandContext } from '../command-context.ts';
import { createEventPrinter } from './event-printer.ts';

/** Shows events in the form that was asked for. */
export interface EventOutput {
  show(event: Event): void;
  /** Tells, once a loss, that the connection is gone and will be made again. */
  connectionLost(problem: string): void;
  /** Ends the running line, so that something else can be written below. */
  endLine(): void;
}

/** Text for people, or a line of protobuf JSON an event. */
export function createEventOutput(context: CommandContext): EventOutput {
  const { io, isJson, style } = context;
  const printer = createEventPrinter({ style, write: text => void io.stdout.write(text) });
  let isLost = false;
  return {
    show: event => {
      if (isLost && !isJson) io.stderr.write('The connection is back.\n');
      isLost = false;
      if (isJson) context.writeJson(toJson(EventSchema, event));
      else printer.print(event);
    },
    connectionLost: problem => {
      if (isLost) return;
      isLost = true;
      printer.endLine();
      io.stderr.write(`The connection is lost (${problem}), trying again.\n`);
    },
    endLine: printer.endLine,
  };
}
