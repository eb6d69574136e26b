// Server-sent events out of a fetch: a run is one POST, and closing the stream is "stop".
import type { LabEvent } from "./types";

export async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<LabEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    let cut: RegExpExecArray | null;
    while ((cut = /\r?\n\r?\n/.exec(rest))) {
      const event = parse(rest.slice(0, cut.index));
      rest = rest.slice(cut.index + cut[0].length);
      if (event) yield event;
    }
  }
}

export function parse(block: string): LabEvent | null {
  let event = "message";
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    if (line.startsWith("event:")) event = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
  }
  return data.length ? ({ event, data: JSON.parse(data.join("\n")) } as LabEvent) : null;
}
