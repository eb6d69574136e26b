// A view on the screen: its canvas, the layer of things to focus and drag above it, tips, and the same as a table.
import { effect, signal } from "@preact/signals";
import { Component, createContext, createRef, type JSX } from "preact";
import type { View } from "../protocol/types";
import { change, complete, dragged, frame, go, hover, live, mix, at, run, scene } from "../state/store";
import { CanvasSurface } from "../surface/canvas";
import type { Context, Drawer, Drawing, Grab, Handle } from "../views/context";
import { first, has, lang, say, show } from "../words/words";
import { theme } from "./theme";

export const addClass = signal(0);
const cursor = signal(0);

export function context(view: View): Context | null {
  const [current, here, info] = [run.value, frame.value, scene.value];
  if (!current || !here || !info) return null;
  const n = Math.min(at.value, current.frames.length - 1);
  const over = hover.value;
  return {
    view,
    scene: info,
    words: `scene.${info.name}`,
    state: { ...current.head.state, ...complete.value },
    frame: here,
    before: n > 0 ? current.frames[n - 1]! : null,
    frames: current.frames,
    at: n,
    mix: mix.value,
    head: current.arrays,
    handles: current.head.handles ?? {},
    theme: theme.value,
    lang: lang.value,
    hover: over && view.linked === over.set ? over.index : null,
    live: live.value,
    actions: { change, dragged, go: (k) => go(k), addClass: () => addClass.value, cursor },
    say,
    show,
  };
}

/** Where views find what they draw: the run of a scene, or a page of a study. */
export interface SourceOfViews {
  context(view: View): Context | null;
  title(view: View): string;
}

export const Source = createContext<SourceOfViews>({
  context,
  title(view) {
    const name = scene.value?.name;
    const key = `scene.${name}.view.${view.id}`;
    return has(key) ? say(key) : first([`scene.${name}.value.${view.value ?? view.id}`]);
  },
});

interface Props {
  view: View;
  drawer: Drawer;
  main: boolean;
}
interface Shown {
  drawing: Drawing;
  width: number;
  height: number;
  tip: { text: string; x: number; y: number } | null;
}

export class Drawn extends Component<Props, Shown> {
  static override contextType = Source;
  override state: Shown = { drawing: {}, width: 0, height: 0, tip: null };
  private readonly holder = createRef<HTMLDivElement>();
  private readonly canvas = createRef<HTMLCanvasElement>();
  private readonly width = signal(0);
  private drawing: Drawing = {};
  private held: { grab: Grab; x: number; y: number; moved: boolean } | null = null;
  private queued = 0;
  private stop: (() => void)[] = [];

  override componentDidMount(): void {
    const watch = new ResizeObserver(([entry]) => (this.width.value = Math.floor(entry!.contentRect.width)));
    watch.observe(this.holder.current!);
    this.width.value = Math.floor(this.holder.current!.clientWidth);
    const redraw = effect(() => {
      const made = (this.context as SourceOfViews).context(this.props.view);
      const width = this.width.value;
      if (made && width > 0) this.later(made, width);
    });
    this.stop = [() => watch.disconnect(), redraw, () => cancelAnimationFrame(this.queued)];
  }

  override componentWillUnmount(): void {
    for (const end of this.stop) end();
  }

  private later(made: Context, width: number): void {
    cancelAnimationFrame(this.queued);
    this.queued = requestAnimationFrame(() => this.paint(made, width));
  }

  private paint(made: Context, width: number): void {
    const canvas = this.canvas.current;
    if (!canvas) return;
    const height = this.props.drawer.height(made, width, this.props.main);
    const surface = new CanvasSurface(canvas, width, height, Math.min(3, devicePixelRatio || 1));
    canvas.style.height = `${height}px`;
    this.drawing = this.props.drawer.draw(surface, made);
    const before = this.state.drawing;
    if (this.drawing.handles?.length || before.handles?.length || height !== this.state.height || width !== this.state.width || before.note !== this.drawing.note)
      this.setState({ drawing: this.drawing, width, height });
  }

  private spot(event: PointerEvent): [number, number] {
    const box = this.canvas.current!.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  private over = (event: PointerEvent): void => {
    const [x, y] = this.spot(event);
    if (this.held) {
      if (!this.held.moved && Math.hypot(x - this.held.x, y - this.held.y) > 3) this.held.moved = true;
      if (this.held.moved) this.held.grab.move(x, y);
      return;
    }
    const found = this.tip(x, y, event.pointerType === "touch" ? 20 : 0);
    const set = this.props.view.linked;
    const index = found?.index ?? null;
    if (set && (hover.value?.index ?? null) !== index) hover.value = index === null ? null : { set, index };
    if (found || this.state.tip) this.setState({ tip: found ? { text: found.text, x, y } : null });
  };

  private tip(x: number, y: number, more: number): { text: string; index?: number } | null {
    const { hits, tipAt } = this.drawing;
    if (hits) {
      let [best, found] = [((hits.reach ?? 8) + more) ** 2, -1];
      for (let i = 0; i < hits.x.length; i++) {
        const d = (hits.x[i]! - x) ** 2 + (hits.y[i]! - y) ** 2;
        if (d < best) [best, found] = [d, i];
      }
      if (found >= 0) return { text: hits.tip?.(found) ?? String(found + 1), index: found };
    }
    return tipAt?.(x, y) ?? null;
  }

  private out = (): void => {
    if (this.held) return;
    if (this.props.view.linked && hover.value) hover.value = null;
    if (this.state.tip) this.setState({ tip: null });
  };

  private press(event: PointerEvent, grab: Grab | null | undefined): void {
    if (!grab || event.button > 0) return;
    const [x, y] = this.spot(event);
    this.held = { grab, x, y, moved: false };
    this.holder.current!.setPointerCapture(event.pointerId);
    this.setState({ tip: null });
  }

  private down = (event: PointerEvent): void => {
    const key = (event.target as Element).closest("[data-handle]")?.getAttribute("data-handle");
    const handle = key ? this.drawing.handles?.find((h) => h.key === key) : undefined;
    if (event.altKey && handle?.remove) return handle.remove();
    if (handle?.drag || handle?.press) {
      // the handle is looked up anew at every move: a new frame brings a new one
      const move = (x: number, y: number): void => this.drawing.handles?.find((h) => h.key === key)?.drag?.(x, y);
      this.press(event, { move: handle.drag ? move : () => undefined, up: (moved) => void (moved || handle.press?.()) });
      (event.target as Element).closest<SVGElement>("[data-handle]")?.focus();
      event.preventDefault();
      return;
    }
    this.press(event, this.drawing.grab?.(...this.spot(event), event));
  };

  private up = (): void => {
    const held = this.held;
    this.held = null;
    held?.grab.up?.(held.moved);
  };

  private key(event: KeyboardEvent, handle: Handle): void {
    const by = event.shiftKey ? 0.05 : 0.01;
    const moves: Record<string, [number, number]> = { ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, by], ArrowDown: [0, -by] };
    const move = moves[event.key];
    if (move && handle.nudge) handle.nudge(handle.shape === "across" || handle.shape === "down" ? move[0] + move[1] : move[0], move[1]);
    else if ((event.key === "Delete" || event.key === "Backspace") && handle.remove) handle.remove();
    else if ((event.key === "Enter" || event.key === " ") && handle.press) handle.press();
    else if ((event.key === "PageDown" || event.key === "PageUp") && handle.choose) handle.choose(event.key === "PageDown" ? 1 : -1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  override render({ view, main }: Props, { drawing, width, height, tip }: Shown): JSX.Element {
    const title = (this.context as SourceOfViews).title(view);
    const handles = drawing.handles ?? [];
    return (
      <div
        class={main ? "drawn main" : "drawn"}
        ref={this.holder}
        onPointerMove={this.over}
        onPointerLeave={this.out}
        onPointerDown={this.down}
        onPointerUp={this.up}
        onPointerCancel={this.up}
        data-grabs={drawing.grab ? "" : undefined}
      >
        <canvas ref={this.canvas} role="img" aria-label={drawing.note ? `${title}. ${drawing.note}` : title} />
        {handles.length > 0 && (
          <svg class="handles" width={width} height={height} role="group" aria-label={say("shell.movable", { view: title })}>
            {handles.map((h) => (
              <Grip key={h.key} handle={h} onKeyDown={(event) => this.key(event, h)} />
            ))}
          </svg>
        )}
        {tip && <Tip {...tip} width={width} />}
        {drawing.note && <p class="note">{drawing.note}</p>}
      </div>
    );
  }
}

function Grip({ handle: h, onKeyDown }: { handle: Handle; onKeyDown(event: KeyboardEvent): void }): JSX.Element {
  const shared = {
    tabindex: 0,
    "data-handle": h.key,
    "aria-label": h.label,
    onKeyDown,
    class: h.shape === "across" ? "grip across" : h.shape === "down" ? "grip down" : "grip",
    ...(h.value
      ? { role: "slider" as const, "aria-valuenow": h.value.now, "aria-valuemin": h.value.min, "aria-valuemax": h.value.max, "aria-valuetext": h.value.text }
      : { role: "button" as const }),
  };
  if (h.shape === "across" || h.shape === "down") {
    const long = h.length ?? 100;
    return (
      <g {...shared}>
        {h.shape === "across" ? <rect x={h.x - 8} y={h.y - long / 2} width={16} height={long} rx={4} /> : <rect x={h.x - long / 2} y={h.y - 8} width={long} height={16} rx={4} />}
        <circle class="knob" cx={h.x} cy={h.shape === "across" ? h.y + long / 2 : h.y} r={6} />
      </g>
    );
  }
  return <circle {...shared} cx={h.x} cy={h.y} r={h.r} />;
}

function Tip({ text, x, y, width }: { text: string; x: number; y: number; width: number }): JSX.Element {
  const left = x > width * 0.62;
  return (
    <div class="tip" role="presentation" style={{ left: left ? "auto" : `${x + 14}px`, right: left ? `${width - x + 14}px` : "auto", top: `${y + 10}px` }}>
      {text.split("\n").map((line) => (
        <div>{line}</div>
      ))}
    </div>
  );
}
