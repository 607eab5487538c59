// Files of CloudEvents as carillon publish takes them: one event as JSON, several as a JSON array, or one event a line (NDJSON).
import { messageOf } from '../../platform/logging/error-code.js';
import { readStandardInput, readTextFile } from '../shell/read-text.js';
import { UsageError } from '../shell/usage-error.js';

export type EventJson = Readonly<Record<string, unknown>>;

/** In the order of the files; `-` is standard input. Throws UsageError for a file that holds no events. */
export async function readEvents(files: readonly string[]): Promise<EventJson[]> {
  const events: EventJson[] = [];
  for (const file of files) {
    const content = file === '-' ? await readStandardInput() : await readTextFile(file);
    events.push(...eventsIn(content, file));
  }
  return events;
}

/** `name` is the file's, for the text of a fault. */
function eventsIn(content: string, name: string): EventJson[] {
  const whole = parsed(content);
  const values =
    'value' in whole
      ? [whole.value].flat()
      : content
          .split('\n')
          .filter((line) => line.trim() !== '')
          .map((line, index, lines) => {
            const one = parsed(line);
            if ('value' in one) return one.value;
            const why = lines.length === 1 || index === 0 ? whole.fault : one.fault;
            throw new UsageError(`${name} is neither JSON nor one JSON a line: ${why}`);
          });
  if (values.length === 0) throw new UsageError(`${name} holds no event`);
  const wrong = values.findIndex((value) => typeof value !== 'object' || value === null);
  if (wrong >= 0) throw new UsageError(`${name}: event ${wrong + 1} is no JSON object`);
  return values as EventJson[];
}

function parsed(content: string): { readonly value: unknown } | { readonly fault: string } {
  try {
    return { value: JSON.parse(content) as unknown };
  } catch (error) {
    return { fault: content.trim() === '' ? 'it is empty' : messageOf(error) };
  }
}
